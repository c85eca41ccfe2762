"""Biases: one number added to each channel, by BiasAdd, BiasAddV1 and BiasAddGrad.

output[n, i…, c] = value[n, i…, c] + bias[c]            NHWC: channels are the last dimension
output[n, c, i…] = value[n, c, i…] + bias[c]            NCHW: channels are the second
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels.reductions import reduce_sum
from featherflow.kernels.windows import is_channels_first
from featherflow.ops.fill_ops import ZerosLike
from featherflow.ops.type_groups import NUMBERS

_ATTRS = ("T: numbertype", "data_format: {'NHWC', 'NCHW'} = 'NHWC'")

# --- BiasAdd --------------------------------------------------------------------------------------

BiasAdd = define_op("BiasAdd", inputs=("value: T", "bias: T"), outputs=("output: T",), attrs=_ATTRS)


@BiasAdd.shape_fn
def _bias_add_shape(c: InferenceContext) -> TensorShape:
    channels_first = is_channels_first(c.attrs.get("data_format", "NHWC"))
    dims = c.with_rank_at_least(0, 3 if channels_first else 2)._dims
    (length,) = c.dims(1, 1)
    if dims is None:
        return c.shapes[0]
    axis = 1 if channels_first else len(dims) - 1
    return TensorShape._of((*dims[:axis], c.merge_dim(dims[axis], length), *dims[axis + 1 :]))


@BiasAdd.kernel("CPU", T=NUMBERS)
def _bias_add_cpu(value: np.ndarray, bias: np.ndarray, *, data_format: str) -> np.ndarray:
    axis = _channel_axis(value, data_format)
    if bias.shape != (value.shape[axis],):
        raise InvalidArgumentError(
            None,
            None,
            "Must provide as many biases as there are channels",
            received=f"bias {list(bias.shape)}, value {list(value.shape)}",
            expected=f"bias [{value.shape[axis]}]",
        )
    return value + (bias if axis == -1 else bias.reshape(-1, *(1,) * (value.ndim - 2)))


@BiasAdd.compile_rule
def _bias_add_compile(c: Any, value: Any, bias: Any, *, data_format: str) -> Any:
    if is_channels_first(data_format):
        bias = c.reshape(bias, (*bias.shape, *[1] * (value.rank - 2)))
    c.require(c.broadcasts_to(bias, value.shape) and bias.shape[0] != 1, "a bias that does not fit")
    return value + bias


def _channel_axis(value: np.ndarray, data_format: str) -> int:
    if value.ndim < 2:
        raise InvalidArgumentError(
            None,
            None,
            "Input tensor must be at least 2D",
            received=f"shape {list(value.shape)}",
        )
    return 1 if is_channels_first(data_format) else -1


@BiasAdd.gradient
def _bias_add_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
    return grad, BiasAddGrad(grad, data_format=op.attrs["data_format"])


@export("nn.bias_add")
def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Any:
    """Adds a bias to each channel.

        output[n, i…, c] = value[n, i…, c] + bias[c]

    Args:
      value: numbers, `[N, …, C]`, or `[N, C, …]` of rank 3 or more where channels come first.
      bias: `[C]`, converted to the dtype of `value`.
      data_format: "N...C" (also None, "NHWC" and the like), or "NC..." ("NCHW" and the like).
      name: of the node.
    Returns:
      A tensor like `value`.
    Raises:
      ValueError: `data_format` is neither, or the static shapes or dtypes do not fit.
      InvalidArgumentError: shapes do not fit in the run.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.nn.bias_add([[1.0, 2.0], [3.0, 4.0]], [10.0, 20.0])).tolist()
    [[11.0, 22.0], [13.0, 24.0]]
    """
    with op_scope(name, "BiasAdd", [value, bias]) as scope:
        layout = _layout_of(data_format)
        value = convert_to_tensor(value, name="input")
        bias = convert_to_tensor(bias, dtype=value.dtype, name="bias")
        return BiasAdd(value, bias, data_format=layout, name=scope)


def _layout_of(data_format: str | None) -> str:
    """The attribute for a layout of any rank, such as "NWC" or "NC..."."""
    if data_format is None:
        return "NHWC"
    if data_format.startswith("NC"):
        return "NCHW"
    if data_format.startswith("N") and data_format.endswith("C"):
        return "NHWC"
    raise ValueError(
        f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}"
    )


# --- BiasAddV1 ------------------------------------------------------------------------------------

BiasAddV1 = define_op(
    "BiasAddV1", inputs=("value: T", "bias: T"), outputs=("output: T",), attrs=("T: numbertype",)
)
BiasAddV1.shape_fn(_bias_add_shape)


@BiasAddV1.kernel("CPU", T=NUMBERS)
def _bias_add_v1_cpu(value: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return _bias_add_cpu(value, bias, data_format="NHWC")


@BiasAddV1.gradient
def _bias_add_v1_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
    return grad, BiasAddGrad(grad)


# --- BiasAddGrad ----------------------------------------------------------------------------------

BiasAddGrad = define_op(
    "BiasAddGrad", inputs=("out_backprop: T",), outputs=("output: T",), attrs=_ATTRS
)


@BiasAddGrad.shape_fn
def _bias_add_grad_shape(c: InferenceContext) -> TensorShape:
    channels_first = is_channels_first(c.attrs["data_format"])
    dims = c.with_rank_at_least(0, 3 if channels_first else 2)._dims
    return TensorShape._of((None if dims is None else dims[1 if channels_first else -1],))


@BiasAddGrad.kernel("CPU", T=NUMBERS)
def _bias_add_grad_cpu(out_backprop: np.ndarray, *, data_format: str) -> np.ndarray:
    channels = _channel_axis(out_backprop, data_format) % out_backprop.ndim
    axes = tuple(axis for axis in range(out_backprop.ndim) if axis != channels)
    return reduce_sum(out_backprop, axes, keep_dims=False)


@BiasAddGrad.gradient
def _bias_add_grad_grad(op: Any, grad: Tensor) -> Tensor:
    # The transpose of a sum over all but the channels repeats the channels: a bias added to 0.
    return BiasAdd(ZerosLike(op.inputs[0]), grad, data_format=op.attrs["data_format"])

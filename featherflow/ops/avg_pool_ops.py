"""2-D average pooling: AvgPool, AvgPoolGrad and `tf.nn.avg_pool2d`.

    output[n, i, j, c] = mean_{p, q} value[n, s·i + p, s·j + q, c]        padding left out

The arithmetic is in `kernels/pool.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import pool as kernels
from featherflow.ops.pool_windows import pool_pads, refuse_channel_windows, windowed_shape
from featherflow.ops.reshape_ops import renamed_argument
from featherflow.ops.shape_ops import shape
from featherflow.ops.type_groups import FLOATS
from featherflow.ops.window_shapes import attrs_of, per_dimension, sizes_as_shape

_ATTRS = (
    "ksize: list(int) >= 4",
    "strides: list(int) >= 4",
    "padding: {'SAME', 'VALID'}",
    "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
    "T: {half, bfloat16, float, double}",
)
_GEOMETRY = ("ksize", "strides", "padding", "data_format")

# --- AvgPool --------------------------------------------------------------------------------------

AvgPool = define_op("AvgPool", inputs=("value: T",), outputs=("output: T",), attrs=_ATTRS)


@AvgPool.shape_fn
def _avg_pool_shape(c: InferenceContext) -> TensorShape:
    return windowed_shape(c, c.attrs["ksize"], c.attrs["strides"], over_channels=False)


@AvgPool.kernel("CPU", T=FLOATS)
def _avg_pool_cpu(
    value: np.ndarray,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    data_format: str,
) -> np.ndarray:
    refuse_channel_windows(ksize, strides, data_format)
    return kernels.avg_pool(value, ksize, strides, pool_pads(value.shape, ksize, strides, padding))


@AvgPool.compile_rule
def _avg_pool_compile(
    c: Any,
    value: Any,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    data_format: str,
) -> Any:
    c.require(data_format == "NHWC", "channels first")
    pads = pool_pads(value.shape, ksize, strides, padding)
    return c.pool("avg", value, ksize, strides, pads)


@AvgPool.gradient
def _avg_pool_grad(op: Any, grad: Tensor) -> Tensor:
    return AvgPoolGrad(shape(op.inputs[0]), grad, **attrs_of(op, *_GEOMETRY))


@export_v1("nn.avg_pool", "nn.avg_pool2d")
def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """The mean of each window of an image, over the elements that are not padding.

        output[n, i, j, c] = mean_{p, q} value[n, s·i + p, s·j + q, c]

    Args:
      value: `[N, H, W, C]`, or `[N, C, H, W]` with `data_format="NCHW"`; float16, bfloat16, float32
        or float64.
      ksize: the window; one int, one per spatial dimension, or one per dimension.
      strides: s; forms as for `ksize`.
      padding: "SAME" (output ⌈H / s⌉) or "VALID" (no padding; output ⌈(H − window + 1) / s⌉).
      data_format: "NHWC" or "NCHW".
      name: of the node.
      input: another name of `value`.
    Returns:
      `[N, H', W', C]` (`[N, C, H', W']`), dtype of `value`.
    Raises:
      ValueError: rank or windows do not fit, or a stride is not positive.

    >>> import featherflow as tf
    >>> image = tf.constant([[[[1.0], [2.0]], [[3.0], [6.0]]]])
    >>> with tf.Session() as sess:
    ...     sess.run(tf.nn.avg_pool(image, 2, 2, "VALID")).item()
    3.0
    """
    value = renamed_argument("input", input, "value", value)
    with op_scope(name, "AvgPool", [value]) as scope:
        return _avg_pool(value, ksize, strides, padding, data_format, scope)


@export("nn.avg_pool2d")
def avg_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None = "NHWC",
    name: str | None = None,
) -> Tensor:
    """`tf.compat.v1.nn.avg_pool` without its aliases."""
    with op_scope(name, "AvgPool2D", [input]) as scope:
        return _avg_pool(input, ksize, strides, padding, data_format, scope)


def _avg_pool(
    value: Any, ksize: Any, strides: Any, padding: str, data_format: str | None, scope: str
) -> Tensor:
    data_format = data_format or "NHWC"
    return AvgPool(
        convert_to_tensor(value, name="value"),
        ksize=per_dimension(ksize, "ksize", data_format),
        strides=per_dimension(strides, "strides", data_format),
        padding=padding,
        data_format=data_format,
        name=scope,
    )


# --- AvgPoolGrad ----------------------------------------------------------------------------------

AvgPoolGrad = define_op(
    "AvgPoolGrad",
    inputs=("orig_input_shape: int32", "grad: T"),
    outputs=("output: T",),
    attrs=_ATTRS,
)


@AvgPoolGrad.shape_fn
def _avg_pool_grad_shape(c: InferenceContext) -> TensorShape:
    return sizes_as_shape(c, 0)


@AvgPoolGrad.kernel("CPU", T=FLOATS)
def _avg_pool_grad_cpu(
    orig_input_shape: np.ndarray,
    grad: np.ndarray,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    data_format: str,
) -> np.ndarray:
    refuse_channel_windows(ksize, strides, data_format)
    image_shape = tuple(orig_input_shape.tolist())
    pads = pool_pads(image_shape, ksize, strides, padding)
    return kernels.avg_pool_gradient(image_shape, grad, ksize, strides, pads)


@AvgPoolGrad.gradient
def _avg_pool_grad_grad(op: Any, grad: Tensor) -> tuple[None, Tensor]:
    return None, AvgPool(grad, **attrs_of(op, *_GEOMETRY))

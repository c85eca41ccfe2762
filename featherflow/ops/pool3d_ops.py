"""3-D pooling of volumes: MaxPool3D, AvgPool3D and their gradients.

output[n, i, j, k, c] = max or mean over the window at (s·i, s·j, s·k) of channel c
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import max_pool as max_kernels
from featherflow.kernels import pool as kernels
from featherflow.kernels.windows import check_gradient_shape
from featherflow.ops.fill_ops import ZerosLike
from featherflow.ops.pool_windows import (
    pool_pads,
    pooled_shape,
    refuse_channel_windows,
    windowed_shape,
)
from featherflow.ops.shape_ops import shape
from featherflow.ops.type_groups import FLOATS, HALVES, REAL, WIDE_FLOATS
from featherflow.ops.window_shapes import attrs_of, per_dimension, sizes_as_shape

_ATTRS = (
    "ksize: list(int) >= 5",
    "strides: list(int) >= 5",
    "padding: {'SAME', 'VALID'}",
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'",
)
_GEOMETRY = ("ksize", "strides", "padding", "data_format")
_MAX_TYPES = (*HALVES, WIDE_FLOATS[0])
_T_MAX = "T: {half, bfloat16, float}"
_T_AVG = "T: {half, bfloat16, float, double}"

# --- MaxPool3D ------------------------------------------------------------------------------------

MaxPool3D = define_op(
    "MaxPool3D", inputs=("input: T",), outputs=("output: T",), attrs=(*_ATTRS, _T_MAX)
)
MaxPool3D.shape_fn(pooled_shape)


@MaxPool3D.kernel("CPU", T=_MAX_TYPES)
def _max_pool3d_cpu(
    input: np.ndarray, *, ksize: tuple[int, ...], strides: tuple[int, ...], padding: str
) -> np.ndarray:
    return kernels.max_pool(input, ksize, strides, pool_pads(input.shape, ksize, strides, padding))


@MaxPool3D.gradient
def _max_pool3d_grad(op: Any, grad: Tensor) -> Tensor:
    return MaxPool3DGrad(op.inputs[0], op.outputs[0], grad, **attrs_of(op, *_GEOMETRY))


@export("nn.max_pool3d")
def max_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The maximum of each window of a volume.

    Args:
      input: `[N, D, H, W, C]`, or `[N, C, D, H, W]` with `data_format="NCDHW"`; float16, bfloat16
        or float32.
      ksize: the window; one int, one per spatial dimension, or one per dimension.
      strides: forms as for `ksize`.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" or "NCDHW".
      name: of the node.
    Returns:
      `[N, D', H', W', C]` in the same layout, dtype of `input`.
    Raises:
      ValueError: rank or windows do not fit, or a stride is not positive.
    """
    with op_scope(name, "MaxPool3D", [input]) as scope:
        return MaxPool3D(
            convert_to_tensor(input, name="input"),
            **_volume_windows(ksize, strides, data_format or "NDHWC"),
            padding=padding,
            name=scope,
        )


def _volume_windows(ksize: Any, strides: Any, data_format: str) -> dict[str, Any]:
    return {
        "ksize": per_dimension(ksize, "ksize", data_format, spatial=3),
        "strides": per_dimension(strides, "strides", data_format, spatial=3),
        "data_format": data_format,
    }


# --- MaxPool3DGrad --------------------------------------------------------------------------------

MaxPool3DGrad = define_op(
    "MaxPool3DGrad",
    inputs=("orig_input: TInput", "orig_output: TInput", "grad: T"),
    outputs=("output: T",),
    attrs=(*_ATTRS, f"{_T_MAX} = float", "TInput: {half, bfloat16, float} = float"),
)


@MaxPool3DGrad.shape_fn
def _max_pool3d_grad_shape(c: InferenceContext) -> TensorShape:
    return c.with_rank(0, 5)


@MaxPool3DGrad.kernel("CPU", T=_MAX_TYPES, TInput=_MAX_TYPES)
def _max_pool3d_grad_cpu(
    orig_input: np.ndarray,
    orig_output: np.ndarray,
    grad: np.ndarray,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
) -> np.ndarray:
    check_gradient_shape(grad.shape, orig_output.shape)
    pads = pool_pads(orig_input.shape, ksize, strides, padding)
    return max_kernels.max_pool_gradient(orig_input, grad, ksize, strides, pads)


@MaxPool3DGrad.gradient
def _max_pool3d_grad_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    # Which element is the maximum changes with the input in jumps: no derivative but 0.
    input, output, _ = op.inputs
    along_grad = MaxPool3DGradGrad(input, output, grad, **attrs_of(op, *_GEOMETRY))
    return ZerosLike(input), ZerosLike(output), along_grad


# --- MaxPool3DGradGrad ----------------------------------------------------------------------------

MaxPool3DGradGrad = define_op(
    "MaxPool3DGradGrad",
    inputs=("orig_input: T", "orig_output: T", "grad: T"),
    outputs=("output: T",),
    attrs=(*_ATTRS, "T: realnumbertype"),
)


@MaxPool3DGradGrad.shape_fn
def _max_pool3d_grad_grad_shape(c: InferenceContext) -> TensorShape:
    c.merge(c.shapes[0], c.shapes[2])
    pooled = pooled_shape(c)
    c.merge(pooled, c.shapes[1])
    return pooled


@MaxPool3DGradGrad.kernel("CPU", T=REAL)
def _max_pool3d_grad_grad_cpu(
    orig_input: np.ndarray,
    orig_output: np.ndarray,
    grad: np.ndarray,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
) -> np.ndarray:
    pads = pool_pads(orig_input.shape, ksize, strides, padding)
    return max_kernels.max_pool_gradient_gradient(
        orig_input, orig_output, grad, ksize, strides, pads
    )


@MaxPool3DGradGrad.gradient
def _max_pool3d_grad_grad_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    input, output, _ = op.inputs
    along_grad = MaxPool3DGrad(input, output, grad, **attrs_of(op, *_GEOMETRY))
    return ZerosLike(input), ZerosLike(output), along_grad


# --- AvgPool3D ------------------------------------------------------------------------------------

AvgPool3D = define_op(
    "AvgPool3D", inputs=("input: T",), outputs=("output: T",), attrs=(*_ATTRS, _T_AVG)
)


@AvgPool3D.shape_fn
def _avg_pool3d_shape(c: InferenceContext) -> TensorShape:
    return windowed_shape(c, c.attrs["ksize"], c.attrs["strides"])


@AvgPool3D.kernel("CPU", T=FLOATS)
def _avg_pool3d_cpu(
    input: np.ndarray,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    data_format: str,
) -> np.ndarray:
    pads = pool_pads(input.shape, ksize, strides, padding)
    refuse_channel_windows(ksize, strides, data_format)
    return kernels.avg_pool(input, ksize, strides, pads)


@AvgPool3D.gradient
def _avg_pool3d_grad(op: Any, grad: Tensor) -> Tensor:
    return AvgPool3DGrad(shape(op.inputs[0]), grad, **attrs_of(op, *_GEOMETRY))


@export("nn.avg_pool3d")
def avg_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of a volume, over the elements that are not padding.

    Args:
      input: `[N, D, H, W, C]`, or `[N, C, D, H, W]` with `data_format="NCDHW"`; float16, bfloat16,
        float32 or float64.
      ksize, strides, padding, data_format, name: as for `max_pool3d`.
    Returns:
      `[N, D', H', W', C]` in the same layout, dtype of `input`.
    Raises:
      ValueError: rank or windows do not fit, or a stride is not positive.
    """
    with op_scope(name, "AvgPool3D", [input]) as scope:
        return AvgPool3D(
            convert_to_tensor(input, name="input"),
            **_volume_windows(ksize, strides, data_format or "NDHWC"),
            padding=padding,
            name=scope,
        )


# --- AvgPool3DGrad --------------------------------------------------------------------------------

AvgPool3DGrad = define_op(
    "AvgPool3DGrad",
    inputs=("orig_input_shape: int32", "grad: T"),
    outputs=("output: T",),
    attrs=(*_ATTRS, _T_AVG),
)


@AvgPool3DGrad.shape_fn
def _avg_pool3d_grad_shape(c: InferenceContext) -> TensorShape:
    return sizes_as_shape(c, 0, 5)


@AvgPool3DGrad.kernel("CPU", T=FLOATS)
def _avg_pool3d_grad_cpu(
    orig_input_shape: np.ndarray,
    grad: np.ndarray,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    data_format: str,
) -> np.ndarray:
    volume_shape = tuple(orig_input_shape.tolist())
    pads = pool_pads(volume_shape, ksize, strides, padding)
    refuse_channel_windows(ksize, strides, data_format)
    return kernels.avg_pool_gradient(volume_shape, grad, ksize, strides, pads)


@AvgPool3DGrad.gradient
def _avg_pool3d_grad_grad(op: Any, grad: Tensor) -> tuple[None, Tensor]:
    return None, AvgPool3D(grad, **attrs_of(op, *_GEOMETRY))

"""3-D convolution of volumes: Conv3D, its two gradients, and `tf.nn.conv3d`.

    output[n, i, j, l, k] = Σ_{p, q, r, c} input[n, s·i + d·p, …, c] · filter[p, q, r, c, k]

The arithmetic is that of Conv2D, in `kernels/conv.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import conv as kernels
from featherflow.kernels.windows import (
    channels_last,
    from_channels_last,
    shape_channels_last,
    spatial_geometry,
)
from featherflow.ops.conv_ops import check_channels
from featherflow.ops.reshape_ops import renamed_argument
from featherflow.ops.shape_ops import shape_n
from featherflow.ops.type_groups import FLOATS
from featherflow.ops.window_shapes import (
    attrs_of,
    image_dims,
    image_shape,
    per_dimension,
    sizes_as_shape,
    windowed_dims,
)

_T = "T: {half, bfloat16, float, double}"
_ATTRS = (
    "strides: list(int) >= 5",
    "padding: {'SAME', 'VALID'}",
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'",
    "dilations: list(int) = [1, 1, 1, 1, 1]",
)
_GEOMETRY = ("strides", "padding", "data_format", "dilations")

# --- Conv3D ---------------------------------------------------------------------------------------

Conv3D = define_op(
    "Conv3D",
    inputs=("input: T", "filter: T"),
    outputs=("output: T",),
    attrs=(_T, *_ATTRS),
)


@Conv3D.shape_fn
def _conv3d_shape(c: InferenceContext) -> TensorShape:
    batch, sizes, channels = image_dims(c, 0, 5)
    *window, depth, output_channels = c.dims(1, 5)
    outputs = windowed_dims(c, sizes, window)
    check_channels(c, channels, depth, output_channels)
    return image_shape(c, batch, outputs, output_channels)


@Conv3D.kernel("CPU", T=FLOATS)
def _conv3d_cpu(
    input: np.ndarray,
    filter: np.ndarray,
    *,
    strides: tuple[int, ...],
    padding: str,
    data_format: str,
    dilations: tuple[int, ...],
) -> np.ndarray:
    volume = channels_last(input, data_format)
    if not filter.size:
        raise InvalidArgumentError(
            None, None, "The filter must not be empty", received=f"shape {list(filter.shape)}"
        )
    geometry = spatial_geometry(
        volume.shape, filter.shape[:3], strides, padding, (), data_format, dilations
    )
    return from_channels_last(kernels.convolve(volume, filter, *geometry), data_format)


@Conv3D.gradient
def _conv3d_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
    input, filter = op.inputs
    input_shape, filter_shape = shape_n([input, filter])
    geometry = attrs_of(op, *_GEOMETRY)
    return (
        Conv3DBackpropInputV2(input_shape, filter, grad, **geometry),
        Conv3DBackpropFilterV2(input, filter_shape, grad, **geometry),
    )


@export_v1("nn.conv3d")
def conv3d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: str | None = None,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Convolves a volume with filters.

        output[n, i, j, l, k] = Σ_{p, q, r, c} input[n, s·i + d·p, …, c] · filter[p, q, r, c, k]

    Args:
      input: `[N, D, H, W, C]`, or `[N, C, D, H, W]` with `data_format="NCDHW"`; float16, bfloat16,
        float32 or float64.
      filter: `[KD, KH, KW, C / G, K]`, dtype of `input`; with G > 1 the channels form G groups.
      strides: s, one per dimension. Positive.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" or "NCDHW".
      dilations: d, one per dimension. Positive.
      name: of the node.
      filters: another name of `filter`.
    Returns:
      `[N, D', H', W', K]` in the same layout, dtype of `input`.
    Raises:
      ValueError: ranks or channels do not fit, or the window is larger than the padded input.
    """
    return Conv3D(
        input,
        renamed_argument("filters", filters, "filter", filter),
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


@export("nn.conv3d")
def conv3d_v2(
    input: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """`conv3d` with TF2's arguments."""
    return conv3d(input, filters, strides, padding, data_format, dilations or (1, 1, 1, 1, 1), name)


# --- Conv3DBackpropInputV2 ------------------------------------------------------------------------

Conv3DBackpropInputV2 = define_op(
    "Conv3DBackpropInputV2",
    inputs=("input_sizes: Tshape", "filter: T", "out_backprop: T"),
    outputs=("output: T",),
    attrs=(_T, *_ATTRS, "Tshape: {int32, int64} = int32"),
)


@Conv3DBackpropInputV2.shape_fn
def _conv3d_backprop_input_shape(c: InferenceContext) -> TensorShape:
    return sizes_as_shape(c, 0, 5)


@Conv3DBackpropInputV2.kernel("CPU", T=FLOATS, Tshape=(dtypes.int32, dtypes.int64))
def _conv3d_backprop_input_cpu(
    input_sizes: np.ndarray,
    filter: np.ndarray,
    out_backprop: np.ndarray,
    *,
    strides: tuple[int, ...],
    padding: str,
    data_format: str,
    dilations: tuple[int, ...],
) -> np.ndarray:
    gradient = channels_last(out_backprop, data_format)
    shape = shape_channels_last(input_sizes.tolist(), data_format)
    geometry = spatial_geometry(
        shape, filter.shape[:3], strides, padding, (), data_format, dilations
    )
    result = kernels.convolve_backprop_input(shape, filter, gradient, *geometry)
    return from_channels_last(result, data_format)


@Conv3DBackpropInputV2.gradient
def _conv3d_backprop_input_grad(op: Any, grad: Tensor) -> tuple[None, Tensor, Tensor]:
    _, filter, out_backprop = op.inputs
    geometry = attrs_of(op, *_GEOMETRY)
    (filter_shape,) = shape_n([filter])
    return (
        None,
        Conv3DBackpropFilterV2(grad, filter_shape, out_backprop, **geometry),
        Conv3D(grad, filter, **geometry),
    )


@export_v1("nn.conv3d_transpose")
def conv3d_transpose_v1(
    value: Any,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: str = "SAME",
    data_format: str | None = "NDHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """`conv3d_transpose` with TF1's arguments."""
    value = renamed_argument("input", input, "value", value)
    filter = renamed_argument("filters", filters, "filter", filter)
    return conv3d_transpose(
        value, filter, output_shape, strides, padding, data_format, dilations, name
    )


@export("nn.conv3d_transpose")
def conv3d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str | None = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv3d`: every input element adds its multiple of the filters.

    Args:
      input: `[N, D, H, W, C]`, or `[N, C, D, H, W]` with `data_format="NCDHW"`.
      filters: `[KD, KH, KW, K, C]`, dtype of `input`.
      output_shape: of the result, int32 or int64 `[5]`; a convolution of it must have the shape of
        `input`.
      strides, dilations: one int, one per spatial dimension, or one per dimension.
      padding: of that convolution, "SAME" or "VALID".
      data_format: "NDHWC" or "NCDHW".
      name: of the node.
    Returns:
      A tensor of shape `output_shape`, dtype of `input`.
    """
    with op_scope(name, "conv3d_transpose", [input, filters, output_shape]) as scope:
        data_format = data_format or "NDHWC"
        return Conv3DBackpropInputV2(
            output_shape,
            filters,
            input,
            strides=per_dimension(strides, "strides", data_format, spatial=3),
            padding=padding,
            data_format=data_format,
            dilations=per_dimension(dilations, "dilations", data_format, spatial=3),
            name=scope,
        )


# --- Conv3DBackpropFilterV2 -----------------------------------------------------------------------

Conv3DBackpropFilterV2 = define_op(
    "Conv3DBackpropFilterV2",
    inputs=("input: T", "filter_sizes: int32", "out_backprop: T"),
    outputs=("output: T",),
    attrs=(_T, *_ATTRS),
)


@Conv3DBackpropFilterV2.shape_fn
def _conv3d_backprop_filter_shape(c: InferenceContext) -> TensorShape:
    return sizes_as_shape(c, 1, 5)


@Conv3DBackpropFilterV2.kernel("CPU", T=FLOATS)
def _conv3d_backprop_filter_cpu(
    input: np.ndarray,
    filter_sizes: np.ndarray,
    out_backprop: np.ndarray,
    *,
    strides: tuple[int, ...],
    padding: str,
    data_format: str,
    dilations: tuple[int, ...],
) -> np.ndarray:
    volume = channels_last(input, data_format)
    gradient = channels_last(out_backprop, data_format)
    filter_shape = tuple(filter_sizes.tolist())
    geometry = spatial_geometry(
        volume.shape, filter_shape[:3], strides, padding, (), data_format, dilations
    )
    return kernels.convolve_backprop_filter(volume, filter_shape, gradient, *geometry)


@Conv3DBackpropFilterV2.gradient
def _conv3d_backprop_filter_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, Tensor]:
    input, _, out_backprop = op.inputs
    geometry = attrs_of(op, *_GEOMETRY)
    (input_shape,) = shape_n([input])
    return (
        Conv3DBackpropInputV2(input_shape, grad, out_backprop, **geometry),
        None,
        Conv3D(input, grad, **geometry),
    )


@export_v1("nn.conv3d_backprop_filter", "nn.conv3d_backprop_filter_v2")
def conv3d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv3d` with respect to its filter.

    Args:
      input: as for `conv3d`.
      filter_sizes: the shape of the filter, int32 `[5]`.
      out_backprop: the gradient of the output.
      strides, padding, data_format, dilations, name: as for `conv3d`.
    Returns:
      A tensor of shape `filter_sizes`.
    """
    return Conv3DBackpropFilterV2(
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )

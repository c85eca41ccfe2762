"""Depthwise 2-D convolution: DepthwiseConv2dNative, its gradients, and separable convolution.

Each channel is convolved with its own M filters:

    output[n, i, j, c·M + m] = Σ_{p, q} input[n, s·i + d·p, s·j + d·q, c] · filter[p, q, c, m]

The arithmetic is in `kernels/depthwise.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import depthwise as kernels
from featherflow.kernels.windows import (
    channels_last,
    from_channels_last,
    is_channels_first,
    shape_channels_last,
    spatial_geometry,
)
from featherflow.ops.conv_ops import Conv2D
from featherflow.ops.dilated_windows import with_space_to_batch
from featherflow.ops.reshape_ops import renamed_argument
from featherflow.ops.shape_ops import shape
from featherflow.ops.type_groups import FLOATS
from featherflow.ops.window_shapes import (
    attrs_of,
    image_dims,
    image_shape,
    sizes_as_shape,
    split_padding,
    windowed_dims,
)

_ATTRS = (
    "T: {half, bfloat16, float, double}",
    "strides: list(int)",
    "padding: {'SAME', 'VALID', 'EXPLICIT'}",
    "explicit_paddings: list(int) = []",
    "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
    "dilations: list(int) = [1, 1, 1, 1]",
)
_GEOMETRY = ("strides", "padding", "explicit_paddings", "data_format", "dilations")

# --- DepthwiseConv2dNative ------------------------------------------------------------------------

DepthwiseConv2dNative = define_op(
    "DepthwiseConv2dNative",
    inputs=("input: T", "filter: T"),
    outputs=("output: T",),
    attrs=_ATTRS,
)


@DepthwiseConv2dNative.shape_fn
def _depthwise_conv2d_shape(c: InferenceContext) -> TensorShape:
    batch, sizes, channels = image_dims(c, 0)
    *window, depth, multiplier = c.dims(1, 4)
    channels = c.merge_dim(channels, depth)
    outputs = windowed_dims(c, sizes, window)
    made = None if channels is None or multiplier is None else channels * multiplier
    return image_shape(c, batch, outputs, made)


@DepthwiseConv2dNative.kernel("CPU", T=FLOATS)
def _depthwise_conv2d_cpu(
    input: np.ndarray,
    filter: np.ndarray,
    *,
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...],
    data_format: str,
    dilations: tuple[int, ...],
) -> np.ndarray:
    image = channels_last(input, data_format)
    geometry = spatial_geometry(
        image.shape, filter.shape[:2], strides, padding, explicit_paddings, data_format, dilations
    )
    return from_channels_last(kernels.depthwise_convolve(image, filter, *geometry), data_format)


@DepthwiseConv2dNative.compile_rule
def _depthwise_conv2d_compile(
    c: Any,
    input: Any,
    filter: Any,
    *,
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...],
    data_format: str,
    dilations: tuple[int, ...],
) -> Any:
    image = c.channels_last(input, data_format)
    geometry = spatial_geometry(
        image.shape, filter.shape[:2], strides, padding, explicit_paddings, data_format, dilations
    )
    return c.from_channels_last(c.depthwise_convolution(image, filter, *geometry), data_format)


@DepthwiseConv2dNative.gradient
def _depthwise_conv2d_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
    input, filter = op.inputs
    geometry = attrs_of(op, *_GEOMETRY)
    return (
        DepthwiseConv2dNativeBackpropInput(shape(input), filter, grad, **geometry),
        DepthwiseConv2dNativeBackpropFilter(input, shape(filter), grad, **geometry),
    )


@export_v1("nn.depthwise_conv2d_native")
def depthwise_conv2d_native(
    input: Any,
    filter: Any,
    strides: Sequence[int],
    padding: Any,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Convolves each channel with its own filters.

        output[n, i, j, c·M + m] = Σ_{p, q} input[n, s·i + d·p, s·j + d·q, c] · filter[p, q, c, m]

    Args:
      input: `[N, H, W, C]`, or `[N, C, H, W]` with `data_format="NCHW"`; float16, bfloat16, float32
        or float64.
      filter: `[KH, KW, C, M]`, dtype of `input`.
      strides: s, one per dimension. Positive.
      padding: "SAME" (zeros; output ⌈H / s⌉), "VALID" (none), or a list of (before, after) for each
        dimension.
      data_format: "NHWC" or "NCHW".
      dilations: d, one per dimension. Positive.
      name: of the node.
    Returns:
      `[N, H', W', C·M]` (`[N, C·M, H', W']`), dtype of `input`.
    Raises:
      ValueError: ranks or channels do not fit, or the window is larger than the padded input.
    """
    padding, explicit_paddings = split_padding(padding)
    return DepthwiseConv2dNative(
        input,
        filter,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


# --- DepthwiseConv2dNativeBackpropInput -----------------------------------------------------------

DepthwiseConv2dNativeBackpropInput = define_op(
    "DepthwiseConv2dNativeBackpropInput",
    inputs=("input_sizes: int32", "filter: T", "out_backprop: T"),
    outputs=("output: T",),
    attrs=_ATTRS,
)


@DepthwiseConv2dNativeBackpropInput.shape_fn
def _depthwise_conv2d_backprop_input_shape(c: InferenceContext) -> TensorShape:
    return sizes_as_shape(c, 0)


@DepthwiseConv2dNativeBackpropInput.kernel("CPU", T=FLOATS)
def _depthwise_conv2d_backprop_input_cpu(
    input_sizes: np.ndarray,
    filter: np.ndarray,
    out_backprop: np.ndarray,
    *,
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...],
    data_format: str,
    dilations: tuple[int, ...],
) -> np.ndarray:
    gradient = channels_last(out_backprop, data_format)
    shape = shape_channels_last(input_sizes.tolist(), data_format)
    geometry = spatial_geometry(
        shape, filter.shape[:2], strides, padding, explicit_paddings, data_format, dilations
    )
    result = kernels.depthwise_convolve_backprop_input(shape, filter, gradient, *geometry)
    return from_channels_last(result, data_format)


@DepthwiseConv2dNativeBackpropInput.gradient
def _depthwise_conv2d_backprop_input_grad(op: Any, grad: Tensor) -> tuple[None, Tensor, Tensor]:
    _, filter, out_backprop = op.inputs
    geometry = attrs_of(op, *_GEOMETRY)
    return (
        None,
        DepthwiseConv2dNativeBackpropFilter(grad, shape(filter), out_backprop, **geometry),
        DepthwiseConv2dNative(grad, filter, **geometry),
    )


@export_v1("nn.depthwise_conv2d_native_backprop_input")
@export("nn.depthwise_conv2d_backprop_input")
def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Sequence[int],
    padding: Any,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d_native` with respect to its input.

    Args:
      input_sizes: the shape of the input, int32 `[4]`.
      filter: `[KH, KW, C, M]`.
      out_backprop: the gradient of the output.
      strides, padding, data_format, dilations, name: as for `depthwise_conv2d_native`.
    Returns:
      A tensor of shape `input_sizes`.
    """
    padding, explicit_paddings = split_padding(padding)
    return DepthwiseConv2dNativeBackpropInput(
        input_sizes,
        filter,
        out_backprop,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


# --- DepthwiseConv2dNativeBackpropFilter ----------------------------------------------------------

DepthwiseConv2dNativeBackpropFilter = define_op(
    "DepthwiseConv2dNativeBackpropFilter",
    inputs=("input: T", "filter_sizes: int32", "out_backprop: T"),
    outputs=("output: T",),
    attrs=_ATTRS,
)


@DepthwiseConv2dNativeBackpropFilter.shape_fn
def _depthwise_conv2d_backprop_filter_shape(c: InferenceContext) -> TensorShape:
    return sizes_as_shape(c, 1)


@DepthwiseConv2dNativeBackpropFilter.kernel("CPU", T=FLOATS)
def _depthwise_conv2d_backprop_filter_cpu(
    input: np.ndarray,
    filter_sizes: np.ndarray,
    out_backprop: np.ndarray,
    *,
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...],
    data_format: str,
    dilations: tuple[int, ...],
) -> np.ndarray:
    image = channels_last(input, data_format)
    gradient = channels_last(out_backprop, data_format)
    filter_shape = tuple(filter_sizes.tolist())
    geometry = spatial_geometry(
        image.shape, filter_shape[:2], strides, padding, explicit_paddings, data_format, dilations
    )
    return kernels.depthwise_convolve_backprop_filter(image, filter_shape, gradient, *geometry)


@DepthwiseConv2dNativeBackpropFilter.gradient
def _depthwise_conv2d_backprop_filter_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, Tensor]:
    input, _, out_backprop = op.inputs
    geometry = attrs_of(op, *_GEOMETRY)
    return (
        DepthwiseConv2dNativeBackpropInput(shape(input), grad, out_backprop, **geometry),
        None,
        DepthwiseConv2dNative(input, grad, **geometry),
    )


@export_v1("nn.depthwise_conv2d_native_backprop_filter")
@export("nn.depthwise_conv2d_backprop_filter")
def depthwise_conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Sequence[int],
    padding: Any,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d_native` with respect to its filter.

    Args:
      input: as for `depthwise_conv2d_native`.
      filter_sizes: the shape of the filter, int32 `[4]`.
      out_backprop: the gradient of the output.
      strides, padding, data_format, dilations, name: as for `depthwise_conv2d_native`.
    Returns:
      A tensor of shape `filter_sizes`.
    """
    padding, explicit_paddings = split_padding(padding)
    return DepthwiseConv2dNativeBackpropFilter(
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


# --- depthwise and separable convolution with any dilation ----------------------------------------


@export_v1("nn.depthwise_conv2d")
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Sequence[int],
    padding: Any,
    rate: Sequence[int] | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Sequence[int] | None = None,
) -> Tensor:
    """Convolves each channel with its own filters.

        output[n, i, j, c·M + m] = Σ_{p, q} input[n, s·i + d·p, s·j + d·q, c] · filter[p, q, c, m]

    Args:
      input: `[N, H, W, C]`, or `[N, C, H, W]` with `data_format="NCHW"`; float16, bfloat16, float32
        or float64.
      filter: `[KH, KW, C, M]`, dtype of `input`.
      strides: s, one per dimension; 1 where `rate` is not.
      padding: "SAME", "VALID", or a list of (before, after) for each dimension.
      rate: d, one int per spatial dimension.
      name: of the node.
      data_format: "NHWC" or "NCHW".
      dilations: another name of `rate`.
    Returns:
      `[N, H', W', C·M]` (`[N, C·M, H', W']`), dtype of `input`.
    Raises:
      ValueError: ranks or channels do not fit, or the window is larger than the padded input.

    >>> import featherflow as tf
    >>> image, filters = tf.ones([1, 3, 3, 2]), tf.ones([3, 3, 2, 1])
    >>> with tf.Session() as sess:
    ...     sess.run(tf.nn.depthwise_conv2d(image, filters, [1, 1, 1, 1], "VALID")).tolist()
    [[[[9.0, 9.0]]]]
    """
    rate = renamed_argument("dilations", dilations, "rate", rate)
    with op_scope(name, "depthwise", [input, filter]) as scope:
        input = convert_to_tensor(input, name="tensor_in")
        filter = convert_to_tensor(filter, name="filter_in")
        return _dilated_depthwise(input, filter, strides, padding, rate, data_format, scope)


@export("nn.depthwise_conv2d")
def depthwise_conv2d_v2(
    input: Any,
    filter: Any,
    strides: Sequence[int],
    padding: Any,
    data_format: str | None = None,
    dilations: Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """`depthwise_conv2d` with TF2's arguments."""
    return depthwise_conv2d(input, filter, strides, padding, dilations, name, data_format)


def _dilated_depthwise(
    input: Tensor,
    filter: Tensor,
    strides: Sequence[int],
    padding: Any,
    rate: Sequence[int] | None,
    data_format: str | None,
    name: str,
) -> Tensor:
    layout = data_format or "NHWC"
    return with_space_to_batch(
        input,
        [1, 1] if rate is None else rate,
        padding,
        [2, 3] if is_channels_first(layout) else [1, 2],
        lambda image, image_padding: depthwise_conv2d_native(
            image, filter, strides, image_padding, layout, name=name
        ),
        filter_shape=shape(filter),
    )


@export_v1("nn.separable_conv2d")
def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Sequence[int],
    padding: Any,
    rate: Sequence[int] | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Sequence[int] | None = None,
) -> Tensor:
    """A depthwise convolution, followed by a 1×1 convolution that mixes its channels.

    Args:
      input: `[N, H, W, C]`, or `[N, C, H, W]` with `data_format="NCHW"`.
      depthwise_filter: `[KH, KW, C, M]`.
      pointwise_filter: `[1, 1, C·M, K]`.
      strides, padding, rate, data_format, dilations: of the depthwise convolution.
      name: of the node.
    Returns:
      `[N, H', W', K]` (`[N, K, H', W']`), dtype of `input`.
    Raises:
      ValueError: shapes do not fit.

    See: Chollet 2017, "Xception", section 1.
    """
    rate = renamed_argument("dilations", dilations, "rate", rate)
    with op_scope(name, "separable_conv2d", [input, depthwise_filter, pointwise_filter]) as scope:
        input = convert_to_tensor(input, name="tensor_in")
        depthwise_filter = convert_to_tensor(depthwise_filter, name="depthwise_filter")
        pointwise_filter = convert_to_tensor(pointwise_filter, name="pointwise_filter")
        pointwise_filter.shape.with_rank(4)[:2].assert_is_compatible_with([1, 1])
        depthwise = _dilated_depthwise(
            input, depthwise_filter, strides, padding, rate, data_format, "depthwise"
        )
        return Conv2D(
            depthwise,
            pointwise_filter,
            strides=[1, 1, 1, 1],
            padding="VALID",
            data_format=data_format or "NHWC",
            name=scope,
        )


@export("nn.separable_conv2d")
def separable_conv2d_v2(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Sequence[int],
    padding: Any,
    data_format: str | None = None,
    dilations: Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """`separable_conv2d` with TF2's arguments."""
    return separable_conv2d(
        input,
        depthwise_filter,
        pointwise_filter,
        strides,
        padding,
        dilations,
        name,
        data_format,
    )

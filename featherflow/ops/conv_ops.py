"""2-D convolution: the op Conv2D, its two gradients, and `tf.nn.conv2d`.

Each op is one block: contract, static shape, kernel, gradient, public function. The arithmetic is
in `kernels/conv.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import Dim, InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import conv
from featherflow.kernels.windows import (
    channels_last,
    from_channels_last,
    shape_channels_last,
    spatial_geometry,
)
from featherflow.ops.batch_dims import known_rank, squeeze_batch_dims
from featherflow.ops.reshape_ops import renamed_argument
from featherflow.ops.shape_ops import shape_n
from featherflow.ops.type_groups import FLOATS
from featherflow.ops.window_shapes import (
    attrs_of,
    image_dims,
    image_shape,
    per_dimension,
    sizes_as_shape,
    split_padding,
    windowed_dims,
)

_GEOMETRY_ATTRS = (
    "strides: list(int)",
    "use_cudnn_on_gpu: bool = true",
    "padding: {'SAME', 'VALID', 'EXPLICIT'}",
    "explicit_paddings: list(int) = []",
    "data_format: {'NHWC', 'NCHW'} = 'NHWC'",
    "dilations: list(int) = [1, 1, 1, 1]",
)
_GEOMETRY = tuple(spec.split(":")[0] for spec in _GEOMETRY_ATTRS)

# --- Conv2D ---------------------------------------------------------------------------------------

Conv2D = define_op(
    "Conv2D",
    inputs=("input: T", "filter: T"),
    outputs=("output: T",),
    attrs=("T: {half, bfloat16, float, double, int32}", *_GEOMETRY_ATTRS),
)


@Conv2D.shape_fn
def _conv2d_shape(c: InferenceContext) -> TensorShape:
    batch, sizes, channels = image_dims(c, 0)
    *window, depth, output_channels = c.dims(1, 4)
    outputs = windowed_dims(c, sizes, window)
    check_channels(c, channels, depth, output_channels)
    return image_shape(c, batch, outputs, output_channels)


def check_channels(c: InferenceContext, channels: Dim, depth: Dim, output_channels: Dim) -> None:
    """Refuses channels that filters of this depth do not divide into groups.

    Args:
      channels: of the image.
      depth: the channels that a filter takes; the others are for other groups of filters.
      output_channels: how many filters there are.
    """
    if channels is None or depth is None:
        return
    if not depth:
        c.fail("Depth of filter must not be 0", received=c.received())
    groups, remainder = divmod(channels, depth)
    if remainder:
        c.fail(
            f"Depth of input ({channels}) is not a multiple of input depth of filter ({depth})",
            received=c.received(),
            expected=f"filter [KH, KW, {channels}, K], or a divisor of {channels} for groups",
        )
    if not groups:
        c.fail("Number of groups must not be 0", received=c.received())
    if output_channels is not None and output_channels % groups:
        c.fail(
            f"Depth of output ({output_channels}) is not a multiple of the number of groups "
            f"({groups})",
            received=c.received(),
        )


@Conv2D.kernel("CPU", T=(*FLOATS, dtypes.int32))
def _conv2d_cpu(
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
    if 0 in filter.shape[:2]:
        raise InvalidArgumentError(
            None, None, "The window must not be empty", received=f"filter {list(filter.shape)}"
        )
    geometry = spatial_geometry(
        image.shape, filter.shape[:2], strides, padding, explicit_paddings, data_format, dilations
    )
    return from_channels_last(conv.convolve(image, filter, *geometry), data_format)


@Conv2D.compile_rule
def _conv2d_compile(
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
    return c.from_channels_last(c.convolution(image, filter, *geometry), data_format)


@Conv2D.gradient
def _conv2d_grad(op: Any, grad: Tensor) -> list[Tensor]:
    input, filter = op.inputs
    input_shape, filter_shape = shape_n([input, filter])
    geometry = attrs_of(op, *_GEOMETRY)
    return [
        Conv2DBackpropInput(input_shape, filter, grad, **geometry),
        Conv2DBackpropFilter(input, filter_shape, grad, **geometry),
    ]


@export_v1("nn.conv2d")
def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Computes a 2-D convolution (in fact a cross-correlation) of `input` with `filter`.

        output[n, i, j, k] = Σ_{p, q, c} input[n, s·i + d·p, s·j + d·q, c] · filter[p, q, c, k]

    Args:
      input: `[N, H, W, C]`, or `[N, C, H, W]` with `data_format="NCHW"`; float16, bfloat16,
        float32, float64 or int32. There may be more batch dimensions than one.
      filter: `[KH, KW, C / G, K]`, dtype of `input`; with G > 1 the channels form G groups, each
        convolved with its own K / G filters.
      strides: s; one int, one per spatial dimension, or one per dimension. Positive.
      padding: "SAME" (zeros; output ⌈H / s⌉), "VALID" (none; output ⌈(H − (KH − 1)·d) / s⌉), or a
        list of (before, after) for each dimension.
      use_cudnn_on_gpu: accepted.
      data_format: "NHWC" or "NCHW".
      dilations: d; forms as for `strides`.
      name: of the node.
      filters: another name of `filter`.
    Returns:
      `[N, H', W', K]` (`[N, K, H', W']`), dtype of `input`.
    Raises:
      ValueError: ranks or channels do not fit, a stride is not positive, or the window is larger
        than the padded input.

    Gradient: Conv2DBackpropInput for `input`, Conv2DBackpropFilter for `filter`.
    See: Dumoulin & Visin 2016, section 2, for the arithmetic of padding and strides.

    >>> import featherflow as tf
    >>> image = tf.ones([1, 3, 3, 1])
    >>> tf.nn.conv2d(image, tf.ones([2, 2, 1, 1]), strides=1, padding="VALID").shape
    TensorShape([Dimension(1), Dimension(2), Dimension(2), Dimension(1)])
    """
    filter = renamed_argument("filters", filters, "filter", filter)
    padding, explicit_paddings = split_padding(padding)
    data_format = data_format or "NHWC"
    attrs = {
        "strides": per_dimension(strides, "strides", data_format),
        "padding": padding,
        "explicit_paddings": explicit_paddings,
        "use_cudnn_on_gpu": use_cudnn_on_gpu,
        "data_format": data_format,
        "dilations": per_dimension(dilations, "dilations", data_format),
    }
    if (known_rank(input) or 4) <= 4:
        return Conv2D(input, filter, **attrs, name=name)
    return squeeze_batch_dims(input, lambda images: Conv2D(images, filter, **attrs), 3, name)


@export("nn.conv2d")
def conv2d_v2(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """`conv2d` with TF2's arguments."""
    return conv2d(input, filters, strides, padding, True, data_format, dilations, name)


# --- Conv2DBackpropInput --------------------------------------------------------------------------

Conv2DBackpropInput = define_op(
    "Conv2DBackpropInput",
    inputs=("input_sizes: int32", "filter: T", "out_backprop: T"),
    outputs=("output: T",),
    attrs=("T: {half, bfloat16, float, double, int32}", *_GEOMETRY_ATTRS),
)


@Conv2DBackpropInput.shape_fn
def _conv2d_backprop_input_shape(c: InferenceContext) -> TensorShape:
    sizes = c.constant_as_shape(0)._dims
    *_, depth, output_channels = c.dims(1, 4)
    batch, _, channels = image_dims(c, 2)
    c.merge_dim(channels, output_channels)
    if sizes is None:
        return TensorShape._of((batch, None, None, None))
    if len(sizes) == 2:  # the spatial sizes alone
        return image_shape(c, batch, sizes, depth)
    if len(sizes) != 4:
        c.fail(
            "input_sizes must hold 4 values, or the 2 spatial ones",
            received=f"{len(sizes)} values",
        )
    c.merge_dim(sizes[0], batch)
    return TensorShape._of((batch, *sizes[1:]))


@Conv2DBackpropInput.kernel("CPU", T=(*FLOATS, dtypes.int32))
def _conv2d_backprop_input_cpu(
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
    sizes = input_sizes.tolist()
    if len(sizes) == 2:  # the spatial sizes alone
        shape = (gradient.shape[0], *sizes, filter.shape[2])
    else:
        shape = shape_channels_last(sizes, data_format)
    geometry = spatial_geometry(
        shape, filter.shape[:2], strides, padding, explicit_paddings, data_format, dilations
    )
    result = conv.convolve_backprop_input(shape, filter, gradient, *geometry)
    return from_channels_last(result, data_format)


@Conv2DBackpropInput.gradient
def _conv2d_backprop_input_grad(op: Any, grad: Tensor) -> list[Tensor | None]:
    _, filter, out_backprop = op.inputs
    geometry = attrs_of(op, *_GEOMETRY)
    (filter_shape,) = shape_n([filter])
    return [
        None,
        Conv2DBackpropFilter(grad, filter_shape, out_backprop, **geometry),
        Conv2D(grad, filter, **geometry),
    ]


@export_v1("nn.conv2d_backprop_input")
def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """The gradient of `conv2d` with respect to its input.

    Args:
      input_sizes: the shape of the input, int32 `[4]`.
      filter: as for `conv2d`.
      out_backprop: the gradient of the output.
      strides, padding, use_cudnn_on_gpu, data_format, dilations, name, filters: as for `conv2d`.
    Returns:
      A tensor of shape `input_sizes`.
    """
    padding, explicit_paddings = split_padding(padding)
    return Conv2DBackpropInput(
        input_sizes,
        renamed_argument("filters", filters, "filter", filter),
        out_backprop,
        strides=per_dimension(strides, "strides", data_format),
        padding=padding,
        explicit_paddings=explicit_paddings,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format,
        dilations=per_dimension(dilations, "dilations", data_format),
        name=name,
    )


# --- Conv2DBackpropFilter -------------------------------------------------------------------------

Conv2DBackpropFilter = define_op(
    "Conv2DBackpropFilter",
    inputs=("input: T", "filter_sizes: int32", "out_backprop: T"),
    outputs=("output: T",),
    attrs=("T: {half, bfloat16, float, double}", *_GEOMETRY_ATTRS),
)


@Conv2DBackpropFilter.shape_fn
def _conv2d_backprop_filter_shape(c: InferenceContext) -> TensorShape:
    return sizes_as_shape(c, 1)


@Conv2DBackpropFilter.kernel("CPU", T=FLOATS)
def _conv2d_backprop_filter_cpu(
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
    shape = tuple(filter_sizes.tolist())
    geometry = spatial_geometry(
        image.shape, shape[:2], strides, padding, explicit_paddings, data_format, dilations
    )
    return conv.convolve_backprop_filter(image, shape, gradient, *geometry)


@Conv2DBackpropFilter.gradient
def _conv2d_backprop_filter_grad(op: Any, grad: Tensor) -> list[Tensor | None]:
    input, _, out_backprop = op.inputs
    geometry = attrs_of(op, *_GEOMETRY)
    (input_shape,) = shape_n([input])
    return [
        Conv2DBackpropInput(input_shape, grad, out_backprop, **geometry),
        None,
        Conv2D(input, grad, **geometry),
    ]


@export_v1("nn.conv2d_backprop_filter")
def conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv2d` with respect to its filter.

    Args:
      input: as for `conv2d`.
      filter_sizes: the shape of the filter, int32 `[4]`.
      out_backprop: the gradient of the output.
      strides, padding, use_cudnn_on_gpu, data_format, dilations, name: as for `conv2d`.
    Returns:
      A tensor of shape `filter_sizes`.
    """
    padding, explicit_paddings = split_padding(padding)
    return Conv2DBackpropFilter(
        input,
        filter_sizes,
        out_backprop,
        strides=per_dimension(strides, "strides", data_format),
        padding=padding,
        explicit_paddings=explicit_paddings,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format,
        dilations=per_dimension(dilations, "dilations", data_format),
        name=name,
    )

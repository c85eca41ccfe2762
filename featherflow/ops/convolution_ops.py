"""Convolution of sequences, and of any number of spatial dimensions with any dilation.

They are made of Conv2D and Conv3D; a sequence is an image one pixel high.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels.windows import is_channels_first
from featherflow.ops.batch_dims import squeeze_batch_dims
from featherflow.ops.conv3d_ops import Conv3D
from featherflow.ops.conv_ops import Conv2D
from featherflow.ops.dilated_windows import with_space_to_batch
from featherflow.ops.reshape_ops import expand_dims, renamed_argument, squeeze
from featherflow.ops.window_shapes import per_dimension

_LAYOUTS_OF_SEQUENCES = {None: "NWC", "NHWC": "NWC", "NWC": "NWC", "NCHW": "NCW", "NCW": "NCW"}

# --- one spatial dimension ------------------------------------------------------------------------


@export_v1("nn.conv1d")
def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: str | None = None,
    use_cudnn_on_gpu: bool | None = None,
    data_format: str | None = None,
    name: str | None = None,
    input: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Convolves a sequence with filters.

        output[n, i, k] = Σ_{p, c} value[n, s·i + d·p, c] · filters[p, c, k]

    Args:
      value: `[N, W, C]`, or `[N, C, W]` with `data_format="NCW"`. There may be more batch
        dimensions than one.
      filters: `[K, C, M]`, dtype of `value`.
      stride: s; an int, `[s]`, or one per dimension.
      padding: "SAME" or "VALID".
      use_cudnn_on_gpu: accepted.
      data_format: "NWC" or "NCW".
      name: of the node.
      input: another name of `value`.
      dilations: d; forms as for `stride`.
    Returns:
      `[N, W', M]` (`[N, M, W']`), dtype of `value`.
    Raises:
      ValueError: ranks or channels do not fit, or a stride is not positive.
    """
    value = renamed_argument("input", input, "value", value)
    with op_scope(name, "conv1d", [value, filters]) as scope:
        layout = _LAYOUTS_OF_SEQUENCES.get(data_format)
        if layout is None:
            raise ValueError(f"`data_format` must be NWC or NCW. Received: {data_format}")
        height = -2 if layout == "NCW" else -3
        images = expand_dims(value, height)
        rows = expand_dims(filters, 0)
        convolved = _convolve(
            Conv2D,
            images,
            rows,
            scope,
            strides=[1, *per_dimension(stride, "stride", layout, 1)],
            padding=padding,
            use_cudnn_on_gpu=use_cudnn_on_gpu,
            data_format="NCHW" if layout == "NCW" else "NHWC",
            dilations=[1, *per_dimension(dilations, "dilations", layout, 1)],
        )
        return squeeze(convolved, [height])


def _convolve(op: Any, input: Tensor, filters: Any, scope: str, **attrs: Any) -> Tensor:
    """Applies Conv2D or Conv3D to an input that may have several batch dimensions."""
    rank = len(attrs["strides"])
    if (input.shape.rank or rank) <= rank:
        return op(input, filters, **attrs, name=scope)
    return squeeze_batch_dims(input, lambda images: op(images, filters, **attrs), rank - 1, scope)


@export("nn.conv1d")
def conv1d_v2(
    input: Any,
    filters: Any,
    stride: Any,
    padding: str,
    data_format: str | None = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """`conv1d` with TF2's arguments."""
    return conv1d(
        input, filters, stride, padding, data_format=data_format, name=name, dilations=dilations
    )


# --- any number of spatial dimensions -------------------------------------------------------------


@export_v1("nn.convolution")
def convolution(
    input: Any,
    filter: Any,
    padding: str,
    strides: Any = None,
    dilation_rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Convolves a sequence, an image or a volume with filters.

        output[n, i…, k] = Σ_{p…, c} input[n, s·i + d·p …, c] · filter[p…, c, k]

    Args:
      input: batch, one to three spatial dimensions, channels; or channels before the spatial ones
        with a `data_format` that starts with "NC". There may be more batch dimensions than one.
      filter: spatial sizes, channels C, filters K.
      padding: "SAME" or "VALID".
      strides: s; one int, or one per spatial dimension. All 1 where a dilation is not.
      dilation_rate: d; forms as for `strides`.
      name: of the node.
      data_format: see `input`.
      filters: another name of `filter`.
      dilations: another name of `dilation_rate`.
    Returns:
      A tensor in the layout of `input`.
    Raises:
      ValueError: ranks, channels, strides or dilations do not fit.

    >>> import featherflow as tf
    >>> sequence = tf.reshape([1.0, 2.0, 3.0, 4.0, 5.0], [1, 5, 1])
    >>> with tf.Session() as sess:
    ...     y = tf.nn.convolution(sequence, tf.ones([2, 1, 1]), "VALID", dilation_rate=[3])
    ...     sess.run(y).ravel().tolist()
    [5.0, 7.0]
    """
    filters = renamed_argument("filters", filters, "filter", filter)
    rates = renamed_argument("dilations", dilations, "dilation_rate", dilation_rate)
    filters, input = _as_tensor(filters, "filters"), _as_tensor(input, "input")
    with op_scope(name, "convolution", [input, filters]) as scope:
        count = _spatial_count(input, filters)
        layout = data_format or ("NWC", "NHWC", "NDHWC")[count - 1]
        steps = per_dimension(strides, "strides", layout, count)
        rates = per_dimension(rates, "dilations", layout, count)
        apply = _convolution_of(count, filters, steps, layout, scope)
        if all(rate == 1 for rate in rates):
            return apply(input, padding)
        first = 2 if is_channels_first(layout) else 1
        spatial = range(first, first + count)
        if any(step > 1 for step in steps):
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
                f"strides={strides} and dilation_rate={dilation_rate}"
            )
        rates = [rates[axis] for axis in spatial]
        result = with_space_to_batch(input, rates, padding, spatial, apply, filters.shape)
        if first == 2:  # batch_to_space does not know that channels between are left alone
            result.set_shape([None, filters.shape[-1], *[None] * count])
        return result


def _as_tensor(value: Any, name: str) -> Tensor:
    if isinstance(getattr(value, "shape", None), TensorShape):
        return convert_to_tensor(value)
    with op_scope(None, "convolution_internal"):
        return convert_to_tensor(value, name=name)


def _spatial_count(input: Tensor, filters: Tensor) -> int:
    """How many spatial dimensions there are."""
    rank = input.shape.rank if filters.shape.rank is None else filters.shape.rank
    if rank is None:
        raise ValueError(
            "The rank of `input` or of `filters` must be known. Received: "
            f"input={input} and filters={filters}"
        )
    if rank - 2 not in (1, 2, 3):
        raise ValueError(f"There must be 1, 2 or 3 spatial dimensions. Received: {rank - 2}")
    return rank - 2


def _convolution_of(
    count: int, filters: Tensor, steps: list[int], layout: str, scope: str
) -> Callable[[Tensor, Any], Tensor]:
    """The convolution with `count` spatial dimensions, as a function of image and padding."""
    if count == 1:
        return lambda input, padding: conv1d(
            input, filters, steps, padding, data_format=layout, name=scope
        )
    op = Conv2D if count == 2 else Conv3D
    return lambda input, padding: _convolve(
        op, input, filters, scope, strides=steps, padding=padding, data_format=layout
    )


@export("nn.convolution")
def convolution_v2(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: str = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """`convolution` with TF2's arguments."""
    return convolution(input, filters, padding, strides, dilations, name, data_format)


@export("nn.atrous_conv2d")
def atrous_conv2d(
    value: Any, filters: Any, rate: Any, padding: str, name: str | None = None
) -> Tensor:
    """Convolves an image with dilated filters.

        output[n, i, j, k] = Σ_{p, q, c} value[n, i + rate·p, j + rate·q, c] · filters[p, q, c, k]

    Args:
      value: `[N, H, W, C]`.
      filters: `[KH, KW, C, K]`.
      rate: the dilation, an int.
      padding: "SAME" or "VALID".
      name: of the node.
    Returns:
      `[N, H', W', K]`, dtype of `value`.
    """
    return convolution(
        value, filters, padding, dilation_rate=np.broadcast_to(rate, 2).tolist(), name=name
    )

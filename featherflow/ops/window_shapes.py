"""What ops with sliding windows share: their arguments, and the static sizes of their outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework.shape_inference import Dim, InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.kernels.windows import (
    Pads,
    effective_size,
    is_channels_first,
    paired,
    spatial_of,
    spatial_pads,
)


def window_dim(
    c: InferenceContext,
    size: Dim,
    window: Dim,
    stride: int,
    dilation: int,
    padding: str,
    pads: tuple[int, int] = (0, 0),
) -> Dim:
    """The static number of windows along one dimension.

    Raises:
      ShapeInferenceError: a stride is not positive, or the window is larger than the input.
    """
    if stride <= 0:
        c.fail("Strides must be > 0", received=f"stride {stride}")
    if size is None or (window is None and padding != "SAME"):
        return None
    if padding == "SAME":
        return -(-size // stride)
    room = pads[0] + size + pads[1] - effective_size(window or 0, dilation)
    if room < 0:
        c.fail(
            f"A window of {effective_size(window or 0, dilation)} is larger than the padded "
            f"dimension of {pads[0] + size + pads[1]}",
            received=c.received(),
        )
    return room // stride + 1


def image_dims(c: InferenceContext, index: int, rank: int = 4) -> tuple[Dim, list[Dim], Dim]:
    """Batch, spatial sizes and channels of input `index`, an image in the node's layout."""
    batch, *rest = c.dims(index, rank)
    if is_channels_first(c.attrs["data_format"]):
        return batch, rest[1:], rest[0]
    return batch, rest[:-1], rest[-1]


def image_shape(
    c: InferenceContext, batch: Dim, sizes: Sequence[Dim], channels: Dim
) -> TensorShape:
    """The shape of an image in the node's layout."""
    if is_channels_first(c.attrs["data_format"]):
        return TensorShape._of((batch, channels, *sizes))
    return TensorShape._of((batch, *sizes, channels))


def windowed_dims(c: InferenceContext, sizes: Sequence[Dim], window: Sequence[Dim]) -> list[Dim]:
    """The static sizes of what a window makes of the spatial dimensions of an image.

    Raises:
      ShapeInferenceError: an attribute has not one entry per dimension, a stride or dilation is not
        positive, paddings do not fit, or the window is larger than the padded image.
    """
    rank, data_format = len(sizes) + 2, c.attrs["data_format"]
    for name in ("strides", "dilations"):
        if len(c.attrs[name]) != rank:
            c.fail(
                f"{c.op.name} requires {rank} values in the attribute {name}",
                received=c.attrs[name],
            )
    if any(dilation <= 0 for dilation in c.attrs["dilations"]):
        c.fail("Dilations must be > 0", received=f"dilations {c.attrs['dilations']}")
    pads = spatial_of(explicit_pads(c, rank), data_format)
    strides = spatial_of(c.attrs["strides"], data_format)
    dilations = spatial_of(c.attrs["dilations"], data_format)
    return [
        window_dim(c, size, taps, stride, dilation, c.attrs["padding"], pair)
        for size, taps, stride, dilation, pair in zip(sizes, window, strides, dilations, pads)
    ]


def explicit_pads(c: InferenceContext, rank: int = 4) -> Pads:
    """The pairs (before, after) of each dimension that `explicit_paddings` holds, else (0, 0).

    Raises:
      ShapeInferenceError: there are not as many as dimensions, or they cannot be padded so.
    """
    explicit = c.attrs.get("explicit_paddings", ())
    is_explicit = c.attrs["padding"] == "EXPLICIT"
    if len(explicit) != (2 * rank if is_explicit else 0):
        c.fail(
            f"explicit_paddings must hold {2 * rank} values where padding is EXPLICIT, and none "
            "otherwise",
            received=f"{len(explicit)} values with padding {c.attrs['padding']}",
        )
    if not is_explicit:
        return ((0, 0),) * rank
    spatial_pads(explicit, c.attrs["data_format"])
    return paired(explicit)


def sizes_as_shape(c: InferenceContext, index: int, rank: int = 4) -> TensorShape:
    """The shape that input `index`, a vector of sizes, states; it must hold `rank` of them."""
    shape = c.constant_as_shape(index)
    if shape._dims is None:
        return TensorShape._of((None,) * rank)
    if len(shape._dims) != rank:
        c.fail(
            f"{c.input_name(index)} must hold {rank} values", received=f"{len(shape._dims)} values"
        )
    return shape


def attrs_of(op: Any, *names: str) -> dict[str, Any]:
    """The attributes that an op shares with its gradients."""
    return {name: op.attrs[name] for name in names}


def per_dimension(value: Any, argument: str, data_format: str, spatial: int = 2) -> list[int]:
    """Strides, dilations or windows with one entry per dimension, from the forms users give.

    Args:
      value: one int, one per spatial dimension, or one per dimension; None is 1.
    Raises:
      ValueError: another number of entries.
    """
    value = 1 if value is None else value
    values = list(value) if isinstance(value, Sequence) or hasattr(value, "__iter__") else [value]
    if len(values) == spatial + 2:
        return values
    if len(values) not in (1, spatial):
        raise ValueError(
            f"{argument} should be of length 1, {spatial} or {spatial + 2}. Received: "
            f"{argument}={value} of length {len(values)}"
        )
    inner = values * spatial if len(values) == 1 else values
    return [1, 1, *inner] if is_channels_first(data_format) else [1, *inner, 1]


def split_padding(padding: Any, spatial: int = 2) -> tuple[str, list[int]]:
    """`"SAME"`, `"VALID"`, or a list of (before, after) for each dimension, as two attributes.

    Raises:
      ValueError: the list has another form.
    """
    if padding == "EXPLICIT":
        raise ValueError(
            "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` "
            "must be a list."
        )
    if not isinstance(padding, (list, tuple)):
        return padding, []
    if len(padding) != spatial + 2:
        raise ValueError(
            f"When padding is a list, it must be of size {spatial + 2}. Received: "
            f"padding={padding} of size {len(padding)}"
        )
    for pair in padding:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise ValueError(
                "When padding is a list, each element must be a pair (before, after). Received: "
                f"padding={padding}"
            )
    return "EXPLICIT", [int(amount) for pair in padding for amount in pair]

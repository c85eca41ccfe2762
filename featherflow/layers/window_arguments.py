"""Arguments of layers that slide windows: sizes for each dimension, paddings, layouts."""

from __future__ import annotations

from typing import Any

from featherflow.layers.core_layers import layout_of

_LAYOUTS = {
    "channels_last": ("NWC", "NHWC", "NDHWC"),
    "channels_first": ("NCW", "NCHW", "NCDHW"),
}


def per_dimension(value: Any, count: int, name: str, least: int = 1) -> tuple[int, ...]:
    """`value` for each of `count` dimensions: one integer for all, or one for each.

    Raises:
      ValueError: it is neither, or smaller than `least`.
    """
    try:
        sizes = (value,) * count if isinstance(value, int) else tuple(value)
        result = tuple(int(size) for size in sizes)
    except (TypeError, ValueError):
        result = ()
    if len(result) != count or any(size < least for size in result):
        raise ValueError(
            f"The `{name}` argument must be a tuple of {count} integers of at least {least}. "
            f"Received: {value!r}"
        )
    return result


def padding_of(padding: str) -> str:
    """ "valid" or "same", in small letters.

    Raises:
      ValueError: it is neither.
    """
    result = padding.lower()
    if result not in ("valid", "same"):
        raise ValueError(
            f'The `padding` argument must be one of "valid", "same". Received: {padding}'
        )
    return result


def op_layout(data_format: str, count: int) -> str:
    """The layout that ops name, "NHWC" or "NCHW" for two spatial dimensions."""
    return _LAYOUTS[layout_of(data_format)][count - 1]


def windowed(data_format: str, spatial: tuple[int, ...]) -> tuple[int, ...]:
    """Sizes of a window for all dimensions of a batch: 1 for batch and channels."""
    if data_format == "channels_first":
        return (1, 1, *spatial)
    return (1, *spatial, 1)

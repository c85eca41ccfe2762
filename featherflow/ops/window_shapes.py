"""What ops with sliding windows share: their arguments, and the static sizes of their outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.shape_inference import Dim, InferenceContext
from featherflow.kernels.windows import is_channels_first, output_size


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
        c.fail(f"Stride must be > 0, but got {stride}", received=f"strides {c.attrs['strides']}")
    if size is None or (window is None and padding != "SAME"):
        return None
    if padding == "SAME":
        return -(-size // stride)
    before, after = pads if padding == "EXPLICIT" else (0, 0)
    try:
        return output_size(size, window or 0, stride, dilation, before, after)
    except InvalidArgumentError as error:
        c.fail(error.message, received=c.received())


def per_dimension(value: Any, argument: str, data_format: str, spatial: int = 2) -> list[int]:
    """Strides, dilations or windows with one entry per dimension, from the forms users give.

    Args:
      value: one int, one per spatial dimension, or one per dimension.
    Raises:
      ValueError: another number of entries.
    """
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

"""Pooling of any number of spatial dimensions: `tf.nn.max_pool`, `avg_pool`, their 1-D forms.

They are made of the 2-D and 3-D ops; a sequence is an image one pixel high. `tf.nn.pool` also takes
dilations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels.windows import is_channels_first
from featherflow.ops.avg_pool_ops import AvgPool, avg_pool
from featherflow.ops.dilated_windows import with_space_to_batch
from featherflow.ops.max_pool_ops import MaxPool, max_pool2d
from featherflow.ops.pool3d_ops import avg_pool3d, max_pool3d
from featherflow.ops.reshape_ops import expand_dims, renamed_argument, squeeze
from featherflow.ops.window_shapes import per_dimension, split_padding

# --- one spatial dimension ------------------------------------------------------------------------


@export("nn.max_pool1d")
def max_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NWC",
    name: str | None = None,
) -> Tensor:
    """The maximum of each window of a sequence.

    Args:
      input: `[N, W, C]`, or `[N, C, W]` with `data_format="NCW"`; real numbers.
      ksize: the window; an int, `[window]`, or one per dimension.
      strides: forms as for `ksize`.
      padding: "SAME", "VALID", or a list of (before, after) for each dimension.
      data_format: "NWC" or "NCW".
      name: of the node.
    Returns:
      `[N, W', C]` (`[N, C, W']`), dtype of `input`.
    Raises:
      ValueError: rank or windows do not fit, or a stride is not positive.
    """
    with op_scope(name, "MaxPool1d", [input]) as scope:
        padding, explicit_paddings = split_padding(padding, spatial=1)
        data_format = data_format or "NWC"
        if explicit_paddings:
            place = _height_axis(data_format) * 2
            explicit_paddings[place:place] = [0, 0]
        return _pool_row(
            MaxPool,
            input,
            ksize,
            strides,
            data_format,
            scope,
            padding=padding,
            explicit_paddings=explicit_paddings,
        )


@export("nn.avg_pool1d")
def avg_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of a sequence, over the elements that are not padding.

    Args:
      input: `[N, W, C]`, or `[N, C, W]` with `data_format="NCW"`; floats.
      ksize, strides, data_format, name: as for `max_pool1d`.
      padding: "SAME" or "VALID".
    Returns:
      `[N, W', C]` (`[N, C, W']`), dtype of `input`.
    Raises:
      ValueError: rank or windows do not fit, or a stride is not positive.
    """
    with op_scope(name, "AvgPool1D", [input]) as scope:
        return _pool_row(
            AvgPool, input, ksize, strides, data_format or "NWC", scope, padding=padding
        )


def _height_axis(data_format: str) -> int:
    """Where a sequence becomes an image one pixel high."""
    return 2 if is_channels_first(data_format) else 1


def _pool_row(
    pool: Any, input: Any, ksize: Any, strides: Any, data_format: str, scope: str, **attrs: Any
) -> Tensor:
    axis = _height_axis(data_format)
    window = per_dimension(ksize, "ksize", data_format, spatial=1)
    steps = per_dimension(strides, "strides", data_format, spatial=1)
    pooled = pool(
        expand_dims(input, axis),
        ksize=[*window[:axis], 1, *window[axis:]],
        strides=[*steps[:axis], 1, *steps[axis:]],
        data_format="NCHW" if axis == 2 else "NHWC",
        name=scope,
        **attrs,
    )
    return squeeze(pooled, [axis])


# --- the number of dimensions decides -------------------------------------------------------------


@export_v1("nn.max_pool_v2")
@export("nn.max_pool")
def max_pool_v2(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The maximum of each window of a sequence, an image or a volume.

    Args:
      input: of rank 3, 4 or 5: batch, one to three spatial dimensions, channels.
      ksize, strides, padding, data_format, name: as for `max_pool1d`, `max_pool2d`, `max_pool3d`.
    Raises:
      ValueError: the rank is another, or not known.
    """
    input = input if hasattr(input, "shape") else convert_to_tensor(input, name="input")
    pool = _pool_of_rank(len(input.shape), (max_pool1d, max_pool2d, max_pool3d))
    return pool(input, ksize, strides, padding, data_format, name)


@export_v1("nn.avg_pool_v2")
@export("nn.avg_pool")
def avg_pool_v2(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The mean of each window of a sequence, an image or a volume.

    Args:
      input: of rank 3, 4 or 5: batch, one to three spatial dimensions, channels.
      ksize, strides, padding, data_format, name: as for `avg_pool1d`, `avg_pool2d`, `avg_pool3d`.
    Raises:
      ValueError: the rank is another, or not known.
    """
    input = input if hasattr(input, "shape") else convert_to_tensor(input, name="input")
    pool = _pool_of_rank(len(input.shape), (avg_pool1d, avg_pool, avg_pool3d))
    return pool(input, ksize, strides, padding, data_format, name)


def _pool_of_rank(rank: int, pools: tuple[Callable[..., Tensor], ...]) -> Callable[..., Tensor]:
    if rank not in (3, 4, 5):
        raise ValueError(f"The rank of input must be 3, 4 or 5. Received: rank {rank}.")
    return pools[rank - 3]


# --- any pool with dilations ----------------------------------------------------------------------

_POOLS = {
    "MAX": (max_pool1d, max_pool2d, max_pool3d),
    "AVG": (avg_pool1d, avg_pool, avg_pool3d),
}
_LAYOUTS = (("NWC", "NCW"), ("NHWC", "NCHW"), ("NDHWC", "NCDHW"))


@export_v1("nn.pool")
def pool(
    input: Any,
    window_shape: Sequence[int],
    pooling_type: str,
    padding: Any,
    dilation_rate: Any = None,
    strides: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """The maximum or mean of each window of a sequence, an image or a volume.

    Args:
      input: batch, one to three spatial dimensions, channels; or channels before the spatial ones
        with a `data_format` that starts with "NC".
      window_shape: one int per spatial dimension.
      pooling_type: "MAX" or "AVG".
      padding: "SAME" or "VALID"; "VALID" where a dilation is not 1.
      dilation_rate: the distance of a window's elements; one int per spatial dimension.
      strides: one int per spatial dimension, at most the window's; all 1 where a dilation is not.
      name: of the node.
      data_format: see `input`.
      dilations: another name of `dilation_rate`.
    Returns:
      A tensor in the layout of `input`.
    Raises:
      ValueError: rank, windows, strides or dilations do not fit.
    """
    rates = renamed_argument("dilations", dilations, "dilation_rate", dilation_rate)
    with op_scope(name, f"{pooling_type.lower()}_pool", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        count = len(window_shape)
        if count not in (1, 2, 3):
            raise ValueError(f"`window_shape` must hold 1, 2 or 3 ints. Received: {window_shape}")
        input.shape.assert_has_rank(count + 2)
        window, steps, rates = _checked_windows(window_shape, strides, rates, padding)
        if pooling_type not in _POOLS:
            raise ValueError(f"{count}-D {pooling_type} pooling is not supported.")
        reduce = _POOLS[pooling_type][count - 1]
        layout = _LAYOUTS[count - 1][0 if data_format is None else is_channels_first(data_format)]
        first = 2 if is_channels_first(layout) else 1
        return with_space_to_batch(
            input,
            rates,
            padding,
            range(first, first + count),
            lambda image, image_padding: reduce(image, window, steps, image_padding, layout, scope),
        )


def _checked_windows(
    window_shape: Sequence[int], strides: Any, rates: Any, padding: Any
) -> tuple[list[int], list[int], list[int]]:
    """Windows, strides and dilations as one int per spatial dimension, which fit each other."""
    window = list(window_shape)
    steps, rates = (
        [1] * len(window) if values is None else np.broadcast_to(values, len(window)).tolist()
        for values in (strides, rates)
    )
    if min(*steps, *rates) < 1:
        raise ValueError(
            f"`strides` and `dilation_rate` must be positive. Received: strides={strides} and "
            f"dilation_rate={rates}"
        )
    if any(step > taps for step, taps in zip(steps, window)):
        raise ValueError(
            f"`strides` > `window_shape` is not supported. Received: strides={strides} and "
            f"window_shape={window_shape}"
        )
    if max(rates) > 1 and (max(steps) > 1 or padding == "SAME"):
        raise ValueError(
            "A `dilation_rate` above 1 goes with strides of 1 and padding VALID. Received: "
            f"dilation_rate={rates}, strides={strides} and padding={padding}"
        )
    return window, steps, rates


@export("nn.pool")
def pool_v2(
    input: Any,
    window_shape: Sequence[int],
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """`pool` with TF2's order of arguments."""
    return pool(input, window_shape, pooling_type, padding, dilations, strides, name, data_format)

"""Dilated windows made of ordinary ones: space_to_batch, the op, batch_to_space.

With dilation d a window reads every d-th position, so the d² images that each hold one remainder
of the positions are independent. space_to_batch makes them images of a larger batch, on which the
op needs no dilation. TensorFlow builds `tf.nn.convolution`, `tf.nn.depthwise_conv2d` and
`tf.nn.pool` so, and so do we, node by node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.constant_value import constant_value
from featherflow.graph.tensor import Tensor
from featherflow.kernels.windows import paired
from featherflow.ops.core_array_ops import concat
from featherflow.ops.pack_ops import stack
from featherflow.ops.shape_ops import shape
from featherflow.ops.space_ops import batch_to_space_nd, space_to_batch_nd
from featherflow.ops.space_paddings import required_space_to_batch_paddings
from featherflow.ops.window_shapes import split_padding

#: Applies the op to an image, with a padding.
Apply = Callable[[Tensor, Any], Tensor]


def with_space_to_batch(
    input: Tensor,
    dilation_rate: Any,
    padding: Any,
    spatial_dims: Sequence[int],
    apply: Apply,
    filter_shape: Any = None,
) -> Tensor:
    """`apply`, dilated.

    Args:
      input: an image of any layout.
      dilation_rate: one int per spatial dimension; where all are 1, `apply` gets `input` itself.
      padding: "SAME", "VALID", or a list of (before, after) for each dimension.
      spatial_dims: the spatial dimensions of `input`, consecutive.
      filter_shape: of the window, spatial dimensions first; "SAME" needs it.
    Returns:
      What `apply` would return if it knew dilations.
    Raises:
      ValueError: a dilation is not positive, or the window's shape is not known.
    """
    rates = convert_to_tensor(dilation_rate, dtypes.int32, name="dilation_rate")
    known_rates = constant_value(rates)
    if known_rates is None or rates.shape.rank != 1:
        raise ValueError(f"`dilation_rate` must be a list of ints. Received: {dilation_rate}")
    if np.any(known_rates < 1):
        raise ValueError(
            f"all values of `dilation_rate` must be positive. Received: dilation_rate={known_rates}"
        )
    if np.all(known_rates == 1):
        return apply(input, padding)
    base_paddings = _base_paddings(padding, known_rates, spatial_dims, filter_shape)
    paddings, crops = required_space_to_batch_paddings(
        input_shape=_spatial_shape(input, spatial_dims),
        base_paddings=base_paddings,
        block_shape=rates,
    )
    paddings, crops = (_for_inner_dims(pairs, spatial_dims) for pairs in (paddings, crops))
    blocks = [1] * (spatial_dims[0] - 1) + known_rates.tolist()
    batched = space_to_batch_nd(input, block_shape=blocks, paddings=paddings)
    return batch_to_space_nd(apply(batched, "VALID"), block_shape=blocks, crops=crops)


def _base_paddings(
    padding: Any, rates: np.ndarray, spatial_dims: Sequence[int], filter_shape: Any
) -> Any:
    """The (before, after) of each spatial dimension that the padding means."""
    padding, explicit_paddings = split_padding(padding, spatial=len(spatial_dims))
    if padding == "VALID":
        return np.zeros([len(rates), 2], np.int32)
    if explicit_paddings:
        return np.array([paired(explicit_paddings)[axis] for axis in spatial_dims], np.int32)
    if padding != "SAME":
        raise ValueError(f"Invalid padding method {padding!r}: expected SAME, VALID or a list.")
    window = constant_value(convert_to_tensor(filter_shape, dtypes.int32, name="filter_shape"))
    if window is None:
        raise ValueError("Dilation with padding SAME needs a window of a known shape.")
    total = (window[: len(rates)] - 1) * rates
    before = total // 2
    return stack(np.stack([before, total - before], axis=1))


def _spatial_shape(input: Tensor, spatial_dims: Sequence[int]) -> Any:
    dims = input.shape.as_list() if input.shape.rank is not None else None
    if dims is not None and all(dims[axis] is not None for axis in spatial_dims):
        return [dims[axis] for axis in spatial_dims]
    sizes: Any = shape(input)
    return stack([sizes[axis] for axis in spatial_dims])


def _for_inner_dims(pairs: Any, spatial_dims: Sequence[int]) -> Any:
    """`pairs` of the spatial dimensions, with (0, 0) for those between the batch and them."""
    others = np.zeros([spatial_dims[0] - 1, 2], np.int32)
    known = constant_value(pairs)
    if known is not None:
        return np.concatenate([others, known])
    inner = pairs[0 : len(spatial_dims)]
    return concat([others, inner] if len(others) else [inner], 0)

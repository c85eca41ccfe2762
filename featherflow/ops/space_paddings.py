"""`tf.required_space_to_batch_paddings`: what `space_to_batch_nd` must be given."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.constant_value import constant_value
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.constant_ops import constant
from featherflow.ops.fill_ops import zeros
from featherflow.ops.pack_ops import stack


@export("required_space_to_batch_paddings")
def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Paddings that make sizes multiples of the block sizes, and the crops that undo them.

    Args:
      input_shape: [M], the spatial sizes.
      block_shape: [M], the sizes of blocks.
      base_paddings: [M, 2], the least paddings; None for zeros.
      name: of the scope of the nodes.
    Returns:
      Two int32 tensors [M, 2].
    """
    inputs = [input_shape, block_shape]
    with name_scope(name, "required_space_to_batch_paddings", inputs):
        sizes = convert_to_tensor(input_shape, dtypes.int32, name="input_shape")
        blocks = convert_to_tensor(block_shape, dtypes.int32, name="block_shape")
        blocks.shape.assert_is_fully_defined()
        blocks.shape.assert_has_rank(1)
        count = blocks.shape.num_elements()
        if base_paddings is None:
            base = zeros([count, 2], dtypes.int32)
        else:
            base = convert_to_tensor(base_paddings, dtypes.int32, name="base_paddings")
            base.shape.assert_is_compatible_with([count, 2])
        known = [constant_value(item) for item in (sizes, blocks, base)]
        if all(value is not None for value in known):
            paddings, crops = _known_paddings(*known)  # type: ignore[arg-type]
            return constant(paddings, name="paddings"), constant(crops, name="crops")
        return _paddings(sizes, blocks, base, count)


def _known_paddings(
    sizes: np.ndarray, blocks: np.ndarray, base: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    before, after = base[:, 0], base[:, 1]
    extra = -(sizes + before + after) % blocks
    crops = np.stack([np.zeros_like(extra), extra], axis=1)
    return np.stack([before, after + extra], axis=1), crops


def _paddings(sizes: Any, blocks: Any, base: Any, count: int) -> tuple[Tensor, Tensor]:
    before, after = base[:, 0], base[:, 1]
    whole = sizes + before + after
    extra = (blocks - whole % blocks) % blocks
    end = after + extra
    paddings = stack([[before[axis], end[axis]] for axis in range(count)], name="paddings")
    crops = stack([[0, extra[axis]] for axis in range(count)], name="crops")
    return paddings, crops

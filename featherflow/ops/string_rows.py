"""Rows of parts: what a function makes of a vector of strings, for strings of any shape.

vector, arrange = as_vector(strings)
arrange(rows_of(vector))                one dimension more than `strings`, ragged
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.tensor import Tensor
from featherflow.ops.ragged_operators import RaggedTensor
from featherflow.ops.reshape_ops import reshape

Arrange = Callable[[RaggedTensor], Any]


def as_vector(strings: Any) -> tuple[Tensor, Arrange]:
    """(all strings as a vector, a function that arranges a RaggedTensor of one row for each).

    Args:
      strings: a tensor or RaggedTensor; one of unknown rank is taken for a vector.
    """
    if isinstance(strings, RaggedTensor):
        vector, arrange = as_vector(strings.flat_values)
        return vector, lambda rows: strings.with_flat_values(arrange(rows))
    strings = convert_to_tensor(strings, name="input")
    rank = strings.shape.rank
    if rank == 0:
        return reshape(strings, [1]), lambda rows: rows.values
    if rank is None or rank == 1:
        return strings, lambda rows: rows
    nested = RaggedTensor.from_tensor(strings, ragged_rank=rank - 1)
    return nested.flat_values, nested.with_flat_values

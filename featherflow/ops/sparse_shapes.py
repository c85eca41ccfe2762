"""Steps that shape functions of ops on SparseTensors share."""

from __future__ import annotations

from featherflow.framework.shape_inference import Dim, InferenceContext
from featherflow.framework.tensor_shape import TensorShape

VECTOR = TensorShape._of((None,))
MATRIX = TensorShape._of((None, None))
#: Indices, values and shape of a SparseTensor of which nothing is known.
UNKNOWN_PARTS = [MATRIX, VECTOR, VECTOR]


def vector(size: Dim) -> TensorShape:
    """A vector of `size` elements."""
    return TensorShape._of((size,))


def matrix(rows: Dim, columns: Dim) -> TensorShape:
    """A matrix; with unknown sizes that of index vectors."""
    return TensorShape._of((rows, columns))


def check_part_ranks(c: InferenceContext, first: int = 0) -> None:
    """Refuses indices (input `first`) that are no matrix, and values or a shape that no vectors."""
    c.with_rank(first, 2)
    c.with_rank(first + 1, 1)
    c.with_rank(first + 2, 1)


def parts_shapes(c: InferenceContext, first: int = 0) -> tuple[Dim, Dim]:
    """The number of elements and the rank of the SparseTensor whose indices are input `first`.

    Its values and its shape are the two inputs after it. Refuses parts that do not fit.
    """
    count, rank = c.dims(first, 2)
    count = c.merge_dim(count, c.dims(first + 1, 1)[0])
    rank = c.merge_dim(rank, c.dims(first + 2, 1)[0])
    return count, rank

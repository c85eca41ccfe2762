"""Static shapes of ops on stacks of matrices `[…, M, N]`, and adjoints of such stacks."""

from __future__ import annotations

from typing import Any

from featherflow.framework.exports import export
from featherflow.framework.shape_inference import Dim, InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.transpose_ops import matrix_transpose

#: What stands for an output that was not asked for.
NOTHING = TensorShape((0,))


def batch_of(shape: TensorShape) -> TensorShape:
    """All dimensions but the last two."""
    return UNKNOWN if shape._dims is None else TensorShape._of(shape._dims[:-2])


def matrix_dims(c: InferenceContext, index: int) -> tuple[Dim, Dim]:
    """The last two dimensions of input `index`, which must have two or more."""
    dims = c.with_rank_at_least(index, 2)._dims
    return (None, None) if dims is None else (dims[-2], dims[-1])


def square_dim(c: InferenceContext, index: int) -> Dim:
    """The size of input `index`, a stack of square matrices."""
    return c.merge_dim(*matrix_dims(c, index))


def square_shape(c: InferenceContext) -> TensorShape:
    """For ops that turn square matrices into square matrices."""
    size = square_dim(c, 0)
    return batch_of(c.shapes[0]).concatenate([size, size])


def solution_shape(c: InferenceContext) -> TensorShape:
    """`[…, M, K]` from square matrices `[…, M, M]` and right sides `[…, M, K]`."""
    square_dim(c, 0)
    return least_squares_shape(c, is_square=True)


def least_squares_shape(c: InferenceContext, is_square: bool = False) -> TensorShape:
    """`[…, N, K]` from matrices `[…, M, N]` and right sides `[…, M, K]`."""
    rows, columns = matrix_dims(c, 0)
    right_rows, right_columns = matrix_dims(c, 1)
    batch = c.merge(batch_of(c.shapes[0]), batch_of(c.shapes[1]))
    if is_square:
        rows = columns = c.merge_dim(c.merge_dim(rows, columns), right_rows)
    else:
        c.merge_dim(rows, right_rows)
    return batch.concatenate([columns, right_columns])


def static_sizes(matrix: Tensor) -> tuple[Dim, Dim]:
    """The last two dimensions of a tensor of rank 2 or more, as far as they are known."""
    if matrix.shape.rank is None:
        return None, None
    rows, columns = matrix.shape[-2:].as_list()
    return rows, columns


def least(left: Dim, right: Dim) -> Dim:
    """The smaller of two dimensions, where both are known or one is 0."""
    if left == 0 or right == 0:
        return 0
    return None if left is None or right is None else min(left, right)


@export("linalg.adjoint")
def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """The conjugate transpose of each matrix.

    Args:
      matrix: `[…, M, N]`.
      name: of the scope.
    Returns:
      `[…, N, M]`.
    """
    with op_scope(name, "adjoint", [matrix]):
        return matrix_transpose(convert_to_tensor(matrix, name="matrix"), conjugate=True)

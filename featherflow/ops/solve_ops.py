"""Linear systems: MatrixInverse, MatrixSolve, MatrixTriangularSolve."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, broadcast_static
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import linear_solves
from featherflow.ops.arithmetic_ops import Neg
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.matrix_diag_ops import band_part
from featherflow.ops.matrix_shapes import (
    batch_of,
    matrix_dims,
    solution_shape,
    square_dim,
    square_shape,
)
from featherflow.ops.sum_ops import unbroadcast
from featherflow.ops.type_groups import COMPLEX, WIDE_FLOATS

Gradients = tuple[Tensor, Tensor]

# --- MatrixInverse --------------------------------------------------------------------------------

MatrixInverse = define_op(
    "MatrixInverse",
    inputs=("input: T",),
    outputs=("output: T",),
    attrs=("adjoint: bool = false", "T: {double, float, half, complex64, complex128}"),
)
MatrixInverse.shape_fn(square_shape)


@MatrixInverse.kernel("CPU", T=(dtypes.float16, *WIDE_FLOATS, *COMPLEX))
def _matrix_inverse_cpu(input: np.ndarray, *, adjoint: bool) -> np.ndarray:
    return linear_solves.inverse(input, adjoint)


@MatrixInverse.gradient
def _matrix_inverse_grad(op: Any, grad: Tensor) -> Tensor:
    inverse = op.outputs[0]
    if op.attrs["adjoint"]:
        # Y = A⁻ᴴ changes by −Y ∂Aᴴ Y.
        return Neg(matmul(inverse, matmul(grad, inverse, adjoint_a=True)))
    right = matmul(grad, inverse, adjoint_b=True)
    return Neg(matmul(inverse, right, adjoint_a=True))


@export("linalg.inv")
@export_v1("linalg.inv", "matrix_inverse")
def matrix_inverse(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """A⁻¹ of each matrix.

    Args:
      input: A, `[…, M, M]`.
      adjoint: gives A⁻ᴴ instead.
      name: of the node.
    Returns:
      `[…, M, M]`.
    Raises:
      InvalidArgumentError: a matrix is singular.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.matrix_inverse([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return MatrixInverse(input, adjoint=adjoint, name=name)


# --- MatrixSolve ----------------------------------------------------------------------------------

MatrixSolve = define_op(
    "MatrixSolve",
    inputs=("matrix: T", "rhs: T"),
    outputs=("output: T",),
    attrs=("adjoint: bool = false", "T: {double, float, half, complex64, complex128}"),
)
MatrixSolve.shape_fn(solution_shape)


@MatrixSolve.kernel("CPU", T=WIDE_FLOATS + COMPLEX)
def _matrix_solve_cpu(matrix: np.ndarray, rhs: np.ndarray, *, adjoint: bool) -> np.ndarray:
    return linear_solves.solve(matrix, rhs, adjoint)


@MatrixSolve.gradient
def _matrix_solve_grad(op: Any, grad: Tensor) -> Gradients:
    matrix, is_adjoint = op.inputs[0], op.attrs["adjoint"]
    along_rhs = MatrixSolve(matrix, grad, adjoint=not is_adjoint)
    return _along_matrix(op, along_rhs), along_rhs


def _along_matrix(op: Any, along_rhs: Tensor) -> Tensor:
    """−∂B Xᴴ, or its adjoint where the system was that of the adjoint."""
    solution = op.outputs[0]
    if op.attrs["adjoint"]:
        return Neg(matmul(solution, along_rhs, adjoint_b=True))
    return Neg(matmul(along_rhs, solution, adjoint_b=True))


@export("linalg.solve")
@export_v1("linalg.solve", "matrix_solve")
def matrix_solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """X with A X = B.

    Args:
      matrix: A, `[…, M, M]`.
      rhs: B, `[…, M, K]`.
      adjoint: solves Aᴴ X = B instead.
      name: of the node.
    Returns:
      X, `[…, M, K]`.
    Raises:
      InvalidArgumentError: a matrix is singular.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.matrix_solve([[2.0, 0.0], [0.0, 4.0]], [[1.0], [1.0]])).tolist()
    [[0.5], [0.25]]
    """
    return MatrixSolve(matrix, rhs, adjoint=adjoint, name=name)


# --- MatrixTriangularSolve ------------------------------------------------------------------------

MatrixTriangularSolve = define_op(
    "MatrixTriangularSolve",
    inputs=("matrix: T", "rhs: T"),
    outputs=("output: T",),
    attrs=(
        "lower: bool = true",
        "adjoint: bool = false",
        "T: {bfloat16, double, float, half, complex64, complex128}",
    ),
)


@MatrixTriangularSolve.shape_fn
def _matrix_triangular_solve_shape(c: InferenceContext) -> TensorShape:
    size = square_dim(c, 0)
    rows, columns = matrix_dims(c, 1)
    if c.shapes[0]._dims is None or c.shapes[1]._dims is None:
        return UNKNOWN
    batch = broadcast_static(c, batch_of(c.shapes[0]), batch_of(c.shapes[1]))
    return batch.concatenate([c.merge_dim(size, rows), columns])


@MatrixTriangularSolve.kernel("CPU", T=WIDE_FLOATS + COMPLEX)
def _matrix_triangular_solve_cpu(
    matrix: np.ndarray, rhs: np.ndarray, *, lower: bool, adjoint: bool
) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return linear_solves.triangular_solve(matrix, rhs, lower, adjoint)


@MatrixTriangularSolve.gradient
def _matrix_triangular_solve_grad(op: Any, grad: Tensor) -> Gradients:
    matrix, rhs = op.inputs
    lower, is_adjoint = op.attrs["lower"], op.attrs["adjoint"]
    along_rhs = MatrixTriangularSolve(matrix, grad, lower=lower, adjoint=not is_adjoint)
    triangle = (-1, 0) if lower else (0, -1)
    along_matrix = band_part(_along_matrix(op, along_rhs), *triangle)
    return unbroadcast(along_matrix, matrix), unbroadcast(along_rhs, rhs)


@export("linalg.triangular_solve")
@export_v1("linalg.triangular_solve", "matrix_triangular_solve")
def matrix_triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """X with A X = B for triangular A.

    Args:
      matrix: A, `[…, M, M]`; only one triangle is read.
      rhs: B, `[…, M, K]`; leading dimensions broadcast.
      lower: which triangle.
      adjoint: solves Aᴴ X = B instead.
      name: of the scope.
    Returns:
      X, `[…, M, K]`; infinite where a diagonal element is 0.
    """
    with op_scope(name, "triangular_solve", [matrix, rhs]):
        return MatrixTriangularSolve(matrix, rhs, lower=lower, adjoint=adjoint)

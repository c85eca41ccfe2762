"""The Cholesky factorisation A = L Lᴴ, and systems solved with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import factorizations, linear_solves
from featherflow.ops.arithmetic_ops import AddV2, Mul
from featherflow.ops.constant_ops import constant
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.matrix_diag_ops import band_part, diag_part, set_diag
from featherflow.ops.matrix_shapes import adjoint, square_shape
from featherflow.ops.solve_ops import MatrixTriangularSolve
from featherflow.ops.type_groups import COMPLEX, WIDE_FLOATS

# --- Cholesky -------------------------------------------------------------------------------------

Cholesky = define_op(
    "Cholesky",
    inputs=("input: T",),
    outputs=("output: T",),
    attrs=("T: {double, float, half, complex64, complex128}",),
)
Cholesky.shape_fn(square_shape)
Cholesky.kernel("CPU", T=WIDE_FLOATS + COMPLEX)(factorizations.cholesky)


@Cholesky.gradient
def _cholesky_grad(op: Any, grad: Tensor) -> Tensor:
    """∂A = L⁻ᴴ φ(Lᴴ ∂L) L⁻¹ made self-adjoint, with φ the lower triangle and half its diagonal.

    Murray, Differentiation of the Cholesky decomposition, 2016.
    """
    factor = op.outputs[0]
    product = matmul(factor, grad, adjoint_a=True)
    half = constant(0.5, factor.dtype.base_dtype)
    lower = band_part(set_diag(product, Mul(half, diag_part(product))), -1, 0)
    left = MatrixTriangularSolve(factor, lower, adjoint=True)
    both = MatrixTriangularSolve(factor, adjoint(left), adjoint=True)
    return Mul(half, AddV2(both, adjoint(both)))


@export("linalg.cholesky")
@export_v1("cholesky")
def cholesky(input: Any, name: str | None = None) -> Tensor:
    """Lower triangular L with L Lᴴ = A.

    Args:
      input: A, `[…, M, M]`, self-adjoint and positive definite; only its lower triangle is read.
      name: of the node.
    Returns:
      L, `[…, M, M]`; NaN for a matrix that is not positive definite. The gradient is that of a
      function of self-adjoint matrices: it is self-adjoint itself.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.cholesky([[4.0, 2.0], [2.0, 5.0]])).tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    return Cholesky(input, name=name)


# --- CholeskyGrad ---------------------------------------------------------------------------------

CholeskyGrad = define_op(
    "CholeskyGrad",
    inputs=("l: T", "grad: T"),
    outputs=("output: T",),
    attrs=("T: {half, float, double}",),
)
CholeskyGrad.shape_fn(square_shape)
CholeskyGrad.without_gradient("TensorFlow has none; differentiate the gradient of Cholesky")


@CholeskyGrad.kernel("CPU", T=(dtypes.float32, dtypes.float64))
def _cholesky_grad_cpu(factor: np.ndarray, grad: np.ndarray) -> np.ndarray:
    factorizations.check_square(factor)
    if grad.shape != factor.shape:
        raise InvalidArgumentError(
            None,
            None,
            "The gradient must have the shape of the factor",
            received=f"{list(grad.shape)}",
            expected=f"{list(factor.shape)}",
        )
    factor = np.tril(factor)  # what is above is not read
    lower = np.tril(factor.swapaxes(-1, -2) @ np.tril(grad))
    lower *= 1 - np.eye(factor.shape[-1], dtype=factor.dtype) / 2
    left = linear_solves.triangular_solve(factor, lower, True, True)
    both = linear_solves.triangular_solve(factor, left.swapaxes(-1, -2), True, True)
    return (both + both.swapaxes(-1, -2)) / 2


# --- tf.cholesky_solve ----------------------------------------------------------------------------


@export("linalg.cholesky_solve")
@export_v1("linalg.cholesky_solve", "cholesky_solve")
def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """X with A X = B, where A = L Lᴴ.

    Args:
      chol: L, `[…, M, M]`, as `cholesky` gives it; only its lower triangle is read.
      rhs: B, `[…, M, K]`.
      name: of the scope.
    Returns:
      X, `[…, M, K]`.
    """
    with op_scope(name, "cholesky_solve", [chol, rhs]):
        half = MatrixTriangularSolve(chol, rhs, adjoint=False, lower=True)
        return MatrixTriangularSolve(chol, half, adjoint=True, lower=True)

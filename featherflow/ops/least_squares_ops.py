"""Least squares: MatrixSolveLs, and `tf.linalg.lstsq`, which chooses how to solve them."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import linear_solves
from featherflow.ops.arithmetic_ops import Mul, Sub
from featherflow.ops.cast_ops import cast
from featherflow.ops.cholesky_ops import cholesky, cholesky_solve
from featherflow.ops.cond import cond
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.matrix_shapes import least_squares_shape, static_sizes
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.tensor_diag_ops import eye
from featherflow.ops.type_groups import COMPLEX, WIDE_FLOATS

# --- MatrixSolveLs --------------------------------------------------------------------------------

MatrixSolveLs = define_op(
    "MatrixSolveLs",
    inputs=("matrix: T", "rhs: T", "l2_regularizer: double"),
    outputs=("output: T",),
    attrs=("T: {double, float, half, complex64, complex128}", "fast: bool = true"),
)


@MatrixSolveLs.shape_fn
def _matrix_solve_ls_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(2, 0)
    return least_squares_shape(c)


@MatrixSolveLs.kernel("CPU", T=WIDE_FLOATS + COMPLEX)
def _matrix_solve_ls_cpu(
    matrix: np.ndarray, rhs: np.ndarray, l2_regularizer: np.ndarray, *, fast: bool
) -> np.ndarray:
    return linear_solves.least_squares(matrix, rhs, l2_regularizer, fast)


@MatrixSolveLs.gradient
def _matrix_solve_ls_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
    matrix, rhs, weight = op.inputs
    if not op.attrs["fast"]:
        weight = 0.0  # the slow way takes no notice of it

    def if_tall() -> tuple[Tensor, Tensor]:
        return _tall_gradients(matrix, rhs, op.outputs[0], grad, weight)

    def if_wide() -> tuple[Tensor, Tensor]:
        return _wide_gradients(matrix, rhs, op.outputs[0], grad, weight)

    along_matrix, along_rhs = _by_form(matrix, if_tall, if_wide)
    return along_matrix, along_rhs, None


def _tall_gradients(
    matrix: Tensor, rhs: Tensor, solution: Tensor, grad: Tensor, weight: Any
) -> tuple[Tensor, Tensor]:
    """With z = (AᴴA + λ)⁻¹ ∂X: ∂B = A z and ∂A = (B − A X) zᴴ − A z Xᴴ."""
    solved = cholesky_solve(_factor_of_gram(matrix, weight, is_tall=True), grad)
    along_rhs = matmul(matrix, solved)
    residual = Sub(rhs, matmul(matrix, solution))
    along_matrix = Sub(
        matmul(residual, solved, adjoint_b=True), matmul(along_rhs, solution, adjoint_b=True)
    )
    return along_matrix, along_rhs


def _wide_gradients(
    matrix: Tensor, rhs: Tensor, solution: Tensor, grad: Tensor, weight: Any
) -> tuple[Tensor, Tensor]:
    """X = Aᴴ w; with z = (AAᴴ + λ)⁻¹ A ∂X: ∂B = z and ∂A = w (∂X − Aᴴ z)ᴴ − z Xᴴ."""
    factor = _factor_of_gram(matrix, weight, is_tall=False)
    dual = cholesky_solve(factor, rhs)
    along_rhs = cholesky_solve(factor, matmul(matrix, grad))
    rest = Sub(grad, matmul(matrix, along_rhs, adjoint_a=True))
    along_matrix = Sub(
        matmul(dual, rest, adjoint_b=True), matmul(along_rhs, solution, adjoint_b=True)
    )
    return along_matrix, along_rhs


def _by_form(matrix: Tensor, if_tall: Any, if_wide: Any) -> Any:
    """`if_tall()` for matrices with as many rows as columns or more, else `if_wide()`."""
    rows, columns = static_sizes(matrix)
    if rows is not None and columns is not None:
        return if_tall() if rows >= columns else if_wide()
    dynamic: Any = shape_of(matrix)[-2:]
    return cond(dynamic[0] >= dynamic[1], if_tall, if_wide)


def _factor_of_gram(matrix: Tensor, weight: Any, is_tall: bool) -> Tensor:
    """The Cholesky factor of AᴴA + λ, or AAᴴ + λ of a wide matrix; no λ if `weight` is 0."""
    gram: Any = matmul(matrix, matrix, adjoint_a=is_tall, adjoint_b=not is_tall)
    if isinstance(weight, Tensor) or weight != 0:
        dynamic: Any = shape_of(matrix)
        batch, size = dynamic[:-2], dynamic[-1 if is_tall else -2]
        dtype = matrix.dtype.base_dtype
        identity = eye(size, batch_shape=batch, dtype=dtype)
        is_tensor = isinstance(weight, Tensor)
        factor = cast(weight, dtype) if is_tensor else np.asarray(weight, dtype.numpy_dtype)
        gram = gram + Mul(factor, identity, name="mul")
    return cholesky(gram)


@export("linalg.lstsq")
@export_v1("linalg.lstsq", "matrix_solve_ls")
def matrix_solve_ls(
    matrix: Any,
    rhs: Any,
    l2_regularizer: float = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Tensor:
    """X that makes ‖A X − B‖² + λ ‖X‖² least (Frobenius norms).

    Args:
      matrix: A, `[…, M, N]`.
      rhs: B, `[…, M, K]`.
      l2_regularizer: λ ≥ 0, a number.
      fast: by the normal equations, which square the condition of A and need full rank or λ > 0;
        else by an orthogonal factorisation, which gives the X of least norm for any rank and takes
        no notice of λ.
      name: of the scope or node.
    Returns:
      X, `[…, N, K]`.
    """
    if not fast:
        return MatrixSolveLs(matrix, rhs, l2_regularizer, fast=fast, name=name)
    matrix = convert_to_tensor(matrix, name="matrix")
    with op_scope(name, "matrix_solve_ls", [matrix, rhs, l2_regularizer]):

        def if_tall() -> Tensor:
            factor = _factor_of_gram(matrix, l2_regularizer, is_tall=True)
            return cholesky_solve(factor, matmul(matrix, rhs, adjoint_a=True))

        def if_wide() -> Tensor:
            factor = _factor_of_gram(matrix, l2_regularizer, is_tall=False)
            return matmul(matrix, cholesky_solve(factor, rhs), adjoint_a=True)

        return _by_form(matrix, if_tall, if_wide)

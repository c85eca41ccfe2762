"""Tridiagonal matrices, kept as their three diagonals: TridiagonalMatMul, TridiagonalSolve."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import tridiagonal
from featherflow.ops.arithmetic_ops import AddV2, Mul, Neg
from featherflow.ops.complex_ops import conj
from featherflow.ops.core_array_ops import concat
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.matrix_diag_ops import diag_part
from featherflow.ops.matrix_shapes import batch_of, matrix_dims
from featherflow.ops.pack_ops import stack
from featherflow.ops.reshape_ops import expand_dims, squeeze
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.transpose_ops import matrix_transpose
from featherflow.ops.type_groups import COMPLEX, WIDE_FLOATS

_T = "T: {double, float, complex64, complex128}"


def _tridiagonal_shape(c: InferenceContext, height: int) -> TensorShape:
    """`[…, M, K]` of the last input; the others are diagonals `[…, height, M]`."""
    last = len(c.shapes) - 1
    size, _ = matrix_dims(c, last)
    batch = batch_of(c.shapes[last])
    for index in range(last):
        rows, columns = matrix_dims(c, index)
        c.merge_dim(height, rows)
        size = c.merge_dim(size, columns)
        batch = c.merge(batch, batch_of(c.shapes[index]))
    return c.shapes[last]


def _next_rows(x: Tensor) -> Tensor:
    """Row i + 1 in the place of row i, and zeros in the last."""
    return concat([x[..., 1:, :], zeros_like(x[..., :1, :])], -2)


def _rows_before(x: Tensor) -> Tensor:
    """Row i − 1 in the place of row i, and zeros in the first."""
    return concat([zeros_like(x[..., :1, :]), x[..., :-1, :]], -2)


def _diagonal_gradients(grad: Tensor, factor: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The diagonals above, on and below the main one of grad · factorᴴ, `[…, M]` each."""
    factor = conj(factor)
    shifted = (_next_rows(factor), factor, _rows_before(factor))
    above, middle, below = (reduce_sum(Mul(grad, rows), -1) for rows in shifted)
    return above, middle, below


# --- TridiagonalMatMul ----------------------------------------------------------------------------

TridiagonalMatMul = define_op(
    "TridiagonalMatMul",
    inputs=("superdiag: T", "maindiag: T", "subdiag: T", "rhs: T"),
    outputs=("output: T",),
    attrs=(_T,),
)
TridiagonalMatMul.kernel("CPU", T=WIDE_FLOATS + COMPLEX)(tridiagonal.tridiagonal_product)


@TridiagonalMatMul.shape_fn
def _tridiagonal_mat_mul_shape(c: InferenceContext) -> TensorShape:
    return _tridiagonal_shape(c, 1)


@TridiagonalMatMul.gradient
def _tridiagonal_mat_mul_grad(op: Any, grad: Tensor) -> tuple[Tensor, ...]:
    columns = [matrix_transpose(conj(part)) for part in op.inputs[:3]]
    along = [expand_dims(part, -2) for part in _diagonal_gradients(grad, op.inputs[3])]
    above, middle, below = (Mul(column, grad) for column in columns)
    along_rhs = AddV2(AddV2(middle, _rows_before(above)), _next_rows(below))
    return (*along, along_rhs)


@export("linalg.tridiagonal_matmul")
def tridiagonal_matmul(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """A · B for tridiagonal A.

    Args:
      diagonals: of A. "compact": `[…, 3, M]`, above, on and below the main diagonal, each element
        in the row of A where it stands (the last of the first and the first of the last count for
        nothing); "sequence": these three as a list of `[…, M]`; "matrix": A, `[…, M, M]`.
      rhs: B, `[…, M, K]`.
      diagonals_format: which of these.
      name: of the node.
    Returns:
      `[…, M, K]`.
    Raises:
      ValueError: there is no such format.
    """
    if diagonals_format == "sequence":
        parts = list(diagonals)
    else:
        compact: Any = _compact(diagonals, diagonals_format)
        parts = [compact[..., 0, :], compact[..., 1, :], compact[..., 2, :]]
    above, middle, below = (expand_dims(part, -2) for part in parts)
    return TridiagonalMatMul(above, middle, below, rhs, name=name)


def _compact(diagonals: Any, diagonals_format: str) -> Tensor:
    if diagonals_format == "compact":
        return convert_to_tensor(diagonals)
    if diagonals_format == "sequence":
        return stack(list(diagonals), axis=-2)
    if diagonals_format == "matrix":
        return diag_part(diagonals, k=(-1, 1), padding_value=0.0, align="LEFT_RIGHT")
    raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")


# --- TridiagonalSolve -----------------------------------------------------------------------------

TridiagonalSolve = define_op(
    "TridiagonalSolve",
    inputs=("diagonals: T", "rhs: T"),
    outputs=("output: T",),
    attrs=("partial_pivoting: bool = true", "perturb_singular: bool = false", _T),
)


@TridiagonalSolve.shape_fn
def _tridiagonal_solve_shape(c: InferenceContext) -> TensorShape:
    return _tridiagonal_shape(c, 3)


@TridiagonalSolve.kernel("CPU", T=WIDE_FLOATS + COMPLEX)
def _tridiagonal_solve_cpu(
    diagonals: np.ndarray, rhs: np.ndarray, *, partial_pivoting: bool, perturb_singular: bool
) -> np.ndarray:
    if perturb_singular and not partial_pivoting:
        raise InvalidArgumentError(None, None, "perturb_singular needs partial_pivoting")
    with np.errstate(all="ignore"):
        return tridiagonal.tridiagonal_solve(diagonals, rhs, partial_pivoting, perturb_singular)


@TridiagonalSolve.gradient
def _tridiagonal_solve_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
    ways = {name: op.attrs[name] for name in ("partial_pivoting", "perturb_singular")}
    along_rhs = TridiagonalSolve(_adjoint_of(op.inputs[0]), grad, **ways)
    parts = _diagonal_gradients(along_rhs, op.outputs[0])
    return Neg(stack(list(parts), axis=-2)), along_rhs


def _adjoint_of(diagonals: Tensor) -> Tensor:
    """The diagonals of Aᴴ: what is above the main one goes below, a row further down."""
    columns: Any = matrix_transpose(conj(diagonals))
    above, below = _next_rows(columns[..., 2:]), _rows_before(columns[..., :1])
    return matrix_transpose(concat([above, columns[..., 1:2], below], -1))


@export("linalg.tridiagonal_solve")
def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """X with A X = B for tridiagonal A, in time that grows as M.

    Args:
      diagonals: of A, in one of the forms that `tridiagonal_matmul` takes.
      rhs: B, `[…, M, K]`, or vectors `[…, M]`; their rank must be known.
      diagonals_format: "compact", "sequence" or "matrix".
      transpose_rhs: B is given as `[…, K, M]`.
      conjugate_rhs: B is given conjugated.
      name: of the node.
      partial_pivoting: exchanges rows where that keeps the elimination stable.
      perturb_singular: takes tiny numbers for pivots that are 0.
    Returns:
      X, of the shape of B.
    Raises:
      ValueError: there is no such format, or `perturb_singular` without `partial_pivoting`.
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is.")
    compact = _compact(diagonals, diagonals_format)
    rhs = convert_to_tensor(rhs, compact.dtype.base_dtype)
    is_vector = rhs.shape.rank is not None and rhs.shape.rank + 1 == compact.shape.rank
    if conjugate_rhs:
        rhs = conj(rhs)
    if is_vector:
        rhs = expand_dims(rhs, -1)
    elif transpose_rhs:
        rhs = matrix_transpose(rhs)
    solution = TridiagonalSolve(
        compact,
        rhs,
        partial_pivoting=partial_pivoting,
        perturb_singular=perturb_singular,
        name=name,
    )
    return squeeze(solution, -1) if is_vector else solution

"""Singular values, and what rests on them: pseudo-inverses and ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import factorizations
from featherflow.ops.arithmetic_ops import AddV2, Mul, Sub
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import Greater
from featherflow.ops.complex_ops import complex as complex_of
from featherflow.ops.complex_ops import imag, real
from featherflow.ops.constant_ops import constant
from featherflow.ops.division_ops import DivNoNan, RealDiv
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.matrix_diag_ops import diag, diag_part
from featherflow.ops.matrix_shapes import (
    NOTHING,
    adjoint,
    batch_of,
    least,
    matrix_dims,
    static_sizes,
)
from featherflow.ops.reduction_ops import reduce_max
from featherflow.ops.reshape_ops import expand_dims
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.type_groups import COMPLEX, WIDE_FLOATS

# --- Svd ------------------------------------------------------------------------------------------

Svd = define_op(
    "Svd",
    inputs=("input: T",),
    outputs=("s: T", "u: T", "v: T"),
    attrs=(
        "compute_uv: bool = true",
        "full_matrices: bool = false",
        "T: {double, float, half, complex64, complex128}",
    ),
)


@Svd.shape_fn
def _svd_shape(c: InferenceContext) -> list[TensorShape]:
    rows, columns = matrix_dims(c, 0)
    inner, batch = least(rows, columns), batch_of(c.shapes[0])
    values = batch.concatenate([inner])
    if not c.attrs["compute_uv"]:
        return [values, NOTHING, NOTHING]
    left, right = (rows, columns) if c.attrs["full_matrices"] else (inner, inner)
    return [values, batch.concatenate([rows, left]), batch.concatenate([columns, right])]


@Svd.kernel("CPU", T=WIDE_FLOATS + COMPLEX)
def _svd_cpu(
    input: np.ndarray, *, compute_uv: bool, full_matrices: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if compute_uv:
        return factorizations.svd(input, full_matrices)
    nothing = np.empty(0, input.dtype)
    return factorizations.singular_values(input), nothing, nothing


@Svd.gradient
def _svd_grad(op: Any, grad_s: Tensor, grad_u: Tensor, grad_v: Tensor) -> Tensor:
    """∂A = U (inner) Vᴴ, and what turns U and V out of the spaces that they span.

    Wan & Zhang, Automatic differentiation for complex valued SVD, 2019. Equal singular values have
    no derivatives of their vectors: these count as 0.
    """
    matrix = op.inputs[0]
    along_values = diag(_real_part(grad_s))
    if not op.attrs["compute_uv"]:
        _, u, v = Svd(matrix, compute_uv=True)
        return matmul(u, matmul(along_values, v, adjoint_b=True))
    s, u, v = op.outputs
    rows, columns = static_sizes(matrix)
    if op.attrs["full_matrices"] and (rows is None or rows != columns):
        raise NotImplementedError(
            "Svd has a gradient with full_matrices=True only for matrices that are known to be "
            f"square, received shape {matrix.shape}; use full_matrices=False."
        )
    turn_u, turn_v = matmul(u, grad_u, adjoint_a=True), matmul(v, grad_v, adjoint_a=True)
    inner = AddV2(along_values, _turns_within(s, turn_u, turn_v))
    along = matmul(u, matmul(inner, v, adjoint_b=True))
    inverse = expand_dims(DivNoNan(constant(1, s.dtype.base_dtype), s), -2)
    if rows is None or columns is None or rows > columns:
        outside = Mul(Sub(grad_u, matmul(u, turn_u)), inverse)
        along = AddV2(along, matmul(outside, v, adjoint_b=True))
    if rows is None or columns is None or rows < columns:
        outside = Mul(Sub(grad_v, matmul(v, turn_v)), inverse)
        along = AddV2(along, matmul(u, outside, adjoint_b=True))
    return along


def _turns_within(s: Tensor, turn_u: Tensor, turn_v: Tensor) -> Tensor:
    """From Uᴴ ∂U and Vᴴ ∂V: how the singular vectors mix with each other."""
    squares = Mul(s, s)
    row, column = expand_dims(s, -2), expand_dims(s, -1)
    gaps = Sub(expand_dims(squares, -2), expand_dims(squares, -1))
    mixing = AddV2(
        Mul(Sub(turn_u, adjoint(turn_u)), row), Mul(column, Sub(turn_v, adjoint(turn_v)))
    )
    inner = DivNoNan(mixing, gaps)
    if not s.dtype.is_complex:
        return inner
    # A phase that u and v share leaves A as it is; one of u alone does not.
    phase = imag(diag_part(turn_u))
    return AddV2(inner, diag(DivNoNan(complex_of(zeros_like(phase), phase), s)))


def _real_part(x: Tensor) -> Tensor:
    return cast(real(x), x.dtype.base_dtype)


@export_v1("linalg.svd", "svd")
@export("linalg.svd")
def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Any:
    """A = U diag(s) Vᴴ with unitary U and V.

    Args:
      tensor: A, `[…, M, N]`.
      full_matrices: whether U and V are square.
      compute_uv: whether U and V are wanted.
      name: of the node.
    Returns:
      s, `[…, P]` with P = min(M, N), descending and real; with `compute_uv` also u, `[…, M, P]`,
      and v, `[…, N, P]` (P is M and N with `full_matrices`). Vectors are unique only up to a sign
      or phase that u and v share.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.svd([[0.0, 2.0], [1.0, 0.0]], compute_uv=False)).tolist()
    [2.0, 1.0]
    """
    s, u, v = Svd(tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name)
    return (real(s), u, v) if compute_uv else real(s)


# --- what rests on singular values ----------------------------------------------------------------


@export("linalg.pinv")
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The pseudo-inverse A⁺ = V diag(1/s) Uᴴ, with 0 for 1/s of small s.

    Args:
      a: A, floating `[…, M, N]`.
      rcond: s counts as 0 up to `rcond` times the largest; `[…]` or a number. None takes
        10 max(M, N) ε.
      validate_args: taken for the sake of the signature; `a` is always checked.
      name: of the scope.
    Returns:
      `[…, N, M]`.
    Raises:
      TypeError: `a` is not floating.
      ValueError: `a` has less than two dimensions.
    """
    with op_scope(name, "pinv", [a, rcond]):
        a = _floating_matrix(a)
        dtype = a.dtype.real_dtype
        if rcond is None:
            rcond = _default_rcond(a, dtype)
        rcond = convert_to_tensor(rcond, dtype=dtype, name="rcond")
        s, u, v = svd(a)
        cutoff = expand_dims(Mul(rcond, reduce_max(s, axis=-1), name="mul"), -1)
        kept = SelectV2(Greater(s, cutoff), s, np.asarray(np.inf, dtype.numpy_dtype))
        scaled = RealDiv(v, cast(expand_dims(kept, -2), a.dtype), name="truediv")
        return matmul(scaled, u, adjoint_b=True)


def _default_rcond(a: Tensor, dtype: Any) -> Any:
    rows, columns = static_sizes(a)
    epsilon = np.finfo(dtype.numpy_dtype).eps
    if rows is not None and columns is not None:
        return 10.0 * max(rows, columns) * epsilon
    dynamic: Any = shape_of(a)
    rows = dynamic[-2] if rows is None else rows
    columns = dynamic[-1] if columns is None else columns
    return 10.0 * cast(maximum(rows, columns), dtype) * epsilon


@export("linalg.matrix_rank")
def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The number of singular values above a tolerance.

    Args:
      a: floating `[…, M, N]`.
      tol: a number, or a tensor that broadcasts to `[…, min(M, N)]`; None takes max(M, N) ε times
        the largest singular value.
      validate_args: taken for the sake of the signature; `a` is always checked.
      name: of the scope.
    Returns:
      int32 `[…]`.
    """
    with op_scope(name, "matrix_rank", [a, tol]):
        a = _floating_matrix(a)
        s = svd(a, compute_uv=False)
        if tol is None:
            rows, columns = static_sizes(a)
            if rows is None or columns is None:
                dynamic: Any = shape_of(a)
                larger: Any = reduce_max(dynamic[-2:])
            else:
                larger = np.int64(max(rows, columns))
            epsilon = np.finfo(s.dtype.numpy_dtype).eps
            tol = epsilon * cast(larger, s.dtype) * reduce_max(s, axis=-1, keepdims=True)
        return reduce_sum(cast(Greater(s, tol), dtypes.int32), axis=-1)


def _floating_matrix(a: Any) -> Tensor:
    a = convert_to_tensor(a, name="a")
    if not (a.dtype.is_floating or a.dtype.is_complex):
        raise TypeError(f"Input `a` must have a floating dtype, received {a.dtype.name}.")
    if a.shape.rank is not None and a.shape.rank < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions, received {a.shape.rank}.")
    return a

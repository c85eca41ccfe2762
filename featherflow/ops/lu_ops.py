"""The factorisation L U = P A with row exchanges, and systems solved with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import factorizations
from featherflow.ops.fill_ops import ones
from featherflow.ops.gather_ops import gather_v2
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.matrix_diag_ops import band_part, set_diag
from featherflow.ops.matrix_shapes import batch_of, square_dim
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.solve_ops import matrix_triangular_solve
from featherflow.ops.sort_ops import argsort
from featherflow.ops.tensor_diag_ops import eye
from featherflow.ops.transpose_ops import invert_permutation
from featherflow.ops.type_groups import COMPLEX, WIDE_FLOATS

_INDICES = (dtypes.int32, dtypes.int64)

Lu = define_op(
    "Lu",
    inputs=("input: T",),
    outputs=("lu: T", "p: output_idx_type"),
    attrs=(
        "T: {double, float, half, complex64, complex128}",
        "output_idx_type: {int32, int64} = int32",
    ),
)
Lu.without_gradient("TensorFlow has no gradient of Lu; use matrix_solve")


@Lu.shape_fn
def _lu_shape(c: InferenceContext) -> list[TensorShape]:
    size, batch = square_dim(c, 0), batch_of(c.shapes[0])
    return [batch.concatenate([size, size]), batch.concatenate([size])]


@Lu.kernel("CPU", T=WIDE_FLOATS + COMPLEX, output_idx_type=_INDICES)
def _lu_cpu(input: np.ndarray, *, output_idx_type: DType) -> tuple[np.ndarray, np.ndarray]:
    packed, order = factorizations.lu(input)
    return packed, order.astype(output_idx_type.numpy_dtype, copy=False)


@export("linalg.lu")
def lu(input: Any, output_idx_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """L U = A with its rows in the order p, by elimination with partial pivoting.

    Args:
      input: A, `[…, M, M]`.
      output_idx_type: of p, int32 or int64.
      name: of the node.
    Returns:
      lu, `[…, M, M]`: U in its upper triangle, L below the diagonal, which is 1 in L; and p,
      `[…, M]`, with A[p] = L U.
    Raises:
      InvalidArgumentError: a matrix is singular.
    """
    return Lu(input, output_idx_type=output_idx_type, name=name)


@export("linalg.lu_solve")
def lu_solve(
    lower_upper: Any,
    perm: Any,
    rhs: Any,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """X with A X = B, where `lower_upper` and `perm` are those of `lu(A)`.

    Args:
      lower_upper: `[…, M, M]`.
      perm: `[…, M]`, of known rank.
      rhs: B, `[…, M, K]`.
      validate_args: taken for the sake of the signature; the ops check their shapes.
      name: of the scope.
    Returns:
      X, `[…, M, K]`.
    """
    with op_scope(name, "lu_solve", [lower_upper, perm, rhs]):
        lower_upper = convert_to_tensor(lower_upper, name="lower_upper")
        perm = convert_to_tensor(perm, dtypes.int32, name="perm")
        rhs = convert_to_tensor(rhs, lower_upper.dtype, name="rhs")
        permuted = _rows_in_order(rhs, perm)
        half = matrix_triangular_solve(_lower_part(lower_upper), permuted)
        return matrix_triangular_solve(lower_upper, half, lower=False)


@export("linalg.lu_reconstruct")
def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The A that `lower_upper` and `perm` are the `lu` of.

    Args:
      lower_upper: `[…, M, M]`.
      perm: `[…, M]`, of known rank.
      validate_args: taken for the sake of the signature; the ops check their shapes.
      name: of the scope.
    Returns:
      A, `[…, M, M]`.
    """
    with op_scope(name, "lu_reconstruct", [lower_upper, perm]):
        lower_upper = convert_to_tensor(lower_upper, name="lower_upper")
        perm = convert_to_tensor(perm, dtypes.int32, name="perm")
        product = matmul(_lower_part(lower_upper), band_part(lower_upper, 0, -1))
        is_one = perm.shape.rank == 1
        inverse = invert_permutation(perm) if is_one else argsort(perm, axis=-1)
        return _rows_in_order(product, inverse)


@export("linalg.lu_matrix_inverse")
def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """A⁻¹, where `lower_upper` and `perm` are those of `lu(A)`; see `lu_solve`."""
    with op_scope(name, "lu_matrix_inverse", [lower_upper, perm]):
        lower_upper = convert_to_tensor(lower_upper, name="lower_upper")
        perm = convert_to_tensor(perm, dtypes.int32, name="perm")
        dynamic: Any = shape_of(lower_upper)
        identity = eye(dynamic[-1], batch_shape=dynamic[:-2], dtype=lower_upper.dtype)
        return lu_solve(lower_upper, perm, identity, validate_args)


def _rows_in_order(matrices: Tensor, order: Tensor) -> Tensor:
    rank = order.shape.rank
    if rank is None:
        raise ValueError("The rank of `perm` must be known while the graph is built.")
    return gather_v2(matrices, order, axis=-2, batch_dims=rank - 1)


def _lower_part(lower_upper: Tensor) -> Tensor:
    """L, with its diagonal of ones."""
    dynamic: Any = shape_of(lower_upper)
    return set_diag(band_part(lower_upper, -1, 0), ones(dynamic[:-1], lower_upper.dtype))

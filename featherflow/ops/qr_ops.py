"""The factorisation A = Q R into unitary and upper triangular matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import factorizations
from featherflow.ops.arithmetic_ops import AddV2, Sub
from featherflow.ops.cast_ops import cast
from featherflow.ops.complex_ops import real
from featherflow.ops.core_array_ops import concat
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.matrix_diag_ops import band_part, diag_part, set_diag
from featherflow.ops.matrix_shapes import adjoint, batch_of, least, matrix_dims, static_sizes
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.solve_ops import MatrixTriangularSolve
from featherflow.ops.type_groups import COMPLEX, WIDE_FLOATS

Qr = define_op(
    "Qr",
    inputs=("input: T",),
    outputs=("q: T", "r: T"),
    attrs=("full_matrices: bool = false", "T: {double, float, half, complex64, complex128}"),
)


@Qr.shape_fn
def _qr_shape(c: InferenceContext) -> list[TensorShape]:
    rows, columns = matrix_dims(c, 0)
    inner = rows if c.attrs["full_matrices"] else least(rows, columns)
    batch = batch_of(c.shapes[0])
    return [batch.concatenate([rows, inner]), batch.concatenate([inner, columns])]


@Qr.kernel("CPU", T=(dtypes.float16, *WIDE_FLOATS, *COMPLEX))
def _qr_cpu(input: np.ndarray, *, full_matrices: bool) -> tuple[np.ndarray, np.ndarray]:
    return factorizations.qr(input, full_matrices)


@Qr.gradient
def _qr_grad(op: Any, grad_q: Tensor, grad_r: Tensor) -> Tensor:
    """Of the square part X of A = [X Y] through Q and R = [U V]; then Y = Q V.

    Roberts & Roberts, QR and LQ decomposition matrix backpropagation algorithms, 2020.
    """
    q, r = op.outputs
    if op.attrs["full_matrices"]:
        _refuse_tall(op.inputs[0])
    inner = shape_of(q)[-1]
    rest = op.inputs[0][..., inner:]
    along_rest = grad_r[..., inner:]
    along_q = AddV2(grad_q, matmul(rest, along_rest, adjoint_b=True))
    upper = r[..., :inner]
    weights = Sub(
        matmul(grad_r[..., :inner], upper, adjoint_b=True),
        matmul(q, along_q, adjoint_a=True),
    )
    left = AddV2(along_q, matmul(q, _self_adjoint_of_upper(weights)))
    along_square = adjoint(MatrixTriangularSolve(upper, adjoint(left), lower=False))
    return concat([along_square, matmul(q, along_rest)], -1)


def _refuse_tall(matrix: Tensor) -> None:
    """The columns that fill Q up to a square are not a function of A."""
    rows, columns = static_sizes(matrix)
    if rows is None or columns is None or rows > columns:
        raise NotImplementedError(
            "Qr has a gradient with full_matrices=True only for matrices that are known to have no "
            f"more rows than columns, received shape {matrix.shape}; use full_matrices=False."
        )


def _self_adjoint_of_upper(matrix: Tensor) -> Tensor:
    """The self-adjoint matrix with this upper triangle, of whose diagonal the real part counts."""
    upper = band_part(matrix, 0, -1)
    diagonal = cast(real(diag_part(matrix)), matrix.dtype.base_dtype)
    return set_diag(AddV2(upper, adjoint(upper)), diagonal)


@export("linalg.qr")
@export_v1("linalg.qr", "qr")
def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    """A = Q R with Qᴴ Q = 1 and upper triangular R, by Householder reflections.

    Args:
      input: A, `[…, M, N]`.
      full_matrices: whether Q is square.
      name: of the node.
    Returns:
      q, `[…, M, P]`, and r, `[…, P, N]`, where P = min(M, N), or M with `full_matrices`.
    """
    return Qr(input, full_matrices=full_matrices, name=name)

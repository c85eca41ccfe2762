"""Eigenvalues and eigenvectors, of self-adjoint and of any square matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import factorizations
from featherflow.ops.arithmetic_ops import AddV2, Mul, Sub
from featherflow.ops.cast_ops import cast
from featherflow.ops.complex_ops import conj, real
from featherflow.ops.constant_ops import constant
from featherflow.ops.division_ops import DivNoNan
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.matrix_diag_ops import band_part, diag, diag_part, set_diag
from featherflow.ops.matrix_shapes import NOTHING, adjoint, batch_of, square_dim
from featherflow.ops.reshape_ops import expand_dims
from featherflow.ops.solve_ops import MatrixSolve
from featherflow.ops.type_groups import COMPLEX, WIDE_FLOATS

Pair = tuple[np.ndarray, np.ndarray]


def _eigen_shape(c: InferenceContext) -> list[TensorShape]:
    size, batch = square_dim(c, 0), batch_of(c.shapes[0])
    vectors = batch.concatenate([size, size]) if c.attrs["compute_v"] else NOTHING
    return [batch.concatenate([size]), vectors]


def _over_gaps(matrix: Tensor, values: Tensor) -> Tensor:
    """matrix_ij / (ē_j − ē_i), and 0 for equal values, whose vectors have no derivatives."""
    values = conj(values)
    return DivNoNan(matrix, Sub(expand_dims(values, -2), expand_dims(values, -1)))


# --- SelfAdjointEigV2 -----------------------------------------------------------------------------

SelfAdjointEigV2 = define_op(
    "SelfAdjointEigV2",
    inputs=("input: T",),
    outputs=("e: T", "v: T"),
    attrs=("compute_v: bool = true", "T: {double, float, half, complex64, complex128}"),
)
SelfAdjointEigV2.shape_fn(_eigen_shape)


@SelfAdjointEigV2.kernel("CPU", T=WIDE_FLOATS + COMPLEX)
def _self_adjoint_eig_cpu(input: np.ndarray, *, compute_v: bool) -> Pair:
    values, vectors = factorizations.self_adjoint_eigen(input)
    return values, vectors if compute_v else np.empty(0, input.dtype)


@SelfAdjointEigV2.gradient
def _self_adjoint_eig_grad(op: Any, grad_e: Tensor, grad_v: Tensor) -> Tensor:
    """V (diag ∂e + Vᴴ ∂V over the gaps) Vᴴ, folded into the lower triangle, which the op reads."""
    values, vectors = op.outputs
    inner = diag(cast(real(grad_e), grad_e.dtype.base_dtype))
    if op.attrs["compute_v"]:
        inner = AddV2(inner, _over_gaps(matmul(vectors, grad_v, adjoint_a=True), values))
    else:
        _, vectors = SelfAdjointEigV2(op.inputs[0], compute_v=True)
    whole = matmul(vectors, matmul(inner, vectors, adjoint_b=True))
    folded = band_part(AddV2(whole, adjoint(whole)), -1, 0)
    half = constant(0.5, folded.dtype.base_dtype)
    return set_diag(folded, Mul(half, diag_part(folded)))


@export("linalg.eigh")
@export_v1("linalg.eigh", "self_adjoint_eig")
def self_adjoint_eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """A v = e v for self-adjoint A.

    Args:
      tensor: A, `[…, M, M]`; only its lower triangle is read.
      name: of the node.
    Returns:
      e, `[…, M]`, ascending, and v, `[…, M, M]`, whose columns are the vectors, each unique up to
      a sign or phase.
    """
    e, v = SelfAdjointEigV2(tensor, compute_v=True, name=name)
    return e, v


@export("linalg.eigvalsh")
@export_v1("linalg.eigvalsh", "self_adjoint_eigvals")
def self_adjoint_eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of self-adjoint matrices, ascending; see `self_adjoint_eig`.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.self_adjoint_eigvals([[3.0, 0.0], [0.0, 1.0]])).tolist()
    [1.0, 3.0]
    """
    e, _ = SelfAdjointEigV2(tensor, compute_v=False, name=name)
    return e


# --- Eig ------------------------------------------------------------------------------------------

Eig = define_op(
    "Eig",
    inputs=("input: T",),
    outputs=("e: Tout", "v: Tout"),
    attrs=(
        "compute_v: bool = true",
        "T: {float, double, complex64, complex128}",
        "Tout: {complex64, complex128}",
    ),
)
Eig.shape_fn(_eigen_shape)


@Eig.kernel("CPU", T=WIDE_FLOATS + COMPLEX, Tout=COMPLEX)
def _eig_cpu(input: np.ndarray, *, compute_v: bool, Tout: DType) -> Pair:
    values, vectors = factorizations.eigen(input, Tout.numpy_dtype)
    return values, vectors if compute_v else np.empty(0, Tout.numpy_dtype)


@Eig.gradient
def _eig_grad(op: Any, grad_e: Tensor, grad_v: Tensor) -> Tensor:
    """V⁻ᴴ (diag ∂e + K over the gaps) Vᴴ, where K takes the length, fixed at 1, out of Vᴴ ∂V.

    Boeddeker et al., On the computation of complex-valued gradients, 2017.
    """
    values, vectors = op.outputs
    inner = diag(grad_e)
    if op.attrs["compute_v"]:
        turn = matmul(vectors, grad_v, adjoint_a=True)
        lengths = cast(real(diag_part(turn)), turn.dtype.base_dtype)
        gram = matmul(vectors, vectors, adjoint_a=True)
        turn = Sub(turn, Mul(gram, expand_dims(lengths, -2)))
        inner = AddV2(inner, _over_gaps(turn, values))
    else:
        _, vectors = Eig(op.inputs[0], Tout=op.attrs["Tout"], compute_v=True)
    whole = MatrixSolve(vectors, matmul(inner, vectors, adjoint_b=True), adjoint=True)
    wanted = op.inputs[0].dtype.base_dtype
    return cast(whole, wanted) if wanted.is_complex else cast(real(whole), wanted)


def _eigen(tensor: Any, compute_v: bool, name: str | None) -> Any:
    tensor = convert_to_tensor(tensor, name="input")
    is_double = tensor.dtype.base_dtype in (dtypes.float64, dtypes.complex128)
    result = dtypes.complex128 if is_double else dtypes.complex64
    return Eig(tensor, Tout=result, compute_v=compute_v, name=name)


@export("linalg.eig", "eig")
def eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """A v = e v for any square A.

    Args:
      tensor: A, `[…, M, M]`.
      name: of the node.
    Returns:
      e, `[…, M]`, in no particular order, and v, `[…, M, M]`, whose columns have length 1; both
      complex.
    """
    e, v = _eigen(tensor, True, name)
    return e, v


@export("linalg.eigvals", "eigvals")
def eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of any square matrices, complex; see `eig`."""
    e, _ = _eigen(tensor, False, name)
    return e

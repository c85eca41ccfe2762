"""Determinants and their logarithms."""

from __future__ import annotations

from typing import Any

from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import linear_solves
from featherflow.ops.arithmetic_ops import Mul, Neg
from featherflow.ops.cholesky_ops import cholesky
from featherflow.ops.complex_ops import complex as complex_of
from featherflow.ops.complex_ops import conj, imag, real
from featherflow.ops.exponential_ops import log
from featherflow.ops.matrix_diag_ops import diag_part
from featherflow.ops.matrix_shapes import batch_of, square_dim
from featherflow.ops.reshape_ops import expand_dims
from featherflow.ops.solve_ops import MatrixInverse
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.type_groups import COMPLEX, WIDE_FLOATS

_TYPES = "T: {half, float, double, complex64, complex128}"


def _of_inverse(factor: Tensor, matrix: Tensor) -> Tensor:
    """`factor` · A⁻ᴴ: the derivative of log det A, weighed."""
    wide = expand_dims(expand_dims(factor, -1), -1)
    return Mul(wide, MatrixInverse(matrix, adjoint=True))


# --- MatrixDeterminant ----------------------------------------------------------------------------

MatrixDeterminant = define_op(
    "MatrixDeterminant", inputs=("input: T",), outputs=("output: T",), attrs=(_TYPES,)
)
MatrixDeterminant.kernel("CPU", T=WIDE_FLOATS + COMPLEX)(linear_solves.determinant)


@MatrixDeterminant.shape_fn
def _determinant_shape(c: InferenceContext) -> TensorShape:
    square_dim(c, 0)
    return batch_of(c.shapes[0])


@MatrixDeterminant.gradient
def _determinant_grad(op: Any, grad: Tensor) -> Tensor:
    return _of_inverse(Mul(grad, conj(op.outputs[0])), op.inputs[0])


@export("linalg.det")
@export_v1("linalg.det", "matrix_determinant")
def matrix_determinant(input: Any, name: str | None = None) -> Tensor:
    """The determinant of each matrix.

    Args:
      input: `[…, M, M]`.
      name: of the node.
    Returns:
      `[…]`. The gradient needs matrices that are not singular.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     print(sess.run(tf.matrix_determinant([[2.0, 0.0], [7.0, 4.0]])))
    8.0
    """
    return MatrixDeterminant(input, name=name)


# --- LogMatrixDeterminant -------------------------------------------------------------------------

LogMatrixDeterminant = define_op(
    "LogMatrixDeterminant",
    inputs=("input: T",),
    outputs=("sign: T", "log_abs_determinant: T"),
    attrs=(_TYPES,),
)
LogMatrixDeterminant.kernel("CPU", T=WIDE_FLOATS + COMPLEX)(linear_solves.log_determinant)


@LogMatrixDeterminant.shape_fn
def _log_determinant_shape(c: InferenceContext) -> list[TensorShape]:
    return [_determinant_shape(c)] * 2


@LogMatrixDeterminant.gradient
def _log_determinant_grad(op: Any, grad_sign: Tensor, grad_log: Tensor) -> Tensor:
    if op.inputs[0].dtype.base_dtype.is_complex:
        # The sign eⁱᵃ turns with the imaginary part of log det A; the logarithm is its real part.
        turn = imag(Mul(conj(grad_sign), op.outputs[0]))
        return _of_inverse(complex_of(real(grad_log), Neg(turn)), op.inputs[0])
    return _of_inverse(grad_log, op.inputs[0])


@export("linalg.slogdet")
def slogdet(input: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """det A = sign · exp(log_abs_determinant), which overflows later than det A.

    Args:
      input: A, `[…, M, M]`.
      name: of the node.
    Returns:
      sign and log_abs_determinant, each `[…]` and of the dtype of A; 0 and −∞ for singular A.
    """
    return LogMatrixDeterminant(input, name=name)


@export("linalg.logdet")
def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """log det A = 2 Σ log L_ii, with A = L Lᴴ.

    Args:
      matrix: A, `[…, M, M]`, self-adjoint and positive definite.
      name: of the scope.
    Returns:
      `[…]`.
    """
    with op_scope(name, "logdet", [matrix]):
        diagonal = log(real(diag_part(cholesky(matrix))))
        return 2.0 * reduce_sum(diagonal, axis=[-1])

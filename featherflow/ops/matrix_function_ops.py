"""Functions of matrices: square root, logarithm, exponential."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import matrix_functions
from featherflow.ops.arithmetic_ops import AddV2, Mul, Sub
from featherflow.ops.cast_ops import cast
from featherflow.ops.complex_ops import conj
from featherflow.ops.core_array_ops import concat
from featherflow.ops.exponential_ops import log, pow
from featherflow.ops.extremum_ops import maximum, minimum
from featherflow.ops.identity_ops import stop_gradient
from featherflow.ops.magnitude_ops import abs as absolute
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.matrix_shapes import adjoint, square_shape
from featherflow.ops.reduction_ops import reduce_max
from featherflow.ops.reshape_ops import expand_dims, reshape
from featherflow.ops.rounding_ops import ceil
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.solve_ops import MatrixSolve
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.tensor_diag_ops import eye
from featherflow.ops.type_groups import COMPLEX, WIDE_FLOATS
from featherflow.ops.while_loop import while_loop

# --- MatrixSquareRoot -----------------------------------------------------------------------------

MatrixSquareRoot = define_op(
    "MatrixSquareRoot",
    inputs=("input: T",),
    outputs=("output: T",),
    attrs=("T: {double, float, half, complex64, complex128}",),
)
MatrixSquareRoot.shape_fn(square_shape)
MatrixSquareRoot.kernel("CPU", T=WIDE_FLOATS + COMPLEX)(matrix_functions.matrix_square_root)


@MatrixSquareRoot.gradient
def _matrix_square_root_grad(op: Any, grad: Tensor) -> Tensor:
    """∂A with Xᴴ ∂A + ∂A Xᴴ = ∂X, as one system of M² equations for the elements of ∂A."""
    root = op.outputs[0]
    dynamic: Any = shape_of(root)
    size = dynamic[-1]
    identity = eye(size, dtype=root.dtype.base_dtype)
    system = AddV2(_kronecker(adjoint(root), identity), _kronecker(identity, conj(root)))
    batch = dynamic[:-2]
    square = size * size
    flat = MatrixSolve(
        reshape(system, concat([batch, [square, square]], 0)),
        reshape(grad, concat([batch, [square, 1]], 0)),
    )
    return reshape(flat, dynamic)


def _kronecker(left: Tensor, right: Tensor) -> Tensor:
    """left_ij right_kl as [i, k, j, l], over leading dimensions that broadcast."""
    return Mul(
        expand_dims(expand_dims(left, -2), -1),
        expand_dims(expand_dims(right, -2), -4),
    )


@export("linalg.sqrtm", "matrix_square_root")
def matrix_square_root(input: Any, name: str | None = None) -> Tensor:
    """X with X X = A, whose eigenvalues have no negative real part.

    Args:
      input: A, `[…, M, M]`.
      name: of the node.
    Returns:
      X, `[…, M, M]`; NaN for a real A with a negative eigenvalue.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]])).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    return MatrixSquareRoot(input, name=name)


# --- MatrixLogarithm ------------------------------------------------------------------------------

MatrixLogarithm = define_op(
    "MatrixLogarithm",
    inputs=("input: T",),
    outputs=("output: T",),
    attrs=("T: {complex64, complex128}",),
)
MatrixLogarithm.shape_fn(square_shape)
MatrixLogarithm.kernel("CPU", T=COMPLEX)(matrix_functions.matrix_logarithm)
MatrixLogarithm.without_gradient("TensorFlow has no gradient of MatrixLogarithm")


@export("linalg.logm")
def matrix_logarithm(input: Any, name: str | None = None) -> Tensor:
    """X with eˣ = A, whose eigenvalues have imaginary parts in (−π, π].

    Args:
      input: A, complex `[…, M, M]`.
      name: of the node.
    Returns:
      X, `[…, M, M]`; NaN for a singular A.
    """
    return MatrixLogarithm(input, name=name)


# --- tf.linalg.expm -------------------------------------------------------------------------------

# Below this norm the approximant p(A) / p(−A) of degree 13 has an error below that of float64.
# Higham, The scaling and squaring method for the matrix exponential revisited, 2005.
_PADE_NORM = 5.371920351148152
_PADE = (
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
)
# As many halvings bring any finite float64 below 1.
_MOST_HALVINGS = 1100


@export("linalg.expm")
def matrix_exponential(input: Any, name: str | None = None) -> Tensor:
    """eᴬ = Σ Aⁿ / n!, by a Padé approximant of A / 2ˢ that is squared s times.

    Args:
      input: A, floating or complex, `[…, M, M]`.
      name: of the scope.
    Returns:
      `[…, M, M]`.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]])).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    with op_scope(name, "matrix_exponential", [input]):
        matrix = convert_to_tensor(input, name="matrix")
        halvings = _halvings_of(matrix)
        scale = cast(pow(np.asarray(2, halvings.dtype.numpy_dtype), halvings), matrix.dtype)
        odd, even = _pade_parts(matrix / expand_dims(expand_dims(scale, -1), -1))
        result = MatrixSolve(Sub(even, odd), AddV2(even, odd))

        def is_unfinished(step: Tensor, _: Tensor) -> Tensor:
            return step < reduce_max(halvings)

        def square(step: Any, power: Tensor) -> tuple[Tensor, Tensor]:
            is_due = expand_dims(expand_dims(step < halvings, -1), -1)
            return step + 1, SelectV2(is_due, matmul(power, power), power)

        zero = convert_to_tensor(0, halvings.dtype)
        shapes = (TensorShape([]), matrix.shape)
        return while_loop(is_unfinished, square, (zero, result), shapes)[1]


def _halvings_of(matrix: Tensor) -> Tensor:
    """How often each matrix is halved to come below `_PADE_NORM`, in whole floating numbers."""
    norm = reduce_max(reduce_sum(absolute(stop_gradient(matrix)), -2), -1)
    dtype = norm.dtype.numpy_dtype
    excess = maximum(norm, np.asarray(_PADE_NORM, dtype)) / np.asarray(_PADE_NORM, dtype)
    halvings = ceil(log(excess) / np.log(2).astype(dtype))
    return minimum(halvings, np.asarray(_MOST_HALVINGS, dtype))


def _pade_parts(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """The odd and the even part of p(A), with six products of matrices."""
    b: Any = [np.asarray(value, matrix.dtype.numpy_dtype) for value in _PADE]
    dynamic: Any = shape_of(matrix)
    one: Any = eye(dynamic[-1], dtype=matrix.dtype)
    a2: Any = matmul(matrix, matrix)
    a4: Any = matmul(a2, a2)
    a6: Any = matmul(a4, a2)
    high_odd = matmul(a6, b[13] * a6 + b[11] * a4 + b[9] * a2)
    odd = matmul(matrix, high_odd + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * one)
    high_even = matmul(a6, b[12] * a6 + b[10] * a4 + b[8] * a2)
    return odd, high_even + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * one

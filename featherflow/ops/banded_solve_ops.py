"""Systems of banded triangular matrices: BandedTriangularSolve.

The arithmetic is in `kernels/banded.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, broadcast_static
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import banded
from featherflow.ops.arithmetic_ops import Neg
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.matrix_diag_ops import MatrixDiagPartV3
from featherflow.ops.matrix_shapes import batch_of, matrix_dims
from featherflow.ops.pack_ops import stack
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.sum_ops import unbroadcast
from featherflow.ops.type_groups import COMPLEX, WIDE_FLOATS

BandedTriangularSolve = define_op(
    "BandedTriangularSolve",
    inputs=("matrix: T", "rhs: T"),
    outputs=("output: T",),
    attrs=(
        "lower: bool = true",
        "adjoint: bool = false",
        "T: {double, float, half, complex64, complex128}",
    ),
)


@BandedTriangularSolve.shape_fn
def _banded_triangular_solve_shape(c: InferenceContext) -> TensorShape:
    bands, size = matrix_dims(c, 0)
    rows, columns = matrix_dims(c, 1)
    if bands == 0:
        c.fail("There must be at least one band", received=c.received())
    if bands is not None and size is not None and bands > size:
        c.fail(f"Number of bands {bands} cannot exceed the size of the matrix {size}")
    if c.shapes[0]._dims is None or c.shapes[1]._dims is None:
        return UNKNOWN
    batch = broadcast_static(c, batch_of(c.shapes[0]), batch_of(c.shapes[1]))
    return batch.concatenate([c.merge_dim(size, rows), columns])


@BandedTriangularSolve.kernel("CPU", T=WIDE_FLOATS + COMPLEX)
def _banded_triangular_solve_cpu(
    matrix: np.ndarray, rhs: np.ndarray, *, lower: bool, adjoint: bool
) -> np.ndarray:
    return banded.solve(matrix, rhs, lower, adjoint)


@BandedTriangularSolve.gradient
def _banded_triangular_solve_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
    bands, rhs = op.inputs
    lower, is_adjoint = op.attrs["lower"], op.attrs["adjoint"]
    along_rhs = BandedTriangularSolve(bands, grad, lower=lower, adjoint=not is_adjoint)
    left, right = (op.outputs[0], along_rhs) if is_adjoint else (along_rhs, op.outputs[0])
    along_matrix = Neg(matmul(left, right, adjoint_b=True))
    last: Any = shape_of(bands)[-2] - 1  # type: ignore[index]
    diagonals = stack([-last, 0]) if lower else stack([0, last])
    zero = np.zeros((), bands.dtype.numpy_dtype)
    parts = MatrixDiagPartV3(along_matrix, diagonals, zero, align="LEFT_RIGHT")
    return unbroadcast(parts, bands), unbroadcast(along_rhs, rhs)


@export("linalg.banded_triangular_solve")
def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """X with A X = B, for a triangular A of few diagonals.

    Args:
      bands: the diagonals of A, `[…, K, M]`: from the main one down, each ending at the right, or
        from the outermost upper one down to the main one, each starting at the left.
      rhs: B, `[…, M, N]`; leading dimensions broadcast.
      lower: which triangle.
      adjoint: solves Aᴴ X = B instead.
      name: prefix of the name of the node.
    Returns:
      X, `[…, M, N]`.
    Raises:
      InvalidArgumentError: an element of the main diagonal is 0.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     bands, rhs = [[2.0, 4.0], [0.0, 1.0]], [[2.0], [5.0]]
    ...     x = tf.compat.v2.linalg.banded_triangular_solve(bands, rhs)
    ...     sess.run(x).tolist()
    [[1.0], [1.0]]
    """
    with op_scope(name, "banded_triangular_solve", [bands, rhs]):
        return BandedTriangularSolve(bands, rhs, lower=lower, adjoint=adjoint)

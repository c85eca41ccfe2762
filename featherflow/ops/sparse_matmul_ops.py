"""Products of a sparse and a dense matrix: SparseTensorDenseMatMul."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.graph_api import control_dependencies
from featherflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from featherflow.graph.tensor import Tensor
from featherflow.kernels import sparse as kernels
from featherflow.kernels.gathering import combine_rows
from featherflow.kernels.precision import compute_dtype
from featherflow.ops.arithmetic_ops import Mul
from featherflow.ops.assert_ops import assert_
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import Equal
from featherflow.ops.complex_ops import conj
from featherflow.ops.core_array_ops import concat
from featherflow.ops.gather_ops import gather
from featherflow.ops.identity_ops import identity
from featherflow.ops.pack_ops import stack
from featherflow.ops.reduction_ops import reduce_all
from featherflow.ops.scatter_nd_ops import GatherNd
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.sparse_shapes import matrix
from featherflow.ops.sparse_tensor_ops import as_sparse_tensor
from featherflow.ops.sum_ops import Sum
from featherflow.ops.transpose_ops import matrix_transpose, transpose
from featherflow.ops.type_groups import COMPLEX, FLOATS

SparseTensorDenseMatMul = define_op(
    "SparseTensorDenseMatMul",
    inputs=("a_indices: Tindices", "a_values: T", "a_shape: int64", "b: T"),
    outputs=("product: T",),
    attrs=(
        "T: type",
        "Tindices: {int32, int64} = int64",
        "adjoint_a: bool = false",
        "adjoint_b: bool = false",
    ),
)


@SparseTensorDenseMatMul.shape_fn
def _sparse_tensor_dense_matmul_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(0, 2)
    c.with_rank(1, 1)
    a_shape = c.constant_as_shape(2)
    if a_shape.rank not in (None, 2):
        c.fail("a_shape must have 2 elements", received=str(a_shape))
    rows, inner = a_shape.as_list() if a_shape.rank == 2 else (None, None)
    if c.attrs["adjoint_a"]:
        rows, inner = inner, rows
    b_rows, columns = c.dims(3, 2)
    if c.attrs["adjoint_b"]:
        b_rows, columns = columns, b_rows
    c.merge_dim(inner, b_rows)
    return matrix(rows, columns)


@SparseTensorDenseMatMul.kernel("CPU", T=(*FLOATS, *COMPLEX, dtypes.int32))
def _sparse_tensor_dense_matmul_cpu(
    a_indices: np.ndarray,
    a_values: np.ndarray,
    a_shape: np.ndarray,
    b: np.ndarray,
    *,
    adjoint_a: bool,
    adjoint_b: bool,
) -> np.ndarray:
    kernels.check_parts(a_indices, a_values, a_shape, "a_")
    if b.ndim != 2 or a_shape.shape != (2,):
        raise InvalidArgumentError(
            None,
            None,
            "Both factors must be matrices",
            received=f"a of shape {a_shape.tolist()}, b of shape {list(b.shape)}",
        )
    kernels.check_sizes(a_shape)
    kernels.check_bounds(a_indices, a_shape)
    right = b.conj().T if adjoint_b else b
    rows, inner = a_shape[::-1] if adjoint_a else a_shape
    if inner != len(right):
        raise InvalidArgumentError(
            None,
            None,
            "Cannot multiply: inner dimensions differ",
            received=f"a of shape {a_shape.tolist()}, b of shape {list(b.shape)}, "
            f"adjoint_a {adjoint_a}, adjoint_b {adjoint_b}",
        )
    places, factors = a_indices[:, int(adjoint_a)], a_indices[:, int(not adjoint_a)]
    values = a_values.conj() if adjoint_a else a_values
    wide = compute_dtype(b.dtype)
    product = np.zeros((int(rows), right.shape[1]), wide)
    terms = values[:, None].astype(wide, copy=False) * right[factors].astype(wide, copy=False)
    if terms.size:
        combine_rows(product, places, terms, np.add)
    return product.astype(b.dtype, copy=False)


@SparseTensorDenseMatMul.gradient
def _sparse_tensor_dense_matmul_grad(op: Any, grad: Tensor) -> tuple[None, Tensor, None, Tensor]:
    indices, values, shape, b = op.inputs
    adjoint_a, adjoint_b = op.attrs["adjoint_a"], op.attrs["adjoint_b"]
    b_grad = SparseTensorDenseMatMul(indices, values, shape, grad, adjoint_a=not adjoint_a)
    if adjoint_b:
        b_grad = matrix_transpose(b_grad, conjugate=True)
    # ∂/∂aᵢⱼ is one element of grad · bᴴ: row i of grad times row j of b.
    index_pairs: Any = indices
    rows, columns = index_pairs[:, 0], index_pairs[:, 1]
    right = matrix_transpose(b, conjugate=True) if adjoint_b else b
    if adjoint_a:
        left, other = gather(grad, columns), gather(right, rows)
        return None, Sum(Mul(conj(left), other), [1]), None, b_grad
    left, other = gather(grad, rows), gather(right, columns)
    return None, Sum(Mul(left, conj(other)), [1]), None, b_grad


@export("sparse.sparse_dense_matmul")
@export_v1("sparse.sparse_dense_matmul", "sparse.matmul", "sparse_tensor_dense_matmul")
def sparse_tensor_dense_matmul(
    sp_a: Any,
    b: Any,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """a · b, one of them a SparseTensor.

    Args:
      sp_a: a SparseTensor of rank 2, or a matrix where `b` is a SparseTensor.
      b: a matrix, or a SparseTensor.
      adjoint_a, adjoint_b: take the conjugate transpose of a, of b.
      name: prefix of the name of the node.
    Returns:
      A matrix.
    Raises:
      ValueError: the sizes are known not to fit.
      InvalidArgumentError: they do not fit, or an element lies outside of the matrix.

    >>> import featherflow as tf
    >>> a = tf.SparseTensor([[0, 1], [1, 0]], [2.0, 3.0], [2, 2])
    >>> with tf.Session() as sess:
    ...     sess.run(tf.sparse.sparse_dense_matmul(a, [[1.0], [4.0]])).tolist()
    [[8.0], [3.0]]
    """
    if isinstance(b, (SparseTensor, SparseTensorValue)):
        # a · b = (bᵀ · aᵀ)ᵀ
        return transpose(
            sparse_tensor_dense_matmul(b, sp_a, adjoint_a=not adjoint_b, adjoint_b=not adjoint_a)
        )
    sparse = as_sparse_tensor(sp_a)
    with op_scope(name, "SparseTensorDenseMatMul", [sparse.indices, sparse.values, b]):
        b = convert_to_tensor(b, name="b")
        return SparseTensorDenseMatMul(
            sparse.indices,
            sparse.values,
            sparse.dense_shape,
            b,
            adjoint_a=adjoint_a,
            adjoint_b=adjoint_b,
        )


@export("sparse.sampled_addmm")
def sampled_addmm(
    indices: Any,
    values: Any,
    dense_shape: Any,
    mat1: Any,
    mat2: Any,
    beta: float = 1.0,
    alpha: float = 1.0,
    output_type: Any = dtypes.float32,
) -> tuple[Tensor, Tensor, Tensor]:
    """α · (mat1 · mat2) at the places of a SparseTensor, plus β times its values.

    Args:
      indices: [N, 2], places; or [N, rank] with batch dimensions first.
      values: [N]
      dense_shape: [rank]
      mat1: [batch…, M, K]
      mat2: [batch…, K, N]
      beta, alpha: factors; β = 0 leaves the values out.
      output_type: dtype of the sums.
    Returns:
      indices, the new values, and dense_shape.
    Raises:
      InvalidArgumentError: dense_shape is not that of the product.
    """
    dtype = dtypes.as_dtype(output_type)
    indices, dense_shape = convert_to_tensor(indices), convert_to_tensor(dense_shape)
    values = convert_to_tensor(values, dtype)
    mat1, mat2 = convert_to_tensor(mat1, dtype), convert_to_tensor(mat2, dtype)
    sizes: Any = (shape_of(mat1)[-2], shape_of(mat2)[-1])  # type: ignore[index]
    product_shape = cast(stack(sizes), dense_shape.dtype)
    fits = reduce_all(Equal(dense_shape[-2:], product_shape))
    with control_dependencies([assert_(fits, [dense_shape, product_shape])]):
        places: Any = identity(indices)
    left = GatherNd(mat1, places[:, :-1])
    columns = concat([places[:, :-2], places[:, -1:]], 1)
    right = GatherNd(matrix_transpose(mat2), columns)
    products: Any = Sum(Mul(left, right), [-1])
    result = products * alpha
    return indices, (result + values * beta) if beta else result, dense_shape

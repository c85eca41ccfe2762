"""Matrix products: MatMul, SparseMatMul, the BatchMatMuls, and `tf.matmul`, which chooses one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.exports import export
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import Dim, InferenceContext, broadcast_static
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels.matrix_product import batch_matrix_product, matrix_product
from featherflow.ops.cast_ops import cast
from featherflow.ops.complex_ops import conj
from featherflow.ops.reshape_ops import expand_dims, squeeze
from featherflow.ops.sum_ops import unbroadcast
from featherflow.ops.type_groups import COMPLEX, FLOATS, SIGNED, UNSIGNED, one_of

Gradients = tuple[Tensor, Tensor]
_WIDE_SIGNED = (dtypes.int32, dtypes.int64)

# --- MatMul ---------------------------------------------------------------------------------------

_MATMUL_TYPES = (*FLOATS, *_WIDE_SIGNED, *UNSIGNED, *COMPLEX)
MatMul = define_op(
    "MatMul",
    inputs=("a: T", "b: T"),
    outputs=("product: T",),
    attrs=(
        "transpose_a: bool = false",
        "transpose_b: bool = false",
        f"T: {one_of(_MATMUL_TYPES)}",
        "grad_a: bool = false",
        "grad_b: bool = false",
    ),
)


@MatMul.shape_fn
def _matmul_shape(c: InferenceContext) -> TensorShape:
    a, b = c.with_rank(0, 2)._dims, c.with_rank(1, 2)._dims
    assert a is not None and b is not None
    rows, inner_a = a[::-1] if c.attrs["transpose_a"] else a
    inner_b, columns = b[::-1] if c.attrs["transpose_b"] else b
    c.merge_dim(inner_a, inner_b)
    return TensorShape._of((rows, columns))


@MatMul.kernel("CPU", T=_MATMUL_TYPES)
def _matmul_cpu(
    a: np.ndarray, b: np.ndarray, *, transpose_a: bool, transpose_b: bool
) -> np.ndarray:
    return matrix_product(a, b, transpose_a, transpose_b)


@MatMul.compile_rule
def _matmul_compile(c: Any, a: Any, b: Any, *, transpose_a: bool, transpose_b: bool) -> Any:
    return c.matmul(a, b, transpose_a, transpose_b)


@MatMul.gradient
def _matmul_grad(op: Any, grad: Tensor) -> Gradients:
    return _product_gradients(op, grad, MatMul, op.attrs["transpose_a"], op.attrs["transpose_b"])


def _product_gradients(
    op: Any, grad: Tensor, product: Any, transpose_a: bool, transpose_b: bool
) -> Gradients:
    """∂a = grad · b̄ᵀ and ∂b = āᵀ · grad, with the transpositions of the op undone."""
    a, b = conj(op.inputs[0]), conj(op.inputs[1])
    if transpose_a:
        along_a = product(b, grad, transpose_a=transpose_b, transpose_b=True)
    else:
        along_a = product(grad, b, transpose_b=not transpose_b)
    if transpose_b:
        along_b = product(grad, a, transpose_a=True, transpose_b=transpose_a)
    else:
        along_b = product(a, grad, transpose_a=not transpose_a)
    return along_a, along_b


# --- SparseMatMul ---------------------------------------------------------------------------------

_SPARSE_TYPES = (dtypes.float32, dtypes.bfloat16)
SparseMatMul = define_op(
    "SparseMatMul",
    inputs=("a: Ta", "b: Tb"),
    outputs=("product: float",),
    attrs=(
        "transpose_a: bool = false",
        "transpose_b: bool = false",
        "a_is_sparse: bool = false",
        "b_is_sparse: bool = false",
        "Ta: {float, bfloat16} = float",
        "Tb: {float, bfloat16} = float",
    ),
)
SparseMatMul.shape_fn(_matmul_shape)


@SparseMatMul.kernel("CPU", Ta=_SPARSE_TYPES, Tb=_SPARSE_TYPES)
def _sparse_matmul_cpu(
    a: np.ndarray, b: np.ndarray, *, transpose_a: bool, transpose_b: bool
) -> np.ndarray:
    # Many zeros are a hint for speed only, and dense BLAS outruns loops that skip them.
    wide = np.float32
    return matrix_product(
        a.astype(wide, copy=False), b.astype(wide, copy=False), transpose_a, transpose_b
    )


@SparseMatMul.gradient
def _sparse_matmul_grad(op: Any, grad: Tensor) -> Gradients:
    along_a, along_b = _product_gradients(
        op, grad, SparseMatMul, op.attrs["transpose_a"], op.attrs["transpose_b"]
    )
    return cast(along_a, op.attrs["Ta"]), cast(along_b, op.attrs["Tb"])


# --- BatchMatMul, BatchMatMulV2 -------------------------------------------------------------------


def _define_batch_matmul(name: str, types: tuple[DType, ...], broadcast: bool) -> Op:
    op = define_op(
        name,
        inputs=("x: T", "y: T"),
        outputs=("output: T",),
        attrs=(
            f"T: {one_of(types)}",
            "adj_x: bool = false",
            "adj_y: bool = false",
            "grad_x: bool = false",
            "grad_y: bool = false",
        ),
    )

    def batch_matmul_cpu(x: np.ndarray, y: np.ndarray, *, adj_x: bool, adj_y: bool) -> np.ndarray:
        return batch_matrix_product(x, y, adj_x, adj_y, broadcast=broadcast)

    op.kernel("CPU", T=types)(batch_matmul_cpu)
    return op


BatchMatMul = _define_batch_matmul("BatchMatMul", (*FLOATS, *_WIDE_SIGNED, *COMPLEX), False)
BatchMatMulV2 = _define_batch_matmul(
    "BatchMatMulV2", (*FLOATS, dtypes.int16, *_WIDE_SIGNED, *UNSIGNED, *COMPLEX), True
)


@BatchMatMul.compile_rule
@BatchMatMulV2.compile_rule
def _batch_matmul_compile(c: Any, x: Any, y: Any, *, adj_x: bool, adj_y: bool) -> Any:
    return c.matmul(x, y, adj_x, adj_y)


@BatchMatMul.shape_fn
def _batch_matmul_v1_shape(c: InferenceContext) -> TensorShape:
    x, y = c.with_rank_at_least(0, 2), c.with_rank_at_least(1, 2)
    batch = c.merge(_batch_of(x), _batch_of(y))
    return batch.concatenate(_product_dims(c, x, y))


@BatchMatMulV2.shape_fn
def _batch_matmul_shape(c: InferenceContext) -> TensorShape:
    x, y = c.with_rank_at_least(0, 2), c.with_rank_at_least(1, 2)
    if x._dims is None or y._dims is None:
        return UNKNOWN
    batch = broadcast_static(c, _batch_of(x), _batch_of(y))
    return batch.concatenate(_product_dims(c, x, y))


def _batch_of(shape: TensorShape) -> TensorShape:
    return UNKNOWN if shape._dims is None else TensorShape._of(shape._dims[:-2])


def _product_dims(c: InferenceContext, x: TensorShape, y: TensorShape) -> list[Dim]:
    """Rows and columns of the product; refuses inner sizes that differ."""
    rows, inner_x = (None, None) if x._dims is None else x._dims[-2:]
    inner_y, columns = (None, None) if y._dims is None else y._dims[-2:]
    if c.attrs["adj_x"]:
        rows, inner_x = inner_x, rows
    if c.attrs["adj_y"]:
        inner_y, columns = columns, inner_y
    c.merge_dim(inner_x, inner_y)
    return [rows, columns]


@BatchMatMul.gradient
def _batch_matmul_v1_grad(op: Any, grad: Tensor) -> Gradients:
    return _batch_gradients(op, grad, BatchMatMul, BatchMatMul)


@BatchMatMulV2.gradient
def _batch_matmul_grad(op: Any, grad: Tensor) -> Gradients:
    along_x, along_y = _batch_gradients(op, grad, BatchMatMulV2, BatchMatMulV2)
    return unbroadcast(along_x, op.inputs[0]), unbroadcast(along_y, op.inputs[1])


def _batch_gradients(op: Any, grad: Tensor, product_x: Any, product_y: Any) -> Gradients:
    """∂x = grad · yᴴ and ∂y = xᴴ · grad, with the adjoints of the op undone."""
    x, y = op.inputs
    adj_x, adj_y = op.attrs["adj_x"], op.attrs["adj_y"]
    if adj_x:
        along_x = product_x(y, grad, adj_x=adj_y, adj_y=True)
    else:
        along_x = product_x(grad, y, adj_y=not adj_y)
    if adj_y:
        along_y = product_y(grad, x, adj_x=True, adj_y=adj_x)
    else:
        along_y = product_y(x, grad, adj_x=not adj_x)
    return along_x, along_y


# --- BatchMatMulV3 --------------------------------------------------------------------------------

_V3_TYPES = (*FLOATS, dtypes.uint8, *SIGNED, *COMPLEX)
_V3_RESULTS = (*FLOATS, dtypes.int16, *_WIDE_SIGNED, *COMPLEX)
BatchMatMulV3 = define_op(
    "BatchMatMulV3",
    inputs=("x: Ta", "y: Tb"),
    outputs=("output: Tout",),
    attrs=(
        f"Ta: {one_of(_V3_TYPES)}",
        f"Tb: {one_of(_V3_TYPES)}",
        f"Tout: {one_of(_V3_RESULTS)}",
        "adj_x: bool = false",
        "adj_y: bool = false",
        "grad_x: bool = false",
        "grad_y: bool = false",
    ),
)
BatchMatMulV3.shape_fn(_batch_matmul_shape)


@BatchMatMulV3.kernel("CPU", Ta=_V3_TYPES, Tb=_V3_TYPES, Tout=_V3_RESULTS)
def _batch_matmul_v3_cpu(
    x: np.ndarray, y: np.ndarray, *, Tout: DType, adj_x: bool, adj_y: bool
) -> np.ndarray:
    return batch_matrix_product(x, y, adj_x, adj_y, Tout.numpy_dtype)


@BatchMatMulV3.gradient
def _batch_matmul_v3_grad(op: Any, grad: Tensor) -> Gradients:
    def product_of(dtype: DType) -> Any:
        return lambda x, y, **adjoints: BatchMatMulV3(x, y, Tout=dtype, **adjoints)

    along_x, along_y = _batch_gradients(
        op, grad, product_of(op.attrs["Ta"]), product_of(op.attrs["Tb"])
    )
    return unbroadcast(along_x, op.inputs[0]), unbroadcast(along_y, op.inputs[1])


# --- tf.matmul ------------------------------------------------------------------------------------


@export("linalg.matmul", "matmul")
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """a · b: the products of the matrices in the last two dimensions.

        output[…, i, j] = Σ_k a[…, i, k] · b[…, k, j]

    Args:
      a: `[…, M, K]`, a numeric type; `[…, K, M]` if it is transposed.
      b: `[…, K, N]`, of the dtype of `a`; `[…, N, K]` if it is transposed.
      transpose_a, transpose_b: swap the last two dimensions first.
      adjoint_a, adjoint_b: swap them and conjugate.
      a_is_sparse, b_is_sparse: hints that a matrix has many zeros.
      output_type: of the result; None takes the dtype of `a`.
      grad_a, grad_b: marks of products that are gradients.
      name: of the node.
    Returns:
      `[…, M, N]`; the leading dimensions broadcast.
    Raises:
      ValueError: both `transpose_a` and `adjoint_a` are set, or shapes are known not to fit.
      InvalidArgumentError: shapes do not fit in the run.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.matmul([[1, 2], [3, 4]], [[1], [10]])).tolist()
    [[21], [43]]
    """
    with op_scope(name, "MatMul", [a, b]) as scope:
        _refuse_both("a", transpose_a, adjoint_a)
        _refuse_both("b", transpose_b, adjoint_b)
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, dtype_hint=a.dtype.base_dtype, name="b")
        left, right = _Factor(a, transpose_a, adjoint_a), _Factor(b, transpose_b, adjoint_b)
        result = None if output_type is None else as_dtype(output_type)
        if result is not None and result is not left.dtype:
            return _batch_product(BatchMatMulV3, left, right, Tout=result, name=scope)
        if not (a_is_sparse or b_is_sparse) and (left.may_be_stack or right.may_be_stack):
            marks = {"grad_x": grad_a, "grad_y": grad_b}
            return _batch_product(BatchMatMulV2, left, right, name=scope, **marks)
        if _wants_sparse(left.dtype, right.dtype, a_is_sparse or b_is_sparse):
            hints = {"a_is_sparse": a_is_sparse, "b_is_sparse": b_is_sparse}
            product = _matrix_product(SparseMatMul, left, right, name=scope, **hints)
            is_bfloat16 = left.dtype is right.dtype is dtypes.bfloat16
            return cast(product, dtypes.bfloat16) if is_bfloat16 else product
        marks = {"grad_a": grad_a, "grad_b": grad_b}
        return _matrix_product(MatMul, left, right, name=scope, **marks)


def _refuse_both(which: str, transpose: bool, adjoint: bool) -> None:
    if transpose and adjoint:
        raise ValueError(f"Only one of `transpose_{which}` and `adjoint_{which}` can be True.")


class _Factor(NamedTuple):
    """One side of `tf.matmul`, and what is asked of it."""

    tensor: Tensor
    transpose: bool
    adjoint: bool

    @property
    def dtype(self) -> DType:
        return self.tensor.dtype.base_dtype

    @property
    def may_be_stack(self) -> bool:
        rank = self.tensor.shape.rank
        return rank is None or rank > 2

    def adjoined(self) -> tuple[Tensor, bool]:
        """For ops that know adjoints only: a transposition is that of the conjugate."""
        return (conj(self.tensor), True) if self.transpose else (self.tensor, self.adjoint)

    def transposed(self) -> tuple[Tensor, bool]:
        """For ops that know transpositions only."""
        return (conj(self.tensor), True) if self.adjoint else (self.tensor, self.transpose)


def _batch_product(op: Op, left: _Factor, right: _Factor, **attrs: Any) -> Tensor:
    x, adj_x = left.adjoined()
    y, adj_y = right.adjoined()
    return op(x, y, adj_x=adj_x, adj_y=adj_y, **attrs)


def _matrix_product(op: Op, left: _Factor, right: _Factor, **attrs: Any) -> Tensor:
    a, transpose_a = left.transposed()
    b, transpose_b = right.transposed()
    return op(a, b, transpose_a=transpose_a, transpose_b=transpose_b, **attrs)


def _wants_sparse(left: DType, right: DType, is_sparse: bool) -> bool:
    if is_sparse and left in _SPARSE_TYPES and right in _SPARSE_TYPES:
        return True
    return dtypes.bfloat16 in (left, right) and left is not right


@export("linalg.matvec")
def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """a · b for matrices `[…, M, K]` and vectors `[…, K]`; see `matmul`.

    Returns:
      `[…, M]`.
    """
    with op_scope(name, "MatVec", [a, b]):
        product = matmul(
            a,
            expand_dims(b, -1),
            transpose_a=transpose_a,
            adjoint_a=adjoint_a,
            a_is_sparse=a_is_sparse,
            b_is_sparse=b_is_sparse,
        )
        return squeeze(product, axis=-1)

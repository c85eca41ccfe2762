"""SparseTensors with other tensors, element by element: products, quotients, extrema.

SparseDenseCwise ops give new values at the places of a SparseTensor; the dense operand broadcasts
to its shape. SparseSparseMaximum and SparseSparseMinimum work on the union of two lists of places.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.sparse_tensor import SparseTensor, as_sparse_tensor
from featherflow.graph.tensor import Tensor
from featherflow.kernels import sparse as kernels
from featherflow.ops.arithmetic_ops import Mul, Neg
from featherflow.ops.cast_ops import cast
from featherflow.ops.core_array_ops import concat
from featherflow.ops.division_ops import FloorDiv, RealDiv
from featherflow.ops.fill_ops import ones, zeros_like
from featherflow.ops.scatter_nd_ops import GatherNd
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.sparse_add_ops import SUM_TYPES, SparseTensorDenseAdd
from featherflow.ops.sparse_shapes import MATRIX, VECTOR, check_part_ranks, vector
from featherflow.ops.type_groups import REAL

# --- SparseDenseCwiseAdd, Mul, Div ----------------------------------------------------------------


def _define_cwise(name: str, combine: Any) -> Op:
    """Values at the places of a SparseTensor, combined with those of a tensor."""
    op = define_op(
        name,
        inputs=("sp_indices: int64", "sp_values: T", "sp_shape: int64", "dense: T"),
        outputs=("output: T",),
        attrs=(SUM_TYPES,),
    )

    @op.shape_fn
    def shape(c: InferenceContext) -> TensorShape:
        return vector(c.dims(0, 2)[0])

    @op.kernel("CPU", T=REAL)
    def cpu(
        sp_indices: np.ndarray, sp_values: np.ndarray, sp_shape: np.ndarray, dense: np.ndarray
    ) -> np.ndarray:
        kernels.check_parts(sp_indices, sp_values, sp_shape, "sp_")
        sizes = tuple(sp_shape.tolist())
        if len(sizes) > 5 or not sizes or not _broadcasts(dense.shape, sizes):
            raise InvalidArgumentError(
                None,
                None,
                "The dense operand must broadcast to the shape of the SparseTensor, of rank 1 to 5",
                received=f"{list(dense.shape)} and {list(sizes)}",
            )
        kernels.check_bounds(sp_indices, sp_shape)
        return combine(sp_values, np.broadcast_to(dense, sizes)[tuple(sp_indices.T)])

    return op


def _broadcasts(dims: tuple[int, ...], sizes: tuple[int, ...]) -> bool:
    if len(dims) > len(sizes):
        return False
    return all(dim in (1, size) for dim, size in zip(dims[::-1], sizes[::-1]))


def _quotient(values: np.ndarray, divisors: np.ndarray) -> np.ndarray:
    if not divisors.all():
        raise InvalidArgumentError(None, None, "SparseDenseCwiseDiv cannot divide by zero")
    if values.dtype.kind not in "iu":
        return values / divisors
    quotient = values // divisors
    # Towards zero, as integers divide in C.
    return quotient + ((quotient < 0) & (quotient * divisors != values)).astype(values.dtype)


SparseDenseCwiseAdd = _define_cwise("SparseDenseCwiseAdd", np.add)
SparseDenseCwiseMul = _define_cwise("SparseDenseCwiseMul", np.multiply)
SparseDenseCwiseDiv = _define_cwise("SparseDenseCwiseDiv", _quotient)


@SparseDenseCwiseAdd.gradient
def _sparse_dense_cwise_add_grad(op: Any, grad: Tensor) -> Any:
    raise NotImplementedError("The gradient of SparseDenseCwiseAdd is not implemented.")


@SparseDenseCwiseMul.gradient
def _sparse_dense_cwise_mul_grad(op: Any, grad: Tensor) -> tuple[None, Tensor, None, Tensor]:
    _, values, _, dense = op.inputs
    places, elements = _dense_elements(op)
    dense_grad = _scattered(places, Mul(grad, values), dense)
    return None, Mul(grad, elements), None, dense_grad


@SparseDenseCwiseDiv.gradient
def _sparse_dense_cwise_div_grad(op: Any, grad: Tensor) -> tuple[None, Tensor, None, Tensor]:
    _, values, _, dense = op.inputs
    places, elements = _dense_elements(op)
    square = RealDiv(RealDiv(Neg(values), elements), elements)
    return None, RealDiv(grad, elements), None, _scattered(places, Mul(grad, square), dense)


def _dense_elements(op: Any) -> tuple[Tensor, Tensor]:
    """Where in the dense operand each value of the SparseTensor meets it, and what stands there."""
    indices, _, shape, dense = op.inputs
    dense_shape: Any = cast(shape_of(dense), indices.dtype)
    added: Any = shape_of(shape)[0] - shape_of(dense_shape)[0]  # type: ignore[index]
    padded = concat([ones(convert_to_tensor([added]), indices.dtype), dense_shape], 0)
    # Sizes of 1 that are repeated: the index there is 0.
    places: Any = FloorDiv(indices, FloorDiv(shape, padded))
    places = places[:, added:]
    return places, GatherNd(dense, places)


def _scattered(places: Tensor, values: Tensor, dense: Tensor) -> Tensor:
    """Zeros in the shape of `dense`, `values` added at `places`."""
    shape = cast(shape_of(dense), places.dtype)
    return SparseTensorDenseAdd(places, values, shape, zeros_like(dense))


# --- operators ------------------------------------------------------------------------------------


def _operator(op: Op, name: str) -> Any:
    def apply(sparse: SparseTensor, other: Any) -> SparseTensor:
        with op_scope(None, name, [sparse.indices]) as scope:
            dense = convert_to_tensor(other, sparse.dtype.base_dtype, name="y")
            parts = (sparse.indices, sparse.values, sparse.dense_shape)
            values = op(*parts, dense, name=scope)
            return SparseTensor(sparse.indices, values, sparse.dense_shape)

    return apply


SparseTensor.operators |= {
    "mul": _operator(SparseDenseCwiseMul, "mul"),
    "truediv": _operator(SparseDenseCwiseDiv, "truediv"),
    "div": _operator(SparseDenseCwiseDiv, "div"),
}

# --- SparseSparseMaximum and SparseSparseMinimum --------------------------------------------------


def _define_extremum(name: str, combine: np.ufunc, types: str) -> Op:
    """The extremum of two SparseTensors; what one does not hold is 0."""
    op = define_op(
        name,
        inputs=(
            "a_indices: int64",
            "a_values: T",
            "a_shape: int64",
            "b_indices: int64",
            "b_values: T",
            "b_shape: int64",
        ),
        outputs=("output_indices: int64", "output_values: T"),
        attrs=(types,),
    )

    @op.shape_fn
    def shape(c: InferenceContext) -> list[TensorShape]:
        for first in (0, 3):
            check_part_ranks(c, first)
        return [MATRIX, VECTOR]

    @op.kernel("CPU", T=REAL)
    def cpu(*parts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _extremum_of(combine, *parts)

    @op.gradient
    def grad(op: Any, indices_grad: Any, values_grad: Any) -> list[None]:
        return [None] * 6  # as in TensorFlow

    return op


def _extremum_of(
    combine: np.ufunc,
    a_indices: np.ndarray,
    a_values: np.ndarray,
    a_shape: np.ndarray,
    b_indices: np.ndarray,
    b_values: np.ndarray,
    b_shape: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    kernels.check_parts(a_indices, a_values, a_shape, "a_")
    kernels.check_parts(b_indices, b_values, b_shape, "b_")
    if not np.array_equal(a_shape, b_shape):
        raise InvalidArgumentError(
            None,
            None,
            "The two must have one shape",
            received=f"{a_shape.tolist()} and {b_shape.tolist()}",
        )
    kernels.check_sizes(a_shape)
    kernels.check_bounds(a_indices, a_shape)
    kernels.check_bounds(b_indices, b_shape)
    places = kernels.merge(a_indices, b_indices)
    a_merged = kernels.take_or_zero(a_values, places[0])
    b_merged = kernels.take_or_zero(b_values, places[1])
    indices = kernels.merged_indices(a_indices, b_indices, *places)
    return indices, combine(a_merged, b_merged)


SparseSparseMaximum = _define_extremum(
    "SparseSparseMaximum",
    np.maximum,
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}",
)
SparseSparseMinimum = _define_extremum("SparseSparseMinimum", np.minimum, SUM_TYPES)


@export("sparse.maximum")
@export_v1("sparse.maximum", "sparse_maximum")
def sparse_maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """max(a, b) of two SparseTensors, at the places that either holds; what is not there is 0.

    Args:
      sp_a, sp_b: SparseTensors of one shape, in row-major order.
      name: of the node.
    Returns:
      A SparseTensor.
    Raises:
      InvalidArgumentError: the shapes differ.
    """
    return _extremum(SparseSparseMaximum, sp_a, sp_b, name or "SparseSparseMaximum")


@export("sparse.minimum")
@export_v1("sparse.minimum", "sparse_minimum")
def sparse_minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """min(a, b) of two SparseTensors; see `tf.sparse.maximum`."""
    return _extremum(SparseSparseMinimum, sp_a, sp_b, name or "SparseSparseMinimum")


def _extremum(op: Op, sp_a: Any, sp_b: Any, name: str) -> SparseTensor:
    a, b = as_sparse_tensor(sp_a), as_sparse_tensor(sp_b)
    parts = (a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape)
    indices, values = op(*parts, name=name)
    return SparseTensor(indices, values, a.dense_shape)

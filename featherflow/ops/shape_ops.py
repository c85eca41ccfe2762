"""Ops that ask for shapes: Shape, ShapeN, Size, Rank, and the axes that gradients sum over."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, scalar_shape
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.constant_ops import constant


def _vector_of_rank(shape: TensorShape) -> TensorShape:
    return TensorShape._of((None if shape._dims is None else len(shape._dims),))


# --- Shape ----------------------------------------------------------------------------------------

Shape = define_op(
    "Shape",
    inputs=("input: T",),
    outputs=("output: out_type",),
    attrs=("T: type", "out_type: {int32, int64} = int32"),
    reads_shapes_only=True,
)


@Shape.shape_fn
def _shape_shape(c: InferenceContext) -> TensorShape:
    return _vector_of_rank(c.shapes[0])


@Shape.kernel("CPU")
def _shape_cpu(input: np.ndarray, *, out_type: DType) -> np.ndarray:
    return np.array(input.shape, dtype=out_type.numpy_dtype)


@Shape.static_value
def _shape_static_value(node: Any) -> np.ndarray | None:
    shape = node.inputs[0].shape
    if not shape.is_fully_defined():
        return None
    out_type = node.attrs["out_type"]
    if max(shape._dims, default=0) > out_type.max:  # the run will refuse it
        return None
    return np.array(shape._dims, dtype=out_type.numpy_dtype)


@Shape.partial_shape
def _shape_partial_shape(tensor: Tensor, as_shape: Any) -> TensorShape:
    return tensor.op.inputs[0].shape


Shape.not_differentiable("a shape is an integer vector")


@export_v1("shape")
def shape(input: Any, name: str | None = None, out_type: DType | None = None) -> Tensor:
    """The shape of a tensor, as a vector.

    A shape that is known while the graph is built becomes a constant.

    Args:
      input: a tensor or SparseTensor.
      name: of the node.
      out_type: int32 or int64; None is int32.
    Returns:
      A vector of `rank(input)` elements.
    """
    return shape_internal(input, name, optimize=True, out_type=out_type or dtypes.int32)


@export("shape")
def shape_v2(input: Any, out_type: DType | None = None, name: str | None = None) -> Tensor:
    """`shape` with TF2's order of arguments."""
    return shape(input, name, out_type)


def shape_internal(
    input: Any, name: str | None = None, optimize: bool = True, out_type: DType | None = None
) -> Tensor:
    """`shape`; `optimize=False` makes a Shape node in any case."""
    with op_scope(name, "Shape", [input]) as scope:
        if isinstance(input, (SparseTensor, SparseTensorValue)):
            return cast(input.dense_shape, out_type or dtypes.int32)
        input = convert_to_tensor(input)
        static = input.shape
        if not (optimize and static.is_fully_defined()):
            return Shape(input, out_type=out_type or dtypes.int32, name=scope)
        if out_type is None:
            return convert_to_tensor(static)  # int64 where a size needs it
        return constant(static.as_list(), out_type, name=scope)


# --- ShapeN ---------------------------------------------------------------------------------------

ShapeN = define_op(
    "ShapeN",
    inputs=("input: N * T",),
    outputs=("output: N * out_type",),
    attrs=("N: int >= 1", "T: type", "out_type: {int32, int64} = int32"),
    reads_shapes_only=True,
)


@ShapeN.shape_fn
def _shape_n_shape(c: InferenceContext) -> list[TensorShape]:
    return [_vector_of_rank(shape) for shape in c.shapes]


@ShapeN.kernel("CPU")
def _shape_n_cpu(*input: np.ndarray, out_type: DType) -> list[np.ndarray]:
    return [np.array(item.shape, dtype=out_type.numpy_dtype) for item in input]


@ShapeN.partial_shape
def _shape_n_partial_shape(tensor: Tensor, as_shape: Any) -> TensorShape:
    return tensor.op.inputs[tensor.value_index].shape


ShapeN.not_differentiable("a shape is an integer vector")


@export("shape_n")
def shape_n(input: Any, out_type: DType = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors.

    Args:
      input: a list of tensors of one dtype.
      out_type: int32 or int64.
      name: of the node.
    Returns:
      A list of vectors.
    """
    return ShapeN(input, out_type=out_type, name=name)


# --- Size -----------------------------------------------------------------------------------------

Size = define_op(
    "Size",
    inputs=("input: T",),
    outputs=("output: out_type",),
    attrs=("T: type", "out_type: {int32, int64} = int32"),
    reads_shapes_only=True,
)
Size.shape_fn(scalar_shape)


@Size.kernel("CPU")
def _size_cpu(input: np.ndarray, *, out_type: DType) -> np.ndarray:
    return np.array(input.size, dtype=out_type.numpy_dtype)


@Size.static_value
def _size_static_value(node: Any) -> np.ndarray | None:
    shape = node.inputs[0].shape
    if not shape.is_fully_defined():
        return None
    return np.array(math.prod(shape._dims), dtype=node.attrs["out_type"].numpy_dtype)


Size.not_differentiable("a size is an integer")


def size(input: Any, name: str | None = None, out_type: Any = dtypes.int32) -> Tensor:
    """The number of elements of a tensor; the public `tf.size` is in `sparse_tensor_ops`."""
    with op_scope(name, "Size", [input]) as scope:
        input = convert_to_tensor(input)
        if input.shape.is_fully_defined():
            return constant(input.shape.num_elements(), out_type, name=scope)
        return Size(input, out_type=out_type, name=scope)


# --- Rank -----------------------------------------------------------------------------------------

Rank = define_op(
    "Rank",
    inputs=("input: T",),
    outputs=("output: int32",),
    attrs=("T: type",),
    reads_shapes_only=True,
)
Rank.shape_fn(scalar_shape)


@Rank.kernel("CPU")
def _rank_cpu(input: np.ndarray) -> np.ndarray:
    return np.array(input.ndim, dtype=np.int32)


@Rank.static_value
def _rank_static_value(node: Any) -> np.ndarray | None:
    rank = node.inputs[0].shape.rank
    return None if rank is None else np.array(rank, dtype=np.int32)


Rank.not_differentiable("a rank is an integer")


@export("rank")
def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of dimensions of a tensor.

    A rank that is known while the graph is built becomes a constant.

    Args:
      input: a tensor or SparseTensor.
      name: of the node.
    Returns:
      An int32 scalar.
    """
    return rank_internal(input, name, optimize=True)


def rank_internal(input: Any, name: str | None = None, optimize: bool = True) -> Tensor:
    """`rank`; `optimize=False` makes a Rank node in any case."""
    with op_scope(name, "Rank", [input]) as scope:
        if isinstance(input, (SparseTensor, SparseTensorValue)):
            return Size(input.dense_shape, name=scope)
        input = convert_to_tensor(input)
        if optimize and input.shape.rank is not None:
            return constant(input.shape.rank, dtypes.int32, name=scope)
        return Rank(input, name=scope)


# --- BroadcastGradientArgs ------------------------------------------------------------------------

BroadcastGradientArgs = define_op(
    "BroadcastGradientArgs",
    inputs=("s0: T", "s1: T"),
    outputs=("r0: T", "r1: T"),
    attrs=("T: {int32, int64} = int32",),
)


@BroadcastGradientArgs.shape_fn
def _broadcast_gradient_args_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(0, 1)
    c.with_rank(1, 1)
    return [TensorShape._of((None,))] * 2


@BroadcastGradientArgs.kernel("CPU")
def _broadcast_gradient_args_cpu(s0: np.ndarray, s1: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    left, right = s0.tolist(), s1.tolist()
    if left == right:
        return np.empty(0, dtype=s0.dtype), np.empty(0, dtype=s0.dtype)
    rank = max(len(left), len(right))
    left = [1] * (rank - len(left)) + left
    right = [1] * (rank - len(right)) + right
    summed_left, summed_right = [], []
    for axis, (m, n) in enumerate(zip(left, right)):
        if m != n and m != 1 and n != 1:
            raise InvalidArgumentError(
                None,
                None,
                "Incompatible shapes for broadcasting",
                received=f"{s0.tolist()} and {s1.tolist()}",
                expected="equal dimensions, or one of them 1",
            )
        # An axis of 1 in both is listed for both, as in TensorFlow: the sum is over one element.
        if m == 1:
            summed_left.append(axis)
        if n == 1:
            summed_right.append(axis)
    return np.array(summed_left, dtype=s0.dtype), np.array(summed_right, dtype=s0.dtype)


BroadcastGradientArgs.not_differentiable("axes are integers")

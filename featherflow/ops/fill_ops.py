"""Tensors of one value: Fill, ZerosLike, OnesLike, `tf.zeros` and `tf.ones`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, unchanged_shape
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels.allocation import check_allocation
from featherflow.ops import pack_ops  # noqa: F401 (a shape may be a list that holds tensors)
from featherflow.ops.constant_ops import constant
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import Reshape
from featherflow.ops.shape_ops import rank as rank_of
from featherflow.ops.shape_ops import shape_internal
from featherflow.ops.sum_ops import Sum

#: `tf.zeros` of fewer elements is a constant, of more a Fill: graphs stay small.
_MAX_CONSTANT_ELEMENTS = 1000

# --- Fill -----------------------------------------------------------------------------------------

Fill = define_op(
    "Fill",
    inputs=("dims: index_type", "value: T"),
    outputs=("output: T",),
    attrs=("T: type", "index_type: {int32, int64} = int32"),
)


@Fill.shape_fn
def _fill_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(0, 1)
    c.with_rank(1, 0)
    dims = c.constant(0)
    if dims is not None and np.any(dims < 0):
        c.fail("Fill dimensions must be >= 0", received=f"dims {dims.tolist()}")
    return c.constant_as_shape(0)


@Fill.kernel("CPU")
def _fill_cpu(dims: np.ndarray, value: np.ndarray) -> np.ndarray:
    if dims.ndim != 1 or value.ndim != 0 or np.any(dims < 0):
        raise InvalidArgumentError(
            None,
            None,
            "Fill takes a vector of sizes >= 0 and a scalar",
            received=f"dims {dims.tolist()}, value of shape {list(value.shape)}",
        )
    check_allocation(dims, value.dtype)
    return np.full(dims.tolist(), value, dtype=value.dtype)


@Fill.gradient
def _fill_grad(op: Any, grad: Tensor) -> tuple[None, Tensor]:
    rank = grad.shape.rank
    axes = range_(rank_of(grad)) if rank is None else list(range(rank))
    return None, Sum(grad, axes)


@export("fill")
def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """A tensor of shape `dims` whose elements are all `value`.

    Args:
      dims: an integer vector.
      value: a scalar.
      name: of the node.
    Returns:
      A tensor of the dtype of `value`.
    """
    return Fill(dims, value, name=name)


# --- Empty ----------------------------------------------------------------------------------------

Empty = define_op(
    "Empty",
    inputs=("shape: int32",),
    outputs=("output: dtype",),
    attrs=("dtype: type", "init: bool = false"),
    is_stateful=True,
)


@Empty.shape_fn
def _empty_shape(c: InferenceContext) -> TensorShape:
    return c.constant_as_shape(0)


@Empty.kernel("CPU")
def _empty_cpu(shape: np.ndarray, *, dtype: DType) -> np.ndarray:
    # Zeros whatever `init` says: what a program reads never depends on what memory held.
    zero = b"" if dtype is dtypes.string else 0
    check_allocation(shape, dtype.numpy_dtype)
    return np.full(shape.tolist(), zero, dtype=dtype.numpy_dtype)


Empty.without_gradient("the result does not depend on any values")

# --- ZerosLike and OnesLike -----------------------------------------------------------------------

ZerosLike = define_op("ZerosLike", inputs=("x: T",), outputs=("y: T",), attrs=("T: type",))
ZerosLike.shape_fn(unchanged_shape)


@ZerosLike.kernel("CPU")
def _zeros_like_cpu(x: np.ndarray) -> np.ndarray:
    if x.dtype == object:
        return np.full(x.shape, b"", dtype=object)
    return np.zeros(x.shape, dtype=x.dtype)


ZerosLike.not_differentiable("the result does not depend on the values")

OnesLike = define_op(
    "OnesLike",
    inputs=("x: T",),
    outputs=("y: T",),
    attrs=(
        "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, "
        "uint64, complex64, complex128, bool}",
    ),
)
OnesLike.shape_fn(unchanged_shape)


@OnesLike.kernel("CPU")
def _ones_like_cpu(x: np.ndarray) -> np.ndarray:
    return np.ones(x.shape, dtype=x.dtype)


OnesLike.not_differentiable("the result does not depend on the values")


@export_v1("zeros_like")
def zeros_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Zeros of the shape of `tensor`.

    Args:
      tensor: a tensor.
      dtype: of the result; None takes that of `tensor`.
      name: of the node.
      optimize: a shape that is known while the graph is built makes a constant.
    Returns:
      A tensor.
    """
    with op_scope(name, "zeros_like", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        result_dtype = tensor.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype)
        if optimize and tensor.shape.is_fully_defined() and tensor.dtype is not dtypes.variant:
            return zeros(tensor.shape, result_dtype, name=scope)
        if result_dtype is not tensor.dtype.base_dtype and tensor.dtype is not dtypes.variant:
            return zeros(shape_internal(tensor, optimize=optimize), result_dtype, name=scope)
        return ZerosLike(tensor, name=scope)


@export("zeros_like")
def zeros_like_v2(
    input: Any, dtype: Any = None, name: str | None = None, layout: Any = None
) -> Tensor:
    """`zeros_like` with TF2's names; `layout` belongs to DTensor and plays no role."""
    return zeros_like(input, dtype, name)


@export_v1("ones_like")
def ones_like(
    tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Ones of the shape of `tensor`.

    Args:
      tensor: a tensor.
      dtype: of the result; None takes that of `tensor`.
      name: of the node.
      optimize: a shape that is known while the graph is built becomes a constant.
    Returns:
      A tensor.
    """
    with op_scope(name, "ones_like", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        ones_shape = shape_internal(tensor, optimize=optimize)
        result_dtype = tensor.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype)
        result = ones(ones_shape, result_dtype, name=scope)
        result.set_shape(tensor.shape)
        return result


@export("ones_like")
def ones_like_v2(
    input: Any, dtype: Any = None, name: str | None = None, layout: Any = None
) -> Tensor:
    """`ones_like` with TF2's names and nodes; `layout` belongs to DTensor and plays no role."""
    with op_scope(name, "ones_like", [input]) as scope:
        tensor = convert_to_tensor(input, name="tensor")
        result_dtype = tensor.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype)
        if tensor.shape.is_fully_defined():
            return ones(tensor.shape, result_dtype, name=scope)
        if result_dtype is not tensor.dtype.base_dtype:
            return ones(shape_internal(tensor), result_dtype, name=scope)
        return OnesLike(tensor, name=scope)


# --- zeros and ones -------------------------------------------------------------------------------


@export_v1("zeros")
def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """A tensor of zeros; empty strings for string, False for bool.

    Args:
      shape: integers, or an integer vector.
      dtype: of the result.
      name: of the node.
    Returns:
      A tensor.
    """
    result_dtype = dtypes.as_dtype(dtype).base_dtype
    zero: Any = b"" if result_dtype is dtypes.string else False if result_dtype.is_bool else 0
    return _filled(shape, zero, result_dtype, name, "zeros", zeros)


@export("zeros")
def zeros_v2(
    shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None
) -> Tensor:
    """`zeros` with TF2's arguments; `layout` belongs to DTensor and plays no role."""
    return zeros(shape, dtype, name)


@export_v1("ones")
def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """A tensor of ones; True for bool.

    Args:
      shape: integers, or an integer vector.
      dtype: of the result.
      name: of the node.
    Returns:
      A tensor.
    """
    result_dtype = dtypes.as_dtype(dtype).base_dtype
    return _filled(shape, True if result_dtype.is_bool else 1, result_dtype, name, "ones", ones)


@export("ones")
def ones_v2(
    shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None
) -> Tensor:
    """`ones` with TF2's arguments; `layout` belongs to DTensor and plays no role."""
    return ones(shape, dtype, name)


def _filled(
    shape: Any, value: Any, dtype: DType, name: str | None, default: str, function: Callable
) -> Tensor:
    with op_scope(name, default, [shape]) as scope:
        static = None if isinstance(shape, Tensor) else _small_shape(shape)
        if static is not None:
            return constant(value, shape=static, dtype=dtype, name=scope)
        dims = shape
        if not isinstance(shape, Tensor):
            dims = _shape_tensor(shape)
        if dims.shape.rank != 1:
            dims = Reshape(dims, [-1])
        return Fill(dims, constant(value, dtype), name=scope)


def _small_shape(shape: Any) -> TensorShape | None:
    """`shape` if it is fully known and small enough for a constant."""
    if not isinstance(shape, (list, tuple, TensorShape)):
        return None
    try:
        static = TensorShape(shape)
    except (TypeError, ValueError):
        return None  # it holds tensors: a Pack of them
    size = static.num_elements()
    return static if size is not None and size < _MAX_CONSTANT_ELEMENTS else None


def _shape_tensor(shape: Any) -> Tensor:
    try:
        shape = TensorShape(shape)
    except (TypeError, ValueError):
        return convert_to_tensor(shape, dtypes.int32)
    return convert_to_tensor(shape)

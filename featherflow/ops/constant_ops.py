"""Constants and placeholders: values that are there before a step starts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherflow.framework import dtypes, tensor_conversion
from featherflow.framework.array_values import as_ndarray
from featherflow.framework.dimension import Dimension
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor

# --- Const ----------------------------------------------------------------------------------------

Const = define_op("Const", outputs=("output: dtype",), attrs=("value: tensor", "dtype: type"))


@Const.shape_fn
def _const_shape(c: InferenceContext) -> TensorShape:
    value, dtype = c.attrs["value"], c.attrs["dtype"]
    if value.dtype != dtype.numpy_dtype:  # only a damaged GraphDef says so
        c.fail("Inconsistent dtypes", received=f"a value of {value.dtype}", expected=dtype.name)
    return TensorShape._of(value.shape)


# A value that fills a shape is kept as one element (`np.broadcast_to`), as GraphDefs keep it. Up to
# this size it is spread out before kernels see it, which are faster on dense arrays.
_LARGEST_SPREAD = 1 << 24


@Const.static_value
def _const_value(node: Any) -> np.ndarray:
    value = node.attrs["value"]
    if value.flags.c_contiguous or value.nbytes > _LARGEST_SPREAD:
        return value
    return np.ascontiguousarray(value)


@Const.kernel("CPU")
def _const_cpu(*, value: np.ndarray) -> np.ndarray:
    return value


Const.not_differentiable("it has no inputs")


@export_v1("constant")
def constant_v1(
    value: Any,
    dtype: Any = None,
    shape: Any = None,
    name: str = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """A tensor that is `value` in every run.

    Args:
      value: a number, string, array, or nested list of these.
      dtype: of the result; None takes the value's (Python floats are float32, ints int32).
      shape: of the result; a value with fewer elements is filled up with its last one.
      name: of the node.
      verify_shape: refuse a value of another shape instead.
    Returns:
      A tensor.
    Raises:
      TypeError: the value has another dtype, or it is a tensor.
      ValueError: it has too many elements.
    """
    sizes = _sizes_of(shape)
    array = _own_array(value, _dtype_of_nothing(value, dtype, sizes))
    if sizes is not None:
        array = _filled_up(array, sizes, verify_shape)
    return _constant(array, dtype, name)


@export("constant")
def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """A tensor that is `value` in every run.

    Args:
      value: a number, string, array, or nested list of these.
      dtype: of the result; None takes the value's (Python floats are float32, ints int32).
      shape: of the result; a single value fills it, others must have as many elements.
      name: of the node.
    Returns:
      A tensor.
    Raises:
      TypeError: the value has another dtype or number of elements, or it is a tensor.

    >>> import featherflow as tf
    >>> tf.constant([[1.0, 2.0]])
    <tf.Tensor 'Const:0' shape=(1, 2) dtype=float32>
    """
    sizes = _sizes_of(shape)
    array = _own_array(value, _dtype_of_nothing(value, dtype, sizes))
    if sizes is not None:
        if array.size != 1 and array.size != math.prod(sizes):
            raise TypeError(f"Expected Tensor's shape: {sizes}, but got {array.shape}.")
        array = _filled_up(array, sizes, verify=False)
    return _constant(array, dtype, name)


def _constant(array: np.ndarray, dtype: Any, name: str | None) -> Tensor:
    result_dtype = dtypes.from_numpy(array.dtype) if dtype is None else dtypes.as_dtype(dtype)
    return Const(value=array, dtype=result_dtype.base_dtype, name=name or "Const")


def _own_array(value: Any, dtype: Any) -> np.ndarray:
    """`value` as an array that nobody else holds."""
    if isinstance(value, Tensor):
        raise TypeError("Expected any non-tensor type, but got a tensor instead.")
    try:
        array = as_ndarray(value, dtype)
    except NotImplementedError:  # Tensor.__array__
        raise TypeError("Expected any non-tensor type, but got a tensor instead.") from None
    return array.copy() if array is value or array.base is not None else array


def _sizes_of(shape: Any) -> tuple[int, ...] | None:
    return None if shape is None else tuple(TensorShape(shape).as_list())  # type: ignore[arg-type]


def _dtype_of_nothing(value: Any, dtype: Any, sizes: tuple[int, ...] | None) -> Any:
    """`dtype`; for a shape without elements float32, whatever the Python value, as TensorFlow."""
    if dtype is None and sizes and 0 in sizes and not isinstance(value, (np.ndarray, np.generic)):
        return dtypes.float32
    return dtype


def _filled_up(array: np.ndarray, sizes: tuple[int, ...], verify: bool) -> np.ndarray:
    """`array` in the shape `sizes`, its last element repeated where there are too few."""
    if array.shape == sizes:
        return array
    if verify:
        raise TypeError(f"Expected Tensor's shape: {sizes}, but got {array.shape}.")
    count = math.prod(sizes)
    if count == 0:
        return np.empty(sizes, dtype=array.dtype)
    if array.size > count:
        raise ValueError(
            f"Too many elements provided. Takes at most {count:d}, but got {array.size:d}"
        )
    if array.size == count:
        return array.reshape(sizes)
    if array.size <= 1:
        filler = np.array(b"" if array.dtype == object else 0, dtype=array.dtype)
        return np.broadcast_to(array.reshape(()) if array.size else filler, sizes)
    result = np.full(count, array.reshape(-1)[-1], dtype=array.dtype)
    result[: array.size] = array.reshape(-1)
    return result.reshape(sizes)


def convert_value(
    value: Any, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    """The ordinary conversion: anything array-like becomes a constant."""
    if isinstance(value, Operation):
        raise TypeError(f"can't convert Operation '{value.name}' to Tensor")
    return _constant(_own_array(value, dtype), dtype, name)


tensor_conversion.set_tensor_type(Tensor)
tensor_conversion.register_tensor_conversion_function(object, convert_value, 200)

# --- shapes as tensors ----------------------------------------------------------------------------


def _convert_shape(
    value: TensorShape, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    if not value.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
    return _sizes(value, value.as_list(), dtype, name)


def _convert_dimension(
    value: Dimension, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    if value.value is None:
        raise ValueError(f"Cannot convert unknown Dimension {value} to a Tensor.")
    return _sizes(value, value.value, dtype, name)


def _sizes(value: Any, sizes: Any, dtype: DType | None, name: str | None) -> Tensor:
    """An int32 constant, int64 where a size needs it."""
    if dtype is None:
        fits = np.max(sizes, initial=0) <= np.iinfo(np.int32).max
        dtype = dtypes.int32 if fits else dtypes.int64
    if dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(
            f"Cannot convert {type(value).__name__} {value} to dtype {dtype!r}. Allowed dtypes are "
            "tf.int32 and tf.int64."
        )
    return constant(sizes, dtype, name=name or "shape_as_tensor")


tensor_conversion.register_tensor_conversion_function(TensorShape, _convert_shape, 100)
tensor_conversion.register_tensor_conversion_function(Dimension, _convert_dimension, 100)

"""Constants and placeholders: values that are there before a step starts."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes, tensor_conversion
from featherflow.framework.dimension import Dimension
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export, export_v1
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.op_kernel import OpKernel
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.framework.array_conversion import array_of

Const = define_op("Const", outputs=("output: dtype",), attrs=("value: tensor", "dtype: type"))


@Const.shape_fn
def _const_shape(c: InferenceContext) -> TensorShape:
    return TensorShape._of(c.attrs["value"].shape)


@Const.static_value
def _const_value(node: Any) -> np.ndarray:
    return node.attrs["value"]


@Const.kernel("CPU")
def _const_cpu(*, value: np.ndarray) -> np.ndarray:
    return value


Const.not_differentiable("it has no inputs")


@export_v1("constant")
def constant_v1(
    value: Any, dtype: Any = None, shape: Any = None, name: str = "Const", verify_shape: bool = False
) -> Tensor:
    """A tensor that is `value` in every run.

    Args:
      value: a number, string, list or array.
      dtype: of the result; None takes the value's (Python floats are float32, ints int32).
      shape: of the result; a value with fewer elements is filled up with its last one.
      name: of the node.
      verify_shape: refuse a value of another shape instead.
    Returns:
      A tensor.
    Raises:
      TypeError: the value has another dtype.
      ValueError: it has another shape, or too many elements.
    """
    array, result_dtype = array_of(value, None if dtype is None else dtypes.as_dtype(dtype), shape, verify_shape)
    return _constant(array, result_dtype, name)


@export("constant")
def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Tensor:
    """A tensor that is `value` in every run; a `shape` is filled with a single value.

    Args:
      value: a number, string, list or array.
      dtype: of the result; None takes the value's (Python floats are float32, ints int32).
      shape: of the result.
      name: of the node.
    Returns:
      A tensor.
    """
    return constant_v1(value, dtype, shape, name)


def _constant(array: np.ndarray, dtype: DType, name: str | None) -> Tensor:
    return Const(value=array, dtype=dtype, name=name or "Const")


def convert_value(
    value: Any, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    """The ordinary conversion: anything array-like becomes a constant."""
    array, result_dtype = array_of(value, dtype)
    return _constant(array, result_dtype, name)


tensor_conversion.set_tensor_type(Tensor)
tensor_conversion.register_tensor_conversion_function(object, convert_value, 200)


# --- shapes as tensors -----------------------------------------------------------------------------


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

# --- placeholders ----------------------------------------------------------------------------------

Placeholder = define_op(
    "Placeholder", outputs=("output: dtype",), attrs=("dtype: type", "shape: shape = unknown")
)


@Placeholder.shape_fn
def _placeholder_shape(c: InferenceContext) -> TensorShape:
    return c.attrs["shape"]


@Placeholder.kernel("CPU")
class _PlaceholderCpu(OpKernel):
    """Runs only where the placeholder was not fed."""

    def compute(self, ctx: Any) -> np.ndarray:
        attrs = self.node.attrs
        raise InvalidArgumentError(
            None,
            None,
            f"You must feed a value for placeholder tensor '{self.node.name}' with dtype "
            f"{attrs['dtype'].name} and shape {attrs['shape']}",
            remedy=f"Pass feed_dict={{tensor: value}} to Session.run.",
        )


Placeholder.not_differentiable("it has no inputs")


@export_v1("placeholder")
def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor whose value is given with each run: `sess.run(…, feed_dict={x: value})`.

    Args:
      dtype: of the values.
      shape: of the values, None where a dimension may vary; None for any shape.
      name: of the node.
    Returns:
      A tensor that must be fed.
    """
    return Placeholder(dtype=dtypes.as_dtype(dtype), shape=TensorShape(shape), name=name)

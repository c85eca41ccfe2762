"""Checks of dtypes, and of what can be looped over: all are done while the graph is built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.ops.comparison_assertions import message_prefix
from featherflow.ops.grouping_ops import no_op


@export_v1("debugging.assert_type", "assert_type")
def assert_type(
    tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None
) -> Operation:
    """Checks that the dtype of `tensor` is `tf_type`.

    Args:
      tensor: a tensor, SparseTensor, or what becomes one.
      tf_type: a dtype.
      message: what the error says first.
      name: of the scope of the nodes.
    Returns:
      An operation that does nothing.
    Raises:
      TypeError: it is another.

    >>> import featherflow as tf
    >>> tf.assert_type(tf.constant(1.0), tf.int32)
    Traceback (most recent call last):
    TypeError: ...must be of type tf.int32; got tf.float32
    """
    expected = as_dtype(tf_type)
    with name_scope(name, "assert_type", [tensor]):
        if not isinstance(tensor, SparseTensor):
            tensor = convert_to_tensor(tensor, name="tensor")
        if tensor.dtype != expected:
            of_whom = f"{tensor.name} " if isinstance(tensor, Tensor) else ""
            raise TypeError(
                f"{message_prefix(message)}{of_whom}must be of type tf.{expected.name}; got "
                f"tf.{tensor.dtype.name}"
            )
        return no_op("statically_determined_correct_type")


@export("debugging.assert_type")
def assert_type_v2(
    tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None
) -> None:
    """`tf.compat.v1.assert_type`, which returns nothing in TF2."""
    assert_type(tensor, tf_type, message, name)


@export_v1("debugging.assert_integer", "assert_integer")
def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> Operation:
    """Checks that `x` holds integers (quantized ones are none).

    Args:
      x: a tensor.
      message: what the error says first.
      name: of the scope of the nodes.
    Returns:
      An operation that does nothing.
    Raises:
      TypeError: it holds others.
    """
    with name_scope(name, "assert_integer", [x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            raise TypeError(
                f'{message_prefix(message)}Expected "x" to be integer type.  '
                f"Found: {x.name} of dtype {x.dtype!r}"
            )
        return no_op("statically_determined_was_integer")


@export("debugging.assert_integer")
def assert_integer_v2(x: Any, message: str | None = None, name: str | None = None) -> None:
    """`tf.compat.v1.assert_integer`, which returns nothing in TF2."""
    assert_integer(x, message, name)


@export("debugging.is_numeric_tensor")
@export_v1("is_numeric_tensor")
def is_numeric_tensor(tensor: Any) -> bool:
    """Whether `tensor` is a Tensor of real, complex or quantized numbers."""
    if not isinstance(tensor, Tensor):
        return False
    dtype = tensor.dtype.base_dtype
    return dtype.is_floating or dtype.is_integer or dtype.is_complex or dtype.is_quantized


@export("debugging.assert_proper_iterable")
@export_v1("assert_proper_iterable")
def assert_proper_iterable(values: Any) -> None:
    """Checks that looping over `values` gives items of their own: no text, array or tensor.

    Raises:
      TypeError: it is one of those, or has no items at all.
    """
    improper = (Tensor, SparseTensor, np.ndarray, bytes, str)
    if isinstance(values, improper):
        raise TypeError(
            'Expected argument "values" to be a "proper" iterable, such as a list.  '
            f"Found: {type(values)}"
        )
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


@export("debugging.assert_same_float_dtype")
@export_v1("assert_same_float_dtype")
def assert_same_float_dtype(tensors: Sequence[Any] | None = None, dtype: Any = None) -> DType:
    """Checks that all of `tensors` have one floating dtype, and `dtype` if that is given.

    Args:
      tensors: tensors; None among them is passed over.
      dtype: a dtype; None takes the tensors'.
    Returns:
      The dtype; float32 where nothing tells it.
    Raises:
      ValueError: they differ, or the dtype is not floating.
    """
    expected = None if dtype is None else as_dtype(dtype)
    if tensors is not None and len(tensors):
        expected = _one_dtype([item for item in tensors if item is not None], expected)
    if expected is None:
        return dtypes.float32
    if not expected.is_floating:
        raise ValueError(f"Expected floating point type, got {expected}.")
    return expected


def _one_dtype(tensors: Sequence[Any], expected: DType | None) -> DType | None:
    first = None
    for tensor in tensors:
        dtype = tensor.dtype.base_dtype
        if expected is None:
            first, expected = tensor, dtype
        elif expected != dtype:
            as_whom = "" if first is None else f" as {first.name}"
            raise ValueError(
                f"{tensor.name}, type={dtype}, must be of the same type ({expected}){as_whom}."
            )
    return expected

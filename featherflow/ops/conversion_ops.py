"""`tf.convert_to_tensor` and its kin, with the conversions of all ordinary values at hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework import tensor_conversion
from featherflow.framework.exports import export, export_v1, export_value
from featherflow.graph.constant_value import constant_value
from featherflow.graph.tensor import Tensor
from featherflow.ops import (
    indexed_slices_ops,  # noqa: F401 (its conversion)
    pack_ops,
)

export_value("featherflow.framework.tensor_proto", "make_tensor_proto")
export_value("featherflow.framework.tensor_proto", "make_ndarray")


@export_v1("convert_to_tensor")
def convert_to_tensor_v1(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
) -> Any:
    """`value` as a tensor: a constant of numbers, strings and arrays, a Pack of lists of tensors.

    Args:
      value: a tensor, number, string, array, list, variable, or what
        `tf.register_tensor_conversion_function` was told of.
      dtype: of the result; None takes the value's.
      name: of the node, if one is made.
      preferred_dtype: tried first where `dtype` is None.
      dtype_hint: TF2's word for it.
    Returns:
      A tensor; `value` itself if it is one.
    Raises:
      TypeError: no conversion takes the value.
      ValueError: the value is a tensor of another dtype.
    """
    return tensor_conversion.convert_to_tensor(
        value, dtype, name, preferred_dtype=preferred_dtype, dtype_hint=dtype_hint
    )


@export("convert_to_tensor")
def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Any:
    """`convert_to_tensor_v1` with TF2's order of arguments."""
    return convert_to_tensor_v1(value, dtype, name, dtype_hint=dtype_hint)


@export("register_tensor_conversion_function")
def register_tensor_conversion_function(
    base_type: type | tuple[type, ...], conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Registers how values of `base_type` become tensors.

    Args:
      base_type: a class or a tuple of classes.
      conversion_func: `(value, dtype=None, name=None, as_ref=False)`, returns a tensor of `dtype`
        if that is given, or NotImplemented to leave the value to the next function.
      priority: smaller is tried first; among equals, the first registered.
    Raises:
      TypeError: `base_type` is no class, or `conversion_func` cannot be called.
    """
    tensor_conversion.register_tensor_conversion_function(base_type, conversion_func, priority)


@export("is_tensor")
@export_v1("is_tensor", "contrib.framework.is_tensor")
def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor, a variable, or a composite such as IndexedSlices."""
    return pack_ops.is_tensor_like(x)


@export("get_static_value")
def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor if it is known while the graph is built.

    Args:
      tensor: a tensor.
      partial: of a stack of which some elements are known, gives these, and None for the others.
    Returns:
      An array, or None.

    >>> import featherflow as tf
    >>> int(tf.get_static_value(tf.constant(2) + 3))
    5
    """
    if not isinstance(tensor, Tensor):
        return tensor if isinstance(tensor, (np.ndarray, np.generic)) else None
    value = pack_ops.partial_value(tensor) if partial else constant_value(tensor)
    return None if value is None else value.copy()

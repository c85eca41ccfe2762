"""How Python values become tensors: conversion functions by type and priority.

The ops layer registers the ordinary ones (a constant for anything array-like, a Pack for lists that
hold tensors); variables, sparse values and users register theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework.dtypes import DType, as_dtype

#: (value, dtype=None, name=None, as_ref=False) -> Tensor, or NotImplemented.
ConversionFunction = Callable[..., Any]

_by_priority: list[tuple[int, int, Any, ConversionFunction]] = []
_functions_by_type: dict[type, list[tuple[Any, ConversionFunction]]] = {}
_tensor_type: type = type(None)


def set_tensor_type(tensor_type: type) -> None:
    """The class whose instances are tensors already."""
    global _tensor_type
    _tensor_type = tensor_type


def register_tensor_conversion_function(
    base_type: type | tuple[type, ...], conversion_func: ConversionFunction, priority: int = 100
) -> None:
    """Registers how values of `base_type` become tensors.

    Args:
      base_type: a class or a tuple of classes.
      conversion_func: `(value, dtype=None, name=None, as_ref=False)`, returns a Tensor of `dtype`
        if that is given, or NotImplemented to leave the value to the next function.
      priority: smaller is tried first; among equals, the first registered.
    Raises:
      TypeError: `base_type` is no class, or `conversion_func` cannot be called.
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(item, type) for item in types):
        raise TypeError(f"base_type must be a type or a tuple of types, received {base_type!r}.")
    if not callable(conversion_func):
        raise TypeError(f"conversion_func must be callable, received {conversion_func!r}.")
    _by_priority.append((priority, len(_by_priority), base_type, conversion_func))
    _by_priority.sort(key=lambda entry: entry[:2])
    _functions_by_type.clear()


def _functions_for(value_type: type) -> list[tuple[Any, ConversionFunction]]:
    functions = _functions_by_type.get(value_type)
    if functions is None:
        functions = [
            (base, function)
            for _, _, base, function in _by_priority
            if issubclass(value_type, base)
        ]
        _functions_by_type[value_type] = functions
    return functions


def convert(
    value: Any,
    dtype: DType | None = None,
    name: str | None = None,
    as_ref: bool = False,
    preferred_dtype: DType | None = None,
) -> Any:
    """`value` as a tensor.

    Args:
      dtype: what it must be; None takes the value's own.
      name: of the node, if one is made.
      as_ref: a variable gives its ref instead of its value.
      preferred_dtype: tried first where `dtype` is None.
    Raises:
      TypeError: no function takes values of this type.
      ValueError: the value cannot be of `dtype`.
    """
    if isinstance(value, _tensor_type):
        if dtype is not None and not dtype.is_compatible_with(value.dtype):
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                f"{value.dtype.name}: {value!r}"
            )
        return value
    functions = _functions_for(type(value))
    if dtype is None and preferred_dtype is not None:
        for _, function in functions:
            try:
                result = function(value, dtype=preferred_dtype, name=name, as_ref=as_ref)
            except (TypeError, ValueError):
                continue  # the preference does not fit; the value's own type is tried below
            if (
                result is not NotImplemented
                and result.dtype.base_dtype == preferred_dtype.base_dtype
            ):
                return result
    for _, function in functions:
        result = function(value, dtype=dtype, name=name, as_ref=as_ref)
        if result is not NotImplemented:
            return result
    raise TypeError(
        f"Cannot convert {value!r} with type {type(value)} to a Tensor"
        + (f" of dtype {dtype.name}" if dtype else "")
        + ": no conversion function is registered for it."
    )


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    as_ref: bool = False,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
) -> Any:
    """`convert` with dtypes in any form; `dtype_hint` is TF2's word for `preferred_dtype`."""
    hint = dtype_hint if dtype_hint is not None else preferred_dtype
    return convert(
        value,
        as_dtype(dtype).base_dtype if dtype is not None else None,
        name,
        as_ref,
        as_dtype(hint).base_dtype if hint is not None else None,
    )

"""Zeros in the form of a cell's states or outputs."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes, nest
from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.constant_value import constant_value
from featherflow.graph.tensor import Tensor
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.fill_ops import zeros
from featherflow.ops.reshape_ops import expand_dims


def _vector(sizes: Any) -> Any:
    """Sizes as a vector of int32; None if they are not all known."""
    if isinstance(sizes, Tensor):
        return expand_dims(sizes, 0) if sizes.shape.rank == 0 else sizes
    shape = _static(sizes)
    return constant(shape.as_list(), dtypes.int32) if shape.is_fully_defined() else None


def _static(sizes: Any) -> TensorShape:
    """Sizes as a static shape."""
    if not isinstance(sizes, Tensor):
        return TensorShape([sizes] if isinstance(sizes, int) or sizes is None else sizes)
    known = constant_value(sizes)
    if known is None:
        return TensorShape([None] if sizes.shape.rank == 0 else [None] * _length(sizes))
    return TensorShape([int(known)] if known.ndim == 0 else known.tolist())


def _length(vector: Tensor) -> int:
    length = vector.shape.as_list()[0]
    if length is None:
        raise ValueError(f"The number of sizes is not known: {vector!r}")
    return length


def joined_sizes(prefix: Any, suffix: Any) -> Tensor:
    """The sizes `[*prefix, *suffix]` as a tensor.

    Args:
      prefix, suffix: an integer, sizes, or a scalar or vector of int32.
    Raises:
      ValueError: a size is neither known nor a tensor.
    """
    parts = [_vector(prefix), _vector(suffix)]
    if any(part is None for part in parts):
        raise ValueError(f"Sizes must be known or tensors, received {prefix!r} and {suffix!r}.")
    return concat(parts, 0)


def joined_static_shape(prefix: Any, suffix: Any) -> TensorShape:
    """The static shape `[*prefix, *suffix]`."""
    for sizes in (prefix, suffix):
        _vector(sizes)  # TensorFlow makes these constants too, so that later names are the same
    return _static(prefix).concatenate(_static(suffix))


def zero_state_tensors(state_size: Any, batch_size: Any, dtype: Any) -> Any:
    """Zeros `[batch_size, *size]` for each size of a nest."""

    def zero_tensor(size: Any) -> Tensor:
        result = zeros(joined_sizes(batch_size, size), dtype)
        result.set_shape(joined_static_shape(batch_size, size))
        return result

    return nest.map_structure(zero_tensor, state_size)


def state_dtype(explicit: Any, state: Any) -> DType:
    """The dtype asked for, else that of the state.

    Raises:
      ValueError: the parts of the state have different dtypes, or there are none.
    """
    if explicit is not None:
        return dtypes.as_dtype(explicit)
    found = [tensor.dtype for tensor in nest.flatten(state)]
    if not found:
        raise ValueError("Unable to infer dtype from empty state.")
    if any(dtype is not found[0] for dtype in found):
        raise ValueError(
            "State has tensors of different inferred_dtypes. Unable to infer a single "
            "representative dtype."
        )
    return found[0]

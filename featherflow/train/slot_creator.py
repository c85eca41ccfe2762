"""Slots: variables that are kept beside a variable or tensor, and named after it."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from featherflow.graph.default_graph import get_default_graph
from featherflow.ops.fill_ops import zeros
from featherflow.ops.init_ops import Zeros
from featherflow.ops.resource_variables import ResourceVariable
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.variable_base import Variable
from featherflow.ops.variable_messages import SaveSliceInfo
from featherflow.ops.variable_scope import get_variable, get_variable_scope, variable_scope


def create_slot(
    primary: Any, value: Any, name: str, shape: Any = None, dtype: Any = None
) -> Variable:
    """A variable `primary/name`, placed with `primary` if that is a variable.

    Args:
      primary: a variable or tensor.
      value: the initial value, or with `shape` and `dtype` an initialiser.
    """
    is_variable = isinstance(primary, Variable)
    with variable_scope(None, f"{primary.op.name}/{name}"):
        graph, scope = get_default_graph(), get_variable_scope()
        partitioner, scope._partitioner = scope._partitioner, None
        try:
            with graph.colocate_with(primary.op) if is_variable else nullcontext():
                slot = get_variable(
                    "",
                    initializer=value,
                    trainable=False,
                    use_resource=isinstance(primary, ResourceVariable) if is_variable else None,
                    shape=shape if callable(value) else None,  # else the value says it
                    dtype=dtype,
                    validate_shape=primary.get_shape().is_fully_defined(),
                )
        finally:
            scope._partitioner = partitioner
    _copy_slice(primary, slot)
    return slot


def create_zeros_slot(primary: Any, name: str, dtype: Any = None) -> Variable:
    """A slot of zeros of the shape of `primary`."""
    dtype = primary.dtype.base_dtype if dtype is None else dtype
    shape = primary.get_shape()
    if shape.is_fully_defined():
        return create_slot(primary, Zeros(), name, shape, dtype)
    if isinstance(primary, Variable):
        primary_value = primary.initialized_value()  # type: ignore[attr-defined]
    else:
        primary_value = primary
    return create_slot(primary, zeros(shape_of(primary_value), dtype), name)


def _copy_slice(primary: Any, slot: Variable) -> None:
    """A slot of a part is the same part of the whole's slot."""
    info = getattr(primary, "_save_slice_info", None)
    if info is None:
        return
    # "whole/part_0/Adam" is part of "whole/Adam".
    name = slot.op.name[len(primary.op.name) + 1 :]
    slot._save_slice_info = SaveSliceInfo(  # type: ignore[attr-defined]
        f"{info.full_name}/{name}", info.full_shape, info.var_offset, info.var_shape
    )

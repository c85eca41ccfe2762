"""Slots: the variables that an optimiser keeps beside each variable it trains."""

from __future__ import annotations

from typing import Any

from featherflow.graph.default_graph import get_default_graph
from featherflow.ops.init_ops import Zeros
from featherflow.ops.resource_variables import ResourceVariable
from featherflow.ops.variable_base import Variable
from featherflow.ops.variable_scope import get_variable, get_variable_scope, variable_scope
from featherflow.ops.variable_slices import SaveSliceInfo


def create_slot(
    primary: Variable, value: Any, name: str, shape: Any = None, dtype: Any = None
) -> Variable:
    """A variable `primary/name`, placed with `primary`.

    Args:
      value: the initial value, or with `shape` and `dtype` an initialiser.
    """
    with (
        variable_scope(None, f"{primary.op.name}/{name}"),
        get_default_graph().colocate_with(primary.op),
    ):
        scope = get_variable_scope()
        partitioner, scope._partitioner = scope._partitioner, None
        try:
            slot = get_variable(
                "",
                initializer=value,
                trainable=False,
                use_resource=isinstance(primary, ResourceVariable),
                shape=shape,
                dtype=dtype,
                validate_shape=primary.get_shape().is_fully_defined(),
            )
        finally:
            scope._partitioner = partitioner
    _copy_slice(primary, slot)
    return slot


def create_zeros_slot(primary: Variable, name: str, dtype: Any = None) -> Variable:
    """A slot of zeros of the shape of `primary`."""
    dtype = primary.dtype.base_dtype if dtype is None else dtype
    return create_slot(primary, Zeros(), name, primary.get_shape(), dtype)


def _copy_slice(primary: Variable, slot: Variable) -> None:
    """A slot of a part is the same part of the whole's slot."""
    info = getattr(primary, "_save_slice_info", None)
    if info is None:
        return
    # "whole/part_0/Adam" is part of "whole/Adam".
    name = slot.op.name[len(primary.op.name) + 1 :]
    slot._save_slice_info = SaveSliceInfo(  # type: ignore[attr-defined]
        f"{info.full_name}/{name}", info.full_shape, info.var_offset, info.var_shape
    )

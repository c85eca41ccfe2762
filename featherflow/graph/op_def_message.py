"""Contracts of ops as OpDef messages, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from featherflow.framework import attr_value
from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.errors import OpError
from featherflow.framework.op_def import ArgDef, AttrDef, OpDef
from featherflow.graph.graph_def_error import GraphDefError


def op_def_message(op_def: OpDef) -> Any:
    """A contract as an OpDef message."""
    from featherflow.protos import op_def_pb2

    message = op_def_pb2.OpDef(
        name=op_def.name,
        is_stateful=op_def.is_stateful,
        is_commutative=op_def.is_commutative,
        is_aggregate=op_def.is_aggregate,
        allows_uninitialized_input=op_def.allows_uninitialized_input,
    )
    for arg in op_def.inputs:
        _write_arg(arg, message.input_arg.add())
    for arg in op_def.outputs:
        _write_arg(arg, message.output_arg.add())
    for attr in op_def.attrs:
        target = message.attr.add(name=attr.name, type=attr.type)
        if attr.minimum is not None:
            target.has_minimum, target.minimum = True, attr.minimum
        if attr.allowed_values is not None:
            kind = "list(type)" if isinstance(attr.allowed_values[0], DType) else "list(string)"
            attr_value.attr_value_to_proto(attr.allowed_values, kind, target.allowed_values)
        if attr.has_default:
            attr_value.attr_value_to_proto(attr.default, attr.type, target.default_value)
    return message


def _write_arg(arg: ArgDef, message: Any) -> None:
    message.name = arg.name
    message.is_ref = arg.is_ref
    message.number_attr = arg.number_attr or ""
    message.type_attr = arg.type_attr or ""
    message.type_list_attr = arg.type_list_attr or ""
    if arg.type is not None:
        message.type = arg.type.as_datatype_enum


def op_def_from_message(message: Any) -> OpDef:
    """The contract in an OpDef message.

    Raises:
      GraphDefError: (a ValueError) a dtype is unknown, a default has another type than its
        attribute, or an argument names an attribute that is not there.
    """
    try:
        attrs = tuple(map(_read_attr, message.attr))
        types = {attr.name: attr.type for attr in attrs}
        return OpDef(
            message.name,
            tuple(_read_arg(arg, types) for arg in message.input_arg),
            tuple(_read_arg(arg, types) for arg in message.output_arg),
            attrs,
            is_stateful=message.is_stateful,
            is_commutative=message.is_commutative,
            is_aggregate=message.is_aggregate,
            allows_uninitialized_input=message.allows_uninitialized_input,
        )
    except (TypeError, ValueError, OpError) as error:
        raise GraphDefError(f"The signature of '{message.name}' is damaged: {error}") from None


def _read_arg(message: Any, types: Mapping[str, str]) -> ArgDef:
    kinds = (message.type, message.type_attr, message.type_list_attr)
    if sum(map(bool, kinds)) != 1:
        raise ValueError(f"argument '{message.name}' must have one of type, attr and list attr")
    for name, wanted in (
        (message.type_attr, "type"),
        (message.type_list_attr, "list(type)"),
        (message.number_attr, "int"),
    ):
        if name and types.get(name) != wanted:
            raise ValueError(f"argument '{message.name}' needs an attr '{name}' of type {wanted}")
    return ArgDef(
        message.name,
        type=as_dtype(message.type) if message.type else None,
        type_attr=message.type_attr or None,
        number_attr=message.number_attr or None,
        type_list_attr=message.type_list_attr or None,
        is_ref=message.is_ref,
    )


def _read_attr(message: Any) -> AttrDef:
    has_default = message.HasField("default_value")
    allowed = None
    if message.HasField("allowed_values"):
        allowed = attr_value.attr_value_from_proto(message.allowed_values)
    return AttrDef(
        message.name,
        message.type,
        attr_value.attr_value_from_proto(message.default_value, message.type)
        if has_default
        else None,
        has_default,
        allowed,
        message.minimum if message.has_minimum else None,
    )

"""Ops as functions of snake-case names, as TensorFlow's `gen_*_ops` modules have them."""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Callable
from typing import Any

from featherflow.framework.op import Op, find_op, known_op_names

_ops_by_key: dict[str, str] = {}


def op_function(name: str) -> Callable[..., Any] | None:
    """The function of `relu_grad`, or `_relu_grad` as TensorFlow 1 spelled it; None if none."""
    if not re.fullmatch(r"_?[a-z][a-z0-9_]*", name):
        return None
    if not _ops_by_key:
        _ops_by_key.update({_key(op): op for op in sorted(known_op_names(), reverse=True)})
    found = _ops_by_key.get(_key(name))
    op = find_op(found) if found is not None else None
    return None if op is None else _as_function(op, name)


def _key(name: str) -> str:
    return name.replace("_", "").lower()


def _as_function(op: Op, name: str) -> Callable[..., Any]:
    """The op with TensorFlow's order of parameters: inputs, then attributes without a default."""
    parameters = positional_parameters(op)
    inputs = len(op.op_def.inputs)
    outputs = [output.name for output in op.op_def.outputs]
    result = namedtuple(op.name, outputs) if len(outputs) > 1 else None

    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(parameters):
            raise TypeError(
                f"{name}() takes {len(parameters)} positional arguments: "
                f"{', '.join(parameters)}; received {len(args)}."
            )
        kwargs.update(zip(parameters[inputs:], args[inputs:]))
        value = op(*args[:inputs], **kwargs)
        return value if result is None else result(*value)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The op {op.name}({', '.join(parameters)})."
    return call


def positional_parameters(op: Op) -> list[str]:
    """Inputs, attributes without a default, attributes with one, and the name of the node.

    Attributes that follow from the inputs are left out.
    """
    inferred = {
        attr
        for arg in op.op_def.inputs
        for attr in (arg.type_attr, arg.number_attr, arg.type_list_attr)
        if attr is not None
    }
    attrs = [attr for attr in op.op_def.attrs if attr.name not in inferred]
    required = [attr.name for attr in attrs if not attr.has_default]
    optional = [attr.name for attr in attrs if attr.has_default]
    return [*op.input_names, *required, *optional, "name"]

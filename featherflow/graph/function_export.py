"""Functions as FunctionDef messages: their nodes, with arguments and results by name.

Inside a FunctionDef tensors have other names than in a GraphDef: `arg`, or `node:output:index`,
where the index counts within the output argument called `output`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from featherflow.framework.attr_value import attr_type_of, attr_value_to_proto
from featherflow.framework.op_def import ArgDef, OpDef
from featherflow.graph.exporter import write_node
from featherflow.graph.graph import Graph
from featherflow.graph.op_def_message import op_def_message
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor

_NOT_IN_ARG_NAMES = re.compile(r"[^a-z0-9_]")


def function_op_def(
    name: str, graph: Graph, inputs: Sequence[Tensor], outputs: Sequence[Tensor]
) -> OpDef:
    """The contract of a function: an argument for each of `inputs` and `outputs`."""
    taken: set[str] = set()
    input_args = [_arg(tensor, taken) for tensor in inputs]
    taken = set()
    output_args = [_arg(tensor, taken) for tensor in outputs]
    arguments = {tensor.op for tensor in inputs}
    is_stateful = any(
        operation.definition.stateful
        for operation in graph.get_operations()
        if operation not in arguments
    )
    return OpDef(name, tuple(input_args), tuple(output_args), (), is_stateful)


def _arg(tensor: Tensor, taken: set[str]) -> ArgDef:
    """An argument named after a tensor's node, as far as the rules for names allow."""
    base = _NOT_IN_ARG_NAMES.sub("_", tensor.op.name.lower())
    base = base if base[:1].isalpha() else f"a{base}"
    name, number = base, 0
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    taken.add(name)
    return ArgDef(name, type=tensor.dtype.base_dtype, is_ref=tensor.dtype._is_ref_dtype)


def function_def_message(
    op_def: OpDef,
    graph: Graph,
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    control_outputs: Sequence[Operation],
    attrs: Mapping[str, Any],
) -> Any:
    """The FunctionDef of a graph.

    Args:
      op_def: the contract, as `function_op_def` makes it.
      graph: the body.
      inputs: the arguments, placeholders in it.
      outputs: the results.
      control_outputs: nodes that must have run when the function is done.
      attrs: of the function itself.
    """
    from featherflow.protos import function_pb2

    message = function_pb2.FunctionDef()
    message.signature.CopyFrom(op_def_message(op_def))
    names = {tensor: arg.name for tensor, arg in zip(inputs, op_def.inputs)}
    arguments = {tensor.op: arg.name for tensor, arg in zip(inputs, op_def.inputs)}
    for position, tensor in enumerate(inputs):
        if tensor.shape.rank is not None:
            attr = message.arg_attr[position].attr["_output_shapes"]
            attr_value_to_proto((tensor.shape,), "list(shape)", attr)
    for operation in graph.get_operations():
        if operation not in arguments:
            _write_node(operation, message.node_def.add(), names, arguments)
    for arg, tensor in zip(op_def.outputs, outputs):
        message.ret[arg.name] = _tensor_name(tensor, names)
    for operation in control_outputs:
        message.signature.control_output.append(operation.name)
        message.control_ret[operation.name] = operation.name
    for name, value in attrs.items():
        attr_value_to_proto(value, attr_type_of(value), message.attr[name])
    return message


def _write_node(
    operation: Operation,
    message: Any,
    names: Mapping[Tensor, str],
    arguments: Mapping[Operation, str],
) -> None:
    write_node(operation, message)
    del message.input[:]
    message.input.extend(_tensor_name(tensor, names) for tensor in operation.inputs)
    message.input.extend(
        f"^{arguments.get(source, source.name)}" for source in operation.control_inputs
    )


def _tensor_name(tensor: Tensor, names: Mapping[Tensor, str]) -> str:
    if tensor in names:
        return names[tensor]
    operation = tensor.op
    first = 0
    for arg in operation.definition.op_def.outputs:
        count = arg_length(arg, operation.attrs)
        if tensor.value_index < first + count:
            return f"{operation.name}:{arg.name}:{tensor.value_index - first}"
        first += count
    raise AssertionError(f"{tensor!r} is no output of its node")


def arg_length(arg: ArgDef, attrs: Mapping[str, Any]) -> int:
    """The number of tensors that an argument stands for."""
    if arg.type_list_attr is not None:
        return len(attrs[arg.type_list_attr])
    return 1 if arg.number_attr is None else attrs[arg.number_attr]

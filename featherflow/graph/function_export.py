"""Functions as FunctionDef messages: their nodes, with arguments and results by name.

Names are those that TensorFlow gives: of the node, in lower case, other characters than letters and
digits as "_"; results are named first, then arguments, then the nodes of the body, and what is
taken gets a number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from featherflow.framework.attr_value import attr_type_of, attr_value_to_proto
from featherflow.framework.op_def import ArgDef, OpDef
from featherflow.graph.exporter import write_node
from featherflow.graph.graph import Graph
from featherflow.graph.node_def_attrs import OUTPUT_SHAPES, tensor_count
from featherflow.graph.op_def_message import op_def_message
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor


class _Names:
    """Names of one scope, each used once."""

    def __init__(self, used: set[str] | None = None) -> None:
        self._used = set() if used is None else used

    def unique(self, name: str) -> str:
        """`name`, or `name_0`, `name_1`, … if it is taken."""
        candidate, number = name, 0
        while candidate in self._used:
            candidate = f"{name}_{number}"
            number += 1
        self._used.add(candidate)
        return candidate


def function_op_def(
    name: str,
    graph: Graph,
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    output_names: Sequence[str] | None = None,
) -> OpDef:
    """The contract of a function: an argument for each of `inputs` and `outputs`.

    Args:
      name: of the function.
      graph: the body.
      inputs: the arguments, placeholders in it.
      outputs: the results.
      output_names: of the results; None takes those of their nodes.
    """
    names = _Names()
    if output_names is None:
        output_names = [_argument_name(tensor) for tensor in outputs]
    output_args = [_arg(names.unique(text), item) for text, item in zip(output_names, outputs)]
    input_args = [_arg(names.unique(_argument_name(item)), item) for item in inputs]
    arguments = {tensor.op for tensor in inputs}
    is_stateful = any(
        operation.definition.stateful
        for operation in graph.get_operations()
        if operation not in arguments
    )
    return OpDef(name, tuple(input_args), tuple(output_args), (), is_stateful)


def _argument_name(tensor: Tensor) -> str:
    """A name of letters, digits and "_", a letter first, from the tensor's node."""
    text = re.sub(r"[^a-z0-9]", "_", tensor.op.name.lower())
    return re.sub(r"^[^a-z]+", "", text) or "unknown"


def _arg(name: str, tensor: Tensor) -> ArgDef:
    return ArgDef(name, type=tensor.dtype.base_dtype, is_ref=tensor.dtype._is_ref_dtype)


def function_def_message(
    op_def: OpDef,
    graph: Graph,
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    control_outputs: Sequence[Operation] = (),
    attrs: Mapping[str, Any] | None = None,
) -> Any:
    """The FunctionDef of a graph.

    Args:
      op_def: the contract, as `function_op_def` makes it.
      graph: the body; all of it is written, except the nodes of `inputs`.
      inputs: the arguments, placeholders in it.
      outputs: the results.
      control_outputs: nodes that must have run when the function is done.
      attrs: of the function itself, such as `_noinline`.
    """
    from featherflow.protos import function_pb2

    message = function_pb2.FunctionDef()
    message.signature.CopyFrom(op_def_message(op_def))
    writer = _BodyWriter(message, op_def, graph, inputs)
    for arg, tensor in zip(op_def.outputs, outputs):
        message.ret[arg.name] = writer.tensor_name(tensor)
    for operation in control_outputs:
        message.signature.control_output.append(operation.name)
        message.control_ret[operation.name] = writer.name_of[operation]
    for name, value in (attrs or {}).items():
        attr_value_to_proto(value, attr_type_of(value), message.attr[name])
    return message


class _BodyWriter:
    """Writes the nodes of a function, and knows their names in it."""

    def __init__(self, message: Any, op_def: OpDef, graph: Graph, inputs: Sequence[Tensor]) -> None:
        names = _Names({arg.name for arg in (*op_def.inputs, *op_def.outputs)})
        self._arguments = {tensor.op for tensor in inputs}
        body = [item for item in graph.get_operations() if item not in self._arguments]
        self.name_of = {tensor.op: arg.name for tensor, arg in zip(inputs, op_def.inputs)}
        self.name_of.update({item: names.unique(item.name) for item in body})
        for position, tensor in enumerate(inputs):
            self._write_argument(tensor, message.arg_attr[position].attr)
        for operation in body:
            self._write_node(operation, message.node_def.add())

    def _write_argument(self, tensor: Tensor, attrs: Any) -> None:
        attr_value_to_proto((tensor.shape,), "list(shape)", attrs[OUTPUT_SHAPES])
        for name, value in tensor.op.attrs.items():
            if name.startswith("_"):
                attr_value_to_proto(value, attr_type_of(value), attrs[name])

    def _write_node(self, operation: Operation, node: Any) -> None:
        write_node(operation, node)
        node.name = self.name_of[operation]
        node.ClearField("input")
        node.input.extend(map(self.tensor_name, operation._inputs))
        node.input.extend(sorted(f"^{self.name_of[item]}" for item in operation.control_inputs))

    def tensor_name(self, tensor: Tensor) -> str:
        """`argument`, or `node:output:index`, which counts within the output argument."""
        operation = tensor.op
        name = self.name_of[operation]
        if operation in self._arguments:
            return name
        index = tensor.value_index
        for arg in operation.definition.op_def.outputs:
            count = tensor_count((arg,), operation.attrs)
            if index < count:
                return f"{name}:{arg.name}:{index}"
            index -= count
        raise AssertionError(f"{tensor!r} is no output of its node")

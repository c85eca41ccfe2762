"""Writes a graph with arguments and results as a FunctionDef."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from featherflow.framework import attr_value
from featherflow.framework.op_def import ArgDef
from featherflow.graph import exporter
from featherflow.graph.graph import Graph
from featherflow.graph.node_def_attrs import OUTPUT_SHAPES, tensor_count
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor


def function_def_message(
    name: str,
    graph: Graph,
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    *,
    output_names: Sequence[str] | None = None,
    control_outputs: Sequence[Operation] = (),
    control_output_names: Sequence[str] | None = None,
    attrs: Mapping[str, Any] | None = None,
) -> Any:
    """The FunctionDef of a function whose body is `graph`.

    Names of arguments and results come from the nodes of `inputs` and `outputs`, as TensorFlow
    makes them: in lower case, other characters than letters and digits as "_", numbered if taken.

    Args:
      name: of the function.
      graph: the body; all of it is written, except the nodes of `inputs`.
      inputs: the arguments: outputs of placeholders.
      outputs: the results.
      output_names: of the results; None makes them up.
      control_outputs: nodes that must have run when the function is done.
      control_output_names: of these; None takes the nodes' names.
      attrs: attributes of the function itself, such as `_noinline`.
    """
    return _FunctionWriter(name, graph, inputs).message(
        outputs, output_names, control_outputs, control_output_names, attrs or {}
    )


class _Names:
    """Names of one scope, each used once."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def unique(self, name: str) -> str:
        """`name`, or `name_0`, `name_1`, … if it is taken."""
        candidate, number = name, 0
        while candidate in self._used:
            candidate = f"{name}_{number}"
            number += 1
        self._used.add(candidate)
        return candidate


def _argument_name(node_name: str) -> str:
    """An argument's name: letters, digits and "_", a letter first."""
    text = re.sub(r"[^a-z0-9]", "_", node_name.lower())
    return re.sub(r"^[^a-z]+", "", text) or "unknown"


class _FunctionWriter:
    def __init__(self, name: str, graph: Graph, inputs: Sequence[Tensor]) -> None:
        from featherflow.protos import function_pb2

        self._message = function_pb2.FunctionDef()
        self._message.signature.name = name
        self._graph = graph
        self._inputs = inputs
        self._arguments = {tensor.op: tensor for tensor in inputs}
        self._body = [item for item in graph.get_operations() if item not in self._arguments]
        #: Names inside the function, of argument and body nodes.
        self._name_of: dict[Operation, str] = {}

    def message(
        self,
        outputs: Sequence[Tensor],
        output_names: Sequence[str] | None,
        control_outputs: Sequence[Operation],
        control_output_names: Sequence[str] | None,
        attrs: Mapping[str, Any],
    ) -> Any:
        signature, message = self._message.signature, self._message
        names = _Names()
        if output_names is None:
            output_names = [_argument_name(tensor.op.name) for tensor in outputs]
        results = [names.unique(text) for text in output_names]
        for tensor in self._inputs:
            self._name_of[tensor.op] = names.unique(_argument_name(tensor.op.name))
        for operation in self._body:
            self._name_of[operation] = names.unique(operation.name)
        for position, tensor in enumerate(self._inputs):
            self._write_argument(position, tensor)
        for operation in self._body:
            self._write_node(operation)
        for text, tensor in zip(results, outputs):
            signature.output_arg.add(name=text, type=_dtype_number(tensor))
            message.ret[text] = self._tensor_name(tensor)
        if control_output_names is None:
            control_output_names = [operation.name for operation in control_outputs]
        for text, operation in zip(control_output_names, control_outputs):
            signature.control_output.append(text)
            message.control_ret[text] = self._name_of[operation]
        signature.is_stateful = any(item.definition.stateful for item in self._body)
        for key, value in attrs.items():
            kind = attr_value.attr_type_of(value)
            attr_value.attr_value_to_proto(value, kind, message.attr[key])
        return message

    def _write_argument(self, position: int, tensor: Tensor) -> None:
        name = self._name_of[tensor.op]
        self._message.signature.input_arg.add(name=name, type=_dtype_number(tensor))
        written = self._message.arg_attr[position].attr
        attr_value.attr_value_to_proto((tensor.shape,), "list(shape)", written[OUTPUT_SHAPES])
        for key, value in tensor.op.attrs.items():
            if key.startswith("_"):
                kind = attr_value.attr_type_of(value)
                attr_value.attr_value_to_proto(value, kind, written[key])

    def _write_node(self, operation: Operation) -> None:
        node = self._message.node_def.add()
        exporter.write_node(operation, node)
        node.name = self._name_of[operation]
        node.ClearField("input")
        node.input.extend(map(self._tensor_name, operation._inputs))
        controls = sorted(f"^{self._name_of[other]}" for other in operation.control_inputs)
        node.input.extend(controls)

    def _tensor_name(self, tensor: Tensor) -> str:
        """`argument`, or `node:output:index`."""
        operation = tensor.op
        name = self._name_of[operation]
        if operation in self._arguments:
            return name
        arg, index = _output_argument(operation, tensor.value_index)
        return f"{name}:{arg.name}:{index}"


def _output_argument(operation: Operation, index: int) -> tuple[ArgDef, int]:
    """The output argument that an output belongs to, and its place in it."""
    for arg in operation.definition.op_def.outputs:
        count = tensor_count((arg,), operation.attrs)
        if index < count:
            return arg, index
        index -= count
    raise IndexError(f"{operation.type} '{operation.name}' has no output {index} more.")


def _dtype_number(tensor: Tensor) -> int:
    return tensor.dtype.as_datatype_enum

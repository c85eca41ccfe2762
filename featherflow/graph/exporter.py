"""Graphs as GraphDef messages, nodes as NodeDefs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from featherflow.framework import attr_value
from featherflow.framework.op import Op

if TYPE_CHECKING:
    from featherflow.graph.graph import Graph
    from featherflow.graph.operation import Operation


def graph_def_message(graph: Graph, from_version: int = 0, add_shapes: bool = False) -> Any:
    """The nodes of `graph` made since `from_version`, its functions and versions, as a GraphDef."""
    from featherflow.protos import graph_pb2

    message = graph_pb2.GraphDef()
    for operation in graph._operations[from_version:]:
        node = message.node.add()
        write_node(operation, node)
        if add_shapes and operation.outputs:
            shapes = tuple(tensor.shape for tensor in operation.outputs)
            attr_value.attr_value_to_proto(shapes, "list(shape)", node.attr["_output_shapes"])
    for function in graph._functions.values():
        message.library.function.append(function.function_def())
        gradient = getattr(function, "gradient_name", "")
        if gradient:
            message.library.gradient.add(function_name=function.name, gradient_func=gradient)
    message.versions.CopyFrom(versions_message(graph))
    return message


def versions_message(graph: Graph) -> Any:
    """The versions of `graph` as a VersionDef."""
    from featherflow.protos import versions_pb2

    return versions_pb2.VersionDef(
        producer=graph._producer,
        min_consumer=graph._min_consumer,
        bad_consumers=graph._bad_consumers,
    )


#: The attribute that holds the object behind a captured handle: it belongs to this process.
CAPTURED_VALUE = "_value"


def node_def_message(operation: Operation) -> Any:
    """A node as a NodeDef."""
    from featherflow.protos import node_def_pb2

    message = node_def_pb2.NodeDef()
    write_node(operation, message)
    return message


def write_node(operation: Operation, message: Any) -> None:
    """Fills a NodeDef: inputs as `node`, `node:1` or `^node`."""
    message.name = operation.name
    message.op = operation.definition.name
    message.device = operation.device
    for tensor in operation._inputs:
        index = tensor.value_index
        message.input.append(f"{tensor.op.name}:{index}" if index else tensor.op.name)
    message.input.extend(sorted(f"^{other.name}" for other in operation.control_inputs))
    for name, value in operation.attrs.items():
        if name == CAPTURED_VALUE:
            continue
        kind = attr_type(operation.definition, name, value)
        attr_value.attr_value_to_proto(value, kind, message.attr[name])


def attr_type(definition: Op, name: str, value: Any) -> str:
    """The type of an attribute: the contract's, or the value's for one that starts with `_`."""
    attr = definition.op_def.attr(name)
    return attr.type if attr is not None else attr_value.attr_type_of(value)


def internal_attr(message: Any) -> Any:
    """The internal form of an AttrValue message; other values pass."""
    if type(message).__name__ != "AttrValue":
        return message
    return attr_value.attr_value_from_proto(message)


def public_attr(operation: Operation, name: str) -> Any:
    """An attribute as `get_attr` gives it: strings as bytes, shapes and tensors as messages."""
    value = operation.attrs[name]
    kind = attr_type(operation.definition, name, value)
    if kind.startswith("list("):
        return [_public(item, kind[5:-1]) for item in value]
    return _public(value, kind)


def _public(value: Any, kind: str) -> Any:
    if kind == "string":
        return value.encode() if isinstance(value, str) else value
    if kind in ("shape", "tensor", "func"):
        from featherflow.protos import attr_value_pb2

        message = attr_value_pb2.AttrValue()
        attr_value.attr_value_to_proto(value, kind, message)
        return getattr(message, kind)
    return value

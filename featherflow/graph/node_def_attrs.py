"""The attributes of a NodeDef as a node has them: by the op's contract, defaults filled in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from featherflow.framework.attr_value import (
    AttrPlaceholder,
    NameAttrList,
    attr_value_from_proto,
    attr_values_equal,
)
from featherflow.framework.errors import OpError
from featherflow.framework.op import Op
from featherflow.framework.op_def import ArgDef, AttrDef, check_attr
from featherflow.graph.graph_def_error import GraphDefError

#: A node with more inputs or outputs is damaged: the count is checked before lists are made.
MAX_TENSORS_OF_NODE = 1 << 20
#: Removed when a graph is read, since static shapes are kept elsewhere.
OUTPUT_SHAPES = "_output_shapes"


class AttrReader:
    """Reads the attributes of many nodes.

    Args:
      contents: what `detach_contents` took out of the message that the nodes are part of.
      substitutions: in the body of a function, the values of the function's attributes.
      ignored: (node, attr) of attributes to leave out.
    """

    def __init__(
        self,
        contents: Sequence[memoryview] = (),
        substitutions: Mapping[str, Any] | None = None,
        ignored: frozenset[tuple[str, str]] = frozenset(),
    ) -> None:
        self._contents = contents
        self._substitutions = substitutions or {}
        self._ignored = ignored
        self._attr_defs: dict[Op, dict[str, AttrDef]] = {}

    def read(self, definition: Op, messages: Mapping[str, Any], node: str) -> dict[str, Any]:
        """The attributes in internal form: the contract's in its order, then the others.

        Raises:
          GraphDefError: one is missing, or its value breaks the contract.
        """
        attr_defs = self._attr_defs.get(definition)
        if attr_defs is None:
            attr_defs = {attr.name: attr for attr in definition.op_def.attrs}
            self._attr_defs[definition] = attr_defs
        given: dict[str, Any] = {}
        for name, message in messages.items():
            if name == OUTPUT_SHAPES or (self._ignored and (node, name) in self._ignored):
                continue
            given[name] = self._value(attr_defs.get(name), name, message, definition, node)
        attrs: dict[str, Any] = {}
        for name, attr in attr_defs.items():
            if name in given:
                attrs[name] = given.pop(name)
            elif attr.has_default:
                attrs[name] = attr.default
            else:
                raise GraphDefError(
                    f"NodeDef missing attr '{name}' of type {attr.type}",
                    node=node,
                    op=definition.name,
                )
        attrs.update(given)
        return attrs

    def _value(
        self, attr: AttrDef | None, name: str, message: Any, definition: Op, node: str
    ) -> Any:
        kind = None if attr is None else attr.type
        try:
            value = attr_value_from_proto(message, kind, self._contents)
            value = self._substituted(value)
            if attr is not None and (attr.allowed_values is not None or attr.minimum is not None):
                check_attr(attr, value, definition.name)
        except OpError as error:
            raise GraphDefError(
                f"Attr '{name}': {error.message}",
                node=node,
                op=definition.name,
                received=error.received,
                expected=error.expected,
            ) from None
        except (TypeError, ValueError) as error:
            raise GraphDefError(f"Attr '{name}': {error}", node=node, op=definition.name) from None
        return value

    def _substituted(self, value: Any) -> Any:
        """`value` with the placeholders of a function body filled in."""
        if isinstance(value, AttrPlaceholder):
            if value.name not in self._substitutions:
                raise ValueError(f"its placeholder '{value.name}' has no value here")
            return self._substitutions[value.name]
        if isinstance(value, NameAttrList) and self._substitutions:
            attrs = {key: self._substituted(item) for key, item in value.attrs.items()}
            return NameAttrList(value.name, attrs)
        return value


def tensor_count(args: Sequence[ArgDef], attrs: Mapping[str, Any]) -> int:
    """How many tensors `args` stand for, lists unrolled.

    Raises:
      ValueError: a number is negative, or there are too many.
    """
    count = 0
    for arg in args:
        if arg.type_list_attr is not None:
            count += len(attrs[arg.type_list_attr])
        elif arg.number_attr is None:
            count += 1
        else:
            number = attrs[arg.number_attr]
            if number < 0:
                raise ValueError(f"attr '{arg.number_attr}' is {number}, a number of tensors")
            count += number
    if count > MAX_TENSORS_OF_NODE:
        raise ValueError(f"{count} tensors, more than any node has")
    return count


def unknown_defaults(
    node_defs: Iterable[Any], producer_op_list: Any, find_definition: Callable[[str], Op | None]
) -> frozenset[tuple[str, str]]:
    """(node, attr) of the attributes that only the producer knows, and that it left at defaults.

    Args:
      producer_op_list: the OpList of the program that wrote the graph.
      find_definition: the op of a name in this program.
    """
    producer_ops = {op.name: op for op in producer_op_list.op}
    found = set()
    for node in node_defs:
        producer, consumer = producer_ops.get(node.op), find_definition(node.op)
        if producer is None or consumer is None:
            continue
        defaults = {
            attr.name: attr.default_value
            for attr in producer.attr
            if attr.HasField("default_value")
        }
        for name in node.attr:
            if consumer.op_def.attr(name) is None and name in defaults:
                value = attr_value_from_proto(node.attr[name])
                if attr_values_equal(value, attr_value_from_proto(defaults[name])):
                    found.add((node.name, name))
    return frozenset(found)

"""Function inlining: a call of a function without effects becomes the nodes of its body.

Only calls that wait for nothing, and that nothing waits for, of bodies that may run in any order
and on any device; others keep their call. Nodes keep the Operation of the body, so errors name the
line in the function.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from featherflow.framework.attr_value import NameAttrList
from featherflow.framework.errors import OpError
from featherflow.graph.operation import Operation
from featherflow.graph.subgraph import Node, Subgraph, prune
from featherflow.grappler.graph_editor import GraphEditor, has_ref_input, is_pure, is_reference

_CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall"))
#: Calls in the bodies of calls are followed so deep; what calls itself is left alone.
_DEEPEST = 8
_LARGEST_BODY = 1000
#: So many nodes may be made in all.
_LARGEST_GROWTH = 20_000

Library = Mapping[str, Any]


def inline_functions(editor: GraphEditor) -> None:
    """Replaces calls by the nodes of the functions' bodies."""
    calls = [node for node in editor.nodes() if node.definition.name in _CALLS]
    if calls:
        inliner = _Inliner(editor)
        for node in calls:
            inliner.inline(node, node, (), 0)


class _Inliner:
    def __init__(self, editor: GraphEditor) -> None:
        self._editor = editor
        self._left = _LARGEST_GROWTH
        self._simple: dict[NameAttrList, Any] = {}

    def inline(self, call: Node, anchor: Node, around: tuple[Library, ...], depth: int) -> None:
        """Replaces a call, if it can be; new nodes come before `anchor`.

        Args:
          around: the libraries of the functions that the call is in.
          depth: how many these are.
        """
        if call.operation is None or not self._may_replace(call):
            return
        libraries = (call.operation.graph._functions, *around)
        body = self._simple_body(call.attrs.get("f"), libraries)
        step = None if body is None or depth > _DEEPEST else _nodes_of(body)
        if step is None or not _fits(call, step) or len(step.nodes) > self._left:
            return
        self._left -= len(step.nodes)
        self._copy(call, anchor, step)
        for node in step.nodes:
            if node.definition.name in _CALLS:
                self.inline(node, anchor, libraries, depth + 1)

    def _may_replace(self, call: Node) -> bool:
        editor = self._editor
        dtypes = [source.output_dtypes[index] for source, index in call.inputs]
        return not (
            call.control_inputs
            or call in editor.conditional
            or editor.has_control_users(call)
            or editor.is_kept(call)
            or has_ref_input(call)
            or any(map(is_reference, (*dtypes, *call.output_dtypes)))
        )

    def _copy(self, call: Node, anchor: Node, step: Subgraph) -> None:
        arguments = dict(zip(step.feeds, call.inputs))
        for node in step.nodes:
            if node in arguments:
                continue
            node.name, node.device = f"{call.name}/{node.name}", call.device
            node.inputs = [arguments.get(source, (source, index)) for source, index in node.inputs]
            self._editor.insert(anchor, node)
        for place, (node, index) in enumerate(step.fetches):
            self._editor.replace((call, place), arguments.get(node, (node, index)))
        name = call.attrs["f"].name
        self._editor.note(f"{call.name}: the body of {name}")

    def _simple_body(self, function: Any, libraries: tuple[Library, ...]) -> Any:
        """The body of a function; None if its nodes cannot stand where it is called."""
        if not isinstance(function, NameAttrList):
            return None
        if function not in self._simple:
            self._simple[function] = None  # what calls itself is not simple
            body = _find_body(function, libraries)
            if body is not None and self._is_simple(body, libraries):
                self._simple[function] = body
        return self._simple[function]

    def _is_simple(self, body: Any, libraries: tuple[Library, ...]) -> bool:
        operations = body.graph.get_operations()
        arguments = {tensor.op for tensor in body.inputs}
        libraries = (body.graph._functions, *libraries)
        return len(operations) <= _LARGEST_BODY and all(
            operation in arguments or self._may_stand_alone(operation, libraries)
            for operation in operations
        )

    def _may_stand_alone(self, operation: Operation, libraries: tuple[Library, ...]) -> bool:
        if operation.device or operation.control_inputs:
            return False
        definition = operation.definition
        if definition.name in _CALLS:
            return self._simple_body(operation.attrs.get("f"), libraries) is not None
        return is_pure(operation) and not any(kernel.asynchronous for kernel in definition.kernels)


def _fits(call: Node, step: Subgraph) -> bool:
    """Whether a call has the arguments and results that the function has."""
    given = [source.output_dtypes[index].base_dtype for source, index in call.inputs]
    made = [node.output_dtypes[index] for node, index in step.fetches]
    wanted = [feed.output_dtypes[0] for feed in step.feeds]
    return given == wanted and made == call.output_dtypes


def _find_body(function: NameAttrList, libraries: tuple[Library, ...]) -> Any:
    found = next((item[function.name] for item in libraries if function.name in item), None)
    instantiate = getattr(found, "instantiate", None)
    try:
        body = found if instantiate is None else instantiate(function.attrs)
    except (OpError, ValueError):
        return None  # the call will raise it
    return None if body is None or body.control_outputs else body


def _nodes_of(body: Any) -> Subgraph | None:
    try:
        return prune(body.graph, body.inputs, body.outputs)
    except OpError:
        return None

"""Operation: one node of a graph."""

from __future__ import annotations

import os
import sys
import traceback as traceback_module
from typing import TYPE_CHECKING, Any

from featherflow.framework import op_def as op_def_module
from featherflow.framework.op import Op
from featherflow.framework.op_def import AttrDef
from featherflow.graph import exporter
from featherflow.graph.op_def_message import op_def_message
from featherflow.graph.tensor import Tensor, _session_for

if TYPE_CHECKING:
    from featherflow.graph.graph import Graph

_PACKAGE_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_MAX_CREATION_FRAMES = 5


class Operation:
    """A node: an Op applied to input tensors, with attributes, a name and a device."""

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_control_flow_context",
        "_frames",
        "_has_run",
        "_inputs",
        "attrs",
        "control_inputs",
        "definition",
        "device",
        "graph",
        "id",
        "name",
        "outputs",
    )

    def __init__(
        self,
        graph: Graph,
        name: str,
        definition: Op,
        inputs: list[Tensor],
        control_inputs: list[Operation],
        attrs: dict[str, Any],
        device: str,
    ) -> None:
        self.graph = graph
        self.name = name
        self.definition = definition
        self._inputs = inputs
        self.control_inputs = control_inputs
        self.attrs = attrs
        self.device = device
        self.outputs: list[Tensor] = []
        self.id = -1
        self._control_flow_context: Any = None
        self._frames = capture_frames()
        self._has_run = False

    # --- what it is -------------------------------------------------------------------

    @property
    def type(self) -> str:
        """The op's name, such as "Conv2D"."""
        return self.definition.name

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The input tensors, lists unrolled."""
        return tuple(self._inputs)

    @property
    def op_def(self) -> Any:
        """The op's contract as an OpDef message."""
        return op_def_message(self.definition.op_def)

    @property
    def node_def(self) -> Any:
        """This node as a NodeDef message."""
        return exporter.node_def_message(self)

    @property
    def traceback(self) -> traceback_module.StackSummary:
        """Where the node was created: the user's frames, outermost first."""
        frames = [
            (code.co_filename, line, code.co_name, None) for code, line in creation_frames(self)
        ]
        return traceback_module.StackSummary.from_list(frames[::-1])

    def values(self) -> tuple[Tensor, ...]:
        """The outputs."""
        return tuple(self.outputs)

    def get_attr(self, name: str) -> Any:
        """The value of an attribute: strings as bytes, lists as lists, as TensorFlow gives them.

        Raises:
          ValueError: the node has no such attribute.
        """
        if name not in self.attrs:
            raise ValueError(
                f"Operation '{self.name}' has no attr named '{name}'; it has: "
                f"{', '.join(sorted(self.attrs)) or 'none'}."
            )
        return exporter.public_attr(self, name)

    def colocation_groups(self) -> list[bytes]:
        """The colocation groups that the node is in; its own if none is stated."""
        groups = [item for item in self.attrs.get("_class", ()) if item.startswith("loc:@")]
        return [item.encode() for item in groups or [f"loc:@{self.name}"]]

    def run(self, feed_dict: dict | None = None, session: Any = None) -> None:
        """Runs the operation in `session`, else in the default session."""
        _session_for(self.graph, session, "run").run(self, feed_dict)

    # --- changes, each of which the graph is told of ----------------------------------

    def _add_control_input(self, operation: Operation) -> None:
        self._add_control_inputs([operation])

    def _add_control_inputs(self, operations: list[Operation]) -> None:
        for operation in operations:
            if not isinstance(operation, Operation):
                raise TypeError(f"A control input must be an Operation, received {operation!r}.")
            if operation.graph is not self.graph:
                raise ValueError(f"Operation '{operation.name}' is of another graph.")
        self.graph._check_not_run(self, "add a control input to")
        self.control_inputs = list(dict.fromkeys([*self.control_inputs, *operations]))

    def _remove_all_control_inputs(self) -> None:
        self.graph._check_not_run(self, "remove the control inputs of")
        self.control_inputs = []

    def _update_input(self, index: int, tensor: Tensor) -> None:
        self.graph._check_not_run(self, "change an input of")
        previous = self._inputs[index]
        if previous._consumers:
            previous._consumers.remove(self)
        self._inputs[index] = tensor
        _add_consumer(tensor, self)

    def _set_attr(self, name: str, value: Any) -> None:
        """Sets an attribute from its AttrValue message, or from its internal form."""
        self.graph._check_not_run(self, "change an attribute of")
        if type(value).__name__ == "AttrValue":
            value = exporter.internal_attr(value)
        else:
            attr = self.definition.op_def.attr(name)
            if isinstance(attr, AttrDef):
                value = op_def_module.convert_attr(attr, value, self.name)
        self.attrs[name] = value

    def _set_device(self, device: Any) -> None:
        self.graph._check_not_run(self, "move")
        self.device = self.graph._canonical_device(device)

    # --- control flow -----------------------------------------------------------------

    def _get_control_flow_context(self) -> Any:
        return self._control_flow_context

    def _set_control_flow_context(self, context: Any) -> None:
        self._control_flow_context = context

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"

    def __str__(self) -> str:
        return str(self.node_def)


def _add_consumer(tensor: Tensor, operation: Operation) -> None:
    if tensor._consumers is None:
        tensor._consumers = [operation]
    else:
        tensor._consumers.append(operation)


# --- where nodes are created ----------------------------------------------------------


def capture_frames() -> tuple[Any, ...]:
    """The user's innermost frames as (code, instruction, …), cheap enough for every node.

    Line numbers are worked out only when somebody asks (`creation_frames`). Frames of featherflow
    itself are left out: the user's line is the one that helps.
    """
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE_FOLDER):
        frame = frame.f_back
    found: list[Any] = []
    while frame is not None and len(found) < 2 * _MAX_CREATION_FRAMES:
        found.append(frame.f_code)
        found.append(frame.f_lasti)
        frame = frame.f_back
    return tuple(found)


def creation_frames(operation: Operation) -> list[tuple[Any, int]]:
    """The user's frames in which a node was made, innermost first, as (code, line)."""
    frames = operation._frames
    return [
        (frames[index], _line_of(frames[index], frames[index + 1]))
        for index in range(0, len(frames), 2)
    ]


def _line_of(code: Any, instruction: int) -> int:
    for start, end, line in code.co_lines():
        if start <= instruction < end and line is not None:
            return line
    return code.co_firstlineno


def creation_site(operation: Operation) -> str:
    """`file.py:41 in encode()`, or "" for a node that no user's line made (an imported graph)."""
    frames = creation_frames(operation)
    if not frames:
        return ""
    code, line = frames[0]
    where = "" if code.co_name == "<module>" else f" in {code.co_name}()"
    return f"{code.co_filename}:{line}{where}"

"""ProgramOrder: what has an effect in a traced function happens in the order of the Python code.

A plan runs nodes as soon as their inputs are there. Of one resource, a change therefore waits for
what was called before it, and a read for the last change (control inputs). What has effects
elsewhere (prints, files, Python) waits for what of that kind came before.

    v.assign(2.0)          change of v
    y = v * 3.0            its read waits for the change
    tf.print(y)            the world: waits for earlier prints
    v.assign(y)            waits for both reads

Inside of a branch or loop the same holds among its own nodes. Its results wait for its effects, and
stand for them outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from featherflow.framework import dtypes
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor

#: What ops without a handle act on.
_WORLD = "the world"


@dataclass
class _Uses:
    """Of one resource, in one branch or loop: the last changes, and the reads since."""

    changes: list[Operation] = field(default_factory=list)
    reads: list[Operation] = field(default_factory=list)


class ProgramOrder:
    """The effects of one function, by the control-flow context (None outside) that they are in."""

    def __init__(self) -> None:
        self._uses: dict[Any, dict[Any, _Uses]] = {}

    def add(self, operation: Operation) -> None:
        """Orders a new node behind what it must wait for."""
        definition = operation.definition
        if not definition.stateful and not definition.takes_ref:
            return
        for key in self._touched(operation):
            is_read = definition.reads_only and key is not _WORLD
            self._wait(operation, key, is_read)
            uses = self._uses.setdefault(operation._control_flow_context, {}).setdefault(
                key, _Uses()
            )
            if is_read:
                uses.reads.append(operation)
            else:
                uses.changes, uses.reads = [operation], []

    def _touched(self, operation: Operation) -> list[Any]:
        """The resources that a node acts on; of one without handles the world."""
        definition = operation.definition
        if definition.order_free:
            return []
        handles = [
            id(_origin(tensor))
            for tensor in operation.inputs
            if tensor.dtype.base_dtype is dtypes.resource or tensor.dtype._is_ref_dtype
        ]
        if handles:
            return list(dict.fromkeys(handles))
        makes_handle = any(tensor.dtype is dtypes.resource for tensor in operation.outputs)
        return [] if makes_handle else [_WORLD]

    def _wait(self, operation: Operation, key: Any, is_read: bool) -> None:
        inside = operation._control_flow_context
        context, loop = inside, None
        while True:
            uses = self._uses.get(context, {}).get(key)
            if uses is not None:
                found = uses.changes if is_read else [*uses.changes, *uses.reads]
                waiting = [operation] if loop is None else [enter.op for enter in loop.loop_enters]
                for item in waiting:
                    item._add_control_inputs([source for source in found if source is not item])
                if uses.changes:
                    return
            if context is None:
                return
            if context.while_context is context:
                loop = context
            context = context.outer_context

    # --- branches and loops -----------------------------------------------------------------------

    def effects_in(self, context: Any) -> list[Operation]:
        """The last changes in a branch or loop: its results wait for them."""
        found = self._uses.get(context, {}).values()
        return list(dict.fromkeys(item for uses in found for item in uses.changes))

    def leave(self, contexts: Sequence[Any], results: Sequence[Operation]) -> None:
        """The results of branches, or of a loop, stand for what has happened inside of them."""
        outer = contexts[0].outer_context
        for context in contexts:
            for key, uses in self._uses.pop(context, {}).items():
                around = self._uses.setdefault(outer, {}).setdefault(key, _Uses())
                if uses.changes:
                    around.changes, around.reads = list(results), []
                else:
                    around.reads.extend(results)

    def last_effects(self) -> list[Operation]:
        """The nodes that must have run when the function is done; those before them have, too."""
        return self.effects_in(None)


def _origin(handle: Tensor) -> Tensor:
    """The handle as it was outside of all branches and loops."""
    while handle._op.definition.control_flow or handle._op.definition.aliases:
        inputs = handle._op._inputs
        if not inputs or inputs[0].dtype is not handle.dtype:
            break
        handle = inputs[0]
    return handle

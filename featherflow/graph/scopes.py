"""The scopes of a graph: what nodes made inside them are given without asking.

Names, devices, control dependencies, colocation, attributes and containers. The state is here; the
public context managers are methods of Graph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from featherflow.framework import device as device_module

if TYPE_CHECKING:
    from featherflow.graph.operation import Operation

_VALID_NODE_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
_VALID_SCOPE_NAME = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")
DeviceFunction = Callable[[Any], Any]


def is_valid_node_name(name: str) -> bool:
    """Whether a node may be called `name`: letter, digit or dot, then also `_ \\ / > -`."""
    return _VALID_NODE_NAME.match(name) is not None


def is_valid_scope_name(name: str) -> bool:
    """Whether a scope, or a node inside a scope, may be called `name`."""
    return _VALID_SCOPE_NAME.match(name) is not None


class NameScopes:
    """The names in use, and the scope that new names start with."""

    def __init__(self) -> None:
        self.current = ""
        self._times_used: dict[str, int] = {}

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """`name` inside the current scope, with `_1`, `_2`, … if it is taken (case aside)."""
        if self.current:
            name = f"{self.current}/{name}"
        times_used = self._times_used
        key = name.lower()
        count = times_used.get(key, 0)
        if mark_as_used:
            times_used[key] = count + 1
        if count == 0:
            return name
        base = key
        while key in times_used:
            key = f"{base}_{count}"
            count += 1
        if mark_as_used:
            times_used[key] = 1
        return f"{name}_{count - 1}"

    def reserve(self, name: str) -> None:
        """Marks a full name as used, as the nodes of an imported graph do."""
        self._times_used.setdefault(name.lower(), 1)

    @contextmanager
    def enter(self, name: str | None) -> Iterator[str]:
        """Enters a scope; `name` ending in "/" re-enters one by its full name, "" leaves all."""
        previous = self.current
        self.current = self._scope_for(name)
        try:
            yield f"{self.current}/" if self.current else ""
        finally:
            self.current = previous

    def _scope_for(self, name: str | None) -> str:
        if not name:
            return ""
        valid = _VALID_SCOPE_NAME if self.current else _VALID_NODE_NAME
        if not valid.match(name):
            raise ValueError(f"'{name}' is not a valid scope name; it must match {valid.pattern}")
        return name[:-1] if name.endswith("/") else self.unique_name(name)


class ControlDependencies:
    """One `control_dependencies` block: nodes made inside wait for `operations`.

    A node that has an input made inside the block waits already, and gets no edge of its own.
    """

    __slots__ = ("made_inside", "operations")

    def __init__(self, operations: list[Operation]) -> None:
        self.operations = operations
        self.made_inside: set[Operation] = set()


class Scopes:
    """All scopes of one graph."""

    def __init__(self) -> None:
        self.names = NameScopes()
        self.control_dependencies: list[ControlDependencies] = []
        self.device_functions: list[DeviceFunction | None] = []
        self.colocation: list[Operation] = []
        self.attrs: dict[str, Any] = {}
        self.gradient_overrides: dict[str, str] = {}
        self.kernel_labels: dict[str, str] = {}
        self.container = ""

    # --- what a new node is given -----------------------------------------------------

    def control_inputs_for(self, input_operations: Iterable[Operation]) -> list[Operation]:
        """The control inputs of a new node that takes its inputs from `input_operations`."""
        inputs = set(input_operations)
        found: dict[Operation, None] = {}
        for block in self.control_dependencies:
            if block.made_inside.isdisjoint(inputs):
                for operation in block.operations:
                    if operation not in inputs:
                        found[operation] = None
        return list(found)

    def note_made(self, operation: Operation) -> None:
        """Tells the control-dependency blocks that `operation` was made inside them."""
        for block in self.control_dependencies:
            block.made_inside.add(operation)

    def place(self, operation: Operation) -> None:
        """Applies the device functions, innermost first, then colocation."""
        for function in reversed(self.device_functions):
            if function is None:
                break
            operation.device = device_module.canonical_name(function(operation))
        if not self.colocation:
            return
        groups: set[str] = set()
        for other in reversed(self.colocation):
            groups.update(group.decode() for group in other.colocation_groups())
            if other.device:
                operation.device = other.device
        operation.attrs["_class"] = tuple(sorted(groups))

    def add_attrs(self, operation: Operation) -> None:
        """Applies attribute scopes, the gradient override map, containers and kernel labels."""
        attrs = operation.attrs
        for name, value in self.attrs.items():
            attrs.setdefault(name, value)
        override = self.gradient_overrides.get(operation.definition.name)
        if override is not None:
            attrs.setdefault("_gradient_op_type", override)
        if self.container and operation.definition.stateful and attrs.get("container") == "":
            attrs["container"] = self.container
        label = self.kernel_labels.get(operation.definition.name)
        if label is not None:
            attrs.setdefault("_kernel", label)

    # --- entering ---------------------------------------------------------------------

    @contextmanager
    def enter_device(self, device: Any) -> Iterator[None]:
        """`device`: a string, spec or function of the node, or None to leave all scopes."""
        previous = self.device_functions
        function = (
            device if device is None or callable(device) else device_module.merge_device(device)
        )
        self.device_functions = [*previous, function]
        try:
            yield
        finally:
            self.device_functions = previous

    @contextmanager
    def enter_colocation(
        self, operation: Operation | None, ignore_existing: bool
    ) -> Iterator[None]:
        """Nodes made inside go where `operation` goes; device scopes around are left."""
        previous = self.colocation, self.device_functions
        if operation is None:
            self.colocation = []
        else:
            self.colocation = [*([] if ignore_existing else self.colocation), operation]
            self.device_functions = []
        try:
            yield
        finally:
            self.colocation, self.device_functions = previous

    @contextmanager
    def enter_control_dependencies(self, operations: list[Operation] | None) -> Iterator[None]:
        """None leaves all blocks around."""
        previous = self.control_dependencies
        if operations is None:
            self.control_dependencies = []
        else:
            self.control_dependencies = [*previous, ControlDependencies(operations)]
        try:
            yield
        finally:
            self.control_dependencies = previous

    @contextmanager
    def enter_mapping(self, field: str, values: dict[str, Any]) -> Iterator[None]:
        """Adds to `attrs`, `gradient_overrides` or `kernel_labels`; None takes an entry away."""
        previous = getattr(self, field)
        merged = {**previous, **values}
        setattr(self, field, {key: value for key, value in merged.items() if value is not None})
        try:
            yield
        finally:
            setattr(self, field, previous)

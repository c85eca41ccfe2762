"""Colocation: which nodes must stand on one device, and what they ask for together.

Groups are kept as a union-find forest over the nodes of a graph. Nodes are joined

    by class        `_class` attributes: tf.colocate_with, or a graph read from a file
    by reference    a node that takes a ref stands with the node that makes it
    by resource     a node that takes a resource handle stands with the node that makes it
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from featherflow.framework import dtypes
from featherflow.framework.device import DeviceSpec
from featherflow.framework.errors import InvalidArgumentError
from featherflow.graph.operation import Operation

_PARTS = ("job", "replica", "task", "device_type", "device_index")
#: What TensorFlow calls the part in its message.
_PART_NAMES = ("jobs", "replicas", "tasks", "types", "ids")


@dataclass(eq=False, slots=True)
class ColocationGroup:
    """Nodes of one device.

    Attributes:
      members: the nodes.
      request: the device they ask for, as far as any of them does.
      asked_by: the member whose request it is, for messages.
      owns_state: whether `asked_by` makes a ref or resource: then its request wins.
      device: the full name of the device, once it is decided.
      links: for a member, why it is here: ("class" | "reference" | "resource", other member).
    """

    members: list[Operation]
    request: DeviceSpec
    asked_by: Operation | None = None
    owns_state: bool = False
    device: str | None = None
    links: dict[Operation, tuple[str, Operation]] = field(default_factory=dict)


class ColocationGraph:
    """The groups of one graph; nodes are added as the graph grows.

    Args:
      allow_soft_placement: a request that contradicts the group's is dropped, rather than refused.
    """

    def __init__(self, allow_soft_placement: bool) -> None:
        self._allow_soft = allow_soft_placement
        self._group_of: dict[Operation, ColocationGroup] = {}
        self._by_class: dict[str, Operation] = {}
        #: Requests that lost: node → why.
        self.ignored: dict[Operation, str] = {}

    def group_of(self, operation: Operation) -> ColocationGroup:
        """The group of a node that has been added."""
        return self._group_of[operation]

    def add(self, operation: Operation) -> ColocationGroup:
        """Adds a node and joins it with those that it must stand with.

        Raises:
          InvalidArgumentError: they ask for different devices.
        """
        request = DeviceSpec.from_string(operation.device)
        group = ColocationGroup([operation], request)
        if operation.device:
            group.asked_by = operation
            group.owns_state = _makes_state(operation)
        self._group_of[operation] = group
        if operation.name in self._by_class:  # nodes made before it name it
            self._join(self._by_class[operation.name], operation, "class")
        for name in operation.attrs.get("_class", ()):
            if name.startswith("loc:@"):
                self._join_class(operation, name[len("loc:@") :])
        for kind, source in _state_edges(operation):
            if source in self._group_of:
                self._join(source, operation, kind)
        return self._group_of[operation]

    def _join_class(self, operation: Operation, name: str) -> None:
        """Joins the group called `name`: that of the node called so, or of all who name it."""
        leader = operation.graph._operation_by_name.get(name)
        if leader is None or leader not in self._group_of:
            leader = self._by_class.setdefault(name, operation)
        if leader is not operation:
            self._join(leader, operation, "class")

    def _join(self, first: Operation, second: Operation, kind: str) -> None:
        into, group = self._group_of[first], self._group_of[second]
        if into is group:
            return
        into.request = self._merged_request(into, group, first, second, kind)
        if into.asked_by is None or (group.owns_state and not into.owns_state):
            into.asked_by = into.asked_by if group.asked_by is None else group.asked_by
            into.owns_state = into.owns_state or group.owns_state
        into.device = into.device or group.device
        into.members.extend(group.members)
        into.links.update(group.links)
        into.links[second] = (kind, first)
        for member in group.members:
            self._group_of[member] = into

    def _merged_request(
        self,
        into: ColocationGroup,
        group: ColocationGroup,
        first: Operation,
        second: Operation,
        kind: str,
    ) -> DeviceSpec:
        conflict = _conflict(into.request, group.request)
        if conflict is None:
            return into.request.make_merged_spec(group.request)
        # A variable stands where it was asked to; who updates it follows, whatever scope it is in.
        keeps_first = into.owns_state or not group.owns_state
        winner, loser = (into, group) if keeps_first else (group, into)
        if kind == "class" and not self._allow_soft:
            raise InvalidArgumentError(
                None,
                second,
                f"Cannot colocate nodes {{{{colocation_node {second.name}}}}} and "
                f"{{{{colocation_node {first.name}}}}}: Cannot merge devices with incompatible "
                f"{conflict}: '{into.request.to_string()}' and '{group.request.to_string()}'",
                remedy="Ask for one device, or for none, or set allow_soft_placement.",
            )
        for member in loser.members:
            if member.device:
                asked = winner.asked_by.name if winner.asked_by is not None else "its group"
                self.ignored[member] = f"'{asked}' decides for the group"
        return winner.request

    def __iter__(self) -> Iterator[ColocationGroup]:
        seen: set[int] = set()
        for group in self._group_of.values():
            if id(group) not in seen:
                seen.add(id(group))
                yield group


def _conflict(first: DeviceSpec, second: DeviceSpec) -> str | None:
    """The part in which two requests differ, as messages call it; None if they fit."""
    for part, name in zip(_PARTS, _PART_NAMES):
        left, right = getattr(first, part), getattr(second, part)
        if left is not None and right is not None and left != right:
            return name
    return None


def _state_edges(operation: Operation) -> Iterator[tuple[str, Operation]]:
    """The nodes whose refs and resources `operation` takes."""
    takes_ref = operation.definition.takes_ref
    wants_ref: list[bool] = _ref_inputs(operation) if takes_ref else []
    for position, tensor in enumerate(operation._inputs):
        if tensor._dtype is dtypes.resource:
            yield "resource", tensor._op
        elif takes_ref and wants_ref[position] and tensor._dtype._is_ref_dtype:
            yield "reference", tensor._op


def _ref_inputs(operation: Operation) -> list[bool]:
    """For each input tensor, whether the op takes it as a ref."""
    result: list[bool] = []
    for arg in operation.definition.op_def.inputs:
        count = 1
        if arg.number_attr is not None:
            count = operation.attrs[arg.number_attr]
        elif arg.type_list_attr is not None:
            count = len(operation.attrs[arg.type_list_attr])
        result.extend([arg.is_ref] * count)
    return result


def _makes_state(operation: Operation) -> bool:
    """Whether a node makes a resource or ref, rather than passing one on."""
    return operation.definition.stateful and any(
        tensor._dtype is dtypes.resource or tensor._dtype._is_ref_dtype
        for tensor in operation.outputs
    )

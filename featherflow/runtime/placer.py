"""Placer: gives every node of a graph a device, on the whole graph, before anything is pruned.

A node stands where the merged request of its colocation group says; where that leaves a choice, on
the best device that has a kernel for every node of the group. A node that was placed stays there
for the session's life, so what it keeps is found again; nodes made later are placed around it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from featherflow.framework.device import Device, DeviceSpec
from featherflow.framework.errors import InvalidArgumentError
from featherflow.graph.graph import Graph
from featherflow.graph.operation import Operation, creation_site
from featherflow.graph.subgraph import FEED, Subgraph
from featherflow.runtime.colocation import ColocationGraph, ColocationGroup

#: The better type first, where an op has kernels for several; others come behind, by name.
_TYPE_ORDER = {"GPU": 0, "CPU": 2}


@dataclass(frozen=True)
class Placement:
    """Where a node stands, and why.

    Attributes:
      node, op: its name and its op's.
      device: the full name of the device.
      reason: in words.
      request: the device that was asked for; "" if none was.
      created_at: the user's line that made it.
    """

    node: str
    op: str
    device: str
    reason: str
    request: str
    created_at: str


class Placer:
    """Places the nodes of one graph; a session has one for its graph and one for each function.

    Args:
      devices: those that there are, the default first.
      config: a ConfigProto, or None.
      default_device: where nodes go that ask for nothing, if they have a kernel there.
    """

    def __init__(
        self,
        graph: Graph,
        devices: Sequence[Device],
        config: Any = None,
        default_device: str | None = None,
    ) -> None:
        self.graph = graph
        self.devices = list(devices)
        self._default = default_device or self.devices[0].name
        self._allow_soft = bool(config and config.allow_soft_placement)
        self._log = bool(config and config.log_device_placement)
        self._groups = ColocationGraph(self._allow_soft)
        self._devices_for: dict[str, list[Device]] = {}
        self._lock = threading.Lock()
        self._placed = 0
        self._grouped = 0
        self._has_choice = False
        #: The devices of the nodes by id; None while there is one device and nothing to keep.
        self._device_of: list[str] | None = None if len(self.devices) == 1 else []
        self._reasons: dict[int, str] = {}

    def place(self) -> None:
        """Places the nodes made since the last call.

        Raises:
          InvalidArgumentError: a request cannot be met; names node, request, devices and line.
        """
        with self._lock:
            self._place_new()

    def _place_new(self) -> None:
        operations = self.graph._operations[self._placed :]
        if self._device_of is None:
            self._place_on_only_device(operations)
        elif self._is_plain(operations):
            self._device_of.extend([self._default] * len(operations))
        elif operations:
            self._catch_up()
            self._place_groups(operations)
        self._placed += len(operations)
        if self._log:
            for operation in operations:
                device = self.device_of(operation)
                print(f"{operation.name}: ({operation.type}): {device}", file=sys.stderr)

    def device_of(self, operation: Operation) -> str:
        """The device of a placed node, by full name."""
        return self._default if self._device_of is None else self._device_of[operation.id]

    def assign(self, step: Subgraph) -> None:
        """Writes the places into the nodes of a step."""
        if self._device_of is None:
            for node in step.nodes:
                node.device = self._default
            return
        for node in step.nodes:
            if node.operation is not None:
                node.device = self._device_of[node.operation.id]
            elif node.definition is FEED:
                node.device = self._default

    # --- one device -------------------------------------------------------------------------------

    def _place_on_only_device(self, operations: Sequence[Operation]) -> None:
        """Nothing to choose; requests are still checked, each spelling once."""
        known = self._devices_for
        for operation in operations:
            if operation.device and operation.device not in known:
                self._find_devices(DeviceSpec.from_string(operation.device), operation)
                known[operation.device] = self.devices

    # --- several ----------------------------------------------------------------------------------

    def _is_plain(self, operations: Sequence[Operation]) -> bool:
        """Whether all nodes may go to the default: devices are alike, and nobody asks for one."""
        if self._has_choice:
            return False
        self._has_choice = len({device.device_type for device in self.devices}) > 1 or any(
            operation.device for operation in operations
        )
        return not self._has_choice

    def _catch_up(self) -> None:
        """Makes the groups of the nodes that were placed without any."""
        if self._grouped < self._placed:
            for operation in self.graph._operations[self._grouped : self._placed]:
                self._groups.add(operation)
            for group in self._groups:
                if group.device is None:
                    group.device = self.device_of(group.members[0])
        self._grouped = len(self.graph._operations)

    def _place_groups(self, operations: Sequence[Operation]) -> None:
        groups = self._groups
        touched: dict[ColocationGroup, None] = {}
        for operation in operations:
            groups.add(operation)
        for operation in operations:
            touched[groups.group_of(operation)] = None
        followers = []
        for group in touched:
            if group.device is None and group.asked_by is None and _follows(group) is not None:
                followers.append(group)
            else:
                self._place_group(group)
        for group in followers:
            self._place_follower(group)
        assert self._device_of is not None
        for operation in operations:
            device = groups.group_of(operation).device
            assert device is not None
            self._device_of.append(device)

    def _place_group(self, group: ColocationGroup) -> None:
        first = group.asked_by or group.members[0]
        if group.device is not None:
            self._check_placed(group)
            return
        candidates = self._find_devices(group.request, first)
        able = [device for device in candidates if self._has_kernels(device.device_type, group)]
        if not able and self._allow_soft:
            able = [
                device for device in self.devices if self._has_kernels(device.device_type, group)
            ]
        if not able:
            able = self._without_kernels(group, candidates, first)
        group.device = self._best(able).name
        self._explain_group(group, candidates)

    def _best(self, devices: Sequence[Device]) -> Device:
        kinds = {device.device_type for device in devices}
        if len(kinds) == 1:
            default = next((item for item in devices if item.name == self._default), None)
            return default or devices[0]
        return min(devices, key=lambda device: _TYPE_ORDER.get(device.device_type, 1))

    def _place_follower(self, group: ColocationGroup) -> None:
        """What makes a value for one reader stands with it; so does what asks for a shape."""
        leader, reason = _follows(group) or (None, "")
        device = self._groups.group_of(leader).device if leader is not None else None
        kind = next((item.device_type for item in self.devices if item.name == device), None)
        if device is None or kind is None or not self._has_kernels(kind, group):
            self._place_group(group)
            return
        group.device = device
        self._reasons[group.members[0].id] = reason

    def _has_kernels(self, device_type: str, group: ColocationGroup) -> bool:
        return all(
            member.definition.kernels.find(device_type, member.attrs) is not None
            for member in group.members
        )

    def _check_placed(self, group: ColocationGroup) -> None:
        """Nodes that join a group which has a device follow it, unless they ask for another."""
        spec = DeviceSpec.from_string(group.device)
        for member in group.members:
            if member.id < self._placed:
                continue
            self._reasons[member.id] = "the device of its group, which was placed before"
            asked = DeviceSpec.from_string(member.device)
            if member.device and not _matches(asked, spec) and member not in self._groups.ignored:
                if not self._allow_soft:
                    raise self._placed_elsewhere(member, group)
                self._groups.ignored[member] = "its group was placed before"

    # --- requests ---------------------------------------------------------------------------------

    def _find_devices(self, request: DeviceSpec, operation: Operation) -> list[Device]:
        """The devices that fit a request; with soft placement, those nearest to it."""
        key = request.to_string()
        found = self._devices_for.get(key)
        if found is None:
            found = [device for device in self.devices if _matches(request, device.spec)]
            if not found and self._allow_soft:
                anywhere = request.replace(device_type=None, device_index=None)
                found = [device for device in self.devices if _matches(anywhere, device.spec)]
            if not found:
                raise self._no_device(request, operation)
            self._devices_for[key] = found
        return found

    def _no_device(self, request: DeviceSpec, operation: Operation) -> InvalidArgumentError:
        names = ", ".join(device.name for device in self.devices)
        return InvalidArgumentError(
            None,
            operation,
            f"Cannot assign a device for operation {operation.name}: {{{{node {operation.name}}}}} "
            f"was explicitly assigned to {request.to_string()} but available devices are "
            f"[ {names} ]. Make sure the device specification refers to a valid device",
            remedy="Set allow_soft_placement=True in tf.ConfigProto to take what there is.",
        )

    def _placed_elsewhere(
        self, operation: Operation, group: ColocationGroup
    ) -> InvalidArgumentError:
        return InvalidArgumentError(
            None,
            operation,
            f"Cannot assign a device for operation {operation.name}: it asks for "
            f"{operation.device}, and its colocation group stands on {group.device} since an "
            "earlier run",
            remedy="Ask for that device, or build the graph before its first run.",
        )

    def _without_kernels(
        self, group: ColocationGroup, candidates: Sequence[Device], first: Operation
    ) -> list[Device]:
        """Where no device has kernels for the whole group: an error, if one node is to blame."""
        for member in group.members:
            kinds = {device.device_type for device in candidates}
            kernels = member.definition.kernels
            if not any(kernels.find(kind, member.attrs) for kind in kinds) and len(kernels):
                raise InvalidArgumentError(
                    None,
                    member,
                    f"Cannot assign a device for operation {member.name}: Could not satisfy "
                    f"device specification '{group.request.to_string()}'",
                    received=f"asked for by '{first.name}'; no kernel of {member.type} there",
                    expected="one of " + "; ".join(str(kernel) for kernel in kernels),
                    remedy="Move the node, cast its inputs, or set allow_soft_placement=True.",
                )
        return list(candidates)  # the plan will say which kernel is missing

    # --- why --------------------------------------------------------------------------------------

    def _explain_group(self, group: ColocationGroup, candidates: Sequence[Device]) -> None:
        fits = any(device.name == group.device for device in candidates)
        for member in group.members:
            if member.id < self._placed:
                continue
            link = group.links.get(member)
            if not fits:
                reason = "soft placement: no device that was asked for has a kernel"
            elif group.asked_by is member:
                reason = "asked for"
            elif link is not None:
                kind, other = link
                reason = f"colocated by {kind} with '{other.name}'"
            elif group.asked_by is not None:
                reason = f"colocated with '{group.asked_by.name}', which asks for it"
            else:
                reason = "the default: nothing asks for a device"
            self._reasons[member.id] = reason

    def placements(self, step: Subgraph) -> list[Placement]:
        """Where the nodes of a step stand, and why; `place` has been called."""
        return [
            self._placement(node.operation) for node in step.nodes if node.operation is not None
        ]

    def _placement(self, operation: Operation) -> Placement:
        if self._device_of is None:
            reason = "the only device"
        else:
            reason = self._reasons.get(operation.id, "the default: nothing asks for a device")
        request = operation.device
        why_ignored = self._groups.ignored.get(operation)
        if why_ignored:
            reason += f"; its request is ignored: {why_ignored}"
        elif request and not _matches(
            DeviceSpec.from_string(request), DeviceSpec.from_string(self.device_of(operation))
        ):
            reason += "; soft placement: there is no device that was asked for"
        return Placement(
            operation.name,
            operation.type,
            self.device_of(operation),
            reason,
            request,
            creation_site(operation),
        )


def _matches(request: DeviceSpec, device: DeviceSpec) -> bool:
    return all(
        wanted is None or wanted == actual for wanted, actual in zip(request._parts, device._parts)
    )


def _follows(group: ColocationGroup) -> tuple[Operation, str] | None:
    """The node beside which an unconstrained node is best placed, and why; None for most."""
    if len(group.members) > 1:
        return None
    (operation,) = group.members
    outputs = operation.outputs
    if not operation._inputs:
        consumers = outputs[0].consumers() if len(outputs) == 1 else []
        if len(consumers) == 1 and not outputs[0]._dtype._is_ref_dtype:
            return consumers[0], f"beside its only reader '{consumers[0].name}'"
        return None
    if operation.definition.static_value_fn is not None:
        # Shape, Size, Rank: the answer is small, the tensor they ask about may not be.
        source = operation._inputs[0]._op
        return source, f"beside '{source.name}', whose shape it tells"
    return None

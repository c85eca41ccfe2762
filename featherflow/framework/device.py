"""Devices: how they are named, in full or in part, and what the runtime asks of one.

A full name is `/job:localhost/replica:0/task:0/device:CPU:0`; a `DeviceSpec` is such a name of
which any part may be left open. Nested `tf.device` scopes fill the open parts from the inside out:

    >>> outer, inner = DeviceSpec.from_string("/job:ps/gpu:3"), DeviceSpec.from_string("/cpu:0")
    >>> outer.make_merged_spec(inner).to_string()
    '/job:ps/device:CPU:0'
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

# Types that may be written without `device:`, in either case: "/gpu:0". Others are kept as written.
_SHORT_TYPES = frozenset({"CPU", "GPU", "TPU", "EPU", "CUSTOM"})


class _Parts(NamedTuple):
    """The parts of a name, in their order; None where open."""

    job: str | None = None
    replica: int | None = None
    task: int | None = None
    device_type: str | None = None
    device_index: int | None = None


class DeviceSpec:
    """A device name of which parts may be left open; immutable.

    Args:
      job: such as "worker".
      replica: which replica of the job.
      task: which task of the job.
      device_type: "CPU", "GPU"; the lower-case spellings of these two mean the same.
      device_index: which device of the type in the task.
    """

    __slots__ = ("_parts",)

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        self._parts = _Parts(
            None if job is None else str(job),
            _integer(replica),
            _integer(task),
            device_type.upper() if device_type in ("cpu", "gpu") else device_type,
            _integer(device_index),
        )

    @property
    def job(self) -> str | None:
        return self._parts.job

    @property
    def replica(self) -> int | None:
        return self._parts.replica

    @property
    def task(self) -> int | None:
        return self._parts.task

    @property
    def device_type(self) -> str | None:
        return self._parts.device_type

    @property
    def device_index(self) -> int | None:
        return self._parts.device_index

    @classmethod
    def from_string(cls, spec: str | None) -> Self:
        """Reads a name.

        Args:
          spec: parts in any order, such as "/job:ps/replica:0/task:1/device:GPU:0", where `*`
            leaves the index open. "/cpu:0" and "GPU" are short for "/device:CPU:0" and
            "/device:GPU:*". "" and None leave everything open.

        Raises:
          ValueError: a part is unknown, a number is not one, or two device types are given.
        """
        return cls(*_parse(spec or ""))

    def parse_from_string(self, spec: str | None) -> Self:
        """`from_string`, as a method; the parts of this spec are not used."""
        return self.from_string(spec)

    def to_string(self) -> str:
        """The canonical spelling, which `from_string` reads back; "" if every part is open."""
        return _spell(self._parts)

    def make_merged_spec(self, dev: DeviceSpec) -> Self:
        """A spec with the parts of `dev`, and this one's where `dev` leaves them open."""
        return type(self)(*_merged(self._parts, dev._parts))

    def replace(self, **kwargs: Any) -> Self:
        """A spec with other values for the parts named; None opens a part."""
        return type(self)(**{**self._parts._asdict(), **kwargs})

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={value}" for name, value in self._parts._asdict().items())
        return f"<DeviceSpec({parts})>"


class DeviceSpecV1(DeviceSpec):
    """TF1's `DeviceSpec`, whose parts can be assigned and which merges in place."""

    __slots__ = ()

    def _assign(self, **parts: Any) -> None:
        self._parts = self._parts._replace(**parts)

    @DeviceSpec.job.setter
    def job(self, job: str | None) -> None:
        self._assign(job=None if job is None else str(job))

    @DeviceSpec.replica.setter
    def replica(self, replica: int | None) -> None:
        self._assign(replica=_integer(replica))

    @DeviceSpec.task.setter
    def task(self, task: int | None) -> None:
        self._assign(task=_integer(task))

    @DeviceSpec.device_type.setter
    def device_type(self, device_type: str | None) -> None:
        self._assign(device_type=DeviceSpec(device_type=device_type).device_type)

    @DeviceSpec.device_index.setter
    def device_index(self, device_index: int | None) -> None:
        self._assign(device_index=_integer(device_index))

    def parse_from_string(self, spec: str | None) -> Self:
        """Takes over the parts that `spec` names, and opens the others; returns the spec itself."""
        self._parts = _parse(spec or "")
        return self

    def merge_from(self, dev: DeviceSpec) -> None:
        """Takes over the parts that `dev` names."""
        self._parts = _merged(self._parts, dev._parts)


def _integer(value: Any) -> int | None:
    return None if value is None else int(value)


def _merged(parts: _Parts, overriding: _Parts) -> _Parts:
    pairs = zip(parts, overriding, strict=True)
    return _Parts._make(old if new is None else new for old, new in pairs)


def _spell(parts: _Parts) -> str:
    named = {"job": parts.job, "replica": parts.replica, "task": parts.task}
    text = "".join(f"/{name}:{value}" for name, value in named.items() if value is not None)
    if parts.device_type is None:
        return text  # an index alone names nothing
    index = "*" if parts.device_index is None else parts.device_index
    return f"{text}/device:{parts.device_type}:{index}"


# Every node made in a device scope asks for the meaning of its device string; a program has few.
@functools.lru_cache(maxsize=1024)
def _parse(spec: str) -> _Parts:
    found: dict[str, Any] = {}
    for part in spec.split("/"):
        if not part:
            continue
        name, *values = part.split(":")
        if name == "job" and len(values) == 1:
            found["job"] = values[0]
        elif name in ("replica", "task") and len(values) == 1:
            found[name] = int(values[0])
        elif name == "device" and len(values) == 2:
            _add_device(found, values[0], values[1], spec)
        elif name.upper() in _SHORT_TYPES and len(values) <= 1:
            _add_device(found, name.upper(), values[0] if values else "*", spec)
        else:
            raise ValueError(
                f"Unknown attribute '{name}' is encountered while parsing the device spec: "
                f"'{spec}'. Parts are job:NAME, replica:N, task:N, device:TYPE:N, cpu:N and gpu:N."
            )
    return DeviceSpec(**found)._parts


def _add_device(found: dict[str, Any], device_type: str, index: str, spec: str) -> None:
    if "device_type" in found:
        raise ValueError(
            f"Multiple device types are not allowed while parsing the device spec: {spec}."
        )
    found["device_type"] = device_type
    found["device_index"] = None if index == "*" else int(index)


def cache_info() -> Any:
    """Hits, misses and size of the bounded cache of parsed device strings."""
    return _parse.cache_info()


def is_device_spec(value: object) -> bool:
    """Whether `value` is a `DeviceSpec` of either kind."""
    return isinstance(value, DeviceSpec)


def check_valid(spec: str) -> None:
    """Raises ValueError unless `spec` is a device name that can be read."""
    DeviceSpec.from_string(spec)


def canonical_name(device: str | DeviceSpec | None) -> str:
    """The canonical spelling of a device that a user named; "" for None.

    >>> canonical_name("/job:ps/cpu:0")
    '/job:ps/device:CPU:0'
    """
    if isinstance(device, DeviceSpec):
        return device.to_string()
    return _spell(_parse(device or ""))


class Placeable(Protocol):
    """What a device function sees of the node that it places."""

    device: str


class MergeDevice:
    """A device function that fills the open parts of a node's device from `spec`."""

    __slots__ = ("spec",)

    def __init__(self, spec: str | DeviceSpec | None) -> None:
        self.spec = spec if isinstance(spec, DeviceSpec) else DeviceSpec.from_string(spec)

    def __call__(self, node: Placeable) -> DeviceSpec:
        # The node's own parts win: inner scopes have been applied to it already.
        return self.spec.make_merged_spec(DeviceSpec.from_string(node.device))

    def __repr__(self) -> str:
        return f"MergeDevice({self.spec.to_string()!r})"


def merge_device(spec: str | DeviceSpec | None) -> MergeDevice:
    """The device function of `tf.device(spec)`, for use with `graph.device`."""
    return MergeDevice(spec)


@dataclass(frozen=True)
class DeviceAttributes:
    """What a session tells about a device.

    Attributes:
      name: the full name.
      device_type: such as "CPU".
      memory_limit: bytes that it may hold; 0 if nothing limits it.
      incarnation: a random number drawn when the device starts, so that a peer can tell a restarted
        device from the one it knew.
      physical_device_desc: the hardware in words.
    """

    name: str
    device_type: str
    memory_limit: int
    incarnation: int
    physical_device_desc: str = ""

    @property
    def memory_limit_bytes(self) -> int:
        """`memory_limit` under the name that `Session.list_devices` gives it."""
        return self.memory_limit

    def __str__(self) -> str:
        facts = f"{self.name}, {self.device_type}, {self.memory_limit}, {self.incarnation}"
        return f"_DeviceAttributes({facts})"


class Device(ABC):
    """A place where kernels run, with the memory that they work in."""

    def __init__(self, attributes: DeviceAttributes) -> None:
        self.attributes = attributes
        self.spec = DeviceSpec.from_string(attributes.name)

    @property
    def name(self) -> str:
        """The full name."""
        return self.attributes.name

    @property
    def device_type(self) -> str:
        """The type that kernels are registered for."""
        return self.attributes.device_type

    @property
    def memory_limit(self) -> int:
        """Bytes that the device may hold; 0 if nothing limits it."""
        return self.attributes.memory_limit

    @property
    def incarnation(self) -> int:
        """The random number of this start of the device."""
        return self.attributes.incarnation

    @property
    def physical_device_desc(self) -> str:
        """The hardware in words."""
        return self.attributes.physical_device_desc

    @abstractmethod
    def from_host(self, array: Any) -> Any:
        """The value of a host array in the device's memory; the array itself where they are one."""

    @abstractmethod
    def to_host(self, value: Any) -> Any:
        """The host array of a value in the device's memory; waits for kernels that write it."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

"""tf.config: the devices of the machine, and those that sessions have."""

from __future__ import annotations

from collections import namedtuple

from featherflow.framework.exports import export
from featherflow.runtime.devices import local_devices


@export("config.PhysicalDevice")
class PhysicalDevice(namedtuple("PhysicalDevice", ["name", "device_type"])):
    """A device of the machine."""

    __slots__ = ()


@export("config.LogicalDevice")
class LogicalDevice(namedtuple("LogicalDevice", ["name", "device_type"])):
    """A device as graphs name it."""

    __slots__ = ()


def _named(prefix: str, device_type: str | None) -> list[tuple[str, str]]:
    found = []
    for device in local_devices(None):
        kind = device.device_type
        if device_type in (None, kind):
            found.append((f"{prefix}:{kind}:{device.spec.device_index}", kind))
    return found


@export("config.list_physical_devices", "config.experimental.list_physical_devices")
def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of the machine.

    Args:
      device_type: "CPU" or "GPU"; None lists all.

    >>> import featherflow as tf
    >>> tf.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return [PhysicalDevice(*item) for item in _named("/physical_device", device_type)]


@export("config.get_visible_devices", "config.experimental.get_visible_devices")
def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of the machine that graphs may use: all of them."""
    return list_physical_devices(device_type)


@export("config.list_logical_devices", "config.experimental.list_logical_devices")
def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that a session has unless its ConfigProto says otherwise."""
    return [LogicalDevice(*item) for item in _named("/device", device_type)]

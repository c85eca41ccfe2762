"""The devices of this process."""

from __future__ import annotations

import os
from typing import Any

from featherflow.framework.device import Device, DeviceAttributes


class CpuDevice(Device):
    """The processor; `device_count={"CPU": n}` gives n of them, each with its own executor."""

    def __init__(self, index: int) -> None:
        super().__init__(
            DeviceAttributes(
                name=f"/job:localhost/replica:0/task:0/device:CPU:{index}",
                device_type="CPU",
                memory_limit=256 << 20,
                incarnation=int.from_bytes(os.urandom(8), "little") >> 1,
            )
        )

    def from_host(self, value: Any) -> Any:
        """The processor works in host memory."""
        return value

    def to_host(self, value: Any) -> Any:
        """The processor works in host memory."""
        return value


def local_devices(config: Any) -> list[Device]:
    """The devices that a ConfigProto (None for the defaults) asks for; at least one CPU."""
    count = 1
    if config is not None and "CPU" in config.device_count:
        count = max(1, config.device_count["CPU"])
    return [CpuDevice(index) for index in range(count)]

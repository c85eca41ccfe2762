"""The devices of this process as messages: `tensorflow.python.client.device_lib`."""

from __future__ import annotations

from typing import Any

from featherflow.runtime.devices import local_devices


def list_local_devices(session_config: Any = None) -> list[Any]:
    """A DeviceAttributes message for each device.

    Args:
      session_config: a ConfigProto, or None for the defaults.
    """
    from featherflow.protos import device_attributes_pb2

    return [
        device_attributes_pb2.DeviceAttributes(
            name=f"/device:{device.spec.device_type}:{device.spec.device_index}",
            device_type=device.attributes.device_type,
            memory_limit=device.attributes.memory_limit,
            incarnation=device.attributes.incarnation,
        )
        for device in local_devices(session_config)
    ]

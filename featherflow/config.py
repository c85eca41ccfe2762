# ruff: noqa
"""tf.config: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.functions.run_eagerly import (
        functions_run_eagerly as experimental_functions_run_eagerly,
    )
    from featherflow.functions.run_eagerly import functions_run_eagerly as functions_run_eagerly
    from featherflow.functions.run_eagerly import (
        run_functions_eagerly as experimental_run_functions_eagerly,
    )
    from featherflow.functions.run_eagerly import run_functions_eagerly as run_functions_eagerly
    from featherflow.platform.device_config import LogicalDevice as LogicalDevice
    from featherflow.platform.device_config import PhysicalDevice as PhysicalDevice
    from featherflow.platform.device_config import get_visible_devices as get_visible_devices
    from featherflow.platform.device_config import list_logical_devices as list_logical_devices
    from featherflow.platform.device_config import list_physical_devices as list_physical_devices

__getattr__, __dir__ = lazy_namespace("config", globals())

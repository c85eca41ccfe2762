"""tf.test: what the machine and the build offer, as programs ask before they choose a device."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from typing import Any

from featherflow.framework.exports import export, export_v1
from featherflow.runtime.devices import local_devices


@export("test.is_gpu_available")
def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Whether a session would have a GPU."""
    return bool(gpu_device_name())


@export("test.gpu_device_name")
def gpu_device_name() -> str:
    """The name of the first GPU, "" if there is none."""
    for device in local_devices(None):
        if device.device_type == "GPU":
            return f"/device:GPU:{device.spec.device_index}"
    return ""


@export("test.is_built_with_cuda", "test.is_built_with_gpu_support")
def is_built_with_cuda() -> bool:
    """Whether kernels for GPUs are part of the build: no."""
    return False


@export("test.is_built_with_rocm")
def is_built_with_rocm() -> bool:
    """Whether kernels for ROCm are part of the build: no."""
    return False


@export("test.is_built_with_xla")
def is_built_with_xla() -> bool:
    """Whether TensorFlow's own compiler is part of the build: no."""
    return False


@export_v1("test.get_temp_dir")
@functools.cache
def get_temp_dir() -> str:
    """A folder that is there until the program ends."""
    folder = tempfile.mkdtemp(prefix="featherflow")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder

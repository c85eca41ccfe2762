"""tf.test: the test program, and what the machine and the build offer."""

from __future__ import annotations

import functools
import platform
import sys
import unittest
from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

from featherflow.framework.exports import export, export_value
from featherflow.platform.app import run
from featherflow.platform.benchmark import run_benchmarks
from featherflow.runtime.devices import local_devices

export_value(__name__, "mock", "test.mock")

_BENCHMARKS = "--benchmarks="
_PROCESSORS = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}

__all__ = ["mock"]


@export("test.main")
def main(argv: Sequence[str] | None = None) -> None:
    """Runs all tests of the program, or with `--benchmarks=REGEX` its benchmarks, and exits.

    Flags that the program defines are read first; the rest of the command line is unittest's.

    Args:
      argv: the command line; None takes that of the program.
    """
    arguments = list(sys.argv if argv is None else argv)
    patterns = [item for item in arguments if item.startswith(_BENCHMARKS)]
    if patterns:
        run_benchmarks(patterns[-1].removeprefix(_BENCHMARKS))
        return
    run(lambda rest: unittest.main(module="__main__", argv=rest), arguments)


@export("test.disable_with_predicate")
def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Callable[[Any], Any]:
    """Decorates a test: it is skipped where `pred()` is true."""

    def decorate(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(self: unittest.TestCase, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return function(self, *args, **kwargs)

        return wrapper

    return decorate


# --- what there is --------------------------------------------------------------------------------


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


@export("test.is_cpu_target_available")
def is_cpu_target_available(target: str) -> bool:
    """Whether code for a processor ("x86_64", "aarch64") can be made: for that of the machine."""
    machine = platform.machine().lower()
    return _PROCESSORS.get(machine, machine) == target


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

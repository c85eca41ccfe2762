"""tf.sysconfig: where the package lies, and how extensions of it would be compiled."""

from __future__ import annotations

import platform
from collections import OrderedDict
from pathlib import Path

from featherflow.framework.exports import export, export_value

#: The package has no C++ of its own; these are the facts of the build whose behaviour it has.
CXX11_ABI_FLAG = 1
CXX_VERSION = 201703
MONOLITHIC_BUILD = 0
COMPILER_VERSION = f"Python {platform.python_version()}"
GIT_VERSION = "unknown"

for _name in ("CXX11_ABI_FLAG", "CXX_VERSION", "MONOLITHIC_BUILD"):
    export_value(__name__, _name, f"sysconfig.{_name}")
    export_value(__name__, _name, v1_only=True)
for _name in ("COMPILER_VERSION", "GIT_VERSION"):
    export_value(__name__, _name, f"version.{_name}")
    export_value(__name__, _name, v1_only=True)


@export("sysconfig.get_lib")
def get_lib() -> str:
    """The folder of the package."""
    return str(Path(__file__).resolve().parents[1])


@export("sysconfig.get_include")
def get_include() -> str:
    """The folder where headers would be; extensions are written in Python, so there are none."""
    return str(Path(get_lib(), "include"))


@export("sysconfig.get_compile_flags")
def get_compile_flags() -> list[str]:
    """The flags to compile an extension with."""
    return [f"-I{get_include()}", f"-D_GLIBCXX_USE_CXX11_ABI={CXX11_ABI_FLAG}", "--std=c++17"]


@export("sysconfig.get_link_flags")
def get_link_flags() -> list[str]:
    """The flags to link an extension with."""
    return [f"-L{get_lib()}"]


@export("sysconfig.get_build_info")
def get_build_info() -> OrderedDict[str, bool]:
    """What the build has been made for."""
    kinds = ("is_cuda_build", "is_rocm_build", "is_tensorrt_build")
    return OrderedDict((kind, False) for kind in kinds)

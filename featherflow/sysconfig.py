# ruff: noqa
"""tf.sysconfig: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.platform.build_info import CXX11_ABI_FLAG as CXX11_ABI_FLAG
    from featherflow.platform.build_info import CXX_VERSION as CXX_VERSION
    from featherflow.platform.build_info import MONOLITHIC_BUILD as MONOLITHIC_BUILD
    from featherflow.platform.build_info import get_build_info as get_build_info
    from featherflow.platform.build_info import get_compile_flags as get_compile_flags
    from featherflow.platform.build_info import get_include as get_include
    from featherflow.platform.build_info import get_lib as get_lib
    from featherflow.platform.build_info import get_link_flags as get_link_flags

__getattr__, __dir__ = lazy_namespace("sysconfig", globals())

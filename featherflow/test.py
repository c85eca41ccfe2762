# ruff: noqa
"""tf.test: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.platform.test import get_temp_dir as get_temp_dir
    from featherflow.platform.test import gpu_device_name as gpu_device_name
    from featherflow.platform.test import is_built_with_cuda as is_built_with_cuda
    from featherflow.platform.test import is_built_with_cuda as is_built_with_gpu_support
    from featherflow.platform.test import is_built_with_rocm as is_built_with_rocm
    from featherflow.platform.test import is_built_with_xla as is_built_with_xla
    from featherflow.platform.test import is_gpu_available as is_gpu_available

__getattr__, __dir__ = lazy_namespace("test", globals())

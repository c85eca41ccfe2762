# ruff: noqa
"""tf.test: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.platform.benchmark import Benchmark as Benchmark
    from featherflow.platform.benchmark import benchmark_config as benchmark_config
    from featherflow.platform.gradient_checker import (
        compute_gradient_error as compute_gradient_error,
    )
    from featherflow.platform.gradient_checker import compute_gradient_v1 as compute_gradient
    from featherflow.platform.graph_def_assertions import (
        assert_equal_graph_def_v1 as assert_equal_graph_def,
    )
    from featherflow.platform.stubbing import StubOutForTesting as StubOutForTesting
    from featherflow.platform.test import disable_with_predicate as disable_with_predicate
    from featherflow.platform.test import gpu_device_name as gpu_device_name
    from featherflow.platform.test import is_built_with_cuda as is_built_with_cuda
    from featherflow.platform.test import is_built_with_cuda as is_built_with_gpu_support
    from featherflow.platform.test import is_built_with_rocm as is_built_with_rocm
    from featherflow.platform.test import is_built_with_xla as is_built_with_xla
    from featherflow.platform.test import is_cpu_target_available as is_cpu_target_available
    from featherflow.platform.test import is_gpu_available as is_gpu_available
    from featherflow.platform.test import main as main
    from featherflow.platform.test import mock as mock
    from featherflow.platform.test_case import TestCase as TestCase
    from featherflow.platform.test_folders import get_temp_dir as get_temp_dir
    from featherflow.platform.test_folders import test_src_dir_path as test_src_dir_path

__getattr__, __dir__ = lazy_namespace("test", globals())

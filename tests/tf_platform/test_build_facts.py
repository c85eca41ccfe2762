"""What programs ask about the build, the machine, and files beside themselves."""

from __future__ import annotations

import logging
from pathlib import Path

import featherflow as tf


def test_the_package_lies_where_it_is_said() -> None:
    assert Path(tf.sysconfig.get_lib(), "__init__.py").is_file()
    assert tf.sysconfig.get_include().startswith(tf.sysconfig.get_lib())
    assert tf.sysconfig.get_link_flags() == [f"-L{tf.sysconfig.get_lib()}"]
    assert any(flag.startswith("-I") for flag in tf.sysconfig.get_compile_flags())


def test_versions() -> None:
    assert tf.version.VERSION == tf.VERSION == tf.__version__
    assert tf.version.GRAPH_DEF_VERSION == tf.GRAPH_DEF_VERSION
    assert isinstance(tf.version.COMPILER_VERSION, str)
    assert not hasattr(tf.compat.v2, "GRAPH_DEF_VERSION")


def test_resources_lie_beside_the_caller() -> None:
    folder = str(Path(__file__).resolve().parent)
    assert tf.resource_loader.get_data_files_path() == folder
    assert tf.resource_loader.get_root_dir_with_all_resources() == folder
    own = Path(__file__).name
    assert tf.resource_loader.get_path_to_datafile(own) == str(Path(folder, own))
    assert tf.resource_loader.load_resource(own).startswith(b'"""What programs ask')
    assert tf.resource_loader.readahead_file_path("x") == "x"


def test_the_logger_is_that_of_tf_logging() -> None:
    assert tf.get_logger() is logging.getLogger("tensorflow")


def test_devices_can_be_listed() -> None:
    (cpu,) = tf.config.list_physical_devices("CPU")
    assert (cpu.name, cpu.device_type) == ("/physical_device:CPU:0", "CPU")
    assert tf.config.list_physical_devices("GPU") == []
    assert tf.config.list_logical_devices()[0].name == "/device:CPU:0"


def test_a_processor_is_available_if_it_is_the_machines() -> None:
    found = [tf.test.is_cpu_target_available(name) for name in ("x86_64", "aarch64", "other")]
    assert sum(found) <= 1 and not found[2]


def test_paths_of_tests(monkeypatch) -> None:
    monkeypatch.setenv("TEST_SRCDIR", "/sources")
    expected = "/sources/org_tensorflow/tensorflow/a.txt"
    assert tf.test.test_src_dir_path("a.txt") == expected

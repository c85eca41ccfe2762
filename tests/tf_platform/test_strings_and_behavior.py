"""tf.compat's conversions, and the switches between TensorFlow's behaviours."""

from __future__ import annotations

import numbers
from pathlib import Path

import numpy as np
import pytest

import featherflow as tf
from featherflow.platform.device_lib import list_local_devices


def test_conversions() -> None:
    assert tf.compat.as_bytes("é") == b"\xc3\xa9"
    assert tf.compat.as_bytes(b"x") == b"x"
    assert tf.compat.as_bytes("é", encoding="latin-1") == b"\xe9"
    assert tf.compat.as_text(b"a") == tf.compat.as_str("a") == "a"
    assert [tf.compat.as_str_any(value) for value in (3, b"b", None)] == ["3", "b", "None"]
    assert tf.compat.path_to_str(Path("a/b")) == "a/b"
    assert tf.compat.path_to_str(3) == 3
    for convert in (tf.compat.as_bytes, tf.compat.as_text):
        with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
            convert(3)


def test_types() -> None:
    assert tf.compat.bytes_or_text_types == (bytes, str)
    assert isinstance(np.float32(1), tf.compat.real_types)
    assert isinstance(3, tf.compat.integral_types) and not isinstance(3.0, tf.compat.integral_types)
    assert numbers.Complex in tf.compat.complex_types


def test_graph_behavior_is_what_there_is() -> None:
    tf.disable_v2_behavior()
    tf.disable_eager_execution()
    tf.disable_control_flow_v2()
    tf.enable_control_flow_v2()
    assert not tf.executing_eagerly()
    assert not tf.control_flow_v2_enabled()
    assert not tf.resource_variables_enabled()


def test_local_devices() -> None:
    (device,) = list_local_devices()
    assert (device.name, device.device_type) == ("/device:CPU:0", "CPU")
    config = tf.ConfigProto(device_count={"CPU": 2})
    assert [item.name for item in list_local_devices(config)] == ["/device:CPU:0", "/device:CPU:1"]


def test_what_the_machine_offers() -> None:
    assert not tf.test.is_gpu_available()
    assert tf.test.gpu_device_name() == ""
    assert not tf.test.is_built_with_cuda() and not tf.test.is_built_with_xla()
    folder = Path(tf.test.get_temp_dir())
    assert folder.is_dir() and tf.test.get_temp_dir() == str(folder)

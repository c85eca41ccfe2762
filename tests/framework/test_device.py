"""Device names against facts recorded from TensorFlow 2.21, and devices."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from featherflow.framework import device
from featherflow.framework.device import DeviceSpec, DeviceSpecV1

# written → job, replica, task, device_type, device_index, and the canonical spelling
RECORDED = {
    "": (None, None, None, None, None, ""),
    "//": (None, None, None, None, None, ""),
    "/cpu:0": (None, None, None, "CPU", 0, "/device:CPU:0"),
    "/CPU:0": (None, None, None, "CPU", 0, "/device:CPU:0"),
    "cpu:1": (None, None, None, "CPU", 1, "/device:CPU:1"),
    "CPU": (None, None, None, "CPU", None, "/device:CPU:*"),
    "/gpu": (None, None, None, "GPU", None, "/device:GPU:*"),
    "/Gpu:1": (None, None, None, "GPU", 1, "/device:GPU:1"),
    "/cpu:*": (None, None, None, "CPU", None, "/device:CPU:*"),
    "/tpu:0": (None, None, None, "TPU", 0, "/device:TPU:0"),
    "/custom:1": (None, None, None, "CUSTOM", 1, "/device:CUSTOM:1"),
    "/device:CPU:0": (None, None, None, "CPU", 0, "/device:CPU:0"),
    "device:CPU:0": (None, None, None, "CPU", 0, "/device:CPU:0"),
    "/device:gpu:1": (None, None, None, "GPU", 1, "/device:GPU:1"),
    "/device:tpu:1": (None, None, None, "tpu", 1, "/device:tpu:1"),
    "/device:XLA_CPU:0": (None, None, None, "XLA_CPU", 0, "/device:XLA_CPU:0"),
    "/device:*:*": (None, None, None, "*", None, "/device:*:*"),
    "/job:worker": ("worker", None, None, None, None, "/job:worker"),
    "job:worker": ("worker", None, None, None, None, "/job:worker"),
    "/job:": ("", None, None, None, None, "/job:"),
    "/job:*": ("*", None, None, None, None, "/job:*"),
    "/job:a/job:b": ("b", None, None, None, None, "/job:b"),
    "/job:1/task:01": ("1", None, 1, None, None, "/job:1/task:1"),
    "/replica:2": (None, 2, None, None, None, "/replica:2"),
    "/job:w/cpu:0/task:1": ("w", None, 1, "CPU", 0, "/job:w/task:1/device:CPU:0"),
    "/job:w/replica:0/task:1/device:GPU:*": (
        *("w", 0, 1, "GPU", None),
        "/job:w/replica:0/task:1/device:GPU:*",
    ),
}


@pytest.mark.parametrize("spec_type", [DeviceSpec, DeviceSpecV1])
@pytest.mark.parametrize("written", RECORDED)
def test_parts_and_spelling(written, spec_type):
    spec = spec_type.from_string(written)
    parts = (spec.job, spec.replica, spec.task, spec.device_type, spec.device_index)
    assert (*parts, spec.to_string()) == RECORDED[written]
    assert spec_type.from_string(spec.to_string()) == spec
    assert device.canonical_name(written) == spec.to_string()


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("/foo:0", "Unknown attribute 'foo'"),
        ("xla_cpu:0", "Unknown attribute 'xla_cpu'"),
        ("/device:GPU", "Unknown attribute 'device'"),
        ("/device:CPU:0:1", "Unknown attribute 'device'"),
        ("/cpu:0:1", "Unknown attribute 'cpu'"),
        ("/job:a:b", "Unknown attribute 'job'"),
        ("/ cpu:0", "Unknown attribute ' cpu'"),
        ("/task:*", "invalid literal for int"),
        ("/device:GPU:", "invalid literal for int"),
        ("/cpu:a", "invalid literal for int"),
        ("/cpu:0/gpu:0", "Multiple device types are not allowed"),
        ("/cpu:0/device:CPU:1", "Multiple device types are not allowed"),
    ],
)
def test_names_that_cannot_be_read(written, message):
    for read in (DeviceSpec.from_string, DeviceSpecV1.from_string, device.check_valid):
        with pytest.raises(ValueError, match=message):
            read(written)


def test_constructor_converts():
    spec = DeviceSpec("a", replica="1", task=2, device_type="cpu", device_index="3")
    assert spec.to_string() == "/job:a/replica:1/task:2/device:CPU:3"
    assert DeviceSpec(device_type="tpu").device_type == "tpu"
    assert DeviceSpec(device_index=1).to_string() == ""
    with pytest.raises(ValueError, match="invalid literal"):
        DeviceSpec(replica="x")


@pytest.mark.parametrize(
    ("spec", "overriding", "merged"),
    [
        ("/job:a/task:1", "/task:2/gpu:*", "/job:a/task:2/device:GPU:*"),
        ("/job:a/gpu:3", "/cpu:*", "/job:a/device:CPU:3"),
        ("/gpu:1", "/cpu:0", "/device:CPU:0"),
        ("/gpu:1", "", "/device:GPU:1"),
        ("", "/gpu:1", "/device:GPU:1"),
    ],
)
def test_merging(spec, overriding, merged):
    result = DeviceSpec.from_string(spec).make_merged_spec(DeviceSpec.from_string(overriding))
    assert result.to_string() == merged
    in_place = DeviceSpecV1.from_string(spec)
    assert in_place.merge_from(DeviceSpec.from_string(overriding)) is None
    assert in_place.to_string() == merged
    node = SimpleNamespace(device=overriding)
    assert device.merge_device(spec)(node).to_string() == merged
    assert device.merge_device(DeviceSpec.from_string(spec))(node).to_string() == merged


def test_merge_device_of_nothing_keeps_the_device():
    assert device.merge_device(None)(SimpleNamespace(device="/gpu:1")).to_string() == (
        "/device:GPU:1"
    )


def test_replace():
    assert DeviceSpec(job="a").replace(task=1).to_string() == "/job:a/task:1"
    assert DeviceSpec(job="a", task=1).replace(task=None).to_string() == "/job:a"
    with pytest.raises(TypeError, match="bogus"):
        DeviceSpec().replace(bogus=1)


def test_kinds_are_kept():
    assert type(DeviceSpecV1().replace(task=1)) is DeviceSpecV1
    assert type(DeviceSpecV1().make_merged_spec(DeviceSpec())) is DeviceSpecV1
    assert type(DeviceSpec.from_string("/cpu:0")) is DeviceSpec
    assert device.is_device_spec(DeviceSpecV1()) and device.is_device_spec(DeviceSpec())
    assert not device.is_device_spec("/cpu:0")


def test_equality_and_hash():
    assert DeviceSpec(job="a") == DeviceSpec.from_string("/job:a")
    assert DeviceSpec(job="a") != DeviceSpecV1(job="a")
    assert DeviceSpec(job="a") != "/job:a"
    assert len({DeviceSpec(job="a"), DeviceSpec(job="a"), DeviceSpec(job="b")}) == 2


def test_text():
    assert repr(DeviceSpecV1(job="a", device_index=1)) == (
        "<DeviceSpec(job=a, replica=None, task=None, device_type=None, device_index=1)>"
    )


def test_tf2_specs_are_constant():
    with pytest.raises(AttributeError):
        DeviceSpec().job = "a"
    spec = DeviceSpec(task=1)
    assert spec.parse_from_string("/job:b").to_string() == "/job:b"
    assert spec.to_string() == "/task:1"


def test_tf1_specs_change_in_place():
    spec = DeviceSpecV1(job="a")
    spec.job, spec.replica, spec.task = "z", "3", 4
    spec.device_type, spec.device_index = "cpu", 1
    assert spec.to_string() == "/job:z/replica:3/task:4/device:CPU:1"
    spec.job = None
    assert spec.to_string() == "/replica:3/task:4/device:CPU:1"
    with pytest.raises(ValueError, match="invalid literal"):
        spec.task = "q"
    assert spec.parse_from_string("/task:1") is spec
    assert spec.to_string() == "/task:1"


def test_canonical_name():
    assert device.canonical_name(None) == device.canonical_name("") == ""
    assert device.canonical_name(DeviceSpecV1(device_type="cpu")) == "/device:CPU:*"


def test_cache_of_parsed_names_is_bounded():
    DeviceSpec.from_string("/job:cached")
    info = device.cache_info()
    DeviceSpec.from_string("/job:cached")
    assert device.cache_info().hits == info.hits + 1
    assert info.maxsize is not None


class _HostDevice(device.Device):
    def from_host(self, array):
        return array

    def to_host(self, value):
        return value


def test_devices_tell_their_attributes():
    name = "/job:localhost/replica:0/task:0/device:CPU:0"
    host = _HostDevice(device.DeviceAttributes(name, "CPU", 1 << 28, 42, "a processor"))
    assert (host.name, host.device_type, host.memory_limit, host.incarnation) == (
        *(name, "CPU"),
        *(1 << 28, 42),
    )
    assert host.physical_device_desc == "a processor"
    assert host.spec == DeviceSpec("localhost", 0, 0, "CPU", 0)
    assert str(host.attributes) == f"_DeviceAttributes({name}, CPU, 268435456, 42)"
    assert host.attributes.memory_limit_bytes == 1 << 28
    with pytest.raises(TypeError, match="abstract"):
        device.Device(host.attributes)

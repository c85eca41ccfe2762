"""Placement: requests, colocation, state, soft placement, and the reasons that are told."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import featherflow.compat.v1 as tf
from featherflow.framework.device import Device, DeviceAttributes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op, unregister_op
from featherflow.framework.shape_inference import unchanged_shape
from featherflow.graph.subgraph import prune
from featherflow.ops.ref_variable_ops import Assign
from featherflow.runtime.placer import Placer

from .steps import cpu_devices

CPU = "/job:localhost/replica:0/task:0/device:CPU:"


class FakeGpu(Device):
    """A device of another type, with no kernels but those of the test."""

    def __init__(self) -> None:
        name = "/job:localhost/replica:0/task:0/device:GPU:0"
        super().__init__(DeviceAttributes(name, "GPU", 0, 1))

    def from_host(self, array: Any) -> Any:
        return array

    def to_host(self, value: Any) -> Any:
        return value


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


@pytest.fixture
def accelerated() -> Any:
    """An op with kernels for both types of device."""
    op = define_op(
        "TestAccelerated", inputs=("x: T",), outputs=("y: T",), attrs=("T: {float, double}",)
    )
    op.shape_fn(unchanged_shape)
    op.kernel("CPU")(lambda x: x)
    op.kernel("GPU", T=tf.float32)(lambda x: x)
    yield op
    unregister_op("TestAccelerated")


def placer(devices: int = 2, soft: bool = False, gpu: bool = False, **config: Any) -> Placer:
    found: list[Any] = list(cpu_devices(devices))
    if gpu:
        found.append(FakeGpu())
    proto = tf.ConfigProto(allow_soft_placement=soft, **config)
    return Placer(tf.get_default_graph(), found, proto)


def placed(*tensors: Any, **options: Any) -> list[str]:
    """The devices of some tensors, in short: "CPU:1"."""
    made = placer(**options)
    made.place()
    return [
        made.device_of(getattr(item, "op", item)).rsplit(":", 2)[-2][-3:]
        + ":"
        + made.device_of(getattr(item, "op", item))[-1]
        for item in tensors
    ]


def reasons(made: Placer, *tensors: Any) -> list[str]:
    step = prune(tf.get_default_graph(), [], tensors)
    by_name = {row.node: row.reason for row in made.placements(step)}
    return [by_name[tensor.op.name] for tensor in tensors]


# --- requests -------------------------------------------------------------------------------------


def test_requests_are_met_and_the_rest_goes_to_the_default() -> None:
    x = tf.placeholder(tf.float32, name="x")
    with tf.device("/cpu:1"):
        y = tf.negative(x)
    with tf.device("/job:localhost/task:0"):
        z = tf.negative(y)
    other = tf.add(z, tf.negative(z))
    assert placed(x, y, z, other) == ["CPU:1", "CPU:1", "CPU:0", "CPU:0"]  # x beside its reader


@pytest.mark.parametrize("request_", ["/gpu:0", "/cpu:7", "/job:worker/task:1"])
@pytest.mark.parametrize("devices", [1, 2])
def test_devices_that_do_not_exist(request_: str, devices: int) -> None:
    with tf.device(request_):
        x = tf.placeholder(tf.float32, name="lost")
    with pytest.raises(InvalidArgumentError) as caught:
        placed(x, devices=devices)
    message = str(caught.value)
    assert caught.value.op is x.op
    assert "Cannot assign a device for operation lost" in message
    assert f"available devices are [ {CPU}0" in message
    assert "test_placer.py" in message


@pytest.mark.parametrize("request_", ["/gpu:0", "/cpu:7"])
@pytest.mark.parametrize("devices", [1, 2])
def test_soft_placement_takes_what_there_is(request_: str, devices: int) -> None:
    with tf.device(request_):
        x = tf.placeholder(tf.float32)
    assert placed(x, devices=devices, soft=True) == ["CPU:0"]


def test_soft_placement_stays_in_the_task() -> None:
    with tf.device("/job:worker/task:1"):
        x = tf.placeholder(tf.float32)
    with pytest.raises(InvalidArgumentError, match="explicitly assigned to /job:worker/task:1"):
        placed(x, soft=True)


# --- types of devices -----------------------------------------------------------------------------


def test_the_better_type_that_has_a_kernel_wins(accelerated) -> None:
    single = accelerated(tf.placeholder(tf.float32))
    double = accelerated(tf.placeholder(tf.float64))
    plain = tf.negative(tf.placeholder(tf.float32))
    assert placed(single, double, plain, gpu=True) == ["GPU:0", "CPU:0", "CPU:0"]


def test_a_request_without_kernel(accelerated) -> None:
    with tf.device("/gpu:0"):
        double = accelerated(tf.placeholder_with_default(tf.constant(1.0, tf.float64), []))
    with pytest.raises(InvalidArgumentError) as caught:
        placed(double, gpu=True)
    assert "Could not satisfy device specification '/device:GPU:0'" in caught.value.message
    assert placed(double, gpu=True, soft=True) == ["CPU:0"]


def test_a_constant_follows_its_only_reader(accelerated) -> None:
    constant = tf.constant(1.0)
    read_twice = tf.constant(2.0)
    result = accelerated(constant)
    negative = tf.negative(read_twice) + accelerated(read_twice)
    assert placed(constant, read_twice, result, negative, gpu=True) == [
        "CPU:0",
        "CPU:0",
        "GPU:0",
        "CPU:0",
    ]  # Const has no kernel on the other device, so it stays


def test_a_shape_stands_beside_what_it_measures() -> None:
    x = tf.placeholder(tf.float32)
    with tf.device("/cpu:1"):
        y = tf.negative(x)
    size = tf.shape(y)
    assert placed(size) == ["CPU:1"]


# --- colocation -----------------------------------------------------------------------------------


def test_colocated_nodes_share_a_device() -> None:
    with tf.device("/cpu:1"):
        anchor = tf.placeholder(tf.float32, name="anchor")
    with tf.colocate_with(anchor):
        beside = tf.negative(tf.placeholder(tf.float32))
    made = placer()
    made.place()
    assert made.device_of(beside.op) == f"{CPU}1"


def test_colocation_that_contradicts_itself() -> None:
    with tf.device("/cpu:1"):
        a = tf.placeholder(tf.float32, name="a")
    with tf.colocate_with(a):
        b = tf.negative(a, name="b")
    b.op._set_device("/cpu:0")
    with pytest.raises(InvalidArgumentError) as caught:
        placed(a, b)
    assert caught.value.message == (
        "Cannot colocate nodes {{colocation_node b}} and {{colocation_node a}}: Cannot merge "
        "devices with incompatible ids: '/device:CPU:1' and '/device:CPU:0'"
    )
    assert placed(a, b, soft=True) == ["CPU:1", "CPU:1"]


def test_a_class_may_name_a_node_made_later_or_none() -> None:
    first = tf.placeholder(tf.float32, name="first")
    first.op._set_attr("_class", ("loc:@late",))
    other = tf.placeholder(tf.float32, name="other")
    other.op._set_attr("_class", ("loc:@nobody",))
    with tf.device("/cpu:1"):
        tf.placeholder(tf.float32, name="late")
        mate = tf.placeholder(tf.float32, name="mate")
    mate.op._set_attr("_class", ("loc:@nobody",))
    assert placed(first, other) == ["CPU:1", "CPU:1"]


def test_updates_stand_with_their_variable() -> None:
    """The variable decides, even against the request of who updates it, as in TensorFlow."""
    with tf.device("/cpu:1"):
        ref = tf.Variable(1.0, use_resource=False)
        resource = tf.Variable(1.0, use_resource=True)
    with tf.device("/cpu:0"):
        ref_update = Assign(ref._ref(), 2.0)
        ref_update.op._set_attr("_class", ())  # as in a graph that another program made
        ref_update.op._set_device("/cpu:0")
        updates = [ref_update.op, resource.assign_add(1.0, read_value=False)]
    made = placer()
    made.place()
    assert [made.device_of(update) for update in updates] == [f"{CPU}1"] * 2
    (reason,) = [
        row.reason
        for row in made.placements(prune(tf.get_default_graph(), [], [], [updates[0]]))
        if row.node == updates[0].name
    ]
    assert "reference" in reason
    assert "its request is ignored" in reason


# --- a graph that grows ---------------------------------------------------------------------------


def test_placed_nodes_stay_and_new_ones_follow() -> None:
    with tf.device("/cpu:1"):
        variable = tf.Variable(1.0, use_resource=False, name="v")
    made = placer()
    made.place()
    first = {op: made.device_of(op) for op in tf.get_default_graph().get_operations()}
    later = tf.assign(variable, 2.0)
    made.place()
    assert {op: made.device_of(op) for op in first} == first
    assert made.device_of(later.op) == f"{CPU}1"


def test_the_first_request_comes_late() -> None:
    """Nodes that were placed without a thought keep their places when somebody starts to ask."""
    variable = tf.Variable(1.0, use_resource=False)
    made = placer()
    made.place()
    with tf.device("/cpu:1"):
        other = tf.negative(tf.placeholder(tf.float32))
        update = tf.assign(variable, 2.0)
    made.place()
    assert made.device_of(variable.op) == made.device_of(update.op) == f"{CPU}0"
    assert made.device_of(other.op) == f"{CPU}1"


def test_colocating_with_a_placed_node_elsewhere_is_refused() -> None:
    with tf.device("/cpu:1"):
        anchor = tf.placeholder(tf.float32, name="anchor")
    made, soft = placer(), placer(soft=True)
    made.place()
    soft.place()
    with tf.colocate_with(anchor):
        late = tf.negative(anchor)
    late.op._set_device("/cpu:0")
    with pytest.raises(InvalidArgumentError):
        made.place()
    soft.place()
    assert soft.device_of(late.op) == f"{CPU}1"


def test_a_large_graph_without_requests_takes_one_look(monkeypatch) -> None:
    """No groups are made: placement of a plain graph costs a glance at each node."""
    x = tf.placeholder(tf.float32, [])
    for _ in range(200):
        x = x + 1.0
    made = placer()
    monkeypatch.setattr(made, "_place_groups", lambda operations: pytest.fail("groups were made"))
    made.place()
    assert made.device_of(x.op) == f"{CPU}0"


# --- what is told ---------------------------------------------------------------------------------


def test_reasons() -> None:
    with tf.device("/cpu:1"):
        asked = tf.placeholder(tf.float32, name="asked")
    with tf.colocate_with(asked):
        beside = tf.negative(asked, name="beside")
    plain = tf.negative(beside)
    constant = tf.constant(3.0)
    total = tf.add(plain, constant)
    made = placer()
    made.place()
    assert reasons(made, asked, beside, plain, constant, total) == [
        "asked for",
        "colocated by class with 'asked'",
        "the default: nothing asks for a device",
        f"beside its only reader '{total.op.name}'",
        "the default: nothing asks for a device",
    ]
    with tf.Graph().as_default():
        assert reasons(placer(devices=1), tf.placeholder(tf.float32)) == ["the only device"]


def test_placement_is_logged_where_asked_for(capsys) -> None:
    tf.placeholder(tf.float32, name="x")
    placer(devices=1, log_device_placement=True).place()
    assert capsys.readouterr().err == f"x: (Placeholder): {CPU}0\n"


def test_threads_place_one_graph_once() -> None:
    """First runs of different fetches plan at the same time, and place the same new nodes."""
    with tf.device("/cpu:1"):
        tensors = [tf.negative(tf.placeholder(tf.float32)) for _ in range(300)]
    made = placer()
    barrier = threading.Barrier(6)

    def place(_: int) -> None:
        barrier.wait(10)
        made.place()

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(place, range(6)))
    assert {made.device_of(tensor.op) for tensor in tensors} == {f"{CPU}1"}
    assert len(made._device_of or ()) == len(tf.get_default_graph().get_operations())

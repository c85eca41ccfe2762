"""Where replica_device_setter puts nodes, and what a ClusterSpec says; as in TensorFlow 2.21."""

from __future__ import annotations

from typing import Any

import pytest

import featherflow as tf

CLUSTER = {"ps": ["a:1", "b:1"], "worker": {1: "c:1", 3: "d:2"}}


@pytest.mark.parametrize(
    ("arguments", "first", "second", "within", "computed"),
    [
        (
            {"ps_tasks": 2, "worker_device": "/job:worker/task:1"},
            "/job:ps/task:0",
            "/job:ps/task:1",
            "/job:ps/task:0/device:GPU:1",
            "/job:worker/task:1/device:GPU:1",
        ),
        (
            {"cluster": CLUSTER},
            "/job:ps/task:0",
            "/job:ps/task:1",
            "/job:ps/task:0/device:GPU:1",
            "/job:worker/device:GPU:1",
        ),
        (
            {"ps_tasks": 2, "merge_devices": False},
            "/job:ps/task:0",
            "/job:ps/task:1",
            "/device:GPU:1",
            "/device:GPU:1",
        ),
        (
            {"ps_tasks": 1, "ps_device": "/job:ps/cpu:0"},
            "/job:ps/task:0/device:CPU:0",
            "/job:ps/task:0/device:CPU:0",
            "/job:ps/task:0/device:GPU:1",
            "/job:worker/device:GPU:1",
        ),
    ],
)
def test_devices(
    arguments: dict[str, Any], first: str, second: str, within: str, computed: str
) -> None:
    with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(**arguments)):
        v, w = tf.Variable(1.0), tf.Variable(2.0, use_resource=True)
        with tf.device("/gpu:1"):
            x, y = tf.Variable(3.0), v + 1.0
    assert [item.device for item in (v, w, x, y)] == [first, second, within, computed]


def test_no_parameter_servers() -> None:
    assert tf.train.replica_device_setter() is None


def test_own_strategy_and_ops() -> None:
    setter = tf.train.replica_device_setter(3, ps_ops=["Const"], ps_strategy=lambda operation: 2)
    with tf.Graph().as_default(), tf.device(setter):
        assert tf.constant(1.0).device == "/job:ps/task:2"
        assert tf.Variable(1.0).device == "/job:worker"
    with pytest.raises(TypeError, match="callable"):
        tf.train.replica_device_setter(1, ps_strategy=3)


def test_cluster_spec() -> None:
    cluster = tf.train.ClusterSpec(CLUSTER)
    assert cluster.as_dict() == CLUSTER
    assert cluster.jobs == ["ps", "worker"]
    assert cluster.num_tasks("worker") == 2
    assert cluster.task_indices("worker") == [1, 3]
    assert cluster.task_address("worker", 3) == "d:2"
    assert cluster.job_tasks("worker") == [None, "c:1", None, "d:2"]
    assert cluster == tf.train.ClusterSpec(cluster) and cluster
    assert not tf.train.ClusterSpec({})
    assert repr(tf.train.ClusterSpec({"a": ["b:1"]})) == "ClusterSpec({'a': ['b:1']})"


def test_what_is_no_cluster() -> None:
    cluster = tf.train.ClusterSpec(CLUSTER)
    for call in (
        lambda: cluster.num_tasks("gone"),
        lambda: cluster.task_address("worker", 2),
        lambda: cluster.job_tasks("gone"),
    ):
        with pytest.raises(ValueError, match="No "):
            call()
    for wrong in (5, {"a": 5}, {"a": [5]}):
        with pytest.raises(TypeError):
            tf.train.ClusterSpec(wrong)

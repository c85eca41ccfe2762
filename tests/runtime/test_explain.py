"""explain_placement: a table of where nodes go, and why."""

from __future__ import annotations

import pytest

import featherflow.compat.v1 as tf
from featherflow.framework.errors import InvalidArgumentError
from featherflow.runtime.explain import explain_placement


def test_the_table() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, name="x")
        with tf.device("/cpu:1"):
            y = tf.negative(x, name="y")
        tf.identity(y, name="not_needed")
        config = tf.ConfigProto(device_count={"CPU": 2})
        with tf.Session(config=config):
            table = explain_placement([y])
    assert [row.node for row in table] == ["x", "y"]
    assert len(table) == 2
    assert table.of("y").request == "/device:CPU:1"
    assert table.of("y").reason == "asked for"
    assert "test_explain.py" in table.of("y").created_at
    header, _, last = str(table).splitlines()
    assert header.split() == ["node", "op", "device", "why", "created", "at"]
    assert last.startswith("y     Neg")
    assert "asked for (/device:CPU:1)" in last
    with pytest.raises(KeyError):
        table.of("not_needed")


def test_without_a_session() -> None:
    with tf.Graph().as_default():
        x = tf.identity(1.0)
    assert explain_placement(x)[0].reason == "the only device"


def test_nothing_is_run_or_kept(world) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = world.noted(tf.constant(1), tag="x")
        explain_placement(x, sess)
        assert world.log == []
        assert sess._session.plan_cache_info().size == 0


def test_what_cannot_be_placed() -> None:
    with tf.Graph().as_default():
        with tf.device("/gpu:0"):
            x = tf.identity(1.0)
        with pytest.raises(InvalidArgumentError, match="Cannot assign a device"):
            explain_placement(x)

"""Loops in GraphDefs: back edges, whatever the order of the nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import featherflow as tf
from featherflow.framework.dtypes import float32, int32

from .graph_defs import const, graph_def, node, placeholder


def counting_loop() -> list[Any]:
    """`while i < 10: i = i + 1`, as tf.while_loop writes it."""
    nodes = [
        const("zero", np.int32(0)),
        node("enter", "Enter", "zero", T=int32, frame_name="loop"),
        node("merge", "Merge", "enter next", T=int32, N=2),
        const("ten", np.int32(10)),
        node("less", "Less", "merge ten", T=int32),
        node("cond", "LoopCond", "less"),
        node("switch", "Switch", "merge cond", T=int32),
        node("body", "Identity", "switch:1", T=int32),
        const("one", np.int32(1)),
        node("add", "AddV2", "body one", T=int32),
        node("next", "NextIteration", "add", T=int32),
        node("exit", "Exit", "switch", T=int32),
    ]
    nodes[3].input.append("^merge")
    nodes[8].input.append("^body")
    return nodes


@pytest.mark.parametrize("backward", [False, True])
def test_loops_run(backward: bool) -> None:
    nodes = counting_loop()[:: -1 if backward else 1]
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(graph_def(*nodes), name="l")
        merge = graph.get_operation_by_name("l/merge")
        assert [tensor.name for tensor in merge.inputs] == ["l/enter:0", "l/next:0"]
        assert merge in graph.get_tensor_by_name("l/next:0").consumers()
        assert session.run("l/exit:0") == 10


def test_loops_are_written_again() -> None:
    message = graph_def(*counting_loop())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(message, name="")
        again = graph.as_graph_def()
    assert [item.name for item in again.node] == [item.name for item in message.node]
    for item, before in zip(again.node, message.node):
        assert list(item.input) == list(before.input)


def test_what_grows_in_a_loop_has_no_static_shape() -> None:
    nodes = counting_loop()
    nodes[0] = const("zero", np.int32([1, 2]))
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def(*nodes[:3], *nodes[3:]), name="")
        assert graph.get_tensor_by_name("merge:0").shape.rank is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("merge", "enter next:1"), "invalid output 1 of source node next"),
        (("merge", "enter gone"), "Unknown input node 'gone'"),
        (("next", "cond"), "passed bool"),
    ],
)
def test_damaged_loops(change: tuple[str, str], message: str) -> None:
    nodes = counting_loop()
    changed = next(item for item in nodes if item.name == change[0])
    changed.ClearField("input")
    changed.input.extend(change[1].split())
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        tf.import_graph_def(graph_def(*nodes))


def test_the_value_that_comes_back_must_have_the_dtype() -> None:
    nodes = [
        placeholder("x"),
        node("merge", "Merge", "x next", T=float32, N=2),
        placeholder("i", int32),
        node("next", "NextIteration", "i", T=int32),
    ]
    with tf.Graph().as_default(), pytest.raises(ValueError, match="passed int32 from import/next"):
        tf.import_graph_def(graph_def(*nodes))

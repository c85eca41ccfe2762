"""Frames: which loop each node runs in."""

from __future__ import annotations

from typing import Any

import pytest

import featherflow.compat.v1 as tf
from featherflow.framework.errors import InvalidArgumentError
from featherflow.graph.frames import assign_frames
from featherflow.graph.subgraph import prune
from featherflow.ops.control_flow_primitives import Enter


def nodes_of(*fetches: Any) -> dict[str, Any]:
    step = prune(tf.get_default_graph(), [], fetches)
    return {node.name: node for node in step.nodes}


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def test_nested_loops() -> None:
    x = tf.placeholder_with_default(1, [], name="x")

    def body(i: Any) -> Any:
        inner = tf.while_loop(lambda j: j < 3, lambda j: tf.add(j, 1, name="deep"), [i])
        return tf.add(inner, 1, name="shallow")

    result = tf.identity(tf.while_loop(lambda i: i < 9, body, [x]), name="after")
    nodes = nodes_of(result)
    frames = assign_frames(nodes.values())
    assert len(frames.all()) == 3
    frame = {node.name.rsplit("/", 1)[-1]: frames.of.get(node) for node in nodes.values()}
    assert frame["x"] is frame["after"] is frames.root
    assert frame["shallow"].parent is frames.root
    assert frame["deep"].parent is frame["shallow"]
    assert [item.name for item in frame["deep"].around()][-1] == ""


def test_constants_are_in_no_frame() -> None:
    free = tf.constant(1)
    nodes = nodes_of(free)
    assert assign_frames(nodes.values()).of == {}


def test_enter_and_exit_change_the_frame_of_what_they_make() -> None:
    x = tf.placeholder_with_default(1, [])
    result = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [x], parallel_iterations=4)
    nodes = nodes_of(result)
    frames = assign_frames(nodes.values())
    (loop,) = frames.children.values()
    assert loop.parallel_iterations == 4
    for node in nodes.values():
        kind = node.definition.control_flow
        if kind == "enter":
            assert (frames.of[node], frames.of_output(node)) == (frames.root, loop)
        elif kind == "exit":
            assert (frames.of[node], frames.of_output(node)) == (loop, frames.root)
        elif node in frames.of:
            assert frames.of[node] is frames.of_output(node)


def test_inputs_of_different_frames_are_refused() -> None:
    x = tf.placeholder_with_default(1, [], name="x")
    mixed = tf.add(Enter(x, frame_name="one", name="enter"), x, name="mixed")
    with pytest.raises(InvalidArgumentError) as caught:
        assign_frames(nodes_of(mixed).values())
    assert caught.value.message == (
        "{{node mixed}} has inputs from different frames. The input {{node enter}} is in frame "
        "'one'. The input {{node x}} is in frame ''."
    )
    assert caught.value.op is mixed.op

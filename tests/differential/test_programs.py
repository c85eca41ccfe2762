"""Every recorded TF1 program, built with featherflow: its graph is TensorFlow's, node for node."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import featherflow as tf

from .compare_graphs import graph_differences
from .program_storage import FOLDER, read_topic
from .programs import TOPICS, build, programs_of
from .waiting import xfail_if_waiting

PROGRAMS = {f"{topic}/{name}": program for topic in TOPICS for name, program in programs_of(topic)}
RECORDED: dict[str, dict[str, Any]] = {
    f"{path.stem}/{name}": facts
    for path in sorted(FOLDER.glob("*.json"))
    for name, facts in read_topic(path).items()
}


#: Programs whose graph differs on purpose, and how.
OWN_GRAPHS = {
    "arrays/filled_tensors": "tf.linspace of scalars is one LinSpace, not seventy nodes around one",
}


def test_every_program_is_recorded() -> None:
    assert sorted(PROGRAMS) == sorted(RECORDED)


@pytest.mark.parametrize("key", sorted(RECORDED))
def test_graph(key: str) -> None:
    try:
        graph = build(tf, PROGRAMS[key])
    except AttributeError as error:
        xfail_if_waiting(error)
        raise
    found = graph_differences(graph, RECORDED[key])
    if key in OWN_GRAPHS:
        assert found, f"the graph of {key} is TensorFlow's: take it off OWN_GRAPHS"
        pytest.xfail(OWN_GRAPHS[key])
    assert not found, "\n".join([f"the graph of {key} is not TensorFlow's:", *found])


def altered(change: str) -> dict[str, Any]:
    """The facts of a program with one of them changed."""
    facts = copy.deepcopy(RECORDED["optimizers/gradient_descent"])
    nodes = facts["nodes"]
    index = next(i for i, node in enumerate(nodes) if node.op == "MatMul")
    match change:
        case "input":
            nodes[index].inputs.reverse()
        case "attr":
            nodes[index].attrs["transpose_a"] = "True"
        case "device":
            nodes[index] = nodes[index]._replace(device="/device:CPU:0")
        case "missing":
            del nodes[index]
        case "order":
            nodes[index : index + 2] = reversed(nodes[index : index + 2])
        case "variable":
            facts["variables"][0][3] = "not trainable"
        case "collection":
            facts["collections"]["train_op"].clear()
        case "gradients":
            facts["gradient_nodes"] = 0
    return facts


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("input", "inputs ['weights/read', 'inputs'], not ['inputs', 'weights/read']"),
        ("attr", "attr transpose_a = True, not False"),
        ("device", "device '/device:CPU:0', not ''"),
        ("missing", "1 missing nodes: MatMul (MatMul)"),
        ("order", "another order, from 'add' where 'MatMul' was"),
        ("variable", "'not trainable'], not ['weights:0'"),
        ("collection", "collections 'train_op': [], not ['GradientDescent']"),
        ("gradients", "has 0 nodes of gradients, not 29"),
    ],
)
def test_differences_are_told(change: str, words: str) -> None:
    recorded = RECORDED["optimizers/gradient_descent"]
    assert graph_differences(recorded, recorded) == []
    assert words in "\n".join(graph_differences(altered(change), recorded))

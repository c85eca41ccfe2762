"""GraphDefs written here and run by TensorFlow, and written by TensorFlow and run here."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import text_format

import featherflow as tf

from . import exchange
from .compare import differences
from .exchange import Exchanged

PROGRAMS = exchange.all_programs()
FACTS = exchange.read_facts()
HERE, THERE, RETURNED = (
    FACTS[direction] for direction in ("from_featherflow", "from_tensorflow", "returned")
)
_AGAIN = "is it meant to differ? then record_exchange.py has TensorFlow run it again"


def exchanged(facts: dict[str, Any], graph_def: bytes) -> Exchanged:
    return Exchanged(graph_def, facts["initializer"], facts["fetches"])


def disagreements(graph: Exchanged, facts: dict[str, Any]) -> list[str]:
    """What differs from TensorFlow, of what is the same in each of its runs."""
    expected = exchange.recorded_outcome(facts)
    actual = exchange.run(tf, graph)
    actual.outputs = {name: actual.outputs.get(name) for name in expected.outputs}
    return differences(actual, expected)


def fingerprint(graph_def: bytes) -> str:
    return exchange.fingerprint(tf.GraphDef.FromString(graph_def))


def test_every_graph_is_recorded() -> None:
    graphs = {key: program for key, program in PROGRAMS.items() if key.startswith("graphs/")}
    assert set(graphs) <= set(THERE)
    assert {key for key in graphs if not hasattr(graphs[key], "tensorflow_only")} <= set(HERE)
    assert set(HERE) | set(THERE) <= set(PROGRAMS)


@pytest.mark.parametrize("key", sorted(HERE))
def test_written_here(key: str) -> None:
    built = exchange.build(tf, PROGRAMS[key])
    assert built is not None
    assert built.facts() == {name: HERE[key][name] for name in built.facts()}
    assert fingerprint(built.graph_def) == HERE[key]["fingerprint"], (
        f"TensorFlow ran another GraphDef of {key}: {_AGAIN}"
    )
    found = disagreements(built, HERE[key])
    assert not found, "\n".join(found)


@pytest.mark.parametrize("key", sorted(THERE))
def test_written_by_tensorflow(key: str) -> None:
    graph_def = exchange.read_graph_def(key)
    found = disagreements(exchanged(THERE[key], graph_def), THERE[key])
    assert not found, "\n".join(found)


@pytest.mark.parametrize("key", sorted(RETURNED))
def test_written_again(key: str) -> None:
    """TensorFlow ran what we make of its GraphDef, and got the same."""
    again = exchange.returned(tf, exchange.read_graph_def(key))
    assert fingerprint(again) == RETURNED[key], f"{key} is written otherwise: {_AGAIN}"


@pytest.mark.parametrize("key", ["graphs/loops", "graphs/functional_loops", "graphs/training"])
def test_text_format(key: str) -> None:
    message = tf.GraphDef.FromString(exchange.read_graph_def(key))
    text = text_format.MessageToString(message)
    read = text_format.Parse(text, tf.GraphDef()).SerializeToString()
    found = disagreements(exchanged(THERE[key], read), THERE[key])
    assert not found, "\n".join(found)


def test_archive_is_small() -> None:
    assert exchange.ARCHIVE.stat().st_size < 400_000

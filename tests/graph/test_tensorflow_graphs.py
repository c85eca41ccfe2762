"""Graphs that TensorFlow wrote: read as it reads them, written as they were, the same values."""

from __future__ import annotations

import base64
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import featherflow as tf
from featherflow.framework.op import find_op
from featherflow.protos.graph_pb2 import GraphDef
from featherflow.protos.tensor_pb2 import TensorProto

ARCHIVE = zipfile.ZipFile(Path(__file__).parent / "tensorflow_graphs.zip")
PROGRAMS = sorted(name.removesuffix(".pb") for name in ARCHIVE.namelist() if name.endswith(".pb"))
#: The Python functions that their nodes call are not part of a graph.
NOT_RUN = {"side_effects/python_functions"}


def recorded(program: str) -> tuple[Any, dict[str, Any]]:
    message = GraphDef.FromString(ARCHIVE.read(f"{program}.pb"))
    missing = sorted({node.op for node in message.node if find_op(node.op) is None})
    if missing:
        pytest.skip(f"there is no op {', '.join(missing)} yet")
    return message, json.loads(ARCHIVE.read(f"{program}.json"))


def imported(message: Any) -> Any:
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(message, name="")
    return graph


def as_text(node: Any) -> bytes:
    """A node without what reading it may change, and without the types that TensorFlow derives."""
    copy = type(node)()
    copy.CopyFrom(node)
    copy.device = ""
    copy.ClearField("experimental_type")
    for value in copy.attr.values():
        if value.HasField("tensor"):  # written out or filled up, it is the same array
            array = tf.make_ndarray(value.tensor)
            value.tensor.CopyFrom(TensorProto(string_val=[repr(array.tolist()).encode()]))
    return copy.SerializeToString(deterministic=True)


@pytest.mark.parametrize("program", PROGRAMS)
def test_graphs_are_read_as_tensorflow_reads_them(program: str) -> None:
    message, facts = recorded(program)
    again = imported(message).as_graph_def()
    assert [node.name for node in again.node] == facts["nodes"]
    assert {node.name: node.device for node in again.node if node.device} == facts["devices"]
    before = {node.name: as_text(node) for node in message.node}
    assert {node.name: as_text(node) for node in again.node} == before
    assert again.versions == message.versions
    assert again.library == message.library


@pytest.mark.parametrize("program", [name for name in PROGRAMS if name not in NOT_RUN])
def test_graphs_compute_what_tensorflow_computes(program: str) -> None:
    message, facts = recorded(program)
    with tf.Session(graph=imported(message)) as session:
        for run in facts["runs"]:
            feeds = {name: array_of(text) for name, text in run["feeds"].items()}
            found = [item for item in session.run(run["fetches"], feeds) if item is not None]
            expected = [array_of(text) for text in run["values"]]
            assert len(found) == len(expected)
            for actual, wanted in zip(found, expected):
                assert_same(np.asarray(actual), wanted)


def array_of(text: str) -> np.ndarray:
    return tf.make_ndarray(TensorProto.FromString(base64.b64decode(text)))


def assert_same(actual: np.ndarray, wanted: np.ndarray) -> None:
    assert actual.shape == wanted.shape
    if wanted.dtype.kind in "fcV":
        # Training steps add up the differences of single sums.
        wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
        np.testing.assert_allclose(actual.astype(wide), wanted.astype(wide), rtol=1e-4, atol=1e-6)
    else:
        np.testing.assert_array_equal(actual, wanted)

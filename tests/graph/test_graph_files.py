"""write_graph, extract_sub_graph, remove_training_nodes, as TensorFlow does them."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format

import featherflow as tf
from featherflow.framework.dtypes import float32
from featherflow.protos.graph_pb2 import GraphDef

from .graph_defs import function, graph_def, identity, node, placeholder


def structure(message: Any) -> dict[str, str]:
    return {item.name: " ".join(item.input) for item in message.node}


# --- write_graph ------------------------------------------------------------------------


@pytest.mark.parametrize("write", [tf.io.write_graph, tf.train.write_graph])
@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize("as_message", [True, False])
def test_write_graph(tmp_path: Path, write: Any, as_text: bool, as_message: bool) -> None:
    with tf.Graph().as_default() as graph:
        tf.constant([1.5, float("nan")], name="c")
    source = graph.as_graph_def() if as_message else graph
    path = write(source, tmp_path / "new" / "folder", "graph", as_text)
    assert path == str(tmp_path / "new" / "folder" / "graph")
    data = Path(path).read_bytes()
    read = text_format.Parse(data, GraphDef()) if as_text else GraphDef.FromString(data)
    written = graph.as_graph_def().SerializeToString(deterministic=True)
    assert read.SerializeToString(deterministic=True) == written
    assert os.listdir(tmp_path / "new" / "folder") == ["graph"]
    plain = tmp_path / "plain"
    plain.touch()
    assert stat.S_IMODE(os.stat(path).st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_write_graph_is_text_by_default(tmp_path: Path) -> None:
    path = tf.io.write_graph(graph_def(placeholder("x")), str(tmp_path), "g.pbtxt")
    assert Path(path).read_text().startswith('node {\n  name: "x"\n')


def test_write_graph_leaves_the_old_file_where_it_fails(tmp_path: Path) -> None:
    (tmp_path / "g").mkdir()
    with pytest.raises(OSError):
        tf.io.write_graph(graph_def(placeholder("x")), tmp_path, "g")
    assert os.listdir(tmp_path) == ["g"]


@pytest.mark.parametrize("graph", [5, "graph", None])
def test_write_graph_takes_graphs(tmp_path: Path, graph: Any) -> None:
    with pytest.raises(TypeError, match=r"tf\.Graph or a GraphDef"):
        tf.io.write_graph(graph, tmp_path, "g")


# --- extract_sub_graph ------------------------------------------------------------------


def branching() -> Any:
    return graph_def(
        placeholder("x"),
        identity("a", "x ^c"),
        node("c", "NoOp"),
        identity("b", "a"),
        identity("d", "b:0"),
        placeholder("z"),
        functions=[function("F", {"a": float32}, {"o": float32}, [], {"o": "a"})],
        producer=33,
    )


@pytest.mark.parametrize(
    ("wanted", "found"),
    [(["b"], "x a c b"), (("d", "z"), "x a c b d z"), (["c"], "c"), ([], "")],
)
def test_extract_sub_graph(wanted: Any, found: str) -> None:
    message = branching()
    part = tf.graph_util.extract_sub_graph(message, wanted)
    assert [item.name for item in part.node] == found.split()
    assert part.versions.producer == 33
    assert part.library == message.library
    assert message == branching()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((5, ["x"]), TypeError, "must be a graph_pb2.GraphDef proto"),
        ((branching(), "x"), TypeError, "must be an iterable of strings"),
        ((branching(), ["q"]), AssertionError, "q is not in graph"),
        ((branching(), ["b:0"]), AssertionError, "b:0 is not in graph"),
        ((graph_def(identity("y", "gone")), ["y"]), KeyError, "gone"),
    ],
)
def test_extract_sub_graph_refuses(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        tf.graph_util.extract_sub_graph(*arguments)


# --- remove_training_nodes --------------------------------------------------------------


def relu(name: str, source: str, **attrs: Any) -> Any:
    return node(name, "Relu", source, T=float32, **attrs)


def stop(name: str, source: str) -> Any:
    return node(name, "StopGradient", source, T=float32)


def check(name: str, source: str) -> Any:
    return node(name, "CheckNumerics", source, T=float32, message="m")


@pytest.mark.parametrize(
    ("nodes", "protected", "expected"),
    [
        ([identity("i", "x"), relu("r", "i")], None, {"r": "x"}),
        ([identity("i", "x"), stop("s", "i:0"), relu("r", "s")], None, {"r": "x"}),
        ([identity("i", "x:1"), relu("r", "i")], None, {"r": "x:1"}),
        ([relu("r", "x"), identity("last", "r")], None, {"r": "x"}),
        ([relu("r", "x"), identity("last", "r")], ["last"], {"r": "x", "last": "r"}),
        # Others wait for i, or it waits for others.
        ([identity("i", "x"), relu("r", "x ^i")], None, {"i": "x", "r": "x ^i"}),
        ([identity("i", "x ^x"), relu("r", "i")], None, {"i": "x ^x", "r": "i"}),
        (
            [identity("i", "x"), relu("r", "i", _class=("loc:@i",))],
            None,
            {"i": "x", "r": "i"},
        ),
        ([identity("i", "x", _class=("loc:@x",)), relu("r", "i")], None, {"r": "x"}),
        # Nobody needs to wait for a check.
        ([check("c", "x"), relu("r", "x ^c")], None, {"r": "x"}),
        ([check("c", "x"), identity("i", "x ^c"), relu("r", "i")], None, {"r": "x"}),
        ([check("c", "x"), relu("r", "c")], None, {"r": "x"}),
        ([check("c", "x"), relu("r", "c")], ["c"], {"c": "x", "r": "c"}),
    ],
)
def test_remove_training_nodes(nodes: Any, protected: Any, expected: dict[str, str]) -> None:
    message = graph_def(placeholder("x"), *nodes, producer=33)
    result = tf.graph_util.remove_training_nodes(message, protected)
    assert structure(result) == {"x": "", **expected}
    assert result.versions.producer == 33


def test_remove_training_nodes_of_a_damaged_graph_ends() -> None:
    message = graph_def(identity("a", "b"), identity("b", "a"), relu("r", "a"))
    assert set(structure(tf.graph_util.remove_training_nodes(message))) == {"r"}


def test_tensor_shape_from_node_def_name() -> None:
    with tf.Graph().as_default() as graph:
        tf.placeholder(tf.float32, [None, 2], name="x")
    for name in ("x", "x:0"):
        shape = tf.graph_util.tensor_shape_from_node_def_name(graph, name)
        assert shape.as_list() == [None, 2]

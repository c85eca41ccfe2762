"""import_graph_def: names, inputs, order, scopes, versions, all as TensorFlow has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import featherflow as tf
from featherflow.framework.dtypes import float32, int32
from featherflow.framework.tensor_shape import TensorShape
from featherflow.protos.op_def_pb2 import OpList

from .graph_defs import const, graph_def, identity, node, placeholder


@pytest.fixture
def graph() -> Any:
    graph = tf.Graph()
    with graph.as_default():
        yield graph


def names(graph: Any) -> list[str]:
    return [operation.name for operation in graph.get_operations()]


# --- names ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [(None, "import/x"), ("", "x"), ("a/b", "a/b/x"), ("a/", "a/x")],
)
def test_prefix(graph: Any, name: str | None, expected: str) -> None:
    assert tf.import_graph_def(graph_def(placeholder("x")), name=name) is None
    assert names(graph) == [expected]


def test_prefix_is_inside_the_name_scope(graph: Any) -> None:
    with tf.name_scope("outer"):
        tf.import_graph_def(graph_def(placeholder("x")))
        tf.import_graph_def(graph_def(placeholder("x")), name="")
    assert names(graph) == ["outer/import/x", "x"]


def test_imports_do_not_collide(graph: Any) -> None:
    for _ in range(2):
        tf.import_graph_def(graph_def(placeholder("x")))
        tf.import_graph_def(graph_def(placeholder("x")), name="")
        tf.import_graph_def(graph_def(placeholder("x")), name="a/")
    assert names(graph) == ["import/x", "x", "a/x", "import_1/x", "x_1", "a/x_1"]


@pytest.mark.parametrize(
    ("existing", "imported", "expected"),
    [
        (["x"], ["x", "x_1"], ["x_2", "x_1"]),
        (["x"], ["x_1", "x"], ["x_1", "x_2"]),
        (["x", "x_1"], ["x"], ["x_2"]),
        (["X"], ["x"], ["x"]),
        (["foo/x"], ["foo"], ["foo_1"]),
        (["foo/x"], ["FOO"], ["FOO"]),
        (["foo"], ["foo/x"], ["foo/x"]),
        ([], ["foo/x", "foo"], ["foo/x", "foo"]),
    ],
)
def test_taken_names_get_numbers(
    graph: Any, existing: list[str], imported: list[str], expected: list[str]
) -> None:
    for name in existing:
        tf.placeholder(tf.float32, name=name)
    tf.import_graph_def(graph_def(*map(placeholder, imported)), name="")
    assert names(graph)[len(existing) :] == expected


def test_names_of_nodes_are_taken_afterwards(graph: Any) -> None:
    tf.import_graph_def(graph_def(*map(placeholder, ["a/b", "q", "q_1"])), name="")
    made = [tf.placeholder(tf.float32, name=name).op.name for name in ("a/b", "q", "q", "Q")]
    assert made == ["a/b_1", "q_2", "q_3", "Q_4"]
    with tf.name_scope("a") as scope:
        assert scope == "a/"


# --- inputs, attributes, order ----------------------------------------------------------


def test_nodes_are_as_written(graph: Any) -> None:
    message = graph_def(
        placeholder("x", shape=[2, None]),
        node("split", "Split", "axis x", num_split=2, T=float32),
        const("axis", np.int32(0)),
        identity("y", "split:1 ^x", _note="kept", other=3),
    )
    tf.import_graph_def(message)
    y = graph.get_operation_by_name("import/y")
    assert [tensor.name for tensor in y.inputs] == ["import/split:1"]
    assert [other.name for other in y.control_inputs] == ["import/x"]
    assert y.get_attr("_note") == b"kept"
    assert y.get_attr("other") == 3
    assert y.outputs[0].shape.as_list() == [1, None]


def test_defaults_are_filled_in(graph: Any) -> None:
    tf.import_graph_def(
        graph_def(placeholder("x", shape=[2, 2]), node("y", "MatMul", "x x", T=float32))
    )
    y = graph.get_operation_by_name("import/y")
    assert y.get_attr("transpose_a") is False
    assert set(y.node_def.attr) == {"T", "transpose_a", "transpose_b", "grad_a", "grad_b"}


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ("c<a b<a a d<c,b e f<^e,^d", "a c b d e f"),
        ("a b c<a d e<b", "a b c d e"),
        ("z<y a y<x b x c", "a b x y z c"),
        ("x4<x3 x3<x2 x2<x1 x1", "x1 x2 x3 x4"),
    ],
)
def test_inputs_come_first_else_the_order_stays(graph: Any, nodes: str, expected: str) -> None:
    messages = []
    for item in nodes.split():
        name, _, inputs = item.partition("<")
        controls = " ".join(f"^{text.lstrip('^')}" for text in inputs.split(",") if text)
        messages.append(node(name, "NoOp", controls))
    tf.import_graph_def(graph_def(*messages), name="")
    assert names(graph) == expected.split()


@pytest.mark.parametrize("backward", [False, True])
def test_long_chains_need_no_stack(graph: Any, backward: bool) -> None:
    length = 20_000
    nodes = [placeholder("n0"), *(identity(f"n{i}", f"n{i - 1}") for i in range(1, length))]
    tf.import_graph_def(graph_def(*(nodes[::-1] if backward else nodes)), name="")
    with tf.Session() as session:
        assert session.run(f"n{length - 1}:0", {"n0:0": 3.0}) == 3.0


def test_devices_are_kept_in_canonical_form(graph: Any) -> None:
    message = graph_def(
        node("a", "NoOp", device="/cpu:0"), node("b", "NoOp", device="/job:a/task:1/device:GPU:0")
    )
    tf.import_graph_def(message, name="")
    assert [operation.device for operation in graph.get_operations()] == [
        "/device:CPU:0",
        "/job:a/task:1/device:GPU:0",
    ]


def test_large_contents_are_used_where_they_are(graph: Any) -> None:
    data = graph_def(const("c", np.arange(4096.0))).SerializeToString()
    tf.import_graph_def(data, name="")
    value = graph.get_operation_by_name("c").attrs["value"]
    assert np.shares_memory(value, np.frombuffer(data, np.uint8))
    with tf.Session() as session:
        fetched = session.run("c:0")
    assert fetched.tolist() == list(range(4096))
    assert fetched.flags.owndata


def test_large_contents_are_written_again(graph: Any) -> None:
    message = graph_def(const("c", np.arange(4096.0)))
    tf.import_graph_def(message.SerializeToString(), name="")
    assert graph.as_graph_def() == message


# --- input_map --------------------------------------------------------------------------


def chain() -> Any:
    return graph_def(placeholder("x"), identity("y", "x"), identity("z", "y ^x"))


@pytest.mark.parametrize("key", ["x", "x:0", b"x"])
def test_input_map(graph: Any, key: Any) -> None:
    p = tf.placeholder(tf.float32, name="p")
    found = tf.import_graph_def(chain(), {key: p}, ["x:0", "x", "y:0", b"z"])
    assert [element.name for element in found] == ["p:0", "import/x", "import/y:0", "import/z"]
    assert found[2].op.inputs[0] is p
    assert [other.name for other in found[3].control_inputs] == ["import/x"]


def test_mapped_inputs_need_not_be_there(graph: Any) -> None:
    p = tf.placeholder(tf.float32, name="p")
    tf.import_graph_def(graph_def(identity("y", "gone")), {"gone": p}, name="")
    assert names(graph) == ["p", "y"]


def test_the_last_of_two_keys_counts(graph: Any) -> None:
    p1, p2 = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    (y,) = tf.import_graph_def(chain(), {"x": p1, "x:0": p2}, ["y"])
    assert y.inputs[0] is p2


def test_values_become_constants(graph: Any) -> None:
    tf.import_graph_def(chain(), {"x": 3.0})
    assert names(graph)[0] == "import/_inputs/Const"
    with tf.Session() as session:
        assert session.run("import/y:0") == 3.0


@pytest.mark.parametrize("as_operation", [False, True])
def test_control_inputs_can_be_mapped(graph: Any, as_operation: bool) -> None:
    p = tf.placeholder(tf.float32, name="p")
    (z,) = tf.import_graph_def(chain(), {"^x": p.op if as_operation else p}, ["z"])
    assert z.control_inputs == [p.op]


@pytest.mark.parametrize(
    ("key", "unused"), [("q", "q:0"), ("y:1", "y:1"), ("^q", "^q"), ("q:2", "q:2")]
)
def test_unused_keys_are_refused(graph: Any, key: str, unused: str) -> None:
    with pytest.raises(ValueError, match=r"not found in graph_def") as caught:
        tf.import_graph_def(chain(), {key: tf.placeholder(tf.float32, name="p")})
    assert f"[{unused}]" in str(caught.value)
    assert names(graph) == ["p"]


def test_keys_of_outputs_that_nobody_reads_are_fine(graph: Any) -> None:
    tf.import_graph_def(chain(), {"z": tf.placeholder(tf.float32, name="p")}, name="")
    assert names(graph) == ["p", "x", "y", "z"]


# --- scopes around the import -----------------------------------------------------------


def imported_in(graph: Any, scope: Any) -> dict[str, Any]:
    with scope:
        tf.import_graph_def(
            graph_def(placeholder("x"), identity("y", "x"), node("z", "NoOp", "^y", "/cpu:0")),
            name="",
        )
    return {name: graph.get_operation_by_name(name) for name in "xyz"}


def test_device_scopes_complete_devices(graph: Any) -> None:
    found = imported_in(graph, tf.device("/job:w/gpu:1"))
    assert [found[name].device for name in "xyz"] == [
        "/job:w/device:GPU:1",
        "/job:w/device:GPU:1",
        "/job:w/device:CPU:0",
    ]


def test_control_dependencies_are_added(graph: Any) -> None:
    p = tf.placeholder(tf.float32, name="p")
    found = imported_in(graph, tf.control_dependencies([p]))
    inputs = {name: sorted(o.name for o in found[name].control_inputs) for name in "xyz"}
    assert inputs == {"x": ["p"], "y": ["p"], "z": ["p", "y"]}


def test_colocation_scopes_replace_devices(graph: Any) -> None:
    p = tf.placeholder(tf.float32, name="p")
    found = imported_in(graph, tf.colocate_with(p))
    assert {found[name].colocation_groups()[0] for name in "xyz"} == {b"loc:@p"}
    assert found["z"].device == ""


def test_gradient_overrides_are_added(graph: Any) -> None:
    found = imported_in(graph, graph.gradient_override_map({"Identity": "Other"}))
    assert found["y"].get_attr("_gradient_op_type") == b"Other"
    assert "_gradient_op_type" not in found["x"].node_def.attr


# --- colocation in the GraphDef ---------------------------------------------------------


def test_colocation_follows_the_new_names(graph: Any) -> None:
    tf.placeholder(tf.float32, name="x")
    tf.import_graph_def(
        graph_def(placeholder("x"), identity("y", "x", _class=("loc:@x", "other", "loc:@y"))),
        name="",
    )
    assert graph.get_operation_by_name("y").get_attr("_class") == [
        b"loc:@x_1",
        b"other",
        b"loc:@y",
    ]


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [("/cpu:1", "/cpu:0", "/device:CPU:1"), ("", "/cpu:0", ""), ("/cpu:1", "", "/device:CPU:1")],
)
def test_a_colocated_node_goes_where_the_other_is(
    graph: Any, x: str, y: str, expected: str
) -> None:
    nodes = [placeholder("x"), identity("y", "x", _class=("loc:@x",))]
    nodes[0].device, nodes[1].device = x, y
    tf.import_graph_def(graph_def(*nodes), name="")
    assert graph.get_operation_by_name("y").device == expected


# --- recorded shapes, versions, producers -----------------------------------------------


@pytest.mark.parametrize(
    ("shape", "recorded", "expected"),
    [(None, [2, None], [2, None]), ([3], [None], [3]), ([None, 3], [2, None], [2, 3])],
)
def test_recorded_shapes_are_merged(
    graph: Any, shape: Any, recorded: Any, expected: list[int | None]
) -> None:
    shapes = (TensorShape(recorded), TensorShape(None))  # one more than there are outputs
    tf.import_graph_def(
        graph_def(placeholder("x", shape=shape), identity("y", "x", _output_shapes=shapes)), name=""
    )
    y = graph.get_operation_by_name("y")
    assert y.outputs[0].shape.as_list() == expected
    assert "_output_shapes" not in y.node_def.attr


def test_versions_are_merged(graph: Any) -> None:
    tf.import_graph_def(graph_def(producer=100, min_consumer=7, bad_consumers=[5]))
    tf.import_graph_def(graph_def(producer=9000, min_consumer=3, bad_consumers=[6]))
    versions = graph.graph_def_versions
    assert (versions.producer, versions.min_consumer) == (100, 7)
    assert list(versions.bad_consumers) == [5, 6]


@pytest.mark.parametrize(("producer", "rank"), [(0, None), (21, None), (22, 0), (2474, 0)])
def test_old_placeholders_of_no_dimensions_have_any_shape(
    graph: Any, producer: int, rank: int | None
) -> None:
    (x,) = tf.import_graph_def(
        graph_def(placeholder("x", shape=[]), producer=producer), return_elements=["x:0"]
    )
    assert x.shape.rank == rank


@pytest.mark.parametrize(("value", "kept"), [(3, False), (4, True)])
def test_defaults_that_only_the_producer_knows_are_dropped(
    graph: Any, value: int, kept: bool
) -> None:
    known_there = OpList()
    op = known_there.op.add(name="Identity")
    op.attr.add(name="novel", type="int").default_value.i = 3
    op.attr.add(name="required", type="int")
    tf.import_graph_def(
        graph_def(placeholder("x"), identity("y", "x", novel=value, required=3)),
        producer_op_list=known_there,
    )
    attrs = graph.get_operation_by_name("import/y").node_def.attr
    assert ("novel" in attrs) is kept
    assert "required" in attrs


def test_an_import_that_fails_leaves_no_trace(graph: Any) -> None:
    tf.placeholder(tf.float32, name="p")
    before = graph.as_graph_def()
    bad = graph_def(
        placeholder("x", shape=[2]),
        placeholder("w", int32),
        node("y", "AddV2", "x w", T=float32),
        producer=5,
    )
    with pytest.raises(ValueError, match="incompatible with expected"):
        tf.import_graph_def(bad, name="")
    assert graph.as_graph_def() == before
    assert tf.placeholder(tf.float32, name="x").name == "x:0"


def test_a_finalized_graph_takes_nothing(graph: Any) -> None:
    graph.finalize()
    with pytest.raises(RuntimeError, match="finalized"):
        tf.import_graph_def(graph_def(placeholder("x")))

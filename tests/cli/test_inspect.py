"""`featherflow inspect`: what is in a model."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf
from featherflow.framework.op import define_op, unregister_op
from featherflow.framework.shape_inference import unchanged_shape
from featherflow.protos import graph_pb2, meta_graph_pb2, saved_model_pb2

from .conftest import affine


def section(lines: list[str], title: str) -> list[str]:
    """The lines below a title, stripped."""
    start = lines.index(title) + 1
    end = lines.index("", start) if "" in lines[start:] else len(lines)
    return [line.strip() for line in lines[start:end]]


@pytest.mark.parametrize("text", [False, True])
def test_report(featherflow, model, text: bool) -> None:
    path = model(affine, text)
    result = featherflow("inspect", path)
    assert (result.status, result.err) == (0, "")
    assert result.lines[0] == str(path)
    assert [line.split() for line in section(result.lines, "Inputs")] == [
        ["x:0", "float32", "(?,", "2)"]
    ]
    assert [line.split() for line in section(result.lines, "Outputs")] == [
        ["y:0", "float32", "(?,", "2)"]
    ]
    assert "4 float32" in section(result.lines, "Parameters")[0]
    assert section(result.lines, "Parameters")[1] == "largest: w [2, 2]"
    ops = dict(reversed(line.split()) for line in section(result.lines, "Ops"))
    assert ops == {"Placeholder": "1", "Const": "2", "MatMul": "1", "AddV2": "1"}
    assert section(result.lines, "Unsupported ops") == ["none"]


def unsupported_graph() -> graph_pb2.GraphDef:
    """x → 7 × NoSuchOp → Relu; featherflow has no NoSuchOp."""
    message = graph_pb2.GraphDef()
    node = message.node.add(name="x", op="Placeholder")
    node.attr["dtype"].type = 1
    node.attr["shape"].shape.dim.add(size=-1)
    node.attr["shape"].shape.dim.add(size=3)
    for index in range(7):
        message.node.add(name=f"odd_{index}", op="NoSuchOp", input=["x"])
    last = message.node.add(name="last", op="Relu", input=["odd_6"])
    last.attr["T"].type = 1
    return message


def test_unsupported_ops_by_node_name(featherflow, tmp_path) -> None:
    path = tmp_path / "model.pb"
    path.write_bytes(unsupported_graph().SerializeToString())
    result = featherflow("inspect", path)
    assert result.status == 1
    assert section(result.lines, "Unsupported ops") == [
        "NoSuchOp: odd_0, odd_1, odd_2, odd_3, odd_4 and 2 more"
    ]
    # What the nodes say of themselves is there all the same.
    assert section(result.lines, "Inputs")[0].split() == ["x:0", "float32", "(?,", "3)"]
    assert section(result.lines, "Outputs")[-1].split()[:2] == ["last:0", "float32"]
    everything = featherflow("inspect", path, "--all")
    assert section(everything.lines, "Unsupported ops")[0].endswith("odd_5, odd_6")


def test_unsupported_ops_of_functions(featherflow, tmp_path) -> None:
    message = unsupported_graph()
    del message.node[1:]
    function = message.library.function.add()
    function.signature.name = "f"
    function.signature.input_arg.add(name="a", type=1)
    function.signature.output_arg.add(name="b", type=1)
    function.node_def.add(name="inner", op="OtherOp", input=["a"])
    function.ret["b"] = "inner:out:0"
    message.node.add(name="call", op="f", input=["x"])
    path = tmp_path / "model.pb"
    path.write_bytes(message.SerializeToString())
    result = featherflow("inspect", path)
    assert section(result.lines, "Functions") == ["f(a) -> b: 1 nodes"]
    assert section(result.lines, "Unsupported ops") == ["OtherOp: inner"]
    assert section(result.lines, "Control flow") == ["calls of functions by f: 1"]


def test_control_flow(featherflow, model) -> None:
    def build() -> None:
        n = tf.placeholder(tf.int32, [], name="n")
        loop = tf.while_loop(lambda i: i < n, lambda i: i + 1, [0])
        tf.cond(tf.equal(loop, 3, name="is_3"), lambda: loop, lambda: loop * 2)

    lines = section(featherflow("inspect", model(build)).lines, "Control flow")
    assert lines == [
        "loops, 1: while/while_context",
        "predicates of conditionals, 1: cond/pred_id",
    ]


def test_nodes_without_a_kernel(featherflow, model) -> None:
    op = define_op("HalfOnly", inputs=("x: T",), outputs=("y: T",), attrs=("T: {half, float}",))
    op.shape_fn(unchanged_shape)
    op.kernel("CPU", T=tf.float16)(np.negative)
    try:
        path = model(lambda: op(tf.placeholder(tf.float32, [2]), name="half_only"))
        result = featherflow("inspect", path)
    finally:
        unregister_op("HalfOnly")
    assert result.status == 1
    assert section(result.lines, "Nodes without a kernel") == ["HalfOnly: half_only"]


def test_side_effects_are_named(featherflow, model) -> None:
    path = model(lambda: tf.py_func(abs, [tf.placeholder(tf.float32, [2])], tf.float32, name="f"))
    lines = featherflow("inspect", path).lines
    assert section(lines, "Ops that touch files, processes or Python") == ["PyFunc: f"]


def test_meta_graph_and_saved_model(featherflow, tmp_path) -> None:
    with tf.Graph().as_default() as graph:
        affine()
        tf.get_variable("v", [3], initializer=tf.zeros_initializer(), use_resource=False)
    meta = meta_graph_pb2.MetaGraphDef(graph_def=graph.as_graph_def())
    signature = meta.signature_def["serving_default"]
    signature.inputs["points"].name = "x:0"
    signature.inputs["points"].dtype = 1
    signature.outputs["mapped"].name = "y:0"
    (tmp_path / "model.meta").write_bytes(meta.SerializeToString())
    saved = saved_model_pb2.SavedModel(meta_graphs=[meta])
    (tmp_path / "saved_model.pb").write_bytes(saved.SerializeToString())
    for path, kind in ((tmp_path / "model.meta", "MetaGraphDef"), (tmp_path, "SavedModel")):
        result = featherflow("inspect", path)
        assert result.status == 0
        assert result.lines[1].split() == ["kind", kind]
        signatures = [line.split()[:3] for line in section(result.lines, "Signatures")]
        assert signatures == [
            ["serving_default"],
            ["<-", "points", "x:0"],
            ["->", "mapped", "y:0"],
        ]
        parameters = section(result.lines, "Parameters")
        assert parameters[-1] == "1 variables, whose values are not in this file"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.pb", b"hello", "is no GraphDef, in binary or in text form"),
        ("a.pb", b"\xff\xfe\x00", "is no GraphDef in binary form"),
        ("a.pb", b"", "holds no nodes"),
        ("a.pbtxt", b"node { name: 1 }", "is no GraphDef"),
        ("a.meta", b"", "is a MetaGraphDef without nodes"),
        ("saved_model.pb", b"", "is a SavedModel without graphs"),
    ],
)
def test_refuses_what_is_no_model(featherflow, tmp_path, name, content, message) -> None:
    (tmp_path / name).write_bytes(content)
    result = featherflow("inspect", tmp_path / name)
    assert (result.status, result.out) == (2, "")
    assert message in result.err
    assert len(result.err.splitlines()) == 1


def test_refuses_missing_files_and_other_folders(featherflow, tmp_path) -> None:
    assert "No such file" in featherflow("inspect", tmp_path / "none.pb").err
    assert "without saved_model.pb" in featherflow("inspect", tmp_path).err


def test_damaged_model_is_reported_as_far_as_possible(featherflow, tmp_path) -> None:
    message = graph_pb2.GraphDef()
    node = message.node.add(name="y", op="Relu", input=["missing"])
    node.attr["T"].type = 1
    (tmp_path / "a.pb").write_bytes(message.SerializeToString())
    result = featherflow("inspect", tmp_path / "a.pb")
    assert result.status == 2
    assert "Unknown input node 'missing'" in result.err
    assert "1  Relu" in result.out


def test_many_nodes_are_summed_up(featherflow, model) -> None:
    def build() -> None:
        for index in range(30):
            tf.constant(0.0, name=f"c{index}") + 1.0

    outputs = section(featherflow("inspect", model(build)).lines, "Outputs")
    assert len(outputs) == 21
    assert outputs[-1] == "and 10 more"

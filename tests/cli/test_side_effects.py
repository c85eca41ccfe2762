"""Ops that touch files, processes or Python run only where the user allows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import featherflow as tf
from featherflow.framework.op import Op, define_op, find_op, unregister_op
from featherflow.framework.shape_inference import unchanged_shape
from featherflow.protos import graph_pb2

OPTION = "--allow-side-effects"

#: TensorFlow's ops that read or write files or call Python.
TOUCHING = (
    "EagerPyFunc",
    "FixedLengthRecordReader",
    "FixedLengthRecordReaderV2",
    "LoadDataset",
    "MatchingFiles",
    "MergeV2Checkpoints",
    "PrintV2",
    "PyFunc",
    "PyFuncStateless",
    "ReadFile",
    "Restore",
    "RestoreSlice",
    "RestoreV2",
    "Save",
    "SaveDataset",
    "SaveSlices",
    "SaveV2",
    "TFRecordReader",
    "TFRecordReaderV2",
    "TextLineReader",
    "TextLineReaderV2",
    "WholeFileReader",
    "WholeFileReaderV2",
    "WriteFile",
)


@pytest.mark.parametrize("name", TOUCHING)
def test_ops_that_touch_the_world_say_so(name: str) -> None:
    op = find_op(name)
    assert op is None or op.touches_world


@pytest.fixture
def touched() -> Iterator[list[str]]:
    """An op "Touch" that notes each of its runs in the list that this is."""
    notes: list[str] = []
    op: Op = define_op(
        "Touch", inputs=("x: float",), outputs=("y: float",), is_stateful=True, touches_world=True
    )
    op.shape_fn(unchanged_shape)

    @op.kernel("CPU")
    def _touch_cpu(x: np.ndarray) -> np.ndarray:
        notes.append("ran")
        return x

    yield notes
    unregister_op("Touch")


def touching_model() -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    tf.exp(x, name="clean")
    op = find_op("Touch")
    assert op is not None
    tf.log(op(x, name="world"), name="dirty")


REFUSAL = "these nodes touch files, processes or Python: Touch 'world'. Pass --allow-side-effects"


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_models(featherflow, model, touched, command: str) -> None:
    path = model(touching_model)
    refused = featherflow(command, path, "--input", "[1, 1]")
    assert (refused.status, refused.out) == (2, "")
    assert REFUSAL in refused.err
    assert touched == []
    pruned = featherflow(command, path, "--input", "[1, 1]", "--output", "clean")
    assert (pruned.status, touched) == (0, [])
    allowed = featherflow(command, path, "--input", "[1, 1]", OPTION)
    assert (allowed.status, allowed.err, touched) == (0, "", ["ran"])


def test_inspect_runs_nothing(featherflow, model, touched) -> None:
    assert featherflow("inspect", model(touching_model)).status == 0
    assert touched == []


def test_scripts(featherflow, tmp_path: Path, touched) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import tensorflow.compat.v1 as tf\n"
        "y = tf.raw_ops.Touch(x=tf.constant([1.0]), name='world')\n"
        "with tf.Session() as sess:\n"
        "    try: print(sess.run(y))\n"
        "    except tf.errors.OpError: print('went on')\n"
    )
    refused = featherflow("explain", script)
    assert (refused.status, refused.out) == (2, "")
    assert REFUSAL in refused.err
    assert touched == []
    allowed = featherflow("explain", OPTION, script)
    assert (allowed.status, allowed.lines[0], touched) == (0, "[1.]", ["ran"])


def test_functions_are_looked_into(featherflow, tmp_path: Path, touched) -> None:
    """x → call of a function by name, in which a function is called that touches the world."""
    message = graph_pb2.GraphDef()
    node = message.node.add(name="x", op="Placeholder")
    node.attr["dtype"].type = 1
    node.attr["shape"].shape.dim.add(size=2)
    for name, inner in (("outer", "inner"), ("inner", "Touch")):
        function = message.library.function.add()
        function.signature.name = name
        function.signature.input_arg.add(name="a", type=1)
        function.signature.output_arg.add(name="b", type=1)
        function.node_def.add(name=f"in_{name}", op=inner, input=["a"])
        function.ret["b"] = f"in_{name}:{'b' if inner == 'inner' else 'y'}:0"
    message.node.add(name="call", op="outer", input=["x"])
    path = tmp_path / "model.pb"
    path.write_bytes(message.SerializeToString())
    refused = featherflow("predict", path, "--input", "[1, 1]")
    assert refused.status == 2
    assert "Touch 'in_inner'" in refused.err
    assert touched == []
    allowed = featherflow("predict", path, "--input", "[1, 1]", OPTION)
    assert (allowed.lines, touched) == (["call:0  float32  (2,)", "  [1. 1.]"], ["ran"])

"""`featherflow explain SCRIPT.py | MODEL`: what ran, where, by which kernel, for how long."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import featherflow as tf
from featherflow.cli import recording
from featherflow.protos import graph_pb2
from featherflow.runtime.direct_session import DirectSession

from .conftest import affine

SCRIPT = """\
import sys
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [2], name="x")
w = tf.Variable([1.0, 2.0], name="w")
y = tf.multiply(x, w, name="y")
unused = tf.exp(y, name="unused")
with tf.device("/cpu:0"):
    total = tf.reduce_sum(y, name="total")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        print(sess.run(total, {x: [1.0, 1.0]}))
print(sys.argv[1:])
"""


@pytest.fixture
def script(tmp_path: Path):
    def write(text: str = SCRIPT) -> Path:
        path = tmp_path / "program.py"
        path.write_text(text)
        return path

    return write


def steps(out: str) -> list[list[str]]:
    """The lines of each step."""
    return [part.splitlines() for part in re.split(r"\n(?=step \d)", out)[1:]]


def rows(lines: list[str], kind: str) -> dict[str, list[str]]:
    """Node → the words behind it, of the lines of a kind."""
    found = [line.split() for line in lines if line.startswith(f"  {kind} ")]
    return {words[1].rstrip(":"): words[2:] for words in found}


def test_script(featherflow, script) -> None:
    path = script()
    result = featherflow("explain", path, "--epochs", "2")
    assert (result.status, result.err) == (0, "")
    # The program's own output comes first.
    assert result.lines[:4] == ["3.0", "3.0", "3.0", "['--epochs', '2']"]
    first, second = steps(result.out)
    assert first[0] == "step 1: fetches init"
    assert second[0] == "step 2: fetches total:0"
    assert "run 3 times" in second[1]
    kept = rows(second, "kept")
    assert set(kept) == {"w", "w/read", "y", "Const", "total"}
    assert kept["total"][0] == "Sum"
    assert kept["total"][1:5] == ["CPU:0,", "the", "only", "device"]
    assert re.match(r"featherflow/ops/sum_ops\.py:\d+$", kept["total"][5])
    assert re.match(r"\d+\.\d{3}$", kept["total"][6])
    assert kept["total"][-1] == f"{path}:9"
    assert kept["Const"][5:8] == ["constant:", "part", "of"]
    assert rows(second, "fed") == {"x:0": []}
    pruned = rows(second, "pruned")
    assert pruned["unused"] == ["no", "fetch", "needs", "it"]
    assert pruned["x"] == ["it", "is", "fed"]


def test_pruned_nodes_are_summed_up(featherflow, script) -> None:
    text = SCRIPT.replace("unused = ", "for i in range(20): ")
    short = steps(featherflow("explain", script(text)).out)[1]
    assert re.match(r"  pruned  and \d+ more", short[-1])
    full = steps(featherflow("explain", "--all", script(text)).out)[1]
    assert len(rows(full, "pruned")) > 20


def test_times_of_loops_and_untaken_branches(featherflow, script) -> None:
    text = (
        "import tensorflow as tf\n"
        "n = tf.constant(4)\n"
        "i = tf.while_loop(lambda i: i < n, lambda i: tf.add(i, 1, name='next'), [0])\n"
        "z = tf.cond(i > 3, lambda: tf.exp(1.0, name='yes'), lambda: tf.log(1.0, name='no'))\n"
        "with tf.Session() as sess: sess.run(z)\n"
    )
    (step,) = steps(featherflow("explain", script(text)).out)
    kept = rows(step, "kept")
    assert " ".join(kept["while/next"]).count("in 4 runs") == 1
    assert "not run" in " ".join(kept["cond/no"])
    assert "not run" not in " ".join(kept["cond/yes"])


def test_device_and_reason(featherflow, script) -> None:
    text = (
        "import tensorflow.compat.v1 as tf\n"
        "with tf.device('/cpu:1'):\n"
        "    a = tf.constant([1.0], name='a')\n"
        "    b = tf.exp(a, name='b')\n"
        "c = tf.exp(b, name='c')\n"
        "config = tf.ConfigProto(device_count={'CPU': 2})\n"
        "with tf.Session(config=config) as sess: sess.run(c)\n"
    )
    (step,) = steps(featherflow("explain", script(text)).out)
    kept = rows(step, "kept")
    assert kept["b"][1:4] == ["CPU:1,", "asked", "for"]
    assert kept["c"][1:4] == ["CPU:0,", "the", "default:"]


def test_failing_script_is_explained_as_far_as_it_came(featherflow, script) -> None:
    result = featherflow("explain", script(SCRIPT.replace("range(3)", "(1, None, x)[:1]") + "1/0"))
    assert result.status == 1
    assert "ZeroDivisionError" in result.err
    assert len(steps(result.out)) == 2
    assert featherflow("explain", script("raise SystemExit(0)")).status == 0
    stopped = featherflow("explain", script("raise SystemExit(3)"))
    assert (stopped.status, stopped.out) == (1, "No session ran anything.\n")


def test_failing_step(featherflow, script) -> None:
    text = (
        "import tensorflow as tf\n"
        "v = tf.Variable(1.0, use_resource=False)\n"
        "with tf.Session() as sess:\n"
        "    try: sess.run(v)\n"
        "    except tf.errors.FailedPreconditionError: print('caught')\n"
    )
    result = featherflow("explain", script(text))
    assert (result.status, result.lines[0]) == (0, "caught")
    assert len(steps(result.out)) == 1


def test_programs_that_trace_themselves(featherflow, script) -> None:
    text = (
        "import tensorflow.compat.v1 as tf\n"
        "metadata = tf.RunMetadata()\n"
        "options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)\n"
        "y = tf.exp(tf.placeholder(tf.float32, [], name='x'))\n"
        "with tf.Session() as sess:\n"
        "    sess.run(y, {'x:0': 1.0}, options=options, run_metadata=metadata)\n"
        "    sess.run(y, {'x:0': 1.0})\n"
        "print(len(metadata.step_stats.dev_stats))\n"
    )
    result = featherflow("explain", script(text))
    assert result.lines[0] == "1"
    assert "run 2 times" in result.out
    assert re.search(r"kept    Exp .* \d+\.\d{3} ms", result.out)


def test_number_of_steps_is_bounded(featherflow, script, monkeypatch) -> None:
    monkeypatch.setattr(recording, "MAX_STEPS", 2)
    text = (
        "import tensorflow.compat.v1 as tf\n"
        "c = [tf.constant(i) for i in range(5)]\n"
        "with tf.Session() as sess: print([int(sess.run(t)) for t in c])\n"
    )
    result = featherflow("explain", script(text))
    assert result.lines[0] == "[0, 1, 2, 3, 4]"
    assert len(steps(result.out)) == 2
    assert result.lines[-1] == "3 more steps, with other fetches or feeds, are left out."


def test_sessions_are_ordinary_again_afterwards(featherflow, script) -> None:
    featherflow("explain", script())
    with tf.Graph().as_default(), tf.Session() as sess:
        assert type(sess._session) is DirectSession


# --- models ---------------------------------------------------------------------------------------


def test_model(featherflow, model) -> None:
    result = featherflow("explain", model(affine))
    assert (result.status, result.err) == (0, "")
    (step,) = steps("\n" + result.out.lstrip())
    assert step[0] == "step 1: fetches y:0"
    kept = rows(step, "kept")
    assert set(kept) == {"w", "MatMul", "y/y", "y"}
    assert "made at" not in result.out
    assert re.match(r"featherflow/ops/matmul_ops\.py:\d+$", kept["MatMul"][5])


def test_model_with_inputs_and_outputs(featherflow, model) -> None:
    path = model(affine)
    result = featherflow("explain", path, "--output", "MatMul", "--input", "x=[[1, 2]]")
    assert "step 1: fetches MatMul:0" in result.out
    assert rows(result.lines, "pruned").keys() == {"x", "y/y", "y"}
    wrong = featherflow("explain", path, "--output", "nothing")
    assert wrong.status == 2


def test_nodes_of_functions_are_called(featherflow, tmp_path: Path) -> None:
    message = graph_pb2.GraphDef()
    node = message.node.add(name="x", op="Placeholder")
    node.attr["dtype"].type = 1
    function = message.library.function.add()
    function.signature.name = "f"
    function.signature.input_arg.add(name="a", type=1)
    function.signature.output_arg.add(name="b", type=1)
    inner = function.node_def.add(name="inner", op="Exp", input=["a"])
    inner.attr["T"].type = 1
    function.ret["b"] = "inner:y:0"
    message.node.add(name="call", op="f", input=["x"])
    path = tmp_path / "model.pb"
    path.write_bytes(message.SerializeToString())
    result = featherflow("explain", path)
    assert rows(result.lines, "kept").keys() == {"call"}
    called = rows(result.lines, "called")["inner"]
    assert called[0] == "Exp"
    assert re.match(r"featherflow/ops/exponential_ops\.py:\d+$", called[1])


def test_inputs_are_made_up(featherflow, model) -> None:
    def build() -> None:
        inputs = [
            tf.placeholder(tf.float32, [None, 3]),
            tf.cast(tf.placeholder(tf.int64, [2]), tf.float32),
            tf.cast(tf.placeholder(tf.bool), tf.float32),
        ]
        tf.identity(tf.placeholder(tf.string, [None]), name="text")
        tf.add_n([tf.reduce_sum(item) for item in inputs], name="total")

    result = featherflow("explain", model(build))
    assert (result.status, result.err) == (0, "")
    assert "step 1: fetches text:0, total:0" in result.out

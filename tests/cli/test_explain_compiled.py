"""`featherflow explain MODEL --compiled`: passes, clusters, kernel calls, memory, one kernel."""

from __future__ import annotations

import re

import numpy as np
import pytest

import featherflow as tf
from featherflow.compiler import executable_memory
from featherflow.compiler.kernel_spec import parse_spec

from .conftest import affine
from .test_compile import network

pytest.importorskip("llvmlite")
pytestmark = [
    pytest.mark.skipif(
        executable_memory.refusal() is not None, reason="this system runs no generated code"
    ),
    pytest.mark.slow,
]

#: row, µs, GFLOP/s, share of the peak, phase, threads, calls, family, node
ROW = re.compile(r" *(\d+) +([\d.]+) +([\d.]+) +(\d+)% +(\d+) +(\d+) +\d+  (\w+) +(\S+)")


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FEATHERFLOW_NUM_THREADS", "1")


def part(out: str, title: str) -> list[str]:
    """The lines below the line that starts with a title, to the next empty one."""
    lines = out.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(title)) + 1
    end = lines.index("", start) if "" in lines[start:] else len(lines)
    return lines[start:end]


def test_report(featherflow, model) -> None:
    result = featherflow("explain", model(network), "--compiled")
    assert (result.status, result.err) == (0, "")
    passes = {line.split()[0]: line for line in part(result.out, "Passes")}
    assert "changes, " in passes["constant_folding"]
    clusters = part(result.out, "Clusters")
    assert clusters[0].split()[1:] == ["4", "nodes,", "1", "inputs,", "1", "outputs"]
    assert "Nodes left to NumPy: 0" in clusters

    rows = [ROW.match(line) for line in part(result.out, "Kernel calls")]
    calls = [row.groups() for row in rows if row]
    assert [(call[0], call[6], call[7]) for call in calls] == [
        ("0", "conv2d", "Relu"),
        ("1", "pool2d", "y"),
    ]
    assert re.search(r"measured peak is [\d.]+ GFLOP/s", result.out)
    memory = dict(line.rsplit(None, 1) for line in part(result.out, "Memory") if " MB" not in line)
    weights = (3 * 3 * 3 * 8 + 8) * 4 / 1e6
    assert float(memory["  constants of the model"]) == pytest.approx(weights, abs=6e-4)
    assert float(memory["  packed copies"]) >= round(3 * 3 * 3 * 8 * 4 / 1e6, 3)
    assert "3 kernels for" in result.out


def test_passes_tell_what_they_changed_with_all(featherflow, model) -> None:
    def build() -> None:
        x = tf.placeholder(tf.float32, [2, 2], name="x")
        tf.add(x, tf.add(tf.ones([2, 2]), tf.ones([2, 2]), name="folded"), name="y")

    short = part(featherflow("explain", model(build), "--compiled").out, "Passes")
    lines = part(featherflow("explain", model(build), "--compiled", "--all").out, "Passes")
    assert not any("folded" in line for line in short)
    assert any("folded" in line for line in lines)
    assert set(short) < set(lines)


def test_nodes_left_to_numpy(featherflow, model) -> None:
    def build() -> None:
        x = tf.placeholder(tf.float32, [4, 4], name="x")
        inverse = tf.linalg.inv(tf.exp(x, name="before"), name="inverse")
        tf.identity(tf.tanh(inverse, name="after"), name="y")

    out = featherflow("explain", model(build), "--compiled").out
    clusters = part(out, "Clusters")
    assert [line.split()[0] for line in clusters[:2]] == ["cluster_1", "cluster_2"]
    assert "Nodes left to NumPy: 1" in clusters
    assert any(line.startswith("  inverse (MatrixInverse): ") for line in clusters)
    nodes = [row.group(8) for row in map(ROW.match, part(out, "Kernel calls")) if row]
    assert nodes[0] == "before"
    assert len(nodes) >= 2


def test_kernel(featherflow, model) -> None:
    path = model(affine)
    nest = featherflow("explain", path, "--compiled", "--kernel", 0)
    assert nest.status == 0
    spec, purpose, call = nest.lines
    assert parse_spec(spec).family == "matmul"
    assert purpose.startswith("for y, in phase 0, ")
    assert "input 0+0" in call and "output 0+0" in call
    ir = featherflow("explain", path, "--kernel", 0, "--show", "ir")
    assert "define i64 @kernel(ptr noalias readonly %arguments)" in ir.out
    assembly = featherflow("explain", path, "--kernel", 0, "--show", "asm")
    assert re.search(r"^kernel:", assembly.out, re.MULTILINE)


def test_no_such_kernel(featherflow, model) -> None:
    result = featherflow("explain", model(affine), "--compiled", "--kernel", "7")
    assert (result.status, result.out) == (2, "")
    assert "there is no row 7: they go from 0 to 0." in result.err


@pytest.mark.parametrize("target", ["relu", "nothing.py"])
def test_only_models_are_compiled(featherflow, target: str) -> None:
    for option in (["--compiled"], ["--kernel", "0"]):
        result = featherflow("explain", *option, target)
        assert (result.status, result.out) == (2, "")
        assert f"'{target}' is no model" in result.err


def test_a_step_that_is_not_compiled(featherflow, model) -> None:
    def strings() -> None:
        tf.strings.join([tf.placeholder(tf.string, [], name="x"), tf.constant("!")], name="y")

    result = featherflow("explain", model(strings), "--compiled")
    assert (result.status, result.out) == (2, "")
    assert "nothing of this step is compiled" in result.err


def test_a_step_whose_rules_all_refuse(featherflow, model) -> None:
    def build() -> None:
        tf.add(tf.placeholder(tf.complex64, [2], name="x"), np.complex64(1j), name="y")

    result = featherflow("explain", model(build), "--compiled")
    assert result.status == 0, result.err
    clusters = part(result.out, "Clusters")
    assert clusters[0] == "  none"
    assert "  y (AddV2): a dtype that is not compiled" in clusters
    assert "Kernel calls" not in result.out

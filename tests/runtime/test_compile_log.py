"""FEATHERFLOW_LOG: the stages of a compiled step, as messages."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

import featherflow as tf
from featherflow.compiler import executable_memory
from featherflow.runtime import compile_log, pass_log

compiles = pytest.mark.skipif(
    executable_memory.refusal() is not None, reason="this system runs no generated code"
)


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """All that is logged, with the level of FEATHERFLOW_LOG=5 unless a test says otherwise."""
    monkeypatch.setenv("FEATHERFLOW_COMPILE", "2")
    found: list[str] = []

    class Keeper(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(record.getMessage())

    logger = pass_log.logger
    level, handlers, propagate = logger.level, logger.handlers[:], logger.propagate
    logger.handlers[:] = [Keeper()]
    pass_log.configure("5")
    yield found
    logger.setLevel(level)
    logger.handlers[:], logger.propagate = handlers, propagate


def run_step() -> None:
    """relu(x · w + 1 + 1), where the sum of the ones is folded."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        ones = tf.add(tf.ones([4]), tf.ones([4]), name="ones")
        y = tf.nn.relu(tf.matmul(x, tf.ones([4, 16])[:, :4]) + ones, name="y")
        session.run(y, {x: np.ones((2, 4), np.float32)})


@compiles
def test_stages_and_details(messages: list[str]) -> None:
    pytest.importorskip("llvmlite")
    run_step()
    starts = ("passes: ", "level 2: ", "specialised for [2, 4]: ", "asked for ", "took over for ")
    found = [next(text for text in messages if text.startswith(start)) for start in starts]
    assert [messages.index(text) for text in found] == sorted(map(messages.index, found))
    assert any(text.startswith("  constant_folding: ") and "ones" in text for text in messages)
    groups = next(text for text in messages if text.startswith("groups of level 2:\n"))
    assert "0 contract  y → float32[2,4]: Contracted, Map add, Map relu" in groups
    calls = next(text for text in messages if text.startswith("calls of level 2:\n"))
    assert "phase 0 on 1: y: matmul(" in calls


@compiles
def test_level_4_tells_stages_alone(messages: list[str]) -> None:
    pytest.importorskip("llvmlite")
    pass_log.configure("4")
    run_step()
    assert any(text.startswith("took over for [2, 4]") for text in messages)
    assert not any("\n" in text or text.startswith("  ") for text in messages)


@compiles
def test_why_a_step_stays_on_numpy(messages: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Job:
        state, error, spec_text = "failed", "no compiler today", "matmul()"

    compile_log.settled([(2, 4)], [Job()])  # type: ignore[list-item]
    assert messages[0] == "stays on NumPy for [2, 4]: no compiler today"
    assert "matmul()" in messages[1]


def test_reasons_are_details(messages: list[str]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.complex64, [2], name="x")
        session.run(tf.add(x, np.complex64(1j), name="y"), {x: np.ones(2, np.complex64)})
    assert "  y: a dtype that is not compiled" in messages
    assert any("clusters: none; 1 left to NumPy" in text for text in messages)


@pytest.mark.slow
@pytest.mark.parametrize("wish", ["", "1", "4"])
def test_the_variable(wish: str) -> None:
    code = (
        "import featherflow as tf\n"
        "with tf.Session() as session:\n"
        "    session.run(tf.exp(tf.placeholder_with_default([1.0], [1])))\n"
    )
    environment = {**os.environ, "FEATHERFLOW_LOG": wish}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    lines = done.stderr.splitlines()
    assert all(line.startswith("featherflow: ") for line in lines), lines
    assert bool(lines) == (wish == "4")

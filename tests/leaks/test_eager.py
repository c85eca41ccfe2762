"""Functions, traces and tapes give back what they took.

The programs run in processes of their own: `test_eager.py NAME COUNT`.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import featherflow as tf

#: Growth allowed after the warm-up, in MB.
ALLOWED_MB = 2.0


def resident() -> float:
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def functions(count: int) -> None:
    """Functions that are traced, called, differentiated and dropped."""
    w = tf.Variable(2.0)
    for number in range(count):
        f = tf.function(lambda x, k=float(number): x * w * k if x > 0 else x)
        with tf.GradientTape() as tape:
            y = f(tf.constant(1.0))
        tape.gradient(y, w)


def shapes(count: int) -> None:
    """One function that is called with ever other shapes: its traces have a bound."""
    f = tf.function(lambda x: tf.reduce_sum(x * 2.0))
    for size in range(count):
        f(tf.zeros([size]))
    assert f.cache_info().size <= f.cache_info().max_size


def tapes(count: int) -> None:
    """Tapes, used and dropped."""
    w = tf.Variable([1.0, 2.0])
    for _ in range(count):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.tanh(w * w))
        tape.gradient(y, w)


def calls(count: int) -> None:
    """Ops with ever other attributes: bound kernels have a bound."""
    x = tf.zeros([4, 4])
    for number in range(count):
        tf.nn.leaky_relu(x, alpha=number / 1e6)
        tf.transpose(x)[: number % 4]


PROGRAMS: dict[str, tuple[Callable[[int], None], int, int]] = {
    "functions": (functions, 60, 1_000),
    "shapes": (shapes, 300, 2_000),
    "tapes": (tapes, 1_000, 10_000),
    "calls": (calls, 2_000, 10_000),
}


def main(name: str, count: int) -> None:
    program, few, _ = PROGRAMS[name]
    program(max(few, 300))
    program(max(few, 300))
    before = resident()
    program(count)
    growth = resident() - before
    print(f"{growth:.2f}")
    sys.exit(growth > ALLOWED_MB)


@pytest.mark.parametrize("name", PROGRAMS)
def test_memory_stays(name: str, request: pytest.FixtureRequest) -> None:
    _, few, many = PROGRAMS[name]
    count = many if request.config.getoption("--all") else few
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, __file__, name, str(count)],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin", "FEATHERFLOW_COMPILE": "0"},
    )
    assert done.returncode == 0, f"{name}: grew by {done.stdout.strip()} MB {done.stderr[-500:]}"


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

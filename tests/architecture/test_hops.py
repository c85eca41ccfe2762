"""Between `Session.run` and the kernel stand at most five frames of featherflow."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import featherflow as tf
from featherflow.cli import explain_op
from featherflow.framework.op import define_op, unregister_op
from featherflow.framework.shape_inference import unchanged_shape

PACKAGE = str(Path(tf.__file__).parent)
MAX_FRAMES = 5


@pytest.fixture
def probe():
    """An op whose kernel notes the stack that it is called from."""
    op = define_op("StackProbe", inputs=("x: float",), outputs=("y: float",))
    op.shape_fn(unchanged_shape)
    stacks: list[list[str]] = []

    @op.kernel("CPU")
    def _stack_probe_cpu(x: np.ndarray) -> np.ndarray:
        frames = []
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
            frames.append(f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}")
            frame = frame.f_back
        stacks.append(frames)
        return x

    op.not_differentiable("it only looks")
    yield op, stacks
    unregister_op("StackProbe")


def test_session_run_to_kernel(probe) -> None:
    op, stacks = probe
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [2])
        sess.run(op(x), {x: [1.0, 2.0]})
    frames = stacks[-1]
    assert frames[-1] == "session.run"
    # The kernel itself is a frame more.
    assert len(frames) + 1 <= MAX_FRAMES, frames


@pytest.mark.parametrize(
    ("name", "kernel"),
    [("conv2d", "_conv2d_cpu"), ("tf.nn.conv2d", "_conv2d_cpu"), ("Conv2D", "_conv2d_cpu")],
)
def test_explain_shows_two_hops(name: str, kernel: str) -> None:
    lines = explain_op.describe(name)
    assert lines is not None
    hops = [line for line in lines if line.strip().startswith(("1.", "2."))]
    assert "featherflow/ops/conv_ops.py:" in hops[0] and "conv2d, the public function" in hops[0]
    assert "featherflow/ops/conv_ops.py:" in hops[1] and kernel in hops[1]

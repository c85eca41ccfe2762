"""Type checkers see the public names: the stub of the root, and the files of the namespaces."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import featherflow as tf
x = tf.placeholder(tf.float32, [None, 4])
y = tf.nn.relu(tf.matmul(x, tf.constant(1.0, shape=[4, 4])) + 2)
z = tf.range(3)
with tf.Session() as sess:
    sess.run([y, z])
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pyright") is None, reason="pyright is not installed")
def test_a_program_checks(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    result = subprocess.run(
        ["pyright", "--pythonpath", sys.executable, str(tmp_path / "program.py")],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout

"""Sessions are recorded whichever part of the package is imported first."""

from __future__ import annotations

import subprocess
import sys


def test_recording_before_any_session_was_imported() -> None:
    program = """
from featherflow.cli.recording import recording
import featherflow as tf
with recording() as recorder:
    with tf.Session() as session:
        session.run(tf.constant(1.0))
with tf.Session() as session:
    session.run(tf.constant(2.0))
print(len(recorder.steps))
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["1"]

"""The command line in this process, and small models for it."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import featherflow as tf
from featherflow.cli import import_shim
from featherflow.cli.main import main
from featherflow.platform.flags import FLAGS


@dataclass
class Result:
    """What a command has printed, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


@pytest.fixture
def unchanged_process() -> Iterator[None]:
    """What a program changes of its process is put back."""
    argv, path, main_module = sys.argv, sys.path[:], sys.modules["__main__"]
    python_path = os.environ.get("PYTHONPATH")
    logger = logging.getLogger("tensorflow")
    handlers, level, propagate = logger.handlers[:], logger.level, logger.propagate
    flags = set(FLAGS)
    tf.reset_default_graph()
    yield
    sys.argv, sys.path[:], sys.modules["__main__"] = argv, path, main_module
    os.environ.pop("PYTHONPATH", None)
    if python_path is not None:
        os.environ["PYTHONPATH"] = python_path
    logger.handlers[:], logger.propagate = handlers, propagate
    logger.setLevel(level)
    for name in set(FLAGS) - flags:
        delattr(FLAGS, name)
    FLAGS.unparse_flags()
    import_shim.uninstall()
    tf.reset_default_graph()


@pytest.fixture
def featherflow(
    unchanged_process: None, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Result]:
    """`featherflow(*arguments)`: runs a command as the shell would."""

    def run(*arguments: Any) -> Result:
        capfd.readouterr()
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        captured = capfd.readouterr()
        return Result(status, captured.out, captured.err)

    return run


@pytest.fixture
def model(tmp_path: Path) -> Callable[..., Path]:
    """`model(build, text=False)`: the graph that `build` makes, as a file."""

    def write(build: Callable[[], Any], text: bool = False) -> Path:
        with tf.Graph().as_default() as graph:
            build()
        name = "model.pbtxt" if text else "model.pb"
        return Path(tf.io.write_graph(graph, str(tmp_path), name, as_text=text))

    return write


def affine() -> None:
    """y = x · [[1, 2], [3, 4]] + 10."""
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    tf.add(tf.matmul(x, tf.constant([[1.0, 2.0], [3.0, 4.0]], name="w")), 10.0, name="y")

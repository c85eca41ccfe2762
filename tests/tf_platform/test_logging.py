"""tf.logging: levels, text and counters."""

from __future__ import annotations

import logging as python_logging
from collections.abc import Iterator
from contextlib import contextmanager

import featherflow as tf


@contextmanager
def unused_logger() -> Iterator[python_logging.Logger]:
    """The logger as it is in a program that has not logged; pytest's own handlers are away."""
    logger, root = python_logging.getLogger("tensorflow"), python_logging.getLogger()
    saved = logger.handlers[:], logger.level, root.handlers[:]
    logger.handlers[:], root.handlers[:] = [], []
    logger.setLevel(python_logging.NOTSET)
    try:
        yield logger
    finally:
        logger.handlers[:], root.handlers[:] = saved[0], saved[2]
        logger.setLevel(saved[1])


def test_warnings_and_worse_by_default(capsys) -> None:
    with unused_logger():
        assert tf.logging.get_verbosity() == tf.logging.WARN == 30
        tf.logging.debug("no")
        tf.logging.info("no")
        tf.logging.warn("a %s", "warning")
        tf.logging.error("an error")
        tf.logging.fatal("the end")
        assert capsys.readouterr().err.splitlines() == [
            "WARNING:tensorflow:a warning",
            "ERROR:tensorflow:an error",
            "CRITICAL:tensorflow:the end",
        ]


def test_verbosity(capsys) -> None:
    with unused_logger():
        tf.logging.set_verbosity(tf.logging.INFO)
        tf.logging.info("step %d", 3)
        tf.logging.log(tf.logging.DEBUG, "no")
        tf.logging.vlog(1, "no")
        tf.logging.set_verbosity("DEBUG")
        tf.logging.log(tf.logging.DEBUG, "yes")
        tf.logging.log_if(tf.logging.INFO, "if", True)
        tf.logging.log_if(tf.logging.INFO, "not", False)
        tf.logging.TaskLevelStatusMessage("task")
        tf.logging.flush()
        assert capsys.readouterr().err.splitlines() == [
            "INFO:tensorflow:step 3",
            "DEBUG:tensorflow:yes",
            "INFO:tensorflow:if",
            "ERROR:tensorflow:task",
        ]


def test_counters(capsys) -> None:
    with unused_logger():
        for i in range(5):
            tf.logging.log_every_n(tf.logging.WARN, "every %d", 2, i)
            tf.logging.log_first_n(tf.logging.WARN, "first %d", 2, i)
        lines = [line.rpartition(":")[2] for line in capsys.readouterr().err.splitlines()]
        assert lines == ["every 0", "first 0", "first 1", "every 2", "every 4"]


def test_a_programs_own_logging_is_respected(capsys) -> None:
    with unused_logger() as logger:
        seen: list[str] = []
        handler = python_logging.Handler()
        handler.emit = lambda record: seen.append(record.getMessage())  # type: ignore[method-assign]
        python_logging.getLogger().addHandler(handler)
        python_logging.getLogger("tensorflow").setLevel(python_logging.ERROR)
        tf.logging.warning("no")
        tf.logging.error("yes")
        assert seen == ["yes"]
        assert capsys.readouterr().err == ""
        assert logger.handlers == []

"""tf.logging: messages to stderr through Python's logger "tensorflow", WARN and worse by default.

Programs also reach the logger by its name, `logging.getLogger("tensorflow").setLevel(…)`, so it
keeps TensorFlow's.
"""

from __future__ import annotations

import itertools
import logging
import sys
from collections import defaultdict
from typing import Any

from featherflow.framework.exports import export, export_v1, export_value

DEBUG = logging.DEBUG
INFO = logging.INFO
WARN = logging.WARNING
ERROR = logging.ERROR
FATAL = logging.CRITICAL

for _name in ("DEBUG", "INFO", "WARN", "ERROR", "FATAL"):
    export_value(__name__, _name, f"logging.{_name}", v1_only=True)

_LOGGER_NAME = "tensorflow"
#: Place in the program → how often `log_every_n` or `log_first_n` came by.
_passes: defaultdict[tuple[str, int], itertools.count] = defaultdict(itertools.count)


class _StandardError(logging.StreamHandler):
    """Writes to what `sys.stderr` is at the time of the message."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)
        self.setFormatter(logging.Formatter(logging.BASIC_FORMAT))

    @property
    def stream(self) -> Any:
        return sys.stderr


def _logger() -> logging.Logger:
    """The logger, with a level, and a handler unless the program's own logging has one."""
    logger = logging.getLogger(_LOGGER_NAME)
    if logger.level == logging.NOTSET:
        logger.setLevel(WARN)
    if not logger.handlers and not logging.getLogger().handlers:
        logger.addHandler(_StandardError())
    return logger


@export("get_logger")
def get_logger() -> logging.Logger:
    """The logger that `tf.logging` writes to, called "tensorflow"."""
    return _logger()


@export_v1("logging.log")
def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at a level."""
    _logger().log(level, msg, *args, **kwargs)


@export_v1("logging.debug")
def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at DEBUG."""
    _logger().debug(msg, *args, **kwargs)


@export_v1("logging.info")
def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at INFO."""
    _logger().info(msg, *args, **kwargs)


@export_v1("logging.warn", "logging.warning")
def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at WARN."""
    _logger().warning(msg, *args, **kwargs)


@export_v1("logging.error")
def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at ERROR."""
    _logger().error(msg, *args, **kwargs)


@export_v1("logging.fatal")
def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at FATAL; the program goes on."""
    _logger().critical(msg, *args, **kwargs)


@export_v1("logging.vlog")
def vlog(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Logs at a level given as a number."""
    _logger().log(level, msg, *args, **kwargs)


@export_v1("logging.log_if")
def log_if(level: int, msg: Any, condition: Any, *args: Any) -> None:
    """Logs if `condition` holds."""
    if condition:
        _logger().log(level, msg, *args)


@export_v1("logging.log_every_n")
def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs on the first call from a line of the program, and on every `n`-th after it."""
    if _count_pass() % n == 0:
        _logger().log(level, msg, *args)


@export_v1("logging.log_first_n")
def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Logs on the first `n` calls from a line of the program."""
    if _count_pass() < n:
        _logger().log(level, msg, *args)


def _count_pass() -> int:
    """How often the line of the program that called the caller has done so before."""
    frame = sys._getframe(2)
    return next(_passes[frame.f_code.co_filename, frame.f_lineno])


@export_v1("logging.TaskLevelStatusMessage")
def task_level_status_message(msg: Any) -> None:
    """Logs a message about the task as a whole, at ERROR."""
    _logger().error(msg)


@export_v1("logging.set_verbosity")
def set_verbosity(v: int | str) -> None:
    """Logs messages of level `v` and worse from now on."""
    _logger().setLevel(v)


@export_v1("logging.get_verbosity")
def get_verbosity() -> int:
    """The level from which on messages are logged."""
    return _logger().getEffectiveLevel()


@export_v1("logging.flush")
def flush() -> None:
    """Writes out what handlers still hold."""
    for handler in _logger().handlers:
        handler.flush()

"""The mode of a program: whether its ops build the default graph (TF1) or run at once (TF2).

    undecided ── first TF1-only name that is used ─────────────► graph
        │  └──── tf.enable_eager_execution(), …_v2_behavior() ──► eager
        └─────── tf.disable_eager_execution(), …_v2_behavior() ─► graph

A program starts undecided, and its ops run at once. Before the first of them, the source of the
main program is looked at (`program_source.py`): one that uses TF1-only names outside of its own
`tf.Graph()` blocks is a program for graphs from the start. Where there is no source to read, as in
an interactive session, the first use of a TF1-only name decides. What has run at once by then is
the same in a graph if it had no state; otherwise an error names the line that was first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from enum import Enum

from featherflow.framework import dispatch
from featherflow.framework.errors import FailedPreconditionError
from featherflow.framework.program_source import builds_graphs


class Mode(Enum):
    """See the module."""

    UNDECIDED = "undecided"
    EAGER = "eager"
    GRAPH = "graph"


_mode = Mode.UNDECIDED
_source_is_read = False
#: The first op with state that ran while undecided, and the user's line: "Assign at a.py:3".
_first_effect = ""
_listeners: list[Callable[[], None]] = []


def current() -> Mode:
    """The mode; reads the main program the first time."""
    if not _source_is_read:
        _read_source()
    return _mode


def is_graph() -> bool:
    """Whether ops build the default graph."""
    return current() is Mode.GRAPH


def is_undecided() -> bool:
    """Whether the next TF1-only name may still make this a program for graphs."""
    return _mode is Mode.UNDECIDED


def is_inside_graph() -> bool:
    """Whether a block has entered a graph: what is named inside does not decide."""
    return is_undecided() and any(not item.is_eager for item in dispatch.entered_contexts())


def on_change(listener: Callable[[], None]) -> None:
    """`listener()` is called whenever the mode has changed."""
    _listeners.append(listener)


def choose(mode: Mode) -> None:
    """Chooses the mode, as the program says itself."""
    global _mode, _source_is_read
    _source_is_read = True
    if mode is _mode:
        return
    _mode = mode
    dispatch.reset_default_context()
    for listener in _listeners:
        listener()


def note_effect(what: str) -> None:
    """An op with state has run at once: `what` names it and the user's line."""
    global _first_effect
    _first_effect = _first_effect or what


def tf1_name_used(name: str) -> None:
    """A TF1-only name of the root is used: an undecided program is one for graphs.

    Raises:
      FailedPreconditionError: ops with state have run at once already; names the first.
    """
    if current() is not Mode.UNDECIDED:
        return
    if _first_effect:
        raise FailedPreconditionError(
            None,
            None,
            f"tf.{name} belongs to programs that build graphs, but ops of this program have run at "
            "once, and what they did would be done again in each step of a graph",
            received=f"first {_first_effect}",
            remedy="Write tf.disable_v2_behavior() at the top of the program, or use "
            f"tf.compat.v1.{name} in a tf.Graph().as_default() block.",
        )
    choose(Mode.GRAPH)


def _read_source() -> None:
    """Decides by the main program's file, if there is one that shows it."""
    global _source_is_read
    _source_is_read = True
    path = getattr(sys.modules.get("__main__"), "__file__", None)
    if path and path.endswith(".py") and os.path.isfile(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            if builds_graphs(file.read()):
                choose(Mode.GRAPH)

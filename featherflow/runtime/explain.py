"""explain_placement: where the nodes of a step would run, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from featherflow.framework.exports import export
from featherflow.graph.default_graph import graph_of
from featherflow.graph.tensor import default_session_stack
from featherflow.runtime.fetches import FetchMapper
from featherflow.runtime.placer import Placement
from featherflow.runtime.session import BaseSession


class PlacementTable(Sequence[Placement]):
    """The placements of the nodes of a step, in the order in which they run; prints as a table."""

    def __init__(self, rows: Sequence[Placement]) -> None:
        self._rows = tuple(rows)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Placement]:
        return iter(self._rows)

    def of(self, node: str) -> Placement:
        """The placement of a node by name.

        Raises:
          KeyError: the step does not need it.
        """
        for row in self._rows:
            if row.node == node:
                return row
        raise KeyError(node)

    def __str__(self) -> str:
        header = ("node", "op", "device", "why", "created at")
        lines = [header, *(_cells(row) for row in self._rows)]
        widths = [max(map(len, column)) for column in zip(*lines)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
            for line in lines
        )

    __repr__ = __str__


def _cells(row: Placement) -> tuple[str, ...]:
    why = f"{row.reason} ({row.request})" if row.request else row.reason
    return row.node, row.op, row.device, why, row.created_at


@export("explain_placement")
def explain_placement(fetches: Any, session: BaseSession | None = None) -> PlacementTable:
    """Where the nodes that `fetches` need would run, and why. Nothing is run.

    Args:
      fetches: as for `Session.run`.
      session: whose devices and earlier placements count; None takes the default session, or
        a new one with the default configuration.
    Returns:
      A table: one `Placement` a node, with node, op, device, reason, request and created_at.
    Raises:
      tf.errors.InvalidArgumentError: a node cannot be placed.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default():
    ...     with tf.device("/cpu:0"):
    ...         x = tf.constant(1.0, name="x")
    ...     print(tf.explain_placement(x)[0].reason)
    the only device
    """
    stack = default_session_stack()
    if session is None and stack:
        session = stack[-1]
    if session is not None:
        return _table(session, fetches)
    elements = fetches if isinstance(fetches, (list, tuple)) else [fetches]
    own_session = BaseSession("", graph_of(elements))
    try:
        return _table(own_session, fetches)
    finally:
        own_session.close()


def _table(session: BaseSession, fetches: Any) -> PlacementTable:
    mapper = FetchMapper(session.graph, fetches)
    key = ((), tuple(mapper.tensors), tuple(mapper.operations))
    return PlacementTable(session._session.explain_placement(key))

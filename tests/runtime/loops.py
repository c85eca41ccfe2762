"""Loops and branches built from primitives by hand, as no public function would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import featherflow.compat.v1 as tf
from featherflow.ops.control_flow_primitives import (
    Enter,
    Exit,
    LoopCond,
    Merge,
    NextIteration,
    Switch,
)


def given(value: Any, dtype: Any = tf.int32) -> Any:
    """A value that nothing can fold."""
    return tf.placeholder_with_default(np.array(value, dtype.as_numpy_dtype), [])


def inside(value: int, pivot: Any) -> Any:
    """A constant in the iteration of `pivot`."""
    with tf.control_dependencies([pivot]):
        return tf.constant(value)


def increment(value: Any) -> Any:
    return tf.add(value, inside(1, value))


class Loop:
    """`while condition(*values): values = body(*values)`, each value on its own.

    Attributes:
      enters, merges, switches, nexts, exits: of each value.
      condition: the LoopCond.
    """

    def __init__(
        self,
        starts: Sequence[Any],
        condition: Callable[..., Any],
        body: Callable[..., Sequence[Any]],
        name: str = "loop",
        parallel: int = 10,
    ) -> None:
        self.enters = [
            Enter(start, frame_name=name, parallel_iterations=parallel) for start in starts
        ]
        self.merges = [Merge([enter, enter]) for enter in self.enters]
        values = [merge.output for merge in self.merges]
        self.condition = LoopCond(condition(*values))
        self.switches = [Switch(value, self.condition) for value in values]
        results = body(*[tf.identity(switch.output_true) for switch in self.switches])
        self.nexts = [NextIteration(result) for result in results]
        for merge, following in zip(self.merges, self.nexts):
            merge.output.op._update_input(1, following)
        self.exits = [Exit(switch.output_false) for switch in self.switches]


def counting(
    start: Any, limit: int, name: str = "loop", parallel: int = 10, body: Any = None
) -> Any:
    """What a loop that counts from `start` to `limit` leaves with."""
    loop = Loop(
        [start],
        lambda count: tf.less(count, inside(limit, count)),
        lambda count: [increment(count) if body is None else body(count)],
        name,
        parallel,
    )
    return loop.exits[0]

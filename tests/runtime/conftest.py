"""Ops that only tests have: one waits for the test, one notes its runs, one fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import featherflow  # noqa: F401 (Tensor gets its operators)
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import Op, define_op, unregister_op
from featherflow.framework.op_kernel import AsyncOpKernel
from featherflow.framework.shape_inference import unchanged_shape


class World:
    """What the ops of a test share with it.

    Attributes:
      later: what an asynchronous kernel does with its report; by default it is made at once.
      log: what Noted saw: (tag, value).
      delayed, noted, failing: the ops.
    """

    delayed: Op
    noted: Op
    failing: Op

    def __init__(self) -> None:
        self.later: Callable[[Callable[[], None]], None] = lambda report: report()
        self.log: list[tuple[str, Any]] = []


@pytest.fixture
def world() -> Iterator[World]:
    shared = World()
    identity = {"inputs": ("x: T",), "outputs": ("y: T",)}
    shared.delayed = define_op("TestDelayed", **identity, attrs=("T: type",), is_stateful=True)
    shared.noted = define_op(
        "TestNoted", **identity, attrs=("T: type", "tag: string"), is_stateful=True
    )
    shared.failing = define_op("TestFailing", **identity, attrs=("T: type",), is_stateful=True)
    for op in (shared.delayed, shared.noted, shared.failing):
        op.shape_fn(unchanged_shape)

    @shared.delayed.kernel("CPU")
    class Delayed(AsyncOpKernel):
        def compute_async(self, ctx: Any, done: Callable[[Any], None], *inputs: Any) -> None:
            shared.later(lambda: done(inputs[0]))

    @shared.noted.kernel("CPU")
    def noted(x: Any, *, tag: str) -> Any:
        shared.log.append((tag, x.tolist()))
        return x

    @shared.failing.kernel("CPU")
    def failing(x: Any) -> Any:
        raise InvalidArgumentError(None, None, f"refuses {x}")

    yield shared
    for op in (shared.delayed, shared.noted, shared.failing):
        unregister_op(op.name)

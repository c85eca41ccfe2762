"""Calls that wait: kernels which run a function with asynchronous kernels in it.

Such a kernel (If, While, PartitionedCall) is written as an ordinary one, and returns when the
function has. It gets a thread of its own, so that the device that it stands on goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.runtime.thread_pool import ThreadPool

#: Calls that may wait at the same time in the whole process.
MAX_WAITING_CALLS = 1024

_threads = ThreadPool(MAX_WAITING_CALLS, "featherflow-waiting-call")


def on_own_thread(call: Callable[..., Any], wants_context: bool) -> Callable[..., None]:
    """The asynchronous form, `(context, done, *inputs)`, of a kernel that returns when done."""

    def start(context: Any, done: Callable[[Any], None], *inputs: Any) -> None:
        arguments = (context, *inputs) if wants_context else inputs

        def run() -> None:
            try:
                result = call(*arguments)
            except Exception as error:
                result = error
            done(result)

        _threads.schedule(run)

    return start

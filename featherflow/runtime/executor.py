"""Executor: runs the kernels of a plan.

This is the straight executor: the steps of a plan in order. Plans with control flow or kernels that
wait run in `dataflow_executor.py`, through a Propagator.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import (
    CancelledError,
    InternalError,
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
)
from featherflow.runtime.executor_plan import CONTEXT_SLOT, ExecutorPlan
from featherflow.runtime.step_context import OpKernelContext


def run_plan(plan: ExecutorPlan, feeds: list[Any], context: OpKernelContext) -> list[Any]:
    """Runs a straight plan; returns the values of its slots.

    One list, no look-ups, no allocation but the kernels' own: see benchmarks/README.md, "chain".
    """
    values = plan.template.copy()
    values[CONTEXT_SLOT] = context
    context.device = plan.device
    for slot, value in zip(plan.feed_slots, feeds):
        values[slot] = value
    cancellation = context.cancellation
    node = None
    try:
        with np.errstate(all="ignore"):
            for kernel, gather, out, release, node in plan.steps:  # noqa: B007
                values[out] = kernel(*gather(values))
                for slot in release:
                    values[slot] = None
                if cancellation.cancelled:
                    break
    except Exception as error:
        raise located_error(error, node) from error.__cause__
    if cancellation.cancelled:
        raise cancellation.reason or CancelledError(None, None, "The step was cancelled.")
    return values


def located_error(error: Exception, node: Any) -> Exception:
    """`error` with its node; what a kernel did not mean to raise becomes an OpError."""
    if node is None:
        return error
    if not isinstance(error, OpError):
        if isinstance(error, MemoryError):
            error = ResourceExhaustedError(None, None, f"Out of memory: {error}")
        elif isinstance(error, (ValueError, TypeError, IndexError, OverflowError)):
            error = InvalidArgumentError(None, None, str(error))
        else:
            error = InternalError(None, None, f"{type(error).__name__}: {error}")
    if node.operation is not None and error.op is None:
        error.attach(node.operation)
    return error

"""Executor: runs the kernels of a plan.

This is the straight executor: the steps of a plan in order. Plans with control flow or kernels that
wait run in `dataflow_executor.py`, through a Propagator.
"""

from __future__ import annotations

import re
from typing import Any

from featherflow.framework.errors import (
    AlreadyExistsError,
    CancelledError,
    InternalError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
    ResourceExhaustedError,
    StatusError,
    UnimplementedError,
)
from featherflow.framework.quiet import quiet
from featherflow.runtime.executor_plan import CONTEXT_SLOT, ExecutorPlan, Step
from featherflow.runtime.step_context import Cancellation, OpKernelContext

#: What the exceptions of Python and NumPy are as errors of ops.
_OP_ERRORS: tuple[tuple[type[Exception], type[StatusError]], ...] = (
    (MemoryError, ResourceExhaustedError),
    (FileNotFoundError, NotFoundError),
    (FileExistsError, AlreadyExistsError),
    (PermissionError, PermissionDeniedError),
    (NotImplementedError, UnimplementedError),
    (ValueError, InvalidArgumentError),
    (TypeError, InvalidArgumentError),
    (IndexError, InvalidArgumentError),
    (OverflowError, InvalidArgumentError),
)


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
    quiet().run(_run_steps, plan.steps, values, cancellation)
    if cancellation.cancelled:
        raise cancellation.reason or CancelledError(None, None, "The step was cancelled.")
    return values


def _run_steps(steps: tuple[Step, ...], values: list[Any], cancellation: Cancellation) -> None:
    node = None
    try:
        for kernel, gather, out, release, node in steps:  # noqa: B007
            values[out] = kernel(*gather(values))
            for slot in release:
                values[slot] = None
            if cancellation.cancelled:
                break
    except Exception as error:
        raise located_error(error, node) from error.__cause__


def located_error(error: Exception, node: Any) -> Exception:
    """`error` with its node; what a kernel did not mean to raise becomes an OpError."""
    if node is None:
        return error
    if not isinstance(error, OpError):
        error = as_op_error(error)
    if node.operation is not None and error.op is None:
        error.attach(node.operation)
    return error


def as_op_error(error: Exception) -> OpError:
    """What NumPy or Python raised in a kernel, as the error that TensorFlow has for it."""
    text = str(error) or type(error).__name__
    if isinstance(error, ValueError) and "could not be broadcast" in text:
        return InvalidArgumentError(
            None,
            None,
            "Incompatible shapes",
            received=" and ".join(re.findall(r"\([\d,]*\)", text)),
            expected="shapes that broadcast: equal dimensions, or one of them 1",
        )
    for kind, op_error in _OP_ERRORS:
        if isinstance(error, kind):
            return op_error(None, None, text)
    return InternalError(None, None, f"{type(error).__name__}: {error}")

"""EagerContext: where ops go that run at once, and what they share."""

from __future__ import annotations

import itertools
from contextlib import AbstractContextManager
from typing import Any

from featherflow.eager import execute
from featherflow.eager.eager_tensor import CPU_DEVICE
from featherflow.eager.execute import as_tensor
from featherflow.eager.scopes import EagerScopes
from featherflow.framework.op import Op
from featherflow.framework.resource import ResourceManager
from featherflow.ops.captured_handle_ops import CapturedHandle
from featherflow.ops.constant_ops import Const
from featherflow.runtime.step_context import Cancellation, OpKernelContext

_step_ids = itertools.count(1)


class EagerContext(EagerScopes):
    """What calls of ops go to where no graph is entered (`dispatch.OpContext`).

    Attributes:
      resources: tables, queues and whatever else has a shared name; variables are held by their
        handles alone.
      functions: runs functions for the kernels that call them.
    """

    def __init__(self) -> None:
        super().__init__(execute.forget_calls)
        self.resources = ResourceManager()
        self.functions: Any = None

    def apply_op(self, op: Op, args: tuple, kwargs: dict[str, Any], name: str | None) -> Any:
        """Runs the op."""
        if op is Const:
            return as_tensor(kwargs["value"], kwargs["dtype"])
        if op is CapturedHandle:
            return as_tensor(kwargs["_value"], kwargs["dtype"])
        return execute.execute(op, args, kwargs, name)

    def new_step(self) -> OpKernelContext:
        """The step that one kernel runs in."""
        return OpKernelContext(
            next(_step_ids), self.resources, CPU_DEVICE, Cancellation(), None, self.functions
        )


context = EagerContext()
execute.set_context(context)


def eager_mode() -> AbstractContextManager[Any]:
    """Ops called inside the block run at once, whatever is around it."""
    return context.as_default()

"""Switch, Merge, Enter, Exit and NextIteration of what is given: tensors, or refs to variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import colocate_with
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.control_flow_primitives import (
    Enter,
    Exit,
    Merge,
    NextIteration,
    RefEnter,
    RefExit,
    RefMerge,
    RefNextIteration,
    RefSwitch,
    Switch,
)


def is_ref(tensor: Tensor) -> bool:
    """Whether a tensor is a reference to a variable's storage."""
    return tensor.dtype._is_ref_dtype


def switch(data: Any, pred: Tensor, name: str | None = None) -> tuple[Tensor, Tensor]:
    """`data` as (output if `pred` is false, output if it is true); the other one is dead.

    The node is placed with `data`, which it passes on: only a name for it changes hands.
    """
    data = convert_to_tensor(data, name="data", as_ref=True)
    with colocate_with(data, ignore_existing=True):
        return (RefSwitch if is_ref(data) else Switch)(data, pred, name=name or "Switch")


def merge(inputs: Sequence[Tensor], name: str | None = None) -> Tensor:
    """The one of `inputs` that is not dead."""
    kind = RefMerge if all(is_ref(tensor) for tensor in inputs) else Merge
    return kind(list(inputs), name=name or "Merge")[0]


def join(if_false: Tensor, if_true: Tensor, pred: Tensor) -> Tensor:
    """The one of two tensors that is not dead: `pred` chose its branch."""
    result = merge([if_false, if_true])
    result.op._joined_pred = pred  # type: ignore[attr-defined]
    return result


def joined_pred(operation: Operation) -> Tensor | None:
    """The predicate whose branches a Merge joins, where it is known."""
    return getattr(operation, "_joined_pred", None)


def enter(
    data: Tensor,
    frame_name: str,
    is_constant: bool = False,
    parallel_iterations: int = 10,
    name: str | None = None,
) -> Tensor:
    """`data` in the frame of a loop: in its first iteration, or in all if it `is_constant`."""
    return (RefEnter if is_ref(data) else Enter)(
        data,
        frame_name=frame_name,
        is_constant=is_constant,
        parallel_iterations=parallel_iterations,
        name=name,
    )


def leave(data: Tensor, name: str | None = None) -> Tensor:
    """`data` outside of the frame of its loop."""
    return (RefExit if is_ref(data) else Exit)(data, name=name)


def next_iteration(data: Tensor, name: str | None = None) -> Tensor:
    """`data` in the next iteration of its loop."""
    return (RefNextIteration if is_ref(data) else NextIteration)(data, name=name)

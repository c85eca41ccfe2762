"""Stacks: where graphs made by TensorFlow keep the values of a loop for its gradient.

Every op exists twice, as in TensorFlow: the V2 ops take a resource, the older ones a ref of
strings. Either way the value of a handle is the Stack itself.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.op_kernel import OpKernel
from featherflow.framework.shape_inference import (
    InferenceContext,
    no_outputs,
    unknown_shapes,
)
from featherflow.framework.tensor_shape import TensorShape


class Stack:
    """The value of a stack's handle; it lives as long as the step."""

    __slots__ = ("_elements", "_lock", "_max_size", "dtype", "name")

    def __init__(self, name: str, dtype: DType, max_size: int) -> None:
        self.name = name
        self.dtype = dtype
        self._max_size = max_size
        self._elements: list[Any] | None = []
        self._lock = threading.Lock()

    def push(self, element: Any) -> None:
        """Puts an element on top.

        Raises:
          InvalidArgumentError: the stack is full or closed.
        """
        with self._lock:
            elements = self._open()
            if 0 <= self._max_size <= len(elements):
                raise InvalidArgumentError(
                    None, None, f"Stack[{self.name}] overflowed its max_size ({self._max_size})"
                )
            elements.append(element)

    def pop(self) -> Any:
        """Takes the element from the top.

        Raises:
          InvalidArgumentError: the stack is empty or closed.
        """
        with self._lock:
            elements = self._open()
            if not elements:
                raise InvalidArgumentError(
                    None, None, f"Stack[{self.name}] is empty when calling Pop()"
                )
            return elements.pop()

    def close(self) -> None:
        """Drops all elements."""
        with self._lock:
            self._elements = None

    def _open(self) -> list[Any]:
        if self._elements is None:
            raise InvalidArgumentError(None, None, f"Stack[{self.name}] has already been closed")
        return self._elements


StackV2 = define_op(
    "StackV2",
    inputs=("max_size: int32",),
    outputs=("handle: resource",),
    attrs=("elem_type: type", "stack_name: string = ''"),
    is_stateful=True,
    order_free=True,
)


@StackV2.shape_fn
def _stack_shape(c: InferenceContext) -> TensorShape:
    return TensorShape._of((2,))


@StackV2.kernel("CPU")
class _StackCpu(OpKernel):
    """Makes a new stack in each step."""

    def compute(self, ctx: Any, max_size: np.ndarray) -> Stack:
        attrs = self.node.attrs
        name = attrs["stack_name"] or self.node.name
        return Stack(name, attrs["elem_type"], int(max_size))


StackV2.without_gradient("gradients do not flow through stacks; TensorFlow has none either")

StackPushV2 = define_op(
    "StackPushV2",
    inputs=("handle: resource", "elem: T"),
    outputs=("output: T",),
    attrs=("T: type", "swap_memory: bool = false"),
    is_stateful=True,
    order_free=True,
)


@StackPushV2.shape_fn
def _stack_push_shape(c: InferenceContext) -> TensorShape:
    return c.shapes[1]


@StackPushV2.kernel("CPU")
def _stack_push_cpu(handle: Stack, elem: Any) -> Any:
    handle.push(elem)
    return elem


StackPushV2.without_gradient("gradients do not flow through stacks")

StackPopV2 = define_op(
    "StackPopV2",
    inputs=("handle: resource",),
    outputs=("elem: elem_type",),
    attrs=("elem_type: type",),
    is_stateful=True,
    order_free=True,
)
StackPopV2.shape_fn(unknown_shapes)


@StackPopV2.kernel("CPU")
def _stack_pop_cpu(handle: Stack, *, elem_type: DType) -> Any:
    if handle.dtype is not elem_type:
        raise InvalidArgumentError(
            None,
            None,
            f"Stack[{handle.name}] holds another dtype",
            received=elem_type.name,
            expected=handle.dtype.name,
        )
    return handle.pop()


StackPopV2.without_gradient("gradients do not flow through stacks")

StackCloseV2 = define_op(
    "StackCloseV2", inputs=("handle: resource",), is_stateful=True, order_free=True
)
StackCloseV2.shape_fn(no_outputs)


@StackCloseV2.kernel("CPU")
def _stack_close_cpu(handle: Stack) -> None:
    handle.close()


StackCloseV2.without_gradient("it has no outputs")


# --- the first version, which old graphs hold -----------------------------------------------------


class _FirstStackCpu(OpKernel):
    """Makes a new stack in each step, as large as there is memory for."""

    def compute(self, ctx: Any) -> Stack:
        attrs = self.node.attrs
        return Stack(attrs["stack_name"] or self.node.name, attrs["elem_type"], -1)


FirstStack = define_op(
    "Stack",
    outputs=("handle: Ref(string)",),
    attrs=("elem_type: type", "stack_name: string = ''"),
    is_stateful=True,
    order_free=True,
)
FirstStack.shape_fn(lambda c: TensorShape._of((2,)))
FirstStack.kernel("CPU")(_FirstStackCpu)
FirstStack.not_differentiable("gradients do not flow through stacks")

StackPush = define_op(
    "StackPush",
    inputs=("handle: Ref(string)", "elem: T"),
    outputs=("output: T",),
    attrs=("T: type", "swap_memory: bool = false"),
)
StackPush.shape_fn(_stack_push_shape)
StackPush.kernel("CPU")(_stack_push_cpu)
StackPush.not_differentiable("gradients do not flow through stacks")

StackPop = define_op(
    "StackPop",
    inputs=("handle: Ref(string)",),
    outputs=("elem: elem_type",),
    attrs=("elem_type: type",),
)
StackPop.shape_fn(unknown_shapes)
StackPop.kernel("CPU")(_stack_pop_cpu)
StackPop.not_differentiable("gradients do not flow through stacks")

StackClose = define_op("StackClose", inputs=("handle: Ref(string)",))
StackClose.shape_fn(no_outputs)
StackClose.kernel("CPU")(_stack_close_cpu)
StackClose.not_differentiable("it has no outputs")

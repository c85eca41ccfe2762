"""How an op runs at once: arguments to values, attributes to a kernel, results to tensors.

A call is looked up twice in bounded tables. `_known` goes from what a caller wrote, where all
inputs are tensors, straight to a bound kernel (`EagerCall`); else the arguments are read as a graph
reads them, and `_calls` is asked by the op and its complete attributes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from featherflow.eager.eager_operation import EagerNode, EagerOperation
from featherflow.eager.eager_tensor import CPU_DEVICE, EagerTensor
from featherflow.framework import dtypes, mode
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError, OpError
from featherflow.framework.op import Op
from featherflow.framework.quiet import quiet
from featherflow.framework.recording import record, recorders
from featherflow.framework.shape_inference import InferenceContext, ShapeInferenceError
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.op_arguments import (
    complete_attrs,
    convert_arguments,
    given_types,
    in_groups,
    values_by_position,
)
from featherflow.runtime.executor import as_op_error
from featherflow.runtime.executor_plan import KernelCache

#: Calls kept in each table; a table that is full starts anew.
MAX_CALLS = 4096
_HANDLES = (dtypes.resource, dtypes.variant)


@dataclass(frozen=True)
class CacheInfo:
    """The state of a bounded cache."""

    hits: int
    misses: int
    max_size: int
    size: int


class EagerCall:
    """An op with all its attributes: what one kernel does, whatever the values.

    Attributes:
      kernel: a function of the input values, behind the context if it wants one.
      dtypes: of the outputs, lists unrolled.
      only: the dtype of the output where there is just one, and no list; else None.
    """

    __slots__ = ("asynchronous", "attrs", "dtypes", "kernel", "only", "op", "wants_context")

    def __init__(self, op: Op, attrs: dict[str, Any]) -> None:
        if op.stateful and mode.is_undecided():
            mode.note_effect(_where(op))
        node = EagerNode(op, attrs, CPU_DEVICE)
        kernel = KernelCache().bind(node, "CPU")  # type: ignore[arg-type]
        self.op = op
        self.attrs = attrs
        self.kernel: Callable[..., Any] = kernel.call
        self.wants_context = kernel.wants_context
        self.asynchronous = kernel.asynchronous
        self.dtypes: list[DType] = node.output_dtypes
        is_single = len(self.dtypes) == 1 and not op.op_def.outputs[0].is_list
        self.only = self.dtypes[0] if is_single else None

    def run(self, inputs: Sequence[Any]) -> Any:
        """Runs the kernel; returns what the call of the op returns."""
        values = [tensor._value for tensor in inputs]
        try:
            if self.asynchronous:
                results = _wait_for(self.kernel, values)
            elif self.wants_context:
                results = quiet().run(self.kernel, _context.new_step(), *values)
            else:
                results = quiet().run(self.kernel, *values)
        except Exception as error:
            raise self._explained(error, inputs) from error.__cause__
        if self.only is not None:
            output = as_tensor(results, self.only)
            if recorders.active:
                self._record(inputs, (output,))
            return output
        outputs = [as_tensor(value, dtype) for value, dtype in zip(results, self.dtypes)]
        if recorders.active and outputs:
            self._record(inputs, outputs)
        return in_groups(self.op, self.attrs, outputs)

    def _record(self, inputs: Sequence[EagerTensor], outputs: Sequence[EagerTensor]) -> None:
        record(EagerOperation(self.op, self.attrs, inputs, outputs), inputs, outputs)

    # --- when it goes wrong -----------------------------------------------------------------------

    def _explained(self, error: Exception, inputs: Sequence[EagerTensor]) -> OpError:
        """The error with the op, the user's line and what the op received."""
        failure = (
            error if isinstance(error, OpError) else self._refusal(inputs) or as_op_error(error)
        )
        if failure.received is None:
            shapes = (f"{tensor.dtype.name}{list(tensor.shape)}" for tensor in inputs)
            failure.received = ", ".join(shapes) or None
        return failure.attach(EagerOperation(self.op, self.attrs, inputs, ()).located())

    def _refusal(self, inputs: Sequence[EagerTensor]) -> OpError | None:
        """What the op's shape function, which knows more than NumPy, says against the inputs."""
        function = self.op.shape_function
        if function is None:
            return None
        context = InferenceContext(
            self.op,
            self.attrs,
            list(inputs),
            [tensor._shape for tensor in inputs],
            lambda tensor: tensor._static_value(),
            lambda tensor: TensorShape(list(tensor._static_value())),
            0,
        )
        try:
            function(context)
        except ShapeInferenceError as error:
            return InvalidArgumentError(
                None, None, error.message, received=error.received, expected=error.expected
            )
        except Exception:
            return None
        return None


def _where(op: Op) -> str:
    """An op and the user's line that calls it."""
    frames = EagerOperation(op, {}, (), ()).located().traceback
    return f"{op.name} at {frames[-1].filename}:{frames[-1].lineno}" if frames else op.name


def as_tensor(value: Any, dtype: DType) -> EagerTensor:
    """What a kernel returned, as a tensor."""
    if value.__class__ is not np.ndarray and dtype not in _HANDLES:
        value = np.asarray(value, dtype.numpy_dtype)
    tensor = _new(EagerTensor)
    tensor._value = value
    tensor._dtype = dtype
    return tensor


_new: Any = EagerTensor.__new__


def _wait_for(kernel: Callable[..., Any], values: list[Any]) -> Any:
    """Starts a kernel that may wait, and waits for it."""
    finished = threading.Event()
    results: list[Any] = []

    def done(outcome: Any) -> None:
        results.append(outcome)
        finished.set()

    quiet().run(kernel, _context.new_step(), done, *values)
    finished.wait()
    if isinstance(results[0], Exception):
        raise results[0]
    return results[0]


# --- calls ----------------------------------------------------------------------------------------

_known: dict[Any, EagerCall] = {}
_calls: dict[Any, EagerCall] = {}
_misses = 0
_context: Any = None


def set_context(context: Any) -> None:
    """`context.py`, which is above, says in which context kernels run."""
    global _context
    _context = context


def execute(op: Op, args: Sequence[Any], kwargs: dict[str, Any], name: str | None) -> Any:
    """Runs a call of an op; returns its outputs as `Op.__call__` does."""
    key: Any = None
    for value in args:
        if value.__class__ is not EagerTensor:
            break
    else:
        key = (op, *[tensor._dtype for tensor in args], *kwargs.items())
        try:
            call = _known.get(key)
        except TypeError:  # an attribute that cannot be hashed: a list
            key = None
        else:
            if call is not None:
                return call.run(args)
    attrs_given = dict(kwargs)
    values = values_by_position(op, args, attrs_given)
    attrs = given_types(op, attrs_given)
    inputs = convert_arguments(op, values, attrs)
    complete_attrs(op, attrs_given, attrs)
    call = call_of(op, attrs)
    if key is not None and len(args) == len(inputs):
        _keep(_known, key, call)
    return call.run(inputs)


def call_of(op: Op, attrs: dict[str, Any]) -> EagerCall:
    """The call of an op with complete attributes.

    Raises:
      InvalidArgumentError: no kernel takes these dtypes.
    """
    global _misses
    if op.static_value_fn is not None and not op.op_def.inputs:
        return EagerCall(op, attrs)  # a constant: its value is its only attribute
    key = (op, *map(_hashable, attrs.items()))
    call = _calls.get(key)
    if call is None:
        _misses += 1
        try:
            call = EagerCall(op, attrs)
        except OpError as error:
            raise error.attach(EagerOperation(op, attrs, (), ()).located()) from None
        _keep(_calls, key, call)
    return call


def _hashable(item: tuple[str, Any]) -> Any:
    try:
        hash(item)
    except TypeError:
        return item[0], id(item[1]), repr(item[1])
    return (*item, type(item[1]))


def _keep(table: dict[Any, EagerCall], key: Any, call: EagerCall) -> None:
    if len(table) >= MAX_CALLS:
        table.clear()
    table[key] = call


def forget_calls() -> None:
    """Drops all bound kernels, and with them the state of random streams."""
    _known.clear()
    _calls.clear()


def cache_info() -> CacheInfo:
    """How many kernels have been bound, and are kept."""
    return CacheInfo(0, _misses, MAX_CALLS, len(_calls))

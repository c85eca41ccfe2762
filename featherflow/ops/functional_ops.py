"""Ops that run functions of the graph's library: calls, conditionals and loops.

Their kernels hand functions to the runtime, which plans each once and runs it in the same step.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework.attr_value import NameAttrList
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext, unknown_shapes
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape

#: Functions that call functions are looked into so deep.
_MAX_SHAPE_DEPTH = 16


class _Entered(threading.local):
    """The functions whose results' shapes are being worked out, outermost first."""

    def __init__(self) -> None:
        self.names: list[str] = []


_entered = _Entered()


def function_shapes(
    c: InferenceContext, function: NameAttrList, arguments: Sequence[TensorShape]
) -> list[TensorShape]:
    """The static shapes of a function's results; unknown if it is not at hand, or calls itself."""
    library = c.inputs[0].graph._functions if c.inputs else {}
    found = library.get(function.name)
    entered = _entered.names
    if found is None or function.name in entered or len(entered) >= _MAX_SHAPE_DEPTH:
        return unknown_shapes(c)
    _entered.names.append(function.name)
    try:
        return found.output_shapes(function.attrs, arguments)
    finally:
        _entered.names.pop()


def _stated_shapes(c: InferenceContext) -> list[TensorShape] | None:
    """The attribute `output_shapes`, if it says anything."""
    return list(c.attrs["output_shapes"]) or None


def _common_shapes(branches: Sequence[list[TensorShape]]) -> list[TensorShape]:
    """What is known of results whichever branch runs."""
    return [_common_shape(shapes) for shapes in zip(*branches)]


def _common_shape(shapes: Sequence[TensorShape]) -> TensorShape:
    dims = shapes[0]._dims
    for shape in shapes[1:]:
        if dims is None or shape._dims is None or len(dims) != len(shape._dims):
            return UNKNOWN
        dims = tuple(a if a == b else None for a, b in zip(dims, shape._dims))
    return TensorShape._of(dims)


def is_true(value: np.ndarray) -> bool:
    """Whether a value chooses `then`: a scalar that is not zero or "", or an array of elements."""
    if value.ndim:
        return value.size > 0
    item = value[()]
    return len(item) > 0 if isinstance(item, bytes) else bool(item)


# --- PartitionedCall ------------------------------------------------------------------------------


def _call_shape(c: InferenceContext) -> list[TensorShape]:
    return function_shapes(c, c.attrs["f"], c.shapes)


def _call_cpu(ctx: Any, *args: Any, f: NameAttrList) -> tuple[Any, ...]:
    return tuple(ctx.run_function(f, args))


def _define_call(name: str, **facts: Any) -> Op:
    op = define_op(
        name,
        inputs=("args: Tin",),
        outputs=("output: Tout",),
        attrs=(
            "Tin: list(type) >= 0",
            "Tout: list(type) >= 0",
            "f: func",
            "config: string = ''",
            "config_proto: string = ''",
            "executor_type: string = ''",
        ),
        **facts,
    )
    op.shape_fn(_call_shape)
    op.kernel("CPU")(_call_cpu)
    return op


PartitionedCall = _define_call("PartitionedCall")
StatefulPartitionedCall = _define_call("StatefulPartitionedCall", is_stateful=True)


# --- If -------------------------------------------------------------------------------------------


def _if_shape(c: InferenceContext) -> list[TensorShape]:
    stated = _stated_shapes(c)
    if stated is not None:
        return stated
    branches = (c.attrs["then_branch"], c.attrs["else_branch"])
    return _common_shapes([function_shapes(c, branch, c.shapes[1:]) for branch in branches])


def _if_cpu(
    ctx: Any, cond: np.ndarray, *input: Any, then_branch: NameAttrList, else_branch: NameAttrList
) -> tuple[Any, ...]:
    return tuple(ctx.run_function(then_branch if is_true(cond) else else_branch, input))


def _define_if(name: str, **facts: Any) -> Op:
    op = define_op(
        name,
        inputs=("cond: Tcond", "input: Tin"),
        outputs=("output: Tout",),
        attrs=(
            "Tcond: type",
            "Tin: list(type) >= 0",
            "Tout: list(type) >= 0",
            "then_branch: func",
            "else_branch: func",
            "output_shapes: list(shape) = []",
        ),
        **facts,
    )
    op.shape_fn(_if_shape)
    op.kernel("CPU")(_if_cpu)
    return op


If = _define_if("If", is_stateful=True)
StatelessIf = _define_if("StatelessIf")


# --- Case -----------------------------------------------------------------------------------------


def _case_shape(c: InferenceContext) -> list[TensorShape]:
    stated = _stated_shapes(c)
    if stated is not None:
        return stated
    branches = c.attrs["branches"]
    return _common_shapes([function_shapes(c, branch, c.shapes[1:]) for branch in branches])


def _case_cpu(
    ctx: Any, branch_index: np.ndarray, *input: Any, branches: Sequence[NameAttrList]
) -> tuple[Any, ...]:
    index = int(branch_index)
    if not 0 <= index < len(branches):
        index = len(branches) - 1
    return tuple(ctx.run_function(branches[index], input))


def _define_case(name: str, **facts: Any) -> Op:
    op = define_op(
        name,
        inputs=("branch_index: int32", "input: Tin"),
        outputs=("output: Tout",),
        attrs=(
            "Tin: list(type) >= 0",
            "Tout: list(type) >= 0",
            "branches: list(func) >= 1",
            "output_shapes: list(shape) = []",
        ),
        **facts,
    )
    op.shape_fn(_case_shape)
    op.kernel("CPU")(_case_cpu)
    return op


Case = _define_case("Case", is_stateful=True)
StatelessCase = _define_case("StatelessCase")


# --- While ----------------------------------------------------------------------------------------


def _while_shape(c: InferenceContext) -> list[TensorShape]:
    # Shapes may change from one iteration to the next unless the node says that they do not.
    return _stated_shapes(c) or unknown_shapes(c)


def _while_cpu(ctx: Any, *input: Any, cond: NameAttrList, body: NameAttrList) -> Sequence[Any]:
    values: Sequence[Any] = input
    while is_true(ctx.run_function(cond, values)[0]):
        if ctx.cancellation.cancelled:
            raise ctx.cancellation.reason
        values = ctx.run_function(body, values)
    return tuple(values)


def _define_while(name: str, **facts: Any) -> Op:
    op = define_op(
        name,
        inputs=("input: T",),
        outputs=("output: T",),
        attrs=(
            "T: list(type) >= 0",
            "cond: func",
            "body: func",
            "output_shapes: list(shape) = []",
            "parallel_iterations: int = 10",
        ),
        **facts,
    )
    op.shape_fn(_while_shape)
    op.kernel("CPU")(_while_cpu)
    return op


While = _define_while("While", is_stateful=True)
StatelessWhile = _define_while("StatelessWhile")

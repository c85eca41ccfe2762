"""The primitives of TF1's control flow: Switch, Merge, and the frames of loops.

    cond        Switch(data, pred) sends data down one branch; Merge takes what arrives.
    while_loop  Enter → Merge ⇄ (LoopCond, Switch → body → NextIteration) → Exit

The executor knows these ops by their fact `control_flow`: what they do to frames, iterations and
dead values is in `runtime/propagator.py`. Their kernels say only which value goes where.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.dead_value import DEAD
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import (
    InferenceContext,
    no_outputs,
    scalar_shape,
    unchanged_shape,
)
from featherflow.framework.tensor_shape import SCALAR, UNKNOWN, TensorShape


def _same(data: Any) -> Any:
    return data


# --- Switch: data goes to the output that `pred` names --------------------------------------------


def _switch_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(1, 0)
    return [c.shapes[0], c.shapes[0]]


def _switch_cpu(data: Any, pred: Any) -> tuple[Any, Any]:
    return (DEAD, data) if pred else (data, DEAD)


Switch = define_op(
    "Switch",
    inputs=("data: T", "pred: bool"),
    outputs=("output_false: T", "output_true: T"),
    attrs=("T: type",),
    control_flow="switch",
    aliases=True,
)
Switch.shape_fn(_switch_shape)
Switch.kernel("CPU")(_switch_cpu)

RefSwitch = define_op(
    "RefSwitch",
    inputs=("data: Ref(T)", "pred: bool"),
    outputs=("output_false: Ref(T)", "output_true: Ref(T)"),
    attrs=("T: type",),
    allows_uninitialized_input=True,
    control_flow="switch",
    aliases=True,
)
RefSwitch.shape_fn(_switch_shape)
RefSwitch.kernel("CPU")(_switch_cpu)


# --- _SwitchN: data goes to the output that `output_index` counts ---------------------------------

_SwitchN = define_op(
    "_SwitchN",  # what a Case becomes in a frozen graph
    inputs=("data: T", "output_index: int32"),
    outputs=("outputs: num_outs * T",),
    attrs=("num_outs: int >= 1", "T: type"),
    control_flow="switch",
    aliases=True,
)


@_SwitchN.shape_fn
def _switch_n_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(1, 0)
    return [c.shapes[0]] * c.attrs["num_outs"]


@_SwitchN.kernel("CPU")
def _switch_n_cpu(data: Any, output_index: Any, *, num_outs: int) -> list[Any]:
    outputs = [DEAD] * num_outs
    # As a Case: an index that is no branch's takes the last one.
    outputs[output_index if 0 <= output_index < num_outs else -1] = data
    return outputs


_SwitchN.without_gradient("it stands in frozen graphs only, for the gradient of a Case")


# --- Merge: the first input that is not dead ------------------------------------------------------

#: What `value_index` can be, made once; few merges have more inputs.
_INDICES = tuple(np.array(index, np.int32) for index in range(16))
for _index in _INDICES:
    _index.setflags(write=False)


def _merge_shape(c: InferenceContext) -> list[TensorShape]:
    """Dimensions on which the inputs agree; nothing is known where their ranks differ."""
    dims = c.shapes[0]._dims
    for shape in c.shapes[1:]:
        if dims is None or shape._dims is None or len(dims) != len(shape._dims):
            return [UNKNOWN, SCALAR]
        dims = tuple(a if a == b else None for a, b in zip(dims, shape._dims))
    return [TensorShape._of(dims), SCALAR]


def _merge_cpu(*inputs: Any) -> tuple[Any, Any]:
    for index, value in enumerate(inputs):
        if value is not DEAD:
            return value, _INDICES[index] if index < 16 else np.array(index, np.int32)
    return DEAD, DEAD


Merge = define_op(
    "Merge",
    inputs=("inputs: N * T",),
    outputs=("output: T", "value_index: int32"),
    attrs=("T: type", "N: int >= 1"),
    control_flow="merge",
)
Merge.shape_fn(_merge_shape)
Merge.kernel("CPU")(_merge_cpu)

RefMerge = define_op(
    "RefMerge",
    inputs=("inputs: N * Ref(T)",),
    outputs=("output: Ref(T)", "value_index: int32"),
    attrs=("T: type", "N: int >= 1"),
    control_flow="merge",
)
RefMerge.shape_fn(_merge_shape)
RefMerge.kernel("CPU")(_merge_cpu)


# --- frames: Enter, NextIteration, Exit, LoopCond -------------------------------------------------

_ENTER_ATTRS = (
    "T: type",
    "frame_name: string",
    "is_constant: bool = false",
    "parallel_iterations: int = 10",
)


def _enter_shape(c: InferenceContext) -> TensorShape:
    """Known for what is the same in every iteration; others may change from one to the next."""
    return c.shapes[0] if c.attrs["is_constant"] else UNKNOWN


Enter = define_op(
    "Enter",
    inputs=("data: T",),
    outputs=("output: T",),
    attrs=_ENTER_ATTRS,
    control_flow="enter",
    aliases=True,
)
Enter.shape_fn(_enter_shape)
Enter.kernel("CPU")(_same)

RefEnter = define_op(
    "RefEnter",
    inputs=("data: Ref(T)",),
    outputs=("output: Ref(T)",),
    attrs=_ENTER_ATTRS,
    control_flow="enter",
    aliases=True,
)
RefEnter.shape_fn(unchanged_shape)
RefEnter.kernel("CPU")(_same)

Exit = define_op(
    "Exit",
    inputs=("data: T",),
    outputs=("output: T",),
    attrs=("T: type",),
    control_flow="exit",
    aliases=True,
)
Exit.shape_fn(unchanged_shape)
Exit.kernel("CPU")(_same)

RefExit = define_op(
    "RefExit",
    inputs=("data: Ref(T)",),
    outputs=("output: Ref(T)",),
    attrs=("T: type",),
    control_flow="exit",
    aliases=True,
)
RefExit.shape_fn(unchanged_shape)
RefExit.kernel("CPU")(_same)

NextIteration = define_op(
    "NextIteration",
    inputs=("data: T",),
    outputs=("output: T",),
    attrs=("T: type",),
    control_flow="next_iteration",
    aliases=True,
)
NextIteration.shape_fn(unchanged_shape)
NextIteration.kernel("CPU")(_same)

RefNextIteration = define_op(
    "RefNextIteration",
    inputs=("data: Ref(T)",),
    outputs=("output: Ref(T)",),
    attrs=("T: type",),
    control_flow="next_iteration",
    aliases=True,
)
RefNextIteration.shape_fn(unchanged_shape)
RefNextIteration.kernel("CPU")(_same)

LoopCond = define_op(
    "LoopCond",
    inputs=("input: bool",),
    outputs=("output: bool",),
    control_flow="loop_cond",
    aliases=True,
)


@LoopCond.shape_fn
def _loop_cond_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(0, 0)
    return scalar_shape(c)


LoopCond.kernel("CPU")(_same)
LoopCond.not_differentiable("it passes a bool")

# --- ControlTrigger: waits for control inputs, dead or not ----------------------------------------

ControlTrigger = define_op("ControlTrigger", control_flow="trigger")
ControlTrigger.shape_fn(no_outputs)
ControlTrigger.kernel("CPU")(lambda: None)
ControlTrigger.without_gradient("it has no inputs")

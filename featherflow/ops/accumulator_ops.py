"""Conditional accumulators: gradients of several workers that are taken as one, if not too old."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.accumulator_resource import AccumulatorResource
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import Op, define_op
from featherflow.framework.op_kernel import NodeInfo, OpKernel
from featherflow.framework.shape_inference import (
    InferenceContext,
    no_outputs,
    scalar_shape,
    unknown_shapes,
)
from featherflow.framework.source_location import caller_location
from featherflow.framework.tensor_shape import TensorShape

_DTYPE = (
    "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, "
    "qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}"
)
_STORAGE = "it is storage"
_NO_GRADIENT = "what leaves an accumulator came from other steps"

Done = Callable[[Any], None]

_own_names = itertools.count()


class _AccumulatorKernel(OpKernel):
    """Gives the session's accumulator: under its shared name, or one of the node's own."""

    def __init__(self, node: NodeInfo) -> None:
        super().__init__(node)
        self.name = str(node.attrs["shared_name"] or f"_{next(_own_names)}_{node.name}")

    def compute(self, ctx: Any) -> AccumulatorResource:
        attrs = self.node.attrs
        is_mean = attrs["reduction_type"] == "MEAN"
        accumulator = ctx.resources.lookup_or_create(
            attrs["container"],
            self.name,
            AccumulatorResource,
            lambda: AccumulatorResource(self.name, attrs["dtype"], attrs["shape"], is_mean),
        )
        if (accumulator.dtype, accumulator.shape) != (attrs["dtype"], attrs["shape"]):
            raise InvalidArgumentError(
                None, None, f"Shared accumulator '{self.name}' has another dtype or shape"
            )
        return accumulator


def _define_twins(name: str, rest: str, **facts: Any) -> tuple[Op, Op]:
    """The op of refs, and that of resources, which is stateful and called `Resource…`."""
    inputs, attrs = facts.get("inputs", ()), facts.get("attrs", ())
    outputs = facts.get("outputs", ())
    location = caller_location()
    return tuple(  # type: ignore[return-value]
        define_op(
            f"{prefix}{name}{rest}",
            inputs=(f"handle: {handle}", *inputs),
            outputs=outputs,
            attrs=attrs,
            is_stateful=bool(prefix),
            location=location,
        )
        for prefix, handle in (("", "Ref(string)"), ("Resource", "resource"))
    )


# --- accumulators ---------------------------------------------------------------------------------

_ACCUMULATOR_ATTRS = (
    _DTYPE,
    "shape: shape",
    "container: string = ''",
    "shared_name: string = ''",
    "reduction_type: {'MEAN', 'SUM'} = 'MEAN'",
)
ConditionalAccumulator = define_op(
    "ConditionalAccumulator",
    outputs=("handle: Ref(string)",),
    attrs=_ACCUMULATOR_ATTRS,
    is_stateful=True,
)
ResourceConditionalAccumulator = define_op(
    "ResourceConditionalAccumulator",
    outputs=("handle: resource",),
    attrs=_ACCUMULATOR_ATTRS,
    is_stateful=True,
)


@ConditionalAccumulator.shape_fn
@ResourceConditionalAccumulator.shape_fn
def _accumulator_shape(c: InferenceContext) -> TensorShape:
    return TensorShape._of((2,))


for _op in (ConditionalAccumulator, ResourceConditionalAccumulator):
    _op.kernel("CPU", dtype=(dtypes.float16, dtypes.float32, dtypes.float64))(_AccumulatorKernel)
    _op.without_gradient(_STORAGE)


# --- applying and taking --------------------------------------------------------------------------

AccumulatorApplyGradient, ResourceAccumulatorApplyGradient = _define_twins(
    "Accumulator",
    "ApplyGradient",
    inputs=("local_step: int64", "gradient: dtype"),
    attrs=(_DTYPE,),
)


@AccumulatorApplyGradient.shape_fn
@ResourceAccumulatorApplyGradient.shape_fn
def _apply_gradient_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(1, 0)
    return no_outputs(c)


@AccumulatorApplyGradient.kernel("CPU", asynchronous=True)
@ResourceAccumulatorApplyGradient.kernel("CPU", asynchronous=True)
def _apply_gradient_cpu(
    ctx: Any,
    done: Done,
    handle: AccumulatorResource,
    local_step: np.ndarray,
    gradient: np.ndarray,
    *,
    dtype: DType,
) -> None:
    handle.check_dtype(dtype)
    handle.room.visit(handle.apply(gradient, _scalar(local_step)), ctx.cancellation, done)


def _scalar(value: np.ndarray) -> int:
    if value.ndim:
        raise InvalidArgumentError(
            None, None, "A step, or a count, must be a scalar", received=f"{list(value.shape)}"
        )
    return int(value)


AccumulatorTakeGradient, ResourceAccumulatorTakeGradient = _define_twins(
    "Accumulator",
    "TakeGradient",
    inputs=("num_required: int32",),
    outputs=("average: dtype",),
    attrs=(_DTYPE,),
)


@AccumulatorTakeGradient.shape_fn
@ResourceAccumulatorTakeGradient.shape_fn
def _take_gradient_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(1, 0)
    return unknown_shapes(c)


@AccumulatorTakeGradient.kernel("CPU", asynchronous=True)
@ResourceAccumulatorTakeGradient.kernel("CPU", asynchronous=True)
def _take_gradient_cpu(
    ctx: Any, done: Done, handle: AccumulatorResource, num_required: np.ndarray, *, dtype: DType
) -> None:
    handle.check_dtype(dtype)
    handle.room.visit(handle.take(_scalar(num_required)), ctx.cancellation, done)


# --- counting and steps ---------------------------------------------------------------------------

AccumulatorNumAccumulated, ResourceAccumulatorNumAccumulated = _define_twins(
    "Accumulator", "NumAccumulated", outputs=("num_accumulated: int32",)
)


def _num_accumulated_cpu(handle: AccumulatorResource) -> np.ndarray:
    return np.array(handle.count, np.int32)


for _op in (AccumulatorNumAccumulated, ResourceAccumulatorNumAccumulated):
    _op.shape_fn(scalar_shape)
    _op.kernel("CPU")(_num_accumulated_cpu)

AccumulatorSetGlobalStep, ResourceAccumulatorSetGlobalStep = _define_twins(
    "Accumulator", "SetGlobalStep", inputs=("new_global_step: int64",)
)


@AccumulatorSetGlobalStep.shape_fn
@ResourceAccumulatorSetGlobalStep.shape_fn
def _set_global_step_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(1, 0)
    return no_outputs(c)


@AccumulatorSetGlobalStep.kernel("CPU", asynchronous=True)
@ResourceAccumulatorSetGlobalStep.kernel("CPU", asynchronous=True)
def _set_global_step_cpu(
    ctx: Any, done: Done, handle: AccumulatorResource, new_global_step: np.ndarray
) -> None:
    action = handle.set_global_step(_scalar(new_global_step))
    handle.room.visit(action, ctx.cancellation, done)


for _op in (
    *(AccumulatorApplyGradient, ResourceAccumulatorApplyGradient),
    *(AccumulatorTakeGradient, ResourceAccumulatorTakeGradient),
    *(AccumulatorNumAccumulated, ResourceAccumulatorNumAccumulated),
    *(AccumulatorSetGlobalStep, ResourceAccumulatorSetGlobalStep),
):
    _op.without_gradient(_NO_GRADIENT)

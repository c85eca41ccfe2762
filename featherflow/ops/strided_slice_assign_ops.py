"""Assignments to slices of variables: `variable[1:3].assign(value)`."""

from __future__ import annotations

import numpy as np

from featherflow.framework.op import define_op
from featherflow.framework.resource import VariableCell
from featherflow.framework.shape_inference import no_outputs, unchanged_shape
from featherflow.kernels import strided_slice as kernels
from featherflow.kernels.strided_slice import SliceMasks
from featherflow.ops.strided_slice_ops import MASK_ATTRS

_ASSIGNMENT = "assignments are not differentiable"

# --- StridedSliceAssign ---------------------------------------------------------------------------

StridedSliceAssign = define_op(
    "StridedSliceAssign",
    inputs=("ref: Ref(T)", "begin: Index", "end: Index", "strides: Index", "value: T"),
    outputs=("output_ref: Ref(T)",),
    attrs=("T: type", "Index: {int32, int64}", *MASK_ATTRS),
)
StridedSliceAssign.shape_fn(unchanged_shape)


@StridedSliceAssign.kernel("CPU")
def _strided_slice_assign_cpu(
    ref: VariableCell,
    begin: np.ndarray,
    end: np.ndarray,
    strides: np.ndarray,
    value: np.ndarray,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> VariableCell:
    masks = SliceMasks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    with ref.lock:
        kernels.scatter_slice(ref.read(), begin, end, strides, value, masks)
    return ref


StridedSliceAssign.without_gradient(_ASSIGNMENT)

# --- ResourceStridedSliceAssign -------------------------------------------------------------------

ResourceStridedSliceAssign = define_op(
    "ResourceStridedSliceAssign",
    inputs=("ref: resource", "begin: Index", "end: Index", "strides: Index", "value: T"),
    attrs=("T: type", "Index: {int32, int64}", *MASK_ATTRS),
    is_stateful=True,
)
ResourceStridedSliceAssign.shape_fn(no_outputs)


@ResourceStridedSliceAssign.kernel("CPU")
def _resource_strided_slice_assign_cpu(
    ref: VariableCell,
    begin: np.ndarray,
    end: np.ndarray,
    strides: np.ndarray,
    value: np.ndarray,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> None:
    masks = SliceMasks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    with ref.lock:
        ref.read()
        if ref.is_shared():  # values read before stay as they were
            ref.value = ref.read().copy()
        kernels.scatter_slice(ref.read(), begin, end, strides, value, masks)


ResourceStridedSliceAssign.without_gradient(_ASSIGNMENT)

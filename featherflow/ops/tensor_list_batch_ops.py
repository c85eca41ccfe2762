"""TensorListPushBackBatch: the rows of a tensor, each pushed to a list of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.ops.tensor_list_ops import check_element

TensorListPushBackBatch = define_op(
    "TensorListPushBackBatch",
    inputs=("input_handles: variant", "tensor: element_dtype"),
    outputs=("output_handles: variant",),
    attrs=("element_dtype: type",),
    foldable=False,
)
TensorListPushBackBatch.not_differentiable("TensorFlow gives it no gradient")


@TensorListPushBackBatch.shape_fn
def _push_back_batch_shape(c: InferenceContext) -> TensorShape:
    handles = c.shapes[0]._dims
    if handles is None or c.shapes[1]._dims is None:
        return c.shapes[0]
    rows = c.with_rank_at_least(1, len(handles))._dims or ()
    return c.merge(c.shapes[0], TensorShape._of(rows[: len(handles)]))


@TensorListPushBackBatch.kernel("CPU")
def _push_back_batch_cpu(
    input_handles: Any, tensor: np.ndarray, *, element_dtype: DType
) -> np.ndarray | Any:
    is_batch = isinstance(input_handles, np.ndarray)
    outer = input_handles.shape if is_batch else ()
    if tensor.shape[: len(outer)] != outer:
        raise InvalidArgumentError(
            None,
            None,
            "tensor must have a row for each list",
            received=f"{list(tensor.shape)} for lists of shape {list(outer)}",
        )
    handles = input_handles.reshape(-1).tolist() if is_batch else [input_handles]
    rows = tensor.reshape(len(handles), *tensor.shape[len(outer) :])
    pushed = np.empty(len(handles), object)
    for place, (handle, row) in enumerate(zip(handles, rows)):
        element = np.array(row)
        check_element(handle, element, element_dtype)
        pushed[place] = handle.push(element)
    return pushed.reshape(outer) if is_batch else pushed[0]

"""RefSelect: one of several variables, by number."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape

RefSelect = define_op(
    "RefSelect",
    inputs=("index: int32", "inputs: N * Ref(T)"),
    outputs=("output: Ref(T)",),
    attrs=("T: type", "N: int >= 1"),
)
RefSelect.without_gradient("TensorFlow gives it no gradient")


@RefSelect.shape_fn
def _ref_select_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(0, 0)
    first, *others = c.shapes[1:]
    is_known = all(shape.is_fully_defined() for shape in c.shapes[1:])
    return first if is_known and all(shape == first for shape in others) else UNKNOWN


@RefSelect.kernel("CPU")
def _ref_select_cpu(index: np.ndarray, *inputs: Any) -> Any:
    if index.ndim or not 0 <= index < len(inputs):
        raise InvalidArgumentError(
            None,
            None,
            f"index must be a scalar in [0, {len(inputs)})",
            received=str(index.tolist()),
        )
    return inputs[int(index)]

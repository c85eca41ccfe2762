"""ToBool: what Python's `if` would make of a tensor."""

from __future__ import annotations

import numpy as np

from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import scalar_shape

ToBool = define_op("ToBool", inputs=("input: T",), outputs=("output: bool",), attrs=("T: type",))
ToBool.shape_fn(scalar_shape)
ToBool.without_gradient("its output is a bool")


@ToBool.kernel("CPU")
def _to_bool_cpu(input: np.ndarray) -> np.ndarray:
    """A scalar is true if it is not 0 or empty, any other tensor if it has elements."""
    if input.ndim:
        return np.array(input.size > 0)
    return np.array(bool(input.item()))

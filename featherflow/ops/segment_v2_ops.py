"""Reductions of rows by ascending ids into a given number of segments: SegmentSumV2 and others.

TensorFlow runs these on accelerators only; here they have CPU kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.kernels import gathering
from featherflow.ops.gather_ops import SEGMENT_TYPES, unsorted_segment_shape
from featherflow.ops.segment_ops import highest, lowest
from featherflow.ops.type_groups import NUMBERS, REAL

_REAL_TYPES = (
    "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"
)


def _segments_shape(c: InferenceContext) -> TensorShape:
    return UNKNOWN if c.shapes[1]._dims is None else unsorted_segment_shape(c)


def _define(name: str, combine: np.ufunc, empty: Any, *, real: bool = False) -> Op:
    """A reduction of the rows of ascending ids; `empty(dtype)` fills segments without rows."""
    op = define_op(
        name,
        inputs=("data: T", "segment_ids: Tindices", "num_segments: Tnumsegments"),
        outputs=("output: T",),
        attrs=(
            f"T: {_REAL_TYPES if real else SEGMENT_TYPES}",
            "Tindices: {int32, int64}",
            "Tnumsegments: {int32, int64} = int32",
        ),
    )
    op.shape_fn(_segments_shape)
    op.without_gradient("TensorFlow gives it no gradient")

    @op.kernel("CPU", T=REAL if real else NUMBERS)
    def cpu(data: np.ndarray, segment_ids: np.ndarray, num_segments: np.ndarray) -> np.ndarray:
        if segment_ids.ndim != 1 or (segment_ids[1:] < segment_ids[:-1]).any():
            raise InvalidArgumentError(
                None,
                None,
                "segment_ids must be a vector that does not decrease",
                received=str(segment_ids.tolist()),
            )
        return gathering.unsorted_segment_reduce(
            data, segment_ids, num_segments, combine, empty(data.dtype)
        )

    return op


SegmentSumV2 = _define("SegmentSumV2", np.add, lambda dtype: 0)
SegmentProdV2 = _define("SegmentProdV2", np.multiply, lambda dtype: 1)
SegmentMinV2 = _define("SegmentMinV2", np.minimum, highest, real=True)
SegmentMaxV2 = _define("SegmentMaxV2", np.maximum, lowest, real=True)

"""IndexedSlices as tensors: rows that share a place add up."""

from __future__ import annotations

from typing import Any

from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export_value
from featherflow.framework.op import get_op
from featherflow.framework.tensor_conversion import register_tensor_conversion_function
from featherflow.graph.indexed_slices import IndexedSlices, IndexedSlicesValue
from featherflow.graph.tensor import Tensor

__all__ = ["IndexedSlices", "IndexedSlicesValue"]

# The public names lead here, so that whoever makes IndexedSlices can convert them.
export_value(__name__, "IndexedSlices")
export_value(__name__, "IndexedSlicesValue", v1_only=True)


def dense_tensor(slices: IndexedSlices, name: str | None = None) -> Tensor:
    """The dense tensor that `slices` stands for.

    Raises:
      ValueError: its shape is not known.
    """
    if slices.dense_shape is None:
        raise ValueError(
            f"Tensor conversion requested for IndexedSlices for argument `{name or 'value'}` "
            f"without dense_shape: {slices}"
        )
    rows: Any = slices.dense_shape
    result = get_op("UnsortedSegmentSum")(slices.values, slices.indices, rows[0], name=name)
    result.set_shape(slices.shape)
    return result


def _convert(
    value: IndexedSlices, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible tensor conversion requested to `dtype` {dtype.name} for IndexedSlices "
            f"({value}) with dtype {value.dtype.name}"
        )
    return dense_tensor(value, name)


register_tensor_conversion_function(IndexedSlices, _convert)

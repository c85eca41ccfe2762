"""IndexedSlices as tensors: rows that share a place add up."""

from __future__ import annotations

from typing import Any

from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.exports import export, export_v1, export_value
from featherflow.framework.op import get_op
from featherflow.framework.tensor_conversion import (
    convert_to_tensor,
    register_tensor_conversion_function,
)
from featherflow.graph.indexed_slices import IndexedSlices, IndexedSlicesValue
from featherflow.graph.sparse_tensor import SparseTensor
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


@export_v1("convert_to_tensor_or_indexed_slices")
def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: Any = None, name: str | None = None
) -> Tensor | IndexedSlices:
    """IndexedSlices as they are; other values as a tensor.

    Raises:
      ValueError: IndexedSlices are of another dtype.
    """
    if isinstance(value, IndexedSlices):
        if dtype is not None and not as_dtype(dtype).is_compatible_with(value.dtype):
            raise ValueError(
                f"Incompatible tensor conversion requested to `dtype` {as_dtype(dtype).name} for "
                f"`value` ({value}) with dtype {value.dtype.name}"
            )
        return value
    return convert_to_tensor(value, dtype, name)


@export("is_symbolic_tensor")
def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether a value is a tensor of a graph, or is made of some: it has no value yet."""
    return isinstance(tensor, (Tensor, SparseTensor, IndexedSlices))

"""StagedList: a Python list that a staged loop appends to; its items are those of a TensorList."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework import dtypes, nest
from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_conversion import (
    convert_to_tensor,
    register_tensor_conversion_function,
)
from featherflow.framework.tensor_shape import TensorShape
from featherflow.functions.autograph.staging import refuse
from featherflow.graph.tensor import Tensor
from featherflow.ops.tensor_list_ops import EmptyTensorList, TensorListLength, TensorListPushBack
from featherflow.ops.tensor_list_stacks import TensorListStack


class StagedList:
    """Items of one dtype and shape, in a TensorList that a loop carries.

    Attributes:
      handle: the TensorList; None until an item tells what they are.
      before: Python values that were in the list before the loop.
    """

    def __init__(
        self,
        before: Sequence[Any],
        handle: Tensor | None = None,
        dtype: DType | None = None,
        shape: TensorShape | None = None,
    ) -> None:
        self.before = list(before)
        self.handle = handle
        self.dtype = dtype
        self.shape = shape

    @classmethod
    def of(cls, values: Sequence[Any]) -> StagedList:
        """The list that a loop may append to."""
        return cls(values)

    @property
    def is_typed(self) -> bool:
        """Whether anything has been appended."""
        return self.dtype is not None

    def append(self, item: Any) -> StagedList:
        """The list with one more item."""
        tensor = (
            convert_to_tensor(item) if self.dtype is None else convert_to_tensor(item, self.dtype)
        )
        shape = tensor.shape
        handle = self.handle
        if handle is None:
            handle = _empty(tensor.dtype.base_dtype, shape)
        pushed = TensorListPushBack(handle, tensor)
        return StagedList(self.before, pushed, tensor.dtype.base_dtype, shape)

    def typed_as(self, other: StagedList) -> StagedList:
        """This list, with the items that it had, as one of the kind of `other`."""
        assert other.dtype is not None and other.shape is not None
        handle = _empty(other.dtype, other.shape)
        for item in self.before:
            handle = TensorListPushBack(handle, convert_to_tensor(item, dtype=other.dtype))
        return StagedList([], handle, other.dtype, other.shape)

    def for_trial(self) -> StagedList:
        """What a body that is tried out appends to."""
        return StagedList(self.before, None, self.dtype, self.shape)

    def stacked(self) -> Tensor:
        """All items, one below the other."""
        if self.handle is None:
            return convert_to_tensor(self.before)
        assert self.shape is not None and self.dtype is not None
        sizes = [-1 if size is None else size for size in self.shape._dims or ()]
        return TensorListStack(self.handle, sizes, element_dtype=self.dtype)

    def length(self) -> Tensor:
        """The number of items."""
        return TensorListLength(self.handle)

    def __getitem__(self, entries: Any) -> Any:
        return self.stacked()[entries]

    def __len__(self) -> int:
        raise refuse(
            "len",
            "a list that a loop over tensors has filled has no Python length",
            "In a converted function write len(…) directly, or tf.shape(tf.stack(…))[0]",
        )

    def __iter__(self) -> Any:
        raise refuse(
            "for",
            "Python cannot go over a list that a loop over tensors has filled",
            "Use tf.stack(…)",
        )


def _empty(dtype: DType, shape: TensorShape) -> Tensor:
    sizes = [-1 if size is None else size for size in shape._dims or ()]
    return EmptyTensorList(convert_to_tensor(sizes, dtype=dtypes.int32), -1, element_dtype=dtype)


def _convert(
    value: StagedList, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Any:
    return convert_to_tensor(value.stacked(), dtype=dtype)


register_tensor_conversion_function(StagedList, _convert)
nest.register_composite(
    StagedList,
    lambda value: [value.handle],
    lambda value, parts: StagedList(value.before, parts[0], value.dtype, value.shape),
)

"""TensorList: the value of a list of tensors, a variant. It never changes; ops make new lists.

Pushing and popping take one step each, however long the list is, and what has been popped is freed
with the last list that held it: loops keep the history of their values so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.tensor_shape import TensorShape

#: The elements pushed last, innermost first: (element, the rest) or None.
Pushed = tuple[Any, Any] | None


class TensorList:
    """Elements of one dtype: the first `base_length` of `base`, then those pushed after them.

    An element is an array, a TensorList, or None where nothing has been written.

    Args:
      dtype: of the elements.
      element_shape: the shape that all of them fit.
      base: the elements to start with; not to be changed from then on.
      max_length: how many there may be; None for any number.
    """

    __slots__ = (
        "base",
        "base_length",
        "dtype",
        "element_shape",
        "length",
        "max_length",
        "pushed",
    )

    def __init__(
        self,
        dtype: DType,
        element_shape: TensorShape,
        base: Sequence[Any] = (),
        max_length: int | None = None,
    ) -> None:
        self.dtype = dtype
        self.element_shape = element_shape
        self.max_length = max_length
        self.base = base
        self.base_length = len(base)
        self.pushed: Pushed = None
        self.length = len(base)

    def _changed(self, base_length: int, pushed: Pushed, length: int) -> TensorList:
        result = TensorList.__new__(TensorList)
        result.dtype = self.dtype
        result.element_shape = self.element_shape
        result.max_length = self.max_length
        result.base = self.base
        result.base_length = base_length
        result.pushed = pushed
        result.length = length
        return result

    def push(self, element: Any) -> TensorList:
        """This list and one element more at its end.

        Raises:
          InvalidArgumentError: the list has as many elements as it may have.
        """
        if self.max_length is not None and self.length >= self.max_length:
            raise InvalidArgumentError(
                None,
                None,
                "Tried to push item into a full list",
                received=f"list size {self.length}, max_num_elements {self.max_length}",
            )
        return self._changed(self.base_length, (element, self.pushed), self.length + 1)

    def pop(self) -> tuple[TensorList, Any]:
        """This list without its last element, and that element.

        Raises:
          InvalidArgumentError: the list is empty.
        """
        if self.length == 0:
            raise InvalidArgumentError(None, None, "Trying to pop from an empty list")
        if self.pushed is None:
            last = self.base[self.base_length - 1]
            return self._changed(self.base_length - 1, None, self.length - 1), last
        last, rest = self.pushed
        return self._changed(self.base_length, rest, self.length - 1), last

    def elements(self) -> list[Any]:
        """All elements in order."""
        tail = []
        cell = self.pushed
        while cell is not None:
            element, cell = cell
            tail.append(element)
        return [*self.base[: self.base_length], *reversed(tail)]

    def with_elements(self, elements: Sequence[Any]) -> TensorList:
        """A list of the same kind that holds `elements`."""
        return TensorList(self.dtype, self.element_shape, elements, self.max_length)

    def zeros(self) -> TensorList:
        """A list of zeros in place of the elements."""
        return self.with_elements([zeros_of(element) for element in self.elements()])

    def plus(self, other: TensorList) -> TensorList:
        """The sums of the elements at each place.

        Raises:
          InvalidArgumentError: the lists have different lengths.
        """
        if self.length != other.length:
            raise InvalidArgumentError(
                None,
                None,
                "Trying to add two lists of tensors with different lengths",
                received=f"{self.length} and {other.length} elements",
            )
        pairs = zip(self.elements(), other.elements())
        return self.with_elements([_sum_of(first, second) for first, second in pairs])

    def __len__(self) -> int:
        return self.length

    def __repr__(self) -> str:
        return f"<TensorList {self.dtype.name}{self.element_shape}[{self.length}]>"


def zeros_of(element: Any) -> Any:
    """Zeros in place of an element; what has no numbers stays as it is."""
    if isinstance(element, TensorList):
        return element.zeros()
    if isinstance(element, np.ndarray) and element.dtype != object:
        return np.zeros(element.shape, element.dtype)
    return element


def _sum_of(first: Any, second: Any) -> Any:
    if first is None or second is None:
        return second if first is None else first
    if isinstance(first, TensorList):
        return first.plus(second)
    return np.add(first, second, out=...)

"""TensorArrayStorage: the elements of a TensorArray during one step, and the rules for using them.

An element is written once and, unless it is kept, read once. In the array of a gradient writes add
up instead, and what was never written is zeros.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.kernels.allocation import check_allocation

#: What an element costs before anything is written to it.
_ELEMENT_BYTES = 128


class _Element:
    """One place: its value while there is one, and what happened to it."""

    __slots__ = ("cleared", "read", "shape", "value", "written")

    def __init__(self, shape: tuple[int, ...] | None = None) -> None:
        self.value: np.ndarray | None = None
        self.shape = shape
        self.written = False
        self.read = False
        self.cleared = False


class TensorArrayStorage:
    """A list of arrays that are written and read by index.

    Args:
      name: for messages.
      dtype: of the elements.
      size: how many there are at first.
      element_shape: the shape that all of them must fit.
      dynamic_size: writes beyond the end make it longer.
      clear_after_read: an element is dropped once it has been read.
      identical_element_shapes: the first element decides the shape of all.
      is_gradient: writes to one place add up.

    Attributes:
      gradients: the arrays of gradients with respect to this one, by source.
    """

    def __init__(
        self,
        name: str,
        dtype: DType,
        size: int,
        element_shape: TensorShape = UNKNOWN,
        *,
        dynamic_size: bool = False,
        clear_after_read: bool = True,
        identical_element_shapes: bool = False,
        is_gradient: bool = False,
    ) -> None:
        if size < 0:
            raise InvalidArgumentError(
                None, None, "Size should be >= 0", received=f"size {size}", expected="0 or more"
            )
        check_allocation((size, _ELEMENT_BYTES), np.dtype(np.uint8))
        self.name = name
        self.dtype = dtype
        self.element_shape = element_shape
        self.gradients: dict[str, TensorArrayStorage] = {}
        self._dynamic_size = dynamic_size
        self._clear_after_read = clear_after_read
        self._identical_element_shapes = identical_element_shapes
        self._is_gradient = is_gradient
        self._elements: list[_Element] | None = [_Element() for _ in range(size)]
        self._lock = threading.RLock()

    def size(self) -> int:
        """The number of places."""
        return len(self._open_elements())

    def close(self) -> None:
        """Drops all elements; the array cannot be used any more."""
        with self._lock:
            self._elements = None

    # --- writing ----------------------------------------------------------------------------------

    def write(self, index: int, value: np.ndarray) -> None:
        """Puts `value` in its place.

        Raises:
          InvalidArgumentError: there is no such place, it has been written or read, or `value` has
            another dtype or shape than elements may have.
        """
        with self._lock:
            element = self._place_to_write(index)
            self._check_value(index, value)
            if self._is_gradient and element.written:
                self._add(index, element, value)
                return
            if element.written:
                self._refuse(
                    f"Could not write to TensorArray index {index} because it has already been "
                    "written to"
                )
            if element.shape is not None and element.shape != value.shape:
                self._refuse(
                    f"Could not write to TensorArray index {index}",
                    received=f"shape {list(value.shape)}",
                    expected=f"the shape of the element that it is the gradient of, "
                    f"{list(element.shape)}",
                )
            element.value = value
            element.shape = value.shape
            element.written = True

    def write_many(self, indices: Sequence[int], values: Sequence[np.ndarray]) -> None:
        """Puts each value in its place."""
        with self._lock:
            for index, value in zip(indices, values):
                self.write(index, value)

    def _place_to_write(self, index: int) -> _Element:
        elements = self._open_elements()
        if index < 0 or (index >= len(elements) and not self._dynamic_size):
            self._refuse(
                f"Tried to write to index {index} but array "
                + ("indices are not negative" if index < 0 else "is not resizeable"),
                received=f"index {index}",
                expected=f"0 to {len(elements) - 1}",
                remedy="" if index < 0 else "Give the array its size, or dynamic_size=True.",
            )
        while index >= len(elements):
            elements.append(_Element())
        element = elements[index]
        if element.read:
            self._refuse(
                f"Could not write to TensorArray index {index} because it has already been read"
            )
        return element

    def _check_value(self, index: int, value: np.ndarray) -> None:
        if value.dtype != self.dtype.numpy_dtype:
            self._refuse(
                f"Could not write to TensorArray index {index} because the value dtype is "
                f"{value.dtype} but TensorArray dtype is {self.dtype.name}"
            )
        shape = TensorShape._of(value.shape)
        if not shape.is_subtype_of(self.element_shape):
            self._refuse(
                f"Could not write to TensorArray index {index}",
                received=f"shape {list(value.shape)}",
                expected=f"a shape that fits {self.element_shape}",
            )
        if self._identical_element_shapes:
            self.element_shape = shape

    def _add(self, index: int, element: _Element, value: np.ndarray) -> None:
        assert element.value is not None
        if element.value.shape != value.shape:
            self._refuse(
                f"Could not aggregate to TensorArray index {index}",
                received=f"shape {list(value.shape)}",
                expected=f"the shape of what is there, {list(element.value.shape)}",
            )
        element.value = np.add(element.value, value, out=...)

    # --- reading ----------------------------------------------------------------------------------

    def read(self, index: int) -> np.ndarray:
        """The element at `index`; zeros if it was never written and its shape is known.

        Raises:
          InvalidArgumentError: there is no such place, its element was dropped after a read, or it
            was never written and its shape is not known.
        """
        with self._lock:
            elements = self._open_elements()
            if not 0 <= index < len(elements):
                self._refuse(f"Tried to read from index {index} but array size is: {len(elements)}")
            element = elements[index]
            if element.cleared:
                self._refuse(
                    f"Could not read index {index} twice because it was cleared after a previous "
                    "read",
                    remedy="Make the array with clear_after_read=False.",
                )
            if element.value is None:
                element.value = self._zeros(index, element)
            value = element.value
            element.read = True
            if self._clear_after_read:
                element.value = None
                element.cleared = True
            return value

    def read_many(self, indices: Sequence[int]) -> list[np.ndarray]:
        """The elements at `indices`."""
        with self._lock:
            return [self.read(index) for index in indices]

    def _zeros(self, index: int, element: _Element) -> np.ndarray:
        shape: Any = element.shape
        if shape is None and self.element_shape.is_fully_defined():
            shape = tuple(self.element_shape.as_list())
        if shape is None or self.dtype.name == "string":
            self._refuse(
                f"Could not read from TensorArray index {index}, which was never written: what it "
                f"would be is not known from the element shape {self.element_shape}",
                remedy="Write the element before it is read, or give the array an element_shape.",
            )
        return np.zeros(shape, self.dtype.numpy_dtype)

    # --- gradients --------------------------------------------------------------------------------

    def gradient(self, source: str, prepended_shape: tuple[int, ...] = ()) -> TensorArrayStorage:
        """The array of the gradients of this one's elements, the same for all calls of one source.

        From then on this array does not grow, since its gradient would have to.

        Args:
          source: the name of the computation of gradients.
          prepended_shape: dimensions that each gradient has in front of its element's.
        """
        with self._lock:
            if source not in self.gradients:
                self._dynamic_size = False
                self.gradients[source] = self._new_gradient(source, prepended_shape)
            return self.gradients[source]

    def _new_gradient(self, source: str, prepended_shape: tuple[int, ...]) -> TensorArrayStorage:
        elements = self._open_elements()
        result = TensorArrayStorage(
            f"{self.name}@{source}",
            self.dtype,
            len(elements),
            TensorShape(prepended_shape).concatenate(self.element_shape),
            clear_after_read=True,
            identical_element_shapes=self._identical_element_shapes,
            is_gradient=True,
        )
        for place, element in zip(result._open_elements(), elements):
            if element.shape is not None:
                place.shape = prepended_shape + element.shape
        return result

    def _open_elements(self) -> list[_Element]:
        if self._elements is None:
            self._refuse("It has already been closed")
        return self._elements

    def _refuse(
        self, message: str, *, received: str = "", expected: str = "", remedy: str = ""
    ) -> NoReturn:
        raise InvalidArgumentError(
            None,
            None,
            f"TensorArray {self.name}: {message}",
            received=received or None,
            expected=expected or None,
            remedy=remedy or None,
        )

    def __repr__(self) -> str:
        count = "closed" if self._elements is None else len(self._elements)
        return f"<TensorArrayStorage {self.name} {self.dtype.name}[{count}]>"

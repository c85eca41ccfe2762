"""Lookup tables: what a session keeps under a table's handle; keys are found in a dict.

    table.insert(keys, values)      table.find(keys, default)       table.export()

Keys and values are scalars, or rows of a fixed shape: values of vectors, and keys of dense tables.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import (
    AbortedError,
    FailedPreconditionError,
    InvalidArgumentError,
    UnimplementedError,
)

Shape = tuple[int, ...]


class LookupTable:
    """Keys and their values.

    Args:
      name: for messages.
      key_dtype, value_dtype: of keys and values.
      value_shape: of one value; `()` or one dimension.
      key_shape: of one key.
    """

    def __init__(
        self,
        name: str,
        key_dtype: DType,
        value_dtype: DType,
        value_shape: Shape = (),
        key_shape: Shape = (),
    ) -> None:
        self.name = name
        self.key_dtype = key_dtype
        self.value_dtype = value_dtype
        self.value_shape = value_shape
        self.key_shape = key_shape
        self._values: dict[Any, Any] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        types = f"{self.key_dtype.name} → {self.value_dtype.name}"
        return f"<{type(self).__name__} {self.name} of {self.size()}, {types}>"

    # --- what steps ask for ---------------------------------------------------------------

    def size(self) -> int:
        """How many keys there are."""
        return len(self._values)

    def find(self, keys: np.ndarray, default: np.ndarray) -> np.ndarray:
        """The value of each key; `default`, of one value or of all, where there is none."""
        outer = self._outer_shape(keys)
        shape = (*outer, *self.value_shape)
        if default.shape not in (self.value_shape, shape):
            raise InvalidArgumentError(
                None,
                None,
                "A default value has another shape than values of the table",
                received=list(default.shape),
                expected=f"{list(self.value_shape)} or {list(shape)}",
            )
        items = self._as_keys(keys)
        if default.shape == shape and outer:
            defaults = self._as_values(default)
        else:
            defaults = [default.tolist() if not self.value_shape else default] * len(items)
        with self._lock:
            found = [self._values.get(key, other) for key, other in zip(items, defaults)]
        return self._values_array(found).reshape(shape)

    def insert(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Sets the values of keys; the last one of equal keys counts."""
        self._check_values(keys, values)
        with self._lock:
            self._put(self._as_keys(keys), self._as_values(values))

    def remove(self, keys: np.ndarray) -> None:
        """Forgets keys; those that are not there are no matter."""
        with self._lock:
            self._drop(self._as_keys(keys))

    def replace_all(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Forgets everything, then inserts."""
        self._check_values(keys, values)
        with self._lock:
            self._drop(list(self._values))
            self._put(self._as_keys(keys), self._as_values(values))

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        """(keys, values), in no particular order."""
        with self._lock:
            keys, values = list(self._values), list(self._values.values())
        return self._keys_array(keys), self._values_array(values)

    def initialize(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Gives a static table its content; other tables have no such thing."""
        raise InvalidArgumentError(None, None, f"Table {self.name} is not initializable")

    # --- storage --------------------------------------------------------------------------

    def _put(self, keys: Sequence[Any], values: Sequence[Any]) -> None:
        self._values.update(zip(keys, values))

    def _drop(self, keys: Sequence[Any]) -> None:
        for key in keys:
            self._values.pop(key, None)

    # --- arrays as items, and items as arrays ---------------------------------------------

    def _outer_shape(self, keys: np.ndarray) -> Shape:
        """The shape of an array of keys less that of one key."""
        split = keys.ndim - len(self.key_shape)
        if split < 0 or keys.shape[split:] != self.key_shape:
            raise InvalidArgumentError(
                None,
                None,
                "Keys have another shape than keys of the table",
                received=list(keys.shape),
                expected=f"[..., {', '.join(map(str, self.key_shape))}]",
            )
        return keys.shape[:split]

    def _check_values(self, keys: np.ndarray, values: np.ndarray) -> None:
        expected = (*self._outer_shape(keys), *self.value_shape)
        if values.shape != expected:
            raise InvalidArgumentError(
                None,
                None,
                f"Expected shape {list(expected)} for value, got {list(values.shape)}",
            )

    def _as_keys(self, keys: np.ndarray) -> list[Any]:
        if not self.key_shape:
            return keys.reshape(-1).tolist()
        return [tuple(row) for row in keys.reshape(-1, math.prod(self.key_shape)).tolist()]

    def _as_values(self, values: np.ndarray) -> list[Any]:
        if not self.value_shape:
            return values.reshape(-1).tolist()
        rows = values.reshape(-1, *self.value_shape)
        return [row.copy() for row in rows]

    def _keys_array(self, keys: Sequence[Any]) -> np.ndarray:
        array = np.empty((len(keys), *self.key_shape), self.key_dtype.numpy_dtype)
        for place, key in enumerate(keys):
            array[place] = key
        return array

    def _values_array(self, values: Sequence[Any]) -> np.ndarray:
        array = np.empty((len(values), *self.value_shape), self.value_dtype.numpy_dtype)
        if self.value_shape:
            for place, value in enumerate(values):
                array[place] = value
        else:
            array[:] = values
        return array

    # --- what fits ------------------------------------------------------------------------

    def check_dtypes(self, key_dtype: DType, value_dtype: DType) -> None:
        """Raises InvalidArgumentError unless these are the types of keys and values."""
        if key_dtype is not self.key_dtype or value_dtype is not self.value_dtype:
            raise InvalidArgumentError(
                None,
                None,
                f"Signature mismatch with table {self.name}",
                received=f"{key_dtype.name} → {value_dtype.name}",
                expected=f"{self.key_dtype.name} → {self.value_dtype.name}",
            )


class StaticTable(LookupTable):
    """A table that gets its content once, before anything is looked up."""

    def __init__(self, name: str, key_dtype: DType, value_dtype: DType) -> None:
        super().__init__(name, key_dtype, value_dtype)
        self.is_initialized = False

    def find(self, keys: np.ndarray, default: np.ndarray) -> np.ndarray:
        if not self.is_initialized:
            raise FailedPreconditionError(
                None,
                None,
                f"Table not initialized: {self.name}",
                remedy="Run its initializer first: sess.run(tf.tables_initializer()).",
            )
        found = super().find(keys, default)
        if default.size <= 1:
            return found
        # As in TensorFlow, the first of several default values counts for all.
        return super().find(keys, default.reshape(-1)[:1].reshape(()))

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        if not self.is_initialized:
            raise AbortedError(None, None, f"Table is not initialized: {self.name}")
        return super().export()

    def insert(self, keys: np.ndarray, values: np.ndarray) -> None:
        raise UnimplementedError(None, None, "Insert not supported by initializable tables")

    def remove(self, keys: np.ndarray) -> None:
        raise UnimplementedError(None, None, "Remove not supported by initializable tables")

    def replace_all(self, keys: np.ndarray, values: np.ndarray) -> None:
        self.initialize(keys, values)

    def initialize(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Sets the content; once more only with as many keys, which changes nothing."""
        if keys.shape != values.shape:
            raise InvalidArgumentError(
                None,
                None,
                "Keys and values must have the same size",
                received=f"{list(keys.shape)} and {list(values.shape)}",
            )
        with self._lock:
            if self.is_initialized:
                self._check_unchanged(keys.size)
                return
            self._values = self._without_conflict(self._as_keys(keys), self._as_values(values))
            self.is_initialized = True

    def _check_unchanged(self, count: int) -> None:
        if count != len(self._values):
            raise FailedPreconditionError(
                None,
                None,
                "Table was already initialized with different data",
                received=f"{count} keys",
                expected=f"{len(self._values)} keys",
            )

    @staticmethod
    def _without_conflict(keys: Sequence[Any], values: Sequence[Any]) -> dict[Any, Any]:
        content: dict[Any, Any] = {}
        for key, value in zip(keys, values):
            if content.setdefault(key, value) != value:
                raise FailedPreconditionError(
                    None,
                    None,
                    "HashTable has different value for same key",
                    received=f"key {key!r} with {value!r} after {content[key]!r}",
                )
        return content

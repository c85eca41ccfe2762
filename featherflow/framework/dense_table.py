"""DenseTable: a lookup table with open addressing, whose buckets can be exported.

    bucket = hash(key) + 0, 1, 3, 6, …   mod 2ⁿ       until it is empty or deleted

Keys are found in a dict all the same; the buckets say where an export shows each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.lookup_table import LookupTable, Shape

_EMPTY, _DELETED = object(), object()


class DenseTable(LookupTable):
    """A table that marks its buckets with two keys that nobody uses.

    Args:
      name: for messages.
      value_dtype, value_shape: of values.
      key_dtype: of keys.
      empty_key, deleted_key: the marks; None for a table from which nothing is removed.
      buckets: how many there are at first, a power of two.
      load: how full they may be.
      hash_of: of a key.
    """

    def __init__(
        self,
        name: str,
        key_dtype: DType,
        value_dtype: DType,
        value_shape: Shape,
        empty_key: np.ndarray,
        deleted_key: np.ndarray | None,
        buckets: int,
        load: float,
        hash_of: Callable[[Any], int],
    ) -> None:
        super().__init__(name, key_dtype, value_dtype, value_shape, empty_key.shape)
        self._marks = {"empty_key": self._as_keys(empty_key)[0]}
        if deleted_key is not None:
            self._marks["deleted_key"] = self._as_keys(deleted_key)[0]
            if self._marks["deleted_key"] == self._marks["empty_key"]:
                raise InvalidArgumentError(None, None, "Empty and deleted keys cannot be equal")
        self._load = load
        self._hash_of = hash_of
        self._buckets: list[Any] = [_EMPTY] * buckets
        self._places: dict[Any, int] = {}
        self._remains: dict[int, Any] = {}  # the values that are left in deleted buckets

    def find(self, keys: np.ndarray, default: np.ndarray) -> np.ndarray:
        self._outer_shape(keys)
        self._refuse_marks(self._as_keys(keys))
        return super().find(keys, default)

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        """(keys, values) of all buckets; those that were never used have zeros for values."""
        with self._lock:
            buckets, values = list(self._buckets), dict(self._values)
            remains = dict(self._remains)
        marks = {_EMPTY: self._marks["empty_key"], _DELETED: self._marks.get("deleted_key")}
        nothing = np.zeros(self.value_shape, self.value_dtype.numpy_dtype)
        keys = self._keys_array([marks.get(key, key) for key in buckets])
        shown = self._values_array(
            [values.get(key, remains.get(place, nothing)) for place, key in enumerate(buckets)]
        )
        # Scalars are rows of one: buckets are matrices.
        return keys.reshape(len(buckets), -1), shown.reshape(len(buckets), -1)

    def replace_all(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Forgets everything, then inserts what does not mark a bucket."""
        size = len(keys)
        rows = keys.reshape(size, *self.key_shape), values.reshape(size, *self.value_shape)
        self._check_values(*rows)
        pairs = [
            (key, value)
            for key, value in zip(self._as_keys(rows[0]), self._as_values(rows[1]))
            if key not in self._marks.values()
        ]
        with self._lock:
            self._values.clear()
            self._places.clear()
            self._remains.clear()
            self._buckets = [_EMPTY] * len(self._buckets)
            self._put([key for key, _ in pairs], [value for _, value in pairs])

    # --- storage --------------------------------------------------------------------------

    def _put(self, keys: Sequence[Any], values: Sequence[Any]) -> None:
        self._refuse_marks(keys)
        self._make_room(len(keys))
        super()._put(keys, values)
        for key in keys:
            if key not in self._places:
                self._place(key)

    def _drop(self, keys: Sequence[Any]) -> None:
        self._refuse_marks(keys)
        for key in keys:
            if key in self._places:
                bucket = self._places.pop(key)
                self._buckets[bucket] = _DELETED
                self._remains[bucket] = self._values.pop(key)

    def _refuse_marks(self, keys: Sequence[Any]) -> None:
        for name, mark in self._marks.items():
            if mark in keys:
                raise InvalidArgumentError(
                    None, None, f"Using the {name} as a table key is not allowed", received=mark
                )

    def _make_room(self, count: int) -> None:
        """Doubles the buckets until `count` more keys fit."""
        wanted = len(self._buckets)
        while len(self._values) + count > wanted * self._load:
            wanted *= 2
        if wanted == len(self._buckets):
            return
        old = [key for key in self._buckets if key is not _EMPTY and key is not _DELETED]
        self._buckets = [_EMPTY] * wanted
        self._remains.clear()
        for key in old:
            self._place(key)

    def _place(self, key: Any) -> None:
        mask = len(self._buckets) - 1
        bucket, step = self._hash_of(key) & mask, 0
        while self._buckets[bucket] is not _EMPTY and self._buckets[bucket] is not _DELETED:
            step += 1
            bucket = (bucket + step) & mask
        self._buckets[bucket] = key
        self._places[key] = bucket
        self._remains.pop(bucket, None)

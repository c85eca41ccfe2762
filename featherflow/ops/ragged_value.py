"""RaggedTensorValue: a ragged tensor of arrays, as `Session.run` gives it and takes it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from featherflow.framework.exports import export_v1


@export_v1("ragged.RaggedTensorValue")
class RaggedTensorValue:
    """`values[row_splits[i] : row_splits[i + 1]]` is row i.

    Args:
      values: an array, or a RaggedTensorValue for more than one ragged dimension.
      row_splits: [rows + 1], int32 or int64.
    Raises:
      TypeError: `row_splits` is no such vector.
    """

    __slots__ = ("_row_splits", "_values")

    def __init__(self, values: Any, row_splits: Any) -> None:
        if not (isinstance(row_splits, np.ndarray) and row_splits.dtype in (np.int64, np.int32)):
            raise TypeError("row_splits must be a 1D int32 or int64 numpy array")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError("values must be a numpy array or a RaggedTensorValue")
        self._values: Any = values
        self._row_splits = row_splits

    @property
    def values(self) -> Any:
        """The rows, one after the other."""
        return self._values

    @property
    def row_splits(self) -> np.ndarray:
        """Where each row starts, and the last ends."""
        return self._row_splits

    @property
    def flat_values(self) -> np.ndarray:
        """The values inside of all ragged dimensions."""
        if isinstance(self._values, RaggedTensorValue):
            return self._values.flat_values
        return self._values

    @property
    def nested_row_splits(self) -> tuple[np.ndarray, ...]:
        """The row splits of all ragged dimensions, the outermost first."""
        if isinstance(self._values, RaggedTensorValue):
            return (self._row_splits, *self._values.nested_row_splits)
        return (self._row_splits,)

    @property
    def ragged_rank(self) -> int:
        """The number of ragged dimensions."""
        return len(self.nested_row_splits)

    @property
    def dtype(self) -> np.dtype:
        """The type of the elements."""
        return self.flat_values.dtype

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The sizes, None for ragged dimensions."""
        return (len(self._row_splits) - 1, None, *self._values.shape[1:])

    def to_list(self) -> list[Any]:
        """Nested lists of the elements."""
        values = self._values
        rows = values.to_list() if isinstance(values, RaggedTensorValue) else values.tolist()
        return [rows[start:end] for start, end in itertools.pairwise(self._row_splits.tolist())]

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"


def nested_depth(item: Any) -> int | None:
    """How deep scalars lie in nested lists; None if there are none.

    Raises:
      ValueError: they lie at different depths.
    """
    if isinstance(item, np.ndarray):
        return item.ndim
    if not isinstance(item, (list, tuple)):
        return 0
    depths = {depth for depth in map(nested_depth, item) if depth is not None}
    if len(depths) > 1:
        raise ValueError("all scalar values must have the same nesting depth")
    return depths.pop() + 1 if depths else None


def empty_depth(item: Any) -> int:
    """How deep lists are nested, empty ones too."""
    if not isinstance(item, (list, tuple)):
        return 0
    return 1 + max(map(empty_depth, item), default=0)


def split_rows(
    rows: Any, ragged_rank: int | None, inner_shape: tuple[int, ...] | None
) -> tuple[list[np.ndarray], list[Any], tuple[int, ...] | None]:
    """Nested lists as nested row splits (int64), the list of what is inside, and its inner shape.

    Raises:
      ValueError: the lists have not that many levels, or scalars lie at different depths.
    """
    depth = nested_depth(rows)
    levels = empty_depth(rows)
    if depth is not None and levels > depth:
        raise ValueError("some empty lists are deeper than the scalar values")
    depth = levels if depth is None else depth
    if ragged_rank is None:
        ragged_rank = max(0, depth - 1 - len(inner_shape or ()))
    if ragged_rank > max(0, depth - 1):
        raise ValueError(f"Invalid pylist: ragged_rank {ragged_rank} for lists {depth} deep.")
    splits: list[np.ndarray] = []
    flat = list(rows)
    for _ in range(ragged_rank):
        splits.append(np.cumsum([0, *(len(row) for row in flat)]).astype(np.int64))
        flat = [item for row in flat for item in row]
    return splits, flat, inner_shape


@export_v1("ragged.constant_value")
def constant_value(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    row_splits_dtype: Any = "int64",
) -> Any:
    """Nested lists as a RaggedTensorValue.

    Args:
      pylist: lists of lists of numbers or strings.
      dtype: NumPy type of the elements; None takes their own.
      ragged_rank: how many dimensions are ragged; None for all but the first and `inner_shape`.
      inner_shape: of the elements inside of the ragged dimensions.
      row_splits_dtype: int32 or int64.
    Returns:
      A RaggedTensorValue, or an array where no dimension is ragged.
    Raises:
      ValueError: the elements are nested to different depths.
    """
    inner = None if inner_shape is None else tuple(inner_shape)
    splits, flat, inner = split_rows(pylist, ragged_rank, inner)
    values: Any = np.array(flat, dtype)
    if inner is not None:
        values = values.reshape(-1, *inner)
    kind = np.dtype(getattr(row_splits_dtype, "as_numpy_dtype", row_splits_dtype))
    for row_splits in reversed(splits):
        values = RaggedTensorValue(values, row_splits.astype(kind))
    return values

"""RaggedTensor: rows of different lengths, as values and the places where rows start and end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from featherflow.framework import dtypes, nest
from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.composite_tensor import CompositeTensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.graph_api import control_dependencies
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.ops import ragged_splits as partitions
from featherflow.ops.cast_ops import cast
from featherflow.ops.constant_ops import constant
from featherflow.ops.gather_ops import gather
from featherflow.ops.identity_ops import identity
from featherflow.ops.pack_ops import stack
from featherflow.ops.ragged_conversion_ops import RaggedTensorToSparse, RaggedTensorToTensor
from featherflow.ops.ragged_value import RaggedTensorValue
from featherflow.ops.reduction_ops import reduce_max
from featherflow.ops.shape_ops import shape as shape_of

_SPLITS = (dtypes.int32, dtypes.int64)


class RaggedTensor(CompositeTensor):
    """Row i is `values[row_splits[i] : row_splits[i + 1]]`; made by the `from_…` functions.

    `values` is a tensor, or a RaggedTensor for more than one ragged dimension.

    >>> import featherflow as tf
    >>> rt = tf.RaggedTensor.from_row_lengths([3, 1, 4, 1], [1, 0, 3])
    >>> with tf.Session() as sess:
    ...     sess.run(rt).to_list()
    [[3], [], [1, 4, 1]]
    """

    __slots__ = ("__weakref__", "_row_splits", "_uniform", "_values")

    #: What Python's operators do, by name; set by `ragged_operators`.
    operators: ClassVar[dict[str, Callable[..., Any]]] = {}
    __array_priority__ = 100

    def __init__(self, values: Any, row_splits: Tensor, uniform: int | None = None) -> None:
        self._values = values
        self._row_splits = row_splits
        self._uniform = uniform

    # --- construction -----------------------------------------------------------------

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows that start and end at `row_splits`: [rows + 1], from 0 to the number of values."""
        with op_scope(name, "RaggedFromRowSplits"):
            values, splits = _converted(values), partitions.to_splits(row_splits)
            if validate:
                splits = partitions.checked(splits, _length(values, splits.dtype))
            return cls(values, splits)

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows of the lengths given: [rows]."""
        with op_scope(name, "RaggedFromRowLengths"):
            splits = partitions.of_lengths(partitions.to_splits(row_lengths, "row_lengths"))
            return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows that start at `row_starts`: [rows]."""
        with op_scope(name, "RaggedFromRowStarts"):
            values, starts = _converted(values), partitions.to_splits(row_starts, "row_starts")
            splits = partitions.of_starts(starts, _length(values, starts.dtype))
            return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows that end at `row_limits`: [rows]."""
        with op_scope(name, "RaggedFromRowLimits"):
            splits = partitions.of_limits(partitions.to_splits(row_limits, "row_limits"))
            return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Rows by the row of each value: [values], ascending, all below `nrows`."""
        with op_scope(name, "RaggedFromValueRowIds"):
            ids = partitions.to_splits(value_rowids, "value_rowids")
            count = None if nrows is None else convert_to_tensor(nrows, ids.dtype)
            splits = partitions.of_row_ids(ids, count, validate)
            return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_uniform_row_length(
        cls,
        values: Any,
        uniform_row_length: Any,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> RaggedTensor:
        """Rows of one length; `nrows` says how many there are where that is 0."""
        with op_scope(name, "RaggedFromUniformRowLength"):
            values = _converted(values)
            length = partitions.to_splits(uniform_row_length, "uniform_row_length")
            count = None if nrows is None else convert_to_tensor(nrows, length.dtype)
            splits = partitions.of_one_length(length, _length(values, length.dtype), count)
            known = uniform_row_length if isinstance(uniform_row_length, int) else None
            if validate:
                splits = partitions.checked(splits, _length(values, splits.dtype))
            return cls(values, splits, known)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Several ragged dimensions by their row splits, the outermost first."""
        _check_list(nested_row_splits, "nested_row_splits")
        with op_scope(name, "RaggedFromNestedRowSplits"):
            for splits in reversed(nested_row_splits):
                flat_values = cls.from_row_splits(flat_values, splits, validate=validate)
            return flat_values

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Several ragged dimensions by their row lengths, the outermost first."""
        _check_list(nested_row_lengths, "nested_row_lengths")
        with op_scope(name, "RaggedFromNestedRowlengths"):
            for lengths in reversed(nested_row_lengths):
                flat_values = cls.from_row_lengths(flat_values, lengths, validate=validate)
            return flat_values

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Any,
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Several ragged dimensions by the rows of their values, the outermost first."""
        _check_list(nested_value_rowids, "nested_value_rowids")
        counts = [None] * len(nested_value_rowids) if nested_nrows is None else nested_nrows
        with op_scope(name, "RaggedFromNestedValueRowIds"):
            for ids, count in zip(reversed(nested_value_rowids), reversed(counts), strict=True):
                flat_values = cls.from_value_rowids(flat_values, ids, count, validate=validate)
            return flat_values

    # --- parts ------------------------------------------------------------------------

    @property
    def values(self) -> Any:
        """The rows, one after the other: a tensor or a RaggedTensor."""
        return self._values

    @property
    def row_splits(self) -> Tensor:
        """Where each row starts, and the last ends: [rows + 1]."""
        return self._row_splits

    @property
    def flat_values(self) -> Tensor:
        """The values inside of all ragged dimensions."""
        is_ragged = isinstance(self._values, RaggedTensor)
        return self._values.flat_values if is_ragged else self._values

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The row splits of all ragged dimensions, the outermost first."""
        is_ragged = isinstance(self._values, RaggedTensor)
        return (self._row_splits, *(self._values.nested_row_splits if is_ragged else ()))

    @property
    def ragged_rank(self) -> int:
        """The number of ragged dimensions."""
        return len(self.nested_row_splits)

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length of all rows, where it is one by construction; else None."""
        return None if self._uniform is None else constant(self._uniform, self._row_splits.dtype)

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape, None for the sizes of ragged dimensions."""
        splits = self._row_splits.shape.as_list()[0] if self._row_splits.shape.rank else None
        inner = self._values.shape
        if inner.rank is None:
            return TensorShape(None)
        rows = None if splits is None else splits - 1
        return TensorShape([rows, self._uniform, *inner.as_list()[1:]])

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    @property
    def graph(self) -> Any:
        """The graph that holds the parts."""
        return self._row_splits.graph

    def consumers(self) -> list[Any]:
        """The Operations that take a part as an input."""
        return [consumer for part in self.parts() for consumer in part.consumers()]

    # --- rows -------------------------------------------------------------------------

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """The number of rows."""
        with op_scope(name, "RaggedNRows"):
            dtype = self._row_splits.dtype if out_type is None else out_type
            return shape_of(self._row_splits, out_type=dtype)[0] - 1  # type: ignore[index]

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row starts: [rows]."""
        with op_scope(name, "RaggedRowStarts"):
            return self._row_splits[:-1]  # type: ignore[index]

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends: [rows]."""
        with op_scope(name, "RaggedRowLimits"):
            return self._row_splits[1:]  # type: ignore[index]

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """The length of each row along `axis`: [rows], ragged for axes beyond 1."""
        if axis < 1 or axis > self.ragged_rank:
            raise ValueError(f"axis={axis} is not one of the ragged dimensions of {self}")
        with op_scope(name, "RaggedRowLengths"):
            if axis > 1:
                return self.with_values(self._values.row_lengths(axis - 1))
            return self.row_limits() - self.row_starts()  # type: ignore[operator]

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row lengths of all ragged dimensions, the outermost first."""
        with op_scope(name, "RaggedNestedRowLengths"):
            nested: Any = self.nested_row_splits
            return tuple(splits[1:] - splits[:-1] for splits in nested)

    def value_rowids(self, name: str | None = None) -> Tensor:
        """The row of each value: [values]."""
        with op_scope(name, "RaggedValueRowIds"):
            return partitions.row_ids(self._row_splits)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The rows of the values of all ragged dimensions, the outermost first."""
        with op_scope(name, "RaggedNestedValueRowIds"):
            return tuple(partitions.row_ids(splits) for splits in self.nested_row_splits)

    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: Any = None
    ) -> Tensor:
        """The shape of the smallest tensor that holds all rows, or its sizes along `axis`."""
        with op_scope(name, "RaggedBoundingBox"):
            dtype = self._row_splits.dtype if out_type is None else dtypes.as_dtype(out_type)
            zero = constant([0], self._row_splits.dtype)
            lengths = [self.nrows()]
            for splits in self.nested_row_splits:
                given: Any = splits
                sizes = partitions.joined([zero, given[1:] - given[:-1]])
                lengths.append(reduce_max(sizes))
            inner: Any = shape_of(self.flat_values, out_type=self._row_splits.dtype)
            box: Any = cast(partitions.joined([stack(lengths), inner[1:]]), dtype)
            return box if axis is None else gather(box, axis)

    # --- other forms ------------------------------------------------------------------

    def with_values(self, new_values: Any) -> RaggedTensor:
        """The same rows of other values; as many as there are."""
        values = _converted(new_values)
        values.shape[:1].assert_is_compatible_with(self._values.shape[:1])
        return RaggedTensor(values, self._row_splits, self._uniform)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """The same rows of other values inside of all ragged dimensions."""
        is_ragged = isinstance(self._values, RaggedTensor)
        return self.with_values(
            self._values.with_flat_values(new_values) if is_ragged else new_values
        )

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
        """The same rows, their splits int32 or int64."""
        dtype = dtypes.as_dtype(dtype)
        if dtype not in _SPLITS:
            raise ValueError(f"Argument `row_splits` dtype must be int32 or int64, not {dtype}.")
        values = self._values
        if isinstance(values, RaggedTensor):
            values = values.with_row_splits_dtype(dtype)
        splits = self._row_splits
        splits = splits if splits.dtype == dtype else cast(splits, dtype)
        return RaggedTensor(values, splits, self._uniform)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """The dimensions [outer_axis, inner_axis] as one; a tensor if none is ragged then."""
        rank = self.shape.rank
        outer = outer_axis if outer_axis >= 0 or rank is None else outer_axis + rank
        inner = inner_axis if inner_axis >= 0 or rank is None else inner_axis + rank
        if not 0 <= outer < inner:
            raise ValueError(f"Expected outer_axis ({outer}) < inner_axis ({inner})")
        if outer > 0:
            is_ragged = isinstance(self._values, RaggedTensor)
            if outer == 1 and is_ragged:
                splits = self._row_splits
                merged: Any = self._values
                for _ in range(inner - 1):
                    splits = gather(merged.row_splits, splits)
                    merged = merged.values
                return RaggedTensor(merged, splits)
            return self.with_values(self._values.merge_dims(outer - 1, inner - 1))
        merged = self
        for _ in range(inner):
            if not isinstance(merged, RaggedTensor):
                raise ValueError("merge_dims goes as far as the ragged dimensions do")
            merged = merged.values
        return merged

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Tensor:
        """Rows filled up to one length with `default_value` (None for 0), or cut to `shape`."""
        with op_scope(name, "RaggedToTensor"):
            dtype = self.dtype.base_dtype
            filler = np.zeros((), dtype.numpy_dtype) if dtype is not dtypes.string else ""
            default = convert_to_tensor(filler if default_value is None else default_value, dtype)
            sizes: Any = -1 if shape is None else shape
            if shape is not None and not isinstance(shape, Tensor):
                known = TensorShape(shape).as_list()
                sizes = np.array([-1 if size is None else size for size in known], np.int64)
            result = RaggedTensorToTensor(
                convert_to_tensor(sizes, None if isinstance(sizes, Tensor) else dtypes.int64),
                self.flat_values,
                default,
                list(self.nested_row_splits),
                row_partition_types=["ROW_SPLITS"] * self.ragged_rank,
            )
            if self.shape.rank is not None and not isinstance(shape, Tensor):
                own = self.shape.as_list()
                given = TensorShape(shape).as_list() if shape is not None else own
                result.set_shape([b if a is None else a for a, b in zip(given, own)])
            return result

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = dtypes.int64,
    ) -> RaggedTensor:
        """The first `lengths` elements of a tensor's rows, or those before their padding."""
        return cls.operators["from_tensor"](
            tensor, lengths, padding, ragged_rank, name, row_splits_dtype
        )

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """The elements as a SparseTensor."""
        with op_scope(name, "RaggedToSparse"):
            parts = RaggedTensorToSparse(list(self.nested_row_splits), self.flat_values)
            return SparseTensor(*parts)

    @classmethod
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = dtypes.int64
    ) -> RaggedTensor:
        """A SparseTensor of rank 2 whose rows start at column 0 without gaps."""
        return cls.operators["from_sparse"](st_input, name, row_splits_dtype)

    # --- Session.run ------------------------------------------------------------------

    def parts(self) -> list[Tensor]:
        """The flat values, and the row splits from the outermost."""
        return [self.flat_values, *self.nested_row_splits]

    def value_of(self, parts: list[Any]) -> Any:
        """A RaggedTensorValue."""
        values, *splits = parts
        for row_splits in reversed(splits):
            values = RaggedTensorValue(values, row_splits)
        return values

    def feeds(self, value: Any) -> list[tuple[Tensor, Any]]:
        """The parts with those of a RaggedTensorValue."""
        if not isinstance(value, RaggedTensorValue) or value.ragged_rank != self.ragged_rank:
            raise ValueError(f"{self} is fed with a RaggedTensorValue of its ragged rank.")
        return list(zip(self.parts(), [value.flat_values, *value.nested_row_splits]))

    # --- operators --------------------------------------------------------------------

    def sparse_read(self, indices: Any, name: str | None = None) -> Any:
        """The rows of the numbers given, as `tf.gather` asks for them."""
        return self.operators["gather"](self, indices, name)

    def reduce_rows(self, op: Any, axis: Any, keepdims: bool | None, name: str | None) -> Any:
        """What `tf.reduce_sum` and the others give; `op` is that for tensors."""
        return self.operators["reduce"](self, op, axis, keepdims, name)

    def __getitem__(self, entries: Any) -> Any:
        return self.operators["getitem"](self, entries)

    def to_list(self) -> list[Any]:
        """Nested lists of its elements, where they have their values.

        Raises:
          ValueError: it is part of a graph.
        """
        return self._with_values("to_list").to_list()

    def numpy(self) -> np.ndarray:
        """Its rows: an array if all are of one length, else an array of arrays.

        Raises:
          ValueError: it is part of a graph.
        """
        value = self._with_values("numpy")
        lengths = {len(row) for row in value.to_list()}
        if len(lengths) <= 1 and value.ragged_rank == 1:
            return np.array(value.to_list(), dtype=value.dtype)
        result = np.empty(len(value.row_splits) - 1, dtype=object)
        for place, row in enumerate(self):
            result[place] = row.numpy()
        return result

    def _with_values(self, method: str) -> RaggedTensorValue:
        parts = [part._static_value() for part in self.parts()]
        if any(part.__class__ is Tensor for part in self.parts()):
            raise ValueError(f"RaggedTensor.{method}() is only supported in eager mode.")
        return self.value_of(parts)

    def __iter__(self) -> Any:
        rows = self.shape.as_list()[0] if self.shape.rank else None
        if rows is None:
            raise TypeError("A RaggedTensor of an unknown number of rows cannot be iterated over.")
        return iter([self[row] for row in range(rows)])

    def __repr__(self) -> str:
        if self._row_splits.__class__ is not Tensor:  # it has its value
            return f"<tf.RaggedTensor {self.to_list()}>"
        return f"tf.RaggedTensor(values={self._values}, row_splits={self._row_splits})"


nest.register_composite(
    RaggedTensor,
    lambda value: value.parts(),
    lambda value, parts: RaggedTensor.from_nested_row_splits(parts[0], parts[1:], validate=False),
)


def _converted(values: Any) -> Any:
    return values if isinstance(values, RaggedTensor) else convert_to_tensor(values)


def _length(values: Any, dtype: Any) -> Any:
    """The number of rows of a tensor or RaggedTensor."""
    if isinstance(values, RaggedTensor):
        return values.nrows(dtype)
    return shape_of(values, out_type=dtype)[0]  # type: ignore[index]


def _check_list(values: Any, what: str) -> None:
    if not isinstance(values, Sequence) or isinstance(values, Tensor):
        raise TypeError(f"Argument `{what}` must be a list of Tensors. Received {values}.")


def same_rows(first: RaggedTensor, second: RaggedTensor) -> RaggedTensor:
    """`second`, once it is found to have the rows of `first`."""
    checks = [
        partitions.equal(*pair)
        for pair in zip(first.nested_row_splits, second.nested_row_splits)
        if pair[0] is not pair[1]
    ]
    if not checks:
        return second
    with control_dependencies(checks):
        return second.with_flat_values(identity(second.flat_values))

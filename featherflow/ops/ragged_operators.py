"""Python's operators and indices on RaggedTensors; the public name leads here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_value
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.graph_api import control_dependencies
from featherflow.graph.tensor import Tensor
from featherflow.ops import ragged_splits as partitions
from featherflow.ops.assert_ops import assert_
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import Equal, NotEqual
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import concat
from featherflow.ops.extremum_ops import maximum, minimum
from featherflow.ops.gather_ops import gather
from featherflow.ops.identity_ops import identity
from featherflow.ops.ragged_gather_ops import RaggedGather, RaggedRange
from featherflow.ops.ragged_reductions import reduce_ragged
from featherflow.ops.ragged_tensor import RaggedTensor, same_rows
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_all, reduce_max
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.sparse_tensor_ops import as_sparse_tensor

__all__ = ["RaggedTensor"]

export_value(__name__, "RaggedTensor", "RaggedTensor")

# --- elementwise operators ------------------------------------------------------------------------


def flat_operands(x: Any, y: Any) -> tuple[RaggedTensor, Any, Any]:
    """The flat values of two operands, one of them ragged, brought to the rows of that one.

    Raises:
      ValueError: the shapes do not broadcast.
      InvalidArgumentError: two ragged operands have other rows.
    """
    if isinstance(x, RaggedTensor) and isinstance(y, RaggedTensor):
        if x.ragged_rank != y.ragged_rank:
            raise ValueError(f"Ragged ranks {x.ragged_rank} and {y.ragged_rank} differ.")
        return x, x.flat_values, same_rows(x, y).flat_values
    if isinstance(x, RaggedTensor):
        return x, x.flat_values, _along_rows(x, y, "y")
    return y, _along_rows(y, x, "x"), y.flat_values


def _along_rows(ragged: RaggedTensor, dense: Any, name: str) -> Tensor:
    """A tensor's elements for each of the flat values."""
    tensor = convert_to_tensor(dense, ragged.dtype.base_dtype, name=name)
    rank, own = tensor.shape.rank, ragged.shape.rank
    if rank == 0:
        return tensor
    if rank is None or own is None or rank > own:
        raise ValueError(f"Shapes {ragged.shape} and {tensor.shape} do not broadcast.")
    depth = ragged.ragged_rank
    sizes: list[int | None] = [1] * (own - rank) + tensor.shape.as_list()
    if any(size != 1 for size in sizes[1 : depth + 1]):
        raise ValueError(
            f"Unable to broadcast: dimension size mismatch between {tensor.shape} and the ragged "
            f"dimensions of {ragged.shape}."
        )
    inner = shape_of(tensor)[max(0, rank - (own - depth - 1)) :]  # type: ignore[index]
    rows = reshape(tensor, concat([[-1], inner], 0))
    if sizes[0] == 1:
        return rows
    ids: Any = partitions.row_ids(ragged.nested_row_splits[0])
    for splits in ragged.nested_row_splits[1:]:
        ids = gather(ids, partitions.row_ids(splits))
    return gather(rows, ids)


def _binary(symbol: str, swapped: bool = False) -> Callable[[RaggedTensor, Any], RaggedTensor]:
    """The operator `symbol` of Tensors, on flat values."""

    def apply(ragged: RaggedTensor, other: Any) -> RaggedTensor:
        pair = (other, ragged) if swapped else (ragged, other)
        rows, x, y = flat_operands(*pair)
        return rows.with_flat_values(getattr(x, symbol)(y))

    return apply


def _unary(symbol: str) -> Callable[[RaggedTensor], RaggedTensor]:
    def apply(ragged: RaggedTensor) -> RaggedTensor:
        return ragged.with_flat_values(getattr(ragged.flat_values, symbol)())

    return apply


_BOTH = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
for _name in (*_BOTH, "lt", "le", "gt", "ge"):
    setattr(RaggedTensor, f"__{_name}__", _binary(f"__{_name}__"))
for _name in _BOTH:
    setattr(RaggedTensor, f"__r{_name}__", _binary(f"__{_name}__", swapped=True))
for _name in ("neg", "abs", "invert"):
    setattr(RaggedTensor, f"__{_name}__", _unary(f"__{_name}__"))

# --- indices --------------------------------------------------------------------------------------


def _get_item(ragged: RaggedTensor, entries: Any) -> Any:
    """`ragged[entries]`: rows by number or slice, then slices of the rows."""
    entries = list(entries) if isinstance(entries, tuple) else [entries]
    if Ellipsis in [entry for entry in entries if not isinstance(entry, Tensor)]:
        place = next(i for i, entry in enumerate(entries) if entry is Ellipsis)
        rank = ragged.shape.rank
        if rank is None and place < len(entries) - 1:
            raise ValueError("An ellipsis needs a RaggedTensor of known rank.")
        given = len([entry for entry in entries if entry is not None]) - 1
        entries[place : place + 1] = [slice(None)] * ((rank or given) - given)
    with op_scope(None, "RaggedGetItem"):
        return _apply_entries(ragged, entries)


def _apply_entries(ragged: Any, entries: list[Any]) -> Any:
    if not entries:
        return ragged
    if not isinstance(ragged, RaggedTensor):
        return ragged[tuple(entries)]
    first, *rest = entries
    if first is None:
        whole = partitions.joined([constant([0], ragged.row_splits.dtype), [ragged.nrows()]])
        wrapped = RaggedTensor(ragged, whole)
        return _inner(RaggedTensor(wrapped.values, whole, None), rest)
    if not isinstance(first, slice):
        return _apply_entries(_row(ragged, first), rest)
    is_all = first.start is None and first.stop is None and first.step is None
    rows = ragged if is_all else _rows(ragged, first)
    return _inner(rows, rest) if rest else rows


def _row(ragged: RaggedTensor, place: Any) -> Any:
    splits: Any = ragged.row_splits
    starts, limits = splits[:-1], splits[1:]
    return ragged.values[starts[place] : limits[place]]


def _rows(ragged: RaggedTensor, entry: slice) -> RaggedTensor:
    splits: Any = ragged.row_splits
    if entry.step in (None, 1):
        limits = splits[1:][entry]
        starts = splits[:-1][entry]
        # Of no rows the splits are one number, which may be any.
        first = concat([starts[:1], splits[-1:]], 0)[:1]
        kept: Any = concat([first, limits], 0)
        values = ragged.values[kept[0] : kept[-1]]
        return RaggedTensor(values, kept - kept[0])
    places = range_(ragged.nrows())[entry]  # type: ignore[index]
    return gather_rows(ragged, places)


def gather_rows(ragged: RaggedTensor, places: Any) -> RaggedTensor:
    """The rows whose numbers are given: a vector."""
    nested = list(ragged.nested_row_splits)
    splits, values = RaggedGather(
        nested, ragged.flat_values, places, OUTPUT_RAGGED_RANK=len(nested)
    )
    return RaggedTensor.from_nested_row_splits(values, splits, validate=False)


def _gather(ragged: RaggedTensor, indices: Any, name: str | None) -> Any:
    """Rows by numbers of any shape, the dimensions of which come first."""
    with op_scope(name, "RaggedGather"):
        places = convert_to_tensor(indices)
        if places.shape.rank is None:
            raise ValueError("The numbers of rows must have a known rank.")
        nested = list(ragged.nested_row_splits)
        depth = len(nested) + places.shape.rank - 1
        splits, values = RaggedGather(nested, ragged.flat_values, places, OUTPUT_RAGGED_RANK=depth)
        if not depth:
            return values
        return RaggedTensor.from_nested_row_splits(values, splits, validate=False)


def _inner(ragged: RaggedTensor, entries: list[Any]) -> Any:
    """Entries for the dimensions beyond the first."""
    if not entries:
        return ragged
    first, *rest = entries
    if first is None:
        splits: Any = range_(ragged.nrows() + 1)  # type: ignore[operator]
        return RaggedTensor(_inner(ragged, rest), splits, 1)
    if not isinstance(first, slice):
        raise ValueError("Cannot index into an inner ragged dimension.")
    if first != slice(None):
        ragged = _slice_rows(ragged, first)
    return ragged.with_values(_skip_first(ragged.values, rest)) if rest else ragged


def _skip_first(values: Any, entries: list[Any]) -> Any:
    if isinstance(values, RaggedTensor):
        return _inner(values, entries)
    return values[(slice(None), *entries)]


def _slice_rows(ragged: RaggedTensor, entry: slice) -> RaggedTensor:
    """The same slice of each row."""
    splits: Any = ragged.row_splits
    starts, limits = splits[:-1], splits[1:]
    lengths = limits - starts
    step = 1 if entry.step is None else entry.step
    if not isinstance(step, int) or step == 0:
        raise ValueError("slice strides must be integers other than 0")
    low, high = (0, lengths) if step > 0 else (-1, lengths - 1)
    first = (low if step > 0 else high) if entry.start is None else entry.start
    last = (high if step > 0 else low) if entry.stop is None else entry.stop
    begin = _clipped(first, entry.start is None, lengths, low, high)
    end = _clipped(last, entry.stop is None, lengths, low, high)
    delta = constant(step, splits.dtype)
    kept, places = RaggedRange(starts + begin, starts + end, delta, Tsplits=splits.dtype)
    if isinstance(ragged.values, RaggedTensor):
        return RaggedTensor(gather_rows(ragged.values, places), kept)
    return RaggedTensor(gather(ragged.values, places), kept)


def _clipped(bound: Any, is_default: bool, lengths: Any, low: Any, high: Any) -> Any:
    """A bound of a slice for rows of each length, as Python counts it."""
    value = cast(convert_to_tensor(bound), lengths.dtype) + lengths * 0  # type: ignore[operator]
    if not is_default:
        value = SelectV2(value < 0, value + lengths, value)
    return minimum(maximum(value, cast(low, lengths.dtype)), cast(high, lengths.dtype))


# --- tensors and SparseTensors --------------------------------------------------------------------


def _from_tensor(
    tensor: Any, lengths: Any, padding: Any, ragged_rank: int, name: str | None, dtype: Any
) -> RaggedTensor:
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if not isinstance(ragged_rank, int) or ragged_rank < 1:
        raise ValueError(f"Argument `ragged_rank` must be 1 or more. Received {ragged_rank}.")
    with op_scope(name, "RaggedFromTensor"):
        tensor = convert_to_tensor(tensor)
        rank = tensor.shape.rank
        if rank is not None and rank <= ragged_rank:
            raise ValueError(f"ragged_rank {ragged_rank} is too large for shape {tensor.shape}.")
        sizes: Any = shape_of(tensor, out_type=dtype)
        if ragged_rank > 1:
            flat = reshape(tensor, concat([[-1], sizes[ragged_rank:]], 0))
            inner = _from_tensor(flat, lengths, padding, 1, None, dtype)
            for axis in range(ragged_rank - 1, 0, -1):
                known = tensor.shape.as_list()[axis] if rank is not None else None
                count: Any = 1
                for outer in range(axis):
                    count = count * sizes[outer]
                inner = RaggedTensor(inner, range_(count + 1) * sizes[axis], known)
            return inner
        values = reshape(tensor, concat([[-1], sizes[2:]], 0))
        if padding is not None:
            lengths = _lengths_before(tensor, padding, dtype)
        if lengths is None:
            splits: Any = range_(sizes[0] + 1) * sizes[1]
            known = tensor.shape.as_list()[1] if rank is not None else None
            return RaggedTensor(values, splits, known)
        kept = maximum(minimum(cast(convert_to_tensor(lengths), dtype), sizes[1]), cast(0, dtype))
        starts: Any = range_(sizes[0]) * sizes[1]
        one = constant(1, dtypes.as_dtype(dtype))
        kind = dtypes.as_dtype(dtype)
        splits, places = RaggedRange(starts, starts + kept, one, Tsplits=kind)
        return RaggedTensor(gather(values, places), splits)


def _lengths_before(tensor: Any, padding: Any, dtype: Any) -> Tensor:
    """The length of each row without the padding at its end."""
    is_value = NotEqual(tensor, convert_to_tensor(padding, tensor.dtype))
    rank = tensor.shape.rank
    if rank is not None and rank > 2:
        is_value = reduce_max(cast(is_value, dtypes.int32), list(range(2, rank))) > 0
    ends = cast(is_value, dtype) * (range_(cast(shape_of(tensor)[1], dtype)) + 1)  # type: ignore
    zero = ends[:, :1] * 0  # rows without columns have a maximum, too
    return reduce_max(concat([zero, ends], 1), 1)


def _from_sparse(st_input: Any, name: str | None, dtype: Any) -> RaggedTensor:
    sparse = as_sparse_tensor(st_input)
    if sparse.dense_shape.shape.as_list()[:1] not in ([2], [None]):
        raise ValueError("rank(st_input) must be 2.")
    with op_scope(name, "RaggedFromSparse"):
        indices: Any = cast(sparse.indices, dtype)
        shape: Any = cast(sparse.dense_shape, dtype)
        rows, columns = indices[:, 0], indices[:, 1]
        splits = partitions.of_row_ids(rows, shape[0], validate=True)
        starts: Any = gather(splits, rows)
        expected = range_(cast(shape_of(rows)[0], dtype)) - starts  # type: ignore[index]
        is_right = reduce_all(Equal(columns, expected))
        with control_dependencies([assert_(is_right, ["SparseTensor is not right-ragged"])]):
            return RaggedTensor(sparse.values, identity(splits))


RaggedTensor.operators |= {
    "getitem": _get_item,
    "gather": _gather,
    "reduce": reduce_ragged,
    "from_tensor": _from_tensor,
    "from_sparse": _from_sparse,
}

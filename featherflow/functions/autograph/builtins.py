"""Python's built-in functions where their arguments may be staged."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.functions.autograph.conditionals import truth
from featherflow.functions.autograph.loops import Counted, counted
from featherflow.functions.autograph.staged_list import StagedList
from featherflow.functions.autograph.staging import is_staged, is_trial, refuse
from featherflow.ops.cast_ops import cast
from featherflow.ops.extremum_ops import Maximum, Minimum
from featherflow.ops.print_ops import print_
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import (
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_min,
)
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.sort_ops import sort
from featherflow.ops.sum_ops import reduce_sum


def _any_staged(values: Iterable[Any]) -> bool:
    return builtins.any(
        is_staged(value) or isinstance(value, (StagedList, Counted)) for value in values
    )


def _len(value: Any) -> Any:
    if isinstance(value, StagedList):
        return value.length()
    if isinstance(value, Counted):
        return value.count
    if not is_staged(value):
        return builtins.len(value)
    if value.shape.rank == 0:
        raise refuse("len", "a scalar has no length", "Use a tensor of rank 1 or more")
    size = value.shape._dims[0] if value.shape._dims else None
    return shape_of(value)[0] if size is None else size


def _print(*values: Any, **options: Any) -> None:
    if is_trial():
        return
    if _any_staged(values):
        print_(*values, **options)
    else:
        builtins.print(*values, **options)


def _int(*args: Any) -> Any:
    return _cast(args, dtypes.int32, builtins.int)


def _float(*args: Any) -> Any:
    return _cast(args, dtypes.float32, builtins.float)


def _cast(args: tuple, dtype: dtypes.DType, python: Callable[..., Any]) -> Any:
    if not _any_staged(args):
        return python(*args)
    tensor = args[0]
    if tensor.dtype.name == "string":
        raise refuse(python.__name__, "it is given a string tensor", "Use tf.strings.to_number")
    fits = tensor.dtype.is_integer if dtype is dtypes.int32 else tensor.dtype.is_floating
    return tensor if fits else cast(tensor, dtype)


def _bool(value: Any = False) -> Any:
    return truth(value, "bool") if is_staged(value) else builtins.bool(value)


def _range(*args: Any) -> Any:
    return range_(*args) if _any_staged(args) else builtins.range(*args)


def _enumerate(values: Any, start: Any = 0) -> Any:
    items = counted(values)
    if items is None:
        return builtins.enumerate(values, start)
    return Counted(items.count, lambda index: (index + start, items.item(index)))


def _zip(*iterables: Any, **options: Any) -> Any:
    if not _any_staged(iterables):
        return builtins.zip(*iterables, **options)
    parts = []
    for iterable in iterables:
        part = counted(iterable)
        parts.append(counted(convert_to_tensor(list(iterable))) if part is None else part)
    counts = [part.count for part in parts if part is not None]
    count: Any = counts[0]
    for other in counts[1:]:
        both_known = isinstance(count, int) and isinstance(other, int)
        count = builtins.min(count, other) if both_known else Minimum(count, other)
    return Counted(
        count, lambda index: tuple(part.item(index) for part in parts if part is not None)
    )


def _map(function: Callable[..., Any], *iterables: Any) -> Any:
    if not _any_staged(iterables):
        return builtins.map(function, *iterables)
    rows = _zip(*iterables)
    return Counted(rows.count, lambda index: function(*rows.item(index)))


def _filter(function: Any, iterable: Any) -> Any:
    if not _any_staged([iterable]):
        return builtins.filter(function, iterable)
    raise refuse("filter", "how many items stay is not known", "Use tf.boolean_mask(values, mask)")


def _sorted(iterable: Any, *, key: Any = None, reverse: bool = False) -> Any:
    if not _any_staged([iterable]):
        return builtins.sorted(iterable, key=key, reverse=reverse)
    tensor = convert_to_tensor(iterable)
    if key is not None or tensor.shape.rank != 1:
        raise refuse("sorted", "a key, or rows, cannot be compared", "Use tf.argsort and tf.gather")
    return sort(tensor, direction="DESCENDING" if reverse else "ASCENDING")


def _reduction(
    python: Callable[..., Any], over: Callable[..., Any], pair: Callable[..., Any] | None
) -> Callable[..., Any]:
    def reduced(*args: Any, **options: Any) -> Any:
        if not _any_staged(args):
            return python(*args, **options)
        if options:
            raise refuse(
                python.__name__,
                f"{builtins.sorted(options)} has no meaning for tensors",
                "Leave it out",
            )
        if builtins.len(args) == 1:
            return over(convert_to_tensor(args[0]), axis=0)
        if pair is None:  # sum(values, start)
            return over(convert_to_tensor(args[0]), axis=0) + args[1]
        result = args[0]
        for item in args[1:]:
            result = pair(result, item)
        return result

    return reduced


def _super(*args: Any) -> Any:
    """`super()` as the user's method has it: the converted one has other cells."""
    if args:
        return builtins.super(*args)
    frame: Any = inspect.currentframe()
    while frame is not None:
        if "__class__" in frame.f_locals and frame.f_code.co_argcount:
            owner = frame.f_locals["__class__"]
            return builtins.super(owner, frame.f_locals[frame.f_code.co_varnames[0]])
        frame = frame.f_back
    raise RuntimeError("super(): no arguments")


#: The function that converted code calls for each of Python's.
OVERLOADS: dict[Any, Callable[..., Any]] = {
    builtins.len: _len,
    builtins.print: _print,
    builtins.int: _int,
    builtins.float: _float,
    builtins.bool: _bool,
    builtins.range: _range,
    builtins.enumerate: _enumerate,
    builtins.zip: _zip,
    builtins.map: _map,
    builtins.filter: _filter,
    builtins.sorted: _sorted,
    builtins.any: _reduction(builtins.any, reduce_any, None),
    builtins.all: _reduction(builtins.all, reduce_all, None),
    builtins.max: _reduction(builtins.max, reduce_max, Maximum),
    builtins.min: _reduction(builtins.min, reduce_min, Minimum),
    builtins.sum: _reduction(builtins.sum, reduce_sum, None),
    builtins.super: _super,
}

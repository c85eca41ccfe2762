"""Calls of single ops, derived from the rows of `tests/ops/cases`.

A row says how an op is called; from it follow, by name of the call:

    dtype:T=int8            every numeric dtype that the contract allows an attribute of the inputs
    attr:narrow_range=True  other values of every attribute that the inputs do not decide
    empty:0.1               argument 0 without elements in its dimension 1
    longer:0, rank+:0, rank-:0, scalar:0      argument 0 with shapes that may not fit
    special:0, zeros:0, negative:0, large:0   argument 0 with NaN and infinities, or out of range
    static:partial, static:unknown, static:fed   less known when the graph is built
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from ops.op_case import Input, OpCase

from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.op_def import AttrDef, OpDef
from featherflow.framework.tensor_shape import TensorShape

NUMERIC = (
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "bool"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
)
#: Dtypes whose gradients are compared, too.
DIFFERENTIATED = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")
_REGISTRY = Path(__file__).with_name("op_registry.json.gz")
_OPS = json.loads(gzip.decompress(_REGISTRY.read_bytes()))["ops"]


@dataclass(frozen=True)
class Value:
    """One tensor of a call: its array, and whether it is a constant rather than fed."""

    array: np.ndarray
    constant: bool = False


#: A tensor, or the list of tensors of a list argument.
Argument = Value | list[Value]


@dataclass(frozen=True)
class Call:
    """One call of an op.

    Attributes:
      key: names it, unique among all calls: `op-label/variant`.
      static: what is known of the shapes of fed tensors: "full", "partial" or "unknown".
      differentiated: whether the gradient is asked for as well.
    """

    key: str
    op: str
    arguments: tuple[Argument, ...]
    attrs: Mapping[str, Any] = field(default_factory=dict)
    static: str = "full"
    differentiated: bool = False

    def checksum(self) -> int:
        """Changes with anything that the answer depends on."""
        text = repr((self.op, sorted(self.attrs.items(), key=str), self.static))
        checksum = zlib.crc32(text.encode(), int(self.differentiated))
        for value in leaves(self.arguments):
            array = value.array
            raw = repr(array.tolist()).encode() if array.dtype.hasobject else array.tobytes()
            checksum = zlib.crc32(raw, zlib.crc32(f"{array.dtype}{array.shape}".encode(), checksum))
        return checksum


def leaves(arguments: tuple[Argument, ...]) -> Iterator[Value]:
    """The tensors of a call, one by one."""
    for argument in arguments:
        yield from argument if isinstance(argument, list) else [argument]


def calls_of(case: OpCase) -> list[Call]:
    """All calls that follow from a row; the first is the row itself."""
    preferred = [dtype for dtype in ("float32", "float64") if dtype in case.dtypes]
    base = _call(case, (preferred or case.dtypes)[0], "row")
    calls = [base, *_dtype_calls(case, base), *_attr_calls(case, base)]
    calls.extend(_argument_calls(base))
    calls.extend(replace(base, static=way) for way in ("partial", "unknown"))
    fed = tuple(
        _mapped(argument, lambda v: replace(v, constant=False)) for argument in base.arguments
    )
    calls.append(replace(base, arguments=fed, static="unknown", key="fed"))
    return [_named(case, call) for call in _distinct(calls)]


def _named(case: OpCase, call: Call) -> Call:
    variant = f"static:{call.static}" if call.static != "full" and call.key == "row" else call.key
    return replace(call, key=f"{case.key}/{variant}")


def _distinct(calls: list[Call]) -> Iterator[Call]:
    seen = set()
    for call in calls:
        checksum = call.checksum()
        if checksum not in seen:
            seen.add(checksum)
            yield call


def _call(case: OpCase, dtype: str, key: str) -> Call:
    """The row itself, in one of its dtypes."""
    arguments: list[Argument] = []
    for argument, sample in zip(case.arguments, case.sample(dtype), strict=True):
        if isinstance(sample, list):
            given = list(argument) if isinstance(argument, (list, tuple)) else []
            arguments.append([_value(*pair) for pair in zip(given, sample, strict=True)])
        else:
            arguments.append(_value(argument, sample))
    differentiated = _is_differentiated(case, dtype)
    attrs = {name: _plain(value) for name, value in case.all_attrs(dtype).items()}
    return Call(key, case.op.name, tuple(arguments), attrs, differentiated=differentiated)


def _is_differentiated(case: OpCase, dtype: str) -> bool:
    """Whether TensorFlow has a gradient, and the row says that it means something."""
    known = _OPS[case.op.name].get("gradient") == "registered"
    return known and case.differentiable and dtype in DIFFERENTIATED


def _value(argument: Any, array: np.ndarray) -> Value:
    given = not isinstance(argument, Input) and array.dtype.kind in "iu"
    return Value(array, constant=given)


def _plain(value: Any) -> Any:
    """An attribute's value in forms that any implementation takes."""
    if isinstance(value, DType) or (isinstance(value, type) and issubclass(value, np.generic)):
        return as_dtype(value).name
    if isinstance(value, TensorShape):
        return None if value.rank is None else value.as_list()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _mapped(argument: Argument, function: Any) -> Argument:
    return [function(v) for v in argument] if isinstance(argument, list) else function(argument)


# --- dtypes ---------------------------------------------------------------------------------------


def _dtype_calls(case: OpCase, base: Call) -> Iterator[Call]:
    contract = case.op.op_def
    for attr in contract.attrs:
        places = [place for place, arg in enumerate(contract.inputs) if arg.type_attr == attr.name]
        if attr.type != "type" or not places:
            continue
        for dtype in _allowed(attr):
            yield _in_dtype(case, base, places, attr.name, dtype)


def _allowed(attr: AttrDef) -> list[str]:
    allowed = [as_dtype(dtype).name for dtype in attr.allowed_values or NUMERIC]
    return [name for name in NUMERIC if name in allowed]


def _in_dtype(case: OpCase, base: Call, places: list[int], attr: str, dtype: str) -> Call:
    """The call with the arguments of one type attribute in another dtype."""
    sampled = _call(case, dtype, f"dtype:{attr}={dtype}")
    wanted = as_dtype(dtype).numpy_dtype
    arguments = list(base.arguments)
    for place in places:
        arguments[place] = _mapped(
            sampled.arguments[place],
            lambda value: Value(_cast(value.array, wanted), value.constant),
        )
    attrs = sampled.attrs if sampled.attrs.keys() == base.attrs.keys() else base.attrs
    differentiated = _is_differentiated(case, dtype)
    return replace(sampled, arguments=tuple(arguments), attrs=attrs, differentiated=differentiated)


def _cast(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    if array.dtype == dtype or array.dtype.hasobject or array.dtype.names:
        return array
    if array.dtype.kind == "c" and dtype.kind != "c":
        array = np.real(array)
    if dtype.kind == "u":
        array = np.abs(array)
    with np.errstate(invalid="ignore", over="ignore"):
        return array.astype(dtype)


# --- attributes -----------------------------------------------------------------------------------


def _attr_calls(case: OpCase, base: Call) -> Iterator[Call]:
    contract = case.op.op_def
    decided = _decided_by_inputs(contract)
    for attr in contract.attrs:
        if attr.name in decided:
            continue
        current = base.attrs.get(attr.name, _plain(attr.default))
        for value in _other_values(attr, current):
            if value != current:
                attrs = {**base.attrs, attr.name: value}
                differentiated = base.differentiated and attr.type != "type"
                key = f"attr:{attr.name}={value}"
                yield replace(base, attrs=attrs, key=key, differentiated=differentiated)


def _decided_by_inputs(contract: OpDef) -> set[str | None]:
    return {
        name
        for arg in contract.inputs
        for name in (arg.type_attr, arg.number_attr, arg.type_list_attr)
    }


def _other_values(attr: AttrDef, current: Any) -> list[Any]:
    if attr.type == "bool":
        return [not current]
    if attr.type == "type":
        return list(_allowed(attr))
    if attr.type == "string":
        return [*(attr.allowed_values or ()), "unheard_of"]
    if attr.type == "int" and isinstance(current, int):
        return [current + 1, 0, -1, current - 1]
    if attr.type == "float" and isinstance(current, (int, float)):
        return [current * 2 + 0.5, 0.0, -1.0]
    if attr.type == "list(int)" and current is not None:
        return _other_lists(current)
    return []


def _other_lists(current: list[int]) -> list[list[int]]:
    raised = [
        [item + (place == here) for place, item in enumerate(current)]
        for here in range(len(current))
    ]
    return [*raised, [0] * len(current), [-1] * len(current), current[:-1], [*current, 1]]


# --- arguments ------------------------------------------------------------------------------------


def _argument_calls(base: Call) -> Iterator[Call]:
    for place, argument in enumerate(base.arguments):
        first = argument[0] if isinstance(argument, list) and argument else argument
        if not isinstance(first, Value):
            continue
        for name, array in [*_other_shapes(first.array, place), *_other_items(first.array, place)]:
            changed = replace(first, array=np.ascontiguousarray(array).reshape(np.shape(array)))
            whole = [changed, *argument[1:]] if isinstance(argument, list) else changed
            arguments = (*base.arguments[:place], whole, *base.arguments[place + 1 :])
            yield replace(base, arguments=arguments, key=name, differentiated=False)


def _other_shapes(array: np.ndarray, place: int) -> Iterator[tuple[str, np.ndarray]]:
    yield f"rank+:{place}", array[np.newaxis]
    if array.ndim:
        yield f"longer:{place}", np.concatenate([array, array[:1]])
        for axis in range(array.ndim):
            yield f"empty:{place}.{axis}", np.take(array, [], axis)
    if array.ndim and array.size:
        yield f"rank-:{place}", array[0]
        yield f"scalar:{place}", array.reshape(-1)[0]


def _other_items(array: np.ndarray, place: int) -> Iterator[tuple[str, np.ndarray]]:
    if not array.size or array.dtype.kind not in "iufcV" or array.dtype.names:
        return
    yield f"zeros:{place}", np.zeros_like(array)
    if array.dtype.kind in "fcV":
        special = array.copy().reshape(-1)
        special[: min(3, special.size)] = np.array([np.nan, np.inf, -np.inf])[: special.size]
        yield f"special:{place}", special.reshape(array.shape)
    if array.dtype.kind in "ifV" or array.dtype == ml_dtypes.bfloat16:
        yield f"negative:{place}", (-np.abs(array) - np.ones((), array.dtype)).astype(array.dtype)
    if array.dtype.kind in "iu":
        for name, item in (("beyond", 100), ("largest", np.iinfo(array.dtype).max)):
            changed = array.copy().reshape(-1)
            changed[-1] = item
            yield f"{name}:{place}", changed.reshape(array.shape)

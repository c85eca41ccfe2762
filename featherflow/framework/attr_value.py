"""Values of attributes: their internal Python forms, and their conversion to and from AttrValue.

============  ===========================================================
type          internal form
============  ===========================================================
int           int
float         float
bool          bool
type          DType
shape         TensorShape
tensor        np.ndarray (strings as object arrays of bytes)
string        str if it is valid UTF-8, else bytes
func          NameAttrList
list(...)     tuple of these
any of these  AttrPlaceholder, in the body of a function with attributes
============  ===========================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.tensor_proto import (
    ndarray_from_proto,
    ndarray_to_proto,
    shape_from_proto,
    shape_to_proto,
)
from featherflow.framework.tensor_shape import TensorShape

if TYPE_CHECKING:
    from featherflow.protos import attr_value_pb2


@dataclass(frozen=True, slots=True, eq=False)
class NameAttrList:
    """A function by name, and the values of its attributes.

    Two are equal if name and attributes are; arrays among these are compared bit by bit.
    """

    name: str
    attrs: Mapping[str, Any] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NameAttrList):
            return NotImplemented
        return (
            self.name == other.name
            and self.attrs.keys() == other.attrs.keys()
            and all(attr_values_equal(self.attrs[key], other.attrs[key]) for key in self.attrs)
        )

    def __hash__(self) -> int:
        return hash((self.name, frozenset(self.attrs)))


@dataclass(frozen=True, slots=True)
class AttrPlaceholder:
    """Stands for the value that the function's attribute `name` will have."""

    name: str


def attr_values_equal(first: Any, second: Any) -> bool:
    """Whether two values in internal form are the same; unlike `==`, 1 is not 1.0 nor True."""
    if type(first) is not type(second):
        return False
    if isinstance(first, tuple):
        return len(first) == len(second) and all(map(attr_values_equal, first, second))
    if not isinstance(first, np.ndarray):
        return first == second
    if first.dtype != second.dtype or first.shape != second.shape:
        return False
    if first.dtype == object:
        return first.tolist() == second.tolist()
    return first.tobytes() == second.tobytes()  # NaN equals NaN, 0.0 differs from -0.0


# To protocol buffers


def _string_to_bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


def _type_to_number(value: DType) -> int:
    return value.as_datatype_enum


def _func_to_proto(value: NameAttrList, proto: attr_value_pb2.NameAttrList) -> None:
    proto.name = value.name
    for key, item in value.attrs.items():
        attr_value_to_proto(item, attr_type_of(item), proto.attr[key])


_FIELDS = {
    "int": "i",
    "float": "f",
    "bool": "b",
    "type": "type",
    "string": "s",
    "shape": "shape",
    "tensor": "tensor",
    "func": "func",
}
_TO_SCALAR: dict[str, Callable[[Any], Any]] = {
    "int": int,
    "float": float,
    "bool": bool,
    "type": _type_to_number,
    "string": _string_to_bytes,
}
_WRITE_MESSAGE: dict[str, Callable[[Any, Any], Any]] = {
    "shape": shape_to_proto,
    "tensor": ndarray_to_proto,
    "func": _func_to_proto,
}


def attr_value_to_proto(value: Any, attr_type: str, proto: attr_value_pb2.AttrValue) -> None:
    """Writes a value in internal form to an empty AttrValue.

    Args:
      value: the value, or an AttrPlaceholder.
      attr_type: as in an OpDef: "int", "list(type)", …
      proto: the message to fill.
    """
    if isinstance(value, AttrPlaceholder):
        proto.placeholder = value.name
        return
    is_list = attr_type.startswith("list(")
    kind = attr_type[5:-1] if is_list else attr_type
    name = _FIELDS[kind]
    if is_list:
        proto.list.SetInParent()  # so that an empty list is a list
        items = getattr(proto.list, name)
        if kind in _TO_SCALAR:
            items.extend(map(_TO_SCALAR[kind], value))
        else:
            for item in value:
                _WRITE_MESSAGE[kind](item, items.add())
    elif kind in _TO_SCALAR:
        setattr(proto, name, _TO_SCALAR[kind](value))
    else:
        message = getattr(proto, name)
        message.SetInParent()
        _WRITE_MESSAGE[kind](value, message)


def attr_type_of(value: Any) -> str:
    """The attribute type that a value in internal form has by itself; any list type if empty.

    Raises:
      TypeError: it is no internal form.
    """
    if isinstance(value, tuple):
        return f"list({attr_type_of(value[0])})" if value else "list(int)"
    for python_type, attr_type in _TYPES:
        if isinstance(value, python_type):
            return attr_type
    raise TypeError(f"No attribute has the value {value!r} of type {type(value).__name__}.")


_TYPES: tuple[tuple[Any, str], ...] = (
    (bool, "bool"),  # before int, which it is too
    (int, "int"),
    (float, "float"),
    ((str, bytes), "string"),
    (DType, "type"),
    (TensorShape, "shape"),
    (np.ndarray, "tensor"),
    (NameAttrList, "func"),
    (AttrPlaceholder, "placeholder"),
)


# From protocol buffers


def _string_from_bytes(value: bytes) -> str | bytes:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def _func_from_proto(proto: attr_value_pb2.NameAttrList) -> NameAttrList:
    attrs = {key: attr_value_from_proto(proto.attr[key]) for key in proto.attr}
    return NameAttrList(proto.name, attrs)


_FROM_FIELD: dict[str, Callable[[Any], Any]] = {
    "i": int,
    "f": float,
    "b": bool,
    "type": as_dtype,
    "s": _string_from_bytes,
    "shape": shape_from_proto,
    "func": _func_from_proto,
    "placeholder": AttrPlaceholder,
}


def attr_value_from_proto(
    proto: attr_value_pb2.AttrValue,
    attr_type: str | None = None,
    contents: Sequence[memoryview] = (),
) -> Any:
    """The value of an AttrValue in internal form.

    Args:
      proto: the message.
      attr_type: what it must be, as in an OpDef; None takes what is there.
      contents: what `detach_contents` took out of the message that this one is part of.

    Raises:
      InvalidArgumentError: the message is empty or holds another type.
      TypeError, ValueError: it holds an unknown dtype, or a damaged shape or tensor.
    """
    found = proto.WhichOneof("value")
    if found is None:
        raise InvalidArgumentError(
            None, None, "An attribute has no value", expected=attr_type or "a value"
        )
    if found == "list":
        return _list_from_proto(proto.list, attr_type, contents)
    if attr_type is not None and found not in (_FIELDS.get(attr_type, ""), "placeholder"):
        _refuse(found, attr_type)
    if found == "tensor":
        return ndarray_from_proto(proto.tensor, contents)
    return _FROM_FIELD[found](getattr(proto, found))


def _list_from_proto(
    proto: attr_value_pb2.AttrValue.ListValue,
    attr_type: str | None,
    contents: Sequence[memoryview],
) -> tuple:
    fields = [descriptor.name for descriptor, _ in proto.ListFields()]
    if attr_type is not None:
        allowed = _FIELDS.get(attr_type[5:-1]) if attr_type.startswith("list(") else None
        if allowed is None or any(name != allowed for name in fields):
            _refuse(f"list of {', '.join(fields) or 'nothing'}", attr_type)
    if not fields:
        return ()
    if fields[0] == "tensor":
        return tuple(ndarray_from_proto(tensor, contents) for tensor in proto.tensor)
    return tuple(map(_FROM_FIELD[fields[0]], getattr(proto, fields[0])))


def _refuse(found: str, attr_type: str) -> None:
    kinds = {name: kind for kind, name in _FIELDS.items()}
    received = kinds.get(found, found)
    raise InvalidArgumentError(
        None, None, "An attribute has another type", received=received, expected=attr_type
    )

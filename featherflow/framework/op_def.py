"""OpDef: the contract of an op as frozen data, and the small language for contracts.

    inputs=("values: N * T", "axis: Tidx", "ref: Ref(T)", "args: Tin")
    attrs=("N: int >= 2", "T: type", "Tidx: {int32, int64} = int32", "strides: list(int) >= 4",
           "padding: {'SAME', 'VALID'}", "Tin: list(type) >= 0")

An argument's type is a dtype, a type attr, `N * T` (N tensors of one type), a list(type) attr, or
`Ref(…)` of one of the first two. Names, order, types and defaults are TensorFlow's.
"""

from __future__ import annotations

import ast
import re
from ctypes import c_float
from dataclasses import dataclass
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.attr_value import NameAttrList
from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_shape import TensorShape

_TYPE_GROUPS = {
    "numbertype": "NUMBER_TYPES",
    "realnumbertype": "REAL_NUMBER_TYPES",
    "quantizedtype": "QUANTIZED_TYPES",
}
_DEFAULT_SPELLINGS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class ArgDef:
    """One input or output of an op; exactly one of the four type fields decides its dtype."""

    name: str
    type: DType | None = None
    type_attr: str | None = None
    number_attr: str | None = None
    type_list_attr: str | None = None
    is_ref: bool = False

    @property
    def is_list(self) -> bool:
        return self.number_attr is not None or self.type_list_attr is not None

    def __str__(self) -> str:
        kind = self.type_list_attr or self.type_attr or (self.type.name if self.type else "?")
        if self.is_ref:
            kind = f"Ref({kind})"
        return (
            f"{self.name}: {self.number_attr} * {kind}"
            if self.number_attr
            else f"{self.name}: {kind}"
        )


@dataclass(frozen=True, slots=True)
class AttrDef:
    """One attribute: its type (`int`, `list(type)`, …), default, allowed values and minimum."""

    name: str
    type: str
    default: Any = None
    has_default: bool = False
    allowed_values: tuple[Any, ...] | None = None
    minimum: int | None = None


@dataclass(frozen=True, slots=True)
class OpDef:
    """The contract of an op: its name, arguments, attributes and flags."""

    name: str
    inputs: tuple[ArgDef, ...]
    outputs: tuple[ArgDef, ...]
    attrs: tuple[AttrDef, ...]
    is_stateful: bool = False
    is_commutative: bool = False
    is_aggregate: bool = False
    allows_uninitialized_input: bool = False

    def attr(self, name: str) -> AttrDef | None:
        """The attribute called `name`, or None."""
        return next((attr for attr in self.attrs if attr.name == name), None)


# --- parsing --------------------------------------------------------------------------


def parse_arg(spec: str, attr_types: dict[str, str]) -> ArgDef:
    """Parses `"values: N * T"`; `attr_types` tells a type attr from a list(type) attr."""
    name, _, kind = (part.strip() for part in spec.partition(":"))
    number_attr = None
    if "*" in kind:
        number_attr, kind = (part.strip() for part in kind.split("*"))
    is_ref = kind.startswith("Ref(")
    if is_ref:
        kind = kind[4:-1].strip()
    if kind not in attr_types:
        return ArgDef(name, type=dtypes.as_dtype(kind), number_attr=number_attr, is_ref=is_ref)
    if attr_types[kind] == "list(type)":
        return ArgDef(name, type_list_attr=kind, is_ref=is_ref)
    return ArgDef(name, type_attr=kind, number_attr=number_attr, is_ref=is_ref)


_ATTR_SPEC = re.compile(
    r"(?P<name>\w+)\s*:\s*(?P<type>list\(.*?\)|\{.*?\}|\w+)"
    r"(?:\s*>=\s*(?P<minimum>-?\d+))?(?:\s*=\s*(?P<default>.*))?$",
    re.DOTALL,
)


def parse_attr(spec: str) -> AttrDef:
    """Parses `"T: {float, double} = float"`, `"N: int >= 1"`, `"axes: list(int) = []"`."""
    match = _ATTR_SPEC.match(spec.strip())
    if match is None:
        raise ValueError(f"Not an attr specification: {spec!r}")
    kind, allowed = _parse_kind(match["type"])
    default = match["default"]
    attr = AttrDef(
        name=match["name"],
        type=kind,
        allowed_values=allowed,
        minimum=int(match["minimum"]) if match["minimum"] else None,
    )
    if default is None:
        return attr
    value = convert_attr(attr, _parse_default(default.strip(), kind), spec)
    return AttrDef(attr.name, kind, value, True, allowed, attr.minimum)


def _parse_kind(text: str) -> tuple[str, tuple[Any, ...] | None]:
    if text.startswith("list("):
        kind, allowed = _parse_kind(text[5:-1].strip())
        return f"list({kind})", allowed
    if text in _TYPE_GROUPS:
        return "type", getattr(dtypes, _TYPE_GROUPS[text])
    if not text.startswith("{"):
        return text, None
    items = [item.strip() for item in text[1:-1].split(",")]
    if items[0].startswith(("'", '"')):
        return "string", tuple(ast.literal_eval(item) for item in items)
    return "type", tuple(dtypes.as_dtype(item) for item in items)


def _parse_default(text: str, kind: str) -> Any:
    if text in _DEFAULT_SPELLINGS:
        return _DEFAULT_SPELLINGS[text]
    if kind == "type":
        return dtypes.as_dtype(text)
    if kind == "list(type)":
        return [dtypes.as_dtype(item) for item in re.findall(r"\w+", text)]
    if kind == "shape" and text == "unknown":
        return TensorShape(None)
    if kind == "float" and text.lstrip("-") in ("inf", "nan"):
        return float(text)
    return ast.literal_eval(text.replace("true", "True").replace("false", "False"))


# --- attribute values -----------------------------------------------------------------


def _convert_string(value: Any) -> str | bytes:
    """Strings are kept as str, which kernels compare with literals; bytes only if not UTF-8."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value
    if not isinstance(value, str):
        raise TypeError
    return value


def _convert_int(value: Any) -> int:
    if isinstance(value, (bool, float, str, bytes)):
        raise TypeError
    return int(value)


def _convert_float(value: Any) -> float:
    """Of single precision, as AttrValue keeps it: a graph that is read again is the same."""
    if isinstance(value, (str, bytes)):
        raise TypeError
    return c_float(value).value  # unlike np.float32, silent about infinity


def _convert_bool(value: Any) -> bool:
    if isinstance(value, (bool, int)) or type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    raise TypeError


def _convert_func(value: Any) -> NameAttrList:
    """A function by name, by (name, attrs), or anything that has a `name`, as FuncGraphs do."""
    if isinstance(value, NameAttrList):
        return value
    name = value if isinstance(value, str) else getattr(value, "name", None)
    if not isinstance(name, str):
        raise TypeError
    return NameAttrList(name, {})


def _convert_shape(value: Any) -> TensorShape:
    return value if type(value) is TensorShape else TensorShape(value)


_CONVERTERS = {
    "int": _convert_int,
    "float": _convert_float,
    "bool": _convert_bool,
    "string": _convert_string,
    "type": dtypes.as_dtype,
    "shape": _convert_shape,
    "func": _convert_func,
    "tensor": lambda value: value,
}


def convert_attr(attr: AttrDef, value: Any, op_name: str) -> Any:
    """`value` in the internal form of `attr`'s type, checked against its constraints.

    Raises:
      TypeError: the value has another type.
      ValueError: it is not allowed, or too small.
    """
    kind = attr.type
    try:
        if kind.startswith("list("):
            if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
                raise TypeError
            element = _CONVERTERS[kind[5:-1]]
            converted: Any = tuple(element(item) for item in value)
        else:
            converted = _CONVERTERS[kind](value)
    except TypeError as error:
        detail = f" ({error})" if str(error) else ""
        raise TypeError(
            f"{op_name}: expected {kind} for attr '{attr.name}', received {value!r} of type "
            f"{type(value).__name__}{detail}."
        ) from None
    check_attr(attr, converted, op_name)
    return converted


def check_attr(attr: AttrDef, value: Any, op_name: str) -> None:
    """Raises if `value` (in internal form) breaks the constraints of `attr`."""
    if attr.allowed_values is not None:
        for item in value if isinstance(value, tuple) else (value,):
            if item not in attr.allowed_values:
                _refuse_value(attr, item, op_name)
    if attr.minimum is not None:
        size = len(value) if isinstance(value, tuple) else value
        if size < attr.minimum:
            what = "length" if isinstance(value, tuple) else "value"
            raise ValueError(
                f"{op_name}: attr '{attr.name}' has {what} {size}, must be at least {attr.minimum}."
            )


def _refuse_value(attr: AttrDef, item: Any, op_name: str) -> None:
    allowed = ", ".join(
        value.name if isinstance(value, DType) else repr(value)
        for value in attr.allowed_values or ()
    )
    if isinstance(item, DType):
        raise TypeError(
            f"{op_name}: value passed has DataType {item.name} for attr '{attr.name}', which is "
            "not "
            f"in the list of allowed values: {allowed}."
        )
    raise ValueError(
        f"{op_name}: value {item!r} for attr '{attr.name}' is not in the list of allowed values: "
        f"{allowed}."
    )

"""Python's operators of tensors and variables.

    x + y  add          x @ y  matmul        x < y   Less          x & y  and
    x - y  sub          x ** y pow           x <= y  LessEqual     x | y  or
    x * y  mul          -x     Neg           x > y   Greater       x ^ y  xor
    x / y  truediv      abs(x) Abs           x >= y  GreaterEqual  ~x     LogicalNot, Invert
    x // y floordiv     x[…]   strided_slice
    x % y  mod

Nodes are named as on the right. Numbers, lists and arrays become constants of the tensor's dtype,
named `add/y`, or `add/x` where they stand on the left. `x == y` compares identity, as in TF1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import Add, AddV2, Mul, Neg, Sub
from featherflow.ops.bitwise_ops import BitwiseAnd, BitwiseOr, BitwiseXor, Invert
from featherflow.ops.comparison_ops import (
    Equal,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    LogicalAnd,
    LogicalNot,
    LogicalOr,
    NotEqual,
    logical_xor,
)
from featherflow.ops.division_ops import FloorDiv, FloorMod, truediv
from featherflow.ops.exponential_ops import Pow
from featherflow.ops.magnitude_ops import abs as absolute
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.strided_slice_ops import get_item

#: `(x, y, name=…)`, one of them a tensor, the other anything that converts to its dtype.
BinaryFunction = Callable[..., Any]

# --- what the operators do ------------------------------------------------------------------------


def _add(x: Any, y: Any, name: str) -> Tensor:
    dtype = x.dtype if isinstance(x, Tensor) else y.dtype
    return (Add if dtype.base_dtype is dtypes.string else AddV2)(x, y, name=name)


def _and(x: Any, y: Any, name: str) -> Tensor:
    return _logical_or_bitwise(x, y, name, LogicalAnd, BitwiseAnd)


def _or(x: Any, y: Any, name: str) -> Tensor:
    return _logical_or_bitwise(x, y, name, LogicalOr, BitwiseOr)


def _xor(x: Any, y: Any, name: str) -> Tensor:
    if not x.dtype.is_bool:
        return _logical_or_bitwise(x, y, name, None, BitwiseXor)
    with op_scope(name, name) as scope:
        return logical_xor(x, y, name=scope)


def _logical_or_bitwise(x: Any, y: Any, name: str, logical: Any, bitwise: Any) -> Tensor:
    if x.dtype.is_bool:
        return logical(x, y, name=name)
    with op_scope(name, name):
        return bitwise(x, y)


def _invert(x: Tensor) -> Tensor:
    return LogicalNot(x) if x.dtype.is_bool else Invert(x)


# --- how they are called --------------------------------------------------------------------------


def _operator(function: BinaryFunction, name: str) -> Callable[[Tensor, Any], Any]:
    """`x ∘ y`; a type that has the reflected operator gets it where `y` does not convert."""
    reflected = f"__r{name}__"

    def operate(x: Tensor, y: Any) -> Any:
        try:
            return function(x, y, name=name)
        except (TypeError, ValueError):
            if not isinstance(y, Tensor) and hasattr(type(y), reflected) and _is_foreign(y):
                return NotImplemented
            raise

    return operate


def _is_foreign(value: Any) -> bool:
    """Whether a value is neither a number nor an array: those have no say in what a tensor does."""
    return type(value).__module__.split(".")[0] not in ("builtins", "numpy", "ml_dtypes")


def _reflected(function: BinaryFunction, name: str) -> Callable[[Tensor, Any], Any]:
    """`y ∘ x`, called on x."""

    def operate(x: Tensor, y: Any) -> Any:
        with op_scope(name, name, [x]) as scope:
            y = convert_to_tensor(y, dtype=x.dtype.base_dtype, name="x")
            return function(y, x, name=scope)

    return operate


def _comparison(op: Any) -> Callable[[Tensor, Any], Tensor]:
    return lambda x, y: op(x, y)


_BINARY: dict[str, BinaryFunction] = {
    "add": _add,
    "sub": Sub,
    "mul": Mul,
    "truediv": truediv,
    "floordiv": FloorDiv,
    "mod": FloorMod,
    "pow": Pow,
    "matmul": matmul,
    "and": _and,
    "or": _or,
    "xor": _xor,
}
_COMPARISONS = {"lt": Less, "le": LessEqual, "gt": Greater, "ge": GreaterEqual}


def _methods() -> dict[str, Callable[..., Any]]:
    methods: dict[str, Callable[..., Any]] = {
        "__neg__": lambda x: Neg(x),
        "__abs__": absolute,
        "__invert__": _invert,
        "__getitem__": get_item,
    }
    for name, function in _BINARY.items():
        methods[f"__{name}__"] = _operator(function, name)
        methods[f"__r{name}__"] = _reflected(function, name)
    for name, op in _COMPARISONS.items():
        methods[f"__{name}__"] = _comparison(op)
    return methods


def _equality(is_equal: bool) -> Callable[[Tensor, Any], Any]:
    """Of tensors of functions by value, of other graphs by identity, as TF1's."""

    def compare(x: Tensor, y: Any) -> Any:
        if not x._op.graph.uses_tensor_equality:
            return (x is y) is is_equal
        if y is None:
            return not is_equal
        return (Equal if is_equal else NotEqual)(x, y, incompatible_shape_error=False)

    return compare


_METHODS = _methods()
for _name, _method in _METHODS.items():
    setattr(Tensor, _name, _method)
Tensor.__eq__ = _equality(True)  # type: ignore[method-assign]
Tensor.__ne__ = _equality(False)  # type: ignore[method-assign]
Tensor.__hash__ = object.__hash__  # type: ignore[method-assign]


def share_operators(owner: type) -> None:
    """Gives a class with a method `value()` the operators of that tensor, indexing aside."""

    def on_value(method: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self, *operands: method(self.value(), *operands)

    for name, method in _METHODS.items():
        if name != "__getitem__":
            setattr(owner, name, on_value(method))

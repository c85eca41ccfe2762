"""Primitive elementwise functions: what the steps of a kernel's body may be, and their code.

A body is a tuple of steps. Values are numbered: first the inputs, then one for each step:

    steps = (("exp", 0), ("constant", "float32", 1.0), ("add", 1, 2))      # e^x + 1 of input 0

An operand is the number of a value. Infinities and NaN are constants as text: "inf", "-inf", "nan",
since Python has no literals for them. Two kinds of steps have more: ("constant", dtype, number) and
("cast", dtype, operand). Results are those of NumPy's functions of the same names, rounded to the
value's dtype at every step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from featherflow.compiler import angles, elements, rounding, vector_math
from featherflow.compiler.elements import (
    DTYPES,
    FLOATS,
    INTEGERS,
    NARROW_FLOATS,
    SIGNED,
    UNSIGNED,
)
from featherflow.compiler.ir import Function, Value

Step = tuple[Any, ...]
Emitter = Callable[..., Value]

_NUMBERS = (*FLOATS, *INTEGERS)
_NON_DOUBLES = ("float32", *NARROW_FLOATS)


@dataclass(frozen=True)
class Primitive:
    """One primitive.

    Attributes:
      emit: (function, dtype of the operands, *operands) → value.
      dtypes: those of operands that it takes.
      result: dtype of the value; "" is that of the last operand.
      weight: its price, in additions; what is dear is not computed twice.
      is_exact: whether a narrow float's value is one of its kind without rounding.
    """

    emit: Emitter
    dtypes: tuple[str, ...]
    result: str = ""
    weight: int = 1
    is_exact: bool = False


# --- steps ----------------------------------------------------------------------------------------


def plain_steps(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Steps with infinities and NaN as text, so that a spec's text can be read back."""
    return tuple(
        (*step[:2], str(step[2]))
        if step[0] == "constant" and isinstance(step[2], float) and not math.isfinite(step[2])
        else step
        for step in steps
    )


def operands(step: Step) -> tuple[int, ...]:
    """The numbers of the values that a step reads."""
    if step[0] == "constant":
        return ()
    return step[2:] if step[0] == "cast" else step[1:]


def supports(name: str, dtype: str) -> bool:
    """Whether a primitive takes operands of this dtype; for "cast", whether it is known."""
    if name in ("constant", "cast"):
        return dtype in DTYPES
    return name in PRIMITIVES and dtype in PRIMITIVES[name].dtypes


def result_dtype(step: Step, dtypes: Sequence[str]) -> str:
    """The dtype of a step's value, given those of all values before it.

    Raises:
      ValueError: the primitive does not take its operands.
    """
    if step[0] in ("constant", "cast"):
        return step[1]
    given = dtypes[int(step[-1])]
    if not supports(step[0], given):
        raise ValueError(f"No primitive '{step[0]}' of {given}")
    return PRIMITIVES[step[0]].result or given


def value_dtypes(steps: Sequence[Step], inputs: Sequence[str]) -> list[str]:
    """The dtypes of all values: inputs and steps."""
    dtypes = list(inputs)
    for step in steps:
        dtypes.append(result_dtype(step, dtypes))
    return dtypes


def weight(step: Step) -> int:
    """A step's price, in additions."""
    return 1 if step[0] in ("constant", "cast") else PRIMITIVES[step[0]].weight


def emit_step(
    f: Function, step: Step, values: Sequence[Value | None], dtypes: Sequence[str], lanes: int
) -> Value:
    """The value of one step, given the values that it reads."""
    if step[0] == "constant":
        return _constant(f, step[1], step[2], lanes)
    given = [_known(values[number]) for number in operands(step)]
    if step[0] == "cast":
        return elements.cast(f, dtypes[int(step[2])], step[1], given[0])
    dtype = dtypes[int(step[-1])]
    primitive = PRIMITIVES[step[0]]
    value = primitive.emit(f, dtype, *given)
    if dtype in NARROW_FLOATS and not primitive.result and not primitive.is_exact:
        return elements.round_to(f, dtype, value)
    return value


def emit_steps(
    f: Function,
    steps: Sequence[Step],
    values: Sequence[Value],
    dtypes: Sequence[str],
    lanes: int = 0,
) -> list[Value]:
    """All values: those given, then one for each step.

    Args:
      values, dtypes: of the inputs.
      lanes: how many each vector has; needed if there are no inputs.
    """
    lanes = lanes or values[0].type.lanes
    known, kinds = list(values), value_dtypes(steps, dtypes)
    for step in steps:
        known.append(emit_step(f, step, known, kinds, lanes))
    return known


def _known(value: Value | None) -> Value:
    assert value is not None
    return value


def _constant(f: Function, dtype: str, number: elements.Number | str, lanes: int) -> Value:
    if isinstance(number, str):
        number = float(number)
    if dtype not in NARROW_FLOATS:
        return elements.constant(f, dtype, number, lanes)
    wide = elements.constant(f, "float32", number, lanes)
    return elements.round_to(f, dtype, wide)


# --- arithmetic -----------------------------------------------------------------------------------


def _binary(operation: str) -> Emitter:
    return lambda f, dtype, x, y: f.binary(operation, x, y)


def _negate(f: Function, dtype: str, x: Value) -> Value:
    return f.negate(x)


def _absolute(f: Function, dtype: str, x: Value) -> Value:
    if dtype in FLOATS:
        return rounding.magnitude(f, x)
    return x if dtype in UNSIGNED else f.select(f.compare("slt", x, 0), f.negate(x), x)


def _sign(f: Function, dtype: str, x: Value) -> Value:
    more, less = ("ogt", "olt") if dtype in FLOATS else ("sgt", "slt")
    if dtype in UNSIGNED:
        return f.select(f.compare("ne", x, 0), 1, x)
    return f.select(f.compare(more, x, 0), 1, f.select(f.compare(less, x, 0), -1, x))


def _square(f: Function, dtype: str, x: Value) -> Value:
    return x * x


def _squared_difference(f: Function, dtype: str, x: Value, y: Value) -> Value:
    difference = x - y
    return difference * difference


def _floor_divide(f: Function, dtype: str, x: Value, y: Value) -> Value:
    return rounding.floor(f, x / y)


def _reciprocal(f: Function, dtype: str, x: Value) -> Value:
    return 1.0 / x


def _square_root(f: Function, dtype: str, x: Value) -> Value:
    return f.intrinsic(f"llvm.sqrt.{x.type.suffix}", x.type, x)


def _reciprocal_root(f: Function, dtype: str, x: Value) -> Value:
    return 1.0 / _square_root(f, dtype, x)


def _extreme(float_predicate: str, signed: str, unsigned: str) -> Emitter:
    """maximum or minimum; a NaN in either operand is the result."""

    def emit(f: Function, dtype: str, x: Value, y: Value) -> Value:
        if dtype in FLOATS:
            # A comparison with NaN is false, which picks y: right unless x is the NaN.
            picked = f.select(f.compare(float_predicate, x, y), x, y)
            is_constant = not x.text.startswith("%")
            if is_constant and x.text != f.constant(x.type, math.nan).text:
                return picked
            return f.select(f.compare("uno", x, x), x, picked)
        return f.select(f.compare(signed if dtype in SIGNED else unsigned, x, y), x, y)

    return emit


def _unary_math(function: Callable[[Function, Value], Value]) -> Emitter:
    return lambda f, dtype, x: function(f, x)


def _power(f: Function, dtype: str, x: Value, y: Value) -> Value:
    return vector_math.power(f, x, y)


# --- activations ----------------------------------------------------------------------------------


def _relu(f: Function, dtype: str, x: Value) -> Value:
    if dtype in UNSIGNED:
        return x
    return f.select(f.compare("ogt" if dtype in FLOATS else "sgt", f.constant(x.type, 0), x), 0, x)


def _relu6(f: Function, dtype: str, x: Value) -> Value:
    less = "olt" if dtype in FLOATS else "slt" if dtype in SIGNED else "ult"
    return _relu(f, dtype, f.select(f.compare(less, f.constant(x.type, 6), x), 6, x))


def _elu(f: Function, dtype: str, x: Value) -> Value:
    return f.select(f.compare("olt", x, 0), vector_math.expm1(f, x), x)


#: Klambauer et al. 2017: the fixed point of mean 0 and variance 1.
_SELU_SCALE = 1.0507009873554804934193349852946
_SELU_SCALE_ALPHA = 1.7580993408473768599402175208123


def _selu(f: Function, dtype: str, x: Value) -> Value:
    negative = vector_math.expm1(f, x) * _SELU_SCALE_ALPHA
    return f.select(f.compare("olt", x, 0), negative, x * _SELU_SCALE)


def _softsign(f: Function, dtype: str, x: Value) -> Value:
    return x / (_absolute(f, dtype, x) + 1.0)


# --- comparisons and bits -------------------------------------------------------------------------


def _comparison(ordered: str, signed: str, unsigned: str) -> Emitter:
    def emit(f: Function, dtype: str, x: Value, y: Value) -> Value:
        predicate = ordered if dtype in FLOATS else signed if dtype in SIGNED else unsigned
        return f.compare(predicate, x, y)

    return emit


def _logical_not(f: Function, dtype: str, x: Value) -> Value:
    return f.binary("xor", x, -1)


def _select(f: Function, dtype: str, condition: Value, x: Value, y: Value) -> Value:
    return f.select(condition, x, y)


def _is_nan(f: Function, dtype: str, x: Value) -> Value:
    return f.compare("uno", x, x)


def _compare_with_infinity(predicate: str) -> Emitter:
    def emit(f: Function, dtype: str, x: Value) -> Value:
        return f.compare(predicate, rounding.magnitude(f, x), float("inf"))

    return emit


PRIMITIVES: dict[str, Primitive] = {
    "add": Primitive(_binary("add"), _NUMBERS),
    "sub": Primitive(_binary("sub"), _NUMBERS),
    "mul": Primitive(_binary("mul"), _NUMBERS),
    "div": Primitive(_binary("div"), FLOATS, weight=4),
    "floordiv": Primitive(_floor_divide, FLOATS, weight=5),
    "neg": Primitive(_negate, _NUMBERS, is_exact=True),
    "abs": Primitive(_absolute, _NUMBERS, is_exact=True),
    "sign": Primitive(_sign, _NUMBERS, is_exact=True),
    "square": Primitive(_square, _NUMBERS),
    "squared_difference": Primitive(_squared_difference, _NUMBERS),
    "reciprocal": Primitive(_reciprocal, FLOATS, weight=4),
    "sqrt": Primitive(_square_root, FLOATS, weight=4),
    "rsqrt": Primitive(_reciprocal_root, FLOATS, weight=8),
    "exp": Primitive(_unary_math(vector_math.exp), FLOATS, weight=16),
    "expm1": Primitive(_unary_math(vector_math.expm1), FLOATS, weight=20),
    "log": Primitive(_unary_math(vector_math.log), FLOATS, weight=30),
    "log1p": Primitive(_unary_math(vector_math.log1p), FLOATS, weight=32),
    "tanh": Primitive(_unary_math(vector_math.tanh), FLOATS, weight=24),
    "sigmoid": Primitive(_unary_math(vector_math.sigmoid), FLOATS, weight=24),
    "softplus": Primitive(_unary_math(vector_math.softplus), FLOATS, weight=48),
    "erf": Primitive(_unary_math(vector_math.erf), _NON_DOUBLES, weight=32),
    "sin": Primitive(_unary_math(angles.sin), FLOATS, weight=32),
    "cos": Primitive(_unary_math(angles.cos), FLOATS, weight=32),
    "pow": Primitive(_power, _NON_DOUBLES, weight=80),
    "elu": Primitive(_elu, FLOATS, weight=22),
    "selu": Primitive(_selu, FLOATS, weight=24),
    "floor": Primitive(_unary_math(rounding.floor), FLOATS, is_exact=True),
    "ceil": Primitive(_unary_math(rounding.ceil), FLOATS, is_exact=True),
    "round": Primitive(_unary_math(rounding.rint), FLOATS, is_exact=True),
    "rint": Primitive(_unary_math(rounding.rint), FLOATS, is_exact=True),
    "maximum": Primitive(_extreme("ogt", "sgt", "ugt"), _NUMBERS, is_exact=True),
    "minimum": Primitive(_extreme("olt", "slt", "ult"), _NUMBERS, is_exact=True),
    "relu": Primitive(_relu, _NUMBERS, is_exact=True),
    "relu6": Primitive(_relu6, _NUMBERS, is_exact=True),
    "softsign": Primitive(_softsign, FLOATS, weight=6),
    "equal": Primitive(_comparison("oeq", "eq", "eq"), DTYPES, "bool"),
    "not_equal": Primitive(_comparison("une", "ne", "ne"), DTYPES, "bool"),
    "less": Primitive(_comparison("olt", "slt", "ult"), _NUMBERS, "bool"),
    "less_equal": Primitive(_comparison("ole", "sle", "ule"), _NUMBERS, "bool"),
    "greater": Primitive(_comparison("ogt", "sgt", "ugt"), _NUMBERS, "bool"),
    "greater_equal": Primitive(_comparison("oge", "sge", "uge"), _NUMBERS, "bool"),
    "logical_and": Primitive(_binary("and"), ("bool",)),
    "logical_or": Primitive(_binary("or"), ("bool",)),
    "logical_not": Primitive(_logical_not, ("bool",)),
    "bitwise_and": Primitive(_binary("and"), INTEGERS),
    "bitwise_or": Primitive(_binary("or"), INTEGERS),
    "bitwise_xor": Primitive(_binary("xor"), INTEGERS),
    "select": Primitive(_select, DTYPES, is_exact=True),
    "is_nan": Primitive(_is_nan, FLOATS, "bool"),
    "is_inf": Primitive(_compare_with_infinity("oeq"), FLOATS, "bool"),
    "is_finite": Primitive(_compare_with_infinity("olt"), FLOATS, "bool"),
}

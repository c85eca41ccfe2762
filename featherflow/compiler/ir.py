"""A builder of LLVM IR text: typed values with operators, and structured loops, branches, switches.

    f = Function(module, "kernel", [("args", PTR)], I64)
    n = f.load(I64, f.offset(f.parameter("args"), 8))
    total, = f.times(0, n, [f.constant(I64, 0)], lambda i, carried: [carried[0] + i])
    f.return_(total)

Whatever is known while a kernel is generated stays a Python number: `add(2, 3)` is 5 and emits
nothing. Control flow carries values explicitly, so every value is in SSA form from the start and
LLVM needs no passes over it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from featherflow.compiler.target import Target


@dataclass(frozen=True)
class Type:
    """A type of LLVM: an element, or a vector of `lanes` elements."""

    element: str
    lanes: int = 1

    def __str__(self) -> str:
        return self.element if self.lanes == 1 else f"<{self.lanes} x {self.element}>"

    def vector(self, lanes: int) -> Type:
        """`lanes` elements of this kind."""
        return Type(self.element, lanes)

    @property
    def scalar(self) -> Type:
        """One element of this kind."""
        return Type(self.element)

    @property
    def is_float(self) -> bool:
        """Whether elements are floating-point numbers."""
        return self.element in _FLOAT_SUFFIX

    @property
    def bytes(self) -> int:
        """The size of one element in memory."""
        return _ELEMENT_BYTES[self.element]

    @property
    def suffix(self) -> str:
        """How the names of intrinsics spell the type: v16f32."""
        if self.element == "ptr":
            return "p0"
        scalar = _FLOAT_SUFFIX.get(self.element, self.element)
        return scalar if self.lanes == 1 else f"v{self.lanes}{scalar}"


_FLOAT_SUFFIX = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
_ELEMENT_BYTES = {
    **{"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "ptr": 8},
    **{"half": 2, "bfloat": 2, "float": 4, "double": 8},
}

VOID = Type("void")
I1, I8, I16, I32, I64 = Type("i1"), Type("i8"), Type("i16"), Type("i32"), Type("i64")
F16, BF16, F32, F64 = Type("half"), Type("bfloat"), Type("float"), Type("double")
PTR = Type("ptr")


class Value:
    """A value in a function under construction; operators emit instructions there."""

    __slots__ = ("function", "text", "type")

    def __init__(self, function: Function, type_: Type, text: str) -> None:
        self.function = function
        self.type = type_
        self.text = text

    def __str__(self) -> str:
        return f"{self.type} {self.text}"

    def __add__(self, other: Operand) -> Value:
        return self.function.binary("add", self, other)

    def __radd__(self, other: Operand) -> Value:
        return self.function.binary("add", other, self)

    def __sub__(self, other: Operand) -> Value:
        return self.function.binary("sub", self, other)

    def __rsub__(self, other: Operand) -> Value:
        return self.function.binary("sub", other, self)

    def __mul__(self, other: Operand) -> Value:
        return self.function.binary("mul", self, other)

    def __rmul__(self, other: Operand) -> Value:
        return self.function.binary("mul", other, self)

    def __truediv__(self, other: Operand) -> Value:
        return self.function.binary("div", self, other)

    def __rtruediv__(self, other: Operand) -> Value:
        return self.function.binary("div", other, self)

    def __neg__(self) -> Value:
        return self.function.negate(self)


Operand = Value | int | float
Body = Callable[[Any, list[Value]], Sequence[Operand]]

#: op → (instruction on floats, instruction on integers)
_BINARY = {
    "add": ("fadd", "add"),
    "sub": ("fsub", "sub"),
    "mul": ("fmul", "mul"),
    "div": ("fdiv", "sdiv"),
    "rem": ("frem", "srem"),
    "sdiv": ("", "sdiv"),
    "udiv": ("", "udiv"),
    "urem": ("", "urem"),
    "and": ("", "and"),
    "or": ("", "or"),
    "xor": ("", "xor"),
    "shl": ("", "shl"),
    "lshr": ("", "lshr"),
    "ashr": ("", "ashr"),
}


class Module:
    """Functions that become one object file."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._functions: list[Function] = []
        self._declarations: dict[str, str] = {}
        #: definition → name
        self._constants: dict[str, str] = {}

    def add(self, function: Function) -> None:
        """Adds a function; it must be whole before `text` is asked for."""
        self._functions.append(function)

    def declare(self, name: str, line: str) -> None:
        """Declares an intrinsic, once."""
        self._declarations[name] = line

    def table(self, type_: Type, numbers: Sequence[int | float]) -> str:
        """The name of a private constant array; equal ones are one."""
        items = ", ".join(f"{type_} {literal(type_, number)}" for number in numbers)
        content = f"[{len(numbers)} x {type_}] [{items}]"
        definition = f"private unnamed_addr constant {content}, align 64"
        return self._constants.setdefault(definition, f"@table{len(self._constants)}")

    def text(self) -> str:
        """The IR."""
        width = self.target.vector_bits
        attributes = (
            'attributes #0 = { nounwind "no-builtins" "frame-pointer"="none" '
            f'"min-legal-vector-width"="{width}" "prefer-vector-width"="{width}" }}'
        )
        functions = [function.text() for function in self._functions]
        constants = [f"{name} = {content}" for content, name in self._constants.items()]
        parts = [*constants, *self._declarations.values(), *functions, attributes]
        return "\n".join(parts) + "\n"


def literal(type_: Type, number: int | float) -> str:
    """A number as IR spells it; a vector has it in all lanes."""
    if type_.lanes > 1:
        scalar = type_.scalar
        return f"splat ({scalar} {literal(scalar, number)})"
    if type_ == PTR and number == 0:
        return "null"
    if not type_.is_float:
        return str(int(number))
    return _float_literal(type_.element, float(number))


def _float_literal(element: str, number: float) -> str:
    """Exact hexadecimal: `float` is spelled as the double of the same value."""
    if element == "half":
        bits = np.float16(number).view(np.uint16)
        return f"0xH{int(bits):04X}"
    if element == "bfloat":
        wide = int(np.float32(number).view(np.uint32))
        rounded = (wide + 0x7FFF + (wide >> 16 & 1)) >> 16
        return f"0xR{rounded:04X}"
    if element == "float":
        number = float(np.float32(number))
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"


class Function:
    """A function under construction.

    Args:
      module: where it goes.
      name: its symbol.
      parameters: names and types; a name may carry attributes: "noalias readonly in".
      returns: its type.
      is_internal: whether only its module calls it.
    """

    def __init__(
        self,
        module: Module,
        name: str,
        parameters: Sequence[tuple[str, Type]],
        returns: Type = VOID,
        is_internal: bool = False,
    ) -> None:
        self.module = module
        self.target = module.target
        self.name = name
        self.returns = returns
        linkage = "internal " if is_internal else ""
        inlining = "noinline " if is_internal else ""
        declared = ", ".join(f"{t} {_with_percent(words)}" for words, t in parameters)
        self._head = f"define {linkage}{returns} @{name}({declared}) {inlining}#0 {{"
        self._lines: list[str] = ["entry:"]
        self._count = 0
        self._block = "entry"
        self._parameters = {
            words.split()[-1]: Value(self, t, f"%{words.split()[-1]}") for words, t in parameters
        }
        module.add(self)

    def parameter(self, name: str) -> Value:
        """A parameter by name."""
        return self._parameters[name]

    def text(self) -> str:
        """The function as IR."""
        return "\n".join([self._head, *self._lines, "}", ""])

    # --- values -----------------------------------------------------------------------------------

    def emit(self, type_: Type, instruction: str) -> Value:
        """A new value, made by an instruction."""
        self._count += 1
        name = f"%v{self._count}"
        self._lines.append(f"  {name} = {instruction}")
        return Value(self, type_, name)

    def do(self, instruction: str) -> None:
        """An instruction without a value."""
        self._lines.append(f"  {instruction}")

    def constant(self, type_: Type, number: int | float) -> Value:
        """A number; in all lanes, if the type is a vector."""
        return Value(self, type_, literal(type_, number))

    def value(self, operand: Operand, type_: Type) -> Value:
        """An operand as a value: Python's numbers become constants of `type_`."""
        return operand if isinstance(operand, Value) else self.constant(type_, operand)

    def _pair(self, left: Operand, right: Operand) -> tuple[Value, Value]:
        if isinstance(left, Value):
            return left, self.value(right, left.type)
        assert isinstance(right, Value)
        return self.value(left, right.type), right

    def binary(self, operation: str, left: Operand, right: Operand) -> Value:
        """`left operation right`, elementwise; neutral integers cost nothing."""
        left, right = self._pair(left, right)
        kind = left.type
        if not kind.is_float and kind.lanes == 1:
            if right.text == _NEUTRAL.get(operation):
                return left
            if operation in ("add", "mul") and left.text == _NEUTRAL[operation]:
                return right
        instruction = _BINARY[operation][0 if kind.is_float else 1]
        return self.emit(kind, f"{instruction} {kind} {left.text}, {right.text}")

    def negate(self, value: Value) -> Value:
        """−value."""
        if value.type.is_float:
            return self.emit(value.type, f"fneg {value}")
        return self.binary("sub", 0, value)

    def compare(self, predicate: str, left: Operand, right: Operand) -> Value:
        """A comparison, by LLVM's predicate: olt, oeq, uno, slt, ult, eq …"""
        left, right = self._pair(left, right)
        kind = "fcmp" if left.type.is_float else "icmp"
        result = I1.vector(left.type.lanes)
        return self.emit(result, f"{kind} {predicate} {left}, {right.text}")

    def select(self, condition: Value, left: Operand, right: Operand) -> Value:
        """`left` where `condition`, else `right`."""
        if not isinstance(left, Value) and not isinstance(right, Value):
            left = self.constant(I64, left)
        left, right = self._pair(left, right)
        return self.emit(left.type, f"select {condition}, {left}, {right}")

    def smaller(self, left: Operand, right: Operand) -> Value:
        """The smaller of two signed integers."""
        return self.select(self.compare("slt", left, right), left, right)

    def larger(self, left: Operand, right: Operand) -> Value:
        """The larger of two signed integers."""
        return self.select(self.compare("sgt", left, right), left, right)

    def convert(self, instruction: str, value: Value, element: Type) -> Value:
        """A conversion by LLVM's name for it: sitofp, fptosi, zext, trunc, bitcast …"""
        result = element.vector(value.type.lanes)
        return self.emit(result, f"{instruction} {value} to {result}")

    def broadcast(self, scalar: Value, lanes: int) -> Value:
        """A vector with `scalar` in all lanes."""
        if lanes == 1:
            return scalar
        kind = scalar.type.vector(lanes)
        first = self.emit(kind, f"insertelement {kind} poison, {scalar}, i32 0")
        zeros = f"<{lanes} x i32> zeroinitializer"
        return self.emit(kind, f"shufflevector {first}, {kind} poison, {zeros}")

    def extract(self, vector: Value, lane: int) -> Value:
        """One lane of a vector."""
        return self.emit(vector.type.scalar, f"extractelement {vector}, i32 {lane}")

    def insert(self, vector: Value, scalar: Value, lane: int) -> Value:
        """A vector with one lane replaced."""
        return self.emit(vector.type, f"insertelement {vector}, {scalar}, i32 {lane}")

    def shuffle(self, vector: Value, lanes: Sequence[int]) -> Value:
        """The lanes of a vector, picked in any order."""
        picks = ", ".join(f"i32 {lane}" for lane in lanes)
        kind = vector.type.scalar.vector(len(lanes))
        mask = f"<{len(lanes)} x i32> <{picks}>"
        return self.emit(kind, f"shufflevector {vector}, {vector.type} poison, {mask}")

    def intrinsic(self, name: str, returns: Type, *arguments: Value) -> Value:
        """A call of an intrinsic of LLVM that gives a value; declares it."""
        self._declare(name, returns, arguments)
        given = ", ".join(str(argument) for argument in arguments)
        return self.emit(returns, f"call {returns} @{name}({given})")

    def _declare(self, name: str, returns: Type, arguments: Sequence[Value]) -> None:
        types = ", ".join(str(argument.type) for argument in arguments)
        self.module.declare(name, f"declare {returns} @{name}({types})")

    def fma(self, left: Value, right: Value, addend: Value) -> Value:
        """left · right + addend, rounded once where the machine can."""
        kind = addend.type
        if not self.target.has_fma:
            return left * right + addend
        return self.intrinsic(f"llvm.fma.{kind.suffix}", kind, left, right, addend)

    def call(self, function: Function, *arguments: Operand) -> Value:
        """Calls another function of the module."""
        kinds = [value.type for value in function._parameters.values()]
        given = ", ".join(str(self.value(a, kind)) for a, kind in zip(arguments, kinds))
        if function.returns == VOID:
            self.do(f"call void @{function.name}({given})")
            return self.constant(I64, 0)
        return self.emit(function.returns, f"call {function.returns} @{function.name}({given})")

    # --- memory -----------------------------------------------------------------------------------

    def offset(self, pointer: Value, bytes_: Operand) -> Value:
        """`pointer` moved on by bytes."""
        if not isinstance(bytes_, Value) and bytes_ == 0:
            return pointer
        amount = self.value(bytes_, I64)
        return self.emit(PTR, f"getelementptr i8, {pointer}, {amount}")

    def load(self, type_: Type, pointer: Value, align: int = 0) -> Value:
        """A value from memory; aligned as its elements are unless told otherwise."""
        return self.emit(type_, f"load {type_}, {pointer}, align {align or type_.bytes}")

    def store(self, value: Value, pointer: Value, align: int = 0) -> None:
        """A value to memory."""
        self.do(f"store {value}, {pointer}, align {align or value.type.bytes}")

    def lane_mask(self, count: Operand, lanes: int) -> Value:
        """True in the first `count` lanes."""
        numbers = ", ".join(f"i32 {lane}" for lane in range(lanes))
        kind = I32.vector(lanes)
        steps = Value(self, kind, f"<{numbers}>")
        if not isinstance(count, Value):
            return self.compare("ult", steps, count)
        narrow = self.convert("trunc", count, I32) if count.type == I64 else count
        return self.compare("ult", steps, self.broadcast(narrow, lanes))

    def masked_load(self, type_: Type, pointer: Value, mask: Value) -> Value:
        """Like `load` where the mask holds, zero elsewhere; touches no other memory."""
        name = f"llvm.masked.load.{type_.suffix}.p0"
        align = self.constant(I32, type_.bytes)
        return self.intrinsic(name, type_, pointer, align, mask, self.constant(type_, 0))

    def masked_store(self, value: Value, pointer: Value, mask: Value) -> None:
        """Like `store` where the mask holds."""
        name = f"llvm.masked.store.{value.type.suffix}.p0"
        arguments = (value, pointer, self.constant(I32, value.type.bytes), mask)
        self._declare(name, VOID, arguments)
        self.do(f"call void @{name}({', '.join(map(str, arguments))})")

    def prefetch(self, pointer: Value, for_write: bool = False, locality: int = 3) -> None:
        """Asks for a cache line; locality 3 is the first level, 2 the second."""
        self.module.declare(
            "llvm.prefetch.p0", "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"
        )
        write = int(for_write)
        self.do(f"call void @llvm.prefetch.p0({pointer}, i32 {write}, i32 {locality}, i32 1)")

    # --- control flow -----------------------------------------------------------------------------

    def _label(self) -> str:
        self._count += 1
        return f"b{self._count}"

    def _start(self, label: str) -> None:
        self._lines.append(f"{label}:")
        self._block = label

    def loop(
        self, start: Operand, stop: Operand, carried: Sequence[Value], body: Body, step: int = 1
    ) -> list[Value]:
        """for i in range(start, stop, step): carried = body(i, carried), at least once.

        A loop that is known to run once is emitted without a branch, `i` as a Python number.
        """
        if isinstance(start, int) and isinstance(stop, int) and start + step >= stop:
            return [self.value(v, c.type) for v, c in zip(body(start, list(carried)), carried)]
        entry, head, done = self._block, self._label(), self._label()
        self.do(f"br label %{head}")
        self._start(head)
        place = len(self._lines)
        index = Value(self, I64, f"%i{head}")
        phis = [Value(self, c.type, f"%c{number}{head}") for number, c in enumerate(carried)]
        results = [self.value(v, c.type) for v, c in zip(body(index, list(phis)), carried)]
        following = index + step
        again = self.compare("slt", following, stop)
        latch = self._block
        self.do(f"br {again}, label %{head}, label %{done}")
        first = self.value(start, I64)
        lines = [_phi(index, [(first, entry), (following, latch)])]
        for phi, before, after in zip(phis, carried, results):
            lines.append(_phi(phi, [(before, entry), (after, latch)]))
        self._lines[place:place] = lines
        self._start(done)
        return results

    def when(
        self,
        condition: Value,
        carried: Sequence[Value],
        body: Callable[[list[Value]], Sequence[Operand]],
    ) -> list[Value]:
        """if condition: carried = body(carried)."""
        before, inside, after = self._block, self._label(), self._label()
        self.do(f"br {condition}, label %{inside}, label %{after}")
        self._start(inside)
        results = [self.value(v, c.type) for v, c in zip(body(list(carried)), carried)]
        end = self._block
        self.do(f"br label %{after}")
        self._start(after)
        return [
            self._join(old.type, [(old, before), (new, end)]) for old, new in zip(carried, results)
        ]

    def times(
        self, start: Operand, stop: Operand, carried: Sequence[Value], body: Body, step: int = 1
    ) -> list[Value]:
        """Like `loop`, possibly without any trip."""
        if isinstance(start, int) and isinstance(stop, int):
            if start >= stop:
                return list(carried)
            return self.loop(start, stop, carried, body, step)
        condition = self.compare("slt", self.value(start, I64), stop)
        return self.when(
            condition, carried, lambda values: self.loop(start, stop, values, body, step)
        )

    def repeat(
        self,
        carried: Sequence[Value],
        body: Callable[[list[Value]], tuple[Value, Sequence[Operand]]],
    ) -> list[Value]:
        """do: finished, carried = body(carried); until finished."""
        entry, head, done = self._block, self._label(), self._label()
        self.do(f"br label %{head}")
        self._start(head)
        place = len(self._lines)
        phis = [Value(self, c.type, f"%c{number}{head}") for number, c in enumerate(carried)]
        finished, following = body(list(phis))
        results = [self.value(v, c.type) for v, c in zip(following, carried)]
        latch = self._block
        self.do(f"br {finished}, label %{done}, label %{head}")
        self._lines[place:place] = [
            _phi(phi, [(before, entry), (after, latch)])
            for phi, before, after in zip(phis, carried, results)
        ]
        self._start(done)
        return results

    def switch(
        self,
        selector: Value,
        cases: Mapping[int, Callable[[], Sequence[Value]]],
        types: Sequence[Type],
    ) -> list[Value]:
        """The values of the case that `selector` names; there must be one."""
        nowhere, after = self._label(), self._label()
        labels = {number: self._label() for number in cases}
        table = " ".join(f"{selector.type} {n}, label %{label}" for n, label in labels.items())
        self.do(f"switch {selector}, label %{nowhere} [{table}]")
        self._start(nowhere)
        self.do("unreachable")
        ends = []
        for number, body in cases.items():
            self._start(labels[number])
            values = body()
            ends.append((values, self._block))
            self.do(f"br label %{after}")
        self._start(after)
        return [
            self._join(kind, [(values[place], block) for values, block in ends])
            for place, kind in enumerate(types)
        ]

    def _join(self, type_: Type, arrivals: Sequence[tuple[Value, str]]) -> Value:
        arms = ", ".join(f"[{value.text}, %{block}]" for value, block in arrivals)
        return self.emit(type_, f"phi {type_} {arms}")

    def return_(self, value: Operand | None = None) -> None:
        """Ends the function."""
        self.do("ret void" if value is None else f"ret {self.value(value, self.returns)}")


_NEUTRAL = {"add": "0", "sub": "0", "mul": "1", "shl": "0", "lshr": "0", "udiv": "1", "sdiv": "1"}


def _phi(value: Value, arrivals: Sequence[tuple[Value, str]]) -> str:
    arms = ", ".join(f"[{arrival.text}, %{block}]" for arrival, block in arrivals)
    return f"  {value.text} = phi {value.type} {arms}"


def _with_percent(words: str) -> str:
    *attributes, name = words.split()
    return " ".join([*attributes, f"%{name}"])

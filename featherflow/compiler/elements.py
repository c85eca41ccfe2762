"""How elements of each dtype lie in memory and in registers, and conversions between them.

In registers float16 and bfloat16 are float32 numbers that the narrow type can hold, so a chain of
steps widens once, and narrows by rounding without leaving its register; a bool is a bit.
"""

from __future__ import annotations

from featherflow.compiler.ir import (
    BF16,
    F16,
    F32,
    F64,
    I1,
    I8,
    I16,
    I32,
    I64,
    Function,
    Type,
    Value,
)

_MEMORY = {
    **{"float32": F32, "float64": F64, "float16": F16, "bfloat16": BF16, "bool": I8},
    **{"int8": I8, "int16": I16, "int32": I32, "int64": I64},
    **{"uint8": I8, "uint16": I16, "uint32": I32, "uint64": I64},
}
NARROW_FLOATS = ("float16", "bfloat16")
WIDE_FLOATS = ("float32", "float64")
FLOATS = (*WIDE_FLOATS, *NARROW_FLOATS)
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = (*SIGNED, *UNSIGNED)
DTYPES = (*FLOATS, *INTEGERS, "bool")
Number = int | float | bool


def memory_type(dtype: str) -> Type:
    """One element in memory."""
    return _MEMORY[dtype]


def register_type(dtype: str) -> Type:
    """One element in a register."""
    if dtype in NARROW_FLOATS:
        return F32
    return I1 if dtype == "bool" else _MEMORY[dtype]


def element_bytes(dtype: str) -> int:
    """The size of one element in memory."""
    return _MEMORY[dtype].bytes


def constant(f: Function, dtype: str, number: Number, lanes: int) -> Value:
    """A number in all lanes, as a register holds it."""
    if dtype in NARROW_FLOATS:
        raise ValueError("a narrow constant is a cast one: its rounding is the cast's")
    return f.constant(register_type(dtype).vector(lanes), number)


# --- memory ---------------------------------------------------------------------------------------


def load(f: Function, dtype: str, pointer: Value, lanes: int, mask: Value | None = None) -> Value:
    """Adjoining elements, as a register holds them; where the mask does not hold, zeros."""
    return from_memory(f, dtype, load_raw(f, dtype, pointer, lanes, mask))


def load_raw(
    f: Function, dtype: str, pointer: Value, lanes: int, mask: Value | None = None
) -> Value:
    """Adjoining elements as they are in memory."""
    kind = _raw_type(dtype).vector(lanes)
    return f.load(kind, pointer) if mask is None else f.masked_load(kind, pointer, mask)


def load_splat(f: Function, dtype: str, pointer: Value, lanes: int) -> Value:
    """One element in all lanes."""
    return f.broadcast(load(f, dtype, pointer, 1), lanes)


def load_strided(f: Function, dtype: str, pointer: Value, stride: Value, lanes: int) -> Value:
    """Elements that lie `stride` bytes apart, fetched one by one."""
    kind = _raw_type(dtype)
    if lanes == 1:
        return load(f, dtype, pointer, 1)
    raw = Value(f, kind.vector(lanes), "poison")
    for lane in range(lanes):
        raw = f.insert(raw, f.load(kind, pointer), lane)
        pointer = f.offset(pointer, stride)
    return from_memory(f, dtype, raw)


def store(f: Function, dtype: str, value: Value, pointer: Value, mask: Value | None = None) -> None:
    """A register's elements to memory, side by side."""
    raw = _to_memory(f, dtype, value)
    if mask is None:
        f.store(raw, pointer)
    else:
        f.masked_store(raw, pointer, mask)


def store_strided(f: Function, dtype: str, value: Value, pointer: Value, stride: Value) -> None:
    """A register's elements to places that lie `stride` bytes apart, one by one."""
    raw = _to_memory(f, dtype, value)
    if raw.type.lanes == 1:
        f.store(raw, pointer)
        return
    for lane in range(raw.type.lanes):
        f.store(f.extract(raw, lane), pointer)
        pointer = f.offset(pointer, stride)


def _raw_type(dtype: str) -> Type:
    """Narrow floats travel as integers: not every machine has registers for them."""
    return I16 if dtype in NARROW_FLOATS else memory_type(dtype)


def from_memory(f: Function, dtype: str, raw: Value) -> Value:
    """Elements as they were in memory, as a register holds them."""
    if dtype == "bool":
        return f.compare("ne", raw, 0)
    if dtype == "bfloat16":
        wide = f.convert("zext", raw, I32)
        return f.convert("bitcast", f.binary("shl", wide, 16), F32)
    if dtype == "float16":
        return _half_to_float(f, raw)
    return raw


def _to_memory(f: Function, dtype: str, value: Value) -> Value:
    if dtype == "bool":
        return f.convert("zext", value, I8)
    if dtype == "bfloat16":
        bits = f.convert("bitcast", value, I32)
        return f.convert("trunc", f.binary("lshr", bits, 16), I16)
    if dtype == "float16":
        return _float_to_half(f, value)
    return value


# --- narrow floats --------------------------------------------------------------------------------


def round_to(f: Function, dtype: str, value: Value) -> Value:
    """A float32 rounded to the nearest number of `dtype`, ties to even; stays in its register."""
    if dtype == "bfloat16":
        return _round_to_bfloat16(f, value)
    if dtype == "float16":
        return _half_to_float(f, _float_to_half(f, value))
    return value


def _round_to_bfloat16(f: Function, value: Value) -> Value:
    bits = f.convert("bitcast", value, I32)
    odd = f.binary("and", f.binary("lshr", bits, 16), 1)
    rounded = f.binary("and", bits + (odd + 0x7FFF), -65536)
    # Rounding could carry a NaN's bits into infinity; cutting keeps its quiet bit.
    cut = f.binary("and", f.binary("or", bits, 0x400000), -65536)
    is_nan = f.compare("uno", value, value)
    return f.convert("bitcast", f.select(is_nan, cut, rounded), F32)


def _converts_half(f: Function) -> bool:
    """Whether the machine has instructions between float16 and float32: F16C comes with FMA."""
    return f.target.has_fma


def _half_to_float(f: Function, raw: Value) -> Value:
    if _converts_half(f):
        return f.convert("fpext", f.convert("bitcast", raw, F16), F32)
    bits = f.convert("zext", raw, I32)
    sign = f.binary("shl", f.binary("and", bits, 0x8000), 16)
    magnitude = f.binary("shl", f.binary("and", bits, 0x7FFF), 13)
    # The exponent's bias is mended by a product, which makes denormals normal as well.
    scaled = f.convert("bitcast", magnitude, F32) * 2.0**112
    is_special = f.compare("uge", magnitude, 0x0F800000)
    special = f.binary("or", magnitude, 0x7F800000)
    wide = f.select(is_special, special, f.convert("bitcast", scaled, I32))
    return f.convert("bitcast", f.binary("or", wide, sign), F32)


def _float_to_half(f: Function, value: Value) -> Value:
    if _converts_half(f):
        return f.convert("bitcast", f.convert("fptrunc", value, F16), I16)
    bits = f.convert("bitcast", value, I32)
    sign = f.binary("and", bits, -0x80000000)
    magnitude = f.binary("xor", bits, sign)
    # Normal: bias and round in the integer. Denormal: an addition lines the bits up and rounds.
    odd = f.binary("and", f.binary("lshr", magnitude, 13), 1)
    normal = f.binary("lshr", magnitude + (odd + (0xFFF - (112 << 23))), 13)
    lined_up = f.convert("bitcast", magnitude, F32) + 0.5
    tiny = f.convert("bitcast", lined_up, I32) - 0x3F000000
    half = f.select(f.compare("ult", magnitude, 113 << 23), tiny, normal)
    half = f.select(f.compare("uge", magnitude, 143 << 23), 0x7C00, half)
    nan = f.binary("or", f.binary("lshr", magnitude, 13), 0x7E00)
    nan = f.binary("and", nan, 0x7FFF)
    half = f.select(f.compare("ugt", magnitude, 0x7F800000), nan, half)
    half = f.binary("or", half, f.binary("lshr", sign, 16))
    return f.convert("trunc", half, I16)


# --- casts ----------------------------------------------------------------------------------------


def cast(f: Function, source: str, target: str, value: Value) -> Value:
    """Elements of one dtype as another's, as NumPy converts them.

    Floats that an integer type cannot hold become what the processor makes of them.
    """
    if source == target:
        return value
    if target == "bool":
        return f.compare("une" if source in FLOATS else "ne", value, 0)
    if source in FLOATS:
        if target in FLOATS:
            return _float_to_float(f, source, target, value)
        return _float_to_integer(f, target, value)
    if target in FLOATS:
        instruction = "sitofp" if source in SIGNED else "uitofp"
        wide = F64 if target == "float64" else F32
        return round_to(f, target, f.convert(instruction, value, wide))
    return _integer_to_integer(f, source, target, value)


def _float_to_float(f: Function, source: str, target: str, value: Value) -> Value:
    if source == "float64":
        if target == "float32":
            return f.convert("fptrunc", value, F32)
        return round_to(f, target, _round_to_odd(f, value))
    if target == "float64":
        return f.convert("fpext", value, F64)
    return round_to(f, target, value)


def _round_to_odd(f: Function, value: Value) -> Value:
    """A float64 cut to float32 with the last bit set if that loses anything.

    A second rounding, to fewer bits, then gives what one rounding would (Boldo, Melquiond 2008).
    """
    near = f.convert("fptrunc", value, F32)
    back = f.convert("fpext", near, F64)
    size = f"llvm.fabs.{value.type.suffix}"
    is_above = f.compare(
        "ogt", f.intrinsic(size, value.type, back), f.intrinsic(size, value.type, value)
    )
    bits = f.convert("bitcast", near, I32)
    cut = bits - f.convert("zext", is_above, I32)
    odd = f.binary("or", cut, f.convert("zext", f.compare("one", back, value), I32))
    return f.convert("bitcast", odd, F32)


def _float_to_integer(f: Function, target: str, value: Value) -> Value:
    kind = memory_type(target)
    if target == "uint64":
        return f.convert("fptoui", value, I64)
    if kind.bytes < 4:
        return f.convert("trunc", f.convert("fptosi", value, I32), kind)
    if target == "uint32":
        # By way of int64, so that negative numbers wrap around.
        return f.convert("trunc", f.convert("fptosi", value, I64), I32)
    return f.convert("fptosi", value, kind)


def _integer_to_integer(f: Function, source: str, target: str, value: Value) -> Value:
    before, after = register_type(source), memory_type(target)
    if source != "bool" and before.bytes == after.bytes:
        return value
    if source != "bool" and before.bytes > after.bytes:
        return f.convert("trunc", value, after)
    return f.convert("sext" if source in SIGNED else "zext", value, after)

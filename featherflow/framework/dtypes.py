"""The element types of tensors: one `DType` object per type, and the conversions to and from NumPy.

Every type is a single interned object: two types are the same exactly when they are the same
object, and a table keyed by dtype costs one pointer comparison. Each type has a *ref* twin
(`float32_ref`), the type of the mutable references that TF1's `Variable` op hands out; a twin's
number is its base type's plus 100.

    >>> as_dtype("float32") is float32
    True
    >>> float32.as_ref.name, float32.as_ref.base_dtype is float32
    ('float32_ref', True)
    >>> float32 == "float32", float32 == np.float32, int8.max
    (True, True, 127)
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, NoReturn, final

import ml_dtypes
import numpy as np

REF_OFFSET = 100  # TensorFlow's numbering: DT_FLOAT is 1, DT_FLOAT_REF is 101.

_BY_ENUM: dict[int, DType] = {}
_FROM_NUMPY: dict[np.dtype, DType] = {}
_FROM_ANY: dict[Any, DType] = {}  # numbers, names, NumPy and Python classes


@final
class DType:
    """The type of the elements of a tensor, such as `tf.float32`.

    `DType(number)` looks a type up by its number in TensorFlow's `DataType`; it never makes one.

    Attributes:
      name: the type's name; a ref type's ends in `_ref`.
      as_datatype_enum: its number in `GraphDef` files.
      as_numpy_dtype: the NumPy class of its elements (`np.float32`), as TensorFlow returns it; for
        quantized types the one-field structured `np.dtype` that tells them apart from integers.
      numpy_dtype: the `np.dtype` that host arrays of this type have. Strings, resource handles and
        variants are kept in object arrays.
      size: bytes per element in memory; 0 where elements have no fixed size.
      base_dtype: the type without the reference; itself if it is none.
      as_ref: the reference twin; itself if it is one.
      is_floating, is_integer, is_bool, is_complex, is_quantized, is_unsigned: what the elements
        are. Quantized types count as neither integer nor unsigned.
      is_numeric: whether ops on numbers in general accept it: all but bool, string, resource,
        variant and the types that exist for storage (float8, float4, int4, int2).
      is_numpy_compatible: whether arrays of it can be exchanged with NumPy.
    """

    __slots__ = (
        "_is_ref_dtype",
        "as_datatype_enum",
        "as_numpy_dtype",
        "as_ref",
        "base_dtype",
        "is_bool",
        "is_complex",
        "is_floating",
        "is_integer",
        "is_numeric",
        "is_numpy_compatible",
        "is_quantized",
        "is_unsigned",
        "name",
        "numpy_dtype",
        "size",
    )

    name: str
    as_datatype_enum: int
    as_numpy_dtype: Any
    numpy_dtype: np.dtype
    size: int
    base_dtype: DType
    as_ref: DType
    is_floating: builtins.bool
    is_integer: builtins.bool
    is_bool: builtins.bool
    is_complex: builtins.bool
    is_quantized: builtins.bool
    is_unsigned: builtins.bool
    is_numeric: builtins.bool
    is_numpy_compatible: builtins.bool
    _is_ref_dtype: builtins.bool

    def __new__(cls, type_enum: int) -> DType:
        try:
            return _BY_ENUM[int(type_enum)]
        except KeyError:
            raise TypeError(
                f"{type_enum} does not correspond to a valid tensorflow::DataType"
            ) from None

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"DType objects are constants: cannot set {self.name}.{name}")

    # A type equals its spellings but hashes by identity: a hash in Python would put a call into
    # every kernel look-up, and could agree with one spelling only.
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> builtins.bool:
        if self is other:
            return True
        if other is None or type(other) is DType:
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __ne__(self, other: object) -> builtins.bool:
        return not self == other

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __reduce__(self) -> tuple[Callable[..., DType], tuple[str]]:
        return as_dtype, (self.name,)

    @property
    def _type_enum(self) -> int:
        return self.as_datatype_enum

    @property
    def _as_ref(self) -> DType:
        return self.as_ref

    @property
    def real_dtype(self) -> DType:
        """The type of the real and imaginary parts; the type itself if it is not complex."""
        return _REAL_PARTS.get(self.base_dtype, self)

    @property
    def min(self) -> Any:
        """The smallest (most negative) finite value.

        Raises:
          TypeError: the type has no order, or its values have no fixed scale (quantized types).
        """
        return self._range_info("minimum").min

    @property
    def max(self) -> Any:
        """The largest finite value; raises TypeError as `min` does."""
        return self._range_info("maximum").max

    @property
    def limits(self) -> tuple[Any, Any]:
        """The `(low, high)` that an image of this type spans: `(0, max)` or `(0, 1)` if floating.

        Raises:
          ValueError: TensorFlow defines no such range for the type.
        """
        base = self.base_dtype
        if base is float32 or base is float64:
            return 0, 1
        if base is bool:
            return 0, True
        if base.is_integer and base.is_numeric:
            return 0, self.max
        raise ValueError(f"{self} does not have defined limits.")

    def is_compatible_with(self, other: object) -> builtins.bool:
        """Whether a value of type `other` can be used where this type is wanted.

        A reference can be read as its base type, so `float32` accepts `float32_ref`; never the
        other way round.
        """
        other_dtype = as_dtype(other)
        return self is other_dtype or self is other_dtype.base_dtype

    def _range_info(self, bound: str) -> Any:
        base = self.base_dtype
        # NumPy's own finfo and iinfo do not know the types of ml_dtypes; ml_dtypes.iinfo knows them
        # by their scalar class only.
        if base.is_floating:
            return ml_dtypes.finfo(base.numpy_dtype)
        if base.is_integer:
            return ml_dtypes.iinfo(base.numpy_dtype.type)
        kind = "quantized type" if base.is_quantized else "type"
        raise TypeError(f"Cannot find {bound} value of {self} with {kind} {base}.")


_FLAGS = (
    "is_bool",
    "is_complex",
    "is_floating",
    "is_integer",
    "is_numeric",
    "is_quantized",
    "is_unsigned",
)


def _define(enum: int, name: str, numpy_type: Any, *flags: str) -> DType:
    """Makes a type and its ref twin, and enters both in the tables; returns the type."""
    numpy_dtype = np.dtype(numpy_type)
    facts: dict[str, Any] = {flag: flag in flags for flag in _FLAGS}
    facts["as_numpy_dtype"] = numpy_type
    facts["numpy_dtype"] = numpy_dtype
    facts["is_numpy_compatible"] = name not in ("resource", "variant")
    facts["size"] = 0 if numpy_dtype.hasobject else numpy_dtype.itemsize
    base, ref = object.__new__(DType), object.__new__(DType)
    facts["base_dtype"], facts["as_ref"] = base, ref
    for dtype, own_name, own_enum in ((base, name, enum), (ref, f"{name}_ref", enum + REF_OFFSET)):
        facts["name"], facts["as_datatype_enum"] = own_name, own_enum
        facts["_is_ref_dtype"] = dtype is ref
        for attribute, value in facts.items():
            object.__setattr__(dtype, attribute, value)
        _BY_ENUM[own_enum] = _FROM_ANY[own_enum] = _FROM_ANY[own_name] = dtype
    return base


_FLOAT = ("is_floating", "is_numeric")
_INT = ("is_integer", "is_numeric")
_UINT = ("is_integer", "is_unsigned", "is_numeric")
_COMPLEX = ("is_complex", "is_numeric")
_QUANTIZED = ("is_quantized", "is_numeric")
_TINY_FLOAT = ("is_floating",)
_TINY_INT = ("is_integer",)
_TINY_UINT = ("is_integer", "is_unsigned")

float32 = _define(1, "float32", np.float32, *_FLOAT)
float64 = _define(2, "float64", np.float64, *_FLOAT)
int32 = _define(3, "int32", np.int32, *_INT)
uint8 = _define(4, "uint8", np.uint8, *_UINT)
int16 = _define(5, "int16", np.int16, *_INT)
int8 = _define(6, "int8", np.int8, *_INT)
string = _define(7, "string", object)
complex64 = _define(8, "complex64", np.complex64, *_COMPLEX)
int64 = _define(9, "int64", np.int64, *_INT)
bool = _define(10, "bool", np.bool_, "is_bool")
qint8 = _define(11, "qint8", np.dtype([("qint8", np.int8)]), *_QUANTIZED)
quint8 = _define(12, "quint8", np.dtype([("quint8", np.uint8)]), *_QUANTIZED)
qint32 = _define(13, "qint32", np.dtype([("qint32", np.int32)]), *_QUANTIZED)
bfloat16 = _define(14, "bfloat16", ml_dtypes.bfloat16, *_FLOAT)
qint16 = _define(15, "qint16", np.dtype([("qint16", np.int16)]), *_QUANTIZED)
quint16 = _define(16, "quint16", np.dtype([("quint16", np.uint16)]), *_QUANTIZED)
uint16 = _define(17, "uint16", np.uint16, *_UINT)
complex128 = _define(18, "complex128", np.complex128, *_COMPLEX)
float16 = _define(19, "float16", np.float16, *_FLOAT)
resource = _define(20, "resource", object)
variant = _define(21, "variant", object)
uint32 = _define(22, "uint32", np.uint32, *_UINT)
uint64 = _define(23, "uint64", np.uint64, *_UINT)
float8_e5m2 = _define(24, "float8_e5m2", ml_dtypes.float8_e5m2, *_TINY_FLOAT)
float8_e4m3fn = _define(25, "float8_e4m3fn", ml_dtypes.float8_e4m3fn, *_TINY_FLOAT)
float8_e4m3fnuz = _define(26, "float8_e4m3fnuz", ml_dtypes.float8_e4m3fnuz, *_TINY_FLOAT)
float8_e4m3b11fnuz = _define(27, "float8_e4m3b11fnuz", ml_dtypes.float8_e4m3b11fnuz, *_TINY_FLOAT)
float8_e5m2fnuz = _define(28, "float8_e5m2fnuz", ml_dtypes.float8_e5m2fnuz, *_TINY_FLOAT)
int4 = _define(29, "int4", ml_dtypes.int4, *_TINY_INT)
uint4 = _define(30, "uint4", ml_dtypes.uint4, *_TINY_UINT)
int2 = _define(31, "int2", ml_dtypes.int2, *_TINY_INT)
uint2 = _define(32, "uint2", ml_dtypes.uint2, *_TINY_UINT)
float4_e2m1fn = _define(33, "float4_e2m1fn", ml_dtypes.float4_e2m1fn, *_TINY_FLOAT)

half = float16
double = float64

float32_ref = float32.as_ref
float64_ref = double_ref = float64.as_ref
int32_ref = int32.as_ref
uint8_ref = uint8.as_ref
int16_ref = int16.as_ref
int8_ref = int8.as_ref
string_ref = string.as_ref
complex64_ref = complex64.as_ref
int64_ref = int64.as_ref
bool_ref = bool.as_ref
qint8_ref = qint8.as_ref
quint8_ref = quint8.as_ref
qint32_ref = qint32.as_ref
bfloat16_ref = bfloat16.as_ref
qint16_ref = qint16.as_ref
quint16_ref = quint16.as_ref
uint16_ref = uint16.as_ref
complex128_ref = complex128.as_ref
float16_ref = half_ref = float16.as_ref
resource_ref = resource.as_ref
variant_ref = variant.as_ref
uint32_ref = uint32.as_ref
uint64_ref = uint64.as_ref
float8_e5m2_ref = float8_e5m2.as_ref
float8_e4m3fn_ref = float8_e4m3fn.as_ref
float8_e4m3fnuz_ref = float8_e4m3fnuz.as_ref
float8_e4m3b11fnuz_ref = float8_e4m3b11fnuz.as_ref
float8_e5m2fnuz_ref = float8_e5m2fnuz.as_ref
int4_ref = int4.as_ref
uint4_ref = uint4.as_ref
int2_ref = int2.as_ref
uint2_ref = uint2.as_ref
float4_e2m1fn_ref = float4_e2m1fn.as_ref

_REAL_PARTS = {complex64: float32, complex128: float64}

BASE_TYPES = tuple(dtype for dtype in _BY_ENUM.values() if not dtype._is_ref_dtype)

# The named sets of OpDef constraints, in the order in which OpDefs list them.
NUMBER_TYPES = tuple(dtype for dtype in BASE_TYPES if dtype.is_numeric)
REAL_NUMBER_TYPES = tuple(
    dtype for dtype in NUMBER_TYPES if not (dtype.is_complex or dtype.is_quantized)
)
QUANTIZED_TYPES = (qint8, quint8, qint32, qint16, quint16)

QUANTIZED_DTYPES = frozenset((*QUANTIZED_TYPES, *(dtype.as_ref for dtype in QUANTIZED_TYPES)))
TF_VALUE_DTYPES = frozenset(dtype for dtype in BASE_TYPES if dtype.is_numpy_compatible)


def _fill_tables() -> None:
    """Enters the spellings that are not a number or a name."""
    for dtype in BASE_TYPES:
        if dtype.numpy_dtype.hasobject:
            continue
        _FROM_NUMPY[dtype.numpy_dtype] = dtype
        if not dtype.is_quantized:  # their scalar class is np.void, which says nothing
            _FROM_ANY[dtype.numpy_dtype.type] = dtype
    _FROM_NUMPY[np.dtype(object)] = string
    aliases = {"float": float32, "double": float64, "half": float16}
    for alias, dtype in aliases.items():
        _FROM_ANY[alias] = dtype
        _FROM_ANY[f"{alias}_ref"] = dtype.as_ref
    # Python's int is missing on purpose: TensorFlow rejects it, as it could mean int32 or int64.
    _FROM_ANY.update({float: float32, builtins.bool: bool, object: string})
    _FROM_ANY.update({np.object_: string, np.bytes_: string, np.str_: string})
    # C has two 64-bit integers on most systems; NumPy gives the second one a class of its own.
    _FROM_ANY.update({np.longlong: int64, np.ulonglong: uint64})


_fill_tables()


def as_dtype(type_value: object) -> DType:
    """The type that `type_value` names.

    Args:
      type_value: a `DType`; its number in TensorFlow's `DataType`; its name (`"float32"`, or one of
        `"float"`, `"double"`, `"half"`, or any of these with `_ref`); an `np.dtype` of any byte
        order; a NumPy scalar class; an array (its element type counts); or one of Python's `float`,
        `bool` and `object`, which mean float32, bool and string.

    Returns:
      The interned `DType`.

    Raises:
      TypeError: it names no type.
    """
    if type(type_value) is DType:
        return type_value
    try:
        return _FROM_ANY[type_value]
    except (KeyError, TypeError):  # TypeError: unhashable, such as an array
        pass
    numpy_dtype = type_value if isinstance(type_value, np.dtype) else None
    if isinstance(type_value, (np.ndarray, np.generic)):
        numpy_dtype = type_value.dtype
    dtype = None if numpy_dtype is None else _find_numpy(numpy_dtype)
    if dtype is None:
        raise TypeError(
            f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType."
        )
    return dtype


def from_numpy(numpy_dtype: np.dtype) -> DType:
    """The type of the elements of a NumPy array; `as_dtype` for callers in a hurry.

    Args:
      numpy_dtype: the array's `np.dtype`. Byte and text strings of any width, and objects, are
        `string`.

    Raises:
      TypeError: no TensorFlow type holds such elements (dates, long doubles, records).
    """
    try:
        return _FROM_NUMPY[numpy_dtype]
    except KeyError:
        dtype = _find_numpy(numpy_dtype)
    if dtype is None:
        raise TypeError(f"Cannot convert NumPy's {numpy_dtype!r} to a TensorFlow DType.")
    return dtype


def _find_numpy(numpy_dtype: np.dtype) -> DType | None:
    """`from_numpy` for the types with many spellings: other byte orders, strings of each width."""
    if numpy_dtype.kind in "SU":
        return string
    return _FROM_NUMPY.get(numpy_dtype.newbyteorder("="))

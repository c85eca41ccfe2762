"""DType against facts recorded from TensorFlow 2.21: numbers, ranges, classes and conversions."""

from __future__ import annotations

import builtins
import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

from featherflow.framework import dtypes

_FLAGS = ("floating", "integer", "bool", "complex", "quantized", "unsigned", "numeric")
_FLAGS = (*_FLAGS, "numpy_compatible")  # DType.is_…

# number, name, NumPy's name, bytes per element, flags, smallest and largest value
RECORDED = [
    (
        1,
        "float32",
        "float32",
        4,
        "floating numeric numpy_compatible",
        -3.4028234663852886e38,
        3.4028234663852886e38,
    ),
    (
        2,
        "float64",
        "float64",
        8,
        "floating numeric numpy_compatible",
        -1.7976931348623157e308,
        1.7976931348623157e308,
    ),
    (3, "int32", "int32", 4, "integer numeric numpy_compatible", -2147483648, 2147483647),
    (4, "uint8", "uint8", 1, "integer unsigned numeric numpy_compatible", 0, 255),
    (5, "int16", "int16", 2, "integer numeric numpy_compatible", -32768, 32767),
    (6, "int8", "int8", 1, "integer numeric numpy_compatible", -128, 127),
    (7, "string", "object", 0, "numpy_compatible", None, None),
    (8, "complex64", "complex64", 8, "complex numeric numpy_compatible", None, None),
    (
        9,
        "int64",
        "int64",
        8,
        "integer numeric numpy_compatible",
        -9223372036854775808,
        9223372036854775807,
    ),
    (10, "bool", "bool", 1, "bool numpy_compatible", None, None),
    (11, "qint8", "qint8", 1, "quantized numeric numpy_compatible", None, None),
    (12, "quint8", "quint8", 1, "quantized numeric numpy_compatible", None, None),
    (13, "qint32", "qint32", 4, "quantized numeric numpy_compatible", None, None),
    (
        14,
        "bfloat16",
        "bfloat16",
        2,
        "floating numeric numpy_compatible",
        -3.3895313892515355e38,
        3.3895313892515355e38,
    ),
    (15, "qint16", "qint16", 2, "quantized numeric numpy_compatible", None, None),
    (16, "quint16", "quint16", 2, "quantized numeric numpy_compatible", None, None),
    (17, "uint16", "uint16", 2, "integer unsigned numeric numpy_compatible", 0, 65535),
    (18, "complex128", "complex128", 16, "complex numeric numpy_compatible", None, None),
    (19, "float16", "float16", 2, "floating numeric numpy_compatible", -65504.0, 65504.0),
    (20, "resource", "object", 0, "", None, None),
    (21, "variant", "object", 0, "", None, None),
    (22, "uint32", "uint32", 4, "integer unsigned numeric numpy_compatible", 0, 4294967295),
    (
        23,
        "uint64",
        "uint64",
        8,
        "integer unsigned numeric numpy_compatible",
        0,
        18446744073709551615,
    ),
    (24, "float8_e5m2", "float8_e5m2", 1, "floating numpy_compatible", -57344.0, 57344.0),
    (25, "float8_e4m3fn", "float8_e4m3fn", 1, "floating numpy_compatible", -448.0, 448.0),
    (26, "float8_e4m3fnuz", "float8_e4m3fnuz", 1, "floating numpy_compatible", -240.0, 240.0),
    (27, "float8_e4m3b11fnuz", "float8_e4m3b11fnuz", 1, "floating numpy_compatible", -30.0, 30.0),
    (28, "float8_e5m2fnuz", "float8_e5m2fnuz", 1, "floating numpy_compatible", -57344.0, 57344.0),
    (29, "int4", "int4", 1, "integer numpy_compatible", -8, 7),
    (30, "uint4", "uint4", 1, "integer unsigned numpy_compatible", 0, 15),
    (31, "int2", "int2", 1, "integer numpy_compatible", -2, 1),
    (32, "uint2", "uint2", 1, "integer unsigned numpy_compatible", 0, 3),
    (33, "float4_e2m1fn", "float4_e2m1fn", 1, "floating numpy_compatible", -6.0, 6.0),
]
BY_NAME = {row[1]: row for row in RECORDED}


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: row[1])
def test_facts_are_those_of_tensorflow(row):
    number, name, numpy_name, size, flags, smallest, largest = row
    dtype = getattr(dtypes, name)
    assert dtype.as_datatype_enum == number
    assert dtypes.DType(number) is dtype
    assert (dtype.name, repr(dtype), str(dtype)) == (name, f"tf.{name}", f"<dtype: '{name}'>")
    assert dtype.size == size
    assert [flag for flag in _FLAGS if getattr(dtype, f"is_{flag}")] == flags.split()
    numpy_dtype = dtype.numpy_dtype
    assert (numpy_dtype.names or (numpy_dtype.name,))[0] == numpy_name
    if smallest is None:
        with pytest.raises(TypeError, match=f"Cannot find minimum value of <dtype: '{name}'>"):
            _ = dtype.min
        with pytest.raises(TypeError, match=f"Cannot find maximum value of <dtype: '{name}'>"):
            _ = dtype.max
    else:
        number_type = int if dtype.is_integer else float  # a float would round int64's
        assert (number_type(dtype.min), number_type(dtype.max)) == (smallest, largest)


@pytest.mark.parametrize("name", BY_NAME)
def test_ref_twin_differs_in_name_and_number_only(name):
    base = getattr(dtypes, name)
    ref = getattr(dtypes, f"{name}_ref")
    assert ref is base.as_ref is base._as_ref is ref.as_ref
    assert base is ref.base_dtype is base.base_dtype
    assert (ref.name, ref.as_datatype_enum) == (f"{name}_ref", base.as_datatype_enum + 100)
    assert ref._is_ref_dtype and not base._is_ref_dtype
    assert (ref.size, ref.numpy_dtype) == (base.size, base.numpy_dtype)
    assert all(getattr(ref, f"is_{flag}") == getattr(base, f"is_{flag}") for flag in _FLAGS)
    assert ref != base
    assert base.is_compatible_with(ref) and not ref.is_compatible_with(base)


def test_nothing_else_is_a_dtype():
    for number in (0, 34, 100, 134, -1):
        with pytest.raises(TypeError, match="does not correspond to a valid tensorflow::DataType"):
            dtypes.DType(number)
    assert len(dtypes.BASE_TYPES) == len(RECORDED)


def test_min_and_max_have_the_types_that_tensorflow_returns():
    assert type(dtypes.float32.max) is np.float32
    assert type(dtypes.bfloat16.max) is ml_dtypes.bfloat16
    assert type(dtypes.uint8.max) is type(dtypes.int4.min) is int


def test_limits():
    assert dtypes.float32.limits == dtypes.float64_ref.limits == (0, 1)
    assert dtypes.int8.limits == (0, 127)
    assert dtypes.uint64.limits == (0, 2**64 - 1)
    assert dtypes.bool.limits == (0, True)
    for name in ("float16", "bfloat16", "int4", "string", "complex64", "qint8", "resource"):
        with pytest.raises(ValueError, match=f"<dtype: '{name}'> does not have defined limits"):
            _ = getattr(dtypes, name).limits


def test_real_dtype():
    assert dtypes.complex64.real_dtype is dtypes.float32
    assert dtypes.complex128_ref.real_dtype is dtypes.float64
    assert dtypes.float32_ref.real_dtype is dtypes.float32_ref
    assert dtypes.string.real_dtype is dtypes.string


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (float, "float32"),
        (builtins.bool, "bool"),
        (object, "string"),
        ("float", "float32"),
        ("double", "float64"),
        ("half_ref", "float16_ref"),
        ("resource_ref", "resource_ref"),
        (22, "uint32"),
        (122, "uint32_ref"),
        (np.int64(1), "float32"),
        (np.float32, "float32"),
        (np.bool_, "bool"),
        (np.str_, "string"),
        (np.bytes_, "string"),
        (np.object_, "string"),
        (np.longlong, "int64"),
        (np.uintc, "uint32"),
        (ml_dtypes.bfloat16, "bfloat16"),
        (np.dtype(ml_dtypes.int4), "int4"),
        (np.dtype(">f4"), "float32"),
        (np.dtype("S3"), "string"),
        (np.dtype("U3"), "string"),
        (np.dtype("O"), "string"),
        (np.dtype([("qint8", "i1")]), "qint8"),
        (np.array([1], np.int16), "int16"),
        (np.array(["a"]), "string"),
    ],
    ids=str,
)
def test_as_dtype(value, name):
    assert dtypes.as_dtype(value) is getattr(dtypes, name)


@pytest.mark.parametrize(
    "value",
    [
        *(int, str, bytes, complex, list, None, 0, 34, 999, 1.5),
        *("bogus", "S", "f4", "int", "str", "object", "complex", "FLOAT32", "DT_FLOAT", b"float32"),
        *(np.void, np.longdouble, np.integer, np.generic, np.dtype("M8"), np.dtype("V4")),
        *(np.dtype([("a", "i4")]), np.dtype([("resource", "u1")]), [1], {}, dtypes.DType),
    ],
    ids=str,
)
def test_as_dtype_rejects(value):
    with pytest.raises(TypeError, match=r"Cannot convert the argument `type_value`: .* to a Tens"):
        dtypes.as_dtype(value)


def test_from_numpy_reads_what_arrays_hold():
    assert dtypes.from_numpy(np.dtype("f4")) is dtypes.float32
    assert dtypes.from_numpy(np.dtype(">i8")) is dtypes.int64
    assert dtypes.from_numpy(np.array([b"ab"]).dtype) is dtypes.string
    with pytest.raises(TypeError, match="M8"):
        dtypes.from_numpy(np.dtype("datetime64[s]"))


@pytest.mark.parametrize("dtype", dtypes.BASE_TYPES, ids=lambda dtype: dtype.name)
def test_numpy_round_trip(dtype):
    array = np.zeros(2, dtype.as_numpy_dtype)
    expected = dtype if dtype.is_numpy_compatible else dtypes.string  # object arrays are strings
    assert dtypes.from_numpy(array.dtype) is expected
    assert dtypes.as_dtype(dtype.as_numpy_dtype) is expected


def test_equality_accepts_spellings():
    for spelling in ("float32", np.float32, np.dtype("f4"), float, 1):
        assert dtypes.float32 == spelling and spelling == dtypes.float32
        assert dtypes.float32.__ne__(spelling) is False
    for other in ("bogus", None, "float64", np.float64, dtypes.float32_ref, [1]):
        assert dtypes.float32 != other
        assert dtypes.float32.__eq__(other) is False


def test_is_compatible_with():
    assert dtypes.float32.is_compatible_with("float32")
    assert not dtypes.float32.is_compatible_with(dtypes.float64)
    assert dtypes.float32_ref.is_compatible_with(dtypes.float32_ref)
    with pytest.raises(TypeError):
        dtypes.float32.is_compatible_with(None)


def test_dtypes_are_singletons_and_constants():
    assert copy.deepcopy(dtypes.int8) is dtypes.int8
    assert pickle.loads(pickle.dumps(dtypes.int8_ref)) is dtypes.int8_ref
    assert hash(dtypes.int8) == object.__hash__(dtypes.int8)
    with pytest.raises(AttributeError, match=r"int8\.name"):
        dtypes.int8.name = "x"
    with pytest.raises(TypeError):
        _ = dtypes.int8 < dtypes.int16


def test_named_sets_are_those_of_op_defs():
    # The allowed values of T in the OpDefs of Sum, of Relu without its qint8, and QuantizedConv2D.
    names = "float32 float64 int32 uint8 int16 int8 complex64 int64 qint8 quint8 qint32 bfloat16"
    names += " qint16 quint16 uint16 complex128 float16 uint32 uint64"
    assert [dtype.name for dtype in dtypes.NUMBER_TYPES] == names.split()
    real = "float32 float64 int32 uint8 int16 int8 int64 bfloat16 uint16 float16 uint32 uint64"
    assert [dtype.name for dtype in dtypes.REAL_NUMBER_TYPES] == real.split()
    quantized = "qint8 quint8 qint32 qint16 quint16"
    assert [dtype.name for dtype in dtypes.QUANTIZED_TYPES] == quantized.split()
    assert len(dtypes.QUANTIZED_DTYPES) == 10 and dtypes.qint8_ref in dtypes.QUANTIZED_DTYPES
    assert len(dtypes.TF_VALUE_DTYPES) == 31 and dtypes.variant not in dtypes.TF_VALUE_DTYPES

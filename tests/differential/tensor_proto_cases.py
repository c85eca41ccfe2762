"""Arguments of make_tensor_proto as source text, and TensorProtos in text format to be read.

Text, because it names the case in the record, and is evaluated anew by each library.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

_FLOATS = ("float16", "bfloat16", "float32", "float64", "float8_e5m2", "float8_e4m3fn")
_FLOATS += ("float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz", "float4_e2m1fn")
_INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_INTS += ("int4", "uint4", "int2", "uint2")
_COMPLEX = ("complex64", "complex128")
_QUANTIZED = ("qint8", "quint8", "qint16", "quint16", "qint32")

_PYTHON_VALUES = """
1; 1.0; True; 1j; -0.0; 0; 'abc'; b'abc'; 'héllo'; b'\\0a\\0'; float('nan'); 1e300; 0.1
[1, 2.0]; [1.0, 2]; [True, False]; [True, 1]; [1, True]; [True, 1.5]; [1, 2j]; [0.1, 0.2, 0.3]
2**31; 2**31 - 1; -2**31 - 1; [2**31, 1]; 2**63; [2**63]; 2**64; -2**63 - 1; [2**63, -1]
[]; [[]]; [[], []]; (); (1, 2); [(1, 2), [3, 4]]; [[1], [2, 3]]; [[1, 2], 3]; [[], [1]]
['a', b'b']; [['a', 'bc'], ['', '']]; [b'\\0a\\0']; ['a', ['b']]; [['a'], ['b', 'c']]
None; [None]; [1, None]; ['a', 1]; [1, 'a']; [b'a', None]; {1}; {}; range(3); object()
[np.float32(1), np.float32(2)]; [np.float64(1), 2]; [np.int64(1), 2]; [1, np.float64(2.5)]
[np.array([1, 2]), np.array([3, 4])]; [np.array(1.0), 2]; [np.int8(1)]; [np.uint32(1)]
[np.float16(1)]; [np.complex64(1)]; [np.bool_(True)]; np.float64(3); np.int16(3); np.bool_(True)
np.str_('abc'); np.bytes_(b'abc'); bytearray(b'abc'); np.longdouble(1); np.datetime64('2020-01-01')
[ml_dtypes.bfloat16(1)]
"""
_ARRAYS = """
np.array(['a', 'bcd']); np.array([b'a', b'b\\0'], object); np.array(['a', 'é'], object)
np.array([b'a', 1], object); np.array([], 'S3'); np.array(b'x'); np.array([[b'a', b'b']], object)
np.array([[1, 2], [3, 4]]).T; np.arange(6)[::2]; np.broadcast_to(np.int32(7), (2, 2))
np.ma.array([1, 2]); np.array([1.5], object)
"""
_WITH_DTYPE = """
2**31, dtype='int32'; 300, dtype='uint8'; -1, dtype='uint8'; [1, 300], dtype='uint8'
2**40, dtype='float32'; 2**63, dtype='uint64'; [2**63, 1], dtype='uint64'; 2**64, dtype='float64'
[2**64], dtype='float32'; 1e300, dtype='float32'; [1e300, 1], dtype='float16'
[1.0], dtype='int32'; [True], dtype='int32'; [True], dtype='float32'; [1], dtype='string'
['a'], dtype='int32'; [b'a'], dtype='float32'; [1j], dtype='float32'; 1, dtype='bool'
[True], dtype='bool'; [[True], [False]], dtype='bool'; [1, 2.5], dtype='complex128'
np.array([1.7, 2]), dtype='int32'; np.array([1, 2]), dtype='bool'; np.array([1, 2]), dtype='string'
np.array(['1', '2']), dtype='int32'; np.array([300]), dtype='uint8'; np.array([1]), dtype='float16'
[np.float64(1.7)], dtype='int32'; np.float64(1.7), dtype='int32'; [np.int64(1)], dtype='float32'
[np.bool_(True)], dtype='int32'; [np.bool_(True)], dtype='bool'; [np.int32(1)], dtype='complex64'
[np.complex64(1)], dtype='float32'; [np.str_('a')], dtype='string'; [], dtype='string'
[[]], dtype='int32'; [[]], dtype='string'; [None], dtype='float32'; None, dtype='float32'
[None], dtype='string'; [[1, 2], 'a'], dtype='int32'; [1, [2]], dtype='int32'; 1, dtype='resource'
1, dtype='variant'; [['a'], ['b', 'c']], dtype='string'; 1, dtype='float32_ref'
{1}, dtype='float32'; '1', dtype='float32'; 5, dtype='qint32'; [1, 2], dtype='qint16'
(21,), dtype='quint8'; [(1,), (2,)], dtype='qint8'; [('a',)], dtype='qint8'; [[(1,)]], dtype='qint8'
[(1, 2)], dtype='qint8'; np.array([1, 2], 'int8'), dtype='qint8'; np.array([1.5]), dtype='qint8'
np.array([(1,)], quantized('qint8')), dtype='int8'; np.array([1], object), dtype='int32'
np.array([(1,)], quantized('qint8')), dtype='qint32'; 'a', dtype='complex64'; 'a', dtype='bool'
"""
_WITH_SHAPE = """
1, shape=[2, 3]; [1, 2], shape=[2, 3]; [1, 2, 3, 4, 5, 6], shape=[2, 3]; [1], shape=[2, 3]
[1, 2, 3, 4, 5, 6, 7], shape=[2, 3]; [], shape=[0, 3]; [], shape=[2]; 1, shape=[]; [1], shape=[]
[1, 2], shape=[]; 1, shape=[0]; 1, shape=[2, None]; 1, shape=[-1]; [[1, 2]], shape=[2]; 1, shape=3
1.5, shape=[2]; 'a', shape=[3]; True, shape=[2]; 1j, shape=[2]; np.float16(1), shape=[2]
np.array([[1, 2]]), shape=[2]; 0, shape=[3]; np.int8(0), shape=[3]; 'a', dtype='string', shape=[0]
1, shape=[2, 3], allow_broadcast=True; [1], shape=[2, 3], allow_broadcast=True
[1, 2], shape=[2, 3], allow_broadcast=True; [[1], [2]], shape=[2, 3], allow_broadcast=True
range(6), shape=[2, 3], allow_broadcast=True; np.ones((2, 1)), shape=[2, 3], allow_broadcast=True
1, shape=[2, 3], verify_shape=True; [1, 2], shape=[2], verify_shape=True
[1, 2], shape=[2, 1], verify_shape=True; 1, shape=[2], verify_shape=True, allow_broadcast=True
"""


def encode_cases() -> list[str]:
    """Argument lists of make_tensor_proto."""
    cases = []
    for block in (_PYTHON_VALUES, _ARRAYS, _WITH_DTYPE, _WITH_SHAPE):
        cases += [case for line in block.strip().splitlines() for case in line.split("; ")]
    for dtype in (*_FLOATS, *_INTS, *_COMPLEX, "bool"):
        for values in ("[1, 0, 1]", "1", "[]", "[[1]]", "[0]"):
            cases.append(f"np.array({values}).astype('{dtype}')")
    cases += [f"{value}, dtype='{dtype}'" for dtype in _INTS for value in ("1", "[1, -2]", "1.5")]
    inexact = (*_FLOATS, *_COMPLEX)
    cases += [f"{value}, dtype='{dtype}'" for dtype in inexact for value in ("1.5", "[0.1, 3]")]
    for dtype in _QUANTIZED:
        for values in ("[(1,), (2,)]", "(5,)", "[]", "[[(1,)]]"):
            cases.append(f"np.array({values}, quantized('{dtype}'))")
    return cases


def arguments(case: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Evaluates an argument list."""
    names = {"np": np, "ml_dtypes": ml_dtypes, "quantized": _quantized, "call": _call}
    return eval(f"call({case})", names)


def _call(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return args, kwargs


def _quantized(name: str) -> np.dtype:
    return np.dtype([(name, name[1:])])


def element_bytes(array: np.ndarray) -> bytes:
    """The elements as bytes; those of two and four bits without the bits that mean nothing."""
    narrow = array.dtype.name in ("int2", "uint2", "int4", "uint4")
    return (array.astype(np.int8) if narrow else array).tobytes()


def decode_cases() -> list[str]:
    """TensorProtos in text format, sound and damaged."""
    two = "tensor_shape { dim { size: 2 } }"
    cases = [f"dtype: {dtype} {two} {values}" for dtype, values in _typed_fields()]
    contents = ("abc", "abcd", "abcdabcd", "abcdabcdabcd")
    cases += [f'dtype: DT_FLOAT {two} tensor_content: "{content}"' for content in contents]
    cases += [
        f'dtype: DT_{dtype} {two} tensor_content: "\\377\\007"'
        for dtype in ("INT4", "UINT4", "INT2", "UINT2", "UINT8", "INT8", "FLOAT8_E5M2", "QINT8")
    ]
    for content in ("\\001\\000", "\\002\\000"):
        cases.append(f'dtype: DT_BOOL {two} tensor_content: "{content}"')
    for content in (
        "\\001\\002abc",
        "\\001\\002ab",
        "\\001\\002abcd",
        "\\001",
        "\\200",
        "\\377\\377",
    ):
        cases.append(f'dtype: DT_STRING {two} tensor_content: "{content}"')
    cases += [
        f"dtype: DT_FLOAT tensor_shape {{ dim {{ size: {n} }} }} float_val: 1" for n in (-1, -2, 0)
    ]
    cases += ["dtype: DT_FLOAT", "dtype: DT_FLOAT version_number: 7 float_val: 1"]
    cases += ["dtype: DT_FLOAT_REF float_val: 1"]
    return cases


def _typed_fields() -> list[tuple[str, str]]:
    fields = {
        "float_val": ("DT_FLOAT",),
        "double_val": ("DT_DOUBLE",),
        "int_val": (
            *("DT_INT32", "DT_INT8", "DT_UINT8", "DT_INT16", "DT_UINT16", "DT_INT4", "DT_UINT4"),
            *("DT_INT2", "DT_UINT2", "DT_QINT8", "DT_QUINT8", "DT_QINT16", "DT_QUINT16"),
            "DT_QINT32",
        ),
        "int64_val": ("DT_INT64",),
        "bool_val": ("DT_BOOL",),
        "half_val": ("DT_HALF", "DT_BFLOAT16"),
        "uint32_val": ("DT_UINT32",),
        "uint64_val": ("DT_UINT64",),
        "scomplex_val": ("DT_COMPLEX64",),
        "dcomplex_val": ("DT_COMPLEX128",),
    }
    counts = ((), (1,), (1, 0), (1, 0, 1), (1, 0, 1, 1, 0, 0))
    rows = [
        (dtype, " ".join(f"{field}: {value}" for value in values))
        for field, names in fields.items()
        for dtype in names
        for values in counts
    ]
    for dtype in ("DT_INT8", "DT_UINT8", "DT_INT4", "DT_UINT2", "DT_QUINT8", "DT_INT16"):
        rows += [(dtype, "int_val: 300"), (dtype, "int_val: -1")]  # out of range: wraps
    rows += [("DT_HALF", "half_val: 70000"), ("DT_FLOAT", "int_val: 1")]
    for dtype in ("DT_FLOAT8_E5M2", "DT_FLOAT8_E4M3FN", "DT_FLOAT8_E5M2FNUZ", "DT_FLOAT4_E2M1FN"):
        rows += [(dtype, f'float8_val: "{"2<2"[:n]}"') for n in range(4)]
    rows += [("DT_STRING", " ".join(['string_val: "ab"', 'string_val: "c"'][:n])) for n in range(3)]
    return rows

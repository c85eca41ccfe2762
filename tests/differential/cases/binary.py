"""Elementwise arithmetic of two arguments: broadcasting, dtypes, division and its errors."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import FLOATS, INTEGERS, integers, normal, sample, uniform

# function below tf (or tf.math): the dtypes it declares
ARITHMETIC = {
    "add": (*FLOATS, *INTEGERS, "complex64", "complex128", "string"),
    "subtract": (*FLOATS, *INTEGERS, "complex64", "complex128"),
    "multiply": (*FLOATS, *INTEGERS, "complex64", "complex128"),
    "maximum": (*FLOATS, *INTEGERS),
    "minimum": (*FLOATS, *INTEGERS),
    "squared_difference": (*FLOATS, "int32", "int64", "complex64", "complex128"),
    "multiply_no_nan": ("float16", "bfloat16", "float32", "float64", "complex64"),
    "add_v2": ("float32", "int32", "uint8"),
}


def _arithmetic_program(name, dtypes):
    def program(tf):
        function = _lookup(tf, name)
        return {
            dtype: function(
                tf.constant(sample(dtype, 2, 3, seed=1)), tf.constant(sample(dtype, 2, 3, seed=2))
            )
            for dtype in dtypes
        }

    return program


def _lookup(tf, name):
    if name == "add_v2":
        return lambda x, y: tf.raw_ops.AddV2(x=x, y=y)
    return getattr(tf, name, None) or getattr(tf.math, name)


for _name, _dtypes in ARITHMETIC.items():
    for _group in ("float", "int", "complex", "string"):
        _chosen = [dtype for dtype in _dtypes if _group in dtype]
        if _chosen:
            case(f"{_name}_{_group}")(_arithmetic_program(_name, _chosen))


SHAPE_PAIRS = [
    ((), (2, 3)),
    ((3,), (2, 3)),
    ((2, 1), (2, 3)),
    ((2, 1), (1, 3)),
    ((1,), (0, 3)),
    ((2, 1, 4), (3, 1)),
    ((1, 1, 1), ()),
    ((4, 1, 3, 1, 2), (5, 1, 3, 1)),
]


@case
def broadcast_shapes(tf):
    return [
        tf.subtract(tf.constant(normal(*left)), tf.constant(normal(*right, seed=1)))
        for left, right in SHAPE_PAIRS
    ]


@case
def broadcast_partial_static_shapes(tf):
    def pair(left, right):
        return tf.placeholder(tf.float32, left), tf.placeholder(tf.float32, right)

    pairs = [
        pair([None, 3], [2, 3]),
        pair([None, 1], [2, 3]),
        pair([None], [None]),
        pair([1, None], [4, 1]),
        pair(None, [2]),
        pair([None, 2], [2, 1, 1]),
    ]
    arrays = [
        (normal(1, 3), normal(2, 3)),
        (normal(2, 1), normal(2, 3)),
        (normal(1), normal(4)),
        (normal(1, 3), normal(4, 1)),
        (normal(3, 2), normal(2)),
        (normal(5, 2), normal(2, 1, 1)),
    ]
    feeds = {
        placeholder: array
        for placeholders, values in zip(pairs, arrays, strict=True)
        for placeholder, array in zip(placeholders, values, strict=True)
    }
    return Case([tf.multiply(*placeholders) for placeholders in pairs], feeds)


@case
def operators(tf):
    x, y = tf.constant(normal(3)), tf.constant(normal(3, seed=1))
    results = [x + y, x - y, x * y, x / y, x // y, x % y, x**2, 1 + x, 1 - x, 2 * x, 2 / x]
    results += [x + 1, x - 1, x * 2, x / 2, 2**x, 7 // x, 7 % x]
    return {"values": results, "types": [result.op.type for result in results]}


@case
def operators_on_integers(tf):
    x, y = tf.constant([7, -7, 8, -8]), tf.constant([2, 2, -3, -3])
    results = [x + y, x - y, x * y, x / y, x // y, x % y, 100 // y, 100 % y, x / 2]
    return {"values": results, "types": [result.op.type for result in results]}


@case
def operators_on_numpy_arrays(tf):
    array, value = np.float32([1, 2, 3]), tf.constant([1.0, 2.0, 4.0])
    return [array + value, array * value, array / value, np.float32(2) - value]


def _division_program(dtype):
    def program(tf):
        left = [7, -7, 8, -8, 0, 1] if not dtype.startswith("u") else [7, 9, 8, 200, 0, 1]
        right = [2, 2, -3, -3, 5, -4] if not dtype.startswith("u") else [2, 2, 3, 7, 5, 4]
        x, y = tf.constant(left, dtype), tf.constant(right, dtype)
        return {
            "floordiv": tf.floordiv(x, y),
            "truncatediv": tf.truncatediv(x, y),
            "floormod": tf.floormod(x, y),
            "truediv": tf.truediv(x, y),
            "div": tf.div(x, y),
        }

    return program


for _dtype in INTEGERS:
    case(f"division_{_dtype}")(_division_program(_dtype))


@case
def truncatemod(tf):
    return [
        tf.truncatemod(tf.constant([7, -7, 8, -8], dtype), tf.constant([2, 2, -3, -3], dtype))
        for dtype in ("int32", "int64", "float32", "float64")
    ]


@case
def division_of_floats(tf):
    results = {}
    for dtype in FLOATS:
        x = tf.constant([7.5, -7.5, 7.5, -7.5, 6.0], dtype)
        y = tf.constant([2.0, 2.0, -2.0, -2.0, 3.0], dtype)
        results[dtype] = [tf.floordiv(x, y), tf.floormod(x, y), tf.truediv(x, y), tf.div(x, y)]
    return results


@case
def division_of_floats_by_zero(tf):
    x, zero = tf.constant([1.0, -1.0, 0.0]), tf.constant([0.0, 0.0, 0.0])
    return [
        tf.truediv(x, zero),
        tf.divide(x, zero),
        tf.div_no_nan(x, zero),
        tf.math.xdivy(x, [1.0, 0.0, 0.0]),
        tf.math.xlogy([0.0, 0.0, 2.0], [0.0, 1.0, 3.0]),
        tf.math.xlog1py([0.0, 0.0, 2.0], [-1.0, 1.0, 3.0]),
        tf.math.multiply_no_nan([np.nan, np.inf, 2.0], [0.0, 0.0, 3.0]),
    ]


@case
def divide_keeps_python_semantics(tf):
    return [tf.divide(7, 2), tf.divide(tf.constant(7), 2), tf.divide([1.0, 2.0], 4.0)]


@case
def div_no_nan_dtypes(tf):
    return [
        tf.div_no_nan(tf.constant([1, 2], dtype), tf.constant([0, 4], dtype))
        for dtype in ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")
    ]


@case
def integer_overflow_wraps(tf):
    return [
        tf.constant([127, -128], tf.int8) + tf.constant([1, -1], tf.int8),
        tf.constant([200], tf.uint8) * tf.constant([3], tf.uint8),
        tf.constant([2**31 - 1]) + tf.constant([1]),
        tf.constant([3], tf.uint32) - tf.constant([5], tf.uint32),
        tf.constant([2**62], tf.int64) * tf.constant([4], tf.int64),
    ]


@case
def pow_floats(tf):
    base, exponent = uniform(0.1, 3, (5,)), uniform(-2, 2, (5,))
    results = {
        dtype: tf.pow(tf.constant(base, dtype), tf.constant(exponent, dtype)) for dtype in FLOATS
    }
    results["edge"] = tf.pow([0.0, 0.0, -2.0, -2.0, 2.0], [0.0, 2.0, 3.0, 0.5, np.inf])
    return results


@case
def pow_integers_and_complex(tf):
    return [
        tf.pow([2, 3, -2, 0], [10, 3, 3, 0]),
        tf.pow(tf.constant([3], tf.int64), tf.constant([30], tf.int64)),
        tf.pow(tf.constant(sample("complex64", 3)), tf.constant(sample("complex64", 3, seed=1))),
        tf.pow(2.0, [1.0, 2.0]),
    ]


@case
def atan2_and_friends(tf):
    y, x = tf.constant([1.0, -1.0, 0.0, -0.0, 2.0]), tf.constant([1.0, -1.0, -1.0, -1.0, 0.0])
    return {
        "atan2": tf.atan2(y, x),
        "atan2_half": tf.atan2(tf.cast(y, tf.float16), tf.cast(x, tf.float16)),
        "nextafter": tf.math.nextafter(y, x),
        "igamma": tf.igamma([0.5, 2.0, 5.0], [1.0, 3.0, 2.0]),
        "igammac": tf.igammac([0.5, 2.0, 5.0], [1.0, 3.0, 2.0]),
        "zeta": tf.zeta([2.0, 3.5], [1.0, 2.0]),
        "polygamma": tf.polygamma([1.0, 2.0], [1.5, 2.5]),
        "betainc": tf.betainc([0.5, 2.0], [1.0, 3.0], [0.3, 0.6]),
        "lbeta": tf.math.lbeta([[1.0, 2.0], [3.0, 0.5]]),
    }


@case
def maximum_of_nan(tf):
    x, y = tf.constant([np.nan, 1.0, np.inf]), tf.constant([1.0, np.nan, -np.inf])
    return [tf.maximum(x, y), tf.minimum(x, y)]


@case
def bitwise(tf):
    results = {}
    for dtype in INTEGERS:
        x = tf.constant(integers(0, 100, (4,), dtype))
        y = tf.constant(integers(0, 100, (4,), dtype, seed=1))
        results[dtype] = [tf.bitwise.bitwise_and(x, y), tf.bitwise.bitwise_or(x, y)]
        results[dtype] += [tf.bitwise.bitwise_xor(x, y)]
        shift = tf.constant([0, 1, 2, 3], dtype)
        results[dtype] += [tf.bitwise.left_shift(x, shift), tf.bitwise.right_shift(x, shift)]
    results["negative"] = tf.bitwise.right_shift([-8, -1], [1, 3])
    results["broadcast"] = tf.bitwise.bitwise_and([[1], [2]], [1, 3])
    return results


@case
def add_n_and_accumulate_n(tf):
    values = [tf.constant(normal(2, 2, seed=seed)) for seed in range(4)]
    fed = tf.placeholder(tf.float32, [None, 2])
    fetches = [
        tf.add_n(values),
        tf.add_n([values[0]]),
        tf.add_n([tf.constant([1, 2]), tf.constant([3, 4])]),
        tf.add_n([fed, values[0]]),
        tf.accumulate_n(values),
        tf.add_n([tf.constant(1 + 1j), tf.constant(2j)]),
    ]
    return Case(fetches, {fed: normal(2, 2)})


@case
def cross_and_scalar_mul(tf):
    x, y = tf.constant(normal(4, 3)), tf.constant(normal(4, 3, seed=1))
    slices = tf.IndexedSlices(x, tf.constant([0, 2, 1, 3]), tf.constant([5, 3]))
    return [tf.linalg.cross(x, y), tf.scalar_mul(2.0, x), tf.scalar_mul(3.0, slices)]


error_cases(
    incompatible_shapes=lambda tf: tf.add(tf.zeros([2]), tf.zeros([3])),
    incompatible_fed_shapes=lambda tf: Case(
        tf.add(*(fed := [tf.placeholder(tf.float32), tf.placeholder(tf.float32)])),
        {fed[0]: np.zeros(2), fed[1]: np.zeros(3)},
    ),
    mixed_dtypes=lambda tf: tf.add(tf.constant(1), tf.constant(1.0)),
    float_operand_of_ints=lambda tf: tf.constant([1, 2]) + 1.5,
    string_operand=lambda tf: tf.constant([1, 2]) + "a",
    subtract_strings=lambda tf: tf.subtract(tf.constant("a"), tf.constant("b")),
    add_booleans=lambda tf: tf.add([True], [False]),
    floordiv_by_zero=lambda tf: tf.floordiv([1, 2], [1, 0]),
    floormod_by_zero=lambda tf: tf.floormod([1, 2], [1, 0]),
    div_by_zero_int64=lambda tf: tf.div(tf.constant(1, tf.int64), tf.constant(0, tf.int64)),
    negative_integer_power=lambda tf: tf.pow([2], [-1]),
    add_n_of_nothing=lambda tf: tf.add_n([]),
    add_n_of_other_shapes=lambda tf: tf.add_n([tf.zeros([2]), tf.zeros([3])]),
    add_n_of_other_dtypes=lambda tf: tf.add_n([tf.zeros([2]), tf.zeros([2], tf.int32)]),
    truediv_of_mixed_dtypes=lambda tf: tf.truediv(tf.constant([1]), tf.constant([1.0])),
    cross_of_pairs=lambda tf: tf.linalg.cross(tf.zeros([2, 2]), tf.zeros([2, 2])),
    bitwise_of_floats=lambda tf: tf.bitwise.bitwise_and(tf.constant([1.0]), tf.constant([1.0])),
    atan2_of_integers=lambda tf: tf.atan2(tf.constant([1]), tf.constant([1])),
)

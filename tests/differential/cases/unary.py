"""Elementwise operations of one argument."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import integers, normal, sample, uniform

# name: (function's path below tf, lowest input, highest input)
REAL_FUNCTIONS = {
    "abs": ("abs", -5, 5),
    "acos": ("acos", -1, 1),
    "acosh": ("acosh", 1, 9),
    "asin": ("asin", -1, 1),
    "asinh": ("asinh", -5, 5),
    "atan": ("atan", -5, 5),
    "atanh": ("atanh", -0.95, 0.95),
    "ceil": ("ceil", -5, 5),
    "cos": ("cos", -5, 5),
    "cosh": ("cosh", -4, 4),
    "digamma": ("digamma", 0.1, 9),
    "erf": ("erf", -3, 3),
    "erfc": ("erfc", -3, 3),
    "exp": ("exp", -5, 5),
    "expm1": ("expm1", -2, 2),
    "floor": ("floor", -5, 5),
    "lgamma": ("lgamma", 0.1, 9),
    "log": ("log", 0.01, 9),
    "log1p": ("log1p", -0.9, 5),
    "log_sigmoid": ("log_sigmoid", -5, 5),
    "neg": ("negative", -5, 5),
    "reciprocal": ("reciprocal", 0.2, 5),
    "rint": ("rint", -5, 5),
    "round": ("round", -5, 5),
    "rsqrt": ("rsqrt", 0.1, 9),
    "sigmoid": ("sigmoid", -5, 5),
    "sign": ("sign", -5, 5),
    "sin": ("sin", -5, 5),
    "sinh": ("sinh", -4, 4),
    "sqrt": ("sqrt", 0, 9),
    "square": ("square", -5, 5),
    "tan": ("tan", -1.4, 1.4),
    "tanh": ("tanh", -4, 4),
}
COMPLEX_FUNCTIONS = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cos",
    "cosh",
    "exp",
    "expm1",
    "log",
    "log1p",
    "negative",
    "reciprocal",
    "rsqrt",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
]
INTEGER_FUNCTIONS = ("abs", "negative", "sign", "square", "round")
# Functions for which TensorFlow's CPU does not have both half precisions.
HALVES = {"digamma": ("float16",), "lgamma": ("float16",), "rint": ()}


def _real_program(path, low, high, dtypes):
    def program(tf):
        function = _lookup(tf, path)
        return [
            function(tf.constant(uniform(low, high, (3, 4), dtype, seed), dtype))
            for seed, dtype in enumerate(dtypes)
        ]

    return program


def _lookup(tf, path):
    return getattr(tf, path, None) or getattr(tf.math, path)


for _name, (_path, _low, _high) in REAL_FUNCTIONS.items():
    case(f"{_name}_floats")(_real_program(_path, _low, _high, ("float32", "float64")))
    if _halves := HALVES.get(_name, ("float16", "bfloat16")):
        case(f"{_name}_halves")(_real_program(_path, _low, _high, _halves))


def _complex_program(path):
    def program(tf):
        function = _lookup(tf, path)
        return [
            function(tf.constant(sample(dtype, 2, 3, seed=1)))
            for dtype in ("complex64", "complex128")
        ]

    return program


for _path in COMPLEX_FUNCTIONS:
    case(f"{_path}_complex")(_complex_program(_path))


def _integer_program(path):
    def program(tf):
        function = _lookup(tf, path)
        return [function(tf.constant([-7, -1, 2, 3], dtype)) for dtype in ("int32", "int64")]

    return program


for _path in INTEGER_FUNCTIONS:
    case(f"{_path}_integers")(_integer_program(_path))


@case
def small_integers(tf):
    return {
        "abs": [tf.abs(tf.constant([-128, 5], dtype)) for dtype in ("int8", "int16")],
        "negative": [tf.negative(tf.constant([-3, 5], dtype)) for dtype in ("int8", "int16")],
        "square": [tf.square(tf.constant([3, 16], dtype)) for dtype in ("int8", "uint8")],
        "sign": [tf.sign(tf.constant([-3, 0, 9], dtype)) for dtype in ("int8", "int16")],
        "invert": [
            tf.bitwise.invert(tf.constant([0, 1, 100], dtype))
            for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
        ],
    }


@case
def special_values(tf):
    specials = tf.constant([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, 3e38])
    names = ("abs", "exp", "log", "sqrt", "rsqrt", "tanh", "sigmoid", "sign", "floor", "reciprocal")
    results = {name: _lookup(tf, name)(specials[:5]) for name in names}
    results |= {"square": tf.square(specials), "log1p": tf.log1p([-1.0, -2.0, np.inf])}
    return results


@case
def classification_of_floats(tf):
    values = [np.nan, np.inf, -np.inf, 0.0, 1.5]
    dtypes = ("float16", "bfloat16", "float32", "float64")
    return {
        name: [getattr(tf.math, name)(tf.constant(values, dtype)) for dtype in dtypes]
        for name in ("is_nan", "is_inf", "is_finite")
    }


@case
def round_half_to_even(tf):
    values = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 0.49999997]
    return [
        function(tf.constant(values, dtype))
        for function in (tf.round, tf.rint)
        for dtype in ("float32", "float64")
    ]


@case
def large_trigonometric_arguments(tf):
    values = tf.constant([1e3, -1e4, 1e5], tf.float64)
    return [tf.sin(values), tf.cos(values), tf.tan(values)]


@case
def special_functions(tf):
    values = tf.constant(uniform(0.1, 3.0, (6,), "float64"))
    unit = tf.constant(uniform(-0.9, 0.9, (6,), "float64"))
    return {
        "erfinv": tf.math.erfinv(unit),
        "ndtri": tf.math.ndtri((unit + 1) / 2),
        "bessel_i0": tf.math.bessel_i0(values),
        "bessel_i1e": tf.math.bessel_i1e(values),
        "bessel_i0e": tf.math.bessel_i0e(values),
        "dawsn": tf.math.special.dawsn(values),
        "expint": tf.math.special.expint(values),
        "fresnel_cos": tf.math.special.fresnel_cos(values),
        "spence": tf.math.special.spence(values),
    }


@case
def special_functions_of_negative_numbers(tf):
    values = tf.constant([-0.5, -1.5, -2.25, -10.1], tf.float64)
    return [tf.lgamma(values), tf.digamma(values)]


@case
def empty_scalar_and_unknown_shapes(tf):
    unknown, partial = tf.placeholder(tf.float32), tf.placeholder(tf.float32, [None, 3])
    fetches = {
        "empty": [tf.exp(tf.zeros([0, 2])), tf.abs(tf.zeros([3, 0], tf.int32))],
        "scalar": tf.tanh(0.5),
        "unknown": tf.sqrt(unknown),
        "partial": tf.floor(partial),
    }
    return Case(fetches, {unknown: [[4.0]], partial: normal(2, 3)})


@case
def operators_and_aliases(tf):
    value = tf.constant(normal(4))
    return {
        "neg": -value,
        "abs": abs(value),
        "invert": ~tf.constant([True, False]),
        "not": tf.logical_not([True, False]),
        "softsign": tf.nn.softsign(value),
        "pow": value**2,
        "names": [(-value).op.type, abs(value).op.type, (~tf.constant(True)).op.type],
    }


@case
def population_count(tf):
    return [
        tf.raw_ops.PopulationCount(x=tf.constant(integers(0, 120, (5,), dtype)))
        for dtype in ("int8", "uint8", "int16", "uint16", "int32", "int64")
    ]


error_cases(
    sqrt_of_integers=lambda tf: tf.sqrt([1, 2]),
    exp_of_strings=lambda tf: tf.exp(tf.constant("a")),
    logical_not_of_floats=lambda tf: tf.logical_not([1.0]),
    negative_of_booleans=lambda tf: tf.negative([True]),
    abs_of_strings=lambda tf: tf.abs(tf.constant("a")),
    is_nan_of_integers=lambda tf: tf.math.is_nan(tf.constant([1])),
    invert_of_floats=lambda tf: tf.bitwise.invert(tf.constant([1.0])),
)

"""Gradients of elementwise operations, first and second order, with broadcasting."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..gradient import second_order, weighted_gradients
from ..inputs import normal, sample, uniform

# name: (function's path below tf or tf.math, lowest input, highest input)
UNARY = {
    "abs": ("abs", -5, 5),
    "acos": ("acos", -0.9, 0.9),
    "acosh": ("acosh", 1.1, 9),
    "asin": ("asin", -0.9, 0.9),
    "asinh": ("asinh", -5, 5),
    "atan": ("atan", -5, 5),
    "atanh": ("atanh", -0.9, 0.9),
    "ceil": ("ceil", -5, 5),
    "cos": ("cos", -5, 5),
    "cosh": ("cosh", -3, 3),
    "digamma": ("digamma", 0.5, 5),
    "erf": ("erf", -2, 2),
    "erfc": ("erfc", -2, 2),
    "erfinv": ("erfinv", -0.9, 0.9),
    "exp": ("exp", -3, 3),
    "expm1": ("expm1", -2, 2),
    "floor": ("floor", -5, 5),
    "identity": ("identity", -5, 5),
    "lgamma": ("lgamma", 0.5, 5),
    "log": ("log", 0.1, 9),
    "log1p": ("log1p", -0.9, 5),
    "log_sigmoid": ("log_sigmoid", -5, 5),
    "negative": ("negative", -5, 5),
    "reciprocal": ("reciprocal", 0.2, 5),
    "rsqrt": ("rsqrt", 0.2, 9),
    "sign": ("sign", -5, 5),
    "sin": ("sin", -5, 5),
    "sinh": ("sinh", -3, 3),
    "sqrt": ("sqrt", 0.1, 9),
    "square": ("square", -5, 5),
    "tan": ("tan", -1.3, 1.3),
}
WITHOUT_GRADIENT = ("ceil", "floor")
SECOND_ORDER = "the second derivative multiplies several rounded factors"


def _unary_program(path, low, high):
    def program(tf):
        function = getattr(tf, path, None) or getattr(tf.math, path)
        results = {}
        for dtype in ("float32", "float64"):
            x = tf.constant(uniform(low, high, (2, 4), dtype))
            y = function(x)
            results[dtype] = weighted_gradients(tf, y, x)
            if path not in (*WITHOUT_GRADIENT, "sign", "digamma"):
                results[f"{dtype}_second"] = second_order(tf, y, x)
        return Case(results, tolerance=1e-4, reason=SECOND_ORDER)

    return program


for _name, _arguments in UNARY.items():
    case(_name)(_unary_program(*_arguments))

COMPLEX = [
    "cos",
    "exp",
    "log",
    "sin",
    "sqrt",
    "square",
    "tanh",
    "reciprocal",
    "negative",
    "sigmoid",
    "conj",
    "rsqrt",
]


@case
def complex_functions(tf):
    results = {}
    for name in COMPLEX:
        x = tf.constant(sample("complex64", 3, seed=1))
        results[name] = weighted_gradients(tf, _lookup(tf, name)(x), x)
    return results


@case
def complex_parts(tf):
    z = tf.constant(sample("complex64", 3))
    re, im = tf.constant(normal(3)), tf.constant(normal(3, seed=1))
    return {
        "real": weighted_gradients(tf, tf.real(z), z),
        "imag": weighted_gradients(tf, tf.imag(z), z),
        "abs": weighted_gradients(tf, tf.abs(z), z),
        "angle": weighted_gradients(tf, tf.angle(z), z),
        "complex": weighted_gradients(tf, tf.complex(re, im), [re, im]),
        "cast": weighted_gradients(tf, tf.cast(re, tf.complex64), re),
    }


SHAPE_PAIRS = [((2, 3), (2, 3)), ((2, 3), (3,)), ((), (2, 3)), ((2, 1), (1, 3)), ((1,), (2, 1, 2))]
BINARY = [
    "add",
    "subtract",
    "multiply",
    "truediv",
    "div",
    "pow",
    "maximum",
    "minimum",
    "squared_difference",
    "floordiv",
    "floormod",
    "div_no_nan",
    "multiply_no_nan",
    "realdiv",
    "atan2",
    "xlogy",
    "xdivy",
]


def _lookup(tf, name):
    return getattr(tf, name, None) or getattr(tf.math, name)


def _binary_program(name):
    def program(tf):
        results = []
        for left, right in SHAPE_PAIRS:
            x = tf.constant(uniform(0.5, 3.0, left, seed=1))
            y = tf.constant(uniform(0.5, 3.0, right, seed=2))
            results.append(weighted_gradients(tf, _lookup(tf, name)(x, y), [x, y]))
        return results

    return program


for _name in BINARY:
    case(f"binary_{_name}")(_binary_program(_name))


@case
def binary_of_unknown_shapes(tf):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32, [None, 1])
    results = [
        tf.gradients(_lookup(tf, name)(x, y), [x, y])
        for name in ("add", "subtract", "multiply", "truediv", "maximum", "pow")
    ]
    return Case(results, {x: uniform(0.5, 2, (3,)), y: uniform(0.5, 2, (2, 1), seed=1)})


@case
def binary_second_order(tf):
    results = {}
    for name in ("multiply", "truediv", "pow", "squared_difference", "maximum"):
        x = tf.constant(uniform(0.5, 2.0, (3,), "float64", seed=1))
        y = tf.constant(uniform(0.5, 2.0, (3,), "float64", seed=2))
        first = tf.gradients(_lookup(tf, name)(x, y) ** 2, [x, y])
        results[name] = tf.gradients(first[0] * first[1], [x, y])
    return results


@case
def binary_of_complex(tf):
    x, y = tf.constant(sample("complex64", 3)), tf.constant(sample("complex64", 3, seed=1))
    names = ("add", "subtract", "multiply", "truediv")
    return [weighted_gradients(tf, _lookup(tf, name)(x, y), [x, y]) for name in names]


@case
def equal_values_of_maximum(tf):
    x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 3.0, 2.0])
    return [tf.gradients(tf.maximum(x, y), [x, y]), tf.gradients(tf.minimum(x, y), [x, y])]


@case
def pow_edges(tf):
    x, y = tf.constant([0.0, 2.0, -2.0, 0.0]), tf.constant([2.0, 0.0, 2.0, 1.0])
    return tf.gradients(tf.pow(x, y), [x, y])


@case
def special_functions(tf):
    a, x = tf.constant([0.5, 2.0]), tf.constant([1.0, 3.0])
    return {
        "igamma": tf.gradients(tf.igamma(a, x), x),
        "zeta": tf.gradients(tf.zeta([2.0, 3.0], x), x),
        "polygamma": tf.gradients(tf.polygamma([1.0, 2.0], x), x),
        "bessel_i1e": tf.gradients(tf.math.bessel_i1e(x), x),
        "ndtri": tf.gradients(tf.math.ndtri([0.2, 0.7] * tf.ones([2])), x),
    }


@case
def casts(tf):
    x = tf.constant([1.5, -2.5])
    return {
        "double": tf.gradients(tf.cast(x, tf.float64) * 3.0, x),
        "half": tf.gradients(tf.cast(x, tf.float16) * 3.0, x),
        "through_int": tf.gradients(tf.cast(tf.cast(x, tf.int32), tf.float32), x),
        "bitcast": tf.gradients(tf.bitcast(tf.bitcast(x, tf.int32), tf.float32), x),
        "saturate": tf.gradients(tf.saturate_cast(x, tf.float64), x),
    }


@case
def selections(tf):
    x, y = tf.constant(normal(2, 3)), tf.constant(normal(2, 3, seed=1))
    condition = x > 0.0
    return {
        "where": weighted_gradients(tf, tf.where(condition, x, y), [x, y]),
        "where_rows": weighted_gradients(tf, tf.where([True, False], x, y), [x, y]),
        "where_v2": weighted_gradients(tf, tf.where_v2(condition, x, y[0]), [x, y]),
        "clip": weighted_gradients(tf, tf.clip_by_value(x, -0.5, 0.5), [x]),
        "add_n": weighted_gradients(tf, tf.add_n([x, y, x]), [x, y]),
    }


@case
def operations_without_gradient(tf):
    x, integers = tf.constant([1.5, -2.5]), tf.constant([1, 2])
    return {
        "floor": tf.gradients(tf.floor(x), x),
        "round": tf.gradients(tf.round(x), x),
        "rint": tf.gradients(tf.rint(x), x),
        "argmax": tf.gradients(tf.to_float(tf.argmax(x)), x),
        "less": tf.gradients(tf.to_float(x < 0.0), x),
        "shape": tf.gradients(tf.to_float(tf.shape(x)), x),
        "zeros_like": tf.gradients(tf.zeros_like(x), x),
        "nextafter": tf.gradients(tf.math.nextafter(tf.to_double(x), [2.0, 2.0]), x),
        "integers": tf.gradients(tf.square(integers), integers),
        "stop": tf.gradients(tf.stop_gradient(x) * x, x),
    }


error_cases(
    prevented=lambda tf: tf.gradients(
        tf.raw_ops.PreventGradient(input=(x := tf.constant([1.0])), message="no"), x
    ),
    grad_ys_of_other_dtype=lambda tf: tf.gradients(
        tf.square(x := tf.constant([1.0])), x, grad_ys=tf.constant(np.float64([1.0]))
    ),
)

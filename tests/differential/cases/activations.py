"""Activation functions and softmax, with their gradients."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import FLOATS, normal

ACTIVATIONS = [
    "relu",
    "relu6",
    "elu",
    "selu",
    "leaky_relu",
    "softplus",
    "softsign",
    "sigmoid",
    "tanh",
    "crelu",
    "swish",
    "log_softmax",
    "softmax",
]
VALUES = [-10.0, -3.5, -1.0, -0.25, -0.0, 0.0, 0.25, 1.0, 3.5, 6.0, 10.0]


def _value_program(name):
    def program(tf):
        function = getattr(tf.nn, name)
        return [function(tf.constant(VALUES, dtype)) for dtype in FLOATS]

    return program


def _gradient_program(name):
    def program(tf):
        function = getattr(tf.nn, name)
        results = {}
        for dtype in ("float32", "float64"):
            x = tf.constant(VALUES, dtype)
            y = function(x)
            upstream = tf.constant(normal(*y.shape.as_list(), dtype=dtype))
            results[dtype] = tf.gradients(y, x, grad_ys=upstream)
        return results

    return program


def _second_order_program(name):
    def program(tf):
        x = tf.constant(VALUES[:4] + VALUES[6:])
        (first,) = tf.gradients(tf.square(getattr(tf.nn, name)(x)), x)
        return tf.gradients(tf.square(first), x)

    return program


for _name in ACTIVATIONS:
    case(_name)(_value_program(_name))
    case(f"{_name}_gradient")(_gradient_program(_name))
    if _name not in ("crelu", "softsign"):  # SoftsignGrad has no gradient in TensorFlow
        case(f"{_name}_second_order")(_second_order_program(_name))


@case
def non_finite_values(tf):
    x = tf.constant([np.nan, np.inf, -np.inf, 100.0, -100.0])
    names = [
        "relu",
        "relu6",
        "elu",
        "selu",
        "leaky_relu",
        "softplus",
        "softsign",
        "sigmoid",
        "tanh",
    ]
    return {name: getattr(tf.nn, name)(x) for name in names}


@case
def relu_of_integers(tf):
    return {
        "relu": [
            tf.nn.relu(tf.constant([-3, 0, 7], dtype))
            for dtype in ("int8", "int16", "int32", "int64")
        ],
        "relu_unsigned": tf.nn.relu(tf.constant([0, 200], tf.uint8)),
        "relu6": [tf.nn.relu6(tf.constant([-3, 5, 9], dtype)) for dtype in ("int32", "int8")],
    }


@case
def leaky_relu_slopes(tf):
    x = tf.constant(VALUES)
    return [
        tf.nn.leaky_relu(x, alpha=0.0),
        tf.nn.leaky_relu(x, alpha=0.5),
        tf.nn.leaky_relu(x, 1.5),
        tf.nn.leaky_relu(tf.constant([-2, 2])),
    ]


@case
def gradient_operations_directly(tf):
    g, y = tf.constant([1.0, 2.0, 3.0]), tf.constant([-0.5, 0.25, 7.0])
    raw = tf.raw_ops
    return {
        "relu": raw.ReluGrad(gradients=g, features=y),
        "relu6": raw.Relu6Grad(gradients=g, features=y),
        "elu": raw.EluGrad(gradients=g, outputs=y),
        "selu": raw.SeluGrad(gradients=g, outputs=y),
        "leaky": raw.LeakyReluGrad(gradients=g, features=y, alpha=0.3),
        "softplus": raw.SoftplusGrad(gradients=g, features=y),
        "softsign": raw.SoftsignGrad(gradients=g, features=y),
        "sigmoid": raw.SigmoidGrad(y=y, dy=g),
        "tanh": raw.TanhGrad(y=y, dy=g),
        "sqrt": raw.SqrtGrad(y=y, dy=g),
        "rsqrt": raw.RsqrtGrad(y=y, dy=g),
        "reciprocal": raw.InvGrad(y=y, dy=g),
    }


@case
def gelu_and_swish_by_hand(tf):
    x = tf.constant(VALUES)
    gelu = 0.5 * x * (1.0 + tf.erf(x / np.sqrt(2.0).astype(np.float32)))
    swish = x * tf.sigmoid(x)
    return [gelu, swish, tf.gradients(gelu, x)[0], tf.gradients(swish, x)[0], tf.nn.silu(x, 2.0)]


@case
def crelu_axis(tf):
    x = tf.constant(normal(2, 3))
    return [tf.nn.crelu(x), tf.nn.crelu(x, axis=0)]


@case
def softmax_axes(tf):
    x = tf.constant(normal(2, 3, 4))
    partial = tf.placeholder(tf.float32, [None, 3])
    fetches = {
        name: [
            getattr(tf.nn, name)(x),
            getattr(tf.nn, name)(x, axis=0),
            getattr(tf.nn, name)(x, axis=1),
            getattr(tf.nn, name)(x, dim=-2),
            getattr(tf.nn, name)(x[0, 0]),
            getattr(tf.nn, name)(partial),
            getattr(tf.nn, name)(tf.zeros([0, 3])),
        ]
        for name in ("softmax", "log_softmax")
    }
    return Case(fetches, {partial: normal(2, 3)})


@case
def softmax_of_large_values(tf):
    x = tf.constant([[1000.0, 1001.0], [-1000.0, -1000.0], [0.0, 1000.0], [3e38, -3e38]])
    return [tf.nn.softmax(x), tf.nn.log_softmax(x)]


@case
def softmax_axis_gradient(tf):
    x = tf.constant(normal(2, 3, 4))
    upstream = tf.constant(normal(2, 3, 4, seed=1))
    return [
        tf.gradients(tf.nn.softmax(x, axis=1), x, grad_ys=upstream),
        tf.gradients(tf.nn.log_softmax(x, axis=0), x, grad_ys=upstream),
    ]


@case
def static_shapes(tf):
    partial, unknown = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32)
    fetches = [tf.nn.relu(partial), tf.nn.elu(unknown), tf.nn.softmax(unknown), tf.nn.tanh(partial)]
    return Case(fetches, {partial: normal(1, 2), unknown: normal(2, 2)})


error_cases(
    softmax_of_scalar=lambda tf: tf.nn.softmax(tf.constant(1.0)),
    softmax_axis=lambda tf: tf.nn.softmax(tf.zeros([2, 2]), axis=2),
    softmax_of_integers=lambda tf: tf.nn.softmax([1, 2]),
    softmax_of_fed_scalar=lambda tf: Case(
        tf.nn.log_softmax(x := tf.placeholder(tf.float32)), {x: 1.0}
    ),
    elu_of_integers=lambda tf: tf.nn.elu([1]),
    relu_of_strings=lambda tf: tf.nn.relu(tf.constant("a")),
    relu_grad_shapes=lambda tf: tf.raw_ops.ReluGrad(gradients=[1.0, 2.0], features=[1.0]),
)

"""Sums, products, pools and convolutions of quantised tensors, with the ranges of their results.

Quantised results are compared as the integers that they hold, without tolerance.
"""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from .quantization import RANGES, exact, quantized, stored

PAIRS = {
    "about_zero": (-1.0, 2.0, -3.0, 0.5),
    "positive": (0.2, 4.4, 0.1, 6.0),
    "negative": (-5.0, -0.5, 2.0, 2.5),
    "uneven": (-5.9597735, 1.6153615, -4.019463, 4.2742844),
}


def raw(tf, name, *values, **attrs):
    return getattr(tf.raw_ops, name)(*values, **attrs)


def _binary_program(name, x_shape, y_shape):
    def program(tf):
        x, y = quantized(tf, "quint8", *x_shape), quantized(tf, "quint8", *y_shape, seed=1)
        return exact(
            {
                key: stored(
                    tf,
                    raw(tf, name, x=x, y=y, min_x=a, max_x=b, min_y=c, max_y=d),
                )
                for key, (a, b, c, d) in PAIRS.items()
            }
        )

    return program


for _name in ("QuantizedAdd", "QuantizedMul"):
    case(f"{_name}_same")(_binary_program(_name, (5, 8), (5, 8)))
    case(f"{_name}_vector")(_binary_program(_name, (3, 2, 4), (4,)))
    case(f"{_name}_matrix")(_binary_program(_name, (3, 4), (2, 3, 4)))
    case(f"{_name}_scalar")(_binary_program(_name, (), (7,)))
    case(f"{_name}_one")(_binary_program(_name, (2, 3), (1, 1)))
    case(f"{_name}_empty")(_binary_program(_name, (0,), (0,)))


@case
def matrix_products(tf):
    results = {}
    for key, (a, b, c, d) in PAIRS.items():
        for left in (False, True):
            for right in (False, True):
                x = quantized(tf, "quint8", *((5, 4) if left else (4, 5)))
                y = quantized(tf, "quint8", *((3, 5) if right else (5, 3)), seed=1)
                results[f"{key}_{left}_{right}"] = stored(
                    tf,
                    tf.raw_ops.QuantizedMatMul(
                        a=x,
                        b=y,
                        min_a=a,
                        max_a=b,
                        min_b=c,
                        max_b=d,
                        transpose_a=left,
                        transpose_b=right,
                    ),
                )
    return exact(results)


@case
def biases(tf):
    results = {}
    for dtype in ("quint8", "qint8"):
        for key, (a, b, c, d) in PAIRS.items():
            results[f"{dtype}_{key}"] = stored(
                tf,
                tf.raw_ops.QuantizedBiasAdd(
                    input=quantized(tf, dtype, 2, 5, 4),
                    bias=quantized(tf, dtype, 4, seed=1),
                    min_input=a,
                    max_input=b,
                    min_bias=c,
                    max_bias=d,
                    out_type=tf.qint32,
                ),
            )
    return exact(results)


@case
def rectifiers(tf):
    results = {}
    for key, (low, high) in RANGES.items():
        for dtype in ("quint8", "qint32"):
            features = quantized(tf, dtype, 3, 9)
            for name in ("QuantizedRelu", "QuantizedRelu6"):
                results[f"{key}_{dtype}_{name}"] = stored(
                    tf,
                    raw(
                        tf,
                        name,
                        features=features,
                        min_features=low * 4,
                        max_features=high * 4,
                        out_type=features.dtype,
                    ),
                )
    return exact(results)


@case
def reshaped(tf):
    sizes = tf.placeholder(tf.int32, [None])
    reshape = tf.raw_ops.QuantizedReshape
    fetches = [
        stored(
            tf,
            reshape(
                tensor=quantized(tf, "quint8", 2, 6), shape=[3, -1], input_min=0.0, input_max=1.0
            ),
        ),
        stored(
            tf,
            reshape(tensor=quantized(tf, "qint32", 4), shape=[2, 2], input_min=2.0, input_max=1.0),
        ),
        tf.bitcast(
            reshape(
                tensor=quantized(tf, "quint8", 6), shape=sizes, input_min=0.0, input_max=1.0
            ).output,
            tf.uint8,
        ),
    ]
    return exact(fetches, {sizes: [3, 2]})


@case
def joined(tf):
    results = {}
    for key, (a, b, c, d) in PAIRS.items():
        for dtype in ("quint8", "qint32"):
            values = [quantized(tf, dtype, 3, 4), quantized(tf, dtype, 3, 2, seed=1)]
            results[f"{key}_{dtype}"] = stored(tf, tf.quantized_concat(1, values, [a, c], [b, d]))
    same = [quantized(tf, "quint8", 2, 1), quantized(tf, "quint8", 1, 1)]
    results["same"] = stored(
        tf, tf.quantization.quantized_concat(0, same, [-1.0, -1.0], [1.0, 1.0])
    )
    results["point"] = stored(tf, tf.quantized_concat(0, same, [0.0, 0.0], [0.0, 0.0]))
    return exact(results)


def _pool_program(function, dtype):
    def program(tf):
        image = quantized(tf, dtype, 2, 5, 6, 3)
        windows = [([1, 2, 3, 1], [1, 2, 1, 1]), ([1, 3, 3, 1], [1, 1, 2, 1])]
        return exact(
            [
                stored(tf, getattr(tf.nn, function)(image, -1.0, 2.0, ksize, strides, padding))
                for ksize, strides in windows
                for padding in ("SAME", "VALID")
            ]
        )

    return program


for _function in ("quantized_avg_pool", "quantized_max_pool"):
    for _dtype in ("quint8", "qint8"):
        case(f"{_function}_{_dtype}")(_pool_program(_function, _dtype))


@case
def convolutions(tf):
    image = quantized(tf, "quint8", 2, 5, 6, 3)
    results = []
    for kernel in ((3, 2, 3, 4), (1, 1, 3, 2), (5, 6, 3, 1)):
        for padding in ("SAME", "VALID"):
            for stride in (1, 2):
                filters = quantized(tf, "quint8", *kernel, seed=1)
                strides = [1, stride, stride, 1]
                results.append(
                    stored(
                        tf,
                        tf.nn.quantized_conv2d(
                            image, filters, -1.0, 2.0, -0.5, 0.7, strides, padding
                        ),
                    )
                )
    return exact(results)


@case
def normalized_globally(tf):
    names = ("t", "m", "v", "beta", "gamma")
    inputs = {
        name: quantized(tf, "quint8", *((2, 3, 3, 4) if name == "t" else (4,)), seed=seed)
        for seed, name in enumerate(names)
    }
    ranges = {"t": (-1.0, 2.0), "m": (-1.0, 1.0), "v": (0.0, 3.0), "beta": (-1.0, 1.5)}
    ranges["gamma"] = (-2.0, 2.0)
    for name, (low, high) in ranges.items():
        inputs[f"{name}_min"], inputs[f"{name}_max"] = low, high
    results = [
        stored(
            tf,
            tf.raw_ops.QuantizedBatchNormWithGlobalNormalization(
                **inputs,
                out_type=tf.qint32,
                variance_epsilon=epsilon,
                scale_after_normalization=scale,
            ),
        )
        for epsilon in (0.01, 0.5)
        for scale in (False, True)
    ]
    return exact(results)


@case
def normalized_by_instance(tf):
    normalize = tf.raw_ops.QuantizedInstanceNorm
    image = quantized(tf, "quint8", 2, 3, 4, 2)
    flat = tf.bitcast(tf.fill([1, 2, 2, 1], tf.constant(7, tf.uint8)), tf.quint8)
    results = [
        stored(tf, normalize(x=image, x_min=-1.0, x_max=3.0)),
        stored(
            tf,
            normalize(
                x=image,
                x_min=-1.0,
                x_max=3.0,
                output_range_given=True,
                given_y_min=-2.0,
                given_y_max=1.5,
                variance_epsilon=0.1,
            ),
        ),
        stored(tf, normalize(x=flat, x_min=-1.0, x_max=3.0)),
        stored(tf, normalize(x=image, x_min=-1.0, x_max=3.0, min_separation=7.0)),
    ]
    return Case(results, tolerance=1e-6, reason="means and deviations are summed in another order")


@case
def requantized(tf):
    values = quantized(tf, "qint32", 4, 9)
    results = {}
    for key, (low, high) in RANGES.items():
        out_low, out_high = min(low, 0.0), max(high, 0.0)
        for dtype in (tf.quint8, tf.qint8):
            results[f"{key}_{dtype.name}"] = stored(
                tf,
                tf.raw_ops.Requantize(
                    input=values,
                    input_min=-3.0,
                    input_max=2.5,
                    requested_output_min=out_low,
                    requested_output_max=out_high,
                    out_type=dtype,
                ),
            )
        results[f"{key}_range"] = list(
            tf.raw_ops.RequantizationRange(input=values, input_min=low, input_max=high)
        )
        results[f"{key}_shrunk"] = stored(
            tf,
            tf.raw_ops.QuantizeDownAndShrinkRange(
                input=values, input_min=low, input_max=high, out_type=tf.quint8
            ),
        )
    return exact(results)


@case
def requantized_nothing(tf):
    nothing = quantized(tf, "qint32", 0)
    return exact(
        [
            list(tf.raw_ops.RequantizationRange(input=nothing, input_min=-1.0, input_max=1.0)),
            stored(
                tf,
                tf.raw_ops.QuantizeDownAndShrinkRange(
                    input=nothing, input_min=-1.0, input_max=1.0, out_type=tf.quint8
                ),
            ),
        ]
    )


@case
def requantized_by_channel(tf):
    small = np.random.RandomState(7).randint(-(2**20), 2**20, (1, 2, 3, 3), dtype=np.int32)
    values = tf.bitcast(tf.constant(small), tf.qint32)
    positive = tf.bitcast(tf.constant(np.abs(small)), tf.qint32)
    lows, highs = [-1.0, -2.0, -3.0], [1.0, 2.0, 3.0]
    by_channel, find = tf.raw_ops.RequantizePerChannel, tf.raw_ops.RequantizationRangePerChannel
    results = [
        stored(
            tf,
            by_channel(
                input=values,
                input_min=lows,
                input_max=highs,
                requested_output_min=low,
                requested_output_max=0.0015,
                out_type=dtype,
            ),
        )
        for dtype, low in ((tf.qint8, -0.001), (tf.quint8, -0.001), (tf.quint8, 0.0))
    ]
    results.append(list(find(input=values, input_min=lows, input_max=highs, clip_value_max=100.0)))
    results.append(
        list(find(input=positive, input_min=lows, input_max=highs, clip_value_max=0.0001))
    )
    return exact(results)


@case
def static_shapes(tf):
    scalar = tf.placeholder(tf.float32, [])
    byte = lambda shape=None: tf.placeholder(tf.quint8, shape)  # noqa: E731
    pair = {"min_input": scalar, "max_input": scalar}
    results = [
        tf.raw_ops.QuantizedBiasAdd(
            input=byte([2, None]),
            bias=byte([3]),
            **pair,
            min_bias=scalar,
            max_bias=scalar,
            out_type=tf.qint32,
        ),
        tf.raw_ops.QuantizedConv2D(
            input=byte([1, None, 5, 2]),
            filter=byte([2, 2, 2, 3]),
            **pair,
            min_filter=scalar,
            max_filter=scalar,
            strides=[1, 2, 2, 1],
            padding="SAME",
        ),
        tf.quantized_concat(1, [byte([2, 3]), byte([None, None])], [scalar] * 2, [scalar] * 2),
        tf.quantized_concat(-1, [byte([2, 3]), byte([None, 4])], [scalar] * 2, [scalar] * 2),
        tf.raw_ops.QuantizedInstanceNorm(x=byte(), x_min=scalar, x_max=scalar),
        tf.nn.quantized_avg_pool(
            byte([1, None, 5, 2]), scalar, scalar, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"
        ),
        tf.nn.quantized_relu_x(byte([2, None]), scalar, scalar, scalar),
        tf.raw_ops.QuantizedReshape(
            tensor=byte([2, 3]), shape=[3, -1], input_min=scalar, input_max=scalar
        ),
        tf.raw_ops.QuantizedMatMul(
            a=byte([None, 3]),
            b=byte([3, 5]),
            min_a=scalar,
            max_a=scalar,
            min_b=scalar,
            max_b=scalar,
        ),
    ]
    return [[str(tensor.shape) for tensor in tensors] for tensors in results]


def _binary(tf, name, x_shape, y_shape, bounds):
    x, y = quantized(tf, "quint8", *x_shape), quantized(tf, "quint8", *y_shape)
    low_x, high_x, low_y, high_y = bounds
    result = raw(tf, name, x=x, y=y, min_x=low_x, max_x=high_x, min_y=low_y, max_y=high_y)
    return tf.bitcast(result[0], tf.int32)


UNIT = (0.0, 1.0, 0.0, 1.0)
error_cases(
    add_shapes=lambda tf: _binary(tf, "QuantizedAdd", (2, 3), (2,), UNIT),
    add_broadcast=lambda tf: _binary(tf, "QuantizedAdd", (2, 3, 4), (2, 1, 4), UNIT),
    mul_broadcast=lambda tf: _binary(tf, "QuantizedMul", (2, 3, 4), (2, 1, 4), UNIT),
    add_range=lambda tf: _binary(tf, "QuantizedAdd", (2,), (2,), (1.0, 1.0, 0.0, 1.0)),
    mul_range=lambda tf: _binary(tf, "QuantizedMul", (2,), (2,), (0.0, 1.0, 2.0, 1.0)),
    add_vector_range=lambda tf: _binary(tf, "QuantizedAdd", (2,), (2,), ([0.0], 1.0, 0.0, 1.0)),
    mul_vector_range=lambda tf: _binary(tf, "QuantizedMul", (2,), (2,), ([0.0], 1.0, 0.0, 1.0)),
    matmul_of_vector=lambda tf: tf.raw_ops.QuantizedMatMul(
        a=quantized(tf, "quint8", 3),
        b=quantized(tf, "quint8", 3, 2),
        min_a=0.0,
        max_a=1.0,
        min_b=0.0,
        max_b=1.0,
    ),
    matmul_range=lambda tf: tf.bitcast(
        tf.raw_ops.QuantizedMatMul(
            a=quantized(tf, "quint8", 2, 3),
            b=quantized(tf, "quint8", 3, 2),
            min_a=1.0,
            max_a=1.0,
            min_b=0.0,
            max_b=1.0,
        )[0],
        tf.int32,
    ),
    bias_size=lambda tf: tf.raw_ops.QuantizedBiasAdd(
        input=quantized(tf, "quint8", 2, 3),
        bias=quantized(tf, "quint8", 2),
        min_input=0.0,
        max_input=1.0,
        min_bias=0.0,
        max_bias=1.0,
        out_type=tf.qint32,
    ),
    relu_vector_range=lambda tf: tf.raw_ops.QuantizedRelu(
        features=quantized(tf, "quint8", 2), min_features=[0.0], max_features=1.0
    ),
    concat_negative_axis=lambda tf: tf.bitcast(
        tf.quantized_concat(-1, [quantized(tf, "quint8", 2, 3)] * 2, [0.0] * 2, [1.0] * 2)[0],
        tf.uint8,
    ),
    concat_other_sizes=lambda tf: tf.quantized_concat(
        1, [quantized(tf, "quint8", 2, 3), quantized(tf, "quint8", 3, 3)], [0.0] * 2, [1.0] * 2
    ),
    concat_axis=lambda tf: tf.quantized_concat(
        2, [quantized(tf, "quint8", 2, 3), quantized(tf, "quint8", 2, 3)], [0.0] * 2, [1.0] * 2
    ),
    reshape_count=lambda tf: tf.raw_ops.QuantizedReshape(
        tensor=quantized(tf, "quint8", 4), shape=[3], input_min=0.0, input_max=1.0
    ),
    pool_batch=lambda tf: tf.bitcast(
        tf.nn.quantized_max_pool(
            quantized(tf, "quint8", 2, 4, 4, 1), 0.0, 1.0, [2, 2, 2, 1], [1, 1, 1, 1], "SAME"
        )[0],
        tf.uint8,
    ),
    pool_rank=lambda tf: tf.nn.quantized_avg_pool(
        quantized(tf, "quint8", 4, 4, 1), 0.0, 1.0, [1, 2, 2, 1], [1, 1, 1, 1], "SAME"
    ),
    convolution_strides=lambda tf: _convolution(tf, strides=[1, 2, 1, 1]),
    convolution_batch_stride=lambda tf: _convolution(tf, strides=[2, 1, 1, 1]),
    convolution_dilation=lambda tf: _convolution(tf, dilations=[1, 2, 2, 1]),
    instance_range=lambda tf: tf.bitcast(
        tf.raw_ops.QuantizedInstanceNorm(
            x=quantized(tf, "quint8", 1, 2, 2, 1), x_min=1.0, x_max=1.0
        )[0],
        tf.uint8,
    ),
    instance_rank=lambda tf: tf.raw_ops.QuantizedInstanceNorm(
        x=quantized(tf, "quint8", 2, 2, 1), x_min=0.0, x_max=1.0
    ),
    requantize_order=lambda tf: _requantize(tf, 1.0, 0.5),
    requantize_positive_min=lambda tf: _requantize(tf, 1.0, 2.0),
    requantize_by_channel_rank=lambda tf: tf.bitcast(
        tf.raw_ops.RequantizePerChannel(
            input=quantized(tf, "qint32", 2, 2),
            input_min=[0.0, 0.0],
            input_max=[1.0, 1.0],
            requested_output_min=0.0,
            requested_output_max=1.0,
        )[0],
        tf.uint8,
    ),
)


def _convolution(tf, **attrs):
    arguments = {"strides": [1, 1, 1, 1], "padding": "SAME", **attrs}
    image, filters = quantized(tf, "quint8", 1, 4, 4, 2), quantized(tf, "quint8", 2, 2, 2, 1)
    result = tf.nn.quantized_conv2d(image, filters, 0.0, 1.0, 0.0, 1.0, **arguments)
    return tf.bitcast(result[0], tf.int32)


def _requantize(tf, low, high):
    result = tf.raw_ops.Requantize(
        input=quantized(tf, "qint32", 3),
        input_min=0.0,
        input_max=1.0,
        requested_output_min=low,
        requested_output_max=high,
        out_type=tf.quint8,
    )
    return tf.bitcast(result[0], tf.uint8)

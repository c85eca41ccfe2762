"""Pools: maximum, average, with positions, over volumes, and fractional."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import FLOATS, integers, normal

# name: (image shape, window, strides, padding)
GEOMETRIES = {
    "valid": ((2, 5, 6, 2), (2, 2), (2, 2), "VALID"),
    "same": ((2, 5, 6, 2), (2, 2), (2, 2), "SAME"),
    "overlapping": ((1, 5, 5, 2), (3, 3), (1, 1), "SAME"),
    "overlapping_valid": ((1, 5, 5, 1), (3, 2), (2, 1), "VALID"),
    "stride_beyond_window": ((1, 7, 7, 1), (2, 2), (3, 3), "VALID"),
    "whole_image": ((2, 3, 4, 2), (3, 4), (1, 1), "VALID"),
    "window_exceeds_image": ((1, 2, 2, 1), (3, 3), (2, 2), "SAME"),
    "one_pixel_windows": ((1, 3, 3, 2), (1, 1), (2, 2), "SAME"),
    "empty_batch": ((0, 4, 4, 1), (2, 2), (2, 2), "VALID"),
}


def _pool_program(name, image, window, strides, padding):
    def program(tf):
        x = tf.constant(normal(*image))
        return getattr(tf.nn, name)(x, [1, *window, 1], [1, *strides, 1], padding)

    return program


for _pool in ("max_pool", "avg_pool"):
    for _name, _arguments in GEOMETRIES.items():
        case(f"{_pool}_{_name}")(_pool_program(_pool, *_arguments))


@case
def max_pool_explicit(tf):
    x = tf.constant(normal(1, 4, 5, 2))
    padding = [[0, 0], [1, 0], [0, 2], [0, 0]]
    return [
        tf.nn.max_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], padding),
        tf.nn.max_pool2d(x, 2, 1, [[0, 0], [1, 1], [1, 1], [0, 0]]),
        tf.nn.max_pool_v2(-tf.abs(x), 3, 2, padding),
    ]


@case
def dtypes(tf):
    results = {
        dtype: [
            tf.nn.max_pool(tf.constant(normal(1, 4, 4, 2, dtype=dtype)), 2, 2, "SAME"),
            tf.nn.avg_pool(tf.constant(normal(1, 4, 4, 2, dtype=dtype)), 3, 2, "SAME"),
        ]
        for dtype in FLOATS
    }
    for dtype in ("int32", "int64", "uint8", "int16", "int8", "uint16"):
        values = tf.constant(integers(0, 99, (1, 4, 4, 1), dtype))
        results[dtype] = tf.nn.max_pool(values, 2, 2, "VALID")
    return results


@case
def max_pool_over_channels(tf):
    return tf.nn.max_pool(tf.constant(normal(1, 2, 2, 4)), [1, 1, 1, 2], [1, 1, 1, 2], "VALID")


@case
def max_pool_of_infinities_and_nan(tf):
    values = tf.constant([[[[-np.inf], [-np.inf]], [[1.0], [np.inf]], [[-3.0], [-np.inf]]]])
    return tf.nn.max_pool(values, [1, 1, 2, 1], [1, 1, 1, 1], "SAME")


@case
def spellings(tf):
    x = tf.constant(normal(1, 5, 5, 2))
    return [
        tf.nn.max_pool(value=x, ksize=2, strides=2, padding="VALID"),
        tf.nn.avg_pool(x, ksize=[2, 3], strides=[1, 2], padding="SAME"),
        tf.nn.max_pool2d(x, 2, 2, "SAME"),
        tf.nn.avg_pool2d(x, [2], [2], "SAME"),
        tf.nn.max_pool1d(tf.constant(normal(1, 6, 2)), 3, 2, "SAME"),
        tf.nn.avg_pool1d(tf.constant(normal(1, 6, 2)), 3, 2, "VALID"),
        tf.nn.pool(x, [2, 2], "MAX", "VALID"),
        tf.nn.pool(x, [2, 2], "AVG", "SAME", strides=[2, 2]),
        tf.nn.pool(x, [2, 2], "MAX", "VALID", dilation_rate=[2, 2]),
        tf.raw_ops.MaxPoolV2(input=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME"),
    ]


@case
def static_shapes(tf):
    partial, unknown = tf.placeholder(tf.float32, [None, None, 5, 2]), tf.placeholder(tf.float32)
    fetches = [
        tf.nn.max_pool(partial, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
        tf.nn.avg_pool(partial, [1, 3, 3, 1], [1, 2, 2, 1], "VALID"),
        tf.nn.max_pool(unknown, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
    ]
    return Case(fetches, {partial: normal(1, 4, 5, 2), unknown: normal(1, 4, 4, 1)})


@case
def max_pool_with_argmax(tf):
    x = tf.constant(normal(2, 4, 5, 2))
    window, strides = [1, 2, 2, 1], [1, 2, 2, 1]
    return {
        "valid": list(tf.nn.max_pool_with_argmax(x, window, strides, "VALID")),
        "same": list(tf.nn.max_pool_with_argmax(x, window, strides, "SAME")),
        "batch": list(
            tf.nn.max_pool_with_argmax(
                x, window, strides, "SAME", output_dtype=tf.int32, include_batch_in_index=True
            )
        ),
    }


@case
def volumes(tf):
    x = tf.constant(normal(1, 4, 5, 4, 2))
    return [
        tf.nn.max_pool3d(x, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "VALID"),
        tf.nn.avg_pool3d(x, [1, 3, 2, 2, 1], [1, 1, 2, 2, 1], "SAME"),
        tf.nn.max_pool3d(tf.cast(x, tf.bfloat16), 3, 2, "SAME"),
    ]


@case
def fractional(tf):
    x = tf.constant(normal(1, 6, 7, 1))
    ratios = [1.0, 1.44, 1.73, 1.0]
    results = [
        list(tf.nn.fractional_max_pool(x, ratios, seed=3, seed2=4, deterministic=True)),
        list(tf.nn.fractional_avg_pool(x, ratios, True, seed=3, seed2=4, deterministic=True)),
        list(
            tf.nn.fractional_max_pool(
                x, ratios, True, overlapping=True, seed=3, seed2=4, deterministic=True
            )
        ),
    ]
    return Case(results, runs=2)


def _pool(tf, image=(1, 4, 4, 1), window=(1, 2, 2, 1), strides=(1, 2, 2, 1), padding="SAME"):
    return tf.nn.max_pool(tf.zeros(image), list(window), list(strides), padding)


error_cases(
    image_rank=lambda tf: _pool(tf, image=(4, 4, 1)),
    window_too_large=lambda tf: _pool(tf, window=(1, 5, 5, 1), padding="VALID"),
    window_length=lambda tf: _pool(tf, window=(1, 2, 2, 2, 1)),
    window_zero=lambda tf: _pool(tf, window=(1, 0, 2, 1)),
    stride_zero=lambda tf: _pool(tf, strides=(1, 0, 2, 1)),
    pool_over_batch=lambda tf: _pool(tf, window=(2, 2, 2, 1)),
    unknown_padding=lambda tf: _pool(tf, padding="FULL"),
    avg_pool_of_integers=lambda tf: tf.nn.avg_pool(tf.zeros([1, 4, 4, 1], tf.int32), 2, 2, "SAME"),
    max_pool_of_booleans=lambda tf: tf.nn.max_pool(tf.zeros([1, 4, 4, 1], tf.bool), 2, 2, "SAME"),
    fed_rank=lambda tf: Case(
        tf.nn.max_pool(x := tf.placeholder(tf.float32), 2, 2, "SAME"), {x: np.zeros([4, 4])}
    ),
    unknown_pooling_type=lambda tf: tf.nn.pool(tf.zeros([1, 4, 4, 1]), [2, 2], "SUM", "VALID"),
)

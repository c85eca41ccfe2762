"""Convolutions: every padding, stride, dilation, group, layout and dtype that the CPU runs."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import FLOATS, normal

# name: (image shape, filter shape, further arguments of tf.nn.conv2d)
CONV2D = {
    "same": ((2, 5, 6, 3), (3, 3, 3, 4), {"padding": "SAME"}),
    "valid": ((2, 5, 6, 3), (3, 3, 3, 4), {"padding": "VALID"}),
    "one_by_one": ((2, 4, 4, 3), (1, 1, 3, 5), {"padding": "SAME"}),
    "even_filter_same": ((1, 5, 5, 2), (2, 4, 2, 3), {"padding": "SAME"}),
    "stride_same": ((1, 7, 6, 2), (3, 3, 2, 2), {"strides": [1, 2, 2, 1], "padding": "SAME"}),
    "stride_valid": ((1, 7, 6, 2), (3, 2, 2, 2), {"strides": [1, 2, 3, 1], "padding": "VALID"}),
    "stride_beyond_filter": (
        (1, 7, 7, 1),
        (1, 2, 1, 2),
        {"strides": [1, 3, 3, 1], "padding": "SAME"},
    ),
    "explicit": ((1, 4, 5, 2), (3, 3, 2, 2), {"padding": [[0, 0], [1, 2], [0, 3], [0, 0]]}),
    "explicit_stride": (
        (1, 4, 5, 2),
        (3, 3, 2, 2),
        {"padding": [[0, 0], [2, 1], [1, 1], [0, 0]], "strides": [1, 2, 1, 1]},
    ),
    "dilated_same": ((1, 7, 7, 2), (3, 3, 2, 2), {"padding": "SAME", "dilations": [1, 2, 3, 1]}),
    "dilated_valid": ((1, 7, 7, 2), (3, 2, 2, 2), {"padding": "VALID", "dilations": [1, 2, 2, 1]}),
    "dilated_explicit": (
        (1, 5, 5, 1),
        (3, 3, 1, 2),
        {"padding": [[0, 0], [2, 2], [1, 0], [0, 0]], "dilations": [1, 2, 2, 1]},
    ),
    "filter_covers_image": ((2, 3, 4, 2), (3, 4, 2, 3), {"padding": "VALID"}),
    "filter_exceeds_image_same": ((1, 2, 2, 1), (5, 5, 1, 1), {"padding": "SAME"}),
    "empty_batch": ((0, 4, 4, 2), (3, 3, 2, 2), {"padding": "SAME"}),
    "one_pixel": ((3, 1, 1, 2), (3, 3, 2, 2), {"padding": "SAME"}),
}


def _conv2d_program(image, filters, arguments):
    def program(tf):
        x, w = tf.constant(normal(*image)), tf.constant(normal(*filters, seed=1))
        return tf.nn.conv2d(x, w, **{"strides": [1, 1, 1, 1], **arguments})

    return program


for _name, _arguments in CONV2D.items():
    case(f"conv2d_{_name}")(_conv2d_program(*_arguments))


@case
def conv2d_groups(tf):
    x, w = tf.constant(normal(2, 5, 5, 4)), tf.constant(normal(3, 3, 2, 6, seed=1))
    return [
        tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME"),
        tf.nn.conv2d(x, w, [1, 2, 2, 1], "VALID"),
        tf.nn.conv2d(x, tf.constant(normal(3, 3, 1, 4)), [1, 1, 1, 1], "SAME"),
    ]


@case
def conv2d_dtypes(tf):
    return {
        dtype: tf.nn.conv2d(
            tf.constant(normal(1, 4, 4, 2, dtype=dtype)),
            tf.constant(normal(2, 2, 2, 2, dtype=dtype, seed=1)),
            [1, 1, 1, 1],
            "SAME",
        )
        for dtype in FLOATS
    }


@case
def conv2d_integers(tf):
    x = tf.constant(np.arange(16).reshape(1, 4, 4, 1), tf.int32)
    w = tf.constant(np.arange(4).reshape(2, 2, 1, 1), tf.int32)
    return tf.nn.conv2d(x, w, [1, 1, 1, 1], "VALID")


@case
def conv2d_spellings(tf):
    x, w = tf.constant(normal(1, 4, 4, 2)), tf.constant(normal(2, 2, 2, 3, seed=1))
    return [
        tf.nn.conv2d(x, filters=w, strides=2, padding="SAME"),
        tf.nn.conv2d(x, filter=w, strides=[2, 1], padding="VALID"),
        tf.nn.conv2d(x, w, strides=[1], padding="SAME", dilations=2),
        tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME", True, "NHWC", name="named").op.name,
        tf.nn.convolution(x, w, "SAME"),
        tf.nn.convolution(x, w, "VALID", strides=[2, 2]),
        tf.nn.convolution(x, w, "SAME", dilation_rate=[2, 1]),
        tf.nn.atrous_conv2d(x, w, 2, "SAME"),
        tf.raw_ops.Conv2D(input=x, filter=w, strides=[1, 1, 2, 1], padding="VALID"),
        tf.raw_ops.Conv2D(
            input=x,
            filter=w,
            strides=[1, 1, 1, 1],
            padding="EXPLICIT",
            explicit_paddings=[0, 0, 1, 0, 0, 1, 0, 0],
        ),
    ]


@case
def conv2d_static_shapes(tf):
    partial = tf.placeholder(tf.float32, [None, None, 6, 2])
    unknown, filters = tf.placeholder(tf.float32), tf.placeholder(tf.float32, [3, 3, 2, None])
    w = tf.constant(normal(3, 3, 2, 4, seed=1))
    fetches = [
        tf.nn.conv2d(partial, w, [1, 1, 1, 1], "SAME"),
        tf.nn.conv2d(partial, w, [1, 2, 2, 1], "VALID"),
        tf.nn.conv2d(unknown, w, [1, 1, 1, 1], "SAME"),
        tf.nn.conv2d(partial, filters, [1, 1, 1, 1], "VALID"),
    ]
    feeds = {
        partial: normal(1, 5, 6, 2),
        unknown: normal(1, 3, 3, 2),
        filters: normal(3, 3, 2, 1),
    }
    return Case(fetches, feeds)


@case
def conv1d(tf):
    x, w = tf.constant(normal(2, 7, 3)), tf.constant(normal(3, 3, 4, seed=1))
    return [
        tf.nn.conv1d(x, w, 1, "SAME"),
        tf.nn.conv1d(x, w, 2, "VALID"),
        tf.nn.conv1d(x, w, stride=[1], padding="SAME", dilations=2),
        tf.nn.convolution(x, w, "SAME"),
    ]


@case
def conv3d(tf):
    x, w = tf.constant(normal(1, 4, 4, 5, 2)), tf.constant(normal(2, 3, 2, 2, 3, seed=1))
    return [
        tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], "SAME"),
        tf.nn.conv3d(x, w, [1, 2, 2, 1, 1], "VALID"),
        tf.nn.conv3d(x, tf.constant(normal(1, 1, 1, 2, 2)), [1, 1, 1, 1, 1], "VALID"),
        tf.nn.conv3d(tf.cast(x, tf.float64), tf.cast(w, tf.float64), [1, 1, 2, 2, 1], "SAME"),
    ]


# name: (image shape, filter shape, strides, padding, dilations)
DEPTHWISE = {
    "same": ((2, 5, 5, 3), (3, 3, 3, 2), [1, 1, 1, 1], "SAME", None),
    "valid": ((2, 5, 5, 3), (3, 2, 3, 1), [1, 1, 1, 1], "VALID", None),
    "stride": ((1, 6, 7, 2), (3, 3, 2, 2), [1, 2, 2, 1], "SAME", None),
    "dilated": ((1, 7, 7, 2), (3, 3, 2, 1), [1, 1, 1, 1], "VALID", [2, 2]),
    "dilated_same": ((1, 7, 7, 2), (3, 3, 2, 2), [1, 1, 1, 1], "SAME", [2, 3]),
    "explicit": (
        (1, 4, 4, 2),
        (3, 3, 2, 1),
        [1, 1, 1, 1],
        [[0, 0], [1, 2], [2, 0], [0, 0]],
        None,
    ),
}


def _depthwise_program(image, filters, strides, padding, dilations):
    def program(tf):
        x, w = tf.constant(normal(*image)), tf.constant(normal(*filters, seed=1))
        return tf.nn.depthwise_conv2d(x, w, strides, padding, rate=dilations)

    return program


for _name, _arguments in DEPTHWISE.items():
    case(f"depthwise_{_name}")(_depthwise_program(*_arguments))


@case
def depthwise_dtypes_and_native(tf):
    results = {
        dtype: tf.nn.depthwise_conv2d(
            tf.constant(normal(1, 4, 4, 2, dtype=dtype)),
            tf.constant(normal(2, 2, 2, 2, dtype=dtype, seed=1)),
            [1, 1, 1, 1],
            "SAME",
        )
        for dtype in FLOATS
    }
    results["native"] = tf.nn.depthwise_conv2d_native(
        tf.constant(normal(1, 4, 4, 2)), tf.constant(normal(2, 2, 2, 2)), [1, 1, 1, 1], "VALID"
    )
    return results


@case
def separable_conv2d(tf):
    x = tf.constant(normal(1, 5, 5, 2))
    depthwise, pointwise = tf.constant(normal(3, 3, 2, 2, seed=1)), tf.constant(normal(1, 1, 4, 3))
    return [
        tf.nn.separable_conv2d(x, depthwise, pointwise, [1, 1, 1, 1], "SAME"),
        tf.nn.separable_conv2d(x, depthwise, pointwise, [1, 2, 2, 1], "VALID"),
        tf.nn.separable_conv2d(x, depthwise, pointwise, [1, 1, 1, 1], "SAME", rate=[2, 2]),
    ]


@case
def dilation_and_erosion(tf):
    x, kernel = tf.constant(normal(1, 5, 5, 2)), tf.constant(normal(2, 3, 2, seed=1))
    return [
        tf.nn.dilation2d(x, kernel, [1, 1, 1, 1], [1, 1, 1, 1], "SAME"),
        tf.nn.dilation2d(x, kernel, [1, 2, 2, 1], [1, 2, 1, 1], "VALID"),
        tf.nn.erosion2d(x, kernel, [1, 1, 1, 1], [1, 1, 1, 1], "SAME"),
    ]


@case
def extract_patches(tf):
    x = tf.constant(normal(1, 5, 6, 2))
    return [
        tf.extract_image_patches(x, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
        tf.extract_image_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
    ]


def _conv2d(tf, image, filters, strides=(1, 1, 1, 1), padding="SAME", **arguments):
    return tf.nn.conv2d(tf.zeros(image), tf.zeros(filters), list(strides), padding, **arguments)


error_cases(
    channels=lambda tf: _conv2d(tf, [1, 4, 4, 3], [3, 3, 2, 2]),
    groups_do_not_divide_outputs=lambda tf: _conv2d(tf, [1, 4, 4, 4], [3, 3, 2, 3]),
    image_rank=lambda tf: _conv2d(tf, [4, 4, 3], [3, 3, 3, 2]),
    filter_rank=lambda tf: _conv2d(tf, [1, 4, 4, 3], [3, 3, 3]),
    filter_larger_than_image=lambda tf: _conv2d(tf, [1, 2, 2, 1], [3, 3, 1, 1], padding="VALID"),
    strides_length=lambda tf: _conv2d(tf, [1, 4, 4, 1], [3, 3, 1, 1], strides=[1, 1, 1]),
    stride_in_batch=lambda tf: _conv2d(tf, [1, 4, 4, 1], [3, 3, 1, 1], strides=[2, 1, 1, 1]),
    stride_zero=lambda tf: _conv2d(tf, [1, 4, 4, 1], [3, 3, 1, 1], strides=[1, 0, 1, 1]),
    unknown_padding=lambda tf: _conv2d(tf, [1, 4, 4, 1], [3, 3, 1, 1], padding="FULL"),
    unknown_format=lambda tf: _conv2d(tf, [1, 4, 4, 1], [3, 3, 1, 1], data_format="NWHC"),
    explicit_padding_of_batch=lambda tf: _conv2d(
        tf, [1, 4, 4, 1], [3, 3, 1, 1], padding=[[1, 0], [0, 0], [0, 0], [0, 0]]
    ),
    negative_explicit_padding=lambda tf: _conv2d(
        tf, [1, 4, 4, 1], [3, 3, 1, 1], padding=[[0, 0], [-1, 0], [0, 0], [0, 0]]
    ),
    dilation_zero=lambda tf: _conv2d(tf, [1, 4, 4, 1], [3, 3, 1, 1], dilations=[1, 0, 1, 1]),
    mixed_dtypes=lambda tf: tf.nn.conv2d(
        tf.zeros([1, 4, 4, 1]), tf.zeros([3, 3, 1, 1], tf.float64), [1, 1, 1, 1], "SAME"
    ),
    fed_channels=lambda tf: Case(
        tf.nn.conv2d(x := tf.placeholder(tf.float32), tf.zeros([3, 3, 2, 2]), [1, 1, 1, 1], "SAME"),
        {x: np.zeros([1, 4, 4, 3])},
    ),
    fed_rank=lambda tf: Case(
        tf.nn.conv2d(x := tf.placeholder(tf.float32), tf.zeros([3, 3, 2, 2]), [1, 1, 1, 1], "SAME"),
        {x: np.zeros([4, 4, 2])},
    ),
    depthwise_channels=lambda tf: tf.nn.depthwise_conv2d(
        tf.zeros([1, 4, 4, 3]), tf.zeros([3, 3, 2, 1]), [1, 1, 1, 1], "SAME"
    ),
)

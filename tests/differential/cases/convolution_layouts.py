"""Convolution, pooling and normalisation in the NCHW layout, as far as the CPU runs it."""

from __future__ import annotations

from ..case import case
from ..inputs import normal


@case
def conv2d_nchw_shape(tf):
    x, w = tf.placeholder(tf.float32, [None, 3, 5, 6]), tf.zeros([3, 3, 3, 4])
    tensor = tf.nn.conv2d(x, w, [1, 1, 2, 1], "SAME", data_format="NCHW")
    explicit = tf.nn.conv2d(
        x, w, [1, 1, 1, 1], [[0, 0], [0, 0], [1, 2], [0, 1]], data_format="NCHW"
    )
    return [tensor.shape.as_list(), explicit.shape.as_list()]


@case
def pool_nchw_shape(tf):
    x = tf.placeholder(tf.float32, [2, 3, 5, None])
    return [
        tf.nn.max_pool(x, [1, 1, 2, 2], [1, 1, 2, 2], "VALID", "NCHW").shape.as_list(),
        tf.nn.avg_pool(x, [1, 1, 3, 3], [1, 1, 2, 2], "SAME", "NCHW").shape.as_list(),
        tf.nn.conv1d(
            tf.zeros([1, 2, 7]), tf.zeros([3, 2, 4]), 1, "SAME", data_format="NCW"
        ).shape.as_list(),
        tf.nn.conv3d(
            tf.zeros([1, 2, 4, 5, 6]),
            tf.zeros([2, 2, 2, 2, 3]),
            [1, 1, 1, 1, 1],
            "VALID",
            data_format="NCDHW",
        ).shape.as_list(),
    ]


@case
def bias_add_nchw(tf):
    return [
        tf.nn.bias_add(tf.constant(normal(2, 3, 2, 2)), tf.constant(normal(3)), "NCHW"),
        tf.nn.bias_add(tf.constant(normal(1, 3, 1, 2, 2)), tf.constant(normal(3)), "NC..."),
        tf.nn.bias_add(tf.constant(normal(2, 3, 4)), tf.constant(normal(3)), "NCHW"),
    ]


@case
def fused_batch_norm_nchw(tf):
    x, scale, offset = (
        tf.constant(normal(2, 3, 4, 4)),
        tf.constant(normal(3)),
        tf.constant(normal(3)),
    )
    training = tf.nn.fused_batch_norm(x, scale, offset, data_format="NCHW")
    mean, variance = tf.constant(normal(3, seed=2)), tf.constant([1.0, 0.5, 2.0])
    inference = tf.nn.fused_batch_norm(
        x, scale, offset, mean, variance, is_training=False, data_format="NCHW"
    )
    return {"training": list(training), "inference": inference[0]}


@case
def space_to_depth_nchw_shape(tf):
    x = tf.zeros([1, 2, 4, 4])
    return [
        tf.space_to_depth(x, 2, data_format="NCHW").shape.as_list(),
        tf.depth_to_space(tf.zeros([1, 8, 2, 2]), 2, data_format="NCHW").shape.as_list(),
    ]


@case
def data_format_permutations(tf):
    return [
        tf.raw_ops.DataFormatVecPermute(x=[1, 2, 3, 4], src_format="NHWC", dst_format="NCHW"),
        tf.raw_ops.DataFormatVecPermute(
            x=[[1, 2], [3, 4], [5, 6], [7, 8]], src_format="NCHW", dst_format="NHWC"
        ),
        tf.raw_ops.DataFormatDimMap(x=[0, 1, 2, 3, -1], src_format="NHWC", dst_format="NCHW"),
    ]

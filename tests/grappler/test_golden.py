"""Each pass alone on a small graph: before, what it says it did, and after."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import featherflow.compat.v1 as tf

from .running import all_but, before_and_after

#: (feeds, fetches).
Built = tuple[list[Any], list[Any]]


def constant_folding() -> Built:
    x = tf.placeholder(tf.float32, [2], "x")
    a, b = tf.constant([1.0, 2.0], name="a"), tf.constant([3.0, 4.0], name="b")
    total = tf.add(a, b, name="total")
    left, right = tf.split(total, 2, name="halves")
    return [x], [tf.multiply(x, total, name="y"), tf.add(left, right, name="z")]


def shape_materialization() -> Built:
    x = tf.placeholder(tf.float32, [2, 3], "x")
    y = tf.placeholder(tf.float32, [None, 3], "y")
    size = tf.size(tf.nn.relu(x, name="r"), name="unused", out_type=tf.int32)
    rank = tf.raw_ops.Rank(input=y, name="rank")
    shapes = tf.raw_ops.ShapeN(input=[x, y], name="shapes")
    known = tf.raw_ops.Shape(input=tf.nn.relu(x, name="relu"), name="known")
    return [x, y], [size, rank, *shapes, known]


def reshape_materialization() -> Built:
    x = tf.placeholder(tf.float32, [None, 3, 4], "x")
    n = tf.placeholder(tf.int32, [], "n")
    sizes = tf.shape(x, name="sizes")
    flat = tf.reshape(tf.nn.relu(x, name="relu"), tf.stack([sizes[0], 12]), name="flat")
    outer = tf.gather(sizes, [0, 1], name="outer")
    rows = tf.reshape(x, tf.stack([tf.reduce_prod(outer), 4]), name="rows")
    dense = tf.matmul(rows, tf.ones([4, 2]), name="dense")
    back = tf.reshape(dense, tf.concat([outer, [2]], 0), name="back")
    own = tf.reshape(x, sizes, name="own")
    fed = tf.reshape(x, tf.stack([n, 12]), name="fed")
    return [x, n], [flat, tf.nn.relu(back, name="r"), tf.negative(own, name="neg"), fed]


def dependency_pruning() -> Built:
    x = tf.placeholder(tf.float32, [None, 3], "x")
    c = tf.constant(1.0, name="c")
    with tf.control_dependencies([c]):
        y = tf.identity(x, name="y")
    z = tf.raw_ops.Cast(x=tf.stop_gradient(y, name="stop"), DstT=tf.float32, name="cast")
    w = tf.reshape(z, [-1, 3], name="same")
    v = tf.transpose(w, [0, 1], name="in_order")
    with tf.control_dependencies([tf.no_op(name="nothing")]):
        return [x], [tf.nn.relu(v, name="relu")]


def common_subexpression() -> Built:
    x = tf.placeholder(tf.float32, [2], "x")
    a, b = tf.constant([1.0, 2.0], name="a"), tf.constant([1.0, 2.0], name="b")
    minus, plus = tf.constant(-0.0, name="minus"), tf.constant(0.0, name="plus")
    first, second = tf.multiply(x, a, name="first"), tf.multiply(b, x, name="second")
    zeros = [tf.divide(x, minus, name="by_minus"), tf.divide(x, plus, name="by_plus")]
    return [x], [tf.subtract(first, second, name="y"), *zeros]


def arithmetic() -> Built:
    x = tf.placeholder(tf.float32, [None, 2], "x")
    fetches = [
        tf.multiply(tf.constant(1.0), x, name="times_one"),
        tf.raw_ops.AddV2(x=x, y=tf.constant(-0.0), name="plus_minus_zero"),
        tf.raw_ops.AddV2(x=x, y=tf.constant(0.0), name="plus_zero"),
        tf.subtract(x, tf.constant([[0.0]]), name="minus_zero"),
        tf.raw_ops.RealDiv(x=x, y=tf.constant([0.5, -4.0]), name="by_powers"),
        tf.raw_ops.RealDiv(x=x, y=tf.constant(3.0), name="by_three"),
        tf.pow(x, 2.0, name="squared"),
        tf.pow(x, 3.0, name="cubed"),
        tf.pow(x, 0.5, name="root"),
        tf.negative(tf.negative(x, name="inner"), name="twice"),
        tf.transpose(tf.transpose(x, [1, 0], name="t1"), [1, 0], name="t2"),
        tf.reshape(tf.reshape(x, [-1], name="flat"), [2, -1], name="reshaped"),
    ]
    return [x], [tf.nn.relu(y, name="r") for y in fetches]


def batch_norm_folding() -> Built:
    x = tf.placeholder(tf.float32, [None, 4, 4, 1], "x")
    y = tf.nn.conv2d(x, tf.ones([1, 1, 1, 2]), strides=1, padding="VALID", name="conv")
    y = tf.nn.bias_add(y, tf.constant([1.0, -1.0]), name="bias")
    y = norm(y, 2, "after_conv")
    y = tf.nn.relu(y, name="relu")
    y = tf.multiply(tf.matmul(tf.reshape(y, [-1, 2]), np.eye(2, dtype=np.float32)), 0.5)
    return [x], [y, norm(x, 1, "alone")]


def norm(x: Any, channels: int, name: str, data_format: str = "NHWC") -> Any:
    numbers = np.arange(1, 1 + channels, dtype=np.float32)
    return tf.nn.fused_batch_norm(
        x,
        numbers,
        -numbers,
        numbers / 2,
        numbers * numbers,
        epsilon=0.0,
        is_training=False,
        data_format=data_format,
        name=name,
    )[0]


def layout() -> Built:
    x = tf.placeholder(tf.float32, [None, 2, 4, 4], "x")
    filters = tf.ones([1, 1, 2, 2], name="filters")
    y = tf.nn.conv2d(x, filters, [1, 1, 2, 2], "SAME", data_format="NCHW", name="conv")
    y = tf.nn.relu(tf.nn.bias_add(y, [1.0, 2.0], "NCHW", name="bias"), name="relu")
    y = y * tf.constant([[[2.0]], [[3.0]]], name="factors")
    y = tf.nn.max_pool(y, [1, 1, 2, 2], [1, 1, 2, 2], "VALID", data_format="NCHW", name="pool")
    return [x], [tf.reduce_mean(y, [2, 3], name="mean"), tf.identity(y, name="y")]


def pad_folding() -> Built:
    x = tf.placeholder(tf.float32, [None, 4, 4, 1], "x")
    padded = tf.pad(x, [[0, 0], [1, 2], [3, 4], [0, 0]], name="pad")
    conv = tf.nn.conv2d(padded, tf.ones([2, 2, 1, 2]), strides=2, padding="VALID", name="conv")
    kept = tf.pad(conv, [[0, 0], [1, 1], [1, 1], [0, 0]], name="kept")
    return [x], [tf.nn.max_pool(kept, 2, 2, "VALID", name="pool")]


_BUILDERS = (
    constant_folding,
    shape_materialization,
    reshape_materialization,
    dependency_pruning,
    common_subexpression,
    arithmetic,
    layout,
    batch_norm_folding,
    pad_folding,
)


@pytest.mark.parametrize("build", _BUILDERS, ids=lambda build: build.__name__)
def test_pass_alone(build: Callable[[], Built], golden: Callable[[str, str], None]) -> None:
    with tf.Graph().as_default() as graph:
        feeds, fetches = build()
    name = build.__name__
    wanted = (name, "constant_folding") if name == "batch_norm_folding" else (name,)
    golden(name, before_and_after(graph, fetches, feeds, all_but(*wanted)))

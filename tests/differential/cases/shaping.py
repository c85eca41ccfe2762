"""Operations that change a tensor's shape but none of its values, and those that ask for it."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import ALL_DTYPES, integers, normal, sample


@case
def reshape(tf):
    values = tf.constant(integers(0, 99, (2, 3, 4)))
    return [
        tf.reshape(values, [4, 6]),
        tf.reshape(values, [-1]),
        tf.reshape(values, [2, -1, 2]),
        tf.reshape(values, (tf.constant(3), 8)),
        tf.reshape(values, tf.constant([6, -1], tf.int64)),
        tf.reshape(tf.constant([7]), []),
        tf.reshape(5, [1, 1]),
        tf.reshape(tf.zeros([0, 3]), [3, 0]),
        tf.reshape(tf.zeros([0, 3]), [-1, 3]),
    ]


@case
def reshape_of_partial_shapes(tf):
    partial, shape = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int32, [2])
    fetches = [
        tf.reshape(partial, [-1, 2]),
        tf.reshape(partial, [2, -1]),
        tf.reshape(partial, shape),
        tf.reshape(partial, [tf.shape(partial)[0], 2, 2]),
        tf.reshape(partial, tf.stack([2, shape[1]])),
        tf.reshape(partial, tf.shape(partial)),
        tf.reshape(partial, tf.concat([tf.shape(partial), [1]], 0)),
    ]
    return Case(fetches, {partial: normal(2, 4), shape: [2, 4]})


@case
def reshape_of_nothing_to_a_fed_shape(tf):
    shape = tf.placeholder(tf.int32)
    return Case(tf.reshape(tf.zeros([0]), shape), {shape: [0, -1]})


@case
def transpose(tf):
    values = tf.constant(integers(0, 99, (2, 3, 4)))
    return [
        tf.transpose(values),
        tf.transpose(values, [1, 0, 2]),
        tf.transpose(values, [2, 0, 1]),
        tf.transpose(values, [0, 1, 2]),
        tf.transpose(values, tf.constant([1, 2, 0], tf.int64)),
        tf.transpose([[1, 2]]),
        tf.transpose(3.0),
        tf.transpose(tf.zeros([0, 2])),
        tf.transpose(tf.constant(sample("complex64", 2, 2)), conjugate=True),
    ]


@case
def transpose_dtypes_and_ranks(tf):
    results = {dtype: tf.transpose(tf.constant(sample(dtype, 2, 3))) for dtype in ALL_DTYPES}
    results["rank5"] = tf.transpose(tf.constant(integers(0, 99, (2, 1, 3, 2, 2))), [4, 1, 0, 3, 2])
    return results


@case
def transpose_of_partial_shapes(tf):
    partial, unknown = tf.placeholder(tf.float32, [None, 2, 3]), tf.placeholder(tf.float32)
    order = tf.placeholder(tf.int32, [3])
    fetches = [
        tf.transpose(partial),
        tf.transpose(partial, [1, 0, 2]),
        tf.transpose(partial, order),
        tf.transpose(unknown),
        tf.transpose(unknown, [1, 0]),
    ]
    return Case(fetches, {partial: normal(1, 2, 3), unknown: normal(2, 3), order: [2, 0, 1]})


@case
def expand_dims(tf):
    values, unknown = tf.constant(normal(2, 3)), tf.placeholder(tf.float32)
    partial = tf.placeholder(tf.float32, [None, 3])
    fetches = [tf.expand_dims(values, axis) for axis in (0, 1, 2, -1, -2, -3)]
    fetches += [
        tf.expand_dims(1, 0),
        tf.expand_dims(unknown, 0),
        tf.expand_dims(partial, -1),
        tf.expand_dims(values, dim=1),
        tf.expand_dims(values, axis=tf.constant([0])),
    ]
    return Case(fetches, {unknown: 1.5, partial: normal(1, 3)})


@case
def squeeze(tf):
    values, unknown = tf.constant(normal(1, 2, 1, 3, 1)), tf.placeholder(tf.float32)
    partial = tf.placeholder(tf.float32, [None, 1, 3])
    fetches = [
        tf.squeeze(values),
        tf.squeeze(values, 0),
        tf.squeeze(values, [0, -1]),
        tf.squeeze(values, [2]),
        tf.squeeze(values, squeeze_dims=[4]),
        tf.squeeze(tf.constant(3.0)),
        tf.squeeze(unknown),
        tf.squeeze(unknown, [0]),
        tf.squeeze(partial),
        tf.squeeze(partial, 1),
    ]
    return Case(fetches, {unknown: normal(1, 2), partial: normal(2, 1, 3)})


@case
def shape_size_and_rank(tf):
    partial, unknown = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32)
    known = tf.zeros([2, 0, 5])
    fetches = {}
    for name, tensor in {"known": known, "partial": partial, "unknown": unknown}.items():
        fetches[name] = [
            tf.shape(tensor),
            tf.shape(tensor, out_type=tf.int64),
            tf.size(tensor),
            tf.size(tensor, out_type=tf.int64),
            tf.rank(tensor),
        ]
    fetches["shape_n"] = tf.shape_n([known, partial])
    fetches["types"] = [tf.shape(known).op.type, tf.shape(partial).op.type]
    fetches["types"] += [tf.size(known).op.type, tf.rank(known).op.type, tf.rank(unknown).op.type]
    return Case(fetches, {partial: normal(4, 3), unknown: normal(2, 2)})


@case
def static_shape_methods(tf):
    partial, unknown = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32)
    unknown.set_shape([None, 2])
    first = partial.get_shape()[0]
    return Case(
        [
            partial.shape.ndims,
            partial.get_shape().as_list(),
            partial.shape.is_fully_defined(),
            first.value,
            int(partial.shape[1]),
            str(partial.shape),
            partial.shape.merge_with([5, None]).as_list(),
            partial.shape.concatenate([2]).as_list(),
            partial.shape.num_elements(),
            tf.TensorShape([2, 3]).num_elements(),
            partial.shape[1:].as_list(),
            partial.shape.is_compatible_with([7, 3]),
            unknown,
            tf.placeholder(tf.int32).shape.ndims,
        ],
        {unknown: normal(1, 2)},
    )


@case
def broadcasting(tf):
    partial = tf.placeholder(tf.float32, [None, 1])
    size = tf.placeholder(tf.int32, [2])
    fetches = {
        "to": [
            tf.broadcast_to([1, 2, 3], [2, 3]),
            tf.broadcast_to([[1], [2]], [2, 3]),
            tf.broadcast_to(5, [2, 2]),
            tf.broadcast_to(tf.constant(["a"]), [2]),
            tf.broadcast_to([[1.0]], [3, 0]),
            tf.broadcast_to([True], tf.constant([1, 2], tf.int64)),
            tf.broadcast_to(partial, [2, 4]),
            tf.broadcast_to(partial, size),
        ],
        "dynamic_shape": tf.broadcast_dynamic_shape(tf.constant([2, 1]), tf.constant([3])),
        "static_shape": tf.broadcast_static_shape(
            tf.TensorShape([2, 1]), tf.TensorShape([None])
        ).as_list(),
    }
    return Case(fetches, {partial: normal(2, 1), size: [2, 3]})


@case
def ensure_and_set_shape(tf):
    unknown = tf.placeholder(tf.float32)
    fetches = [
        tf.ensure_shape(unknown, [None, 3]),
        tf.ensure_shape(unknown, [2, None]),
        tf.ensure_shape(unknown, None),
        tf.placeholder_with_default([[1, 2]], [None, 2]),
        tf.placeholder_with_default(1.5, None),
    ]
    return Case(fetches, {unknown: normal(2, 3)})


@case
def space_and_depth(tf):
    image = tf.constant(integers(0, 99, (1, 4, 4, 2)))
    deep = tf.constant(integers(0, 99, (2, 1, 2, 8)))
    return [
        tf.space_to_depth(image, 2),
        tf.depth_to_space(deep, 2),
        tf.space_to_depth(tf.constant(normal(1, 2, 4, 1)), 2),
        tf.nn.depth_to_space(tf.nn.space_to_depth(image, 4), 4),
    ]


@case
def space_and_batch(tf):
    image = tf.constant(integers(0, 99, (1, 4, 4, 1)))
    return {
        "to_batch": tf.space_to_batch(image, [[0, 0], [0, 0]], 2),
        "to_batch_padded": tf.space_to_batch(image, [[1, 1], [2, 0]], 2),
        "nd": tf.space_to_batch_nd(image, [2, 2], [[0, 0], [2, 0]]),
        "nd_one_dimension": tf.space_to_batch_nd(
            tf.constant(integers(0, 9, (2, 6))), [3], [[0, 0]]
        ),
        "from_batch": tf.batch_to_space(
            tf.constant(integers(0, 9, (4, 2, 2, 1))), [[0, 0], [1, 0]], 2
        ),
        "from_batch_nd": tf.batch_to_space_nd(
            tf.constant(integers(0, 9, (6, 1, 2, 1))), [2, 3], [[0, 1], [2, 0]]
        ),
        "paddings": [part.tolist() for part in map(np.asarray, _static_paddings(tf))],
    }


def _static_paddings(tf):
    paddings, crops = tf.required_space_to_batch_paddings([5, 7], [2, 3])
    return tf.get_static_value(paddings), tf.get_static_value(crops)


@case
def meshgrid(tf):
    x, y = tf.constant([1, 2, 3]), tf.constant([4, 5])
    return {
        "xy": tf.meshgrid(x, y),
        "ij": tf.meshgrid(x, y, indexing="ij"),
        "three": tf.meshgrid(x, y, [6, 7], indexing="ij"),
    }


error_cases(
    reshape_count=lambda tf: tf.reshape(tf.zeros([4]), [3]),
    reshape_two_unknowns=lambda tf: tf.reshape(tf.zeros([4]), [-1, -1]),
    reshape_not_divisible=lambda tf: tf.reshape(tf.zeros([4]), [3, -1]),
    reshape_negative=lambda tf: tf.reshape(tf.zeros([4]), [-2, -2]),
    reshape_matrix_shape=lambda tf: tf.reshape(tf.zeros([4]), [[2, 2]]),
    reshape_fed_count=lambda tf: Case(
        tf.reshape(tf.zeros([4]), shape := tf.placeholder(tf.int32)), {shape: [3]}
    ),
    transpose_order_length=lambda tf: tf.transpose(tf.zeros([2, 3]), [0]),
    transpose_order_repeats=lambda tf: tf.transpose(tf.zeros([2, 3]), [0, 0]),
    transpose_order_out_of_range=lambda tf: tf.transpose(tf.zeros([2, 3]), [0, 2]),
    transpose_fed_order=lambda tf: Case(
        tf.transpose(tf.zeros([2, 3]), order := tf.placeholder(tf.int32)), {order: [0, 0]}
    ),
    expand_dims_out_of_range=lambda tf: tf.expand_dims(tf.zeros([2]), 3),
    expand_dims_both_names=lambda tf: tf.expand_dims(tf.zeros([2]), axis=0, dim=0),
    squeeze_of_two=lambda tf: tf.squeeze(tf.zeros([2, 1]), 0),
    squeeze_out_of_range=lambda tf: tf.squeeze(tf.zeros([1, 1]), 2),
    squeeze_fed=lambda tf: Case(
        tf.squeeze(x := tf.placeholder(tf.float32), [0]), {x: np.zeros([2])}
    ),
    broadcast_to_smaller=lambda tf: tf.broadcast_to(tf.zeros([3]), [2]),
    broadcast_to_fewer_dimensions=lambda tf: tf.broadcast_to(tf.zeros([2, 3]), [3]),
    ensure_shape_fails=lambda tf: Case(
        tf.ensure_shape(x := tf.placeholder(tf.float32), [3]), {x: np.zeros([2])}
    ),
    set_shape_conflict=lambda tf: tf.zeros([2]).set_shape([3]),
    space_to_depth_indivisible=lambda tf: tf.space_to_depth(tf.zeros([1, 3, 3, 1]), 2),
    depth_to_space_indivisible=lambda tf: tf.depth_to_space(tf.zeros([1, 1, 1, 3]), 2),
)

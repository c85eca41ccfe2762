"""Operations that join, divide, repeat and pad tensors."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import ALL_DTYPES, integers, normal, sample


@case
def concat_axes(tf):
    x, y = tf.constant(integers(0, 99, (2, 3, 2))), tf.constant(integers(0, 99, (2, 3, 2), seed=1))
    return [tf.concat([x, y], axis) for axis in (0, 1, 2, -1, -2, -3)]


@case
def concat_dtypes(tf):
    return {
        dtype: tf.concat([tf.constant(sample(dtype, 2)), tf.constant(sample(dtype, 3))], 0)
        for dtype in ALL_DTYPES
    }


@case
def concat_sizes_and_counts(tf):
    return [
        tf.concat([[1], [2, 3], [4, 5, 6]], 0),
        tf.concat([[7, 8]], 0),
        tf.concat([tf.zeros([0, 2]), tf.ones([1, 2])], 0),
        tf.concat([tf.zeros([2, 0]), tf.zeros([2, 0])], 1),
        tf.concat(values=[[1], [2]], axis=tf.constant(0)),
        tf.concat([[[1, 2]], [[3, 4]]], 1).op.type,
    ]


@case
def concat_of_partial_shapes(tf):
    x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [3, None])
    unknown, axis = tf.placeholder(tf.float32), tf.placeholder(tf.int32, [])
    fetches = [
        tf.concat([x, y], 0),
        tf.concat([x, y], 1),
        tf.concat([x, unknown], 0),
        tf.concat([x, y], axis),
        tf.concat([unknown, unknown], 0),
    ]
    feeds = {x: normal(3, 2), y: normal(3, 2), unknown: normal(1, 2), axis: 1}
    return Case(fetches, feeds)


@case
def split_evenly(tf):
    values = tf.constant(integers(0, 99, (4, 6)))
    return [
        tf.split(values, 2),
        tf.split(values, 3, axis=1),
        tf.split(values, 2, -1),
        tf.split(values, 1),
        tf.split(tf.constant(["a", "b"]), 2),
        tf.split(tf.zeros([0, 2]), 2, 0),
    ]


@case
def split_by_sizes(tf):
    values = tf.constant(integers(0, 99, (4, 6)))
    sizes = tf.placeholder(tf.int32, [2])
    fetches = [
        tf.split(values, [1, 3]),
        tf.split(values, [2, -1, 1], axis=1),
        tf.split(values, [0, 6], -1),
        tf.split(values, tf.constant([3, 1], tf.int64)),
        tf.split(values, sizes, num=2),
    ]
    return Case(fetches, {sizes: [1, 3]})


@case
def split_of_partial_shapes(tf):
    partial, unknown = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32)
    axis = tf.placeholder(tf.int32, [])
    fetches = [
        tf.split(partial, 2, 0),
        tf.split(partial, 2, 1),
        tf.split(unknown, 2, 0),
        tf.split(partial, 2, axis),
        tf.split(partial, [1, -1], 0),
    ]
    return Case(fetches, {partial: normal(2, 4), unknown: normal(2, 1), axis: 1})


@case
def stack(tf):
    x, y = tf.constant(normal(2, 3)), tf.constant(normal(2, 3, seed=1))
    partial = tf.placeholder(tf.float32, [None, 3])
    fetches = [tf.stack([x, y], axis) for axis in (0, 1, 2, -1, -2, -3)]
    fetches += [
        tf.stack([1, 2, 3]),
        tf.stack([[1, 2], tf.constant([3, 4])]),
        tf.stack([x]),
        tf.stack([partial, x], 1),
        tf.stack([tf.constant("a"), "b"]),
        tf.stack([tf.zeros([0]), tf.zeros([0])]),
        tf.parallel_stack([x, y]),
    ]
    return Case(fetches, {partial: normal(2, 3)})


@case
def unstack(tf):
    values = tf.constant(normal(2, 3))
    partial = tf.placeholder(tf.float32, [None, 2])
    fetches = [
        tf.unstack(values),
        tf.unstack(values, axis=1),
        tf.unstack(values, axis=-2),
        tf.unstack(partial, num=3),
        tf.unstack(partial, axis=1),
        tf.unstack(tf.constant([1, 2])),
        len(tf.unstack(tf.zeros([0, 2]))),
    ]
    return Case(fetches, {partial: normal(3, 2)})


@case
def tile(tf):
    partial, multiples = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int32, [2])
    fetches = [
        tf.tile([1, 2], [3]),
        tf.tile([[1, 2], [3, 4]], [2, 1]),
        tf.tile([[1, 2], [3, 4]], [1, 2]),
        tf.tile([[1], [2]], tf.constant([2, 3], tf.int64)),
        tf.tile([1, 2], [0]),
        tf.tile(5, tf.zeros([0], tf.int32)),
        tf.tile(tf.constant([["a"]]), [2, 2]),
        tf.tile([True, False], [2]),
        tf.tile(partial, [2, 1]),
        tf.tile(partial, multiples),
    ]
    return Case(fetches, {partial: normal(1, 2), multiples: [1, 2]})


@case
def tile_dtypes(tf):
    return {
        dtype: tf.tile(tf.constant(sample(dtype, 1, 2)), [2, 2])
        for dtype in ALL_DTYPES
        if dtype not in ("uint16",)
    }


@case
def repeat(tf):
    values = tf.constant([[1, 2], [3, 4]])
    return [
        tf.repeat(values, 2, axis=0),
        tf.repeat(values, [1, 3], axis=1),
        tf.repeat(values, 2),
        tf.repeat([1, 2, 3], [2, 0, 1]),
    ]


PADDINGS = ([[1, 2], [0, 1]], [[0, 0], [0, 0]], [[2, 0], [1, 1]])


@case
def pad_constant(tf):
    values = tf.constant(integers(1, 9, (2, 3)))
    results = [tf.pad(values, paddings) for paddings in PADDINGS]
    results += [
        tf.pad(values, PADDINGS[0], constant_values=7),
        tf.pad(values, tf.constant(PADDINGS[0], tf.int64)),
        tf.pad(values, PADDINGS[0]).op.type,
        tf.pad(values, PADDINGS[0], constant_values=7).op.type,
        tf.pad(tf.zeros([0, 2]), [[1, 1], [0, 0]], constant_values=2.0),
        tf.pad(tf.constant([True]), [[1, 1]]),
        tf.pad(tf.constant(["a"]), [[0, 1]], constant_values="z"),
    ]
    return results


@case
def pad_dtypes(tf):
    return {
        dtype: tf.pad(tf.constant(sample(dtype, 2, 2)), [[1, 0], [0, 1]])
        for dtype in ALL_DTYPES
        if dtype not in ("uint32", "uint64")
    }


@case
def pad_mirror(tf):
    values = tf.constant(integers(1, 9, (3, 4)))
    paddings = ([[1, 2], [3, 1]], [[0, 0], [2, 0]])
    results = {
        mode: [tf.pad(values, padding, mode=mode) for padding in paddings]
        for mode in ("REFLECT", "SYMMETRIC", "reflect")
    }
    results["symmetric_whole"] = tf.pad(values, [[3, 3], [4, 4]], "SYMMETRIC")
    results["floats"] = tf.pad(tf.constant(normal(2, 2, 2)), [[1, 1], [0, 1], [1, 0]], "REFLECT")
    return results


@case
def pad_of_partial_shapes(tf):
    partial, paddings = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32, [2, 2])
    fetches = [
        tf.pad(partial, [[1, 1], [2, 0]]),
        tf.pad(partial, paddings),
        tf.pad(partial, [[1, 0], [1, 1]], "REFLECT"),
        tf.pad(tf.placeholder_with_default([1, 2], None), [[1, 1]]),
    ]
    return Case(fetches, {partial: normal(2, 3), paddings: [[0, 1], [1, 0]]})


@case
def reverse(tf):
    values = tf.constant(integers(0, 99, (2, 3, 2)))
    results = [tf.reverse(values, axes) for axes in ([0], [1], [-1], [0, 2], [2, 1, 0], [])]
    results += [
        tf.reverse(tf.constant(["a", "b"]), [0]),
        tf.reverse([True, False], tf.constant([0], tf.int64)),
        tf.reverse(tf.zeros([0, 2]), [0]),
    ]
    return results


@case
def reverse_sequence(tf):
    values = tf.constant(integers(0, 99, (3, 4)))
    stacked = tf.constant(integers(0, 99, (4, 3, 2)))
    return [
        tf.reverse_sequence(values, [1, 0, 4], seq_axis=1),
        tf.reverse_sequence(values, [1, 2, 3, 0], seq_axis=0, batch_axis=1),
        tf.reverse_sequence(stacked, tf.constant([4, 2, 1], tf.int64), 0, 1),
        tf.reverse_sequence(values, [2, 2, 2], seq_dim=1, batch_dim=0),
    ]


@case
def roll(tf):
    values = tf.constant(integers(0, 99, (3, 4)))
    return [
        tf.roll(values, 1, 0),
        tf.roll(values, -1, 1),
        tf.roll(values, [1, 2], [0, 1]),
        tf.roll(values, [1, 3], [0, 0]),
        tf.roll(values, 11, -1),
    ]


@case
def dynamic_partition_and_stitch(tf):
    values = tf.constant([[1, 2], [3, 4], [5, 6]])
    return {
        "partition": tf.dynamic_partition(values, [1, 0, 1], 3),
        "partition_scalars": tf.dynamic_partition([1.0, 2.0, 3.0], [0, 0, 1], 2),
        "stitch": tf.dynamic_stitch([[0, 2], [1]], [[[1, 2], [5, 6]], [[3, 4]]]),
        "stitch_duplicates": tf.dynamic_stitch([[0, 1], [1, 3]], [[1, 2], [3, 4]]),
    }


error_cases(
    concat_other_shapes=lambda tf: tf.concat([tf.zeros([2, 3]), tf.zeros([2, 4])], 0),
    concat_other_ranks=lambda tf: tf.concat([tf.zeros([2]), tf.zeros([2, 1])], 0),
    concat_scalars=lambda tf: tf.concat([1, 2], 0),
    concat_axis_out_of_range=lambda tf: tf.concat([tf.zeros([2]), tf.zeros([2])], 1),
    concat_other_dtypes=lambda tf: tf.concat([tf.zeros([2]), tf.zeros([2], tf.int32)], 0),
    concat_fed_shapes=lambda tf: Case(
        tf.concat([x := tf.placeholder(tf.float32), tf.zeros([2, 2])], 0), {x: np.zeros([1, 3])}
    ),
    concat_nothing=lambda tf: tf.concat([], 0),
    split_indivisible=lambda tf: tf.split(tf.zeros([5]), 2),
    split_fed_indivisible=lambda tf: Case(
        tf.split(x := tf.placeholder(tf.float32), 2), {x: np.zeros(3)}
    ),
    split_sizes_do_not_add_up=lambda tf: tf.split(tf.zeros([5]), [2, 2]),
    split_two_unknown_sizes=lambda tf: tf.split(tf.zeros([5]), [-1, -1]),
    split_axis_out_of_range=lambda tf: tf.split(tf.zeros([4]), 2, axis=1),
    stack_other_shapes=lambda tf: tf.stack([tf.zeros([2]), tf.zeros([3])]),
    stack_axis_out_of_range=lambda tf: tf.stack([tf.zeros([2]), tf.zeros([2])], axis=2),
    unstack_unknown_count=lambda tf: tf.unstack(tf.placeholder(tf.float32, [None])),
    unstack_scalar=lambda tf: tf.unstack(tf.constant(1)),
    unstack_wrong_count=lambda tf: tf.unstack(tf.zeros([2]), num=3),
    tile_length=lambda tf: tf.tile(tf.zeros([2, 2]), [2]),
    tile_negative=lambda tf: tf.tile(tf.zeros([2]), [-1]),
    pad_rank=lambda tf: tf.pad(tf.zeros([2, 2]), [[1, 1]]),
    pad_negative=lambda tf: tf.pad(tf.zeros([2]), [[-1, 0]]),
    pad_reflect_too_far=lambda tf: tf.pad(tf.zeros([2]), [[2, 0]], "REFLECT"),
    pad_symmetric_too_far=lambda tf: tf.pad(tf.zeros([2]), [[3, 0]], "SYMMETRIC"),
    pad_mode=lambda tf: tf.pad(tf.zeros([2]), [[1, 0]], "WRAP"),
    reverse_axis_twice=lambda tf: tf.reverse(tf.zeros([2, 2]), [0, 0]),
    reverse_axis_out_of_range=lambda tf: tf.reverse(tf.zeros([2]), [1]),
    reverse_sequence_too_long=lambda tf: tf.reverse_sequence(tf.zeros([1, 2]), [3], seq_axis=1),
    partition_out_of_range=lambda tf: tf.dynamic_partition([1, 2], [0, 5], 2),
)

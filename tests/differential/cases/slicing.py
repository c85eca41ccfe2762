"""Slices: ``tf.slice``, Python indexing with every kind of item, and strided-slice attributes."""

from __future__ import annotations

import operator

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import ALL_DTYPES, integers, normal, sample

INDICES = {
    "integer": np.s_[1],
    "negative_integer": np.s_[-1],
    "integers": np.s_[1, 2],
    "all_integers": np.s_[1, -1, 0],
    "range": np.s_[1:3],
    "open_ranges": np.s_[:2, 1:],
    "all": np.s_[:],
    "step": np.s_[::2],
    "step_from": np.s_[1::2, :, ::3],
    "negative_step": np.s_[::-1],
    "negative_step_bounds": np.s_[3:0:-1, ::-2],
    "negative_bounds": np.s_[-3:-1, :-1],
    "out_of_bounds": np.s_[-100:100, 2:100],
    "empty_range": np.s_[2:2],
    "backwards_range": np.s_[3:1],
    "ellipsis": np.s_[...],
    "ellipsis_first": np.s_[..., 1],
    "ellipsis_middle": np.s_[0, ..., 1],
    "ellipsis_last": np.s_[1, ...],
    "newaxis_first": np.s_[np.newaxis],
    "newaxis_last": np.s_[..., np.newaxis],
    "newaxis_middle": np.s_[:, np.newaxis, 1],
    "newaxis_twice": np.s_[np.newaxis, 1, np.newaxis, ::2],
    "everything": np.s_[np.newaxis, ..., 1, ::-1],
    "ellipsis_of_nothing": np.s_[0, 1, ..., 2],
    "integer_then_range": np.s_[2, 0:2, -1],
    "step_larger_than_size": np.s_[::10],
    "negative_step_from_beyond": np.s_[100::-3],
}


def _index_program(index):
    def program(tf):
        values = integers(0, 99, (4, 3, 5))
        partial = tf.placeholder(tf.int32, [None, 3, None])
        unknown = tf.placeholder(tf.int32)
        fetches = [tf.constant(values)[index], partial[index], unknown[index]]
        return Case(fetches, {partial: values, unknown: values})

    return program


for _name, _index in INDICES.items():
    case(f"index_{_name}")(_index_program(_index))


@case
def index_with_tensors(tf):
    values, start = tf.constant(integers(0, 99, (4, 3, 5))), tf.placeholder(tf.int32, [])
    fetches = [
        values[start],
        values[start : start + 2],
        values[:, start],
        values[: tf.constant(2), :: tf.constant(2)],
        values[start, 1:start],
        values[tf.constant(1, tf.int64)],
        values[tf.constant(-1) :],
    ]
    return Case(fetches, {start: 1})


@case
def index_strings_and_scalars(tf):
    words = tf.constant([["a", "b"], ["c", "d"]])
    return [
        words[0],
        words[:, ::-1],
        tf.constant(7)[...],
        tf.constant(7)[tf.newaxis],
        tf.constant(7)[tf.newaxis, ..., tf.newaxis],
        tf.zeros([0, 3])[:, 1],
        words[0].op.type,
    ]


@case
def index_with_a_mask(tf):
    values = tf.constant(integers(0, 99, (3, 2)))
    return [values[values > 40], values[values[:, 0] > 40]]


@case
def index_numpy_integers(tf):
    values = tf.constant(integers(0, 99, (4, 3)))
    return [values[np.int64(1)], values[np.int32(1) : np.int64(3)], values[np.array(2)]]


@case
def index_dtypes(tf):
    return {dtype: tf.constant(sample(dtype, 3, 4))[1:, ::-2] for dtype in ALL_DTYPES}


@case
def strided_slice_masks(tf):
    values = tf.constant(integers(0, 99, (4, 3, 5)))

    def cut(begin, end, strides=None, **masks):
        return tf.strided_slice(values, begin, end, strides, **masks)

    return {
        "plain": cut([1, 0, 2], [3, 2, 4]),
        "strides": cut([0, 0, 0], [4, 3, 5], [2, 1, 3]),
        "begin_mask": cut([2, 1, 1], [4, 3, 5], [1, 1, 1], begin_mask=5),
        "end_mask": cut([1, 1, 1], [2, 2, 2], [1, 1, 1], end_mask=6),
        "ellipsis_mask": cut([0, 1], [0, 2], [1, 1], ellipsis_mask=1),
        "new_axis_mask": cut([0, 1], [0, 3], [1, 1], new_axis_mask=1),
        "shrink_axis_mask": cut([1, 0], [2, 2], [1, 1], shrink_axis_mask=1),
        "negative": cut([-1, -1, -1], [-4, -3, -6], [-1, -1, -2]),
        "all": cut(
            [0, 0, 1, 0],
            [0, 0, 2, 0],
            [1, 1, 1, -1],
            begin_mask=8,
            end_mask=8,
            ellipsis_mask=2,
            shrink_axis_mask=4,
            new_axis_mask=1,
        ),
        "long": cut(tf.constant([1], tf.int64), tf.constant([3], tf.int64)),
        "var": tf.strided_slice(values, [1], [2], shrink_axis_mask=1),
    }


@case
def strided_slice_with_fed_bounds(tf):
    partial = tf.placeholder(tf.int32, [None, 5])
    begin, end = tf.placeholder(tf.int32, [2]), tf.placeholder(tf.int32, [2])
    unknown = tf.placeholder(tf.int32)
    fetches = [
        tf.strided_slice(partial, begin, end),
        tf.strided_slice(partial, begin, end, [1, 2]),
        tf.strided_slice(partial, begin, end, shrink_axis_mask=2),
        tf.strided_slice(partial, unknown, unknown + 1),
    ]
    return Case(
        fetches, {partial: integers(0, 99, (4, 5)), begin: [1, 0], end: [3, 4], unknown: [1]}
    )


@case
def slice_(tf):
    values = tf.constant(integers(0, 99, (4, 3, 5)))
    return [
        tf.slice(values, [1, 0, 2], [2, 3, 1]),
        tf.slice(values, [1, 0, 2], [-1, -1, -1]),
        tf.slice(values, [0, 0, 0], [0, 3, 5]),
        tf.slice(values, [4, 0, 0], [-1, 3, 5]),
        tf.slice(values, tf.constant([1, 1, 1], tf.int64), tf.constant([1, -1, 2], tf.int64)),
        tf.slice(tf.constant(["a", "b"]), [1], [1]),
        tf.slice(tf.constant(3), tf.zeros([0], tf.int32), tf.zeros([0], tf.int32)),
    ]


@case
def slice_of_partial_shapes(tf):
    partial, begin = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32, [2])
    size, unknown = tf.placeholder(tf.int32, [2]), tf.placeholder(tf.float32)
    fetches = [
        tf.slice(partial, [1, 0], [-1, 2]),
        tf.slice(partial, [0, 1], [1, -1]),
        tf.slice(partial, begin, [2, 1]),
        tf.slice(partial, begin, [-1, -1]),
        tf.slice(partial, [0, 0], size),
        tf.slice(unknown, begin, size),
    ]
    feeds = {partial: normal(4, 3), begin: [1, 1], size: [2, 2], unknown: normal(3, 3)}
    return Case(fetches, feeds)


@case
def shape_arithmetic_stays_static(tf):
    known = tf.zeros([2, 3, 5])
    partial = tf.placeholder(tf.float32, [None, 4])
    shape = tf.shape(known)
    fetches = [
        tf.zeros(shape[:2]),
        tf.zeros([shape[0] * shape[1], shape[-1]]),
        tf.reshape(known, [shape[0], -1]),
        tf.zeros(tf.concat([shape[:1], [7]], 0)),
        tf.reshape(partial, [-1, tf.shape(partial)[1] // 2, 2]),
        tf.ones(tf.shape(partial)),
        tf.zeros(tf.stack([tf.shape(partial)[0], 3])),
        tf.fill(tf.shape(partial)[1:], 2),
    ]
    return Case(fetches, {partial: normal(1, 4)})


@case
def strided_slice_assignment(tf):
    plain = tf.Variable([1, 2, 3, 4], use_resource=False)
    resource = tf.Variable([[1, 2], [3, 4]], use_resource=True)
    first = plain[1:3].assign([20, 30])
    second = resource[:, 0].assign([10, 30])
    with tf.control_dependencies([second]):
        read = resource.read_value()
    return Case([first, read], setup=[tf.global_variables_initializer()])


error_cases(
    too_many_indices=lambda tf: tf.zeros([2])[0, 0],
    index_out_of_range=lambda tf: tf.zeros([2])[2],
    negative_index_out_of_range=lambda tf: tf.zeros([2])[-3],
    fed_index_out_of_range=lambda tf: Case(
        tf.zeros([2])[index := tf.placeholder(tf.int32, [])], {index: 5}
    ),
    fed_values_too_small=lambda tf: Case(
        (values := tf.placeholder(tf.float32))[3], {values: np.zeros(2)}
    ),
    index_with_a_list_of_booleans=lambda tf: tf.zeros([2])[[True, False]],
    zero_step=lambda tf: tf.zeros([2])[::0],
    two_ellipses=lambda tf: tf.zeros([2, 2])[..., 0, ...],
    float_index=lambda tf: tf.zeros([2])[0.5],
    string_index=lambda tf: tf.zeros([2])["a"],
    float_bounds=lambda tf: tf.zeros([4])[0.0:2.0],
    index_a_scalar=lambda tf: tf.constant(1)[0],
    bounds_of_other_lengths=lambda tf: tf.strided_slice(tf.zeros([2, 2]), [0], [1, 1]),
    slice_too_large=lambda tf: tf.slice(tf.zeros([3]), [1], [3]),
    slice_negative_begin=lambda tf: tf.slice(tf.zeros([3]), [-1], [1]),
    slice_bad_size=lambda tf: tf.slice(tf.zeros([3]), [0], [-2]),
    slice_rank=lambda tf: tf.slice(tf.zeros([3]), [0, 0], [1, 1]),
    slice_fed_too_large=lambda tf: Case(
        tf.slice(tf.zeros([3]), begin := tf.placeholder(tf.int32, [1]), [2]), {begin: [2]}
    ),
    assign_to_a_tensor=lambda tf: operator.setitem(tf.zeros([2]), 0, 1.0),
    assign_to_a_slice_of_a_tensor=lambda tf: tf.zeros([2])[0].assign(1.0),
)

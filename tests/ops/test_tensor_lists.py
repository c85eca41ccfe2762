"""TensorLists and stacks: elements, rules for their use, and gradients."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf

InvalidArgumentError = tf.errors.InvalidArgumentError


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches, feeds=None):
    with tf.Session() as session:
        return session.run(fetches, feeds)


# --- lists ----------------------------------------------------------------------------------------


def test_lists_do_not_change():
    empty = tf.raw_ops.EmptyTensorList(
        element_shape=-1, max_num_elements=-1, element_dtype=tf.float32
    )
    one = tf.raw_ops.TensorListPushBack(input_handle=empty, tensor=1.0)
    two = tf.raw_ops.TensorListPushBack(input_handle=one, tensor=[2.0])
    other = tf.raw_ops.TensorListPushBack(input_handle=one, tensor=3.0)
    lengths = [tf.raw_ops.TensorListLength(input_handle=item) for item in (empty, one, two, other)]
    assert run(lengths) == [0, 1, 2, 2]
    rest, last = tf.raw_ops.TensorListPopBack(
        input_handle=other, element_shape=-1, element_dtype=tf.float32
    )
    before, _ = tf.raw_ops.TensorListPopBack(
        input_handle=rest, element_shape=-1, element_dtype=tf.float32
    )
    assert run([last, tf.raw_ops.TensorListLength(input_handle=before)]) == [3.0, 0]


def rows_of(x):
    return tf.raw_ops.TensorListFromTensor(tensor=x, element_shape=[2])


def stacked(handle, shape=(2,)):
    return tf.raw_ops.TensorListStack(
        input_handle=handle, element_shape=list(shape), element_dtype=tf.float32
    )


def test_lists_by_length_and_shape():
    raw = tf.raw_ops
    empty = raw.TensorListReserve(element_shape=[-1, 2], num_elements=2, element_dtype=tf.float32)
    assert run(raw.TensorListLength(input_handle=empty)) == 2
    shape = raw.TensorListElementShape(input_handle=empty, shape_type=tf.int64)
    assert run(shape).tolist() == [-1, 2]
    unknown = raw.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=tf.float32)
    assert run(raw.TensorListElementShape(input_handle=unknown, shape_type=tf.int32)) == -1


def test_lists_end_to_end():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    both = tf.raw_ops.TensorListConcatLists(
        input_a=rows_of(x), input_b=rows_of(x * 10.0), element_dtype=tf.float32
    )
    assert run(stacked(both)).tolist() == [[1, 2], [3, 4], [10, 20], [30, 40]]
    joined, lengths = tf.raw_ops.TensorListConcat(input_handle=both, element_dtype=tf.float32)
    assert run(joined).tolist() == [1, 2, 3, 4, 10, 20, 30, 40]
    assert run(lengths).tolist() == [2, 2, 2, 2]


def test_elements_that_nothing_was_written_to():
    sparse = tf.raw_ops.TensorListScatterV2(
        tensor=tf.ones([2, 2]), indices=[3, 0], element_shape=[2], num_elements=4
    )
    assert run(stacked(sparse)).tolist() == [[1, 1], [0, 0], [0, 0], [1, 1]]
    joined, lengths = tf.raw_ops.TensorListConcatV2(
        input_handle=tf.raw_ops.TensorListReserve(
            element_shape=[-1, 1], num_elements=2, element_dtype=tf.float32
        ),
        element_shape=[-1, 1],
        leading_dims=np.int64([1, 2]),
        element_dtype=tf.float32,
    )
    assert run(joined).tolist() == [[0.0]] * 3
    assert run(lengths).tolist() == [1, 2]


def test_lists_of_lists():
    raw = tf.raw_ops
    outer = raw.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=tf.variant)
    outer = raw.TensorListPushBack(input_handle=outer, tensor=rows_of(tf.ones([3, 2])))
    _, inner = raw.TensorListPopBack(input_handle=outer, element_shape=-1, element_dtype=tf.variant)
    assert run(stacked(inner)).tolist() == [[1.0, 1.0]] * 3


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda x: stacked(rows_of(x)), [[1, 2], [3, 4], [5, 6]]),
        (
            lambda x: tf.raw_ops.TensorListGetItem(
                input_handle=rows_of(x), index=1, element_shape=[2], element_dtype=tf.float32
            ),
            [3, 4],
        ),
        (
            lambda x: stacked(
                tf.raw_ops.TensorListSetItem(input_handle=rows_of(x), index=1, item=x[0] * 3.0)
            ),
            [[1, 2], [3, 6], [5, 6]],
        ),
        (
            lambda x: tf.raw_ops.TensorListGather(
                input_handle=rows_of(x), indices=[2, 2], element_shape=[2], element_dtype=tf.float32
            ),
            [[5, 6], [5, 6]],
        ),
        (
            lambda x: stacked(
                tf.raw_ops.TensorListScatter(tensor=x, indices=[2, 0, 1], element_shape=[2])
            ),
            [[3, 4], [5, 6], [1, 2]],
        ),
        (
            lambda x: (
                tf.raw_ops.TensorListConcatV2(
                    input_handle=rows_of(x),
                    element_shape=[2],
                    leading_dims=np.zeros(0, np.int64),
                    element_dtype=tf.float32,
                ).tensor
            ),
            [1, 2, 3, 4, 5, 6],
        ),
        (
            lambda x: stacked(tf.raw_ops.TensorListResize(input_handle=rows_of(x), size=2)),
            [[1, 2], [3, 4]],
        ),
        (
            lambda x: stacked(
                tf.raw_ops.TensorListScatterIntoExistingList(
                    input_handle=rows_of(x), tensor=x[:1] * 10.0, indices=[2]
                )
            ),
            [[1, 2], [3, 4], [10, 20]],
        ),
        (
            lambda x: stacked(
                tf.raw_ops.TensorListScatterV2(
                    tensor=x, indices=[2, 0, 1], element_shape=[2], num_elements=4
                )
            ),
            [[3, 4], [5, 6], [1, 2], [0, 0]],
        ),
        (
            lambda x: (
                tf.raw_ops.TensorListConcat(
                    input_handle=tf.raw_ops.TensorListSplit(
                        tensor=x, element_shape=[-1, 2], lengths=np.int64([1, 2])
                    ),
                    element_dtype=tf.float32,
                    element_shape=[None, 2],
                ).tensor
            ),
            [[1, 2], [3, 4], [5, 6]],
        ),
        (
            lambda x: (
                tf.raw_ops.TensorListPopBack(
                    input_handle=tf.raw_ops.TensorListPushBack(
                        input_handle=rows_of(x), tensor=x[0] * x[1]
                    ),
                    element_shape=[2],
                    element_dtype=tf.float32,
                ).tensor
            ),
            [3, 8],
        ),
    ],
    ids=[
        "stack",
        "get",
        "set",
        "gather",
        "scatter",
        "concat",
        "resize",
        "scatter_into",
        "scatter_at",
        "split",
        "pop",
    ],
)
def test_lists_and_their_gradients(build, expected):
    x = tf.placeholder(tf.float32, [3, 2])
    y = build(x)
    value = np.float32([[1, 2], [3, 4], [5, 6]])
    (gradient,) = tf.gradients(y * y, x)
    with tf.Session() as session:
        assert session.run(y, {x: value}).tolist() == expected
        found = session.run(gradient, {x: value})
        total = tf.reduce_sum(y * y)
        for place in np.ndindex(3, 2):
            shift = np.zeros((3, 2), np.float32)
            shift[place] = 0.25  # exact: the sums of squares are quadratic
            sides = [session.run(total, {x: value + sign * shift}) for sign in (1, -1)]
            assert found[place] == pytest.approx((sides[0] - sides[1]) / 0.5, rel=1e-4)


@pytest.mark.parametrize(
    ("words", "build"),
    [
        ("pop from an empty list", lambda r: r.TensorListPopBack(
            input_handle=r.TensorListReserve(
                element_shape=-1, num_elements=0, element_dtype=tf.float32),
            element_shape=-1, element_dtype=tf.float32)[1]),
        ("access element 3", lambda r: r.TensorListGetItem(
            input_handle=rows_of(tf.zeros([3, 2])), index=3, element_shape=-1,
            element_dtype=tf.float32)),
        ("element_shape is not fully defined", lambda r: r.TensorListGetItem(
            input_handle=r.TensorListReserve(
                element_shape=-1, num_elements=1, element_dtype=tf.float32),
            index=0, element_shape=-1, element_dtype=tf.float32)),
        ("list of int32", lambda r: r.TensorListStack(
            input_handle=rows_of(tf.zeros([3, 2])), element_shape=-1, element_dtype=tf.int32)),
        ("list with 4 elements", lambda r: r.TensorListStack(
            input_handle=rows_of(tf.zeros([3, 2])), element_shape=-1, num_elements=4,
            element_dtype=tf.float32)),
        ("full list", lambda r: r.TensorListLength(input_handle=r.TensorListPushBack(
            input_handle=r.EmptyTensorList(
                element_shape=-1, max_num_elements=0, element_dtype=tf.float32),
            tensor=1.0))),
        ("index 5 in list with size 4", lambda r: r.TensorListScatterV2(
            tensor=tf.ones([1, 2]), indices=[5], element_shape=[2], num_elements=4)),
        ("must add up", lambda r: r.TensorListSplit(
            tensor=tf.ones([3]), element_shape=[-1], lengths=np.int64([1, 1]))),
        ("in their first dimension only", lambda r: r.TensorListConcat(
            input_handle=r.TensorListPushBack(
                input_handle=r.TensorListFromTensor(tensor=[[1.0]], element_shape=-1),
                tensor=[[1.0, 2.0]]),
            element_dtype=tf.float32).tensor),
        ("non negative", lambda r: r.TensorListReserve(
            element_shape=-1, num_elements=-1, element_dtype=tf.float32)),
        ("non-negative", lambda r: r.TensorListResize(
            input_handle=rows_of(tf.zeros([3, 2])), size=-1)),
    ],
)  # fmt: skip
def test_lists_refuse(words, build):
    with pytest.raises(InvalidArgumentError, match=words):
        run(build(tf.raw_ops).op)


# --- stacks ---------------------------------------------------------------------------------------


def test_stacks():
    ops = tf.raw_ops
    stack = ops.StackV2(max_size=2, elem_type=tf.float32)
    first = ops.StackPushV2(handle=stack, elem=1.0)
    with tf.control_dependencies([first]):
        second = ops.StackPushV2(handle=stack, elem=[2.0])
    with tf.control_dependencies([second]):
        top = ops.StackPopV2(handle=stack, elem_type=tf.float32)
        third = ops.StackPushV2(handle=stack, elem=3.0)
    assert [np.array(item).tolist() for item in run([first, second, top])] == [1.0, [2.0], [2.0]]
    with pytest.raises(InvalidArgumentError, match="overflowed its max_size"):
        run(third)
    with pytest.raises(InvalidArgumentError, match="is empty"):
        run(ops.StackPopV2(handle=stack, elem_type=tf.float32))
    with pytest.raises(InvalidArgumentError, match="another dtype"):
        run(ops.StackPopV2(handle=stack, elem_type=tf.int32))
    with tf.control_dependencies([ops.StackCloseV2(handle=stack)]):
        closed = ops.StackPopV2(handle=stack, elem_type=tf.float32)
    with pytest.raises(InvalidArgumentError, match="already been closed"):
        run(closed)

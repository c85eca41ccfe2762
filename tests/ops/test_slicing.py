"""`tensor[…]` against NumPy's indexing, for any mixture of entries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import featherflow as tf
from featherflow.kernels import strided_slice as kernels
from featherflow.kernels.strided_slice import SliceMasks


def bounds(size: int) -> st.SearchStrategy[int | None]:
    return st.none() | st.integers(-size - 2, size + 2)


def ranges(size: int) -> st.SearchStrategy[slice]:
    steps = st.none() | st.integers(-3, 3).filter(bool)
    return st.builds(slice, bounds(size), bounds(size), steps)


@st.composite
def arrays_and_entries(draw: Any) -> tuple[np.ndarray, tuple[Any, ...]]:
    dims = draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    taken = draw(st.integers(0, len(dims)))
    # The dimensions before the ellipsis, and those after it.
    before = draw(st.integers(0, taken))
    sizes = dims[:before] + dims[len(dims) - (taken - before) :]
    entries: list[Any] = [draw(entry(size)) for size in sizes]
    if (taken < len(dims) and before < taken) or draw(st.booleans()):
        entries.insert(before, Ellipsis)
    for _ in range(draw(st.integers(0, 2))):
        entries.insert(draw(st.integers(0, len(entries))), None)
    values = np.arange(int(np.prod(dims)), dtype=np.int32).reshape(dims)
    return values, tuple(entries)


def entry(size: int) -> st.SearchStrategy[Any]:
    return ranges(size) if size == 0 else ranges(size) | st.integers(-size, size - 1)


@given(arrays_and_entries())
def test_slices_are_numpys(case: tuple[np.ndarray, tuple[Any, ...]]) -> None:
    values, entries = case
    expected = values[entries]
    with tf.Graph().as_default(), tf.Session() as sess:
        known = tf.constant(values)[entries]
        fed = tf.placeholder(tf.int32, [None] * values.ndim)
        sliced = fed[entries]
        gradient = tf.gradients(tf.cast(fed, tf.float32)[entries], [fed])
        assert gradient == [None]
        assert known.shape == expected.shape
        assert sliced.shape.is_compatible_with(expected.shape)
        for value in sess.run([known, sliced], {fed: values}):
            np.testing.assert_array_equal(value, expected)


@given(arrays_and_entries())
def test_gradients_of_slices_put_them_back(case: tuple[np.ndarray, tuple[Any, ...]]) -> None:
    values, entries = case
    expected = np.zeros(values.shape, np.float32)
    expected[entries] = 3
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant(values, tf.float32)
        (gradient,) = tf.gradients(3 * x[entries], [x])
        np.testing.assert_array_equal(sess.run(gradient), expected)


def test_plans_are_bounded() -> None:
    assert kernels.cache_info().maxsize == 1024


@pytest.mark.parametrize(
    ("masks", "begin", "end", "strides", "message"),
    [
        (SliceMasks(), [0], [1], [0], "non-zero"),
        (SliceMasks(shrink_axis=1), [5], [6], [1], "out of bounds"),
        (SliceMasks(shrink_axis=1), [0], [1], [-1], "only stride 1"),
        (SliceMasks(ellipsis=3), [0, 0], [0, 0], [1, 1], "Multiple ellipses"),
        (SliceMasks(), [0, 0, 0], [1, 1, 1], [1, 1, 1], "Index out of range"),
        (SliceMasks(), [0], [1, 2], [1], "one length"),
    ],
)
def test_bad_slices_are_refused(
    masks: SliceMasks, begin: list[int], end: list[int], strides: list[int], message: str
) -> None:
    bounds = (np.array(item) for item in (begin, end, strides))
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        kernels.strided_slice(np.zeros((2, 3)), *bounds, masks)


@pytest.mark.parametrize("use_resource", [False, True])
def test_slices_of_variables_are_assigned_to(use_resource: bool) -> None:
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        variable = tf.Variable([[1, 2, 3], [4, 5, 6]], use_resource=use_resource)
        before = variable.read_value()
        assigned = variable[1:, ::2].assign([[7, 8]])
        sess.run(tf.global_variables_initializer())
        old = sess.run(before)
        assert sess.run(assigned).tolist() == [[1, 2, 3], [7, 5, 8]]
        assert sess.run(before).tolist() == [[1, 2, 3], [7, 5, 8]]
        assert old.tolist() == [[1, 2, 3], [4, 5, 6]]
        assert graph.get_operation_by_name("strided_slice/_assign") is not None


def test_assigned_values_have_the_shape_of_the_slice() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        variable = tf.Variable([1, 2, 3], use_resource=False)
        assigned = variable[:2].assign([1])
        sess.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="shape of the slice"):
            sess.run(assigned)


def test_bounds_are_named_below_the_node() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4, 5], name="x")
        x[1:, 2]
        assert [operation.name for operation in graph.get_operations()] == [
            "x",
            "strided_slice/stack",
            "strided_slice/stack_1",
            "strided_slice/stack_2",
            "strided_slice",
        ]


def test_masks_choose_rows() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant([[1, 2], [3, 4], [5, 6]])
        assert sess.run(x[x[:, 0] > 1]).tolist() == [[3, 4], [5, 6]]
        assert sess.run(x[np.array([True, False, True])]).tolist() == [[1, 2], [5, 6]]


def test_indices_are_integers() -> None:
    with tf.Graph().as_default():
        x = tf.zeros([3])
        for index in (1.0, "a", tf.constant(1.0), tf.constant([1])):
            with pytest.raises(TypeError, match="Only integers"):
                x[index]
        with pytest.raises(ValueError, match="cannot be scalar"):
            x[True]


def test_sizes_are_known_while_the_graph_is_built() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 4, 3])
        size = tf.shape(x)
        assert tf.get_static_value(size[1]) == 4
        assert tf.get_static_value(size[0]) is None
        assert tf.get_static_value(size[1:]).tolist() == [4, 3]
        assert tf.reshape(x, [size[0], -1]).shape.as_list() == [None, None]
        assert tf.reshape(x, [size[0], 12]).shape.as_list() == [None, 12]
        assert tf.reshape(x, size[1:]).shape.as_list() == [4, 3]
        assert tf.reshape(x, tf.concat([size[:1], [6, 2]], 0)).shape.as_list() == [None, 6, 2]
        assert tf.zeros(tf.stack([size[2], size[0]])).shape.as_list() == [3, None]

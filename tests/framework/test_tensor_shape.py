"""TensorShape against facts recorded from TensorFlow 2.21, in TF1's and in TF2's manner."""

from __future__ import annotations

import copy
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featherflow.framework import tensor_shape
from featherflow.framework.tensor_shape import SCALAR, UNKNOWN, Dimension, TensorShape

ANY_DIMS = st.none() | st.lists(st.none() | st.integers(0, 3), max_size=4)


@pytest.fixture(autouse=True)
def tf1_shapes():
    before = tensor_shape._v2_behavior
    tensor_shape.disable_v2_tensorshape()
    yield
    tensor_shape._v2_behavior = before


@pytest.fixture
def tf2_shapes(tf1_shapes):
    tensor_shape.enable_v2_tensorshape()


# --- construction ---


@pytest.mark.parametrize(
    ("dims", "expected"),
    [
        (None, None),
        ([], []),
        (3, [3]),
        ((np.int64(3), None), [3, None]),
        (np.array([1, 2]), [1, 2]),
        (np.array(4), [4]),
        ([Dimension(3), Dimension(None)], [3, None]),
        (Dimension(None), [None]),
        (range(3), [0, 1, 2]),
        ((size for size in (1, 2)), [1, 2]),
        ({1: 2}, [1]),
        ([2**70], [2**70]),
        (TensorShape([1, None]), [1, None]),
    ],
)
def test_dims_may_be_written_in_many_ways(dims, expected):
    shape = TensorShape(dims)
    assert shape._dims == (None if expected is None else tuple(expected))
    assert all(size is None or type(size) is int for size in shape._dims or ())


@pytest.mark.parametrize("dims", [1.5, 5.0, [1.0], ["a"], "ab", object(), [[1, 2]]])
def test_sizes_are_integers(dims):
    with pytest.raises(TypeError, match=r"[dD]imension"):
        TensorShape(dims)


@pytest.mark.parametrize("dims", [-1, [2, -1], [-2]])
def test_sizes_are_not_negative(dims):
    with pytest.raises(ValueError, match="must be >= 0"):
        TensorShape(dims)


def test_protocol_buffers_spell_unknown_as_minus_one():
    dims = [SimpleNamespace(size=1), SimpleNamespace(size=-1)]
    assert TensorShape(SimpleNamespace(unknown_rank=False, dim=dims))._dims == (1, None)
    assert TensorShape(SimpleNamespace(unknown_rank=True, dim=[]))._dims is None


def test_named_shapes():
    assert tensor_shape.unknown_shape()._dims is None
    assert tensor_shape.unknown_shape(2)._dims == (None, None)
    assert tensor_shape.unknown_shape(ndims=1)._dims == (None,)
    with pytest.raises(TypeError):
        tensor_shape.unknown_shape(1, ndims=1)
    assert tensor_shape.scalar() is SCALAR and SCALAR == []
    assert tensor_shape.vector(3) == [3]
    assert tensor_shape.matrix(1, None)._dims == (1, None)
    assert tensor_shape.as_shape(UNKNOWN) is UNKNOWN


# --- text, sequence, value ---


def test_text_in_tf1():
    assert repr(TensorShape([1, None])) == "TensorShape([Dimension(1), Dimension(None)])"
    assert repr(UNKNOWN) == "TensorShape(None)"
    assert [str(TensorShape(dims)) for dims in ([], [3], [1, None, 3], None)] == [
        "()",
        "(3,)",
        "(1, ?, 3)",
        "<unknown>",
    ]


def test_text_in_tf2(tf2_shapes):
    assert repr(TensorShape([1, None])) == "TensorShape([1, None])"
    assert [str(TensorShape(dims)) for dims in ([None], [1, None], None)] == [
        "(None,)",
        "(1, None)",
        "<unknown>",
    ]


def test_elements_are_dimensions_in_tf1():
    shape = TensorShape([1, None])
    assert [type(element) for element in (shape[0], *shape, *shape.dims)] == [Dimension] * 5
    assert shape[-1].value is None and shape[Dimension(0)].value == 1
    assert UNKNOWN[7].value is None
    assert UNKNOWN.dims is None


def test_elements_are_integers_in_tf2(tf2_shapes):
    shape = TensorShape([1, None])
    assert (shape[0], shape[1], list(shape)) == (1, None, [1, None])
    assert UNKNOWN[7] is None
    assert type(shape.dims[0]) is Dimension


def test_index_out_of_range():
    with pytest.raises(IndexError):
        _ = TensorShape([1])[1]


@pytest.mark.parametrize(
    ("dims", "key", "expected"),
    [
        ([1, 2, 3], slice(1, None), [2, 3]),
        ([1, 2, 3], slice(None, None, 2), [1, 3]),
        ([1, 2, 3], slice(-2, None), [2, 3]),
        (None, slice(1, None), None),
        (None, slice(1, 3), [None, None]),
        (None, slice(None, 2), [None, None]),
        (None, slice(3, 1), []),
        (None, slice(None, -1), None),
        (None, slice(1, -1), None),
        (None, slice(-2, None), None),
        (None, slice(-3, -1), None),
    ],
)
def test_slices(dims, key, expected):
    assert TensorShape(dims)[key] == TensorShape(expected)


def test_steps_need_a_rank():
    with pytest.raises(ValueError, match="Steps are not yet handled"):
        _ = UNKNOWN[::2]


def test_unknown_rank_is_no_sequence():
    with pytest.raises(ValueError, match="Cannot iterate over a shape with unknown rank"):
        iter(UNKNOWN)
    with pytest.raises(ValueError, match="Cannot take the length of shape with unknown rank"):
        len(UNKNOWN)
    with pytest.raises(ValueError, match="not defined on an unknown TensorShape"):
        UNKNOWN.as_list()
    assert len(TensorShape([1, None])) == 2


def test_truth_is_known_rank():
    assert SCALAR and TensorShape([0]) and not UNKNOWN


def test_equality():
    assert TensorShape([1, None]) == [1, None] == TensorShape((1, None))
    assert TensorShape([5]) == 5
    assert UNKNOWN == UNKNOWN == TensorShape(None)
    assert UNKNOWN.__eq__(None) is True
    assert TensorShape([1]) != UNKNOWN
    assert TensorShape([1]) != "x"
    assert TensorShape([1]) != [2]
    assert TensorShape([2]).__eq__(object()) is NotImplemented
    with pytest.raises(TypeError):
        _ = TensorShape([1]) < TensorShape([2])


def test_shapes_are_keys_and_copies():
    assert hash(TensorShape([1, None])) == hash((1, None))
    for shape in (TensorShape([1, None]), UNKNOWN):
        assert pickle.loads(pickle.dumps(shape)) == copy.deepcopy(shape) == shape


def test_numpy_takes_defined_shapes():
    assert np.zeros(TensorShape([2, 3])).shape == (2, 3)


def test_concatenation():
    left, right = TensorShape([1, 2]), TensorShape([2, 3])
    assert left + [3] == [1] + right == [1, 2, 3]  # noqa: RUF005 - the operators are tested
    assert TensorShape([1]) + 3 == [1, 3]
    assert (TensorShape([1]) + None)._dims is None
    assert UNKNOWN.concatenate([2])._dims is None
    assert TensorShape([1]).concatenate(Dimension(2)) == [1, 2]
    with pytest.raises(TypeError):
        _ = TensorShape([1]) + "x"


# --- what is known ---


def test_counts():
    assert (TensorShape([2, 3]).rank, UNKNOWN.rank, UNKNOWN.ndims) == (2, None, None)
    assert SCALAR.num_elements() == 1
    assert TensorShape([2, 3]).num_elements() == 6
    for dims in ([2, None], [0, None], None):
        assert TensorShape(dims).num_elements() is None
        assert not TensorShape(dims).is_fully_defined()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda shape: shape.merge_with([2, 2]), r"Shapes (1, ?) and (2, 2) are not compatible"),
        (lambda shape: shape.merge_with([2]), r"Shapes (1, ?) and (2,) are not compatible"),
        (lambda shape: shape.with_rank(3), r"Shape (1, ?) must have rank 3"),
        (lambda shape: shape.with_rank_at_least(3), r"Shape (1, ?) must have rank at least 3"),
        (lambda shape: shape.with_rank_at_most(1), r"Shape (1, ?) must have rank at most 1"),
        (lambda shape: shape.assert_has_rank(3), r"Shape (1, ?) must have rank 3"),
        (
            lambda shape: shape.assert_same_rank([1]),
            r"Shapes (1, ?) and (1,) must have the same rank",
        ),
        (
            lambda shape: shape.assert_is_compatible_with([3, 3]),
            r"Shapes (1, ?) and (3, 3) are incompatible",
        ),
        (lambda shape: shape.assert_is_fully_defined(), r"Shape (1, ?) is not fully defined"),
    ],
)
def test_demands_that_fail(call, message):
    with pytest.raises(ValueError) as caught:
        call(TensorShape([1, None]))
    assert str(caught.value) == message


def test_demands_that_hold():
    shape = TensorShape([1, None])
    assert shape.with_rank(2) is shape.with_rank(None) is shape
    assert shape.with_rank_at_least(1) is shape.with_rank_at_most(3) is shape
    assert UNKNOWN.with_rank(2)._dims == (None, None)
    assert UNKNOWN.with_rank(None) == UNKNOWN
    assert UNKNOWN.with_rank_at_least(1) is UNKNOWN.with_rank_at_most(0) is UNKNOWN
    shape.assert_has_rank(2)
    UNKNOWN.assert_has_rank(2)
    shape.assert_same_rank(None)
    shape.assert_same_rank([4, 4])
    shape.assert_is_compatible_with([1, 7])
    TensorShape([1, 2]).assert_is_fully_defined()


def test_supertypes():
    assert TensorShape([1]).most_specific_common_supertype([TensorShape([2])])._dims == (None,)
    assert TensorShape([1]).most_specific_common_supertype([]) == [1]
    assert TensorShape([1]).most_specific_common_supertype([[1]]) is None
    assert not TensorShape([1]).is_subtype_of([1])


def _instances(dims):
    """All shapes of sizes below 4 and rank up to 2 that `dims` allows."""
    sizes = range(4)
    every = [(), *((a,) for a in sizes), *((a, b) for a in sizes for b in sizes)]
    if dims is None:
        return set(every)
    return {
        shape
        for shape in every
        if len(shape) == len(dims)
        and all(b is None or a == b for a, b in zip(shape, dims, strict=True))
    }


SMALL_DIMS = st.none() | st.lists(st.none() | st.integers(0, 3), max_size=2)


@given(SMALL_DIMS, SMALL_DIMS)
def test_merge_is_intersection_and_subtype_is_inclusion(first, second):
    both = _instances(first) & _instances(second)
    shape, other = TensorShape(first), TensorShape(second)
    assert shape.is_compatible_with(other) == bool(both)
    if both:
        assert _instances(shape.merge_with(other)._dims) == both
    else:
        with pytest.raises(ValueError, match="are not compatible"):
            shape.merge_with(other)
    assert shape.is_subtype_of(other) == (_instances(first) <= _instances(second))


@given(ANY_DIMS, ANY_DIMS)
def test_common_supertype_is_above_both(first, second):
    shape, other = TensorShape(first), TensorShape(second)
    above = shape.most_specific_compatible_shape(other)
    assert shape.is_subtype_of(above) and other.is_subtype_of(above)
    assert above == other.most_specific_compatible_shape(shape)
    if shape.is_subtype_of(other):
        assert above == other


# --- broadcasting ---

SIZES = st.sampled_from([0, 1, 2, 3])


@given(st.lists(SIZES, max_size=4), st.lists(SIZES, max_size=4))
def test_broadcasting_known_sizes_is_numpys(first, second):
    try:
        expected = np.broadcast_shapes(tuple(first), tuple(second))
    except ValueError:
        with pytest.raises(ValueError, match="Incompatible shapes for broadcasting"):
            tensor_shape.broadcast_shapes(first, second)
    else:
        assert tensor_shape.broadcast_shapes(first, second) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([None], [3], [3]),
        ([None], [1], [None]),
        ([1], [None], [None]),
        ([None], [None], [None]),
        ([None], [0], [None]),
        ([0], [None], [None]),
        ([2, None], [3], [2, 3]),
        ([None, 2], [2], [None, 2]),
        (None, [1], None),
        ([2], None, None),
    ],
)
def test_broadcasting_unknown_sizes(first, second, expected):
    assert tensor_shape.broadcast_shapes(first, second) == TensorShape(expected)


# --- dimensions, read ---


def test_dimension_value_reads_both_kinds():
    assert tensor_shape.dimension_value(Dimension(3)) == tensor_shape.dimension_value(3) == 3
    assert tensor_shape.dimension_value(Dimension(None)) is tensor_shape.dimension_value(None)
    assert tensor_shape.dimension_at_index(TensorShape([1, 2]), 1).value == 2
    assert tensor_shape.dimension_at_index(UNKNOWN, 1).value is None
    assert tensor_shape.as_dimension(3).value == 3

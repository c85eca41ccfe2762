"""Dimension against facts recorded from TensorFlow 2.21."""

from __future__ import annotations

import copy
import operator
import pickle

import numpy as np
import pytest

from featherflow.framework.dimension import Dimension


def test_dimension_values():
    assert [Dimension(value).value for value in (3, None, np.int64(4), Dimension(5))] == [
        3,
        None,
        4,
        5,
    ]
    assert (str(Dimension(3)), str(Dimension(None)), repr(Dimension(3))) == (
        "3",
        "?",
        "Dimension(3)",
    )
    for wrong in ("3", 3.0, [1]):
        with pytest.raises(TypeError, match="must be integer or None or have an __index__ method"):
            Dimension(wrong)


def test_dimensions_are_used_as_integers():
    assert list(range(Dimension(3))) == [0, 1, 2]
    assert int(Dimension(3)) == [0, 1, 2, 3][Dimension(3)] == 3
    assert float(Dimension(3)) == 3.0
    assert Dimension(3) and not Dimension(0) and not Dimension(None)
    with pytest.raises(TypeError, match="unknown"):
        int(Dimension(None))
    with pytest.raises(TypeError, match="unhashable"):
        hash(Dimension(3))


@pytest.mark.parametrize(
    "compare",
    [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge],
)
def test_comparing_with_an_unknown_size_gives_none(compare):
    assert compare(Dimension(3), 4) == compare(3, 4)
    assert compare(3, Dimension(3)) == compare(3, 3)
    for left, right in ((Dimension(3), None), (Dimension(None), 3), (Dimension(None),) * 2):
        assert compare(left, right) is None


def test_comparing_with_other_things():
    assert Dimension(3) != "3" and Dimension(3).__eq__("3") is NotImplemented
    with pytest.raises(TypeError):
        _ = Dimension(3) < "a"


@pytest.mark.parametrize(
    "compute", [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod]
)
def test_arithmetic(compute):
    assert compute(Dimension(7), 3).value == compute(7, 3)
    assert compute(7, Dimension(3)).value == compute(7, 3)
    for left, right in ((Dimension(7), None), (None, Dimension(7)), (Dimension(None), 2)):
        assert compute(left, right).value is None
    with pytest.raises(TypeError):
        compute(Dimension(7), 1.5)


def test_arithmetic_that_fails():
    with pytest.raises(ValueError, match="Dimension -1 must be >= 0"):
        _ = Dimension(3) - 4
    with pytest.raises(ZeroDivisionError):
        _ = Dimension(3) // 0
    with pytest.raises(TypeError, match="please use // instead"):
        _ = Dimension(3) / 2
    with pytest.raises(TypeError, match="please use // instead"):
        _ = 3 / Dimension(2)


def test_merging_dimensions():
    assert Dimension(3).merge_with(None).value == Dimension(None).merge_with(3).value == 3
    assert Dimension(3).is_compatible_with(None) and not Dimension(3).is_compatible_with(4)
    for call in (Dimension(3).merge_with, Dimension(3).assert_is_compatible_with):
        with pytest.raises(ValueError, match="Dimensions 3 and 4 are not compatible"):
            call(4)


def test_dimensions_are_copied():
    for dimension in (Dimension(3), Dimension(None)):
        assert pickle.loads(pickle.dumps(dimension)).value == dimension.value
        assert copy.deepcopy(dimension).value == dimension.value

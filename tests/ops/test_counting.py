"""Counting functions: sizes of their outputs, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import featherflow as tf
from featherflow.ops.counting_ops import bincount


def run(tensor: Any) -> Any:
    with tf.Session() as session:
        return session.run(tensor)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"arr": [1, 2, 2, 5]}, [0, 1, 2, 0, 0, 1]),
        ({"arr": np.zeros(0, np.int32)}, []),
        ({"arr": [1], "minlength": 4}, [0, 1, 0, 0]),
        ({"arr": [1, 7], "maxlength": 3}, [0, 1, 0]),
        ({"arr": [[1], [2]], "weights": [[0.5], [3.0]]}, [0, 0.5, 3]),
        ({"arr": [[1, 2], [2, 2]], "axis": -1}, [[0, 1, 1], [0, 0, 2]]),
        ({"arr": [[1, 2], [2, 2]], "axis": -1, "binary_output": True}, [[0, 1, 1], [0, 0, 1]]),
        ({"arr": [[1, 2], [2, 2]], "axis": 0, "binary_output": True}, [0, 1, 1]),
        ({"arr": [1.5, 2.0]}, [0, 1, 1]),
    ],
)
def test_bincount(arguments: dict[str, Any], expected: Any) -> None:
    np.testing.assert_array_equal(run(bincount(**arguments)), expected)


def test_histogram_places() -> None:
    values = [[-1.0, 0.0, 0.1], [2.6, 5.0, 99.0]]
    places = run(tf.histogram_fixed_width_bins(values, [0.0, 5.0], nbins=5, dtype=tf.int64))
    np.testing.assert_array_equal(places, [[0, 0, 0], [2, 4, 4]])
    assert places.dtype == np.int64


def test_bucketize_nan_and_infinity() -> None:
    values = [np.nan, np.inf, -np.inf]
    assert run(tf.raw_ops.Bucketize(input=values, boundaries=[0.0, 1.0])).tolist() == [2, 2, 0]


ONE = np.ones(1, np.float32)

REFUSED: dict[str, Callable[[], Any]] = {
    "negative": lambda: tf.bincount([-1, 2]),
    "weights": lambda: tf.raw_ops.Bincount(arr=[1, 2], size=3, weights=ONE),
    "size": lambda: tf.raw_ops.Bincount(arr=[1], size=fed(np.int32(-3)), weights=ONE),
    "rank": lambda: tf.raw_ops.DenseBincount(
        input=fed(np.ones((1, 1, 1), np.int32)), size=3, weights=ONE
    ),
    "nan": lambda: tf.histogram_fixed_width([np.nan], [0.0, 1.0]),
    "range": lambda: tf.histogram_fixed_width([1.0], [1.0, 1.0]),
    "bins": lambda: tf.histogram_fixed_width([1.0], [0.0, 1.0], fed(np.int32(0))),
    "boundaries": lambda: tf.raw_ops.Bucketize(input=[1.0], boundaries=[2.0, 1.0]),
}


def fed(value: Any) -> Any:
    """A tensor whose shape and value are known in the run only."""
    return tf.placeholder_with_default(value, None)


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(REFUSED[name]())


def test_arguments_that_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="axis"):
        bincount([[1]], axis=1)
    with pytest.raises(ValueError, match="exclusive"):
        bincount([1], weights=[1.0], binary_output=True)
    with pytest.raises(ValueError, match="at least"):
        tf.histogram_fixed_width([1.0], [0.0, 1.0], nbins=0)

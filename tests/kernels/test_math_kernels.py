"""Math kernels at their edges: casts, integer division, reductions, products, special functions."""

from __future__ import annotations

import math
from statistics import NormalDist

import ml_dtypes
import numpy as np
import pytest

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels import (
    casting,
    elementwise,
    error_functions,
    gamma_functions,
    matrix_product,
    reductions,
    scans,
)

SMALLEST = np.iinfo(np.int32).min


@pytest.fixture(autouse=True)
def quiet() -> object:
    """The executor's setting."""
    with np.errstate(all="ignore"):
        yield


# --- casts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "target", "expected"),
    [
        (np.float32(-2.7), np.int8, -2),
        (np.int32(300), np.uint8, 44),
        (np.int32(-1), np.uint16, 65535),
        (np.complex64(3 - 4j), np.float64, 3.0),
        (np.float64(65520), np.float16, math.inf),
        (np.float32(1.00390625), ml_dtypes.bfloat16, 1.0),
        (np.float32(math.nan), np.bool_, True),
    ],
)
def test_cast(value: np.generic, target: type, expected: object) -> None:
    result = casting.cast(np.asarray(value), np.dtype(target))
    assert result.dtype == target
    assert result == expected


@pytest.mark.parametrize("source", [np.float32, np.float64, np.complex64])
def test_truncating_casts_round_towards_zero(source: type) -> None:
    values = np.array([1.9999, -1.9999, 3.14159, 1e-3], source)
    target = np.dtype(np.complex64 if source is np.complex64 else ml_dtypes.bfloat16)
    if source is np.complex64:
        np.testing.assert_array_equal(casting.cast(values, target, truncate=True), values)
        return
    result = casting.cast(values, target, truncate=True).astype(np.float64)
    assert np.all(np.abs(result) <= np.abs(values))
    assert np.all(np.abs(values - result) < np.abs(values) / 128)


def test_quantized_numbers_are_cast_as_the_integers_they_are() -> None:
    quantized = np.dtype([("qint8", np.int8)])
    stored = casting.cast(np.array([1.0, -3.0]), quantized)
    assert stored.dtype == quantized
    assert casting.cast(stored, np.dtype(np.int32)).tolist() == [1, -3]


def test_bitcast_refuses_other_sizes() -> None:
    with pytest.raises(InvalidArgumentError, match="last dimension of 4"):
        casting.bitcast(np.zeros((2, 3), np.int8), np.dtype(np.int32))


# --- division -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (elementwise.floor_divide_integers, [3, -4, -4, SMALLEST]),
        (elementwise.truncate_divide_integers, [3, -3, -3, SMALLEST]),
        (elementwise.floor_modulo_integers, [1, 1, -1, 0]),
        (elementwise.truncate_modulo_integers, [1, -1, 1, 0]),
    ],
)
def test_integer_division(function: elementwise.Kernel, expected: list[int]) -> None:
    x, y = np.int32([7, -7, 7, SMALLEST]), np.int32([2, 2, -2, -1])
    assert function(x, y).tolist() == expected
    with pytest.raises(InvalidArgumentError, match="division by zero"):
        function(x, np.int32([1, 0, 1, 1]))


def test_floats_are_floored_after_their_division() -> None:
    assert elementwise.floor_divide(np.float64(1), np.float64(0.1)) == 10


# --- reductions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_narrow_floats_are_summed_in_float32(dtype: type) -> None:
    ones = np.ones(4096, dtype)
    assert reductions.reduce_sum(ones, (0,), False) == 4096
    assert reductions.reduce_mean(np.full(8, 60000, np.float16), (0,), False) == 60000


def test_means_of_integers_do_not_overflow() -> None:
    assert reductions.reduce_mean(np.int8([100, 100]), (0,), False) == 100
    assert reductions.reduce_mean(np.int32([-7, -8]), (0,), False) == -7


def test_reductions_of_nothing() -> None:
    nothing = np.zeros((2, 0), np.float32)
    assert reductions.reduce_max(nothing, (1,), False).tolist() == [-math.inf] * 2
    assert reductions.reduce_min(np.zeros(0, np.int8), (0,), False) == 127
    assert np.isnan(reductions.reduce_mean(nothing, (1,), False)).all()
    with pytest.raises(InvalidArgumentError, match="axis 1 is empty"):
        reductions.arg_max(nothing, 1, np.dtype(np.int64))


def test_places_of_extrema_pass_over_nan() -> None:
    values = np.array([math.nan, 1.0, 3.0, 3.0])
    assert reductions.arg_max(values, 0, np.dtype(np.int64)) == 2
    assert reductions.arg_min(values, 0, np.dtype(np.int64)) == 1
    assert reductions.arg_max(np.full(3, math.nan), 0, np.dtype(np.int64)) == 0


@pytest.mark.parametrize(("axes", "words"), [([2], "2"), ([-3], "-3"), ([0, 0], "Duplicate")])
def test_wrong_axes_are_refused(axes: list[int], words: str) -> None:
    with pytest.raises(InvalidArgumentError, match=words):
        reductions.reduction_axes(np.array(axes), 2)


def test_scans_of_nothing_and_of_one() -> None:
    assert scans.cumulative(np.add, np.zeros((0, 2)), 0, True, False).shape == (0, 2)
    assert scans.cumulative(np.multiply, np.array([5.0]), 0, True, False).tolist() == [1]


# --- products -------------------------------------------------------------------------------------


def test_products_of_sizes_that_do_not_fit_tell_both() -> None:
    with pytest.raises(InvalidArgumentError, match=r"\[2, 3\] times \[2, 3\]"):
        matrix_product.matrix_product(np.zeros((2, 3)), np.zeros((2, 3)))
    with pytest.raises(InvalidArgumentError, match="rank 2"):
        matrix_product.matrix_product(np.zeros(3), np.zeros((3, 1)))
    with pytest.raises(InvalidArgumentError):
        matrix_product.batch_matrix_product(
            np.zeros((2, 3, 3)), np.zeros((1, 3, 3)), broadcast=False
        )


# --- special functions ----------------------------------------------------------------------------

LINE = np.concatenate([np.linspace(-6, 6, 601), [0.46875, 4.0, 26.0, -30.0, 1e-300]])


@pytest.mark.parametrize(
    ("function", "reference"),
    [(error_functions.erf, math.erf), (error_functions.erfc, math.erfc)],
)
def test_error_functions_to_the_last_digits(function: object, reference: object) -> None:
    expected = np.array([reference(x) for x in LINE])
    np.testing.assert_allclose(function(LINE), expected, rtol=1e-15, atol=0)


def test_quantiles_to_the_last_digits() -> None:
    p = np.concatenate([np.linspace(1e-6, 1 - 1e-6, 501), [1e-300, 1e-20]])
    expected = [NormalDist().inv_cdf(item) for item in p]
    np.testing.assert_allclose(error_functions.ndtri(p), expected, rtol=1e-14, atol=1e-15)
    ends = error_functions.erfinv(np.array([-1.0, 1.0, 1.5, 0.0]))
    np.testing.assert_array_equal(ends, [-math.inf, math.inf, math.nan, 0])


def test_log_gamma_to_the_last_digits() -> None:
    x = np.concatenate([np.linspace(-5.3, 30, 700), [171.0, 1e10, 1e300, 1e-8]])
    expected = np.array([math.lgamma(item) for item in x])
    np.testing.assert_allclose(gamma_functions.lgamma(x), expected, rtol=1e-14, atol=2e-14)


def test_incomplete_gamma_functions_at_the_edges() -> None:
    a, x = np.array([1.0, 1.0, 1.0, -1.0, 2.0]), np.array([0.0, math.inf, -1.0, 1.0, 700.0])
    np.testing.assert_array_equal(gamma_functions.igamma(a, x), [0, 1, math.nan, math.nan, 1])
    np.testing.assert_array_equal(gamma_functions.igammac(a, x)[:4], [1, 0, math.nan, math.nan])

"""The test bed itself: outcomes survive storage to the last bit, and differences are seen."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from . import storage
from .capture import Outcome, Output
from .compare import array_differences, differences

ARRAYS = [
    np.float32([0.1, -0.0, 1e-45, 3.4e38, np.nan, np.inf, -np.inf]),
    np.float64([[0.1, 1 / 3], [5e-324, 1e308]]),
    np.float16([0.1, 65504, 6e-8]),
    np.array([0.1, 3e38], ml_dtypes.bfloat16),
    np.complex64([0.1 + 2j, complex(np.nan, -np.inf)]),
    np.array([-(2**63), 2**63 - 1]),
    np.uint64([2**64 - 1]),
    np.array([True, False]),
    np.array([[b"\x00\xff", b""]], object),
    np.zeros([2, 0], np.float32),
    np.array(7, np.int8),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype.name}{array.shape}")
def test_stored_arrays_come_back_exactly(
    array: np.ndarray, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "FOLDER", tmp_path)
    output = Output(array.dtype.name, list(array.shape), [array, array])
    path = storage.write_family("family", {"case": Outcome({"x": output})}, {"tensorflow": "2"})
    outcomes, header = storage.read_family(path)
    (again, _) = outcomes["case"].outputs["x"].values
    assert header == {"tensorflow": "2"}
    assert again.dtype == array.dtype and again.shape == array.shape
    if array.dtype.hasobject:
        assert again.tolist() == array.tolist()
    else:
        assert again.tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (np.float32([1.0, 2.0]), np.float32([1.0, 2.001])),
        (np.float32([1.0, np.nan]), np.float32([1.0, 2.0])),
        (np.float32([1.0, 2.0]), np.float32([1.0, np.nan])),
        (np.float32([np.inf]), np.float32([-np.inf])),
        (np.float32([1e-3, 1.0]), np.float32([2e-3, 1.0])),
        (np.float64([1.0]), np.float32([1.0])),
        (np.int32([1, 2]), np.int32([1, 3])),
        (np.float32([1.0]), np.float32([[1.0]])),
        (np.complex64([1 + 1j]), np.complex64([1 + 1.1j])),
        (np.array([b"a"], object), np.array([b"a\x00"], object)),
        (np.zeros([0, 2], np.float32), np.zeros([2, 0], np.float32)),
    ],
)
def test_array_differences_are_seen(actual: np.ndarray, expected: np.ndarray) -> None:
    assert list(array_differences(actual, expected))


def test_rounding_is_not_a_difference_unless_exactness_is_asked_for() -> None:
    expected = np.float32([1.0, 2.0, np.nan, np.inf])
    actual = np.nextafter(expected, np.float32(9))
    actual[3] = np.inf
    assert not list(array_differences(actual, expected))
    assert list(array_differences(actual, expected, 0.0))


@pytest.mark.parametrize(
    "actual",
    [
        Outcome({"x": Output("float32", [2], [np.float32([1.0, 2.0])])}),
        Outcome({"x": Output("float32_ref", [None], [np.float32([1.0, 2.0])])}),
        Outcome({"y": Output("float32", [None], [np.float32([1.0, 2.0])])}),
        Outcome({"x": Output(literal=1)}),
        Outcome({}),
    ],
    ids=["static shape", "dtype", "name", "literal", "missing"],
)
def test_differences_of_facts_are_seen(actual: Outcome) -> None:
    expected = Outcome({"x": Output("float32", [None], [np.float32([1.0, 2.0])])})
    assert not differences(expected, expected)
    assert differences(actual, expected)


def test_an_error_must_be_caught_where_tensorflows_is() -> None:
    expected = Outcome(error="ValueError", stage="build")
    assert not differences(Outcome(stage="build", raised=UnicodeError()), expected)
    assert differences(Outcome(stage="build", raised=TypeError()), expected)
    assert differences(Outcome(stage="run", raised=ValueError()), expected)
    assert differences(Outcome({}), expected)

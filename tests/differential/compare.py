"""Compares an outcome with the recorded one and says in words what differs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .capture import Outcome, Output
from .storage import numpy_dtype

# Allowed error per unit of (magnitude of the value + mean magnitude of its array): a few units in
# the last place, since a different summation order is not a different answer.
TOLERANCES = {
    "float64": 1e-12,
    "complex128": 1e-12,
    "float32": 1e-5,
    "complex64": 1e-5,
    "float16": 2e-3,
    "bfloat16": 1.6e-2,
}


def differences(actual: Outcome, expected: Outcome) -> list[str]:
    """Returns one line per way in which `actual` differs from the recorded `expected`."""
    if expected.error is not None:
        return list(_error_differences(actual, expected))
    found = []
    if list(actual.outputs) != list(expected.outputs):
        found.append(f"outputs are {list(actual.outputs)}, not {list(expected.outputs)}")
    for name, output in expected.outputs.items():
        if name in actual.outputs:
            lines = _output_differences(actual.outputs[name], output, expected.tolerance)
            found.extend(f"{name}: {line}" for line in lines)
    return found


def _error_differences(actual: Outcome, expected: Outcome) -> Iterator[str]:
    """An error may be more specific than TensorFlow's: what caught TensorFlow's must catch it."""
    if actual.raised is None:
        yield f"nothing was raised, but {expected.error} should be (at {expected.stage})"
        return
    ancestors = [ancestor.__name__ for ancestor in type(actual.raised).__mro__]
    if expected.error not in ancestors:
        yield f"raised {actual.raised!r}, not {expected.error}"
    if actual.stage != expected.stage:
        yield f"raised at {actual.stage}, not at {expected.stage}: {actual.raised!r}"


def _output_differences(actual: Output, expected: Output, tolerance: float | None) -> Iterator[str]:
    if actual.literal != expected.literal or type(actual.literal) is not type(expected.literal):
        yield f"is {actual.literal!r}, not {expected.literal!r}"
    if actual.dtype != expected.dtype:
        yield f"dtype is {actual.dtype}, not {expected.dtype}"
    if actual.static_shape != expected.static_shape:
        yield f"static shape is {actual.static_shape}, not {expected.static_shape}"
    if len(actual.values) != len(expected.values):
        yield f"has {len(actual.values)} values, not {len(expected.values)}"
        return
    for run, (value, recorded) in enumerate(zip(actual.values, expected.values, strict=True)):
        for line in array_differences(value, recorded, tolerance):
            yield f"run {run}: {line}" if len(expected.values) > 1 else line


def array_differences(
    actual: np.ndarray, expected: np.ndarray, tolerance: float | None = None
) -> Iterator[str]:
    """Yields what differs between two arrays: dtype, shape, or where values are too far apart."""
    if actual.dtype != numpy_dtype(expected.dtype.name):
        yield f"the value's NumPy dtype is {actual.dtype}, not {expected.dtype}"
    elif actual.shape != expected.shape:
        yield f"the value's shape is {actual.shape}, not {expected.shape}"
    else:
        wrong = _too_far(actual, expected, tolerance)
        if np.any(wrong):
            first = tuple(int(i) for i in np.argwhere(wrong)[0])
            yield (
                f"{np.count_nonzero(wrong)} of {wrong.size} values differ, first at {first}: "
                f"{actual[first]!r}, not {expected[first]!r}"
            )


def _too_far(actual: np.ndarray, expected: np.ndarray, tolerance: float | None) -> np.ndarray:
    if tolerance is None:
        tolerance = TOLERANCES.get(expected.dtype.name, 0.0)
    if expected.dtype.name not in TOLERANCES or tolerance == 0.0:
        return np.asarray((actual != expected) & ~((actual != actual) & (expected != expected)))
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    wide_actual, wide_expected = actual.astype(wide), expected.astype(wide)
    finite = np.isfinite(wide_expected)
    magnitude = np.where(finite, np.abs(wide_expected), 0.0)
    with np.errstate(invalid="ignore", over="ignore"):
        scale = magnitude.sum() / max(np.count_nonzero(finite), 1)
        close = np.abs(wide_actual - wide_expected) <= tolerance * (magnitude + scale)
    same = (wide_actual == wide_expected) | (np.isnan(wide_actual) & np.isnan(wide_expected))
    return np.asarray(~np.where(finite, close | same, same))

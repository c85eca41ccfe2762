"""Assertions about arrays, the part of tf.test.TestCase that needs nothing but values."""

from __future__ import annotations

import unittest
from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np

from featherflow.framework.dtypes import as_dtype
from featherflow.graph.tensor import Tensor
from featherflow.ops.variable_base import Variable

_SHOWN = 10


class ArrayAssertions(unittest.TestCase):
    """Assertions about arrays. Whatever they take may be a tensor: `evaluate` gives its value."""

    def evaluate(self, tensors: Any) -> Any:
        """The values of a nest of tensors."""
        raise NotImplementedError

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Both values, where both are tensors; else both as they are."""
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            return self.evaluate([a, b])
        return a, b

    def _GetNdArray(self, a: Any) -> np.ndarray:
        """A value, or that of a tensor, as an array."""
        if isinstance(a, (Tensor, Variable)):
            a = self.evaluate(a)
        return a if isinstance(a, np.ndarray) else np.array(a)

    # --- near -------------------------------------------------------------------------------------

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """|f1 − f2| ≤ err."""
        told = f"{f1:f} != {f2:f} +/- {err:f}" + (f" ({msg})" if msg else "")
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, told)

    def assertArrayNear(
        self, farray1: Any, farray2: Any, err: float, msg: str | None = None
    ) -> None:
        """|aᵢ − bᵢ| ≤ err for all elements of two sequences of one length."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for first, second in zip(farray1, farray2):
            self.assertNear(float(first), float(second), err, msg)

    def assertNDArrayNear(
        self, ndarray1: np.ndarray, ndarray2: np.ndarray, err: float, msg: str | None = None
    ) -> None:
        """‖a − b‖ < err, the Euclidean norm."""
        distance = np.linalg.norm(np.asarray(ndarray1) - np.asarray(ndarray2))
        self.assertTrue(bool(distance < err), msg or f"the distance is {distance}, not below {err}")

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """|aᵢ − bᵢ| ≤ atol + rtol·|bᵢ| in all arrays of two nests of dicts, tuples and lists."""
        self._assert_all_close(a, b, rtol, atol, [], msg)

    def _assert_all_close(
        self, a: Any, b: Any, rtol: float, atol: float, path: list[str], msg: str | None
    ) -> None:
        place = "".join(path)
        if hasattr(a, "_asdict"):
            a, b = a._asdict(), b._asdict()
        if isinstance(a, Mapping) != isinstance(b, Mapping):
            raise ValueError(f"Can't compare dict to non-dict, a{place} vs b{place}. {msg or ''}")
        if isinstance(a, Mapping):
            self.assertCountEqual(a.keys(), b.keys(), f"keys of a{place} and b{place}")
            for key in a:
                self._assert_all_close(a[key], b[key], rtol, atol, [*path, f"[{key!r}]"], msg)
        elif isinstance(a, (list, tuple)):
            self._assert_sequences_close(a, b, rtol, atol, path, msg)
        else:
            self._assert_arrays_close(a, b, rtol, atol, place, msg)

    def _assert_sequences_close(
        self, a: Any, b: Any, rtol: float, atol: float, path: list[str], msg: str | None
    ) -> None:
        try:
            a, b = self.evaluate_if_both_tensors(a, b)
            arrays = self._GetNdArray(a), self._GetNdArray(b)
        except (TypeError, ValueError):
            arrays = None  # ragged, or a nest of other things: item by item
        if arrays is not None and all(array.dtype != object for array in arrays):
            self._assert_arrays_close(*arrays, rtol, atol, "".join(path), msg)
            return
        self.assertEqual(len(a), len(b), f"lengths of a{''.join(path)} and b{''.join(path)}")
        for index, (first, second) in enumerate(zip(a, b)):
            self._assert_all_close(first, second, rtol, atol, [*path, f"[{index}]"], msg)

    def _assert_arrays_close(
        self, a: Any, b: Any, rtol: float, atol: float, place: str, msg: str | None
    ) -> None:
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        self._assert_shapes_equal(a, b, msg)
        a, b = _widened(a), _widened(b)
        if np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
            return
        where = ~np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
        told = [
            f"Not equal to tolerance rtol={rtol}, atol={atol}",
            f"Mismatched value: a{place} is different from b{place}. {msg or ''}",
            _differences(a, b, where),
            f"not close tol = {atol + rtol * np.abs(np.atleast_1d(b)[np.atleast_1d(where)])}",
        ]
        self.fail("\n".join(told))

    def _assert_shapes_equal(self, a: np.ndarray, b: np.ndarray, msg: str | None) -> None:
        told = f"Shape mismatch: expected {a.shape}, got {b.shape}. Contents: {b!r}. {msg or ''}"
        self.assertEqual(a.shape, b.shape, told)

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """`assertAllClose` with the tolerances of the less precise of two dtypes."""
        a, b = self.evaluate_if_both_tensors(a, b)
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        tolerances: list[tuple[tuple[Any, ...], float, float]] = [
            ((np.float32, np.complex64), float_rtol, float_atol),
            ((np.float16,), half_rtol, half_atol),
            ((ml_dtypes.bfloat16,), bfloat16_rtol, bfloat16_atol),
        ]
        for types, own_rtol, own_atol in tolerances:
            if any(array.dtype == one for array in (a, b) for one in types):
                rtol, atol = max(rtol, own_rtol), max(atol, own_atol)
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Some element is not close."""
        try:
            self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)
        except self.failureException:
            return
        self.fail(f"The two values are close at all elements. {msg or ''}")

    # --- equal ------------------------------------------------------------------------------------

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Two arrays of one shape have the same elements; NaN is the same as NaN."""
        a, b = self.evaluate_if_both_tensors(a, b)
        a, b = _without_text(self._GetNdArray(a)), _without_text(self._GetNdArray(b))
        self._assert_shapes_equal(a, b, msg)
        different = ~_is_same(a, b)
        if different.any():
            told = ["Arrays are not equal", msg or "", _differences(a, b, different)]
            self.fail("\n".join(told))

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Some element, or the shape, is another."""
        try:
            self.assertAllEqual(a, b)
        except self.failureException:
            return
        self.fail(f"The two values are equal at all elements. {msg or ''}")

    # --- bounds -----------------------------------------------------------------------------------

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """All elements are greater than a number."""
        self.assertGreater(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """All elements are at least a number."""
        self.assertGreaterEqual(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """All elements are less than a number."""
        self.assertLess(np.max(self._GetNdArray(a)), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """All elements are at most a number."""
        self.assertLessEqual(np.max(self._GetNdArray(a)), comparison_target)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """All elements are numbers between two bounds, which belong to the range unless open."""
        target = self._GetNdArray(target)
        if not np.issubdtype(target.dtype, np.number) and target.dtype != ml_dtypes.bfloat16:
            self.fail(f"The value is no array of numbers: its dtype is {target.dtype}.")
        below = target <= lower_bound if open_lower_bound else target < lower_bound
        above = target >= upper_bound if open_upper_bound else target > upper_bound
        outside = below | above | np.isnan(target)
        if outside.any():
            left, right = "(["[not open_lower_bound], ")]"[not open_upper_bound]
            self.fail(
                f"{outside.sum()} of the {target.size} element(s) are outside the range "
                f"{left}{lower_bound}, {upper_bound}{right}. Subscript(s) and value(s) of the "
                f"offending elements:\n{_listed(target, outside)}"
            )

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """All elements are among given ones."""
        elements = np.unique(self._GetNdArray(target))
        others = [item for item in elements.tolist() if item not in expected_set]
        if others:
            self.fail(
                f"{len(others)} unique element(s) are not in the set {expected_set}: {others}"
            )

    # --- dtypes and shapes ------------------------------------------------------------------------

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """The dtype of an array, or of each item of a list."""
        if isinstance(target, list):
            dtypes = [self._GetNdArray(item).dtype for item in target]
        else:
            dtypes = [self._GetNdArray(target).dtype]
        expected = as_dtype(expected_dtype).as_numpy_dtype
        for dtype in dtypes:
            self.assertEqual(dtype, np.dtype(expected))

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Two arrays or tensors have one shape."""
        shapes = []
        for value in (input_a, input_b):
            if not isinstance(value, (np.ndarray, np.generic, Tensor)):
                raise TypeError(f"Expected an array or a tensor, received {type(value)}.")
            is_tensor = isinstance(value, Tensor)
            shapes.append(tuple(value.shape.as_list()) if is_tensor else value.shape)
        self.assertEqual(shapes[0], shapes[1], msg)


def _widened(array: np.ndarray) -> np.ndarray:
    """Half precision as float32, which NumPy compares well."""
    narrow = array.dtype == np.float16 or array.dtype == ml_dtypes.bfloat16
    return array.astype(np.float32) if narrow else array


def _without_text(array: np.ndarray) -> np.ndarray:
    """Text as bytes: so are the strings of tensors."""
    if array.dtype.kind not in "USO":
        return array
    items = array.reshape(-1).tolist()
    result = np.empty(array.shape, object)
    result.reshape(-1)[:] = [item.encode() if isinstance(item, str) else item for item in items]
    return result


def _is_same(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    same = np.asarray(a == b, bool)
    if a.dtype == object or b.dtype == object or same.all():
        return same
    if {a.dtype.kind, b.dtype.kind} <= set("fcV"):
        same = same | (np.isnan(_widened(a)) & np.isnan(_widened(b)))
    return same


def _differences(a: np.ndarray, b: np.ndarray, where: np.ndarray) -> str:
    a, b, where = np.atleast_1d(a), np.atleast_1d(b), np.atleast_1d(where)
    lines = [f"{where.sum()} of {where.size} elements differ, at {np.nonzero(where)}"]
    lines += [f"left = {a[where]}", f"right = {b[where]}"]
    if np.issubdtype(a.dtype, np.number) and np.issubdtype(b.dtype, np.number):
        lines.append(f"difference = {np.abs(a[where] - b[where])}")
    lines.append(f"dtype = {a.dtype}, shape = {a.shape}")
    return "\n".join(lines)


def _listed(array: np.ndarray, where: np.ndarray) -> str:
    places = np.argwhere(where)[:_SHOWN]
    lines = [f"  {place.tolist()} : {array[tuple(place)]}" for place in places]
    return "\n".join(lines + ["  ..."] * (int(where.sum()) > _SHOWN))

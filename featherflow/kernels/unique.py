"""Distinct elements of arrays, in the order of their first places."""

from __future__ import annotations

import numpy as np


def unique(values: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The distinct slices of `values` along `axis`.

    Returns:
      The slices in the order of their first places; for each slice of `values`, its place among
      them; and how often each occurs.
    """
    rows = np.moveaxis(values, axis, 0)
    first, places = _first_places(rows)
    counts = np.bincount(places, minlength=len(first))
    distinct = np.moveaxis(rows[first], 0, axis).copy(order="C")
    return distinct, places, counts


def _first_places(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each distinct row occurs first, and for each row which of them it is."""
    if rows.ndim == 1 and rows.dtype.kind in "biuf":
        _, first, inverse = np.unique(rows, return_index=True, return_inverse=True, equal_nan=False)
        order = np.argsort(first, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return first[order], rank[inverse]
    seen: dict[object, int] = {}
    firsts: list[int] = []
    places = np.empty(len(rows), dtype=np.int64)
    for index, key in enumerate(_keys(rows)):
        place = seen.setdefault(key, len(firsts))
        if place == len(firsts):
            firsts.append(index)
        places[index] = place
    return np.array(firsts, dtype=np.int64), places


def _keys(rows: np.ndarray) -> list[object]:
    """Something hashable for each row, equal where the rows are."""
    flat = rows.reshape(len(rows), rows.size // max(len(rows), 1))
    return [tuple(row) for row in flat.tolist()]


def is_missing(values: np.ndarray, others: np.ndarray) -> np.ndarray:
    """For each of `values`, whether it is not among `others`."""
    if values.dtype.kind in "biuf":
        return ~np.isin(values, others)
    known = set(others.tolist())
    return np.array([value not in known for value in values.tolist()], dtype=bool)

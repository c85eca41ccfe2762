"""The greatest elements of rows, and their places."""

from __future__ import annotations

import numpy as np


def top_k(values: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The `k` greatest elements of each row, in descending order, and their places.

    Of equal elements the one with the lower place comes first.
    """
    count = values.shape[-1]
    # A stable ascending order of the reversed row, read backwards: negation would overflow.
    places = count - 1 - np.argsort(values[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    places = places[..., :k].copy()
    return np.take_along_axis(values, places, axis=-1), places

"""Checks of the shapes that the fused recurrent steps are given."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from featherflow.framework.errors import InvalidArgumentError


def check_ranks(arrays: Mapping[str, tuple[np.ndarray, int]]) -> None:
    """Refuses an array that has not the rank beside it."""
    for name, (array, rank) in arrays.items():
        if array.ndim != rank:
            raise InvalidArgumentError(
                None,
                None,
                f"{name} must be rank {rank} but is rank {array.ndim}",
                received=f"shape {list(array.shape)}",
                expected=f"rank {rank}",
            )


def check_shapes(arrays: Mapping[str, tuple[np.ndarray, tuple[int, ...]]]) -> None:
    """Refuses an array that has not the shape beside it."""
    for name, (array, shape) in arrays.items():
        if array.shape != shape:
            raise InvalidArgumentError(
                None,
                None,
                f"{name} does not fit the other inputs",
                received=f"shape {list(array.shape)}",
                expected=f"shape {list(shape)}",
            )


def check_length(seq_len_max: np.ndarray, steps: int) -> int:
    """The number of steps to take, a scalar that is at most the number of steps there are."""
    check_ranks({"seq_len_max": (seq_len_max, 0)})
    length = int(seq_len_max)
    if not 0 <= length <= steps:
        raise InvalidArgumentError(
            None,
            None,
            "seq_len_max must be at least 0 and at most the time steps of x",
            received=length,
            expected=f"0 to {steps}",
        )
    return length

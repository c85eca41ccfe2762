"""Axes as ops take them: negative ones count from the end, wrong ones are refused."""

from __future__ import annotations

from collections.abc import Iterable

from featherflow.framework.errors import InvalidArgumentError


def normalize_axis(axis: int, rank: int, what: str = "axis") -> int:
    """`axis` as a number in [0, rank).

    Raises:
      InvalidArgumentError: it is not in [−rank, rank).
    """
    if not -rank <= axis < rank:
        raise InvalidArgumentError(
            None,
            None,
            f"Invalid {what}",
            received=f"{what} = {axis}",
            expected=f"a number in [{-rank}, {rank})",
        )
    return axis + rank if axis < 0 else axis


def normalize_axes(axes: Iterable[int], rank: int, what: str = "axis") -> tuple[int, ...]:
    """Each of `axes` as a number in [0, rank), none of them twice.

    Raises:
      InvalidArgumentError: one is out of range, or given twice.
    """
    result = tuple(normalize_axis(int(axis), rank, what) for axis in axes)
    if len(set(result)) != len(result):
        raise InvalidArgumentError(
            None,
            None,
            f"Duplicate {what}",
            received=f"{list(result)}",
            expected="each dimension once at most",
        )
    return result

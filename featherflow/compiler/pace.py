"""Pace: whether a program is quicker with the team or alone, now that others may hold a core.

A thread that loses its core to another process is gone for milliseconds, and all others wait for
it at the next barrier. A long program bears that; one of a tenth of a millisecond takes ten times
as long. So the times of both ways are compared, and the team rests while it is slower: ten
milliseconds at first, then twice as long each time that it is slower again.
"""

from __future__ import annotations

#: How much slower than alone the team may be before it rests.
_TOO_SLOW = 1.2
_FIRST_REST, _LONGEST_REST = 0.01, 1.0
#: Runs that go alone, so that its time is known: the first ones find cold caches.
_TRIALS_ALONE = (3, 5)
#: The weight of the newest run in the time of a way.
_NEWEST = 0.3


class Pace:
    """The times of one program; threads that run it at once may lose one of them."""

    __slots__ = ("_alone", "_rest", "_runs", "_together", "_until")

    def __init__(self) -> None:
        self._alone = self._together = 0.0
        self._runs = 0
        self._rest = _FIRST_REST
        self._until = 0.0

    def goes_together(self, now: float) -> bool:
        """Whether the next run should take the team, at a time of the performance clock."""
        self._runs += 1
        return self._runs not in _TRIALS_ALONE and now >= self._until

    def took(self, together: bool, start: float, end: float) -> None:
        """Takes down a run."""
        if not together:
            self._alone = _blend(self._alone, end - start)
            return
        self._together = _blend(self._together, end - start)
        if not self._alone or self._together <= _TOO_SLOW * self._alone:
            self._rest = max(self._rest / 2, _FIRST_REST)
        else:
            self._until = end + self._rest
            self._rest = min(2 * self._rest, _LONGEST_REST)
            self._together = 0.0


def _blend(old: float, new: float) -> float:
    return (1 - _NEWEST) * old + _NEWEST * new if old else new

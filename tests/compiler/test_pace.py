"""Pace: the team rests while it is slower than one thread, and is tried again."""

from __future__ import annotations

import itertools

from featherflow.compiler.pace import Pace

ALONE = 1e-3


class Clock:
    """A program that takes 1 ms alone, and `together` seconds with the team."""

    def __init__(self) -> None:
        self.now = 100.0
        self.pace = Pace()

    def run(self, together: float) -> bool:
        takes_team = self.pace.goes_together(self.now)
        start = self.now
        self.now += together if takes_team else ALONE
        self.pace.took(takes_team, start, self.now)
        return takes_team


def test_a_quick_team_runs_but_for_two_trials() -> None:
    clock = Clock()
    assert [clock.run(0.6e-3) for _ in range(50)].count(False) == 2


def test_a_slow_team_rests_longer_and_longer() -> None:
    clock = Clock()
    start = clock.now
    tries = [clock.now - start for _ in range(4000) if clock.run(4e-3)]
    rests = [later - earlier for earlier, later in itertools.pairwise(tries)]
    assert all(later >= earlier - 2e-3 for earlier, later in itertools.pairwise(rests))
    assert rests[-1] >= 0.9  # a second, so that a try costs next to nothing


def test_a_team_that_is_quick_again_is_used_again() -> None:
    clock = Clock()
    for _ in range(200):
        clock.run(4e-3)
    assert [clock.run(0.6e-3) for _ in range(3000)][-100:] == [True] * 100


def test_one_late_run_costs_a_short_rest() -> None:
    clock = Clock()
    for _ in range(20):
        clock.run(0.6e-3)
    clock.run(8e-3)
    later = [clock.run(0.6e-3) for _ in range(40)]
    assert later.count(False) <= 11
    assert later[-20:] == [True] * 20

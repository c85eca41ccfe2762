"""The memory plan: buffers that are in use at one time do not overlap, and memory is used again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from featherflow.compiler.memory_plan import plan_arena
from featherflow.compiler.program import RUNNER
from featherflow.compiler.storage import Address, Buffer, KernelCall, Phase

#: For each buffer: its size, and the phases that name it.
LIVES = st.lists(
    st.tuples(
        st.integers(0, 5000), st.lists(st.integers(0, 11), min_size=1, max_size=3), st.booleans()
    ),
    max_size=25,
)


def phases_of(lives: list) -> tuple[list[Phase], dict[Buffer, tuple[int, int]]]:
    """Phases whose calls name buffers, and the first and last phase of each."""
    phases = [Phase([[], []]) for _ in range(12)]
    used: dict[Buffer, tuple[int, int]] = {}
    for size, places, is_second in lives:
        buffer = Buffer("arena", size)
        for place in places:
            call = KernelCall(RUNNER, {"table": Address(buffer, size // 2), "phases": 3})
            phases[place].calls[is_second].append(call)
        used[buffer] = min(places), max(places)
    return phases, used


@given(LIVES)
def test_no_two_live_buffers_overlap(lives: list) -> None:
    phases, used = phases_of(lives)
    offsets, size = plan_arena(phases)
    assert offsets.keys() == used.keys()
    for buffer, (first, last) in used.items():
        start = offsets[buffer]
        assert start % 64 == 0 and start >= 0 and start + buffer.size <= size
        for other, (other_first, other_last) in used.items():
            if other is buffer or last < other_first or other_last < first:
                continue
            begins = offsets[other]
            assert start + max(buffer.size, 1) <= begins or begins + max(other.size, 1) <= start


@given(LIVES)
def test_arena_is_no_larger_than_all_buffers(lives: list) -> None:
    phases, used = phases_of(lives)
    _, size = plan_arena(phases)
    assert size <= sum(max(-(-buffer.size // 64), 1) * 64 for buffer in used)


def test_a_chain_needs_two_buffers() -> None:
    phases, _ = phases_of([(1000, [n, n + 1], False) for n in range(11)])
    assert plan_arena(phases)[1] == 2 * 1024


def test_a_large_buffer_takes_gaps_together() -> None:
    small = [(640, [0, 1], False), (640, [0, 1], False)]
    phases, _ = phases_of([*small, (1280, [2, 3], False)])
    assert plan_arena(phases)[1] == 1280


def test_other_buffers_have_no_place() -> None:
    call = KernelCall(RUNNER, {"table": Address(Buffer("input", 100)), "phases": 1})
    assert plan_arena([Phase([[call]])]) == ({}, 0)

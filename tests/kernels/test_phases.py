"""Phases of a strided window: every input position once, every tap that reaches it once."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from featherflow.kernels.phases import phases
from featherflow.kernels.windows import output_size

PARAMETERS = list(itertools.product((1, 4, 7), (1, 2, 3), (1, 2, 3, 4), (1, 2, 3, 6), (0, 1, 2)))


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_phases_list_the_taps_that_reach_each_position(
    parameters: tuple[int, int, int, int, int],
) -> None:
    size, window, stride, dilation, before = parameters
    outputs = max(output_size(size, window, stride, dilation, before + 20, 20) - 3, 0)
    reached = {position: [] for position in range(size)}
    for output, tap in itertools.product(range(outputs), range(window)):
        position = output * stride + tap * dilation - before
        if position in reached:
            reached[position].append((output, tap))
    found = {}
    for phase in phases(size, window, stride, dilation, before, outputs):
        lead, trail = phase.pads
        positions = list(range(size))[phase.positions]
        taps = list(range(window))[phase.taps]
        if taps:
            reach = (len(taps) - 1) * phase.dilation
            assert lead + outputs + trail - reach == len(positions)
        for number, position in enumerate(positions):
            pairs = [(number + step * phase.dilation - lead, tap) for step, tap in enumerate(taps)]
            assert position not in found
            found[position] = [pair for pair in pairs if 0 <= pair[0] < outputs]
    assert {position: sorted(pairs) for position, pairs in found.items()} == reached


def test_stride_one_is_a_single_phase() -> None:
    (phase,) = phases(size=5, window=3, stride=1, dilation=2, before=1, outputs=3)
    assert np.arange(3)[phase.taps].tolist() == [2, 1, 0]
    assert phase.dilation == 2
    assert phase.pads == (3, 3)

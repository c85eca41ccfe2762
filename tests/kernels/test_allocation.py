"""Outputs whose size an input says are refused before the machine runs out of memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from featherflow.framework.errors import ResourceExhaustedError
from featherflow.kernels import allocation


def test_free_memory_is_that_of_the_machine() -> None:
    assert 1 << 20 < allocation.free_memory() < 1 << 50


def test_small_arrays_are_not_looked_at(monkeypatch: Any) -> None:
    monkeypatch.setattr(allocation, "free_memory", lambda: 0)
    allocation.check_allocation((1 << 26,), np.dtype(np.float32))


@pytest.mark.parametrize("sizes", [(1 << 40,), (1 << 20, 1 << 20), np.int64([1 << 31, 1 << 31])])
def test_large_arrays_are_refused(sizes: Any) -> None:
    with pytest.raises(ResourceExhaustedError, match="OOM when allocating"):
        allocation.check_allocation(sizes, np.dtype(np.float64))


def test_large_arrays_that_fit_are_fine(monkeypatch: Any) -> None:
    monkeypatch.setattr(allocation, "free_memory", lambda: 1 << 30)
    allocation.check_allocation((1 << 28,), np.dtype(np.float32))
    with pytest.raises(ResourceExhaustedError, match="Received 2 GiB; expected at most 1 GiB"):
        allocation.check_allocation((1 << 28, 2), np.dtype(np.float32))


def test_the_group_of_a_container_counts(monkeypatch: Any, tmp_path: Any) -> None:
    monkeypatch.setattr(allocation, "_linux_memory", lambda: [1 << 40])
    monkeypatch.setattr(allocation, "_group_memory", lambda: [1 << 30])
    assert allocation.free_memory() == 1 << 30

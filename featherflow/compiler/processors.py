"""How many processors this process may use."""

from __future__ import annotations

import os
from pathlib import Path


def available_threads() -> int:
    """How many threads may be busy at a time, by the process's affinity and its quota of time."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    quota = quota_of_processors()
    return max(1, min(count or 1, quota) if quota else count or 1)


def quota_of_processors() -> int | None:
    """Whole processors that the control group allows; None if it sets no limit."""
    try:
        limit, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
    except (OSError, ValueError):
        return None
    return None if limit == "max" else max(1, int(limit) // int(period))

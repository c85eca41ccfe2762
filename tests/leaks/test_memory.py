"""Memory stays flat: whatever is made and dropped gives back what it took."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("memory_programs.py")
#: Growth allowed after the warm-up, in MB: the noise of the allocator.
ALLOWED = 2.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    ["runs_of_one_session", "sessions", "changing_image_sizes", "graphs", "closed_loops"],
)
def test_memory_is_flat(program: str) -> None:
    output = subprocess.run(
        [sys.executable, str(SCRIPT), program], capture_output=True, text=True, check=True
    ).stdout
    before, after = map(float, output.split())
    assert after - before <= ALLOWED

"""The examples of docs/graphs_and_functions.md run in order, and print what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "graphs_and_functions.md"
_PRINTED = re.compile(r"^print\(.*\)\s+# (.*)$|^    print\(.*\)\s+# (.*)$", re.MULTILINE)


def test_examples(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    assert len(blocks) >= 7
    path = tmp_path / "program.py"
    path.write_text("\n".join(blocks))
    done = subprocess.run(
        [sys.executable, str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stderr
    said = [first or second for block in blocks for first, second in _PRINTED.findall(block)]
    said[0] = said[0].partition(":")[0]
    assert done.stdout.splitlines() == said

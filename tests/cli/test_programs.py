"""Programs as users of TensorFlow type them print what they print with TensorFlow 2.21.

`programs/NAME.out` is what TensorFlow has printed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.py"))
ARGUMENTS = {
    "flags_and_app": (
        "--batch_size=32 --learning_rate 0.5 --fake_data --noverbose --mode=eval --layers=8,4 "
        "rest --unknown=1"
    ),
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_prints_what_tensorflow_prints(program: Path, featherflow) -> None:
    result = featherflow("run", program, *ARGUMENTS.get(program.stem, "").split())
    assert result.err == ""
    assert result.out == program.with_suffix(".out").read_text()
    assert result.status == 0

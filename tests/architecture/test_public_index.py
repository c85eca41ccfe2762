"""The generated index and stubs are what the decorators say, and every public name resolves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from featherflow import _index, _namespaces

ROOT = Path(__file__).resolve().parents[2]


def test_generated_files_are_current() -> None:
    result = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "generate_index.py"), "--check"],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("table", ["V1", "V2"])
def test_public_names_resolve(table: str) -> None:
    broken = []
    for name, location in getattr(_index, table).items():
        try:
            _namespaces.load(location)
        except (ImportError, AttributeError) as error:
            broken.append(f"{name}: {error}")
    assert not broken


def test_no_module_hides_a_public_name() -> None:
    """Importing `featherflow/metrics/auc.py` would make `tf.metrics.auc` that module."""
    names = {*_index.V1, *_index.V2} - set(_index.NAMESPACES)
    paths = [ROOT.joinpath("featherflow", *name.split(".")) for name in names]
    hidden = [path for path in paths if path.is_dir() or path.with_suffix(".py").exists()]
    assert not hidden


def test_import_loads_no_op_and_no_slow_library() -> None:
    """`import featherflow` stays quick: what is slow is loaded by those who use it."""
    code = (
        "import sys, featherflow; "
        "print(*[m for m in sys.modules if m.startswith(('featherflow.ops', 'google.protobuf', "
        "'llvmlite', 'PIL', 'concurrent', 'asyncio'))])"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert output.stdout.split() == []

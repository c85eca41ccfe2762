"""Where recorded calls of ops lie: a compressed file per module of `tests/ops/cases`."""

from __future__ import annotations

import gzip
import importlib
import json
import pkgutil
from pathlib import Path
from typing import Any

from ops import cases
from ops.op_case import OpCase

FOLDER = Path(__file__).with_name("recorded_calls")


def families() -> list[str]:
    """The modules of rows."""
    return sorted(info.name for info in pkgutil.iter_modules(cases.__path__))


def rows(family: str) -> list[OpCase]:
    """The rows of one module, but for those of which TensorFlow's Python knows nothing.

    It does not know internal ops, whose names start with `_`, and makes constants by itself.
    """
    module = importlib.import_module(f"{cases.__name__}.{family}")
    return [case for case in module.CASES if case.op.name[0] != "_" and case.arguments]


def write(family: str, recorded: dict[str, Any]) -> None:
    """Writes a family's outcomes by key; equal ones give equal bytes."""
    FOLDER.mkdir(exist_ok=True)
    text = json.dumps(recorded, separators=(",", ":"), sort_keys=True, allow_nan=False)
    packed = gzip.compress(text.encode("ascii"), mtime=0)
    (FOLDER / f"{family}.json.gz").write_bytes(packed)


def read(family: str) -> dict[str, Any]:
    """The recorded outcomes of a family by key; empty where nothing is recorded."""
    path = FOLDER / f"{family}.json.gz"
    return json.loads(gzip.decompress(path.read_bytes())) if path.exists() else {}

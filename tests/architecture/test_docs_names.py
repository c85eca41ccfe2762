"""What the documents name exists: `file.py::function`, paths, and public names."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    [
        ROOT / "README.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "featherflow").rglob("README.md"),
    ]
)
#: `runtime/session.py::Session.run`, with or without the leading `featherflow/`.
_NAME = re.compile(r"`([\w/]+\.py)::([\w.]+)`")
_PATH = re.compile(r"`((?:featherflow|tests|docs|examples|benchmarks|tools)/[\w./-]*)`")
_PUBLIC = re.compile(r"`tf\.([A-Za-z_][\w.]*)`")


@cache
def defined_names(path: Path) -> set[str]:
    """Functions, classes and assignments of a file; members of classes as `Class.member`."""
    names: set[str] = set()

    def visit(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                names.add(prefix + node.name)
                if isinstance(node, ast.ClassDef):
                    visit(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.Assign):
                names.update(prefix + t.id for t in node.targets if isinstance(t, ast.Name))
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                names.add(prefix + node.target.id)

    visit(ast.parse(path.read_text()).body, "")
    return names


def resolve(file: str) -> Path | None:
    return next(
        (base / file for base in (ROOT, ROOT / "featherflow") if (base / file).exists()), None
    )


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_names_resolve(document: Path) -> None:
    missing = []
    text = document.read_text()
    for file, name in _NAME.findall(text):
        path = resolve(file)
        if path is None or name not in defined_names(path):
            missing.append(f"{file}::{name}")
    missing += [path for path in _PATH.findall(text) if not (ROOT / path).exists()]
    assert not missing


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_public_names_exist(document: Path) -> None:
    import featherflow as tf

    missing = []
    for name in set(_PUBLIC.findall(document.read_text())):
        target = tf
        for part in name.split("."):
            target = getattr(target, part, None)
            if target is None:
                missing.append(f"tf.{name}")
                break
    assert not missing

"""Files and functions stay small enough to be read in one sitting."""

from __future__ import annotations

import ast
import io
import re
import statistics
import tokenize
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "featherflow"
MAX_FILE = 600
MAX_MEDIAN_FILE = 200
MAX_BODY = 40
MAX_BODY_P95 = 25
MAX_LINE = 100
FORBIDDEN_NAMES = {"utils", "helpers", "misc", "common", "impl"}

#: Written by a program, not by hand.
GENERATED = re.compile(r"written by tools/", re.IGNORECASE)
#: Files above the cap, by name, each with its reason.
LARGE_FILES: dict[str, str] = {}
#: Functions above the cap, by name, each with its reason.
LARGE_FUNCTIONS: dict[str, str] = {}


def written_files() -> list[Path]:
    return [
        path
        for path in sorted(PACKAGE.rglob("*.py"))
        if "protos" not in path.parts and not GENERATED.search(path.read_text()[:400])
    ]


def code_lines(source: str) -> set[int]:
    """Lines that hold code: no blank line, comment, or docstring."""
    lines: set[int] = set()
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in skipped and token.type != tokenize.ENDMARKER:
            lines.update(range(token.start[0], token.end[0] + 1))
    return lines


def functions() -> Iterator[tuple[str, int]]:
    """(file::function, code lines of its body) for every function."""
    for path in written_files():
        source = path.read_text()
        lines = code_lines(source)
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            body = node.body
            if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
                body = body[1:]
            if not body:
                continue
            first, last = body[0].lineno, body[-1].end_lineno or body[-1].lineno
            size = len([line for line in range(first, last + 1) if line in lines])
            yield f"{path.relative_to(PACKAGE)}::{node.name}", size


def test_files_are_short() -> None:
    sizes = {
        str(path.relative_to(PACKAGE)): len(path.read_text().splitlines())
        for path in written_files()
    }
    long = {
        name: size for name, size in sizes.items() if size > MAX_FILE and name not in LARGE_FILES
    }
    assert not long
    assert statistics.median(sizes.values()) <= MAX_MEDIAN_FILE


def test_functions_are_short() -> None:
    sizes = dict(functions())
    long = {
        name: size
        for name, size in sizes.items()
        if size > MAX_BODY and name not in LARGE_FUNCTIONS
    }
    assert not long
    assert sorted(sizes.values())[int(len(sizes) * 0.95)] <= MAX_BODY_P95


def test_lines_are_short() -> None:
    long = [
        f"{path.relative_to(PACKAGE)}:{number}"
        for path in written_files()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > MAX_LINE
    ]
    assert not long


def test_modules_say_what_they_hold() -> None:
    silent = [
        str(path.relative_to(PACKAGE))
        for path in written_files()
        if not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert not silent


def test_no_file_is_a_drawer() -> None:
    drawers = [path.name for path in written_files() if path.stem in FORBIDDEN_NAMES]
    assert not drawers


def test_exceptions_are_needed() -> None:
    names = {str(path.relative_to(PACKAGE)) for path in written_files()}
    assert set(LARGE_FILES) <= names
    assert set(LARGE_FUNCTIONS) <= dict(functions()).keys()

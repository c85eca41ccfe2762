"""Reads and writes the recorded graphs of programs: one JSON file a topic, one line a fact."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .graph_facts import NodeFacts

FOLDER = Path(__file__).parent / "program_graphs"


def write_topic(topic: str, version: str, facts_by_program: dict[str, dict[str, Any]]) -> Path:
    """Writes the facts of a topic's programs; `version` is TensorFlow's."""
    path = FOLDER / f"{topic}.json"
    programs = ",\n".join(
        f"{_text(name)}:{{\n{_facts_text(facts)}\n}}" for name, facts in facts_by_program.items()
    )
    path.write_text(f'{{"tensorflow":{_text(version)},"programs":{{\n{programs}\n}}}}\n', "ascii")
    return path


def read_topic(path: Path) -> dict[str, dict[str, Any]]:
    """Returns the facts of a topic by program."""
    programs = json.loads(path.read_text("ascii"))["programs"]
    for facts in programs.values():
        facts["nodes"] = [NodeFacts(*node) for node in facts["nodes"]]
    return programs


def _facts_text(facts: dict[str, Any]) -> str:
    return ",\n".join(f"{_text(name)}:{_lines(value)}" for name, value in facts.items())


def _lines(value: Any) -> str:
    """The JSON of a fact, with each element of a list or dict on a line of its own."""
    if not value or not isinstance(value, (list, dict)):
        return _text(value)
    if isinstance(value, list):
        return "[\n" + ",\n".join(map(_text, value)) + "\n]"
    return "{\n" + ",\n".join(_entries(value)) + "\n}"


def _entries(value: dict[str, Any]) -> Iterator[str]:
    for key, item in value.items():
        yield f"{_text(key)}:{_text(item)}"


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))

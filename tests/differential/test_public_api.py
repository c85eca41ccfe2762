"""Everything public is called as TensorFlow's is: names of arguments, order, defaults.

What differs on purpose stands in `public_api_exceptions.py`, each with its reason; an exception
that is none any more fails too.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from featherflow import _index, _namespaces

from .public_api_exceptions import (
    CALLED_OTHERWISE,
    MISSING_METHODS,
    OWN_NAMES,
    OWN_SUFFIXES,
)
from .public_signatures import describe

RECORDED = json.loads(gzip.decompress(Path(__file__).with_name("public_api.json.gz").read_bytes()))


class Difference(NamedTuple):
    """What differs: "kind", "call" or "missing" of a name; ours and TensorFlow's."""

    what: str
    where: str
    ours: Any
    theirs: Any


NAMES: dict[str, dict[str, str]] = {
    "v1": {**_index.V2, **_index.V1},
    "v2": _index.V2,
}


def recorded_facts(api: str, name: str) -> dict[str, Any] | None:
    """TensorFlow's facts of a name; names that only its TF2 API has are the same in ours."""
    tables = [RECORDED[api]] + ([RECORDED["v2"]] if api == "v1" and name in _index.V2 else [])
    for table in tables:
        facts = table.get(name)
        while facts is not None and "same" in facts:
            facts = table[facts["same"]]
        if facts is not None:
            return facts
    return None


def reason(name: str, exceptions: Mapping[str, str]) -> str | None:
    """Why a name is excepted: by itself, or by a namespace or class that it is in."""
    parts = name.split(".")
    prefixes = [".".join(parts[:count]) + "." for count in range(1, len(parts))]
    return next((exceptions[key] for key in (name, *prefixes) if key in exceptions), None)


def is_own(name: str) -> bool:
    return reason(name, OWN_NAMES) is not None or any(map(name.endswith, OWN_SUFFIXES))


def comparable(call: str | None) -> str | None:
    """Lists and tuples are the same as defaults; ours are tuples, which nobody can change."""
    return None if call is None else call.replace("[", "(").replace("]", ")")


def differences(name: str, location: str, facts: dict[str, Any]) -> Iterator[Difference]:
    """Of a function or class at a location, and of a class's methods."""
    if facts["kind"] == "value" or "call" not in facts:
        return
    ours = describe(_namespaces.load(location))
    if ours["kind"] != facts["kind"]:
        yield Difference("kind", name, ours["kind"], facts["kind"])
        return
    if comparable(ours["call"]) != comparable(facts["call"]):
        yield Difference("call", name, ours["call"], facts["call"])
    for method, call in facts.get("methods", {}).items():
        if method not in ours["methods"]:
            yield Difference("missing", f"{name}.{method}", None, call)
        elif comparable(ours["methods"][method]) != comparable(call):
            yield Difference("call", f"{name}.{method}", ours["methods"][method], call)


def found_differences(api: str) -> list[Difference]:
    found: list[Difference] = []
    for name, location in sorted(NAMES[api].items()):
        facts = recorded_facts(api, name)
        if facts is not None:
            found += differences(name, location, facts)
    return found


FOUND = {api: found_differences(api) for api in NAMES}


@pytest.mark.parametrize("api", sorted(NAMES))
def test_names_are_tensorflows(api: str) -> None:
    unknown = [name for name in NAMES[api] if recorded_facts(api, name) is None]
    assert not [name for name in unknown if not is_own(name)]


@pytest.mark.parametrize("api", sorted(NAMES))
def test_calls_are_tensorflows(api: str) -> None:
    wrong = [
        f"{item.where} is called {item.ours}, not {item.theirs}"
        for item in FOUND[api]
        if item.what != "missing" and reason(item.where, CALLED_OTHERWISE) is None
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("api", sorted(NAMES))
def test_methods_are_there(api: str) -> None:
    missing = [
        item.where
        for item in FOUND[api]
        if item.what == "missing" and reason(item.where, MISSING_METHODS) is None
    ]
    assert not missing, missing


def _used(exceptions: Mapping[str, str], names: set[str]) -> set[str]:
    """The exceptions that some name needs."""
    return {
        key
        for key in exceptions
        if any(name == key or (key.endswith(".") and name.startswith(key)) for name in names)
    }


@pytest.mark.parametrize(
    ("exceptions", "names"),
    [
        (CALLED_OTHERWISE, {d.where for f in FOUND.values() for d in f if d.what != "missing"}),
        (MISSING_METHODS, {d.where for f in FOUND.values() for d in f if d.what == "missing"}),
        (
            OWN_NAMES,
            {name for api in NAMES for name in NAMES[api] if recorded_facts(api, name) is None},
        ),
    ],
    ids=["called otherwise", "missing methods", "own names"],
)
def test_every_exception_is_one(exceptions: Mapping[str, str], names: set[str]) -> None:
    assert set(exceptions) == _used(exceptions, names)


def test_a_changed_argument_is_found() -> None:
    location, facts = NAMES["v2"]["square"], {"kind": "function", "call": "(x, name=None)"}
    assert not list(differences("square", location, facts))
    changed = {**facts, "call": "(y, name=None)"}
    assert [item.what for item in differences("square", location, changed)] == ["call"]

"""Public names, resolved when they are first used (PEP 562), from the generated `_index`.

Importing featherflow loads no op: `tf.nn.conv2d` loads `ops/conv_ops.py` and what it stands on.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from featherflow import _index
from featherflow.framework import mode
from featherflow.framework.op import set_family_index
from featherflow.framework.program_source import is_for_graphs

set_family_index(_index.OP_FAMILIES)


#: Namespaces that are the same in both APIs, `tf.compat.v1.compat.v1` too.
_SHARED = frozenset({"compat", "compat.v1", "compat.v2", "raw_ops"})


def _find(api: str, name: str) -> str | None:
    """`module:attribute` of a public name.

    "v1" has TF1's own objects and the common ones, "v2" TF2's. The root has all names: those that
    differ are TF1's in a program that builds graphs, else TF2's.
    """
    if api == "root":
        is_graph = mode.current() is mode.Mode.GRAPH
        tables = (_index.V1, _index.V2) if is_graph else (_index.V2, _index.V1)
        return tables[0].get(name) or tables[1].get(name)
    if api == "v1" and name in _index.V1:
        return _index.V1[name]
    return _index.V2.get(name)


#: What the root's namespaces keep of names that are another object in the other mode.
_kept_by_mode: list[tuple[dict[str, Any], str]] = []


def _forget_kept() -> None:
    """The mode has changed: names are looked up anew."""
    while _kept_by_mode:
        module_globals, name = _kept_by_mode.pop()
        module_globals.pop(name, None)


mode.on_change(_forget_kept)


def load(location: str) -> Any:
    """The object at `module:attribute`."""
    module, attribute = location.split(":")
    return getattr(importlib.import_module(module), attribute)


class Namespace(ModuleType):
    """A namespace without a file of its own, such as `tf.nn.rnn_cell`."""

    def __init__(self, api: str, prefix: str, full_name: str) -> None:
        super().__init__(full_name, f"Public namespace {full_name}: re-exports only.")
        self.__path__: list[str] = []
        self._resolve = resolver(api, prefix, self.__dict__, full_name)
        self._names = lister(api, prefix)

    def __getattr__(self, name: str) -> Any:
        return self._resolve(name)

    def __dir__(self) -> list[str]:
        return self._names()


def resolver(
    api: str, prefix: str, module_globals: dict[str, Any], full_name: str
) -> Callable[[str], Any]:
    """The `__getattr__` of the namespace `prefix` ("" for the root) in an API.

    What it finds is kept in `module_globals`, so that the next use is an ordinary look-up.
    """

    def resolve(name: str) -> Any:
        key = f"{prefix}.{name}" if prefix else name
        location = _find(api, key)
        if location is not None:
            if api == "root" and key in _index.V1:
                if mode.is_inside_graph():
                    return load(_index.V1[key] if key not in _index.V2 else location)
                location = _of_mode(key, location)
                _kept_by_mode.append((module_globals, name))
            value = load(location)
        elif key in _index.NAMESPACES:
            value = _namespace(api, key, f"{full_name}.{name}")
        else:
            raise AttributeError(_missing(full_name, name, lister(api, prefix)()))
        module_globals[name] = value
        return value

    return resolve


def _of_mode(name: str, location: str) -> str:
    """Where a name is that is TF1's own; one that is TF1's alone may decide the mode."""
    if name in _index.V2 or not mode.is_undecided() or not is_for_graphs(name):
        return location
    mode.tf1_name_used(name)
    return _index.V1[name]


def _namespace(api: str, prefix: str, full_name: str) -> ModuleType:
    """The module of a namespace: its file if it has one, else a Namespace."""
    if prefix in _SHARED:
        return importlib.import_module(f"featherflow.{prefix}")
    if full_name in sys.modules:
        return sys.modules[full_name]
    if has_file(full_name):
        return importlib.import_module(full_name)
    module = sys.modules[full_name] = Namespace(api, prefix, full_name)
    return module


def has_file(full_name: str) -> bool:
    """Whether a module that may not be imported yet has a file; those below a file have none."""
    parent = full_name.rpartition(".")[0]
    if parent in sys.modules and not hasattr(sys.modules[parent], "__path__"):
        return False
    return importlib.util.find_spec(full_name) is not None


def lister(api: str, prefix: str) -> Callable[[], list[str]]:
    """The `__dir__` of a namespace."""

    def names() -> list[str]:
        start = f"{prefix}." if prefix else ""
        tables = [_index.V2, _index.NAMESPACES] + ([_index.V1] if api != "v2" else [])
        found = {
            key[len(start) :].split(".")[0]
            for table in tables
            for key in table
            if key.startswith(start)
        }
        return sorted(found)

    return names


def lazy_namespace(
    prefix: str, module_globals: dict[str, Any], api: str = "root"
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for the file of a namespace."""
    return resolver(api, prefix, module_globals, module_globals["__name__"]), lister(api, prefix)


def _missing(full_name: str, name: str, names: list[str]) -> str:
    if name.startswith("__"):
        return f"module '{full_name}' has no attribute '{name}'"
    near = difflib.get_close_matches(name, names, 3)
    hint = f" Did you mean {', '.join(near)}?" if near else ""
    return f"module '{full_name}' has no attribute '{name}'.{hint}"

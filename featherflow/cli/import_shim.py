"""`import tensorflow` gives featherflow: a finder that stands before all others while it is on.

What stands for which module is in `tensorflow_names.py`. A real TensorFlow, if one is installed, is
not touched: it is just not found.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from featherflow import _index, _namespaces
from featherflow.cli.tensorflow_names import MESSAGE_MODULES, Stand, stand_for

_ROOT = "tensorflow"


class _FlatModule(ModuleType):
    """A module in which every public name is found, whatever its namespace."""

    def __init__(self, name: str) -> None:
        super().__init__(name, f"Stands for {name}: any public name of TF1's API.")
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        location = _flat_names().get(name)
        if location is None:
            raise AttributeError(
                f"featherflow has no '{name}' that could stand for {self.__name__}."
            )
        value = _namespaces.load(location)
        setattr(self, name, value)
        return value


_flat: dict[str, str] = {}


def _flat_names() -> dict[str, str]:
    """Last part of every public name → where it is; TF1's names and short names come first."""
    if not _flat:
        for table in (_index.V1, _index.V2):
            for name in sorted(table, key=lambda full: full.count(".")):
                _flat.setdefault(name.rsplit(".", 1)[-1], table[name])
    return _flat


class TensorFlowFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `tensorflow` and its submodules."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != _ROOT and not fullname.startswith(f"{_ROOT}."):
            return None
        stand = stand_for(fullname)
        if stand is None or (stand.kind == "alias" and not _exists(stand.target)):
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        stand = stand_for(spec.name)
        assert stand is not None
        return _module_for(spec.name, stand)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to run: the module is complete."""


def _module_for(name: str, stand: Stand) -> ModuleType:
    if stand.kind == "alias":
        return _Alias(name, _import_namespace(stand.target))
    if stand.kind == "space":
        return _namespaces.Namespace("v1", stand.target, name)
    if stand.kind == "messages":
        last = name.rsplit(".", 1)[-1]
        if not last.endswith("_pb2"):
            return _FlatModule(name)
        return _Alias(name, importlib.import_module(f"featherflow.protos.{_message_module(last)}"))
    return _FlatModule(name)


class _Alias(ModuleType):
    """A module under another name: every attribute is the other's, found or set."""

    def __init__(self, name: str, module: ModuleType) -> None:
        super().__init__(name, module.__doc__)
        self.__dict__["_module"] = module
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_module"], name)

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["_module"])


def _message_module(name: str) -> str:
    return MESSAGE_MODULES.get(name, name)


def _import_namespace(name: str) -> ModuleType:
    """A module of featherflow, or a namespace of it that has no file."""
    if importlib.util.find_spec(name) is not None:
        return importlib.import_module(name)
    parent, _, last = name.rpartition(".")
    return getattr(_import_namespace(parent), last)


def _exists(name: str) -> bool:
    try:
        return isinstance(_import_namespace(name), ModuleType)
    except (ImportError, AttributeError):
        return False


_finder = TensorFlowFinder()


def install() -> None:
    """From now on `import tensorflow` gives featherflow.

    Raises:
      RuntimeError: TensorFlow itself is imported already.
    """
    loaded = sys.modules.get(_ROOT)
    if loaded is not None and not isinstance(loaded, _Alias):
        raise RuntimeError("tensorflow is imported already: install the shim before it.")
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def uninstall() -> None:
    """Takes the shim away, and forgets the modules that it gave."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    for name in [name for name in sys.modules if name == _ROOT or name.startswith(f"{_ROOT}.")]:
        if isinstance(sys.modules[name], (_Alias, _FlatModule, _namespaces.Namespace)):
            del sys.modules[name]


@contextmanager
def installed() -> Iterator[None]:
    """The shim, for the length of a block."""
    install()
    try:
        yield
    finally:
        uninstall()

"""`import tensorflow` gives featherflow: a finder that stands before all others while it is on.

What stands for which module is in `tensorflow_names.py`. A real TensorFlow, if one is installed, is
not touched: it is just not found.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from featherflow import _index, _namespaces
from featherflow.cli.op_functions import op_function
from featherflow.cli.tensorflow_names import INNER_NAMES, MESSAGE_MODULES, Stand, stand_for

_ROOT = "tensorflow"


# --- the modules ----------------------------------------------------------------------------------


class _Stand(ModuleType):
    """A module that stands for one of TensorFlow's; as a package it may have modules of its own."""

    def __init__(self, name: str, doc: str | None = None) -> None:
        super().__init__(name, doc)
        self.__path__: list[str] = []


class _Alias(_Stand):
    """A module under another name: what it does not have itself is the other's."""

    def __init__(self, name: str, module: ModuleType) -> None:
        super().__init__(name, module.__doc__)
        self.__dict__["_module"] = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_module"], name)

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["_module"])


class _PublicNames(_Stand):
    """A module in which every public name is found, first those of the namespaces it is about."""

    def __init__(self, name: str, spaces: Sequence[str]) -> None:
        super().__init__(name, f"Stands for {name}: any public name of TF1's API.")
        self.__dict__["_spaces"] = spaces

    def __getattr__(self, name: str) -> Any:
        location = _location(self.__name__, name, self.__dict__["_spaces"])
        if location is None:
            raise AttributeError(
                f"featherflow has no '{name}' that could stand for {self.__name__}.{name}."
            )
        value = _namespaces.load(location)
        setattr(self, name, value)
        return value


class _Ops(_Stand):
    """A module in which every op is a function in snake case."""

    def __getattr__(self, name: str) -> Any:
        function = op_function(name)
        if function is None:
            raise AttributeError(f"featherflow has no op that {self.__name__}.{name} would be.")
        setattr(self, name, function)
        return function


def _module_for(name: str, stand: Stand) -> ModuleType:
    if stand.kind == "alias":
        return _Alias(name, _import_namespace(stand.targets[0]))
    if stand.kind == "names":
        return _PublicNames(name, stand.targets)
    if stand.kind == "ops":
        return _Ops(name, f"Stands for {name}: the ops, in snake case.")
    if stand.kind == "messages":
        last = name.rpartition(".")[2]
        return _Alias(
            name, importlib.import_module(f"featherflow.protos.{MESSAGE_MODULES.get(last, last)}")
        )
    return _Stand(name, f"Stands for the folder {name}.")


# --- names ----------------------------------------------------------------------------------------


def _location(module: str, name: str, spaces: Sequence[str]) -> str | None:
    """Where the public object is that stands for a name of a module; None if there is none."""
    inner = INNER_NAMES.get(f"{module}.{name}")
    keys = [inner] if inner else [f"{space}.{name}" if space else name for space in spaces]
    for key in keys:
        location = _index.V1.get(key) or _index.V2.get(key)
        if location is not None:
            return location
    return _flat_names().get(name)


_flat: dict[str, str] = {}


def _flat_names() -> dict[str, str]:
    """Last part of every public name → where it is; TF1's names and short names come first."""
    if not _flat:
        for table in (_index.V1, _index.V2):
            for name in sorted(table, key=lambda full: full.count(".")):
                _flat.setdefault(name.rpartition(".")[2], table[name])
    return _flat


def _import_namespace(name: str) -> ModuleType:
    """A module of featherflow, or a namespace of it that has no file."""
    parent, _, last = name.rpartition(".")
    if parent:
        _import_namespace(parent)
    if _namespaces.has_file(name):
        return importlib.import_module(name)
    return getattr(_import_namespace(parent), last)


def _exists(name: str) -> bool:
    try:
        return isinstance(_import_namespace(name), ModuleType)
    except (ImportError, AttributeError):
        return False


# --- the finder -----------------------------------------------------------------------------------


class TensorFlowFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `tensorflow` and its submodules."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of a module of TensorFlow's for which something stands."""
        if not _is_of_tensorflow(fullname):
            return None
        stand = stand_for(fullname)
        if stand is None or (stand.kind == "alias" and not _exists(stand.targets[0])):
            return None
        if stand.kind == "messages" and not _has_messages(fullname):
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """The module that stands for another, complete."""
        stand = stand_for(spec.name)
        assert stand is not None
        return _module_for(spec.name, stand)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to run: the module is complete."""


def _is_of_tensorflow(name: str) -> bool:
    return name == _ROOT or name.startswith(f"{_ROOT}.")


def _has_messages(name: str) -> bool:
    last = name.rpartition(".")[2]
    return _namespaces.has_file(f"featherflow.protos.{MESSAGE_MODULES.get(last, last)}")


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
    for name, module in list(sys.modules.items()):
        if _is_of_tensorflow(name) and isinstance(module, _Stand):
            del sys.modules[name]


def install_for_children() -> None:
    """Python processes that this one starts find featherflow for TensorFlow, too.

    Those of `multiprocessing` take over this one's path if they are not forked, others
    PYTHONPATH.
    """
    folder = os.path.dirname(os.path.abspath(__file__))
    stand_in = os.path.join(folder, "stand_in")
    package_root = os.path.dirname(os.path.dirname(folder))
    if stand_in not in sys.path:
        sys.path.insert(1, stand_in)  # behind the folder of the program
    known = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = dict.fromkeys([stand_in, package_root, *filter(None, known)])
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)


@contextmanager
def installed() -> Iterator[None]:
    """The shim, for the length of a block."""
    install()
    try:
        yield
    finally:
        uninstall()

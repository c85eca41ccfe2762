"""From a name to public functions and the ops that they make, by reading the functions' code."""

from __future__ import annotations

import difflib
import importlib
import inspect
import re
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

from featherflow import _index, _namespaces
from featherflow.framework.op import Op, find_op, known_op_names

#: Namespaces of functions that are made of those in others.
_DERIVED = ("contrib", "estimator", "keras", "layers", "losses", "metrics", "summary")
#: Packages whose functions are followed; below them nothing makes nodes of its own accord.
_FOLLOWED = re.compile(r"featherflow\.(?!framework|graph|kernels|runtime|protos|_)")
_MAX_DEPTH = 4


def public_name(name: str) -> str | None:
    """The public name that a user means: "conv2d", "nn.conv2d", "tf.nn.conv2d", or by an op."""
    name = name.removeprefix("tf.").removeprefix("featherflow.")
    if _is_public(name):
        return name
    key = _key(name)
    found = [
        full
        for full in {**_index.V1, **_index.V2}
        if _key(full.rpartition(".")[2]) == key and not full.startswith("compat.")
    ]
    return min(found, key=_rank, default=None)


def _is_public(name: str) -> bool:
    return name in _index.V1 or name in _index.V2


def _rank(full: str) -> tuple[int, bool, str]:
    return full.count("."), full.startswith(_DERIVED), full


def load_public(name: str) -> Any:
    """The object of a public name: TF1's own, else the common one."""
    return _namespaces.load(_index.V1.get(name) or _index.V2[name])


def module_file(name: str) -> str:
    """The file of the module that holds a public name."""
    module = (_index.V1.get(name) or _index.V2[name]).partition(":")[0]
    return importlib.import_module(module).__file__ or module


def near_names(name: str) -> list[str]:
    """Ops and public functions whose names are like `name`."""
    last = name.rpartition(".")[2]
    shortest_last = sorted({**_index.V2, **_index.V1}, key=len, reverse=True)
    known = {full.rpartition(".")[2]: full for full in shortest_last}
    names = [*known_op_names(), *known]
    return [known.get(found, found) for found in difflib.get_close_matches(last, names, 4)]


def op_by_name(name: str) -> Op | None:
    """The op of exactly this name, else of this name in another case; None if there is none."""
    names = known_op_names()
    for candidate in (name, *(other for other in names if other.lower() == name.lower())):
        if candidate in names:
            return find_op(candidate)
    return None


# --- ops of a function ----------------------------------------------------------------------------

Path = tuple[Any, ...]


def ops_made_by(function: Any) -> dict[Op, Path]:
    """The ops named in a function, and in those it calls → the functions on the way, nearest first.

    Reads code objects and runs nothing; functions passed as values are not seen.
    """
    found: dict[Op, Path] = {}
    seen: set[int] = set()
    waiting: deque[Path] = deque([(function,)])
    while waiting:
        path = waiting.popleft()
        for value in _values_named_in(path[-1]):
            if isinstance(value, Op):
                found.setdefault(value, path)
            elif id(value) not in seen and _is_followed(value) and len(path) < _MAX_DEPTH:
                seen.add(id(value))
                waiting.append((*path, value))
    return found


def main_ops(name: str, found: dict[Op, Path]) -> list[Op]:
    """The ops that a function is about: those of its name, newest first, else those it names."""
    key = _key(name.rpartition(".")[2])
    named = [op for op in found if _key(op.name) == key]
    if named:
        return sorted(named, key=lambda op: -_version(op.name))
    return [op for op, path in found.items() if len(path) == 1]


def _key(name: str) -> str:
    """A name in small letters, without "_" and version."""
    return re.sub(r"v\d+$", "", name.replace("_", "").lower())


def _version(name: str) -> int:
    match = re.search(r"V(\d+)$", name)
    return int(match[1]) if match else 1


def _is_followed(value: Any) -> bool:
    return isinstance(value, (FunctionType, type)) and bool(
        _FOLLOWED.match(getattr(value, "__module__", None) or "")
    )


def _values_named_in(value: Any) -> Iterator[Any]:
    """The values of all names in the code of a function, or of the methods of a class."""
    if isinstance(value, type):
        for member in vars(value).values():
            method = getattr(member, "__func__", getattr(member, "fget", member))
            if isinstance(method, FunctionType):
                yield from _values_named_in(method)
        return
    function = inspect.unwrap(value)
    if not isinstance(function, FunctionType):
        return
    for cell in function.__closure__ or ():
        yield cell.cell_contents
    names = set(_names_in(function.__code__))
    for name in sorted(names):
        named = function.__globals__.get(name)
        yield named
        if isinstance(named, ModuleType) and _FOLLOWED.match(named.__name__):
            yield from (getattr(named, other, None) for other in sorted(names))


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


# --- places ---------------------------------------------------------------------------------------


def function_name(value: Callable[..., Any]) -> str:
    """The name of a function as it is written: `_conv2d_cpu`, `np.add`."""
    value = value.func if isinstance(value, partial) else value
    name = getattr(value, "__name__", type(value).__name__)
    return f"np.{name}" if type(value).__module__ == "numpy" else name

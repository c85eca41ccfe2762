"""Which public names stand for which objects: decorators beside the objects, read by the index.

`@export("nn.conv2d")` names `tf.nn.conv2d` of TF2's API, `@export_v1("nn.conv2d")` TF1's. Where
they differ both stand beside each other. `tools/generate_index.py` writes what it finds here into
`featherflow/_index.py`, so that names resolve without importing every family.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Exported = TypeVar("Exported")

#: API ("v1" or "v2") → public name → (module, attribute).
exported: dict[str, dict[str, tuple[str, str]]] = {"v1": {}, "v2": {}}


def export(*names: str) -> Callable[[Exported], Exported]:
    """Names the decorated object in both APIs; an `export_v1` overrides it in TF1's."""

    def mark(target: Exported) -> Exported:
        _note("v2", names, target)
        return target

    return mark


def export_v1(*names: str) -> Callable[[Exported], Exported]:
    """Names the decorated object in TF1's API (`tf.compat.v1`, and the root in graph mode)."""

    def mark(target: Exported) -> Exported:
        _note("v1", names, target)
        return target

    return mark


def export_value(module: str, attribute: str, *names: str, v1_only: bool = False) -> None:
    """Names a module attribute that cannot be decorated, such as a dtype."""
    for name in names or (attribute,):
        exported["v1" if v1_only else "v2"][name] = (module, attribute)


def _note(api: str, names: tuple[str, ...], target: Any) -> None:
    for name in names:
        exported[api][name] = (target.__module__, target.__name__)

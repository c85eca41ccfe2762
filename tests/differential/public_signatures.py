"""Describes a public API as plain data: the kind of each name, and how what it names is called.

Used on TensorFlow when its table is recorded, and on featherflow when the two are compared.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

#: Methods that programs call although their names start with an underscore.
_SPECIAL_METHODS = ("__call__",)


def signature_text(function: Any) -> str | None:
    """`(x, axis=None, *, name=None)`, without annotations; None where Python knows none."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        return None
    return f"({', '.join(_parameter_texts(parameters))})"


def _parameter_texts(parameters: list[inspect.Parameter]) -> Iterator[str]:
    starred = False
    for index, parameter in enumerate(parameters):
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        if parameter.kind is parameter.VAR_POSITIONAL:
            starred = True
            yield f"*{parameter.name}"
        elif parameter.kind is parameter.VAR_KEYWORD:
            yield f"**{parameter.name}"
        elif parameter.default is parameter.empty:
            yield parameter.name
        else:
            yield f"{parameter.name}={default_text(parameter.default)}"
        if parameter.kind is parameter.POSITIONAL_ONLY:
            following = parameters[index + 1 : index + 2]
            if not following or following[0].kind is not parameter.POSITIONAL_ONLY:
                yield "/"


def default_text(value: Any) -> str:
    """A default as text that does not depend on where objects lie or are defined."""
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return f"{type(value).__name__}.{value.name}" if hasattr(value, "name") else repr(value)
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(default_text, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if hasattr(value, "as_numpy_dtype"):
        return f"tf.{value.name}"
    if isinstance(value, type) or inspect.isroutine(value):
        return f"<{value.__name__}>"
    return f"<{type(value).__name__}>"


def describe(target: Any) -> dict[str, Any]:
    """The kind of an object, its signature, and a class's methods and properties."""
    if isinstance(target, type):
        return {
            "kind": "class",
            "call": signature_text(target) or "(*args, **kwargs)",
            "methods": dict(_methods(target)),
        }
    if callable(target):
        return {"kind": "function", "call": signature_text(target)}
    return {"kind": "value"}


def _methods(owner: type) -> Iterator[tuple[str, str | None]]:
    """(name, signature) of the public methods that a class has; "" is a property."""
    for name in sorted(dir(owner)):
        if name.startswith("_") and name not in _SPECIAL_METHODS:
            continue
        member = inspect.getattr_static(owner, name, None)
        if isinstance(member, property | types.MemberDescriptorType):
            yield name, ""
        elif isinstance(member, staticmethod):
            yield name, signature_text(member.__func__)
        elif isinstance(member, classmethod):
            yield name, _without_self(signature_text(member.__func__))
        elif inspect.isfunction(member):
            yield name, _without_self(signature_text(member))


def _without_self(text: str | None) -> str | None:
    if text is None or "," not in text:
        return "()" if text and not text.startswith("(*") else text
    return text if text.startswith("(*") else "(" + text.split(", ", 1)[1]


def walk(
    namespace: Any, is_namespace: Callable[[str, Any], bool], prefix: str = ""
) -> Iterator[tuple[str, Any]]:
    """(dotted name, object) of everything public in a namespace and those below it."""
    for name in sorted(dir(namespace)):
        if name.startswith("_"):
            continue
        target = getattr(namespace, name)
        if not isinstance(target, types.ModuleType):
            yield prefix + name, target
        elif is_namespace(prefix + name, target):
            yield from walk(target, is_namespace, f"{prefix}{name}.")

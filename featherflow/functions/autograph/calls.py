"""Calls in converted code: what is called is converted in its turn, if it is the user's."""

from __future__ import annotations

import functools
import inspect
import os
import sys
import sysconfig
from collections.abc import Callable
from typing import Any

from featherflow.framework.exports import export
from featherflow.functions.autograph.builtins import OVERLOADS
from featherflow.functions.autograph.staging import UndefinedReturnValue

_FOLDERS = tuple(
    os.path.abspath(folder) + os.sep
    for folder in (
        os.path.dirname(sys.modules["featherflow"].__file__ or ""),
        sysconfig.get_paths()["stdlib"],
        sysconfig.get_paths()["purelib"],
        sysconfig.get_paths()["platlib"],
    )
)
_UNCONVERTED = "_autograph_is_off"

#: `(function) → converted`, set by `conversion.py`.
_convert: Callable[[Any], Any] | None = None


def set_convert(convert: Callable[[Any], Any]) -> None:
    """`conversion.py`, which is above, says how a function is converted."""
    global _convert
    _convert = convert


@export("autograph.experimental.do_not_convert")
def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """A decorator: the function is called as it is, in converted code too."""
    if func is None:
        return do_not_convert

    @functools.wraps(func)
    def unconverted(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    setattr(unconverted, _UNCONVERTED, True)
    return unconverted


def autograph_artifact(function: Any, extras: Any = None) -> Any:
    """Marks a function that is defined in converted code: it is converted already."""
    setattr(function, _UNCONVERTED, True)
    return function


def is_users(function: Any) -> bool:
    """Whether a function is written by the user: not of Python, of a package, or of featherflow."""
    if getattr(function, _UNCONVERTED, False):
        return False
    code = getattr(function, "__code__", None)
    if (
        code is None
        or inspect.isgeneratorfunction(function)
        or inspect.iscoroutinefunction(function)
    ):
        return False
    return not os.path.abspath(code.co_filename).startswith(_FOLDERS)


def converted_call(
    f: Any,
    args: tuple,
    kwargs: dict[str, Any] | None,
    caller_fn_scope: Any = None,
    options: Any = None,
) -> Any:
    """`f(*args, **kwargs)`, f converted if it is the user's."""
    kwargs = kwargs or {}
    if isinstance(f, functools.partial):
        return converted_call(f.func, (*f.args, *args), {**f.keywords, **kwargs}, caller_fn_scope)
    try:
        overload = OVERLOADS.get(f)
    except TypeError:  # an object that cannot be hashed
        overload = None
    if overload is not None:
        return overload(*args, **kwargs)
    target, receiver = f, ()
    if inspect.ismethod(f):
        target, receiver = f.__func__, (f.__self__,)
    elif not inspect.isfunction(f):
        call = inspect.getattr_static(type(f), "__call__", None)
        if inspect.isclass(f) or not inspect.isfunction(call) or not is_users(call):
            return f(*args, **kwargs)
        target, receiver = call, (f,)
    if not is_users(target):
        return f(*args, **kwargs)
    assert _convert is not None
    return _convert(target)(*receiver, *args, **kwargs)


class FunctionScope:
    """The body of a converted function; its last statement is `return scope.ret(value, …)`."""

    def __init__(self, function_name: str, scope_name: str, options: Any) -> None:
        self.callopts = None

    def __enter__(self) -> FunctionScope:
        return self

    def __exit__(self, *exception: Any) -> None:
        return None

    def ret(self, value: Any, did_return: Any) -> Any:
        """What the function returns: None where it has not returned."""
        return None if isinstance(value, UndefinedReturnValue) else value


def with_function_scope(thunk: Callable[[Any], Any], scope_name: str, options: Any) -> Any:
    """The body of a converted lambda."""
    return thunk(FunctionScope("lambda", scope_name, options))

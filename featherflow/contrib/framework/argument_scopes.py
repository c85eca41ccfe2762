"""arg_scope: default arguments for functions, as long as a block runs."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from featherflow.framework.exports import export_v1

_Scope = dict[str, dict[str, Any]]


class _Scopes(threading.local):
    """The scopes that are open, innermost last; function key → arguments."""

    def __init__(self) -> None:
        self.stack: list[_Scope] = [{}]


_scopes = _Scopes()
#: Function key → the names of arguments that have defaults.
_decorated: dict[str, tuple[str, ...]] = {}


@export_v1("contrib.framework.current_arg_scope")
def current_arg_scope() -> _Scope:
    """The default arguments that hold now, by function."""
    return _scopes.stack[-1]


def _key_of(function: Any) -> str:
    return getattr(function, "_arg_scope_key", f"{function.__module__}.{function.__name__}")


@export_v1("contrib.framework.arg_scope_func_key")
def arg_scope_func_key(op: Any) -> str:
    """What stands for a function in a scope."""
    return _key_of(op)


@export_v1("contrib.framework.arg_scope", "contrib.slim.arg_scope")
@contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[_Scope]:
    """Sets default arguments of functions, or brings back an earlier scope.

    Args:
      list_ops_or_scope: a list of functions marked by `add_arg_scope`; or a scope that an earlier
        `with arg_scope(…) as scope:` gave.
      **kwargs: the arguments; they join those of the scopes around, and win over them.
    Raises:
      TypeError: it is neither.
      ValueError: a function is not marked, or arguments are given for an earlier scope.

    >>> import featherflow as tf
    >>> slim = tf.contrib.slim
    >>> with slim.arg_scope([slim.fully_connected], activation_fn=None):
    ...     slim.fully_connected(tf.ones([2, 3]), 4).op.type
    'BiasAdd'
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError(
                "When attempting to re-use a scope by suppling a dictionary, kwargs must be empty."
            )
        scope = dict(list_ops_or_scope)
    elif isinstance(list_ops_or_scope, (list, tuple)):
        scope = _extended(current_arg_scope(), list_ops_or_scope, kwargs)
    else:
        raise TypeError("list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)")
    _scopes.stack.append(scope)
    try:
        yield scope
    finally:
        _scopes.stack.pop()


def _extended(scope: _Scope, functions: Sequence[Any], arguments: dict[str, Any]) -> _Scope:
    """`scope` with more arguments for the functions."""
    result = dict(scope)
    for function in functions:
        if not has_arg_scope(function):
            raise ValueError(f"{_key_of(function)} is not decorated with @add_arg_scope")
        key = _key_of(function)
        result[key] = {**result.get(key, {}), **arguments}
    return result


@export_v1("contrib.framework.add_arg_scope", "contrib.slim.add_arg_scope")
def add_arg_scope(func: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a function, so that `arg_scope` may set default arguments of it."""
    key = f"{func.__module__}.{func.__name__}"

    @functools.wraps(func)
    def with_defaults(*args: Any, **kwargs: Any) -> Any:
        defaults = current_arg_scope().get(key)
        return func(*args, **({**defaults, **kwargs} if defaults else kwargs))

    parameters = inspect.signature(func).parameters.values()
    _decorated[key] = tuple(
        parameter.name for parameter in parameters if parameter.default is not parameter.empty
    )
    with_defaults._arg_scope_key = key  # type: ignore[attr-defined]
    return with_defaults


@export_v1("contrib.framework.has_arg_scope")
def has_arg_scope(func: Any) -> bool:
    """Whether a function is marked by `add_arg_scope`."""
    return _key_of(func) in _decorated


@export_v1("contrib.framework.arg_scoped_arguments", "contrib.slim.arg_scoped_arguments")
def arg_scoped_arguments(func: Any) -> tuple[str, ...]:
    """The names of the arguments of a marked function that `arg_scope` may set.

    Raises:
      ValueError: the function is not marked.
    """
    if not has_arg_scope(func):
        raise ValueError(f"{_key_of(func)} is not decorated with @add_arg_scope")
    return _decorated[_key_of(func)]

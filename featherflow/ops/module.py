"""tf.Module: an object that knows its variables and the modules in it."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

from featherflow.framework import nest
from featherflow.framework.exports import export
from featherflow.graph.graph_api import name_scope
from featherflow.ops.variable_base import Variable

_WORDS = re.compile(r"((?<=[a-z0-9])[A-Z]|(?!^)(?<!_)[A-Z](?=[a-z]))")


@export("Module")
class Module:
    """A container of variables, other modules and functions of them.

        class Dense(tf.Module):
            def __init__(self, inputs, outputs, name=None):
                super().__init__(name=name)
                self.w = tf.Variable(tf.random.normal([inputs, outputs]), name="w")

            @tf.function
            def __call__(self, x):
                return x @ self.w

    What stands in its attributes, and in lists, tuples and dicts in them, belongs to it: attributes
    in the order of their names, what belongs to modules after that.

    Args:
      name: a Python identifier; None takes that of the class, in snake_case.
    Raises:
      ValueError: it is no identifier.
    """

    #: Attributes that are not looked into.
    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset()

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _WORDS.sub(r"_\1", type(self).__name__).lower()
        if not name.isidentifier():
            raise ValueError(
                f"'{name}' is not a valid module name. Module names must be valid Python "
                "identifiers (e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._name_scope_name = scope

    @property
    def name(self) -> str:
        """Its name, without scopes."""
        self._check_initialized()
        return self._name

    @property
    def name_scope(self) -> Any:
        """A context manager: variables made inside have the module's name before theirs."""
        self._check_initialized()
        return name_scope(self._name_scope_name)

    def _check_initialized(self) -> None:
        if "_name" not in vars(self):
            raise AttributeError(
                f"Constructing {type(self).__name__} did not call super().__init__(): call it "
                "first in the constructor."
            )

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables in it and in its modules."""
        return tuple(self._flatten(lambda leaf: isinstance(leaf, Variable)))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of them that optimisers change."""
        return tuple(variable for variable in self.variables if variable.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """The others."""
        return tuple(variable for variable in self.variables if not variable.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules in it, and those in them."""
        return tuple(self._flatten(lambda leaf: isinstance(leaf, Module)))

    def _flatten(
        self,
        predicate: Callable[[Any], bool],
        recursive: bool = True,
        seen: set[int] | None = None,
    ) -> Iterator[Any]:
        """The parts that satisfy a predicate, each once."""
        seen = {id(self)} if seen is None else seen
        modules = []
        for name in sorted(vars(self)):
            if name in self._TF_MODULE_IGNORED_PROPERTIES:
                continue
            for leaf in _leaves(vars(self)[name]):
                if id(leaf) in seen:
                    continue
                seen.add(id(leaf))
                if predicate(leaf):
                    yield leaf
                if recursive and isinstance(leaf, Module):
                    modules.append(leaf)
        for module in modules:
            yield from module._flatten(predicate, recursive, seen)

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """A decorator: the method runs in the name scope of its module."""

        @functools.wraps(method)
        def scoped(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped


def _leaves(value: Any) -> list[Any]:
    try:
        return nest.flatten(value)
    except TypeError:  # keys of a dict that cannot be sorted
        return list(value.values()) if isinstance(value, dict) else [value]

"""Templates: functions that make their variables when they are called first, and share them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import GraphKeys
from featherflow.ops.variable_base import Variable
from featherflow.ops.variable_scope import VariableScope, variable_scope


@export_v1("make_template")
def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Callable[..., Any] | None = None,
    **kwargs: Any,
) -> Template:
    """Wraps a function so that all calls use the variables that the first call made.

    Args:
      name_: of the variable scope; numbered if it is taken.
      func_: makes variables with `tf.get_variable`.
      create_scope_now_: enter the scope here, not in the first call.
      unique_name_: of the scope, used as it is: templates of one name share variables.
      custom_getter_: of the scope; see `tf.variable_scope`.
      **kwargs: arguments that each call of `func_` gets.
    Returns:
      A Template, called like `func_`.
    Raises:
      ValueError: `name_` is None, or `func_` cannot be called.

    >>> import featherflow as tf
    >>> def scale(x):
    ...     return x * tf.get_variable("factor", [], initializer=tf.constant_initializer(3.0))
    >>> with tf.Graph().as_default():
    ...     shared = tf.make_template("scale", scale)
    ...     results = shared(1.0), shared(2.0)
    ...     [variable.name for variable in tf.global_variables()]
    ['scale/factor:0']
    """
    if kwargs:
        func_ = functools.partial(func_, **kwargs)
    return Template(name_, func_, create_scope_now_, unique_name_, custom_getter_)


class Template:
    """A function whose calls share variables; made by `make_template`."""

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        create_scope_now: bool = False,
        unique_name: str | None = None,
        custom_getter: Callable[..., Any] | None = None,
    ) -> None:
        if not callable(function):
            raise ValueError(f"func must be callable, received {function!r}.")
        if name is None:
            raise ValueError("name cannot be None.")
        self._function = function
        self._name = name
        self._unique_name = unique_name
        self._custom_getter = custom_getter
        self._scope: VariableScope | None = None
        self._has_variables = False
        if create_scope_now:
            with self._new_scope() as scope:
                self._scope = scope

    def _new_scope(self) -> Any:
        return variable_scope(
            self._unique_name, default_name=self._name, custom_getter=self._custom_getter
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function in the template's scope.

        Raises:
          ValueError: a later call makes a trainable variable.
        """
        if self._scope is None:
            with self._new_scope() as scope:
                self._scope = scope
                return self._call_first(args, kwargs)
        if not self._has_variables:
            with variable_scope(self._scope, reuse=False):
                return self._call_first(args, kwargs)
        with variable_scope(self._scope, reuse=True):
            return self._call_again(args, kwargs)

    def _call_first(self, args: Any, kwargs: Any) -> Any:
        result = self._function(*args, **kwargs)
        self._has_variables = True
        return result

    def _call_again(self, args: Any, kwargs: Any) -> Any:
        before = len(_trainable_variables())
        result = self._function(*args, **kwargs)
        new = _trainable_variables()[before:]
        if new:
            raise ValueError(
                "New variable created when calling a template after the first time: "
                f"{', '.join(variable.name for variable in new)}. Perhaps you used tf.Variable "
                "when you meant tf.get_variable."
            )
        return result

    # --- what it is -------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name given to the template."""
        return self._name

    @property
    def func(self) -> Callable[..., Any]:
        """The function that it wraps."""
        return self._function

    @property
    def variable_scope(self) -> VariableScope | None:
        """The scope of its variables; None before the first call."""
        return self._scope

    @property
    def variable_scope_name(self) -> str | None:
        """The name of that scope, with the slash behind it."""
        if self._scope is None:
            return None
        return f"{self._scope.name}/" if self._scope.name else ""

    # --- variables --------------------------------------------------------------------------------

    @property
    def variables(self) -> list[Variable]:
        """All variables of the template, global and local."""
        return self.global_variables + self.local_variables

    @property
    def weights(self) -> list[Variable]:
        """All variables of the template."""
        return self.variables

    @property
    def trainable_variables(self) -> list[Variable]:
        """Those that optimisers change."""
        return self._collected(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def trainable_weights(self) -> list[Variable]:
        """Those that optimisers change."""
        return self.trainable_variables

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """Those that optimisers leave."""
        trainable = {id(variable) for variable in self.trainable_variables}
        return [variable for variable in self.variables if id(variable) not in trainable]

    @property
    def non_trainable_weights(self) -> list[Variable]:
        """Those that optimisers leave."""
        return self.non_trainable_variables

    @property
    def global_variables(self) -> list[Variable]:
        """Those that checkpoints hold."""
        return self._collected(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> list[Variable]:
        """Those that checkpoints leave out."""
        return self._collected(GraphKeys.LOCAL_VARIABLES)

    def _collected(self, key: str) -> list[Variable]:
        if not self.variable_scope_name:
            return []
        return get_default_graph().get_collection(key, self.variable_scope_name)


def _trainable_variables() -> list[Variable]:
    return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES)

"""EagerScopes: what stands for the default graph while ops run at once."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from featherflow.framework import device as device_module
from featherflow.framework.errors import InvalidArgumentError
from featherflow.graph.graph import Graph

_MAX_SEED = 2**31 - 1


class EagerScopes(Graph):
    """Name scopes, device scopes, collections and the seed of eager execution; it has no nodes.

    Functions of the library that ask for the default graph get this one. Names need not be unique,
    so that none is remembered; there is nothing to order or to place with something else.

    Args:
      forget_kernels: called when the seed changes: kernels keep the state of their streams.
    """

    is_eager = True

    def __init__(self, forget_kernels: Callable[[], None]) -> None:
        super().__init__()
        self._forget_kernels = forget_kernels
        self._op_seeds: random.Random | None = None
        self.device_name = ""

    def add_node(self, definition: Any, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            f"A node of {definition.name} can only be added to a graph: call this inside of "
            "`with tf.Graph().as_default():` or of a tf.function."
        )

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        current = self._scopes.names.current
        return f"{current}/{name}" if current else name

    def name_scope(self, name: str | None) -> AbstractContextManager[str]:
        """Prefixes the names of variables."""
        if name is not None and not isinstance(name, str):
            raise TypeError(f"A name scope is a string or None, received {name!r}.")
        return self._enter_names(name)

    @contextmanager
    def _enter_names(self, name: str | None) -> Iterator[str]:
        names = self._scopes.names
        previous = names.current
        if not name:
            names.current = ""
        else:
            names.current = name[:-1] if name.endswith("/") else self.unique_name(name)
        try:
            yield f"{names.current}/" if names.current else ""
        finally:
            names.current = previous

    # --- devices ----------------------------------------------------------------------------------

    @contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """Runs ops on a device; without one of that kind they run on the CPU (soft placement).

        Raises:
          ValueError: a function was given, or it is not the name of a device.
        """
        if callable(device_name_or_function):
            raise ValueError(
                "tf.device does not support functions when eager execution is enabled."
            )
        previous = self.device_name
        if device_name_or_function is not None:
            name = str(
                getattr(device_name_or_function, "to_string", lambda: device_name_or_function)()
            )
            try:
                self.device_name = device_module.canonical_name(name)
            except ValueError as error:
                raise InvalidArgumentError(None, None, str(error)) from None
        else:
            self.device_name = ""
        try:
            yield
        finally:
            self.device_name = previous

    # --- what makes no difference -----------------------------------------------------------------

    def control_dependencies(self, control_inputs: Any) -> AbstractContextManager[None]:
        """Everything has run by now; functions among the inputs are called."""
        for item in control_inputs or ():
            if callable(item):
                item()
        return nullcontext()

    def colocate_with(self, op: Any, ignore_existing: bool = False) -> AbstractContextManager[None]:
        """Values are where they are."""
        return nullcontext()

    def _attr_scope(self, attrs: dict[str, Any]) -> AbstractContextManager[None]:
        return nullcontext()

    # --- seeds ------------------------------------------------------------------------------------

    @property
    def seed(self) -> int | None:
        """The global seed; None draws streams that nobody can repeat."""
        return self._seed

    @seed.setter
    def seed(self, seed: int | None) -> None:
        self._seed = seed
        self._op_seeds = random.Random(seed)
        self._forget_kernels()

    def _next_op_seed(self) -> int:
        assert self._op_seeds is not None, "asked for only where there is a seed"
        return self._op_seeds.randint(0, _MAX_SEED)

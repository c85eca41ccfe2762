"""The arguments of a traced function: what a trace depends on, and what goes into its graph.

A call has a *key*: for tensors dtype and shape, for variables dtype, shape and which of them are
the same, for Python values the values themselves, for other objects their identity. Calls with
equal keys share a trace. Tensors, arrays and variables become placeholders of the graph; everything
else is in it as it was when it was traced.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from featherflow.framework import dtypes, nest
from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.func_graph import FuncGraph
from featherflow.graph.tensor import Tensor
from featherflow.ops.eager_variables import EagerVariable
from featherflow.ops.variable_base import Variable

_PLAIN = (bool, int, float, complex, str, bytes, type(None))


@dataclass(frozen=True, slots=True)
class TensorKey:
    """A tensor, as far as traces tell tensors apart."""

    dtype: DType
    shape: tuple[int | None, ...] | None

    def accepts(self, other: TensorKey) -> bool:
        """Whether a trace for this one serves the other."""
        if self.dtype is not other.dtype:
            return False
        if self.shape is None:
            return True
        if other.shape is None or len(self.shape) != len(other.shape):
            return False
        return all(mine in (None, its) for mine, its in zip(self.shape, other.shape))

    def relaxed(self, other: TensorKey) -> TensorKey:
        """What serves both: dimensions that differ are unknown."""
        if self.shape is None or other.shape is None or len(self.shape) != len(other.shape):
            return TensorKey(self.dtype, None)
        sizes = (a if a == b else None for a, b in zip(self.shape, other.shape))
        return TensorKey(self.dtype, tuple(sizes))


@dataclass(frozen=True, slots=True)
class VariableKey:
    """A variable: `alias` numbers those of one call, so that the same one twice is told."""

    dtype: DType
    shape: tuple[int | None, ...] | None
    trainable: bool
    alias: int


@dataclass(frozen=True, slots=True)
class ValueKey:
    """A Python value: 1, 1.0 and True are three."""

    type: type
    value: Any


class ObjectKey:
    """Any other object, by identity; held weakly where it can be."""

    __slots__ = ("_identity", "_reference")

    def __init__(self, value: Any) -> None:
        self._identity = id(value)
        try:
            self._reference: Callable[[], Any] = weakref.ref(value)
        except TypeError:
            self._reference = lambda: value

    def __hash__(self) -> int:
        return self._identity

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ObjectKey) or self._identity != other._identity:
            return False
        mine = self._reference()
        return mine is not None and mine is other._reference()


@dataclass
class Arguments:
    """One call's arguments, flattened.

    Attributes:
      structure: the arguments, with None in the place of what becomes a placeholder.
      leaves: all leaves, composite tensors as their parts.
      keys: for each leaf what traces tell apart.
    """

    structure: Any
    leaves: list[Any]
    keys: list[Any] = field(default_factory=list)

    @property
    def tensors(self) -> list[Any]:
        """The values of the placeholders: tensors, and the handles of variables."""
        return [
            leaf.handle if key.__class__ is VariableKey else leaf
            for leaf, key in zip(self.leaves, self.keys)
            if key.__class__ is TensorKey or key.__class__ is VariableKey
        ]


def flatten(structure: Any) -> Arguments:
    """The leaves of a call's arguments and their keys; arrays become tensors."""
    leaves = nest.flatten(structure, expand_composites=True)
    arguments = Arguments(structure, leaves)
    aliases: dict[int, int] = {}
    for place, leaf in enumerate(leaves):
        if isinstance(leaf, (np.ndarray, np.generic)):
            leaf = leaves[place] = convert_to_tensor(leaf)
        arguments.keys.append(key_of(leaf, aliases))
    return arguments


def key_of(leaf: Any, aliases: dict[int, int]) -> Any:
    """What traces tell apart of one leaf."""
    if isinstance(leaf, Tensor):
        return TensorKey(leaf.dtype, _sizes(leaf.shape))
    if isinstance(leaf, Variable):
        handle = getattr(leaf, "handle", None)
        if handle is None:
            return ObjectKey(leaf)
        alias = aliases.setdefault(id(handle), len(aliases))
        return VariableKey(leaf.dtype, _sizes(leaf.shape), leaf.trainable, alias)
    if isinstance(leaf, _PLAIN):
        return ValueKey(type(leaf), repr(leaf) if isinstance(leaf, float) else leaf)
    if isinstance(leaf, (DType, TensorShape)):
        return ValueKey(type(leaf), leaf)
    if is_spec(leaf):
        return TensorKey(leaf.dtype, _sizes(TensorShape(leaf.shape)))
    return ObjectKey(leaf)


def is_spec(value: Any) -> bool:
    """Whether a value says what a tensor is like, as tf.TensorSpec does."""
    return (
        hasattr(value, "shape")
        and isinstance(getattr(value, "dtype", None), DType)
        and hasattr(value, "is_compatible_with")
        and not isinstance(value, (Tensor, Variable))
    )


def _sizes(shape: TensorShape) -> tuple[int | None, ...] | None:
    return shape._dims


# --- into the graph -------------------------------------------------------------------------------


def place(arguments: Arguments, keys: Sequence[Any], names: Sequence[str], graph: FuncGraph) -> Any:
    """The arguments with placeholders of `graph` where tensors were.

    Args:
      keys: what the trace is for: those of the arguments, or more general ones.
      names: for each leaf the name of its placeholder.
    """
    shared: dict[int, EagerVariable] = {}
    values: list[Any] = []
    for leaf, key, name in zip(arguments.leaves, keys, names):
        if key.__class__ is TensorKey:
            values.append(graph.add_input(key.dtype, TensorShape(key.shape), name))
            if isinstance(leaf, Tensor):
                values[-1]._handle_data = leaf._handle_data
        elif key.__class__ is VariableKey:
            if key.alias not in shared:
                shared[key.alias] = _as_argument(leaf, graph, name)
            else:
                graph.add_input(dtypes.resource, TensorShape(()), name)
            values.append(shared[key.alias])
        else:
            values.append(leaf)
    return nest.pack_sequence_as(arguments.structure, values, expand_composites=True)


def _as_argument(variable: Any, graph: FuncGraph, name: str) -> Any:
    """A variable whose handle is an argument: the same trace serves any variable of its kind."""
    handle = graph.add_input(dtypes.resource, TensorShape(()), name)
    handle._handle_data = variable.handle._handle_data
    argument = object.__new__(type(variable))
    vars(argument).update(vars(variable))
    argument._handle = handle
    return argument


# --- signatures of Python functions ---------------------------------------------------------------


class Signature:
    """How a Python function takes its arguments: every call becomes the same (args, kwargs)."""

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            self.signature: inspect.Signature | None = inspect.signature(function)
        except (TypeError, ValueError):
            self.signature = None
        self.takes_positions = self.signature is not None and all(
            item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD)
            for item in self.signature.parameters.values()
        )
        parameters = self.signature.parameters.values() if self.signature else ()
        #: How many arguments a call may give by position where none has a default.
        self.count = len(parameters) if self.takes_positions else -1

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        """Arguments by position where they can be, defaults filled in.

        Raises:
          TypeError: the function does not take these arguments.
        """
        if self.signature is None:
            return tuple(args), dict(kwargs)
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.args, dict(sorted(bound.kwargs.items()))

    def names(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[str]:
        """For each leaf of `(args, kwargs)` the name of the parameter that it is in."""
        found: list[str] = []
        for name, value in [*zip(self._positional(len(args)), args), *sorted(kwargs.items())]:
            found += [name] * len(nest.flatten(value, expand_composites=True))
        return found

    def _positional(self, count: int) -> list[str]:
        parameters = self.signature.parameters.values() if self.signature else ()
        names = [
            p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "args")
        return names[:count] + [f"{rest}_{place}" for place in range(count - len(names))]

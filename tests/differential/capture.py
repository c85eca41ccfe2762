"""Runs a case against a TensorFlow-like module and captures what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .case import Case, Registered, Script

_LITERALS = (type(None), bool, int, float, str)
_SLICES, _SPARSE = ("values", "indices", "dense_shape"), ("indices", "values", "dense_shape")
_PARTS = {
    "IndexedSlices": _SLICES,
    "IndexedSlicesValue": _SLICES,
    "SparseTensor": _SPARSE,
    "SparseTensorValue": _SPARSE,
}


@dataclass
class Output:
    """One named result: a tensor's dtype, static shape and value per run, or a plain value."""

    dtype: str | None = None
    static_shape: list[int | None] | None = None
    values: list[np.ndarray] = field(default_factory=list)
    literal: Any = None


@dataclass
class Outcome:
    """Everything observed of one case: its outputs, or the error and when it was raised."""

    outputs: dict[str, Output] = field(default_factory=dict)
    tolerance: float | None = None
    error: str | None = None
    stage: str | None = None
    raised: BaseException | None = None


def capture(tf: Any, registered: Registered, open_session: Callable[[Any], Any]) -> Outcome:
    """Builds the case in a fresh graph, runs it in a fresh session and returns the outcome.

    Args:
        tf: The module the program is written against.
        registered: The case.
        open_session: Makes a session (a context manager) for a graph.

    Raises:
        Exception: Whatever the program raised, unless the case is registered as failing.
    """
    stage = "build"
    try:
        graph = tf.Graph()
        with graph.as_default():
            plan = registered.program(tf)
            stage = "run"
            with open_session(graph) as session:
                return _run(tf, session, plan)
    except Exception as error:
        if not registered.fails:
            raise
        return Outcome(error=public_class(tf, error), stage=stage, raised=error)


def public_class(tf: Any, error: BaseException) -> str:
    """The name of the error's first class that a program can name in an ``except``."""
    for ancestor in type(error).__mro__:
        public = getattr(tf.errors, ancestor.__name__, None) is ancestor
        if public or ancestor.__module__ == "builtins":
            return ancestor.__name__
    raise TypeError(f"{type(error)} has no public class.")


def _run(tf: Any, session: Any, plan: Any) -> Outcome:
    if not isinstance(plan, Case | Script):
        plan = Case(plan)
    for operation in plan.setup:
        session.run(operation)
    if isinstance(plan, Script):
        results = dict(_leaves(plan.body(session)))
        return Outcome({name: _plain_output(value) for name, value in results.items()})
    return _run_case(tf, session, plan)


def _run_case(tf: Any, session: Any, plan: Case) -> Outcome:
    outputs, tensors = {}, {}
    for name, leaf in _leaves(plan.fetches):
        if isinstance(leaf, _LITERALS):
            outputs[name] = Output(literal=leaf)
        elif isinstance(leaf, tf.Operation):
            tensors[name] = leaf
        else:
            outputs[name] = Output(leaf.dtype.name, static_shape(leaf))
            tensors[name] = leaf
    for _ in range(plan.runs if tensors else 0):
        for name, value in session.run(tensors, feed_dict=dict(plan.feeds)).items():
            if name in outputs:
                outputs[name].values.append(as_array(value))
    return Outcome(outputs, plan.tolerance)


def _plain_output(value: Any) -> Output:
    if isinstance(value, _LITERALS) and not isinstance(value, np.generic):
        return Output(literal=value)
    array = as_array(value)
    return Output(array.dtype.name, list(array.shape), [array])


def static_shape(tensor: Any) -> list[int | None] | None:
    """The dimensions known when the graph was built; None for an unknown rank."""
    shape = tensor.shape
    return None if shape.ndims is None else shape.as_list()


def as_array(value: Any) -> np.ndarray:
    """A fetched value as an array; a lone byte string becomes a 0-d object array."""
    if isinstance(value, bytes):
        array = np.empty((), object)
        array[()] = value
        return array
    return np.asarray(value)


def _leaves(nest: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yields (path, leaf) over nested lists and dicts; composite tensors become their parts."""
    if type(nest).__name__ in _PARTS:
        nest = {part: getattr(nest, part) for part in _PARTS[type(nest).__name__]}
    if isinstance(nest, dict):
        items = nest.items()
    elif isinstance(nest, list | tuple):
        items = enumerate(nest)
    else:
        yield prefix or "result", nest
        return
    for key, value in items:
        yield from _leaves(value, f"{prefix}/{key}" if prefix else str(key))

"""Calls ops with arguments changed at random, in its own process: `python -m ops.fuzz_worker 0 9`.

A case starts from a row of `cases/` and changes up to three things of it: items, shapes, dtypes and
ranks of arguments, values of attributes, what is known when the graph is built.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import numpy as np
from differential.op_call_outcomes import make_call
from differential.op_calls import NUMERIC, Argument, Call, Value, calls_of
from fuzzing import EXPECTED, is_kernels_fault, work

import featherflow as tf
from featherflow.framework.dtypes import as_dtype
from featherflow.framework.op import get_op

from .op_case import OpCase, load_cases

ITEMS = (-(2**31), -100, -2, -1, 0, 1, 2, 3, 7, 100, 2**31 - 1)
SPECIAL = (np.nan, np.inf, -np.inf, 1e30, -0.0, 1e-40)
MOST_ELEMENTS = 4096


def apply(name: str, arguments: list[Any], attrs: dict[str, Any]) -> Any:
    return get_op(name)(*arguments, **attrs)


def open_session(graph: tf.Graph) -> tf.Session:
    return tf.Session(graph=graph)


# --- changes --------------------------------------------------------------------------------------


def item(array: np.ndarray, random: Random) -> np.ndarray:
    """One element becomes an unlikely one."""
    changed = array.copy().reshape(-1)
    if changed.size and array.dtype.kind in "iufcV":
        choice = random.choice(ITEMS if array.dtype.kind in "iu" else SPECIAL)
        with np.errstate(all="ignore"):
            changed[random.randrange(changed.size)] = np.array(choice).astype(array.dtype)
    return changed.reshape(array.shape)


def dimension(array: np.ndarray, random: Random) -> np.ndarray:
    """One dimension gets longer, shorter or empty."""
    if not array.ndim:
        return array[np.newaxis]
    axis, size = random.randrange(array.ndim), random.choice((0, 1, 2, 3, 5))
    kept = array.shape[axis]
    return np.take(array, np.arange(size) % kept, axis) if kept else array


def rank(array: np.ndarray, random: Random) -> np.ndarray:
    """One dimension more or fewer."""
    if array.ndim and array.shape[0] and random.random() < 0.5:
        return np.asarray(array[0])
    return np.expand_dims(array, random.randint(0, array.ndim))


def dtype(array: np.ndarray, random: Random) -> np.ndarray:
    """Another dtype; most ops refuse it."""
    if array.dtype.kind in "OSU":
        return array
    with np.errstate(all="ignore"):
        return array.astype(as_dtype(random.choice(NUMERIC)).numpy_dtype)


CHANGES: tuple[Callable[[np.ndarray, Random], np.ndarray], ...] = (
    *(item, item, dimension, dimension, rank, dtype),
)


def with_changed_argument(call: Call, random: Random) -> Call:
    places = range(len(call.arguments))
    if not places:
        return call
    place = random.choice(places)
    changed = changed_argument(call.arguments[place], random)
    arguments = (*call.arguments[:place], changed, *call.arguments[place + 1 :])
    return replace(call, arguments=arguments)


def changed_argument(argument: Argument, random: Random) -> Argument:
    if isinstance(argument, list):
        if not argument or random.random() < 0.2:
            return argument[1:] if random.random() < 0.5 else [*argument, *argument[:1]]
        place = random.randrange(len(argument))
        changed = changed_argument(argument[place], random)
        return [*argument[:place], changed, *argument[place + 1 :]]  # type: ignore[list-item]
    array = np.asarray(random.choice(CHANGES)(argument.array, random))
    fits = array.size <= MOST_ELEMENTS
    return Value(array if fits else argument.array, random.random() < 0.3)


def with_known(call: Call, random: Random) -> Call:
    return replace(call, static=random.choice(("full", "partial", "unknown")))


# --- cases ----------------------------------------------------------------------------------------


@cache
def all_rows() -> list[OpCase]:
    return load_cases()


@cache
def calls_of_row(place: int) -> list[Call]:
    return calls_of(all_rows()[place])


def random_call(random: Random) -> Call:
    """A call from a row, changed in one to three ways."""
    call = random.choice(calls_of_row(random.randrange(len(all_rows()))))
    for _ in range(random.randint(1, 3)):
        call = random.choice((with_changed_argument, with_changed_argument, with_known))(
            call, random
        )
    return call


def run_case(number: int) -> str:
    """Makes the call of a number; returns how it ended.

    Raises:
      Exception: not one of TensorFlow's errors, or a kernel's slip behind an InternalError.
    """
    call = random_call(Random(number))
    error = make_call(tf, call, apply, open_session).raised
    if error is None:
        return "ran"
    expected = (*EXPECTED, NotImplementedError)  # gradients that do not exist for these shapes
    if not isinstance(error, expected) or is_kernels_fault(error):
        error.add_note(f"{call.key} {call.attrs} {call.static} {call.arguments}"[:1500])
        raise error
    return type(error).__name__


if __name__ == "__main__":
    all_rows()
    work(run_case, int(sys.argv[1]), int(sys.argv[2]))

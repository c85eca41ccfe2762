"""Imports and runs damaged graphs, in a process of its own: `python -m graph.fuzz_worker 0 60`.

Prints a line of JSON for each case that did not end as it should, and one when all is done.
"""

from __future__ import annotations

import faulthandler
import json
import logging
import os
import resource
import signal
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

import featherflow as tf
from featherflow.protos.graph_pb2 import GraphDef

from .fuzz_mutations import messages
from .fuzz_seeds import built_seeds

SECONDS = 5
MEMORY = 3 << 30
_FETCHED = 4
#: Loops that never end are no fault of ours.
LIMIT = tf.RunOptions(timeout_in_ms=1000)
#: How an import or a run may end; anything else is a fault.
EXPECTED = (tf.errors.OpError, ValueError, TypeError, KeyError)


class TooSlow(BaseException):
    """A case took longer than it may."""


def _on_alarm(signal_number: int, frame: Any) -> None:
    raise TooSlow


def outcome(message: GraphDef) -> str:
    """Imports a graph and runs what can be fetched; returns how that ended."""
    graph = tf.Graph()
    try:
        with graph.as_default():
            tf.import_graph_def(message, name="")
    except EXPECTED as error:
        return f"import: {type(error).__name__}"
    graph.as_graph_def()
    with tf.Session(graph=graph) as session:
        for operation in leaves(graph):
            try:
                session.run(operation.outputs or operation, feeds(graph), LIMIT)
            except EXPECTED as error:
                ended = f"run: {type(error).__name__}"
                if is_kernels_fault(error):
                    raise
            else:
                ended = "ran"
    return ended if graph.get_operations() else "empty"


def is_kernels_fault(error: Exception) -> bool:
    """Whether a kernel failed in a way that it did not mean to."""
    cause = error.__context__
    return (
        isinstance(error, tf.errors.InternalError)
        and cause is not None
        and not isinstance(cause, tf.errors.OpError)
    )


def leaves(graph: Any) -> list[Any]:
    """Operations whose outputs nobody reads; at most a few, the last first."""
    found = [
        operation
        for operation in graph.get_operations()
        if not any(tensor.consumers() for tensor in operation.outputs)
    ]
    return found[: -_FETCHED - 1 : -1] or graph.get_operations()[-1:]


def feeds(graph: Any) -> dict[Any, Any]:
    """Small values for all placeholders that take any."""
    fed = {}
    for operation in graph.get_operations():
        if operation.type != "Placeholder":
            continue
        tensor = operation.outputs[0]
        known = tensor.shape.as_list() if tensor.shape.rank else []
        dims = [2 if size is None else size for size in known]
        if np.prod([float(size) for size in dims]) > 1e6:
            continue
        dtype = tensor.dtype
        if dtype == tf.string:
            fed[tensor] = np.full(dims, b"text", dtype=object)
        elif dtype.is_numpy_compatible and not dtype.is_quantized:
            fed[tensor] = np.ones(dims).astype(dtype.as_numpy_dtype)
    return fed


def run_case(
    number: int, seeds: Sequence[list[tuple[str, GraphDef]]], outcomes: Counter[str]
) -> dict[str, Any] | None:
    """What went wrong with a case, or None; counts in `outcomes` how it ended."""
    random = Random(number)
    name, seed = random.choice(random.choice(seeds))
    for message in messages(seed, random):
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            outcomes[outcome(message)] += 1
        except TooSlow:
            return {"case": number, "seed": name, "error": f"more than {SECONDS} seconds"}
        except Exception as error:  # anything but EXPECTED is what this test looks for
            trace = traceback.format_exception(error)[-6:]
            text = f"{type(error).__name__}: {str(error)[:300]}"
            return {"case": number, "seed": name, "error": text, "trace": "".join(trace)}
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return None


def main(first: int, count: int) -> None:
    faulthandler.enable()
    logging.disable()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _on_alarm)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    seeds = built_seeds()
    outcomes: Counter[str] = Counter()
    for number in range(first, first + count):
        found = run_case(number, seeds, outcomes)
        if found is not None:
            print(json.dumps(found))
    print(json.dumps({"done": count, "outcomes": outcomes}))
    os._exit(0)  # threads that a damaged graph left waiting do not matter


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

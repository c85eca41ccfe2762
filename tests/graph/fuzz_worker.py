"""Imports and runs damaged graphs, in a process of its own: `python -m graph.fuzz_worker 0 60`."""

from __future__ import annotations

import sys
from functools import cache
from random import Random
from typing import Any

import numpy as np
from fuzzing import EXPECTED, is_kernels_fault, work

import featherflow as tf
from featherflow.protos.graph_pb2 import GraphDef

from .fuzz_mutations import messages
from .fuzz_seeds import built_seeds

_FETCHED = 4
#: Loops that never end are no fault of ours.
LIMIT = tf.RunOptions(timeout_in_ms=1000)


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


seeds = cache(built_seeds)


def run_case(number: int) -> str:
    """Damages a graph chosen by a number; returns how all its damaged forms ended."""
    random = Random(number)
    _, seed = random.choice(random.choice(seeds()))
    return " ".join(outcome(message) for message in messages(seed, random))


if __name__ == "__main__":
    seeds()
    work(run_case, int(sys.argv[1]), int(sys.argv[2]))

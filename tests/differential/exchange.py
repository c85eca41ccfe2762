"""How a graph is exchanged: built, written as a GraphDef, read again, and run, on either side."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .capture import Outcome, Output, as_array, public_class
from .exchange_graphs import Program, graphs
from .inputs import integers, normal
from .programs import TOPICS, programs_of
from .storage import outcome_from_json, outcome_to_json

ARCHIVE = Path(__file__).parent / "exchange.zip"
#: Fixed, so that recording twice gives the same file.
_TIME = (1980, 1, 1, 0, 0, 0)
_UNKNOWN_SIZE = 2
_LARGEST_KEPT = 400
#: Of every graph: without one, what is drawn differs from run to run.
_SEED = 12
_COMPOSITES = {"SparseTensor": ("indices", "values"), "IndexedSlices": ("values", "indices")}
#: What these do is not in the graph.
_NOT_EXCHANGED = {"PyFunc", "PyFuncStateless", "EagerPyFunc"}


@dataclass
class Exchanged:
    """A graph as it is handed over.

    Attributes:
      graph_def: the serialised GraphDef.
      initializer: the operation that initialises the variables.
      fetches: the names of tensors ("a:0") and operations ("a") that are run, one after the other.
    """

    graph_def: bytes
    initializer: str
    fetches: list[str] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        """What is needed besides the GraphDef, as JSON values."""
        return {"initializer": self.initializer, "fetches": self.fetches}


def all_programs() -> dict[str, Program]:
    """Every program that is exchanged, by key."""
    found = {
        f"programs/{topic}/{name}": program
        for topic in TOPICS
        for name, program in programs_of(topic)
    }
    return found | {f"graphs/{name}": program for name, program in graphs()}


# --- building -------------------------------------------------------------------------------------


def build(tf: Any, program: Program) -> Exchanged | None:
    """Builds a program in a fresh graph and writes that; None if it holds Python functions."""
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(_SEED)
        points = program(tf)
        if isinstance(points, dict):
            points.pop("steps", None)
        fetches = list(dict.fromkeys(_names(tf, points)))
        if isinstance(points, list):  # an order of runs, in which one may come twice
            fetches = list(_names(tf, points))
        fetches += _names(
            tf, [variable for variable in tf.global_variables() if _is_small(variable)]
        )
        initializers = [tf.global_variables_initializer(), tf.local_variables_initializer()]
        initializer = tf.group(*initializers, name="exchange/initialize")
    graph_def = graph.as_graph_def()
    if any(node.op in _NOT_EXCHANGED for node in graph_def.node):
        return None
    return Exchanged(graph_def.SerializeToString(deterministic=True), initializer.name, fetches)


def _is_small(variable: Any) -> bool:
    """Whether the last value of a variable is kept, too."""
    return (variable.shape.num_elements() or _LARGEST_KEPT + 1) <= _LARGEST_KEPT


def _names(tf: Any, nest: Any) -> Iterator[str]:
    """The names of the tensors and operations of a nest; variables are read by a new node."""
    kind = type(nest).__name__
    if kind in _COMPOSITES:
        nest = [getattr(nest, part) for part in _COMPOSITES[kind]]
    if isinstance(nest, dict):
        nest = list(nest.values())
    if isinstance(nest, (list, tuple)):
        for item in nest:
            yield from _names(tf, item)
    elif isinstance(nest, tf.Variable):
        yield tf.identity(nest, name="exchange/value").name
    elif isinstance(nest, tf.Tensor):
        if nest.dtype.name not in ("resource", "variant"):
            yield nest.name
    elif isinstance(nest, tf.Operation):
        yield nest.name


# --- running --------------------------------------------------------------------------------------


def open_session(tf: Any, graph: Any) -> Any:
    """A session that runs the graph as it is, on the devices that there are."""
    config = tf.ConfigProto(allow_soft_placement=True)
    config.intra_op_parallelism_threads = config.inter_op_parallelism_threads = 1
    config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return tf.Session(graph=graph, config=config)


def run(tf: Any, exchanged: Exchanged) -> Outcome:
    """Reads the graph and runs its fetches one after the other in one session.

    An output is a value, "ran" for an operation, or the class of the error.
    """
    graph_def = tf.GraphDef.FromString(exchanged.graph_def)
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(graph_def, name="")
    feeds = feeds_of(tf, graph_def)
    outputs: dict[str, Output] = {}
    with open_session(tf, graph) as session:
        for number, fetch in enumerate([exchanged.initializer, *exchanged.fetches]):
            outputs[f"{number} {fetch}"] = _run_one(tf, session, fetch, feeds)
    return Outcome(outputs)


def _run_one(tf: Any, session: Any, fetch: str, feeds: dict[str, Any]) -> Output:
    try:
        value = session.run(fetch, feeds)
    except tf.errors.OpError as error:
        return Output(literal=public_class(tf, error))
    if value is None:
        return Output(literal="ran")
    array = as_array(value)
    return Output(array.dtype.name, None, [array])


def feeds_of(tf: Any, graph_def: Any) -> dict[str, Any]:
    """A value for each placeholder of the graph, the same on both sides; by tensor name."""
    return {
        f"{node.name}:0": _feed(tf, node)
        for node in graph_def.node
        if node.op == "Placeholder" and tf.as_dtype(node.attr["dtype"].type).name != "resource"
    }


def _feed(tf: Any, node: Any) -> np.ndarray:
    shape = node.attr["shape"].shape
    sizes = [_UNKNOWN_SIZE if dim.size < 0 else dim.size for dim in shape.dim]
    if shape.unknown_rank:
        sizes = [_UNKNOWN_SIZE]
    seed = zlib.crc32(node.name.encode()) % 1000
    dtype = tf.as_dtype(node.attr["dtype"].type)
    if dtype.name == "string":
        return np.full(sizes, b"fed", object)
    if dtype.is_floating or dtype.is_complex:
        return normal(*sizes, seed=seed, dtype=dtype.name)
    return integers(0, 2, sizes, seed=seed, dtype=dtype.name)


# --- what was exchanged ---------------------------------------------------------------------------


def fingerprint(graph_def: Any) -> str:
    """A hash of the content of a GraphDef: nodes, attributes and functions, whoever wrote it."""
    digest = hashlib.sha256()
    for node in graph_def.node:
        digest.update(node.SerializeToString(deterministic=True))
    for function in sorted(graph_def.library.function, key=lambda item: item.signature.name):
        digest.update(function.SerializeToString(deterministic=True))
    return digest.hexdigest()[:32]


def write_archive(graph_defs: dict[str, bytes], facts: dict[str, Any]) -> None:
    """Writes TensorFlow's GraphDefs by key, and all facts as one JSON member."""
    with zipfile.ZipFile(ARCHIVE, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for key, data in sorted(graph_defs.items()):
            archive.writestr(zipfile.ZipInfo(f"{key}.pb", _TIME), data, zipfile.ZIP_DEFLATED)
        text = json.dumps(facts, sort_keys=True, separators=(",", ":"), allow_nan=False)
        archive.writestr(zipfile.ZipInfo("facts.json", _TIME), text, zipfile.ZIP_DEFLATED)


def read_facts() -> dict[str, Any]:
    """The facts of the archive: by direction and key."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        return json.loads(archive.read("facts.json"))


def read_graph_def(key: str) -> bytes:
    """A GraphDef that TensorFlow wrote."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        return archive.read(f"{key}.pb")


def recorded_outcome(facts: dict[str, Any]) -> Outcome:
    """What TensorFlow computed."""
    return outcome_from_json(facts["outcome"])


def with_outcome(exchanged: Exchanged, outcome: Outcome) -> dict[str, Any]:
    """The facts of a graph and what TensorFlow computed, as JSON values."""
    return {**exchanged.facts(), "outcome": outcome_to_json(outcome)}


def returned(tf: Any, graph_def: bytes) -> bytes:
    """A GraphDef read and written again."""
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(tf.GraphDef.FromString(graph_def), name="")
    return graph.as_graph_def().SerializeToString(deterministic=True)

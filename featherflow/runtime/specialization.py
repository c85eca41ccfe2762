"""Specialization: the nodes of a step for given shapes of the feeds, as clusters and NumPy nodes.

With the feeds' shapes known, almost every shape of the step is. What depends on shapes alone is
computed here, by NumPy kernels; nodes whose compile rules accept their inputs are lowered; the rest
keeps its NumPy kernels. Each lowered node belongs to the cluster of its *level*:

    level = the largest level of what it reads, + 1 where that is of the other kind

Nodes of one level and kind cannot wait for each other through a node of the other kind, so a
cluster is convex over data and control edges, and finding all of them takes one pass.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from featherflow.compiler.constants import StandIn
from featherflow.compiler.lowered import CannotCompile, Lowered
from featherflow.compiler.lowering import Lowering
from featherflow.framework.errors import OpError
from featherflow.framework.op_kernel import read_signature
from featherflow.framework.shape_inference import InferenceContext, ShapeInferenceError
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.subgraph import FEED, Node, Subgraph
from featherflow.kernels.allocation import check_allocation
from featherflow.runtime.effect_order import EffectOrder

Edge = tuple[Node, int]
Shape = tuple[int, ...]

#: What is computed while a step is specialised is about shapes, and small.
_MAX_KNOWN = 1 << 16
#: What rules may be given: numbers.
_DTYPES = frozenset(
    (
        *("bool", "float32", "float64", "float16", "bfloat16"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    )
)
#: What kernels, and rules like them, raise for inputs that an op cannot take.
_REFUSALS = (ValueError, TypeError, IndexError, OverflowError, MemoryError)


@dataclass(eq=False)
class Cluster:
    """Lowered nodes of one level.

    Attributes:
      lowering: their values.
      nodes: the nodes, in order.
      inputs: what they read from outside, in the order of the Given values.
      outputs: for each edge that is read outside, its value.
    """

    lowering: Lowering = field(default_factory=Lowering)
    nodes: list[Node] = field(default_factory=list)
    inputs: dict[Edge, Lowered] = field(default_factory=dict)
    constants: dict[int, Lowered] = field(default_factory=dict)
    values: dict[Edge, Lowered] = field(default_factory=dict)
    outputs: dict[Edge, Lowered] = field(default_factory=dict)


@dataclass
class Specialization:
    """A step for given shapes.

    Attributes:
      clusters: by level.
      levels: of every node; those of lowered nodes are even.
      known: values that were computed.
      reasons: why nodes were not lowered, by name.
    """

    clusters: dict[int, Cluster] = field(default_factory=dict)
    levels: dict[Node, int] = field(default_factory=dict)
    known: dict[Edge, np.ndarray] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)


def specialize(subgraph: Subgraph, feed_shapes: tuple[Shape, ...]) -> Specialization:
    """Works out shapes and clusters of a straight step.

    Args:
      feed_shapes: of the feeds, in order.
    """
    return _Specializer(subgraph, feed_shapes).run()


class _Specializer:
    def __init__(self, subgraph: Subgraph, feed_shapes: tuple[Shape, ...]) -> None:
        self.subgraph = subgraph
        self.result = Specialization()
        self.shapes: dict[Edge, Shape | None] = {
            (node, 0): shape for node, shape in zip(subgraph.feeds, feed_shapes)
        }
        self.lowered: dict[Edge, int] = {}
        self.order = EffectOrder()

    def run(self) -> Specialization:
        for node in self.subgraph.nodes:
            self._visit(node)
        for edge in self.subgraph.fetches:
            self._read_outside(edge)
        return self.result

    def _visit(self, node: Node) -> None:
        result = self.result
        if node.definition is FEED:
            result.levels[node] = 0
            return
        constant = node.definition.static_value_fn
        if constant is not None and not node.inputs:
            value = node.attrs.get("value")
            if not isinstance(value, StandIn):
                value = constant(node)
            result.known[node, 0] = value
            self.shapes[node, 0] = value.shape
            result.levels[node] = 0
            return
        if self._fold(node) or self._lower(node):
            return
        level = self._level(node, is_lowered=False)
        result.levels[node] = level
        self.order.add(node, level, is_lowered=False)
        for edge in node.inputs:
            self._read_outside(edge)
        shapes = self._infer(node)
        self.shapes.update(((node, place), shape) for place, shape in enumerate(shapes))

    def _level(self, node: Node, is_lowered: bool) -> int:
        """The level of a node: even for lowered ones, odd for others; 0 is before everything."""
        level = max(2 if is_lowered else 1, self.order.lowest_level(node))
        for source in (*(source for source, _ in node.inputs), *node.control_inputs):
            below = self.result.levels.get(source, 0)
            if below > level:
                level = below
        if level % 2 == is_lowered:
            level += 1
        return level

    def _read_outside(self, edge: Edge) -> None:
        """Somebody outside of its cluster reads an edge."""
        level = self.lowered.get(edge)
        if level is not None:
            cluster = self.result.clusters[level]
            cluster.outputs[edge] = cluster.values[edge]

    # --- what is known ----------------------------------------------------------------------------

    def _fold(self, node: Node) -> bool:
        """Whether a node's outputs depend on shapes alone, and are computed now."""
        definition = node.definition
        if not definition.foldable or definition.touches_world or node.control_inputs:
            return False
        values = self._known_outputs(node)
        if values is None:
            return False
        for place, value in enumerate(values):
            self.result.known[node, place] = value
            self.shapes[node, place] = value.shape
        self.result.levels[node] = 0
        return True

    def _known_outputs(self, node: Node) -> list[np.ndarray] | None:
        kernel = node.definition.kernels.find("CPU", node.attrs)
        if kernel is None or kernel.wants_context or kernel.asynchronous:
            return None
        if node.definition.reads_shapes_only and self._has_shapes(node):
            inputs: list[Any] = [
                np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), shape, (0,) * len(shape))
                for shape in map(self.shapes.get, node.inputs)
                if shape is not None
            ]
        else:
            inputs = [self.result.known.get(edge) for edge in node.inputs]
            if any(value is None or value.nbytes > _MAX_KNOWN for value in inputs):
                return None
        if not all(prod(shape or ()) <= _MAX_KNOWN // 8 for shape in self._infer(node)):
            return None
        return _run_kernel(node, kernel, inputs)

    def _has_shapes(self, node: Node) -> bool:
        return all(self.shapes.get(edge) is not None for edge in node.inputs)

    def _infer(self, node: Node) -> list[Shape | None]:
        """The shapes of a node's outputs, as far as they are known."""
        found = self._static(node)
        if found is None:
            return [None] * len(node.output_dtypes)
        result: list[Shape | None] = []
        for static, shape in zip(node.output_shapes, found):
            best = shape if shape.is_fully_defined() else static
            result.append(tuple(best.as_list()) if best.is_fully_defined() else None)
        return result

    def _static(self, node: Node) -> list[TensorShape] | None:
        """What a node's shape function says for the shapes at hand; None where it refuses them."""
        function = node.definition.shape_function
        if function is None:
            return [UNKNOWN] * len(node.output_dtypes)
        shapes = [self.shapes.get(edge) for edge in node.inputs]
        context = InferenceContext(
            node.definition,
            node.attrs,
            list(node.inputs),
            [UNKNOWN if shape is None else TensorShape(shape) for shape in shapes],
            self.result.known.get,
            self._as_shape,
            *([] if node.operation is None else [node.operation.graph._producer]),
        )
        try:
            inferred = function(context)
        except AttributeError:
            return node.output_shapes  # it asks for what a handle refers to, or for its graph
        except (ShapeInferenceError, OpError, *_REFUSALS):
            return None  # the kernel will refuse it, with the node's name
        return [inferred] if isinstance(inferred, TensorShape) else list(inferred)

    def _as_shape(self, edge: Edge) -> TensorShape:
        value = self.result.known.get(edge)
        if value is None:
            return UNKNOWN
        return TensorShape([None if size < 0 else int(size) for size in value.ravel()])

    # --- what is lowered --------------------------------------------------------------------------

    def _lower(self, node: Node) -> bool:
        rule = node.definition.compile_rule_fn
        if rule is None or not self._is_plain(node) or self.order.looks_at_memory(node):
            return False
        static = self._static(node)
        if static is None:
            self.result.reasons[node.name] = "shapes that do not fit"
            return False
        level = self._level(node, is_lowered=True)
        cluster = self.result.clusters.setdefault(level, Cluster())
        cluster.lowering.node = node.name
        mark = len(cluster.lowering.values)
        try:
            inputs = [self._input(cluster, level, edge) for edge in node.inputs]
            outputs = rule(cluster.lowering, *inputs, **_attributes(rule, node))
            values = (outputs,) if isinstance(outputs, Lowered) else tuple(outputs)
            _check_values(node, values, static)
        except (CannotCompile, OpError, *_REFUSALS) as reason:
            self.result.reasons[node.name] = str(reason)
            if mark == 0:
                self._drop_if_empty(level)
            return False
        cluster.nodes.append(node)
        self.order.add(node, level, is_lowered=True)
        self.result.levels[node] = level
        for place, value in enumerate(values):
            edge = (node, place)
            cluster.values[edge] = value
            self.lowered[edge] = level
            self.shapes[edge] = value.shape
        return True

    def _drop_if_empty(self, level: int) -> None:
        if not self.result.clusters[level].nodes:
            del self.result.clusters[level]

    def _is_plain(self, node: Node) -> bool:
        """Whether a node computes numbers of known shapes from such, and does nothing else."""
        if node.definition.stateful or not self._has_shapes(node):
            return False
        dtypes = [*node.output_dtypes, *(source.output_dtypes[at] for source, at in node.inputs)]
        if not all(dtype.name in _DTYPES for dtype in dtypes):
            self.result.reasons[node.name] = "a dtype that is not compiled"
            return False
        return node.definition.kernels.find("CPU", node.attrs) is not None

    def _input(self, cluster: Cluster, level: int, edge: Edge) -> Lowered:
        """An edge as a value of a cluster."""
        if edge in cluster.values:
            return cluster.values[edge]
        known = self.result.known.get(edge)
        if known is not None:
            if id(known) not in cluster.constants:
                named = None if edge[0].inputs else (edge[0].name, edge[1])
                cluster.constants[id(known)] = cluster.lowering.constant(known, named)
            return cluster.constants[id(known)]
        if edge not in cluster.inputs:
            source, place = edge
            shape = self.shapes[edge]
            assert shape is not None
            dtype = source.output_dtypes[place].name
            self._read_outside(edge)
            cluster.inputs[edge] = cluster.lowering.given(len(cluster.inputs), shape, dtype)
        return cluster.inputs[edge]


def _check_values(node: Node, values: tuple[Lowered, ...], static: list[TensorShape]) -> None:
    """That a rule gave what its op is declared to give, and no more than there is room for.

    Raises:
      CannotCompile: other dtypes or shapes.
      ResourceExhaustedError: too large.
    """
    Lowering.require(len(values) == len(node.output_dtypes), "another number of outputs")
    for value, dtype, shape in zip(values, node.output_dtypes, static):
        Lowering.require(value.dtype == dtype.name, f"{value.dtype}, not {dtype.name}")
        Lowering.require(shape.is_compatible_with(value.shape), "another shape")
        check_allocation(value.shape, dtype.numpy_dtype)


def _attributes(rule: Any, node: Node) -> dict[str, Any]:
    """The attributes that a rule names as keywords."""
    _, names = read_signature(rule)
    return {name: node.attrs[name] for name in names}


def _run_kernel(node: Node, kernel: Any, inputs: list[Any]) -> list[np.ndarray] | None:
    """What a NumPy kernel gives; None where it refuses: the run will say why."""
    try:
        with np.errstate(all="ignore"):
            result = kernel.bind(node.attrs)(*inputs)
    except (OpError, *_REFUSALS):
        return None
    outputs = node.definition.op_def.outputs
    if len(outputs) == 1 and not outputs[0].is_list:
        result = [result]
    return [np.asarray(value) for value in result]

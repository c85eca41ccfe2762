"""The nodes of a step, with one node for each compiled cluster in the place of its nodes."""

from __future__ import annotations

from collections.abc import Mapping

from featherflow.compiler.program import Program
from featherflow.framework.op import get_op
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.subgraph import FEED, Node, Subgraph
from featherflow.runtime.cluster_op import Originals, cluster_node
from featherflow.runtime.specialization import Cluster, Specialization


def with_clusters(
    subgraph: Subgraph, specialization: Specialization, programs: Mapping[int, Program]
) -> Subgraph:
    """The step with a node for each program in the place of the nodes that it computes."""
    return _Rewriter(subgraph, specialization, programs).run()


class _Rewriter:
    def __init__(
        self,
        subgraph: Subgraph,
        specialization: Specialization,
        programs: Mapping[int, Program],
    ) -> None:
        self.subgraph = subgraph
        self.specialization = specialization
        self.programs = programs
        self.replaced: dict[tuple[Node, int], tuple[Node, int]] = {}
        self.constants: list[Node] = []
        self.roots = _roots(subgraph)
        self.must_run: set[Node] = set()
        self.compiled = {
            node
            for level, cluster in specialization.clusters.items()
            if level in programs
            for node in cluster.nodes
        }

    def run(self) -> Subgraph:
        subgraph = self.subgraph
        nodes: list[Node] = []
        levels = self.specialization.levels
        kept = [node for node in subgraph.nodes if node not in self.compiled]
        clusters = {level: self.specialization.clusters[level] for level in self.programs}
        by_level: dict[int, list[Node]] = {}
        for node in kept:
            by_level.setdefault(levels[node], []).append(node)
        for level in sorted({*by_level, *clusters}):
            nodes.extend(self._copy(node) for node in by_level.get(level, ()))
            if level in clusters:
                nodes.append(self._cluster(level, clusters[level]))
        fetches = [self._edge(edge) for edge in subgraph.fetches]
        feeds = [self.replaced[node, 0][0] for node in subgraph.feeds]
        self.must_run.update(feeds, (node for node, _ in fetches))
        return Subgraph(_needed([*self.constants, *nodes], self.must_run), feeds, fetches)

    def _edge(self, edge: tuple[Node, int]) -> tuple[Node, int]:
        return self.replaced[edge]

    def _copy(self, node: Node) -> Node:
        """A node that keeps its kernel, on the new inputs; a known one is a constant."""
        if node.inputs and (node, 0) in self.specialization.known:
            return self._constants(node)
        copy = Node(
            node.name,
            node.definition,
            node.attrs,
            node.output_dtypes,
            node.output_shapes,
            node.device,
            node.operation,
        )
        copy.inputs = [self._edge(edge) for edge in node.inputs]
        if node in self.roots:
            self.must_run.add(copy)
        for place in range(len(node.output_dtypes)):
            self.replaced[node, place] = copy, place
        return copy

    def _constants(self, node: Node) -> Node:
        """Constants for the outputs of a node that was computed while specialising."""
        made = []
        for place, dtype in enumerate(node.output_dtypes):
            value = self.specialization.known[node, place]
            attrs = {"value": value, "dtype": dtype}
            shape = TensorShape(value.shape)
            made.append(
                Node(
                    node.name, get_op("Const"), attrs, [dtype], [shape], node.device, node.operation
                )
            )
            self.replaced[node, place] = made[-1], 0
        self.constants.extend(made[1:])
        return made[0]

    def _cluster(self, level: int, cluster: Cluster) -> Node:
        outputs = list(dict.fromkeys(cluster.outputs.values()))
        edges = list(cluster.outputs)
        first = {value: edge for edge, value in reversed(cluster.outputs.items())}
        dtypes = [first[value][0].output_dtypes[first[value][1]] for value in outputs]
        reads_feeds = all(source.definition is FEED for source, _ in cluster.inputs)
        originals = [first[value] for value in outputs]
        node = cluster_node(
            f"cluster_{level // 2}",
            self.programs[level],
            None if reads_feeds else Originals.of(cluster, originals, self.specialization.known),
            [self._edge(edge) for edge in cluster.inputs],
            dtypes,
            [TensorShape(value.shape) for value in outputs],
            cluster.nodes[0].device,
        )
        for edge in edges:
            self.replaced[edge] = node, outputs.index(cluster.outputs[edge])
        return node


def _roots(subgraph: Subgraph) -> set[Node]:
    """Nodes that run whether or not their values are wanted: for an effect, or for an error.

    These are targets, nodes with an effect, and nodes that others wait for or that nobody reads.
    """
    read = {source for node in subgraph.nodes for source, _ in node.inputs}
    waited_for = {source for node in subgraph.nodes for source in node.control_inputs}
    return {
        *subgraph.targets,
        *waited_for,
        *(node for node in subgraph.nodes if node not in read or node.definition.stateful),
    }


def _needed(nodes: list[Node], must_run: set[Node]) -> list[Node]:
    """Nodes that must run, and those that they read."""
    needed = set(must_run)
    for node in reversed(nodes):
        if node in needed:
            needed.update(source for source, _ in node.inputs)
    return [node for node in nodes if node in needed]

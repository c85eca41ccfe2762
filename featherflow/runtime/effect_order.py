"""EffectOrder: keeps what changes variables and what reads them in the order of the NumPy plan.

Nodes are moved when a step is cut into clusters. Data and control edges say most of what must stay
in order, but not all: the value of a ref variable is its memory, so a node that reads it must not
be moved over one that changes it, and two draws of one random generator must not change places. A
NumPy plan runs nodes in the order of the subgraph; so does a compiled one, as far as they touch the
same resource.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from featherflow.graph.subgraph import Node

Edge = tuple[Node, int]
#: What ops touch that have state of their own: queues of the process, files, generators.
_WORLD = "world"


@dataclass
class _Use:
    """Of one resource: the level of its last change, and the highest since of a node that reads."""

    changed: int = 0
    read: int = 0


@dataclass
class EffectOrder:
    """The lowest levels that nodes may have; told about each node in order.

    Attributes:
      resources: for edges that are handles, refs, or the memory of a ref, the name of the resource.
    """

    resources: dict[Edge, str] = field(default_factory=dict)
    uses: dict[str, _Use] = field(default_factory=dict)

    def lowest_level(self, node: Node) -> int:
        """The level below which a node must not be."""
        found = [self.uses.get(name, _Use()) for name in self._touched(node)]
        if _changes(node):
            return max((max(use.changed, use.read) for use in found), default=0)
        return max((use.changed for use in found), default=0)

    def looks_at_memory(self, node: Node) -> bool:
        """Whether a node would only look at a variable's memory in another way."""
        return node.definition.aliases and bool(node.inputs) and node.inputs[0] in self.resources

    def add(self, node: Node, level: int, is_lowered: bool) -> None:
        """Takes down the level of a node."""
        for name in self._touched(node):
            use = self.uses.setdefault(name, _Use())
            if _changes(node):
                use.changed, use.read = level, 0
            else:
                use.read = max(use.read, level)
        if is_lowered:
            return
        first = self.resources.get(node.inputs[0]) if node.inputs else None
        for place, dtype in enumerate(node.output_dtypes):
            if dtype._is_ref_dtype or dtype.name == "resource":
                name = first or str(node.attrs.get("shared_name") or node.name)
                self.resources[node, place] = name
            elif node.definition.aliases and first is not None:
                self.resources[node, place] = first

    def _touched(self, node: Node) -> set[str]:
        names = {self.resources[edge] for edge in node.inputs if edge in self.resources}
        if not names and _changes(node) and not _makes_resource(node):
            names = {_WORLD}
        return names


def _changes(node: Node) -> bool:
    return node.definition.stateful or node.definition.takes_ref


def _makes_resource(node: Node) -> bool:
    return any(dtype._is_ref_dtype or dtype.name == "resource" for dtype in node.output_dtypes)

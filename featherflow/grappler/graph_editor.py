"""GraphEditor: who reads what in a subgraph, kept up to date while passes change it.

Passes work on the Nodes of a Subgraph in place. A node that may be dead, or that runs in a loop, is
*conditional*: it is replaced only by something with the same inputs or the same control inputs, so
that it still dies, and repeats, with them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType, from_numpy
from featherflow.framework.op import get_op
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.deadness import Deadness
from featherflow.graph.frames import assign_frames
from featherflow.graph.operation import Operation
from featherflow.graph.subgraph import FEED, Node, Subgraph

#: An output: (node, index).
Output = tuple[Node, int]

#: Ops without state whose point is that they may fail.
_CHECKS = frozenset(("CheckNumerics", "CheckNumericsV2", "EnsureShape"))
#: Ops that have no constant for a value, and no effect either.
_HARMLESS = frozenset(("NoOp", "PlaceholderWithDefault"))


class GraphEditor:
    """A subgraph under change.

    Attributes:
      subgraph: what is changed.
      conditional: nodes that may be dead, or that run in a loop.
      effectful: nodes that have an effect, or wait for one.
      constants_made: by all passes so far.
      changes: what the pass at work has done, one line for each change.
    """

    def __init__(self, subgraph: Subgraph) -> None:
        """Reads the subgraph.

        Raises:
          InvalidArgumentError: its loops are malformed.
        """
        self.subgraph = subgraph
        self.changes: list[str] = []
        self.constants_made: list[Node] = []
        self.conditional = _conditional_nodes(subgraph.nodes)
        self.effectful = _effectful_nodes(subgraph.nodes)
        self._users: dict[Node, dict[Node, int]] = {node: {} for node in subgraph.nodes}
        self._control_users: dict[Node, dict[Node, None]] = {}
        self._fetches: dict[Node, list[int]] = {}
        self._added: dict[Node, list[Node]] = {}
        for place, (node, _) in enumerate(subgraph.fetches):
            self._fetches.setdefault(node, []).append(place)
        for node in subgraph.nodes:
            self._enter(node)
        # Parts of a partial run hold nodes that are run for their effect and are no targets.
        self._roots = set(subgraph.targets) | {
            node
            for node in subgraph.nodes
            if not self._users[node]
            and node not in self._control_users
            and node not in self._fetches
        }

    def _enter(self, node: Node) -> None:
        for source, _ in node.inputs:
            users = self._users[source]
            users[node] = users.get(node, 0) + 1
        for source in node.control_inputs:
            self._control_users.setdefault(source, {})[node] = None

    # --- questions --------------------------------------------------------------------------------

    def nodes(self) -> list[Node]:
        """The nodes before this pass, in topological order; a copy."""
        return list(self.subgraph.nodes)

    def users(self, node: Node) -> list[Node]:
        """The nodes that read outputs of `node`, each once."""
        return list(self._users.get(node, ()))

    def has_control_users(self, node: Node) -> bool:
        """Whether other nodes wait for `node` without reading it."""
        return bool(self._control_users.get(node))

    def is_kept(self, node: Node) -> bool:
        """Whether the step runs `node` whatever reads it: a target."""
        return node in self._roots

    def is_fetched(self, node: Node) -> bool:
        """Whether an output of `node` is fetched."""
        return bool(self._fetches.get(node))

    def is_unread(self, node: Node) -> bool:
        """Whether nothing needs `node` any more."""
        return not (
            self._users[node]
            or self._control_users.get(node)
            or self._fetches.get(node)
            or node in self._roots
        )

    def only_user(self, node: Node) -> Node | None:
        """The node with the one edge from `node`; None if there are more, or fetches, or none."""
        users = self._users[node]
        if len(users) != 1 or self.is_fetched(node) or self.has_control_users(node):
            return None
        ((user, edges),) = users.items()
        return user if edges == 1 and node not in self._roots else None

    def reads_only_first_output(self, node: Node) -> bool:
        """Whether no output of `node` but the first is read or fetched."""
        fetches = self.subgraph.fetches
        return all(fetches[place][1] == 0 for place in self._fetches.get(node, ())) and all(
            index == 0
            for user in self._users[node]
            for source, index in user.inputs
            if source is node
        )

    def may_rewrite(self, node: Node) -> bool:
        """Whether a node that computes the same may take the place of `node`."""
        definition = node.definition
        return not (
            node.control_inputs
            or node in self.conditional
            or definition.stateful
            or definition.takes_ref
            or self._control_users.get(node)
            or node in self._roots
            or has_ref_input(node)
        )

    def constant(self, output: Output) -> np.ndarray | None:
        """The value of an output that is a constant and waits for nothing; not to be written."""
        node = output[0]
        if node.definition.name != "Const" or node.control_inputs:
            return None
        return node.attrs["value"]

    # --- changes ----------------------------------------------------------------------------------

    def note(self, change: str) -> None:
        """Records a change for the report."""
        self.changes.append(change)

    def replace(self, old: Output, new: Output) -> None:
        """Lets all that read or fetch `old` read or fetch `new`."""
        node, index = old
        for user in list(self._users[node]):
            for place, (source, at) in enumerate(user.inputs):
                if source is node and at == index:
                    self.set_input(user, place, new)
        fetches = self.subgraph.fetches
        for place in list(self._fetches.get(node, ())):
            if fetches[place][1] == index:
                fetches[place] = new
                self._fetches[node].remove(place)
                self._fetches.setdefault(new[0], []).append(place)

    def replace_control(self, old: Node, new: Node) -> None:
        """Lets all that wait for `old` wait for `new`."""
        for user in list(self._control_users.get(old, ())):
            controls = [new if source is old else source for source in user.control_inputs]
            self.set_control_inputs(user, list(dict.fromkeys(controls)))

    def set_input(self, node: Node, place: int, output: Output) -> None:
        """Lets `node` read `output` as input number `place`."""
        source = node.inputs[place][0]
        users = self._users[source]
        users[node] -= 1
        if not users[node]:
            del users[node]
        node.inputs[place] = output
        users = self._users[output[0]]
        users[node] = users.get(node, 0) + 1

    def set_control_inputs(self, node: Node, sources: list[Node]) -> None:
        """Lets `node` wait for `sources`."""
        for source in node.control_inputs:
            self._control_users[source].pop(node, None)
        node.control_inputs = sources
        for source in sources:
            self._control_users.setdefault(source, {})[node] = None

    def add(
        self,
        anchor: Node,
        name: str,
        op: str,
        attrs: dict[str, Any],
        inputs: list[Output],
        dtype: DType,
        shape: TensorShape,
        control_inputs: list[Node] | None = None,
    ) -> Node:
        """A new node with one output, in the order right before `anchor`, for which it stands."""
        node = Node(name, get_op(op), attrs, [dtype], [shape], anchor.device, anchor.operation)
        node.inputs = inputs
        node.control_inputs = control_inputs or []
        self.insert(anchor, node)
        return node

    def insert(self, anchor: Node, node: Node) -> None:
        """Takes in a new node that has its inputs, in the order right before `anchor`."""
        self._users[node] = {}
        self._enter(node)
        self._added.setdefault(anchor, []).append(node)
        if anchor in self.conditional and (node.inputs or node.control_inputs):
            self.conditional.add(node)
        if _has_effect(node, self.effectful):
            self.effectful.add(node)

    def add_constant(
        self,
        anchor: Node,
        name: str,
        value: np.ndarray,
        dtype: DType | None = None,
        control_inputs: list[Node] | None = None,
    ) -> Node:
        """A new constant before `anchor`; `value` is not to be written any more."""
        if value.flags.writeable:
            value = value.view()
            value.setflags(write=False)
        dtype = dtype or from_numpy(value.dtype)
        attrs = {"value": value, "dtype": dtype}
        shape = TensorShape._of(value.shape)
        made = self.add(anchor, name, "Const", attrs, [], dtype, shape, control_inputs)
        self.constants_made.append(made)
        return made

    def finish_pass(self) -> tuple[str, ...]:
        """Puts new nodes in their places and drops what nothing needs; returns the changes."""
        changes = tuple(self.changes)
        self.changes = []
        if self._added:
            self._place_added()
        if changes:
            self._sweep()
            self.effectful = _effectful_nodes(self.subgraph.nodes)
        return changes

    def _place_added(self) -> None:
        ordered: list[Node] = []
        stack = list(reversed(self.subgraph.nodes))
        while stack:
            node = stack.pop()
            added = self._added.pop(node, None)
            if added is None:
                ordered.append(node)
            else:
                stack.append(node)
                stack.extend(reversed(added))
        self.subgraph.nodes = ordered

    def _sweep(self) -> None:
        needed = set(self._roots)
        needed.update(self.subgraph.feeds)
        needed.update(node for node, _ in self.subgraph.fetches)
        stack = list(needed)
        while stack:
            node = stack.pop()
            for source in (*(source for source, _ in node.inputs), *node.control_inputs):
                if source not in needed:
                    needed.add(source)
                    stack.append(source)
        for node in self.subgraph.nodes:
            if node not in needed:
                self._forget(node)
        self.subgraph.nodes = [node for node in self.subgraph.nodes if node in needed]

    def _forget(self, node: Node) -> None:
        for source, _ in node.inputs:
            self._users.get(source, {}).pop(node, None)
        for source in node.control_inputs:
            self._control_users.get(source, {}).pop(node, None)
        self._users.pop(node)
        self._control_users.pop(node, None)


def has_ref_input(node: Node) -> bool:
    """Whether an input is a ref, which is read only when the node runs."""
    return any(source.output_dtypes[index]._is_ref_dtype for source, index in node.inputs)


def is_reference(dtype: DType) -> bool:
    """Whether values of a dtype stand for something else: refs, resources, variants."""
    return dtype._is_ref_dtype or dtype.name in ("resource", "variant")


def is_pure(node: Node | Operation) -> bool:
    """Whether a node only computes its outputs from its inputs; unfed placeholders do not."""
    definition = node.definition
    if not (definition.foldable or definition.name in _HARMLESS):
        return False
    return not (
        definition.stateful
        or definition.takes_ref
        or definition.control_flow
        or definition.touches_world
        or definition.calls_functions
        or definition.name in _CHECKS
    )


def same_device(node: Node, source: Node) -> bool:
    """Whether what reads `node` may read `source` without a way between devices."""
    return node.device == source.device or source.definition is FEED


def _conditional_nodes(nodes: list[Node]) -> set[Node]:
    if not any(node.definition.control_flow for node in nodes):
        return set()
    frames = assign_frames(nodes)
    deadness = Deadness(nodes, frames)
    return {
        node
        for node in nodes
        if node.definition.control_flow
        or deadness.of[node]
        or frames.of.get(node, frames.root) is not frames.root
    }


def _effectful_nodes(nodes: list[Node]) -> set[Node]:
    found: set[Node] = set()
    for node in nodes:
        if _has_effect(node, found):
            found.add(node)
    return found


def _has_effect(node: Node, effectful: set[Node]) -> bool:
    return (
        not is_pure(node)
        or any(source in effectful for source, _ in node.inputs)
        or any(source in effectful for source in node.control_inputs)
    )

"""When nodes are dead: for each node of a subgraph, the set of conditions any of which makes it so.

A condition is

    ("pred", tensor, branch)    the predicate did not choose this branch
    ("case", tensor, branch)    the index did not, of any number of branches
    ("merge", node)             no input of a Merge is alive
    ("enter", conditions)       the loop was entered with dead values
    ("exit", node)              the loop never left through this Exit
    ("recv", node)              the other device sent a dead value

Nodes with the same set are alive together or dead together, so a step tests once for all of them,
and a cluster may hold only nodes of one set. The two branches of a condition are joined by a
Merge, which drops the condition: what is behind `tf.cond` is as alive as what is before it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from featherflow.graph.frames import Frames, LoopFrame, is_back_edge
from featherflow.graph.subgraph import Node

Condition = tuple[Any, ...]
Conditions = frozenset[Condition]
#: An output: (node, index).
Output = tuple[Node, int]

NEVER: Conditions = frozenset()


class Deadness:
    """The conditions under which the nodes of a subgraph are dead.

    Attributes:
      of: for each node, the conditions that keep it from running.
      regular: loops whose values all go on to the next iteration together, or none of them.
      exiting: regular loops that, entered alive, leave through all their Exits at once.
    """

    def __init__(self, nodes: list[Node], frames: Frames) -> None:
        self.of: dict[Node, Conditions] = {}
        self.regular: set[LoopFrame] = set()
        self.exiting: set[LoopFrame] = set()
        self._outputs: dict[Output, Conditions] = {}
        self._frames = frames
        self._guards: dict[Node, tuple[Output, ...]] = {}
        if not any(node.definition.control_flow for node in nodes):
            self.of = dict.fromkeys(nodes, NEVER)
            return
        # What leaves an inner loop decides when the loop around it goes on: a pass for each depth.
        while True:
            self._pass(nodes)
            regular, exiting = _classify_loops(nodes, frames, self)
            if exiting == self.exiting:
                self.regular = regular
                self._choose_guards(nodes)
                return
            self.exiting = exiting

    def of_output(self, node: Node, index: int) -> Conditions:
        """The conditions under which an output is dead."""
        found = self._outputs.get((node, index))
        return self._outputs.get((node, -1), NEVER) if found is None else found

    def of_control(self, node: Node) -> Conditions:
        """The conditions under which the control edges from `node` are dead."""
        return self._outputs.get((node, -1), NEVER)

    # --- one pass ---------------------------------------------------------------------------------

    def _pass(self, nodes: list[Node]) -> None:
        self._outputs.clear()
        for node in nodes:
            kind = node.definition.control_flow
            conditions = NEVER
            if kind not in ("merge", "trigger"):
                for source, index in node.inputs:
                    conditions = _union(conditions, self.of_output(source, index))
                for source in node.control_inputs:
                    conditions = _union(conditions, self.of_control(source))
            self.of[node] = conditions
            passed_on = self._passed_on(node, kind, conditions)
            if passed_on:
                self._outputs[node, -1] = passed_on
            if kind == "switch":
                for branch, condition in enumerate(_branches(node)):
                    self._outputs[node, branch] = conditions | {condition}

    def _passed_on(self, node: Node, kind: str | None, conditions: Conditions) -> Conditions:
        if kind == "merge":
            return self._of_merge(node)
        if kind == "enter":
            return frozenset([("enter", conditions)]) if conditions else NEVER
        if kind == "exit":
            return self._of_exit(node, conditions)
        if kind == "recv":
            return conditions | {("recv", node)}
        return conditions

    def _of_merge(self, node: Node) -> Conditions:
        if closes_loop(node):
            if is_loop_merge(node):
                return self.of_output(*node.inputs[0])
            return frozenset([("merge", node)])
        inputs = [self.of_output(source, index) for source, index in node.inputs]
        joined = _join(inputs)
        if joined is not None:
            return joined
        return frozenset.intersection(*inputs) | {("merge", node)}

    def _of_exit(self, node: Node, conditions: Conditions) -> Conditions:
        if self._frames.of[node] not in self.exiting:
            return frozenset([("exit", node)])
        return _before_entering(conditions)

    # --- how to find out at run time --------------------------------------------------------------

    def guards(self, node: Node) -> tuple[Output, ...]:
        """Outputs among what `node` waits for: it is dead if any of them is."""
        return self._guards.get(node, ())

    def _choose_guards(self, nodes: list[Node]) -> None:
        self._guards.clear()
        for node in nodes:
            if not self.of[node]:
                continue
            candidates = {output: self.of_output(*output) for output in self._ancestors(node)}
            covered: Conditions = NEVER
            chosen = []
            for output in sorted(candidates, key=lambda output: -len(candidates[output])):
                if not candidates[output] <= covered:
                    covered |= candidates[output]
                    chosen.append(output)
            self._guards[node] = tuple(chosen)

    def _ancestors(self, node: Node) -> Iterable[Output]:
        """The inputs of a node that may be dead; of control inputs without outputs, the guards."""
        for source, index in node.inputs:
            if self.of_output(source, index):
                yield source, index
        for source in node.control_inputs:
            conditions = self.of_control(source)
            if not conditions:
                continue
            if source.output_dtypes and self.of_output(source, 0) == conditions:
                yield source, 0
            else:
                yield from self.guards(source)

    # --- constants --------------------------------------------------------------------------------

    def free_constants(self, nodes: list[Node], kept: Container[Node]) -> None:
        """Takes away the control inputs of constants where that changes nothing.

        Constants made inside a branch or loop wait for its pivot, and would be computed each time.
        One whose users are dead without it whenever it is dead can be there from the start.

        Args:
          kept: nodes to leave as they are: those fetched.
        """
        users: dict[Node, list[Node]] = {}
        waited_for = {source for node in nodes for source in node.control_inputs}
        candidates = [
            node
            for node in nodes
            if node.definition.static_value_fn is not None
            and node.control_inputs
            and not (node.inputs or node in kept or node in waited_for)
        ]
        known = set(candidates)
        for node in nodes:
            for source, _ in node.inputs:
                if source in known:
                    users.setdefault(source, []).append(node)
        for (
            node
        ) in candidates:  # one after the other: two must not be freed on each other's account
            if all(self._is_dead_without(user, node) for user in users.get(node, ())):
                node.control_inputs = []
                self.of[node] = NEVER
                self._outputs.pop((node, -1), None)
                self._frames.of.pop(node, None)
        self._choose_guards(nodes)  # a constant that is free guards nothing any more

    def _is_dead_without(self, user: Node, constant: Node) -> bool:
        """Whether the other inputs of `user` tell all that `constant` tells of its deadness."""
        wanted = self.of_control(constant)
        others = (*(source for source, _ in user.inputs), *user.control_inputs)
        if not any(source is not constant and source in self._frames.of for source in others):
            return False  # the constant is all that says in which iteration the user runs
        if user.definition.control_flow == "merge":
            return not wanted
        found: Conditions = NEVER
        for source, index in user.inputs:
            if source is not constant:
                found |= self.of_output(source, index)
        for source in user.control_inputs:
            found |= self.of_control(source)
        return wanted <= found


def _union(first: Conditions, second: Conditions) -> Conditions:
    """`first | second`, as one of the two where it is equal to it: most nodes share a set."""
    if second <= first:
        return first
    return second if first <= second else first | second


def root_of(node: Node, index: int) -> Output:
    """The output that `node:index` passes on unchanged, through Identity, LoopCond and so on."""
    while node.definition.aliases and node.definition.control_flow in (None, "loop_cond"):
        if len(node.inputs) != 1:
            break
        node, index = node.inputs[0]
    return node, index


def closes_loop(node: Node) -> bool:
    """Whether a value of the iteration before comes back to `node`, a Merge."""
    return any(is_back_edge(source, node) for source, _ in node.inputs)


def is_loop_merge(node: Node) -> bool:
    """Whether a Merge heads a loop in the ordinary way: Merge(Enter, NextIteration)."""
    kinds = [source.definition.control_flow for source, _ in node.inputs]
    return (
        kinds == ["enter", "next_iteration"]
        and not node.control_inputs
        and not node.inputs[0][0].attrs["is_constant"]
    )


def _branches(node: Node) -> list[Condition]:
    """What kills each output of a Switch, besides what kills all."""
    chooser = root_of(*node.inputs[1])
    if node.definition.name in ("Switch", "RefSwitch"):
        return [("pred", chooser, False), ("pred", chooser, True)]
    # Only a predicate's two branches are each other's complement.
    return [("case", chooser, branch) for branch in range(len(node.output_dtypes))]


def _join(inputs: list[Conditions]) -> Conditions | None:
    """When a Merge of inputs with these conditions is dead; None if no set says it."""
    left = list(dict.fromkeys(inputs))
    if NEVER in left:
        return NEVER
    while len(left) > 1:
        pair = _complements(left)
        if pair is None:
            return None
        first, second = pair
        left = [item for item in left if item is not first and item is not second]
        left.append(first & second)
    return left[0]


def _complements(sets: list[Conditions]) -> tuple[Conditions, Conditions] | None:
    """Two sets that differ only in the branch of one predicate, so that one of them is alive."""
    for position, first in enumerate(sets):
        for second in sets[position + 1 :]:
            different = list(first ^ second)
            if (
                len(different) == 2
                and different[0][0] == different[1][0] == "pred"
                and different[0][1] == different[1][1]
            ):
                return first, second
    return None


def _before_entering(conditions: Conditions) -> Conditions:
    """The conditions outside a loop that its own conditions stand for."""
    return frozenset().union(*(item[1] for item in conditions if item[0] == "enter"))


def _inside(conditions: Conditions) -> Conditions:
    return frozenset(item for item in conditions if item[0] != "enter")


def _classify_loops(
    nodes: list[Node], frames: Frames, deadness: Deadness
) -> tuple[set[LoopFrame], set[LoopFrame]]:
    """The loops whose values go on together; and those that, entered alive, leave by all Exits."""
    goes_on: dict[LoopFrame, set[Conditions]] = {}
    leaves: dict[LoopFrame, set[Conditions]] = {}
    odd: set[LoopFrame] = set()
    for node in nodes:
        kind = node.definition.control_flow
        if kind == "next_iteration":
            goes_on.setdefault(frames.of[node], set()).add(deadness.of[node])
        elif kind == "exit":
            leaves.setdefault(frames.of[node], set()).add(_inside(deadness.of[node]))
        elif closes_loop(node) and not is_loop_merge(node):
            odd.add(frames.of[node])
    regular = {frame for frame, sets in goes_on.items() if len(sets) == 1 and frame not in odd}
    exiting = set()
    for frame in regular:
        inside = [item for sets in goes_on[frame] for item in _inside(sets)]
        if len(inside) == 1 and inside[0][0] == "pred" and inside[0][2] is True:
            other = ("pred", inside[0][1], False)
            if all(conditions == {other} for conditions in leaves.get(frame, ())):
                exiting.add(frame)
    return regular, exiting

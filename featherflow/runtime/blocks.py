"""Blocks: the steps of a batch, cut where deadness changes, so that one test serves many nodes.

for block in batch:
    if any guard is DEAD: the block's outputs are DEAD, and so is what it sends
    else:                 its steps run in order
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from featherflow.graph.deadness import Conditions, Deadness
from featherflow.graph.frames import is_back_edge
from featherflow.graph.subgraph import Node
from featherflow.runtime.executor_plan import Step


class Block(NamedTuple):
    """Steps that are alive together or dead together.

    Attributes:
      guards: slots; the block is dead if any of them is.
      steps: what to run, else.
      dead: slots that become DEAD with the block: those that others read.
      sends: kernels that must tell another device that their value is dead.
    """

    guards: tuple[int, ...]
    steps: tuple[Step, ...]
    dead: tuple[int, ...]
    sends: tuple[Callable[..., Any], ...]


def cut(nodes: list[Node], deadness: Deadness) -> list[list[Node]]:
    """The nodes of a batch in an order that changes conditions as seldom as it can.

    Stays with the conditions of the last node while a node of theirs is ready, and takes the oldest
    of those that are.
    """
    first = deadness.of[nodes[0]] if nodes else None
    if all(deadness.of[node] == first for node in nodes):
        return [nodes] if nodes else []
    position = {node: index for index, node in enumerate(nodes)}
    waiting = dict.fromkeys(nodes, 0)
    users: dict[Node, list[Node]] = {}
    for node in nodes:
        for source in _sources(node, position):
            waiting[node] += 1
            users.setdefault(source, []).append(node)
    ready: dict[Conditions, list[int]] = {}
    for node in nodes:
        if not waiting[node]:
            ready.setdefault(deadness.of[node], []).append(position[node])
    result: list[list[Node]] = []
    current: Conditions | None = None
    while ready:
        if current not in ready:
            current = min(ready, key=lambda conditions: ready[conditions][0])
            result.append([])
        node = nodes[heapq.heappop(ready[current])]
        if not ready[current]:
            del ready[current]
        result[-1].append(node)
        for user in users.get(node, ()):
            waiting[user] -= 1
            if not waiting[user]:
                heapq.heappush(ready.setdefault(deadness.of[user], []), position[user])
    return result


def _sources(node: Node, batch: dict[Node, int]) -> Iterable[Node]:
    """The nodes of the batch that `node` waits for in the same iteration."""
    for source in (*(source for source, _ in node.inputs), *node.control_inputs):
        if source in batch and not is_back_edge(source, node):
            yield source

"""Placer: gives every node of a graph a device, on the whole graph, before anything is pruned."""

from __future__ import annotations

from typing import Any

from featherflow.framework.device import Device
from featherflow.graph.graph import Graph
from featherflow.graph.subgraph import Subgraph


class Placer:
    """Places the nodes of one session's graph; stateful nodes keep their first place."""

    def __init__(self, graph: Graph, devices: list[Device], config: Any) -> None:
        self.graph = graph
        self.devices = devices
        self.config = config

    def place(self) -> None:
        """Places the nodes made since the last call."""

    def assign(self, step: Subgraph) -> None:
        """Writes the places into the nodes of a step."""
        for node in step.nodes:
            node.device = self.devices[0].name

"""Models as the command line takes them: a frozen GraphDef, binary or text, by its file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from featherflow.framework.op import find_op
from featherflow.graph.graph import Graph
from featherflow.graph.importer import import_graph_def
from featherflow.protos import graph_pb2


class ModelError(Exception):
    """A file that is no model, or one that this version cannot read."""


@dataclass(frozen=True)
class Model:
    """A model that was read: its message, and the bytes of its file.

    Attributes:
      path: the file.
      size: its bytes.
      graph_def: the GraphDef message.
    """

    path: str
    size: int
    graph_def: Any

    def unsupported(self) -> dict[str, list[str]]:
        """Op → names of the nodes that use it, for ops that featherflow does not have."""
        functions = {function.signature.name for function in self.graph_def.library.function}
        found: dict[str, list[str]] = {}
        for node in self.nodes():
            if node.op not in functions and find_op(node.op) is None:
                found.setdefault(node.op, []).append(node.name)
        return found

    def nodes(self) -> list[Any]:
        """All nodes, those of functions too."""
        inner = [node for function in self.graph_def.library.function for node in function.node_def]
        return [*self.graph_def.node, *inner]

    def graph(self) -> Graph:
        """The model as a graph."""
        graph = Graph()
        with graph.as_default():
            import_graph_def(self.graph_def, name="")
        return graph


def read_model(path: str) -> Model:
    """Reads a model.

    Raises:
      ModelError: there is no such file, or it is no GraphDef.
    """
    if os.path.isdir(path):
        raise ModelError(f"{path} is a folder: SavedModels are not supported yet.")
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}.") from None
    return Model(path, len(content), parse_graph_def(content, path))


def parse_graph_def(content: bytes, path: str) -> Any:
    """The GraphDef in `content`, in binary or in text form."""
    from google.protobuf import text_format
    from google.protobuf.message import DecodeError

    message = graph_pb2.GraphDef()
    try:
        message.ParseFromString(content)
        if message.node:
            return message
    except DecodeError:
        pass  # not binary; it may be text
    message = graph_pb2.GraphDef()
    try:
        text_format.Parse(content.decode(), message)
    except (UnicodeDecodeError, text_format.ParseError):
        raise ModelError(f"{path} is no GraphDef, neither in binary nor in text form.") from None
    if not message.node:
        raise ModelError(f"{path} holds no nodes.")
    return message

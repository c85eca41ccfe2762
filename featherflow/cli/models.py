"""Models as the command line takes them: a file or folder with a graph, and what it says of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError, Message

from featherflow.cli.command_error import CommandError
from featherflow.framework.errors import OpError
from featherflow.framework.op import Op, find_op
from featherflow.graph.graph import Graph
from featherflow.graph.importer import import_graph_def
from featherflow.protos import graph_pb2, meta_graph_pb2, saved_model_pb2

#: Ops whose values are not in the graph.
VARIABLE_OPS = frozenset({"AutoReloadVariable", "VarHandleOp", "Variable", "VariableV2"})


@dataclass(frozen=True)
class Model:
    """A model that was read; none of it has run.

    Attributes:
      path: the file or folder.
      kind: "GraphDef", "MetaGraphDef" or "SavedModel"; only the first has its values in it.
      size: bytes of the file.
      graph_def: the GraphDef message.
      content: the bytes of a binary GraphDef, else None.
      signatures: SignatureDefs by name.
    """

    path: str
    kind: str
    size: int
    graph_def: Any
    content: bytes | None = field(default=None, repr=False)
    signatures: dict[str, Any] = field(default_factory=dict)

    def nodes(self) -> Iterator[Any]:
        """All NodeDefs, those of functions too."""
        yield from self.graph_def.node
        for function in self.graph_def.library.function:
            yield from function.node_def

    @cached_property
    def ops(self) -> dict[str, Op | None]:
        """The ops of all nodes by name; None for those that featherflow lacks, functions aside."""
        functions = {function.signature.name for function in self.graph_def.library.function}
        names = {node.op for node in self.nodes()} - functions
        return {name: find_op(name) for name in names}

    def unsupported(self) -> dict[str, list[str]]:
        """Op → names of its nodes, for ops that featherflow does not have."""
        missing = {name for name, op in self.ops.items() if op is None}
        return self._nodes_by_op(missing)

    def touching_world(self) -> dict[str, list[str]]:
        """Op → names of its nodes, for ops that touch files, processes or Python."""
        return self._nodes_by_op(
            {name for name, op in self.ops.items() if op is not None and op.touches_world}
        )

    def _nodes_by_op(self, ops: set[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for node in self.nodes():
            if node.op in ops:
                found.setdefault(node.op, []).append(node.name)
        return found

    @cached_property
    def graph(self) -> Graph:
        """The model as a graph.

        Raises:
          CommandError: it has ops that featherflow lacks, or is damaged.
        """
        graph = Graph()
        try:
            with graph.as_default():
                # Constants of binary models are used where they lie in the bytes, uncopied.
                import_graph_def(self.content or self.graph_def, name="")
        except (OpError, ValueError, TypeError) as error:
            raise CommandError(f"{self.path}: {error}") from None
        for operation in graph._operations:
            operation._frames = ()  # no line of a user's program has made it
        return graph


def read_model(path: str) -> Model:
    """Reads a model: a GraphDef, a MetaGraphDef (.meta), or a SavedModel by its folder or file.

    Raises:
      CommandError: there is no such file, or it holds none of these.
    """
    file = _saved_model_file(path) if os.path.isdir(path) else path
    try:
        with open(file, "rb") as opened:
            content = opened.read()
    except OSError as error:
        raise CommandError(f"cannot read {file}: {error.strerror}") from None
    name = os.path.basename(file)
    if name.startswith("saved_model.pb"):
        return _from_saved_model(content, path)
    if name.endswith(".meta"):
        message, _ = _parse(meta_graph_pb2.MetaGraphDef, content, path)
        return _from_meta_graph(message, "MetaGraphDef", len(content), path)
    message, is_binary = _parse(graph_pb2.GraphDef, content, path)
    if not message.node or not all(node.name and node.op for node in message.node):
        raise CommandError(f"{path} is no GraphDef: it holds no nodes that have a name and an op.")
    return Model(path, "GraphDef", len(content), message, content if is_binary else None)


def _saved_model_file(folder: str) -> str:
    for name in ("saved_model.pb", "saved_model.pbtxt"):
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    raise CommandError(f"{folder} is a folder without saved_model.pb: name a model's file.")


def _from_saved_model(content: bytes, path: str) -> Model:
    message, _ = _parse(saved_model_pb2.SavedModel, content, path)
    if not message.meta_graphs:
        raise CommandError(f"{path} is a SavedModel without graphs.")
    return _from_meta_graph(message.meta_graphs[0], "SavedModel", len(content), path)


def _from_meta_graph(message: Any, kind: str, size: int, path: str) -> Model:
    if not message.graph_def.node:
        raise CommandError(f"{path} is a {kind} without nodes.")
    signatures = dict(message.signature_def.items())
    return Model(path, kind, size, message.graph_def, None, signatures)


def _parse(message_type: type[Message], content: bytes, path: str) -> tuple[Any, bool]:
    """The message in `content`, and whether it was in binary rather than in text form."""
    try:
        return message_type.FromString(content), True
    except DecodeError:
        pass  # not binary; it may be text
    message = message_type()
    try:
        text_format.Parse(content.decode(), message)
    except UnicodeDecodeError:
        raise CommandError(f"{path} is no {message_type.__name__} in binary form.") from None
    except text_format.ParseError as error:
        kind = message_type.__name__
        reason = str(error).splitlines()[0]
        raise CommandError(f"{path} is no {kind}, in binary or in text form ({reason}).") from None
    return message, False

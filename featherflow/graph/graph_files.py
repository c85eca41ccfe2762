"""write_graph: a graph as a file, text or binary."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from featherflow.framework.exports import export, export_v1
from featherflow.graph.graph import Graph


@export("io.write_graph")
@export_v1("train.write_graph")
def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Writes a graph to the file `logdir/name`, which holds all of it or is not there at all.

    Args:
      graph_or_graph_def: a Graph or a GraphDef message.
      logdir: the folder; made if need be.
      name: of the file.
      as_text: as readable text (`.pbtxt`) rather than binary (`.pb`).
    Returns:
      The path of the file.
    Raises:
      TypeError: the graph is neither a Graph nor a message.

    >>> import pathlib, tempfile
    >>> import featherflow as tf
    >>> with tf.Graph().as_default() as graph, tempfile.TemporaryDirectory() as folder:
    ...     two = tf.constant(2.0, name="two")
    ...     path = tf.io.write_graph(graph, folder, "graph.pbtxt")
    ...     pathlib.Path(path).read_text()[:21]
    'node {\\n  name: "two"\\n'
    """
    from google.protobuf import text_format

    message = graph_or_graph_def
    if isinstance(message, Graph):
        message = message.as_graph_def()
    elif not hasattr(message, "SerializeToString"):
        raise TypeError(
            "graph_or_graph_def must be a tf.Graph or a GraphDef, received "
            f"{type(message).__name__}."
        )
    data = text_format.MessageToString(message).encode() if as_text else None
    folder = Path(logdir)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    _replace(path, message.SerializeToString(deterministic=True) if data is None else data)
    return str(path)


def _replace(path: Path, data: bytes) -> None:
    """Writes beside the file and renames: a reader never sees half a graph."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    """The process's mask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask

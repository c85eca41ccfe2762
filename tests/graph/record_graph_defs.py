"""Records graphs that TensorFlow writes, how it reads them again, and what they compute.

    python tests/graph/record_graph_defs.py

Needs TensorFlow in the interpreter that runs it. The graphs are those of the TF1 programs in
`tests/differential/programs`; each run of a session that a program makes is recorded with it.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import tensorflow
from differential.programs import TOPICS, programs_of

tf = tensorflow.compat.v1
ARCHIVE = Path(__file__).parent / "tensorflow_graphs.zip"
#: Members get this date, so that the archive changes only where its contents do.
_DATE = (1980, 1, 1, 0, 0, 0)


class RecordingSession(tf.Session):
    """A session that notes what was run, by names."""

    def __init__(self, graph: Any) -> None:
        super().__init__(graph=graph)
        self.runs: list[dict[str, Any]] = []

    def run(self, fetches: Any, feed_dict: Any = None, *args: Any, **kwargs: Any) -> Any:
        result = super().run(fetches, feed_dict, *args, **kwargs)
        self.runs.append(
            {
                "fetches": list(names_of(fetches, self.graph)),
                "feeds": {
                    self.graph.as_graph_element(key).name: text_of(value)
                    for key, value in (feed_dict or {}).items()
                },
                "values": [text_of(value) for value in values_of(result)],
            }
        )
        return result


def names_of(fetches: Any, graph: Any) -> Iterator[str]:
    """The names of everything in a structure of fetches."""
    if isinstance(fetches, tf.IndexedSlices):
        fetches = [fetches.values, fetches.indices, fetches.dense_shape]
    if isinstance(fetches, dict):
        fetches = list(fetches.values())
    if isinstance(fetches, (list, tuple)):
        for item in fetches:
            yield from names_of(item, graph) if item is not None else ()
    else:
        yield graph.as_graph_element(fetches).name


def values_of(result: Any) -> Iterator[Any]:
    """The values in a structure of results, in the order of `names_of`."""
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (list, tuple)):
        for item in result:
            yield from values_of(item)
    elif result is not None:
        yield result


def text_of(value: Any) -> str:
    """A value as a TensorProto in Base64."""
    array = np.asarray(value)
    if array.dtype.kind == "U":
        array = array.astype(object)
    return base64.b64encode(tf.make_tensor_proto(array).SerializeToString()).decode()


def record(program: Any) -> tuple[bytes, dict[str, Any]]:
    """The GraphDef of a program; its runs, and order and devices of the nodes once imported."""
    graph = tf.Graph()
    with graph.as_default():
        steps = program(tf).get("steps")
        with RecordingSession(graph) as session:
            if steps is not None:
                steps(session)
    message = graph.as_graph_def()
    imported = tf.Graph()
    with imported.as_default():
        tf.import_graph_def(message, name="")
    nodes = imported.as_graph_def().node
    facts = {
        "nodes": [node.name for node in nodes],
        "devices": {node.name: node.device for node in nodes if node.device},
        "runs": session.runs,
    }
    return message.SerializeToString(deterministic=True), facts


def main() -> None:
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    with zipfile.ZipFile(ARCHIVE, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.comment = f"TensorFlow {tensorflow.__version__}".encode()
        for topic in TOPICS:
            for name, program in programs_of(topic):
                data, facts = record(program)
                for suffix, content in (("pb", data), ("json", json.dumps(facts).encode())):
                    member = zipfile.ZipInfo(f"{topic}/{name}.{suffix}", _DATE)
                    member.compress_type = zipfile.ZIP_DEFLATED
                    archive.writestr(member, content)
    print(f"{ARCHIVE.name}: {ARCHIVE.stat().st_size} bytes")


if __name__ == "__main__":
    main()

"""Records AttrValues that TensorFlow makes: ``python tests/differential/record_attr_values.py``.

Needs TensorFlow in the interpreter that runs it. Recorded are the type and bytes of all defaults
and allowed values of its ops, and of the attributes of a few nodes with constants, partial shapes
and functions.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow
from tensorflow.python.framework import op_def_registry

RECORD = Path(__file__).parent / "attr_values.json"
tf = tensorflow.compat.v1


def from_op_defs(op_defs: Any) -> set[tuple[str, str]]:
    found = set()
    for op_def in op_defs:
        for attr in op_def.attr:
            if attr.HasField("default_value"):
                found.add((attr.type, attr.default_value.SerializeToString().hex()))
            if attr.HasField("allowed_values"):
                kind = attr.type.removeprefix("list(").removesuffix(")")
                found.add((f"list({kind})", attr.allowed_values.SerializeToString().hex()))
    return found


def sample_graph() -> Any:
    """A graph whose nodes have attributes of the kinds that defaults lack."""
    with tf.Graph().as_default() as graph:
        tf.placeholder(tf.float32, [None, 3])
        tf.placeholder(tf.string, None)
        for dtype in (np.float32, np.int8, np.bool_, np.complex64, np.uint16, np.float16):
            tf.constant(np.arange(6).reshape(2, 3).astype(dtype))
            tf.constant(np.array(1, dtype), shape=[2, 2])
            tf.constant(np.zeros([0, 2], dtype))
        tf.constant([[b"a", b"\xff\0"]])
        queue = tf.FIFOQueue(3, [tf.int32, tf.string], [[2], []])
        queue.enqueue([[1, 2], "x"])
        tf.strings.split(["a b"])
        value = tf.placeholder(tf.float32, [])
        tensorflow.cond(value > 0, lambda: value * 2, lambda: value)
        tensorflow.switch_case(tf.cast(value, tf.int32), [lambda: value, lambda: -value])
        tf.Print(value, [value], message=b"\xc3\x28")
    return graph.as_graph_def()


def from_graph(graph_def: Any) -> set[tuple[str, str]]:
    found = set()
    nodes = [*graph_def.node]
    nodes += [node for function in graph_def.library.function for node in function.node_def]
    for node in nodes:
        op_def = op_def_registry.get(node.op)
        types = {attr.name: attr.type for attr in op_def.attr} if op_def is not None else {}
        for name, value in node.attr.items():
            if name in types:  # values of functions' maps in a fixed order
                data = value.SerializeToString(deterministic=True)
                found.add((types[name], data.hex()))
    return found


def main() -> None:
    """Writes the record, one value a line."""
    tf.enable_control_flow_v2()
    graph_def = sample_graph()
    names = [name for name in dir(tensorflow.raw_ops) if name[0].isupper()]
    op_defs = [op_def_registry.get(name) for name in names]
    found = from_op_defs(op_def for op_def in op_defs if op_def is not None)
    rows = sorted(found | from_graph(graph_def))
    lines = ",\n".join(json.dumps(row) for row in rows)
    header = json.dumps(tensorflow.__version__)
    RECORD.write_text(f'{{"tensorflow": {header},\n"values": [\n{lines}\n]}}\n', encoding="ascii")
    print(f"{len(rows)} values, {RECORD.stat().st_size} bytes")


if __name__ == "__main__":
    main()

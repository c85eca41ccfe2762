"""Records the static shapes that TensorFlow infers for the rows of `shape_rows/`.

    python tests/differential/record_static_shapes.py

Needs TensorFlow in the interpreter that runs it.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import tensorflow
from tensorflow.python.framework import op_def_library

from differential.static_shapes import FAMILIES, infer_row, rows_of

TABLE = Path(__file__).with_name("static_shapes.json")
REGISTRY = Path(__file__).with_name("op_registry.json.gz")
OPS = json.loads(gzip.decompress(REGISTRY.read_bytes()))["ops"]
DECIDING = ("type_attr", "number_attr", "type_list_attr")


def apply(op: str, **arguments: Any) -> Any:
    """Adds an op to the default graph with every attribute that is not given at its default."""
    return op_def_library.apply_op(op, **(default_attrs(op) | arguments))


def default_attrs(op: str) -> dict[str, Any]:
    """The defaults of an op's attributes, but for those that the inputs decide."""
    facts = OPS[op]
    decided = {arg.get(kind) for arg in facts["inputs"] for kind in DECIDING}
    attrs = [attr for attr in facts.get("attrs", ()) if attr["name"] not in decided]
    defaults = {attr["name"]: attr["default"] for attr in attrs if "default" in attr}
    return {name: None if value == "unknown" else value for name, value in defaults.items()}


def main() -> None:
    """Writes the table, one line a row."""
    tf = tensorflow.compat.v1
    tf.disable_v2_behavior()
    lines = [f'"tensorflow":{json.dumps(tensorflow.__version__)}']
    for family in FAMILIES:
        for row in rows_of(family):
            outcomes = json.dumps(infer_row(tf, apply, row), separators=(",", ":"))
            lines.append(f"{json.dumps(f'{family}: {row}')}:{outcomes}")
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "ascii")
    print(f"{TABLE.name}: {len(lines) - 1} rows, {TABLE.stat().st_size} bytes")


if __name__ == "__main__":
    main()

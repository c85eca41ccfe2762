"""Records how TensorFlow's public API is called into `public_api.json.gz`.

Needs TensorFlow (the committed table comes from 2.21.0); nothing else of the tests does:

    python tests/differential/record_public_api.py

The table has two APIs, "v1" (`tf.compat.v1`) and "v2" (`tf`). Each maps a dotted name to facts:

    kind      "class", "function" or "value"
    call      how it (a class's constructor) is called, as text without annotations
    methods   of a class: name → call; "" is a property
    same      the first name of the same object, instead of all others

Namespaces that featherflow leaves to others (`LISTED_ONLY`) have kinds only.
"""

from __future__ import annotations

import gzip
import json
import os
import pathlib
import sys
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
if __package__ in (None, ""):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import tensorflow as tf

from differential.public_signatures import describe, walk

TABLE = pathlib.Path(__file__).with_name("public_api.json.gz")
#: Namespaces whose names are recorded, but not how they are called.
LISTED_ONLY = ("keras", "raw_ops", "lite", "tpu", "estimator")
_NOT_WALKED = {"compat.v1", "compat.v2", "keras.src", "keras.legacy"}


def _is_namespace(name: str, module: Any) -> bool:
    source = getattr(module, "__name__", "").split(".")
    public = "_api" in source or source[0] == "keras"
    return public and name not in _NOT_WALKED and name.count(".") < 5


def record() -> dict[str, Any]:
    """Returns the whole table."""
    table: dict[str, Any] = {"tensorflow": tf.__version__}
    for api, module in (("v1", tf.compat.v1), ("v2", tf)):
        first_names: dict[int, str] = {}
        facts: dict[str, Any] = {}
        for name, target in walk(module, _is_namespace):
            first = first_names.setdefault(id(target), name)
            if name.split(".")[0] in LISTED_ONLY:
                facts[name] = {"kind": describe(target)["kind"]}
            elif first != name and first in facts and callable(target):
                facts[name] = {"same": first}
            else:
                facts[name] = describe(target)
        table[api] = facts
    return table


def main() -> None:
    """Writes the table, with no time stamp in it so that equal facts give equal files."""
    table = record()
    text = json.dumps(table, separators=(",", ":"))
    TABLE.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    print(f"{TABLE.name}: {len(table['v1'])} names of v1, {len(table['v2'])} of v2")


if __name__ == "__main__":
    main()

"""Records the facts of TensorFlow's whole op registry into `op_registry.json.gz`.

Needs TensorFlow (the committed table comes from 2.21.0); nothing else of the tests does:

    python tests/differential/record_op_registry.py

The table maps each op's name to what a graph file and a graph builder depend on:

    inputs, outputs   arguments in order: `name`, then the one of `type`, `type_attr`,
                      `type_list_attr` that gives the dtype, `number_attr` for `N * T`, `is_ref`
    attrs             in order: `name`, `type`, and where present `default`, `allowed`, `minimum`
    flags             names of the boolean facts that are set
    deprecation       graph version from which the op is deprecated
    gradient          "registered", "not differentiable" or "none"

Values are JSON's own where it has them; a dtype is its name in op contracts ("float", "half",
"qint8"), a shape a list with -1 for an unknown dimension, or "unknown" for an unknown rank, and
a tensor its text form. What is absent is false, empty or not given.
"""

from __future__ import annotations

import gzip
import json
import pathlib
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import op_def_pb2, types_pb2
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.framework import ops

TABLE = pathlib.Path(__file__).with_name("op_registry.json.gz")
FLAGS = (
    "is_commutative",
    "is_aggregate",
    "is_stateful",
    "allows_uninitialized_input",
    "is_distributed_communication",
)


def type_name(enum: int) -> str:
    """Returns the name that op contracts use for a dtype: `float` for DT_FLOAT."""
    return types_pb2.DataType.Name(enum).removeprefix("DT_").lower()


def shape_value(shape: Any) -> list[int] | str:
    """Returns a TensorShapeProto as a list of sizes, or "unknown"."""
    return "unknown" if shape.unknown_rank else [dim.size for dim in shape.dim]


# How each field of an AttrValue (and of its list) is written.
FIELD_VALUES = {
    "s": lambda text: text.decode(),
    "i": int,
    "f": lambda number: float(str(np.float32(number))),
    "b": bool,
    "type": type_name,
    "shape": shape_value,
    "tensor": lambda tensor: " ".join(str(tensor).split()),
    "func": lambda function: function.name,
}
LIST_FIELDS = {"type": "type", "int": "i", "string": "s", "float": "f", "bool": "b"} | {
    name: name for name in ("shape", "tensor", "func")
}


def attr_value(attr_type: str, value: Any) -> Any:
    """Returns an AttrValue as plain data; `attr_type` tells what an empty list holds."""
    field = value.WhichOneof("value")
    if field != "list":
        return FIELD_VALUES[field](getattr(value, field))
    element = attr_type.removeprefix("list(").removesuffix(")")
    list_field = LIST_FIELDS[element]
    return [FIELD_VALUES[list_field](item) for item in getattr(value.list, list_field)]


def arg_facts(arg: Any) -> dict[str, Any]:
    """Returns the facts of one input or output argument."""
    facts = {"name": arg.name}
    if arg.type:
        facts["type"] = type_name(arg.type)
    for field in ("type_attr", "number_attr", "type_list_attr", "is_ref"):
        if getattr(arg, field):
            facts[field] = getattr(arg, field)
    return facts


def attr_facts(attr: Any) -> dict[str, Any]:
    """Returns the facts of one attr."""
    facts = {"name": attr.name, "type": attr.type}
    if attr.HasField("default_value"):
        facts["default"] = attr_value(attr.type, attr.default_value)
    if attr.HasField("allowed_values"):
        facts["allowed"] = attr_value(attr.type, attr.allowed_values)
    if attr.has_minimum:
        facts["minimum"] = attr.minimum
    return facts


def gradient_kind(op_name: str) -> str:
    """Returns what TensorFlow's gradient registry says of an op."""
    if op_name not in ops.gradient_registry.list():
        return "none"
    function = ops.gradient_registry.lookup(op_name)
    return "not differentiable" if function is None else "registered"


def op_facts(op: Any) -> dict[str, Any]:
    """Returns the facts of one op."""
    facts = {
        "inputs": [arg_facts(arg) for arg in op.input_arg],
        "outputs": [arg_facts(arg) for arg in op.output_arg],
        "attrs": [attr_facts(attr) for attr in op.attr],
        "flags": [flag for flag in FLAGS if getattr(op, flag)],
        "gradient": gradient_kind(op.name),
    }
    if op.HasField("deprecation"):
        facts["deprecation"] = op.deprecation.version
    return {name: value for name, value in facts.items() if value != []}


def record() -> dict[str, Any]:
    """Returns the whole table."""
    buffer = pywrap_tf_session.TF_GetAllOpList()
    op_list = op_def_pb2.OpList.FromString(pywrap_tf_session.TF_GetBuffer(buffer))
    facts_by_op = {op.name: op_facts(op) for op in op_list.op}
    return {"tensorflow": tf.__version__, "ops": dict(sorted(facts_by_op.items()))}


def main() -> None:
    """Writes the table, with no time stamp in it so that equal facts give equal files."""
    table = record()
    text = json.dumps(table, separators=(",", ":"))
    TABLE.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    print(f"{TABLE.name}: {len(table['ops'])} ops of TensorFlow {table['tensorflow']}")


if __name__ == "__main__":
    main()

"""Records TensorFlow's protocol buffer schemas: ``python tests/differential/record_protos.py``.

Needs TensorFlow in the interpreter that runs it. Only facts are recorded: names, numbers, types.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from differential.proto_facts import describe_files

RECORD = Path(__file__).parent / "protos.json"
# The files they import come along.
FRAMEWORK = (
    "dataset dataset_metadata dataset_options device_attributes function graph kernel_def "
    "op_def reader_base step_stats summary variable"
)
PROTOBUF = (
    "composite_tensor_variant config control_flow fingerprint meta_graph named_tensor queue_runner "
    "saved_model saver snapshot struct tensor_bundle tensorflow_server trackable_object_graph"
)
OTHERS = (
    "example.example util.event util.saved_tensor_slice util.quantization.uniform_quant_ops_attr"
)


def main() -> None:
    """Writes the record, one message a line."""
    import tensorflow

    names = [f"framework.{name}" for name in FRAMEWORK.split()]
    names += [f"protobuf.{name}" for name in PROTOBUF.split()]
    names += OTHERS.split()
    modules = [importlib.import_module(f"tensorflow.core.{name}_pb2") for name in names]
    facts = describe_files([module.DESCRIPTOR for module in modules], "tensorflow")
    rows = {"tensorflow": tensorflow.__version__, **facts}
    lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items()]
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="ascii")
    print(f"{len(facts)} messages and enums, {RECORD.stat().st_size} bytes")


if __name__ == "__main__":
    main()

"""Records TensorFlow's tensor messages: ``python tests/differential/record_tensor_protos.py``.

Needs TensorFlow in the interpreter that runs it. For each argument list of make_tensor_proto, the
bytes of the message or the class of the error; for each message, the array that ParseTensor makes
of it (dtype, shape, bytes) or None if it refuses.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.framework import tensor_pb2

from differential.tensor_proto_cases import arguments, decode_cases, element_bytes, encode_cases

RECORD = Path(__file__).parent / "tensor_protos.json"


def encode(case: str) -> str:
    args, kwargs = arguments(case)
    try:
        return tf.make_tensor_proto(*args, **kwargs).SerializeToString(deterministic=True).hex()
    except Exception as error:
        return type(error).__name__


def decode(case: str) -> Any:
    message = text_format.Parse(case, tensor_pb2.TensorProto())
    dtype = tf.as_dtype(message.dtype)
    try:
        array = tf.io.parse_tensor(message.SerializeToString(), dtype).numpy()
    except tf.errors.InvalidArgumentError:
        return None
    if dtype == tf.string:
        return [dtype.name, list(array.shape), [item.decode("latin-1") for item in array.flat]]
    return [dtype.name, list(array.shape), element_bytes(array).hex()]


def main() -> None:
    """Writes the record, one case a line."""
    warnings.simplefilter("ignore", RuntimeWarning)  # overflows are among the cases
    rows = {"tensorflow": tf.__version__}
    encoded = {case: encode(case) for case in encode_cases()}
    decoded = {case: decode(case) for case in decode_cases()}
    lines = [f"{json.dumps(key)}: {json.dumps(row)}" for key, row in rows.items()]
    for title, part in (("encode", encoded), ("decode", decoded)):
        inside = ",\n".join(f"{json.dumps(case)}: {json.dumps(row)}" for case, row in part.items())
        lines.append(f'"{title}": {{\n{inside}\n}}')
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="ascii")
    print(f"{len(encoded)} + {len(decoded)} cases, {RECORD.stat().st_size} bytes")


if __name__ == "__main__":
    main()

"""Records how TensorFlow trains the character LSTM: initial weights, and two hundred losses.

Run it with an interpreter that has TensorFlow and the package tf_keras, where TF1's cells live.
The example's own source is run, with `tensorflow.compat.v1` in the place of featherflow.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
RECORD = Path(__file__).with_name("lstm_text.json")
TEXT = ROOT / "examples" / "data" / "readme_excerpt.txt"
STEPS = 200


def load_example(library: Any) -> Any:
    """The example as a module that trains on `library`."""
    path = ROOT / "examples" / "lstm_text.py"
    spec = importlib.util.spec_from_file_location("lstm_text", path)
    module = importlib.util.module_from_spec(spec)
    previous = sys.modules.get("featherflow")
    sys.modules["featherflow"] = library
    try:
        spec.loader.exec_module(module)
    finally:
        if previous is None:
            del sys.modules["featherflow"]
        else:
            sys.modules["featherflow"] = previous
    return module


def train(library: Any) -> dict[str, Any]:
    """Hashes of the initial weights, and the loss of each step."""
    example = load_example(library)
    text, characters = example.read_text(TEXT)
    with library.Graph().as_default(), example.open_session() as sess:
        network = example.build(len(characters))
        sess.run(library.global_variables_initializer())
        weights = {
            variable.name: hashlib.sha256(
                np.ascontiguousarray(sess.run(variable)).tobytes()
            ).hexdigest()
            for variable in library.trainable_variables()
        }
        losses = list(example.losses_of(sess, network, text, STEPS))
    return {"weights": weights, "losses": losses}


def main() -> None:
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    import tensorflow

    tf = tensorflow.compat.v1
    tf.disable_v2_behavior()
    record = {"tensorflow": tensorflow.__version__, **train(tf)}
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
    print(f"{RECORD.name}: {record['losses'][0]:.6f} … {record['losses'][-1]:.6f}")


if __name__ == "__main__":
    main()

"""Records how TensorFlow trains the digits example: initial weights, and a hundred losses.

Run it with an interpreter that has TensorFlow.
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
RECORD = Path(__file__).with_name("digits_training.json")
STEPS = 100


def load_example(library: Any) -> Any:
    """The example as a module that trains on `library`."""
    path = ROOT / "examples" / "digits_cnn.py"
    spec = importlib.util.spec_from_file_location("digits_cnn", path)
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
    (images, labels), _ = example.load_digits()
    with library.Graph().as_default(), library.Session() as sess:
        image_feed, label_feed, loss, step, _, _ = example.build()
        sess.run(library.global_variables_initializer())
        weights = {
            variable.name: hashlib.sha256(
                np.ascontiguousarray(sess.run(variable)).tobytes()
            ).hexdigest()
            for variable in library.trainable_variables()
        }
        losses = []
        epoch = 0
        while len(losses) < STEPS:
            epoch += 1
            for batch, batch_labels in example.batches(images, labels, epoch):
                feeds = {image_feed: batch, label_feed: batch_labels}
                losses.append(float(sess.run([step, loss], feeds)[1]))
    return {"weights": weights, "losses": losses[:STEPS]}


def main() -> None:
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
    import tensorflow

    tf = tensorflow.compat.v1
    tf.disable_v2_behavior()
    record = {"tensorflow": tensorflow.__version__, **train(tf)}
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
    print(f"{RECORD.name}: {record['losses'][0]:.6f} … {record['losses'][-1]:.6f}")


if __name__ == "__main__":
    main()

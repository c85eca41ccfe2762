"""Records neural network ops: ``python tests/differential/record_kernels.py``.

Needs TensorFlow in the interpreter that runs it. oneDNN is off, so that the values are those of
the plain kernels; the outputs of each case of `kernel_cases` go to one compressed file.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import tensorflow as tf

from differential.kernel_cases import RECORD, KernelCase, all_cases


def record(case: KernelCase) -> dict[str, np.ndarray]:
    """Runs one case; its outputs by "name:number"."""
    tensors = {name: tf.constant(value) for name, value in case.inputs.items()}
    outputs = getattr(tf.raw_ops, case.op)(**tensors, **case.attrs)
    if not isinstance(outputs, tuple):
        outputs = (outputs,)
    arrays = {}
    for number, output in enumerate(outputs):
        # NumPy's files know no bfloat16.
        stored = tf.cast(output, tf.float32) if output.dtype == tf.bfloat16 else output
        arrays[f"{case.name}:{number}"] = stored.numpy()
    return arrays


def main() -> None:
    values: dict[str, np.ndarray] = {"tensorflow": np.array(tf.__version__)}
    for case in all_cases():
        try:
            recorded = record(case)
        except Exception:
            print(f"--- {case.name} fails in TensorFlow", file=sys.stderr)
            raise
        assert not recorded.keys() & values.keys(), case.name
        values |= recorded
    np.savez_compressed(RECORD, **values)
    print(f"{len(all_cases())} cases, {RECORD.stat().st_size} bytes")


if __name__ == "__main__":
    main()

"""Records what TensorFlow answers: ``python tests/differential/record.py [family …]``.

Needs TensorFlow in the interpreter that runs it. Without arguments every family is recorded anew.
oneDNN, threads and graph rewriting are off, so that the values are those of the plain kernels.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import tensorflow

from differential.capture import capture
from differential.case import load_cases
from differential.storage import write_family


def open_session(graph: Any) -> Any:
    """A TensorFlow session that runs the graph as it was built, on one thread."""
    tf = tensorflow.compat.v1
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return tf.Session(graph=graph, config=config)


def record(families: list[str]) -> int:
    """Records the named families (all if none is named); returns how many cases went wrong."""
    tf = tensorflow.compat.v1
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    header = {"tensorflow": tensorflow.__version__, "numpy": np.__version__}
    by_family: dict[str, dict[str, Any]] = {}
    wrong = 0
    for registered in load_cases().values():
        if families and registered.family not in families:
            continue
        try:
            outcome = capture(tf, registered, open_session)
            if registered.fails and outcome.error is None:
                raise AssertionError("TensorFlow raises nothing here.")
        except Exception as error:
            wrong += 1
            print(f"--- {registered.key}: {_where_and_what(error)}", file=sys.stderr)
        else:
            by_family.setdefault(registered.family, {})[registered.name] = outcome
    for family, outcomes in by_family.items():
        path = write_family(family, outcomes, header)
        print(f"{family:24} {len(outcomes):4} cases {path.stat().st_size:8} bytes")
    return wrong


def _where_and_what(error: Exception) -> str:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "/cases/" in f.filename]
    place = f"line {frames[-1].lineno}, " if frames else ""
    message = getattr(error, "message", None) or str(error)
    told = [line for line in message.splitlines() if line.strip() and "/" not in line]
    return f"{place}{type(error).__name__}: {' '.join(told)[:300]}"


if __name__ == "__main__":
    sys.exit(1 if record(sys.argv[1:]) else 0)

"""Records what TensorFlow makes of every call of `op_calls.py`.

    python tests/differential/record_op_calls.py [family …]

Needs TensorFlow in the interpreter that runs it, and featherflow's own needs beside it. Calls run
in a process of their own, since some of them abort TensorFlow's: those are recorded as limitations
of TensorFlow, like what its CPU kernels do not implement.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
if __package__ in (None, ""):
    _TESTS = Path(__file__).resolve().parent.parent
    sys.path[:0] = [str(_TESTS), str(_TESTS.parent)]

import numpy as np

from differential import op_call_storage
from differential.capture import Outcome
from differential.op_call_outcomes import make_call
from differential.op_calls import Call, calls_of
from differential.storage import outcome_to_json

SECONDS = 20
#: Messages that say that TensorFlow's CPU kernels do not reach so far.
LIMITATIONS = ("UnimplementedError", "NotImplementedError", "InternalError")
LIMITATION = re.compile(
    "No OpKernel was registered|only supports|not (yet )?support|only supported for|Failed to call"
)


def all_calls(family: str) -> list[Call]:
    """The calls of a family, in the order of its rows."""
    return [call for case in op_call_storage.rows(family) for call in calls_of(case)]


def work(family: str, first: int) -> None:
    """Prints the outcomes of a family's calls from `first` on, one line of JSON each."""
    import tensorflow

    from differential.record import open_session
    from differential.record_static_shapes import OPS
    from differential.record_static_shapes import apply as apply_op

    tf = tensorflow.compat.v1
    tf.disable_v2_behavior()

    def tensor_attr(value: Any) -> Any:
        return tf.make_tensor_proto(value) if isinstance(value, np.ndarray) else value

    def apply(name: str, arguments: list[Any], attrs: dict[str, Any]) -> Any:
        names = [arg["name"] for arg in OPS[name]["inputs"]]
        attrs = {key: tensor_attr(value) for key, value in attrs.items()}
        return apply_op(name, **dict(zip(names, arguments, strict=True)), **attrs)

    for call in all_calls(family)[first:]:
        checksum = call.checksum()  # some ops change the caller's arrays
        signal.alarm(SECONDS)
        outcome = make_call(tf, call, apply, open_session)
        signal.alarm(0)
        row = {"checksum": checksum, **answer_of(outcome)}
        print(json.dumps([call.key, row], allow_nan=False), flush=True)


def answer_of(outcome: Outcome) -> dict[str, Any]:
    """What is recorded of an outcome."""
    is_limited = outcome.error in LIMITATIONS or LIMITATION.search(str(outcome.raised))
    return {"limitation": True} if outcome.error and is_limited else outcome_to_json(outcome)


def record(family: str) -> dict[str, Any]:
    """Runs all calls of a family, starting again behind each one that ends the process."""
    calls, found = all_calls(family), {}
    while len(found) < len(calls):
        command = [sys.executable, __file__, "--work", family, str(len(found))]
        with tempfile.TemporaryFile("w+") as output:
            subprocess.run(command, stdout=output, stderr=subprocess.DEVNULL, check=False)
            output.seek(0)
            lines = [line for line in output if line.startswith("[") and line.endswith("\n")]
        found.update(json.loads(line) for line in lines)
        if len(found) < len(calls):
            call = calls[len(found)]
            print(f"{family}: TensorFlow dies of {call.key}")
            found[call.key] = {"checksum": call.checksum(), "limitation": True}
    return found


def main(names: list[str]) -> None:
    """Records the named families, or all."""
    for family in names or op_call_storage.families():
        recorded = record(family)
        op_call_storage.write(family, recorded)
        print(f"{family}: {len(recorded)} calls")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2], int(sys.argv[3]))
    else:
        main(sys.argv[1:])

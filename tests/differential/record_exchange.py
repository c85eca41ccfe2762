"""Records what TensorFlow computes with graphs that were written here, and the other way round.

    TENSORFLOW_PYTHON tests/differential/record_exchange.py build FOLDER
    PYTHON            tests/differential/record_exchange.py export FOLDER
    TENSORFLOW_PYTHON tests/differential/record_exchange.py record FOLDER

`build` writes TensorFlow's GraphDefs into FOLDER. `export` writes featherflow's beside them, and
reads TensorFlow's and writes these again. `record` runs all three with TensorFlow and writes
`exchange.zip`; it fails if TensorFlow cannot load one, or computes something else with a graph
that featherflow wrote again.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
if __package__ in (None, ""):
    sys.path[:0] = [str(Path(__file__).resolve().parents[level]) for level in (1, 2)]

from differential import exchange
from differential.capture import Outcome
from differential.compare import differences
from differential.exchange import Exchanged

#: What oneDNN and missing kernels raise for ops that featherflow runs.
_OF_THE_BUILD = ("AbortedError", "UnimplementedError")
DIRECTIONS = ("from_tensorflow", "from_featherflow", "returned")


def build(folder: Path) -> None:
    """TensorFlow builds every program."""
    import tensorflow

    tf = tensorflow.compat.v1
    tf.disable_v2_behavior()
    for key, program in exchange.all_programs().items():
        exchanged = exchange.build(tf, program)
        if exchanged is not None:
            _write(folder / "from_tensorflow" / key, exchanged)


def export(folder: Path) -> int:
    """Featherflow builds every program, and returns what TensorFlow built; how many it cannot."""
    import featherflow as tf

    wrong = 0
    for key, program in exchange.all_programs().items():
        if not hasattr(program, "tensorflow_only"):
            try:
                exchanged = exchange.build(tf, program)
            except AttributeError as error:  # a name that TensorFlow has and featherflow has not
                wrong += 1
                print(f"--- {key}: {error}", file=sys.stderr)
                continue
            if exchanged is not None:
                _write(folder / "from_featherflow" / key, exchanged)
    for key in _keys(folder / "from_tensorflow"):
        exchanged = _read(folder / "from_tensorflow" / key)
        try:
            exchanged.graph_def = exchange.returned(tf, exchanged.graph_def)
        except (tf.errors.OpError, ValueError) as error:
            wrong += 1
            print(f"--- {key} cannot be read: {error}", file=sys.stderr)
            continue
        _write(folder / "returned" / key, exchanged)
    return wrong


def record(folder: Path) -> int:
    """TensorFlow runs all of them; returns how many it cannot load or computes otherwise."""
    import tensorflow

    tf = tensorflow.compat.v1
    tf.disable_v2_behavior()
    facts: dict[str, Any] = {direction: {} for direction in DIRECTIONS}
    wrong = 0
    for direction in DIRECTIONS:
        for key in _keys(folder / direction):
            exchanged = _read(folder / direction / key)
            try:
                outcome = _determined(tf, exchanged)
            except ValueError as error:
                wrong += 1
                print(f"--- {direction} {key}: {str(error)[:300]}", file=sys.stderr)
                continue
            facts[direction][key] = exchange.with_outcome(exchanged, outcome)
            graph_def = tf.GraphDef.FromString(exchanged.graph_def)
            facts[direction][key]["fingerprint"] = exchange.fingerprint(graph_def)
    wrong += _settle_returned(facts)
    theirs = "from_tensorflow"
    graph_defs = {key: _read(folder / theirs / key).graph_def for key in facts[theirs]}
    exchange.write_archive(graph_defs, {"tensorflow": tensorflow.__version__, **facts})
    counts = ", ".join(f"{len(facts[direction])} {direction}" for direction in DIRECTIONS)
    print(f"{counts}; {exchange.ARCHIVE.stat().st_size} bytes")
    return wrong


def _determined(tf: Any, exchanged: Exchanged) -> Outcome:
    """What comes out the same twice, and is no refusal of TensorFlow's build for this machine."""
    first, second = (exchange.run(tf, exchanged) for _ in range(2))
    kept = {
        name: output
        for name, output in first.outputs.items()
        if output.literal not in _OF_THE_BUILD
        and not differences(
            Outcome({name: second.outputs[name]}, 0.0), Outcome({name: output}, 0.0)
        )
    }
    return Outcome(kept)


def _settle_returned(facts: dict[str, Any]) -> int:
    """Compares the outcomes of returned graphs, and keeps their fingerprints only."""
    wrong = 0
    facts["from_tensorflow"] = {  # the others were complained of when they could not be read
        key: row for key, row in facts["from_tensorflow"].items() if key in facts["returned"]
    }
    for key, row in facts["returned"].items():
        original = exchange.recorded_outcome(facts["from_tensorflow"][key])
        outcome = exchange.recorded_outcome(row)
        both = [name for name in original.outputs if name in outcome.outputs]
        original, outcome = (
            Outcome({name: each.outputs[name] for name in both}) for each in (original, outcome)
        )
        found = differences(outcome, original)
        if found:
            wrong += 1
            print(f"--- returned {key}: {found[:3]}", file=sys.stderr)
        facts["returned"][key] = row["fingerprint"]
    return wrong


# --- the folder -----------------------------------------------------------------------------------


def _write(path: Path, exchanged: Exchanged) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".pb").write_bytes(exchanged.graph_def)
    path.with_suffix(".json").write_text(json.dumps(exchanged.facts()), "utf-8")


def _read(path: Path) -> Exchanged:
    facts = json.loads(path.with_suffix(".json").read_text("utf-8"))
    return Exchanged(path.with_suffix(".pb").read_bytes(), **facts)


def _keys(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder).with_suffix("")) for path in folder.rglob("*.pb"))


if __name__ == "__main__":
    action, target = sys.argv[1:]
    sys.exit(1 if {"build": build, "export": export, "record": record}[action](Path(target)) else 0)

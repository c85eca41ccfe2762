"""Records the graphs that TensorFlow builds for the programs of `programs/`.

    python tests/differential/record_programs.py [topic …]

Needs TensorFlow in the interpreter that runs it. Without arguments every topic is recorded anew.
What the programs compute is recorded with the other cases, by `record.py tf1_programs`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import tensorflow

from differential.program_storage import FOLDER, write_topic
from differential.programs import TOPICS, build, programs_of


def record(topics: list[str]) -> None:
    """Builds and describes each program of the topics and writes their files."""
    tf = tensorflow.compat.v1
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    FOLDER.mkdir(exist_ok=True)
    for topic in topics:
        facts = {name: build(tf, program) for name, program in programs_of(topic)}
        path = write_topic(topic, tensorflow.__version__, facts)
        nodes = sum(len(graph["nodes"]) for graph in facts.values())
        size = path.stat().st_size
        print(f"{topic:16} {len(facts):3} programs {nodes:5} nodes {size:7} bytes")


if __name__ == "__main__":
    record(sys.argv[1:] or list(TOPICS))

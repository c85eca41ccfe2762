"""Runs a benchmark on featherflow and on an installed peer in turn, and prints paired ratios.

    python benchmarks/compare.py --peer PYTHON [--rounds 5] [overheads|first_answer] [CASE …]

`--peer` is the interpreter of an environment that has TensorFlow. Each round runs both, one after
the other, so that what else the machine does touches both; a ratio is the median of the rounds'.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def run(python: str, script: str, library: str, cases: list[str]) -> dict[str, float]:
    """One run of a benchmark in a process of its own, with compiled modules on disk as usual."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    output = subprocess.run(
        [python, str(HERE / f"{script}.py"), library, *cases],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    ).stdout
    return json.loads(output.strip().splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", required=True, help="interpreter that has TensorFlow")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("script", nargs="?", default="overheads")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    pairs = [
        (
            run(sys.executable, options.script, "featherflow", options.cases),
            run(options.peer, options.script, "tensorflow", options.cases),
        )
        for _ in range(options.rounds)
    ]
    print(f"{'':32}{'featherflow':>14}{'TensorFlow':>14}{'ratio':>9}")
    for name in pairs[0][0]:
        ours = statistics.median(ours[name] for ours, _ in pairs)
        theirs = statistics.median(theirs[name] for _, theirs in pairs)
        ratio = statistics.median(theirs[name] / ours[name] for ours, theirs in pairs)
        print(f"{name:32}{ours:14.3f}{theirs:14.3f}{ratio:8.1f}x")


if __name__ == "__main__":
    main()

"""`featherflow run SCRIPT.py`: runs a TensorFlow program on featherflow, unmodified."""

from __future__ import annotations

import argparse
import os
import runpy
import sys

from featherflow.cli import import_shim


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("script", help="a program that says `import tensorflow as tf`")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="the program's own arguments")


def run(options: argparse.Namespace) -> int:
    """Runs the script as `python SCRIPT.py ARGS` would, with featherflow for TensorFlow."""
    if not os.path.exists(options.script):
        print(f"featherflow run: no such file: {options.script}", file=sys.stderr)
        return 2
    import_shim.install()
    sys.argv = [options.script, *options.args]
    sys.path[0] = os.path.dirname(os.path.abspath(options.script))
    runpy.run_path(options.script, run_name="__main__")
    return 0

"""The command `featherflow`: run, inspect, predict, explain."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

from featherflow._version import VERSION

#: Command → (module, what it does). A command's module is imported when it is called.
COMMANDS = {
    "run": ("featherflow.cli.run_command", "run a TensorFlow program, unmodified"),
    "inspect": ("featherflow.cli.inspect_command", "show what is in a model"),
    "predict": ("featherflow.cli.predict_command", "run a model on files"),
    "explain": ("featherflow.cli.explain_command", "show where an op, script or model executes"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(prog="featherflow", description=__doc__)
    parser.add_argument("--version", action="version", version=f"featherflow {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    chosen = next((argument for argument in arguments if argument in COMMANDS), None)
    for name, (module_name, summary) in COMMANDS.items():
        subparser = commands.add_parser(name, help=summary, description=summary)
        if name == chosen:
            module = importlib.import_module(module_name)
            module.add_arguments(subparser)
            subparser.set_defaults(run=module.run)
    options = parser.parse_args(arguments)
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())

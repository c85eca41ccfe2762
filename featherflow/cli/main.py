"""The command `featherflow`: run, inspect, predict, compile, explain."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from featherflow._version import VERSION
from featherflow.cli.command_error import CommandError

#: Command → (module, what it does). A command's module is imported when it is called.
COMMANDS = {
    "run": ("featherflow.cli.run_command", "run a TensorFlow program, unmodified"),
    "inspect": ("featherflow.cli.inspect_command", "show what is in a model"),
    "predict": ("featherflow.cli.predict_command", "run a model on files"),
    "compile": ("featherflow.cli.compile_command", "compile a model's kernels ahead of its runs"),
    "explain": ("featherflow.cli.explain_command", "show where an op, script or model executes"),
}

_EXIT_STATUS = """\
exit status: 0 yes or done, 1 no (an unsupported op, a failed program), 2 wrong usage or model"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the exit status."""
    options = _parse(sys.argv[1:] if arguments is None else list(arguments))
    try:
        return options.run(options)
    except CommandError as error:
        print(f"featherflow {options.command}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # `featherflow inspect MODEL | head`: nobody reads the rest
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    """The options of a command; what follows a program is the program's own, and stays as it is."""
    parser = argparse.ArgumentParser(
        prog="featherflow",
        description="TensorFlow's system in readable Python.",
        epilog=_EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"featherflow {VERSION}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    chosen = next((argument for argument in arguments if not argument.startswith("-")), None)
    own_count = len(arguments)
    for name, (module_name, summary) in COMMANDS.items():
        subparser = commands.add_parser(
            name, help=summary, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        if name == chosen:
            module = importlib.import_module(module_name)
            subparser.description = module.__doc__
            subparser.epilog = _EXIT_STATUS
            module.add_arguments(subparser)
            own_count = getattr(module, "count_own", len)(arguments)
            subparser.set_defaults(run=module.run, args=arguments[own_count:])
    return parser.parse_args(arguments[:own_count])


if __name__ == "__main__":
    sys.exit(main())

"""`featherflow explain OP | SCRIPT.py [ARGS] | MODEL`: where something executes, and why there.

OP         file and line of every rule of an op, and the hops from its public name to its kernel
SCRIPT.py  runs a TensorFlow program; then, for each set of fetches, the nodes kept and pruned,
           their devices and why, their kernels and times
MODEL      the same for one run of a model; inputs that are not given are random or zero;
           with --compiled its passes, clusters and kernel calls, each measured
"""

from __future__ import annotations

import argparse
import os
import sys

from featherflow.cli import import_shim
from featherflow.cli.command_error import CommandError
from featherflow.cli.explain_compiled import add_compiled_arguments, explain_compiled
from featherflow.cli.explain_op import describe
from featherflow.cli.explain_step import explain_step
from featherflow.cli.model_step import add_step_arguments, arbitrary_value, model_step
from featherflow.cli.models import read_model
from featherflow.cli.op_search import near_names
from featherflow.cli.predict_command import run_step
from featherflow.cli.recording import Recorder, recording
from featherflow.cli.run_command import read_code, report_error, run_as_main


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "target", metavar="OP|SCRIPT.py [ARGS]|MODEL", help="options come before a script"
    )
    parser.add_argument("--all", action="store_true", help="name all nodes that were pruned")
    add_step_arguments(parser)
    add_compiled_arguments(parser)


def count_own(arguments: list[str]) -> int:
    """How many arguments are not those of a script."""
    for place, text in enumerate(arguments):
        if text.endswith(".py") and not arguments[place - 1].startswith("--"):
            return place + 1
    return len(arguments)


def run(options: argparse.Namespace) -> int:
    """Explains an op if it is one, else a script or model; 1 if the script fails."""
    target = options.target
    is_model = os.path.exists(target) and not target.endswith(".py")
    if (options.compiled or options.kernel is not None) and not is_model:
        raise CommandError(f"'{target}' is no model: --compiled and --kernel are for models.")
    if target.endswith(".py"):
        return _explain_script(options)
    if is_model:
        return _explain_model(options)
    lines = describe(target)
    if lines is None:
        near = ", ".join(near_names(target))
        hint = f" Names like it: {near}." if near else " An op is one such as conv2d or Conv2D."
        raise CommandError(f"there is no op, script or model '{target}'.{hint}")
    print("\n".join(lines))
    return 0


def _explain_model(options: argparse.Namespace) -> int:
    step = model_step(read_model(options.target), options, arbitrary_value)
    if options.compiled or options.kernel is not None:
        return explain_compiled(step, options)
    with recording(allow_side_effects=True) as recorder:  # `model_step` has looked at the step
        run_step(step)
    _print_report(recorder, options.all)
    return 0


def _explain_script(options: argparse.Namespace) -> int:
    code = read_code(options.target)
    import_shim.install()
    import_shim.install_for_children()
    sys.argv = [options.target, *options.args]
    sys.path[0] = os.path.dirname(os.path.abspath(options.target))
    status = 0
    with recording(options.allow_side_effects) as recorder:
        try:
            run_as_main(code, options.target)
        except SystemExit as stop:
            status = 1 if stop.code else 0
        except CommandError:
            raise
        except Exception as error:
            report_error(error)
            status = 1
    _print_report(recorder, options.all)
    return status


def _print_report(recorder: Recorder, show_all: bool) -> None:
    for number, step in enumerate(recorder.steps, 1):
        print("\n" + "\n".join(explain_step(step, number, show_all)))
    if recorder.left_out:
        print(f"\n{recorder.left_out} more steps, with other fetches or feeds, are left out.")
    if not recorder.steps:
        print("No session ran anything.")

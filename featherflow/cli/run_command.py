"""`featherflow run SCRIPT.py`: runs a TensorFlow program on featherflow, unmodified."""

from __future__ import annotations

import argparse
import io
import os
import runpy
import sys
from types import CodeType, ModuleType, TracebackType

from featherflow.cli import import_shim
from featherflow.cli.command_error import CommandError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "-m",
        dest="is_module",
        action="store_true",
        help="SCRIPT is the name of a module, as in `python -m`",
    )
    parser.add_argument(
        "script", metavar="SCRIPT [ARGS]", help="the program, and its own arguments"
    )


def count_own(arguments: list[str]) -> int:
    """How many arguments, the command and the program among them, are not the program's own."""
    places = [place for place, text in enumerate(arguments) if not text.startswith("-")]
    return places[1] + 1 if len(places) > 1 else len(arguments)


def run(options: argparse.Namespace) -> int:
    """Runs the program as `python SCRIPT.py ARGS` would, with featherflow for TensorFlow."""
    code = None if options.is_module else read_code(options.script)
    import_shim.install()
    import_shim.install_for_children()
    sys.argv = [options.script, *options.args]
    try:
        if code is None:
            sys.path[0] = os.getcwd()
            runpy.run_module(options.script, run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = os.path.dirname(os.path.abspath(options.script))
            run_as_main(code, options.script)
    except Exception as error:
        report_error(error)
        return 1
    return 0


def read_code(script: str) -> CodeType:
    """The program in a file, compiled.

    Raises:
      CommandError: there is no such file, or it is no program.
    """
    try:
        with io.open_code(os.path.abspath(script)) as file:
            source = file.read()
    except OSError as error:
        raise CommandError(f"cannot read {script}: {error.strerror}") from None
    try:
        return compile(source, script, "exec")
    except (SyntaxError, ValueError) as error:
        raise CommandError(f"{script} is no Python program: {error}") from None


def run_as_main(code: CodeType, script: str) -> ModuleType:
    """Runs a program as the module `__main__`, and leaves it there: what it started may need it."""
    module = ModuleType("__main__")
    module.__file__ = script
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    exec(code, module.__dict__)
    return module


def report_error(error: Exception) -> None:
    """The traceback from the program's first line on, as Python would print it."""
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing and missing.startswith("tensorflow."):
        error.add_note(f"featherflow has no module that stands for {missing}.")
    frames = _frames_of_program(error.__traceback__)
    sys.excepthook(type(error), error.with_traceback(frames), frames)


def _frames_of_program(frames: TracebackType | None) -> TracebackType | None:
    own = {__file__, runpy.__file__, "<frozen runpy>"}
    while frames is not None and frames.tb_frame.f_code.co_filename in own:
        frames = frames.tb_next
    return frames

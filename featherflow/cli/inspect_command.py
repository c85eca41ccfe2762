"""`featherflow inspect MODEL`: what is in a model, without running any of it."""

from __future__ import annotations

import argparse
import sys

from featherflow.cli.command_error import CommandError
from featherflow.cli.model_report import report, without_kernel
from featherflow.cli.models import read_model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="a frozen graph, binary (.pb) or text (.pbtxt); a .meta file; a SavedModel's folder",
    )
    parser.add_argument("--all", action="store_true", help="name all nodes where some would do")


def run(options: argparse.Namespace) -> int:
    """Prints the report; 1 if the model has nodes that featherflow cannot run."""
    model = read_model(options.model)
    graph, damage = None, None
    if not model.unsupported():
        try:
            graph = model.graph
        except CommandError as error:
            damage = error
    lacking = without_kernel(graph)
    print("\n".join(report(model, graph, lacking, options.all)))
    if damage is not None:
        sys.stdout.flush()
        raise damage
    return 1 if model.unsupported() or lacking else 0

"""`featherflow predict MODEL --input NAME=FILE`: runs a model once and prints what it gives."""

from __future__ import annotations

import argparse

import numpy as np

from featherflow.cli.command_error import CommandError
from featherflow.cli.model_step import ModelStep, add_step_arguments, model_step
from featherflow.cli.models import read_model
from featherflow.framework.errors import OpError
from featherflow.runtime.session import Session

_SHOWN_ELEMENTS = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a frozen graph, binary or text")
    add_step_arguments(parser)
    classes = parser.add_argument_group("classes", "of outputs whose last axis is over classes")
    classes.add_argument("--top", type=_positive, metavar="K", help="show the K largest values")
    classes.add_argument("--labels", metavar="FILE", help="names of the classes, one a line")
    parser.add_argument("--save", metavar="FILE.npz", help="write the outputs to this file")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def run(options: argparse.Namespace) -> int:
    """Prints each output: name, dtype, shape, and values or the largest of them."""
    labels = _read_labels(options.labels) if options.labels else None
    top = options.top or (5 if labels else None)
    step = model_step(read_model(options.model), options)
    values = run_step(step)
    for tensor, value in zip(step.fetches, values):
        print(f"{tensor.name}  {tensor.dtype.name}  {tuple(value.shape)}")
        ranked = top is not None and value.ndim > 0 and value.dtype.kind in "fiu"
        print(_top_lines(value, top, labels, tensor.name) if ranked else _values_text(value))
    if options.save:
        _save(options.save, step, values)
    return 0


def run_step(step: ModelStep) -> list[np.ndarray]:
    """The fetched values.

    Raises:
      CommandError: a node failed.
    """
    try:
        with Session(graph=step.graph) as session:
            return [np.asarray(value) for value in session.run(step.fetches, step.feeds)]
    except (OpError, ValueError, TypeError) as error:
        raise CommandError(" ".join(str(error).split())) from None


def _values_text(value: np.ndarray) -> str:
    text = np.array2string(value, threshold=_SHOWN_ELEMENTS, precision=6)
    return "\n".join(f"  {line}" for line in text.splitlines())


# --- classes --------------------------------------------------------------------------------------


def _read_labels(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return [line.strip() for line in file]
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"cannot read labels: {error}") from None


def _top_lines(value: np.ndarray, top: int | None, labels: list[str] | None, name: str) -> str:
    """The largest values along the last axis, for each position of the axes before it."""
    classes = value.shape[-1]
    if labels is not None and len(labels) < classes:
        raise CommandError(
            f"the labels name {len(labels)} classes, {name} has {classes}: pass --output NAME for "
            "the output that they are of."
        )
    lines = []
    for position in np.ndindex(*value.shape[:-1]):
        if len(value.shape) > 1 and value.shape[:-1] != (1,):
            lines.append(f"  {list(position)}")
        row = value[position]
        for index in np.argsort(-row.astype(np.float64), kind="stable")[:top]:
            label = labels[index] if labels is not None else f"class {index}"
            lines.append(f"  {row[index]:12.6g}  {label}")
    return "\n".join(lines)


def _save(path: str, step: ModelStep, values: list[np.ndarray]) -> None:
    arrays = {
        tensor.name: value.astype(np.bytes_) if value.dtype == object else value
        for tensor, value in zip(step.fetches, values)
    }
    try:
        with open(path, "wb") as file:
            np.savez(file, allow_pickle=False, **arrays)
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None

"""One step of a model: which tensors are fed with what, and which are fetched."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from featherflow.cli import images
from featherflow.cli.command_error import CommandError
from featherflow.cli.input_files import archive_names, read_input
from featherflow.cli.model_report import output_nodes
from featherflow.cli.models import VARIABLE_OPS, Model
from featherflow.cli.side_effects import OPTION, refuse_side_effects
from featherflow.graph.graph import Graph
from featherflow.graph.operation import Operation
from featherflow.graph.subgraph import prune
from featherflow.graph.tensor import Tensor

_PLACEHOLDERS = ("Placeholder", "PlaceholderV2")
#: Dtypes whose values are of no use outside a session.
_HANDLES = ("resource", "variant")


class ModelStep(NamedTuple):
    """What is fed and what is fetched."""

    graph: Graph
    feeds: dict[Tensor, np.ndarray]
    fetches: list[Tensor]


def add_step_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that say what is fed and fetched."""
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="[NAME=]FILE",
        help="what to feed: a .npy, .npz, image or text file, or a number or list; NAME may be "
        "left out where the model has one input. Repeated for one NAME: a batch",
    )
    parser.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="NAME",
        help="what to fetch: a node or tensor; by default all that no node reads",
    )
    pictures = parser.add_argument_group("images", "value = (pixel * scale - mean) / std")
    pictures.add_argument("--size", type=images.parse_size, metavar="HxW", help="resize to this")
    pictures.add_argument(
        "--scale", type=images.parse_number, default=1.0, help="a number such as 1/255"
    )
    pictures.add_argument(
        "--mean",
        type=images.parse_numbers,
        default=(0.0,),
        help="a number, or one a channel: 1,2,3",
    )
    pictures.add_argument("--std", type=images.parse_numbers, default=(1.0,), help="likewise")
    pictures.add_argument("--channels", choices=("RGB", "BGR", "L"), help="by default the model's")
    pictures.add_argument("--layout", choices=("NHWC", "NCHW"), help="by default the model's")
    parser.add_argument(
        OPTION,
        action="store_true",
        help="run nodes that touch files, processes or Python, too",
    )


def model_step(
    model: Model, options: argparse.Namespace, fill: Callable[[Tensor], np.ndarray] | None = None
) -> ModelStep:
    """The step that the options ask for.

    Args:
      fill: makes the value of an input that is not given; None refuses the step instead.
    Raises:
      CommandError: a name or file does not exist or fit, an input is missing, or a node may not
        run.
    """
    graph = model.graph
    fetches = [_find(model, name) for name in options.output] or default_outputs(model)
    sources, unnamed = _by_tensor(model, options.input)
    needed = _needed_inputs(graph, sources, fetches)
    for text in unnamed:
        for tensor in _unnamed_targets(graph, text, needed):
            sources.setdefault(tensor, []).append(text)
    picture_options = images.image_options(options)
    feeds = {
        tensor: read_input(tensor, texts, picture_options) for tensor, texts in sources.items()
    }
    missing = [tensor for tensor in needed if tensor not in feeds]
    if missing and fill is None:
        raise CommandError(
            f"no value for {_described(missing)}. Pass --input NAME=FILE for each of them."
        )
    feeds.update((tensor, fill(tensor)) for tensor in missing if fill is not None)
    _check_runnable(model, list(feeds), fetches, options.allow_side_effects)
    return ModelStep(graph, feeds, fetches)


def default_outputs(model: Model) -> list[Tensor]:
    """The tensors that no node reads.

    Raises:
      CommandError: there are none.
    """
    found = [
        tensor
        for node in output_nodes(model)
        for tensor in model.graph.get_operation_by_name(node.name).outputs
        if tensor.dtype.name not in _HANDLES
    ]
    if not found:
        raise CommandError(f"{model.path} has no output that nothing reads: pass --output NAME.")
    return found


def _find(model: Model, name: str) -> Tensor:
    """The tensor "node:0" or "node"."""
    operation, tensor = _lookup(model.graph, name)
    if tensor is not None:
        return tensor
    if operation is not None:
        raise CommandError(
            f"{name}: node '{operation.name}' has {len(operation.outputs)} outputs, from 0 on."
        )
    inputs = [item.outputs[0] for item in _placeholders(model.graph.get_operations())]
    outputs = ", ".join(node.name for node in output_nodes(model)[:8]) or "none"
    raise CommandError(
        f"{model.path} has no node '{name}'. Its inputs are {_described(inputs)}; its outputs "
        f"{outputs}. `featherflow inspect` shows more."
    )


def _lookup(graph: Graph, name: str) -> tuple[Operation | None, Tensor | None]:
    node, colon, index = name.rpartition(":")
    if not (colon and index.isdigit()):
        node, index = name, "0"
    operation = graph._operation_by_name.get(node)
    if operation is None or int(index) >= len(operation.outputs):
        return operation, None
    return operation, operation.outputs[int(index)]


def _described(tensors: Sequence[Tensor]) -> str:
    return (
        ", ".join(f"{item.op.name} ({item.dtype.name} {item.shape})" for item in tensors[:8])
        or "none"
    )


# --- inputs ---------------------------------------------------------------------------------------


def _by_tensor(model: Model, texts: Iterable[str]) -> tuple[dict[Tensor, list[str]], list[str]]:
    """The sources of the tensors that are named, and those that name none."""
    sources: dict[Tensor, list[str]] = {}
    unnamed: list[str] = []
    for text in texts:
        name, equals, source = text.partition("=")
        # A path may have a "=" of its own.
        if not equals or (os.path.exists(text) and _lookup(model.graph, name)[1] is None):
            unnamed.append(text)
        else:
            sources.setdefault(_find(model, name), []).append(source)
    return sources, unnamed


def _unnamed_targets(graph: Graph, text: str, needed: Sequence[Tensor]) -> list[Tensor]:
    """The inputs that a source without a name is for: those an archive names, or the only one."""
    if text.endswith(".npz") and os.path.isfile(text):
        named = [_lookup(graph, name)[1] for name in archive_names(text)]
        found = [tensor for tensor in named if tensor is not None]
        if found:
            return found
    if len(needed) != 1:
        raise CommandError(
            f"--input {text}: which input is it for? Those without a value are "
            f"{_described(needed)}. Pass --input NAME={text}"
        )
    return list(needed)


def _needed_inputs(
    graph: Graph, feeds: Iterable[Tensor], fetches: Sequence[Tensor]
) -> list[Tensor]:
    """The placeholders that the fetches need, less those that are fed."""
    step = prune(graph, tuple(feeds), tuple(fetches))
    operations = [node.operation for node in step.nodes if node.operation is not None]
    return [operation.outputs[0] for operation in _placeholders(operations)]


def _placeholders(operations: Iterable[Operation]) -> list[Operation]:
    return [operation for operation in operations if operation.type in _PLACEHOLDERS]


def _check_runnable(
    model: Model, feeds: Sequence[Tensor], fetches: Sequence[Tensor], allowed: bool
) -> None:
    step = prune(model.graph, feeds, fetches)
    variables = [node.name for node in step.nodes if node.definition.name in VARIABLE_OPS]
    if variables:
        raise CommandError(
            f"{model.path} does not hold the values of its {len(variables)} variables, such as "
            f"{variables[0]}. Freeze it first: tf.graph_util.convert_variables_to_constants."
        )
    if not allowed:
        refuse_side_effects(model.graph, feeds, fetches)


def arbitrary_value(tensor: Tensor) -> np.ndarray:
    """A value of a tensor's dtype and static shape: random for floats, else zeros; 1 for unknown
    sizes."""
    shape: list[Any] = [size or 1 for size in tensor.shape.as_list()] if tensor.shape.rank else []
    dtype = tensor.dtype.base_dtype
    if dtype.name == "string":
        return np.full(shape, b"", dtype=object)
    if dtype.is_floating:
        return np.random.default_rng(0).random(shape).astype(dtype.numpy_dtype)
    return np.zeros(shape, dtype=dtype.numpy_dtype)

"""`featherflow inspect MODEL`: what is in a model, without running any of it."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import Any

import numpy as np

from featherflow.cli.models import Model, ModelError, read_model
from featherflow.framework import dtypes
from featherflow.graph.graph import Graph

_MEGABYTE = 1 << 20
#: Names of unsupported nodes shown for each op.
_SHOWN_NODES = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("model", help="a frozen GraphDef, binary (.pb) or text (.pbtxt)")


def run(options: argparse.Namespace) -> int:
    """Prints the report; 1 if the model has ops that featherflow lacks."""
    try:
        model = read_model(options.model)
    except ModelError as error:
        print(f"featherflow inspect: {error}", file=sys.stderr)
        return 2
    unsupported = model.unsupported()
    print("\n".join(report(model, unsupported)))
    return 1 if unsupported else 0


def report(model: Model, unsupported: dict[str, list[str]]) -> list[str]:
    """The report, line by line."""
    nodes = model.nodes()
    lines = [
        model.path,
        f"  size        {model.size / _MEGABYTE:.1f} MB, {len(nodes)} nodes, "
        f"{len(model.graph_def.library.function)} functions",
        f"  producer    GraphDef version {model.graph_def.versions.producer}",
    ]
    if not unsupported:
        graph = model.graph()
        lines += ["", "Inputs"] + [f"  {line}" for line in _inputs(graph)]
        lines += ["", "Outputs"] + [f"  {line}" for line in _outputs(graph)]
        lines += ["", "Parameters"] + [f"  {line}" for line in _parameters(graph)]
    lines += ["", "Ops"]
    lines += [f"  {count:6}  {op}" for op, count in Counter(n.op for n in nodes).most_common()]
    lines += ["", "Unsupported ops"]
    lines += [f"  {line}" for line in _unsupported(unsupported)] or ["  none"]
    return lines


def _inputs(graph: Graph) -> list[str]:
    found = [
        _describe(operation.outputs[0])
        for operation in graph.get_operations()
        if operation.type.startswith("Placeholder")
    ]
    return found or ["none: the model takes no input"]


def _outputs(graph: Graph) -> list[str]:
    """Tensors that nothing reads."""
    found = [
        _describe(tensor)
        for operation in graph.get_operations()
        if operation.type not in ("Const", "NoOp") and not _is_read(operation)
        for tensor in operation.outputs
    ]
    return found or ["none"]


def _is_read(operation: Any) -> bool:
    return any(tensor.consumers() for tensor in operation.outputs)


def _describe(tensor: Any) -> str:
    return f"{tensor.name:<40} {tensor.dtype.name:<10} {tensor.shape}"


def _parameters(graph: Graph) -> list[str]:
    """Constants that hold weights: counts and bytes by dtype, the largest by name."""
    weights = [
        (operation.name, operation.attrs["value"])
        for operation in graph.get_operations()
        if operation.type == "Const" and operation.attrs["value"].size > 1
    ]
    by_dtype: dict[str, list[np.ndarray]] = {}
    for _, value in weights:
        by_dtype.setdefault(_dtype_name(value), []).append(value)
    lines = [
        f"{sum(value.size for value in values):>12,} {name:<10} "
        f"{sum(value.nbytes for value in values) / _MEGABYTE:8.2f} MB in {len(values)} constants"
        for name, values in sorted(by_dtype.items())
    ]
    largest = sorted(weights, key=lambda item: -item[1].nbytes)[:3]
    lines += [f"largest: {name} {list(value.shape)}" for name, value in largest]
    return lines or ["none"]


def _dtype_name(value: np.ndarray) -> str:
    return "string" if value.dtype == object else dtypes.from_numpy(value.dtype).name


def _unsupported(unsupported: dict[str, list[str]]) -> list[str]:
    return [
        f"{op}: {', '.join(names[:_SHOWN_NODES])}"
        + (f" and {len(names) - _SHOWN_NODES} more" if len(names) > _SHOWN_NODES else "")
        for op, names in sorted(unsupported.items())
    ]

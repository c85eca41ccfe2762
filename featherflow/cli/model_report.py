"""What a model holds, in lines of text: read from its nodes, without running any of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from featherflow.cli.models import VARIABLE_OPS, Model
from featherflow.framework import dtypes
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph import Graph

_MEGABYTE = 1 << 20
#: Names shown where there may be many.
_SHOWN_NAMES = 5
_SHOWN_OUTPUTS = 20
_SHOWN_CONSTANTS = 3
#: Ops whose nodes are no outputs though nothing reads them.
_NO_OUTPUTS = frozenset({"Const", "NoOp", "Placeholder", "PlaceholderV2", "Assert"})


def report(
    model: Model, graph: Graph | None, lacking: dict[str, list[str]], show_all: bool = False
) -> list[str]:
    """The report, line by line.

    Args:
      graph: the model as a graph, for its static shapes; None where it has unsupported ops.
      lacking: what `without_kernel` has found.
      show_all: every name, where otherwise the first few stand for all.
    """
    limit = None if show_all else _SHOWN_NAMES
    sections = [
        ("Inputs", [_tensor_line(graph, node) for node in input_nodes(model)]),
        ("Outputs", list(_outputs(model, graph, show_all))),
        ("Signatures", list(_signatures(model))),
        ("Parameters", list(_parameters(model))),
        ("Control flow", list(_control_flow(model, limit))),
        ("Functions", list(_functions(model, limit))),
        ("Ops", list(_histogram(model))),
        ("Ops that touch files, processes or Python", _by_op(model.touching_world(), limit)),
        ("Nodes without a kernel", _by_op(lacking, limit)),
    ]
    lines = list(_head(model))
    for title, content in sections:
        if content:
            lines += ["", title, *(f"  {line}" for line in content)]
    unsupported = _by_op(model.unsupported(), limit) or ["none"]
    return [*lines, "", "Unsupported ops", *(f"  {line}" for line in unsupported)]


def _head(model: Model) -> Iterator[str]:
    nodes, functions = len(model.graph_def.node), len(model.graph_def.library.function)
    yield model.path
    yield f"  kind        {model.kind}"
    yield f"  size        {model.size / _MEGABYTE:.1f} MB, {nodes} nodes, {functions} functions"
    producer = model.graph_def.versions.producer
    yield f"  producer    {f'GraphDef version {producer}' if producer else 'not stated'}"


# --- inputs and outputs ---------------------------------------------------------------------------


def input_nodes(model: Model) -> list[Any]:
    """The placeholders."""
    return [node for node in model.graph_def.node if node.op.startswith("Placeholder")]


def output_nodes(model: Model) -> list[Any]:
    """The nodes that no other reads or waits for, and that give something."""
    read = {
        text.removeprefix("^").partition(":")[0]
        for node in model.graph_def.node
        for text in node.input
    }
    return [node for node in model.graph_def.node if node.name not in read and _gives(model, node)]


def _outputs(model: Model, graph: Graph | None, show_all: bool) -> Iterator[str]:
    nodes = output_nodes(model)
    for node in nodes if show_all else nodes[:_SHOWN_OUTPUTS]:
        yield _tensor_line(graph, node)
    if not show_all and len(nodes) > _SHOWN_OUTPUTS:
        yield f"and {len(nodes) - _SHOWN_OUTPUTS} more"


def _gives(model: Model, node: Any) -> bool:
    if node.op in _NO_OUTPUTS:
        return False
    op = model.ops.get(node.op)
    # What takes a ref, such as Assign, is there for its effect.
    return op is None or bool(op.op_def.outputs and not op.takes_ref)


def _tensor_line(graph: Graph | None, node: Any) -> str:
    """Name, dtype and shape: the graph's, else what the node states of itself."""
    if graph is not None:
        tensors = graph.get_operation_by_name(node.name).outputs
        return "\n  ".join(_columns(item.name, item.dtype.name, item.shape) for item in tensors)
    stated = node.attr["dtype"].type or node.attr["T"].type
    dtype = dtypes.as_dtype(stated).name if stated else "?"
    shape = TensorShape(node.attr["shape"].shape) if "shape" in node.attr else TensorShape(None)
    return _columns(f"{node.name}:0", dtype, shape)


def _columns(name: str, dtype: str, shape: TensorShape) -> str:
    return f"{name:<48} {dtype:<10} {shape}"


def _signatures(model: Model) -> Iterator[str]:
    for name, signature in sorted(model.signatures.items()):
        yield name
        for arrow, infos in (("<-", signature.inputs), ("->", signature.outputs)):
            for key, info in sorted(infos.items()):
                dtype = dtypes.as_dtype(info.dtype).name if info.dtype else "?"
                shape = TensorShape(info.tensor_shape)
                yield f"  {arrow} {key:<24} {info.name:<36} {dtype:<10} {shape}"


# --- parameters -----------------------------------------------------------------------------------


def _parameters(model: Model) -> Iterator[str]:
    """Constants of more than one element: counts and bytes by dtype, the largest by name."""
    counts: Counter[str] = Counter()
    elements: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    by_size: list[tuple[int, str]] = []
    for node in model.nodes():
        if node.op != "Const":
            continue
        tensor = node.attr["value"].tensor
        shape = [dim.size for dim in tensor.tensor_shape.dim]
        size = math.prod(shape)
        if size <= 1 or not tensor.dtype:
            continue
        dtype = dtypes.as_dtype(tensor.dtype)
        counts[dtype.name] += 1
        elements[dtype.name] += size
        sizes[dtype.name] += size * dtype.size
        by_size.append((size * dtype.size, f"{node.name} {shape}"))
    for dtype_name, count in sorted(counts.items()):
        megabytes = sizes[dtype_name] / _MEGABYTE
        yield (
            f"{elements[dtype_name]:>12,} {dtype_name:<10} {megabytes:8.2f} MB in {count} constants"
        )
    for _, text in sorted(by_size, key=lambda item: -item[0])[:_SHOWN_CONSTANTS]:
        yield f"largest: {text}"
    variables = sum(node.op in VARIABLE_OPS for node in model.nodes())
    if variables:
        yield f"{variables} variables, whose values are not in this file"


# --- structure ------------------------------------------------------------------------------------


def _control_flow(model: Model, limit: int | None) -> Iterator[str]:
    loops: dict[str, None] = {}
    predicates: dict[str, None] = {}
    calls: Counter[str] = Counter()
    functions = {function.signature.name for function in model.graph_def.library.function}
    for node in model.nodes():
        op = model.ops.get(node.op)
        flow = op.control_flow if op is not None else None
        if flow == "enter":
            loops[node.attr["frame_name"].s.decode(errors="replace")] = None
        elif flow == "switch" and len(set(node.input[:2])) == 2:
            predicates[node.input[1]] = None  # a Switch of the predicate itself only marks a branch
        elif node.op in functions or (op is not None and op.calls_functions):
            calls[node.op] += 1
    loop_conditions = {node.name for node in model.nodes() if node.op.endswith("LoopCond")}
    conditions = [name for name in predicates if name.partition(":")[0] not in loop_conditions]
    if loops:
        yield f"loops, {len(loops)}: {_listed(loops, limit)}"
    if conditions:
        yield f"predicates of conditionals, {len(conditions)}: {_listed(conditions, limit)}"
    for name, count in calls.most_common():
        yield f"calls of functions by {name}: {count}"


def _functions(model: Model, limit: int | None) -> Iterator[str]:
    functions = model.graph_def.library.function
    for function in functions[:limit]:
        signature = function.signature
        inputs = ", ".join(arg.name for arg in signature.input_arg)
        outputs = ", ".join(arg.name for arg in signature.output_arg) or "nothing"
        yield f"{signature.name}({inputs}) -> {outputs}: {len(function.node_def)} nodes"
    if limit is not None and len(functions) > limit:
        yield f"and {len(functions) - limit} more"


def _histogram(model: Model) -> Iterator[str]:
    for op, count in Counter(node.op for node in model.nodes()).most_common():
        yield f"{count:6}  {op}"


def without_kernel(graph: Graph | None) -> dict[str, list[str]]:
    """Op → names of its nodes, for nodes whose dtypes no kernel of the CPU takes."""
    found: dict[str, list[str]] = {}
    if graph is None:
        return found
    for operation in graph.get_operations():
        definition = operation.definition
        if definition.control_flow or graph._is_function(definition.name):
            continue
        if definition.kernels.find("CPU", operation.attrs) is None:
            found.setdefault(definition.name, []).append(operation.name)
    return found


def _by_op(names_by_op: dict[str, list[str]], limit: int | None) -> list[str]:
    return [f"{op}: {_listed(names, limit)}" for op, names in sorted(names_by_op.items())]


def _listed(names: Iterable[str], limit: int | None) -> str:
    names = list(names)
    shown = names if limit is None else names[:limit]
    rest = len(names) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")

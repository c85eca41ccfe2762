"""Where every rule of an op is, and the hops from its public name to its kernel."""

from __future__ import annotations

import os
from collections.abc import Iterator

from featherflow.cli.op_search import (
    Path,
    function_name,
    load_public,
    main_ops,
    module_file,
    op_by_name,
    ops_made_by,
    public_name,
)
from featherflow.framework.op import Op
from featherflow.framework.op_kernel import KernelDef
from featherflow.framework.source_location import SourceLocation, definition_of

_COUNTS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
_SHOWN_OPS = 8


def describe(name: str) -> list[str] | None:
    """The explanation of an op or public name, line by line; None if there is neither.

    An op's exact name means the op; anything else the public function, where there is one.
    """
    exact = op_by_name(name)
    public = public_name(name)
    if exact is not None and (exact.name == name or public is None):
        return [exact.name, "", *_way_to(exact, public), *_rules(exact)]
    if public is None:
        return None
    found = ops_made_by(load_public(public))
    ops = main_ops(public, found)
    if not ops:
        return _composite(public, list(found))
    lines = [ops[0].name, "", *_hops(public, ops[0], found[ops[0]])]
    others = [op for op in found if op is not ops[0] and (op in ops or len(found[op]) == 1)]
    if others:
        lines += ["It makes other ops, too:", *map(_op_line, others[:_SHOWN_OPS]), ""]
    return [*lines, *_rules(ops[0])]


def _composite(public: str, ops: list[Op]) -> list[str]:
    """A function that is about no op: where it is, and which ops it comes to."""
    lines = [f"tf.{public}", "", _row("defined", public_place(public))]
    if ops:
        lines += ["", "It is made of these ops:", *map(_op_line, ops[:_SHOWN_OPS])]
    if len(ops) > _SHOWN_OPS:
        lines.append(f"  and {len(ops) - _SHOWN_OPS} more")
    return lines


def public_place(public: str) -> str:
    """Where the object of a public name is defined; for a value, the file alone."""
    value = load_public(public)
    place = definition_of(value)
    if place is not None:
        return short_place(place.file, place.line)
    return short_place(module_file(public))


def _way_to(op: Op, public: str | None) -> Iterator[str]:
    """The hops to an op, if the public function of that name makes it; else where that is."""
    if public is None:
        return
    path = ops_made_by(load_public(public)).get(op)
    if path is not None:
        yield from _hops(public, op, path)
    else:
        yield f"tf.{public} is at {public_place(public)}"
        yield ""


def _hops(public: str, op: Op, path: Path) -> Iterator[str]:
    """tf.nn.conv2d → the functions → the kernel, with file and line."""
    count = len(path) + 1
    yield f"tf.{public} executes here, {_COUNTS.get(count, count)} hops from its name:"
    for number, function in enumerate(path, 1):
        kind = ", the public function" if number == 1 else ""
        yield f"  {number}. {_place(definition_of(function)):<48} {function.__name__}{kind}"
    for kernel in op.kernels:
        name = function_name(kernel.function)
        yield f"  {count}. {kernel_place(op, kernel):<48} {name}, the kernel on {kernel}"
    yield ""


def _op_line(op: Op) -> str:
    return _row(op.name, _place(op.location))


# --- rules ----------------------------------------------------------------------------------------


def _rules(op: Op) -> Iterator[str]:
    yield f"Rules of {op.name}:"
    yield _row("contract", _place(op.location))
    yield _row("static shape", _place(definition_of(op.shape_function)))
    for kernel in op.kernels:
        yield _row(f"kernel {kernel.device_type}", f"{kernel_place(op, kernel)}  {kernel}")
    if op.gradient_fn is not None:
        yield _row("gradient", _place(definition_of(op.gradient_fn)))
    else:
        yield _row("gradient", f"none: {op.no_gradient_reason or 'not registered'}")
    for name, function in (
        ("static value", op.static_value_fn),
        ("partial shape", op.partial_shape_fn),
        ("compile rule", op.compile_rule_fn),
    ):
        if function is not None:
            yield _row(name, _place(definition_of(function)))
    yield _row("facts", ", ".join(_facts(op)) or "none")
    yield _row("inputs", ", ".join(map(str, op.op_def.inputs)) or "none")
    yield _row("outputs", ", ".join(map(str, op.op_def.outputs)) or "none")
    yield _row("attributes", ", ".join(attr.name for attr in op.op_def.attrs) or "none")


def _facts(op: Op) -> Iterator[str]:
    facts = ("stateful", "elementwise", "foldable", "aliases", "calls_functions", "touches_world")
    yield from (fact.replace("_", " ") for fact in facts if getattr(op, fact))
    if op.control_flow:
        yield f"control flow: {op.control_flow}"


def _row(name: str, value: str) -> str:
    return f"  {name:<14} {value}"


def kernel_place(op: Op, kernel: KernelDef) -> str:
    """Where a kernel is; one of NumPy's functions is where the op takes it."""
    return _place(definition_of(kernel.function) or op.location)


def _place(place: SourceLocation | None) -> str:
    return "?" if place is None else short_place(place.file, place.line)


def short_place(file: str, line: int | None = None) -> str:
    """`file:line`, below the working folder or the package if it is there."""
    end = "" if line is None else f":{line}"
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for root in (os.getcwd(), package):
        if file.startswith(root + os.sep):
            return f"{os.path.relpath(file, root)}{end}"
    return f"{file}{end}"

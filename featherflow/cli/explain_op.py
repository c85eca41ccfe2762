"""`featherflow explain OP`: where every rule of an op is, and the hops from its public name."""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Iterator
from typing import Any

from featherflow import _index, _namespaces
from featherflow.framework.op import Op, find_op, known_op_names


def describe(name: str) -> list[str] | None:
    """The explanation of an op or public function, line by line; None if there is none."""
    public = _public_name(name)
    op = _op_of(name, public)
    if op is None:
        return None
    lines = [f"{op.name}", ""]
    if public is not None:
        lines += list(_hops(public, op))
    lines += list(_rules(op))
    return lines


def _public_name(name: str) -> str | None:
    """The public name that a user means by `name`: "conv2d", "nn.conv2d" or "tf.nn.conv2d"."""
    name = name.removeprefix("tf.").removeprefix("featherflow.")
    tables = (_index.V1, _index.V2)
    if any(name in table for table in tables):
        return name
    found = [
        full
        for table in tables
        for full in table
        if full.rsplit(".", 1)[-1].lower() == name.lower()
    ]
    return min(found, key=lambda full: (full.count("."), full), default=None)


def _op_of(name: str, public: str | None) -> Op | None:
    """The op that `name` is, or that its public function calls first."""
    for candidate in known_op_names():
        if candidate.lower() == name.lower():
            return find_op(candidate)
    if public is None:
        return None
    function = _load(public)
    module = importlib.import_module(function.__module__)
    seen: set[Any] = set()
    return _first_op(function, module, seen)


def _first_op(function: Any, module: Any, seen: set[Any]) -> Op | None:
    """The first op named in a function, or in the functions of featherflow that it calls."""
    code = getattr(function, "__code__", None)
    if code is None or function in seen:
        return None
    seen.add(function)
    names = [getattr(module, used, None) for used in code.co_names]
    for value in names:
        if isinstance(value, Op):
            return value
    for value in names:
        if inspect.isfunction(value) and value.__module__.startswith("featherflow.ops"):
            found = _first_op(value, importlib.import_module(value.__module__), seen)
            if found is not None:
                return found
    return None


def _load(public: str) -> Any:
    return _namespaces.load(_index.V1.get(public) or _index.V2[public])


def _hops(public: str, op: Op) -> Iterator[str]:
    """tf.nn.conv2d → the function → the kernel, with file and line."""
    function = _load(public)
    yield f"tf.{public} executes here, two hops from its name:"
    yield f"  1. {_function_place(function):<48} {function.__name__}, the public function"
    for kernel in op.kernels:
        place = _place(kernel.location.file, kernel.location.line) if kernel.location else "?"
        yield f"  2. {place:<48} {_kernel_name(kernel)}, the kernel on {kernel}"
    yield ""


def _kernel_name(kernel: Any) -> str:
    return getattr(kernel.function, "__name__", str(kernel.function))


def _rules(op: Op) -> Iterator[str]:
    yield "Rules:"
    yield _row("contract", _place(op.location.file, op.location.line))
    yield _row("static shape", _function_place(op.shape_function))
    for kernel in op.kernels:
        place = _place(kernel.location.file, kernel.location.line) if kernel.location else "?"
        yield _row(f"kernel {kernel.device_type}", place)
    if op.gradient_fn is not None:
        yield _row("gradient", _function_place(op.gradient_fn))
    else:
        yield _row("gradient", f"none: {op.no_gradient_reason or 'not registered'}")
    if op.compile_rule_fn is not None:
        yield _row("compile rule", _function_place(op.compile_rule_fn))
    facts = [
        fact
        for fact in ("stateful", "elementwise", "foldable", "aliases", "touches_world")
        if getattr(op, fact)
    ]
    if op.control_flow:
        facts.append(f"control flow: {op.control_flow}")
    yield _row("facts", ", ".join(facts) or "none")
    yield _row("inputs", ", ".join(map(str, op.op_def.inputs)) or "none")
    yield _row("outputs", ", ".join(map(str, op.op_def.outputs)) or "none")
    yield _row("attributes", ", ".join(attr.name for attr in op.op_def.attrs) or "none")


def _row(name: str, value: str) -> str:
    return f"  {name:<14} {value}"


def _function_place(function: Any) -> str:
    code = getattr(inspect.unwrap(function), "__code__", None) if function is not None else None
    return "?" if code is None else _place(code.co_filename, code.co_firstlineno)


def _place(file: str, line: int) -> str:
    """A file below the working folder or the package, as short as it can be clicked."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for root in (os.getcwd(), package):
        if file.startswith(root + os.sep):
            return f"{os.path.relpath(file, root)}:{line}"
    return f"{file}:{line}"

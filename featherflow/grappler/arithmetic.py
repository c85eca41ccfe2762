"""Arithmetic simplification: rules that hold for every value, NaN, infinities and -0.0 included.

    x·1, x/1, x − 0, x + (−0.0), x¹  → x          (x + 0.0 is not x for x = −0.0)
    −(−x), ¬¬x                       → x
    x², x³                           → Square(x), x · Square(x)
    x / c                            → x · (1/c)  where all of c are powers of two: exact
    transposes, reshapes of such     → one, or none

A rule applies only where the result has the shape and dtype of what takes its place.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.op import get_op
from featherflow.graph.subgraph import Node
from featherflow.grappler.graph_editor import GraphEditor, is_reference, same_device

Output = tuple[Node, int]


def simplify_arithmetic(editor: GraphEditor) -> None:
    """Applies the rules to each node, inputs first."""
    for node in editor.nodes():
        rule = _RULES.get(node.definition.name)
        if rule is None or editor.is_unread(node) or not editor.may_rewrite(node):
            continue
        rule(editor, node)


def _pass_on(editor: GraphEditor, node: Node, output: Output, what: str) -> None:
    """Lets `output` stand for a node, if it is there, of one dtype and on the same device."""
    source, index = output
    dtype = source.output_dtypes[index]
    if dtype is node.output_dtypes[0] and not is_reference(dtype) and same_device(node, source):
        editor.replace((node, 0), output)
        editor.note(f"{node.name}: {what} is {source.name}")


# --- neutral constants ----------------------------------------------------------------------------


def _is_all(value: np.ndarray | None, wanted: float) -> bool:
    """Whether a constant has nothing but `wanted`, with its sign."""
    return (
        value is not None
        and value.size > 0
        and bool(np.all(value == wanted))
        and not (wanted == 0 and np.any(np.signbit(value) != np.signbit(wanted)))
    )


def _is_real(dtype: DType) -> bool:
    return dtype.is_floating or dtype.is_integer


def _keeps_shape(node: Node, kept: Output, constant: np.ndarray) -> bool:
    """Whether broadcasting with a constant leaves the shape of the other side."""
    dims = kept[0].output_shapes[kept[1]]._dims
    if constant.ndim == 0:
        return True
    if dims is None or constant.ndim > len(dims):
        return False
    if constant.size == 1:
        return True
    return None not in dims and dims == node.output_shapes[0]._dims


def _neutral(
    zero: float | None, one: float | None, *, either_side: bool
) -> Callable[[GraphEditor, Node], None]:
    """A rule: the op leaves its left side alone if the right one is a constant of this value."""

    def rule(editor: GraphEditor, node: Node) -> None:
        if not _is_real(node.output_dtypes[0]):
            return
        sides = [(0, 1), (1, 0)] if either_side else [(0, 1)]
        wanted = one if zero is None else _zero_of(node.output_dtypes[0], zero)
        assert wanted is not None
        for kept, other in sides:
            constant = editor.constant(node.inputs[other])
            if (
                constant is not None
                and _is_all(constant, wanted)
                and _keeps_shape(node, node.inputs[kept], constant)
            ):
                what = f"{node.definition.name} with {wanted}"
                _pass_on(editor, node, node.inputs[kept], what)
                return

    return rule


def _zero_of(dtype: DType, zero: float) -> float:
    return zero if dtype.is_floating else 0.0


_multiply = _neutral(None, 1.0, either_side=True)
_add = _neutral(-0.0, None, either_side=True)
_subtract = _neutral(0.0, None, either_side=False)
_divide_by_one = _neutral(None, 1.0, either_side=False)
_power_of_one = _neutral(None, 1.0, either_side=False)


def _power(editor: GraphEditor, node: Node) -> None:
    exponent = editor.constant(node.inputs[1])
    if exponent is None or not _is_real(node.output_dtypes[0]):
        return
    if not _keeps_shape(node, node.inputs[0], exponent):
        return
    base, attrs = node.inputs[0], {"T": node.attrs["T"]}
    if _is_all(exponent, 1.0):
        _power_of_one(editor, node)
    elif _is_all(exponent, 2.0):
        _substitute(editor, node, "Square", attrs, [base], "Pow with 2")
    elif _is_all(exponent, 3.0) and get_op("Square").kernels.find("CPU", attrs) is not None:
        dtype, shape = node.output_dtypes[0], base[0].output_shapes[base[1]]
        square = editor.add(node, f"{node.name}/_square", "Square", attrs, [base], dtype, shape)
        _substitute(editor, node, "Mul", attrs, [base, (square, 0)], "Pow with 3")


def _divide(editor: GraphEditor, node: Node) -> None:
    divisor = editor.constant(node.inputs[1])
    if divisor is None:
        return
    if _is_all(divisor, 1.0):
        _divide_by_one(editor, node)
        return
    reciprocal = _exact_reciprocal(divisor)
    if reciprocal is not None:
        factor = editor.add_constant(
            node, f"{node.name}/_reciprocal", reciprocal, node.output_dtypes[0]
        )
        attrs = {"T": node.attrs["T"]}
        inputs = [node.inputs[0], (factor, 0)]
        _substitute(editor, node, "Mul", attrs, inputs, "division by powers of two")


def _exact_reciprocal(divisor: np.ndarray) -> np.ndarray | None:
    """1 / divisor, if division and multiplication round the same number: powers of two."""
    if divisor.dtype not in (np.float32, np.float64) or not divisor.size:
        return None
    mantissa, _ = np.frexp(divisor)
    if not np.all(np.abs(mantissa) == 0.5):
        return None
    reciprocal = 1 / divisor
    smallest = np.finfo(divisor.dtype).smallest_normal
    both = np.abs(np.stack([divisor, reciprocal]))
    fits = np.all(np.isfinite(both)) and np.all(both >= smallest)
    return np.asarray(reciprocal, divisor.dtype) if fits else None


def _substitute(
    editor: GraphEditor,
    node: Node,
    op: str,
    attrs: dict[str, Any],
    inputs: list[Output],
    what: str,
) -> None:
    """Lets a node of another op, with the same name, take a node's place."""
    if get_op(op).kernels.find("CPU", attrs) is None:
        return
    dtype, shape = node.output_dtypes[0], node.output_shapes[0]
    made = editor.add(node, node.name, op, attrs, inputs, dtype, shape)
    editor.replace((node, 0), (made, 0))
    editor.note(f"{node.name}: {what} is {op}")


# --- ops that undo themselves ---------------------------------------------------------------------


def _involution(editor: GraphEditor, node: Node) -> None:
    inner, index = node.inputs[0]
    if inner.definition is node.definition and not index and not inner.control_inputs:
        what = f"{node.definition.name} of {node.definition.name}"
        _pass_on(editor, node, inner.inputs[0], what)


def _transpose(editor: GraphEditor, node: Node) -> None:
    inner = node.inputs[0][0]
    if inner.definition is not node.definition or inner.control_inputs:
        return
    first, second = editor.constant(inner.inputs[1]), editor.constant(node.inputs[1])
    if first is None or second is None or first.size != second.size:
        return
    if not (_is_permutation(first) and _is_permutation(second)):
        return
    axes = first[second]
    if np.array_equal(axes, np.arange(axes.size)):
        _pass_on(editor, node, inner.inputs[0], "Transpose of Transpose")
    elif same_device(node, inner):
        constant = editor.add_constant(node, f"{node.name}/_axes", axes)
        attrs = {**node.attrs, "Tperm": constant.output_dtypes[0]}
        inputs = [inner.inputs[0], (constant, 0)]
        _substitute(editor, node, "Transpose", attrs, inputs, "Transpose of Transpose")


def _is_permutation(axes: np.ndarray) -> bool:
    return axes.ndim == 1 and np.array_equal(np.sort(axes), np.arange(axes.size))


def _reshape(editor: GraphEditor, node: Node) -> None:
    inner = node.inputs[0][0]
    if inner.definition is not node.definition or inner.control_inputs:
        return
    first, second = editor.constant(inner.inputs[1]), editor.constant(node.inputs[1])
    if first is None or second is None or not _always_fits(inner.inputs[0], first):
        return
    if -1 in second and 0 in second:  # the size left to be found depends on the shape before
        return
    source, index = inner.inputs[0]
    if same_device(node, inner) and source.output_dtypes[index] is node.output_dtypes[0]:
        editor.set_input(node, 0, inner.inputs[0])
        editor.note(f"{node.name}: Reshape of Reshape skips {inner.name}")


def _always_fits(output: Output, wanted: np.ndarray) -> bool:
    """Whether what is there can be reshaped so: the inner Reshape must not be there to refuse."""
    shape = output[0].output_shapes[output[1]]
    if shape._dims is None or wanted.ndim != 1 or wanted.min(initial=1) < -1 or 0 in wanted:
        return False
    known = math.prod(dim for dim in shape._dims if dim is not None)
    sizes = [int(size) for size in wanted if size != -1]
    if len(sizes) == wanted.size:
        return shape.num_elements() == math.prod(sizes)
    return len(sizes) == wanted.size - 1 and known % math.prod(sizes) == 0


_RULES: dict[str, Callable[[GraphEditor, Node], None]] = {
    "Mul": _multiply,
    "Add": _add,
    "AddV2": _add,
    "Sub": _subtract,
    "RealDiv": _divide,
    "Div": _divide,
    "Pow": _power,
    "Neg": _involution,
    "LogicalNot": _involution,
    "Transpose": _transpose,
    "Reshape": _reshape,
}

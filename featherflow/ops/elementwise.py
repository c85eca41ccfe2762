"""How elementwise ops are defined: their contract, shape function and kernels from one row.

A row names the op and pairs groups of dtypes with the kernel for them:

    Exp = define_unary("Exp", (FLOATS + COMPLEX, np.exp))
    Sub = define_binary("Sub", (NUMBERS, np.subtract))

Gradients and public functions follow it in the usual form. Binary ops broadcast: sizes are aligned
at the right, and a size of 1 repeats.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import broadcast_shape, unchanged_shape
from featherflow.framework.source_location import caller_location
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.ops.sum_ops import unbroadcast
from featherflow.ops.type_groups import Types, one_of

#: Dtypes of T, and the kernel for them.
KernelRow = tuple[Types, Callable[..., np.ndarray]]


def define_unary(
    name: str,
    *kernels: KernelRow,
    also: Types = (),
    inputs: tuple[str, ...] = ("x: T",),
    output: str = "y: T",
) -> Op:
    """An op y = f(x), or z = f(y, dy) with two inputs of one shape.

    Args:
      also: dtypes that the contract allows and no kernel takes.
    """
    op = define_op(
        name,
        inputs=inputs,
        outputs=(output,),
        attrs=_type_attr(kernels, also),
        elementwise=True,
        location=caller_location(),
    )
    op.shape_fn(unchanged_shape)
    return _with_kernels(op, kernels)


def define_binary(
    name: str,
    *kernels: KernelRow,
    also: Types = (),
    inputs: tuple[str, str] = ("x: T", "y: T"),
    output: str = "z: T",
    attrs: tuple[str, ...] = (),
    **flags: bool,
) -> Op:
    """An op z = f(x, y) that broadcasts; `flags` are those of `define_op`."""
    op = define_op(
        name,
        inputs=inputs,
        outputs=(output,),
        attrs=_type_attr(kernels, also) + attrs,
        elementwise=True,
        location=caller_location(),
        **flags,
    )
    op.shape_fn(broadcast_shape)
    return _with_kernels(op, kernels)


def _type_attr(kernels: tuple[KernelRow, ...], also: Types) -> tuple[str, ...]:
    types = [dtype for group, _ in kernels for dtype in group]
    return (f"T: {one_of([*types, *also])}",)


def _with_kernels(op: Op, kernels: tuple[KernelRow, ...]) -> Op:
    for types, kernel in kernels:
        op.kernel("CPU", T=types)(kernel)
    return op


def compiled_as(primitive: str) -> Callable[..., Any]:
    """The compile rule of an op that is one primitive of the kernel compiler."""

    def rule(c: Any, *operands: Any) -> Any:
        return c.map(primitive, *operands)

    return rule


def of_sparse_too(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function `f(x, name)` with f(0) = 0: of a SparseTensor it is applied to the values."""

    @wraps(function)
    def apply(x: Any, name: str | None = None) -> Any:
        if isinstance(x, SparseTensor):
            return x.with_values(function(x.values, name=name))
        return function(x, name=name)

    return apply


def binary_gradients(
    op: Any, left: Tensor | None, right: Tensor | None
) -> tuple[Tensor | None, Tensor | None]:
    """The gradients of a binary op's inputs, summed over the axes that were broadcast."""
    first, second = op.inputs
    return (
        None if left is None else unbroadcast(left, first),
        None if right is None else unbroadcast(right, second),
    )

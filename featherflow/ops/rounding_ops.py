"""Rounding, and the next floating-point number, elementwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import broadcast_shape
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import Gradients
from featherflow.ops.elementwise import binary_gradients, compiled_as, define_unary
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.type_groups import COMPLEX, FLOATS, SIGNED, WIDE_FLOATS

# --- Floor, Ceil, Rint, Round ---------------------------------------------------------------------

Floor = define_unary("Floor", (FLOATS, np.floor))
Floor.compile_rule(compiled_as("floor"))
Ceil = define_unary("Ceil", (FLOATS, np.ceil))
Ceil.compile_rule(compiled_as("ceil"))
Rint = define_unary("Rint", (FLOATS, np.rint))
Rint.compile_rule(compiled_as("rint"))
Round = define_unary("Round", (FLOATS + COMPLEX, np.rint), (SIGNED, np.positive))
Round.compile_rule(compiled_as("round"))


@Floor.gradient
@Ceil.gradient
@Rint.gradient
@Round.gradient
def _rounded_grad(op: Any, grad: Tensor) -> None:
    return None  # constant but for jumps


@export("math.floor", "floor")
def floor(x: Any, name: str | None = None) -> Tensor:
    """The greatest integer ≤ x, elementwise, as a float."""
    return Floor(x, name=name)


@export("math.ceil")
@export_v1("ceil")
def ceil(x: Any, name: str | None = None) -> Tensor:
    """The least integer ≥ x, elementwise, as a float."""
    return Ceil(x, name=name)


@export("math.rint")
@export_v1("rint")
def rint(x: Any, name: str | None = None) -> Tensor:
    """The integer nearest to x, elementwise, as a float; halves go to the even one."""
    return Rint(x, name=name)


@export("math.round", "round")
def round(x: Any, name: str | None = None) -> Tensor:
    """The integer nearest to x, elementwise; halves go to the even one. Integers stay as they are.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.round([0.9, 2.5, 3.5, -4.5])).tolist()
    [1.0, 2.0, 4.0, -4.0]
    """
    x = convert_to_tensor(x, name="x")
    return x if x.dtype.is_integer else Round(x, name=name)


# --- NextAfter ------------------------------------------------------------------------------------

NextAfter = define_op(
    "NextAfter",
    inputs=("x1: T", "x2: T"),
    outputs=("output: T",),
    attrs=("T: {double, float} = float",),
    elementwise=True,
)
NextAfter.shape_fn(broadcast_shape)
NextAfter.kernel("CPU", T=WIDE_FLOATS)(np.nextafter)


@NextAfter.gradient
def _next_after_grad(op: Any, grad: Tensor) -> Gradients:
    return binary_gradients(op, grad, zeros_like(grad))


@export("math.nextafter")
def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """The floating-point number next to x1 in the direction of x2, elementwise. Both broadcast."""
    return NextAfter(x1, x2, name=name)

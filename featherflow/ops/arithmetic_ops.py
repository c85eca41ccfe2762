"""Sums, differences, products and squares, elementwise.

Both arguments have one dtype and broadcast. Integers wrap around. Kernels of float16 and bfloat16
round each result once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.shape_inference import ShapeInferenceError
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.tensor import Tensor
from featherflow.kernels import elementwise as kernels
from featherflow.ops.complex_ops import conj
from featherflow.ops.constant_ops import constant
from featherflow.ops.elementwise import (
    binary_gradients,
    compiled_as,
    define_binary,
    define_unary,
    of_sparse_too,
)
from featherflow.ops.type_groups import COMPLEX, FLOATS, NUMBERS, SIGNED

Gradients = tuple[Tensor | None, Tensor | None]

# --- Neg ------------------------------------------------------------------------------------------

Neg = define_unary("Neg", (FLOATS + SIGNED + COMPLEX, np.negative))
Neg.compile_rule(compiled_as("neg"))


@Neg.gradient
def _neg_grad(op: Any, grad: Tensor) -> Tensor:
    return Neg(grad)


@export("math.negative", "negative")
@of_sparse_too
def negative(x: Any, name: str | None = None) -> Any:
    """−x, elementwise."""
    return Neg(x, name=name)


# --- Add ------------------------------------------------------------------------------------------

AddV2 = define_binary("AddV2", (NUMBERS, np.add), is_commutative=True, is_aggregate=True)
AddV2.compile_rule(compiled_as("add"))
Add = define_binary(
    "Add",
    ((*FLOATS, *SIGNED, dtypes.uint8, *COMPLEX), np.add),
    ((dtypes.string,), np.add),
)
Add.compile_rule(compiled_as("add"))


@AddV2.gradient
@Add.gradient
def _add_grad(op: Any, grad: Tensor) -> Gradients:
    return binary_gradients(op, grad, grad)


@export("math.add", "add")
def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x + y, elementwise; strings are joined.

    Args:
      x: numbers or strings.
      y: of the dtype of `x`; both broadcast.
      name: of the node.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.add([1, 2], 3)).tolist()
    [4, 5]
    """
    with op_scope(name, "Add", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name="y")
        op = Add if x.dtype.base_dtype is dtypes.string else AddV2
        return op(x, y, name=scope)


# --- Sub ------------------------------------------------------------------------------------------

Sub = define_binary("Sub", (NUMBERS, np.subtract))
Sub.compile_rule(compiled_as("sub"))


@Sub.gradient
def _sub_grad(op: Any, grad: Tensor) -> Gradients:
    return binary_gradients(op, grad, Neg(grad))


@export("math.subtract", "subtract")
def subtract(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x − y, elementwise; both broadcast."""
    return Sub(x, y, name=name)


# --- Mul ------------------------------------------------------------------------------------------

Mul = define_binary("Mul", (NUMBERS, np.multiply), is_commutative=True)
Mul.compile_rule(compiled_as("mul"))


@Mul.gradient
def _mul_grad(op: Any, grad: Tensor) -> Gradients:
    x, y = op.inputs
    return binary_gradients(op, Mul(grad, conj(y)), Mul(conj(x), grad))


@export("math.multiply", "multiply")
def multiply(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x · y, elementwise; both broadcast."""
    return Mul(x, y, name=name)


@export("math.scalar_mul", "scalar_mul")
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """scalar · x.

    Args:
      scalar: a number or a tensor of rank 0, of the dtype of `x`.
      x: a tensor or IndexedSlices.
      name: of the node.
    Returns:
      The same kind of value as `x`.
    Raises:
      ValueError: `scalar` is not of rank 0.
    """
    scalar = convert_to_tensor(scalar, dtype=x.dtype.base_dtype, name="scalar")
    if scalar.shape.rank != 0:
        raise ShapeInferenceError(f"Only scalar multiply works, got shape {scalar.shape}")
    if isinstance(x, IndexedSlices):
        return IndexedSlices(Mul(scalar, x.values, name=name), x.indices, x.dense_shape)
    return Mul(scalar, x, name=name)


MulNoNan = define_binary("MulNoNan", (FLOATS + COMPLEX, kernels.multiply_no_nan))


@MulNoNan.gradient
def _mul_no_nan_grad(op: Any, grad: Tensor) -> Gradients:
    x, y = conj(op.inputs[0]), conj(op.inputs[1])
    return binary_gradients(op, MulNoNan(grad, y), MulNoNan(x, grad))


@export("math.multiply_no_nan")
def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x · y, and 0 where y = 0, whatever x is.

    Args:
      x: floating or complex; may be NaN or infinite.
      y: of the dtype of `x`; both broadcast.
      name: of the node.
    """
    with op_scope(name, "multiply_no_nan", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        return MulNoNan(x, y, name=scope)


# --- Square, SquaredDifference --------------------------------------------------------------------

Square = define_unary("Square", (NUMBERS, np.square))
Square.compile_rule(compiled_as("square"))


@Square.gradient
def _square_grad(op: Any, grad: Tensor) -> Tensor:
    x = op.inputs[0]
    return Mul(grad, Mul(conj(x), constant(2, x.dtype.base_dtype)))


@export("math.square", "square")
@of_sparse_too
def square(x: Any, name: str | None = None) -> Any:
    """x², elementwise.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.square([-2, 0, 3])).tolist()
    [4, 0, 9]
    """
    return Square(x, name=name)


SquaredDifference = define_binary(
    "SquaredDifference",
    ((*FLOATS, dtypes.int32, dtypes.int64, *COMPLEX), kernels.squared_difference),
    is_commutative=True,
)


@SquaredDifference.compile_rule
def _squared_difference_compile(c: Any, x: Any, y: Any) -> Any:
    return c.map("square", x - y)  # narrow floats are rounded twice


@SquaredDifference.gradient
def _squared_difference_grad(op: Any, grad: Tensor) -> Gradients:
    x, y = op.inputs
    # |x − y|² is real, so that of a complex gradient only the real part counts.
    left = Mul(AddV2(grad, conj(grad)), Sub(x, y))
    return binary_gradients(op, left, Neg(left))


@export("math.squared_difference")
@export_v1("squared_difference")
def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """(x − y)², elementwise; both broadcast. |x − y|² for complex numbers."""
    return SquaredDifference(x, y, name=name)

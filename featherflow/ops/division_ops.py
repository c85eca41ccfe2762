"""Division in its forms, remainders and reciprocals, elementwise. Both arguments broadcast.

    op              integers                   floats           remainder
    RealDiv         not defined                x / y
    Div             rounds towards zero        x / y
    TruncateDiv     rounds towards zero        trunc(x / y)     TruncateMod, Mod: the sign of x
    FloorDiv        rounds down                ⌊x / y⌋          FloorMod: the sign of y

Integers divided by zero raise InvalidArgumentError.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import elementwise as kernels
from featherflow.ops.arithmetic_ops import Gradients, Mul, Neg
from featherflow.ops.cast_ops import cast
from featherflow.ops.complex_ops import conj
from featherflow.ops.constant_ops import constant
from featherflow.ops.elementwise import binary_gradients, compiled_as, define_binary, define_unary
from featherflow.ops.type_groups import COMPLEX, FLOATS, HALVES, INTEGERS, SIGNED, WIDE_FLOATS

# --- RealDiv, Div ---------------------------------------------------------------------------------

RealDiv = define_binary("RealDiv", (FLOATS + COMPLEX, np.divide), also=INTEGERS)
RealDiv.compile_rule(compiled_as("div"))
Div = define_binary(
    "Div", (FLOATS + COMPLEX, np.divide), (INTEGERS, kernels.truncate_divide_integers)
)


@RealDiv.gradient
def _real_div_grad(op: Any, grad: Tensor) -> Gradients:
    return _quotient_gradients(op, grad, RealDiv)


@Div.gradient
def _div_grad(op: Any, grad: Tensor) -> Gradients:
    return _quotient_gradients(op, grad, Div)


def _quotient_gradients(op: Any, grad: Tensor, divide: Any) -> Gradients:
    """∂(x/y)/∂x = 1/ȳ and ∂(x/y)/∂y = −x/y/y, conjugated, each written with `divide`."""
    x, y = conj(op.inputs[0]), conj(op.inputs[1])
    return binary_gradients(op, divide(grad, y), Mul(grad, divide(divide(Neg(x), y), y)))


#: What integers are cast to where a true quotient is wanted.
_QUOTIENT_TYPE = {
    dtypes.int8: dtypes.float32,
    dtypes.uint8: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.uint16: dtypes.float32,
    dtypes.int32: dtypes.float64,
    dtypes.uint32: dtypes.float64,
    dtypes.int64: dtypes.float64,
    dtypes.uint64: dtypes.float64,
}


@export("math.truediv", "truediv")
def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, elementwise, as Python 3 divides: integers are cast to floats first.

    Args:
      x: numbers; integers of at most 16 bits become float32, wider ones float64.
      y: of the dtype of `x`; both broadcast.
      name: of the node.
    Returns:
      A floating or complex tensor.
    Raises:
      TypeError: the dtypes differ.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.truediv([7, 8], 2)).tolist()
    [3.5, 4.0]
    """
    with op_scope(name, "truediv", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name="y")
        dtype = x.dtype.base_dtype
        if dtype is not y.dtype.base_dtype:
            raise TypeError(
                f"`x` and `y` must have the same dtype, got {dtype!r} != {y.dtype.base_dtype!r}."
            )
        if dtype in _QUOTIENT_TYPE:
            x, y = cast(x, _QUOTIENT_TYPE[dtype]), cast(y, _QUOTIENT_TYPE[dtype])
        return RealDiv(x, y, name=scope)


@export("math.divide", "divide")
def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, elementwise, as Python 3 divides; see `truediv`."""
    if name is None:
        x = convert_to_tensor(x)
        return truediv(x, y)
    return truediv(x, y, name)


@export("realdiv")
def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, elementwise, for floating and complex numbers."""
    return RealDiv(x, y, name=name)


@export_v1("div")
def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y as Python 2 divides: integers are rounded down.

    Raises:
      TypeError: the dtypes differ.
    """
    with op_scope(name, "div", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        is_exact = x.dtype.is_floating or x.dtype.is_complex
        return (RealDiv if is_exact else FloorDiv)(x, y, name=scope)


# --- DivNoNan -------------------------------------------------------------------------------------

DivNoNan = define_binary("DivNoNan", (FLOATS + COMPLEX, kernels.divide_no_nan))


@DivNoNan.gradient
def _div_no_nan_grad(op: Any, grad: Tensor) -> Gradients:
    return _quotient_gradients(op, grad, DivNoNan)


@export("math.divide_no_nan")
@export_v1("div_no_nan")
def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, and 0 where y = 0. Both broadcast."""
    with op_scope(name, "div_no_nan", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y")
        dtype = x.dtype.base_dtype
        if dtype in _QUOTIENT_TYPE:
            x, y = cast(x, _QUOTIENT_TYPE[dtype]), cast(y, _QUOTIENT_TYPE[dtype])
        return DivNoNan(x, y, name=scope)


@export("math.reciprocal_no_nan")
def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """1 / x, and 0 where x = 0, elementwise.

    Args:
      x: floating or complex.
      name: of the node.
    Raises:
      TypeError: `x` is of integers.
    """
    with op_scope(name, "reciprocal_no_nan", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        one = constant(1, dtype=x.dtype.base_dtype, name="one")
        return DivNoNan(one, x, name=scope)


# --- FloorDiv, TruncateDiv ------------------------------------------------------------------------

FloorDiv = define_binary(
    "FloorDiv",
    (FLOATS, kernels.floor_divide),
    (INTEGERS, kernels.floor_divide_integers),
    also=COMPLEX,
)
TruncateDiv = define_binary(
    "TruncateDiv",
    (FLOATS, kernels.truncate_divide),
    (INTEGERS, kernels.truncate_divide_integers),
    also=COMPLEX,
)


@FloorDiv.gradient
@TruncateDiv.gradient
def _rounded_quotient_grad(op: Any, grad: Tensor) -> Gradients:
    return None, None  # constant but for jumps


@export("math.floordiv")
@export_v1("floordiv")
def floordiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """⌊x / y⌋, elementwise. Both broadcast.

    Raises:
      InvalidArgumentError: integers are divided by zero.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.math.floordiv([7, -7], 2)).tolist()
    [3, -4]
    """
    return FloorDiv(x, y, name=name or "floordiv")


@export("truncatediv")
def truncatediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y rounded towards zero, elementwise. Both broadcast.

    Raises:
      InvalidArgumentError: integers are divided by zero.
    """
    return TruncateDiv(x, y, name=name)


# --- remainders -----------------------------------------------------------------------------------

FloorMod = define_binary(
    "FloorMod", (FLOATS, np.remainder), (INTEGERS, kernels.floor_modulo_integers)
)


@FloorMod.gradient
def _floor_mod_grad(op: Any, grad: Tensor) -> Gradients:
    x, y = op.inputs
    return binary_gradients(op, grad, Mul(grad, Neg(FloorDiv(x, y))))


@export("math.floormod", "math.mod")
@export_v1("floormod", "mod")
def floormod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x − ⌊x / y⌋ · y, elementwise: has the sign of y. Both broadcast.

    Raises:
      InvalidArgumentError: integers are divided by zero.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.math.floormod([7, -7], 3)).tolist()
    [1, 2]
    """
    return FloorMod(x, y, name=name)


_TRUNCATED_REMAINDER = (
    (FLOATS, np.fmod),
    ((dtypes.int32, dtypes.int64), kernels.truncate_modulo_integers),
)
Mod = define_binary("Mod", *_TRUNCATED_REMAINDER)
TruncateMod = define_binary("TruncateMod", *_TRUNCATED_REMAINDER)
for _op in (Mod, TruncateMod):
    _op.without_gradient("TensorFlow defines no gradient")


@export("truncatemod")
def truncatemod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x − trunc(x / y) · y, elementwise: has the sign of x. Both broadcast.

    Raises:
      InvalidArgumentError: integers are divided by zero.
    """
    return TruncateMod(x, y, name=name)


# --- Reciprocal -----------------------------------------------------------------------------------

_RECIPROCAL_GRADIENT = (
    (HALVES, kernels.in_float32(kernels.reciprocal_gradient)),
    (WIDE_FLOATS + COMPLEX, kernels.reciprocal_gradient),
)
Reciprocal = define_unary("Reciprocal", (FLOATS + COMPLEX, np.reciprocal), also=SIGNED)
Reciprocal.compile_rule(compiled_as("reciprocal"))
Inv = define_unary("Inv", (FLOATS + COMPLEX, np.reciprocal), also=SIGNED)
Inv.compile_rule(compiled_as("reciprocal"))
ReciprocalGrad = define_unary(
    "ReciprocalGrad", *_RECIPROCAL_GRADIENT, inputs=("y: T", "dy: T"), output="z: T"
)
InvGrad = define_unary("InvGrad", *_RECIPROCAL_GRADIENT, inputs=("y: T", "dy: T"), output="z: T")


@Reciprocal.gradient
@Inv.gradient
def _reciprocal_grad(op: Any, grad: Tensor) -> Tensor:
    return ReciprocalGrad(op.outputs[0], grad)


@ReciprocalGrad.gradient
@InvGrad.gradient
def _reciprocal_grad_grad(op: Any, grad: Tensor) -> Gradients:
    # z = −dy ȳ² depends on the conjugate of y, which conjugates the incoming gradient.
    y, dy = conj(op.inputs[0]), op.inputs[1]
    along_y = Mul(Mul(conj(grad), constant(-2, y.dtype.base_dtype)), Mul(dy, y))
    return along_y, ReciprocalGrad(y, grad)


@export("math.reciprocal")
@export_v1("reciprocal")
def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """1 / x, elementwise."""
    return Reciprocal(x, name=name)

"""Complex numbers: making them, their parts and conjugates.

Gradients of complex functions are those of TensorFlow: for a real loss L they are the conjugate of
∂L/∂x, so that `x − rate · gradient` goes downhill.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import broadcast_shape, unchanged_shape
from featherflow.framework.source_location import caller_location
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import elementwise as kernels
from featherflow.ops.constant_ops import constant
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.sum_ops import unbroadcast
from featherflow.ops.type_groups import COMPLEX, one_of

# --- Conj -----------------------------------------------------------------------------------------

Conj = define_op(
    "Conj",
    inputs=("input: T",),
    outputs=("output: T",),
    attrs=("T: {complex64, complex128, variant} = complex64",),
    elementwise=True,
)
Conj.shape_fn(unchanged_shape)
Conj.kernel("CPU", T=COMPLEX)(np.conjugate)


@Conj.gradient
def _conj_grad(op: Any, grad: Tensor) -> Tensor:
    return Conj(grad)


@export("math.conj")
@export_v1("conj")
def conj(x: Any, name: str | None = None) -> Tensor:
    """The complex conjugate x̄; x itself if it is real.

    Args:
      x: numbers.
      name: of the node.
    Returns:
      A tensor of the shape and dtype of `x`.
    Raises:
      TypeError: `x` is not of numbers.
    """
    if isinstance(x, Tensor) and (x.dtype.is_floating or x.dtype.is_integer):
        return x
    with op_scope(name, "Conj", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex or x.dtype.base_dtype is dtypes.variant:
            return Conj(x, name=scope)
        if x.dtype.is_floating or x.dtype.is_integer:
            return x
        raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}")


# --- Real and Imag --------------------------------------------------------------------------------


def define_part(
    name: str, kernel: kernels.Kernel, input: str = "input", output: str = "output"
) -> Op:
    """An op from complex numbers to real ones, elementwise."""
    op = define_op(
        name,
        inputs=(f"{input}: T",),
        outputs=(f"{output}: Tout",),
        attrs=("T: {complex64, complex128} = complex64", "Tout: {float, double} = float"),
        elementwise=True,
        location=caller_location(),
    )
    op.shape_fn(unchanged_shape)
    for complex_type in COMPLEX:
        op.kernel("CPU", T=complex_type, Tout=complex_type.real_dtype)(kernel)
    return op


Real = define_part("Real", kernels.real_part)
Imag = define_part("Imag", kernels.imaginary_part)


@Real.gradient
def _real_grad(op: Any, grad: Tensor) -> Tensor:
    return Complex(grad, _zero(grad.dtype), Tout=op.attrs["T"])


@Imag.gradient
def _imag_grad(op: Any, grad: Tensor) -> Tensor:
    return Complex(_zero(grad.dtype), grad, Tout=op.attrs["T"])


def _zero(dtype: DType) -> Tensor:
    return constant(0, dtype.base_dtype)


@export("math.real")
@export_v1("real")
def real(input: Any, name: str | None = None) -> Tensor:
    """Re input; `input` itself if it is real.

    Args:
      input: numbers.
      name: of the node.
    Returns:
      A tensor of floats; of `input`'s dtype if that is real.
    Raises:
      TypeError: `input` is not of numbers.
    """
    with op_scope(name, "Real", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return Real(input, Tout=input.dtype.real_dtype, name=scope)
        _refuse_non_numbers(input)
        return input


@export("math.imag")
@export_v1("imag")
def imag(input: Any, name: str | None = None) -> Tensor:
    """Im input; zeros if `input` is real.

    Args:
      input: numbers.
      name: of the node.
    Returns:
      A tensor of floats; of `input`'s dtype if that is real.
    """
    with op_scope(name, "Imag", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return Imag(input, Tout=input.dtype.real_dtype, name=scope)
        return zeros_like(input)


def _refuse_non_numbers(tensor: Tensor) -> None:
    if not tensor.dtype.is_numeric:
        raise TypeError(
            f"input must be a numeric tensor, but got tensor with dtype {tensor.dtype!r}"
        )


# --- Complex --------------------------------------------------------------------------------------

Complex = define_op(
    "Complex",
    inputs=("real: T", "imag: T"),
    outputs=("out: Tout",),
    attrs=("T: {float, double} = float", f"Tout: {one_of(COMPLEX)} = complex64"),
    elementwise=True,
)
Complex.shape_fn(broadcast_shape)
Complex.kernel("CPU", T=dtypes.float32, Tout=dtypes.complex64)(kernels.make_complex)
Complex.kernel("CPU", T=dtypes.float64, Tout=dtypes.complex128)(kernels.make_complex)


@Complex.gradient
def _complex_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
    real_input, imag_input = op.inputs
    part_type = op.attrs["T"]
    return (
        unbroadcast(Real(grad, Tout=part_type), real_input),
        unbroadcast(Imag(grad, Tout=part_type), imag_input),
    )


@export("complex", "dtypes.complex")
def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """real + i imag.

    Args:
      real: float32 or float64.
      imag: of the dtype of `real`; both broadcast.
      name: of the node.
    Returns:
      A complex64 or complex128 tensor.
    Raises:
      TypeError: the dtypes are others.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     print(sess.run(tf.complex(2.0, 3.0)))
    (2+3j)
    """
    real = convert_to_tensor(real, name="real")
    imag = convert_to_tensor(imag, name="imag")
    with op_scope(name, "Complex", [real, imag]) as scope:
        types = (real.dtype.base_dtype, imag.dtype.base_dtype)
        for part_type, result in ((dtypes.float32, COMPLEX[0]), (dtypes.float64, COMPLEX[1])):
            if types == (part_type, part_type):
                return Complex(real, imag, Tout=result, name=scope)
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {types[0].name} "
            f"{types[1].name}. They must be consistent, and one of [tf.float32, tf.float64]"
        )

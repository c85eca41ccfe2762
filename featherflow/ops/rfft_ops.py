"""Fourier transforms of real numbers over the last one, two or three dimensions: RFFT … IRFFT3D.

The transform of N real numbers is told by its first N/2 + 1 values, which is what these ops return
and take. The arithmetic is in `kernels/fourier.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import fourier as kernels
from featherflow.ops import fft_lengths
from featherflow.ops.arithmetic_ops import add, multiply
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal, logical_or
from featherflow.ops.complex_ops import real
from featherflow.ops.division_ops import divide, floordiv
from featherflow.ops.fft_ops import IFFT, IFFT2D
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_prod
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.strided_slice_ops import get_item
from featherflow.ops.type_groups import COMPLEX, WIDE_FLOATS
from featherflow.ops.where_ops import where_v2

_ATTRS = (
    "Treal: {float, double} = float",
    "Tcomplex: {complex64, complex128} = complex64",
)
COMPLEX_OF = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}
REAL_OF = {complex_type: real for real, complex_type in COMPLEX_OF.items()}


def _shape_of(rank: int, last_size: Callable[[int], int]) -> Callable[..., TensorShape]:
    def shape(c: InferenceContext) -> TensorShape:
        dims = c.with_rank_at_least(0, rank)._dims
        (count,) = c.dims(1, 1)
        if count not in (None, rank):
            c.fail(f"Dimension must be {rank} but is {count}", received=c.received())
        value = c.constant(1)
        if value is not None and value.min(initial=0) < -1:
            c.fail("fft_length must not be negative", received=value.tolist())
        if dims is None:
            return UNKNOWN
        lengths: list[int | None] = [None] * rank if value is None else value.tolist()
        sizes = [length if length is not None and length >= 0 else None for length in lengths]
        if sizes[-1] is not None:
            sizes[-1] = last_size(sizes[-1])
        return TensorShape._of((*dims[:-rank], *sizes))

    return shape


def _define_real(name: str, rank: int) -> Op:
    op = define_op(
        name,
        inputs=("input: Treal", "fft_length: int32"),
        outputs=("output: Tcomplex",),
        attrs=_ATTRS,
    )
    op.shape_fn(_shape_of(rank, kernels.half_size))

    @op.kernel("CPU", Treal=WIDE_FLOATS, Tcomplex=COMPLEX)
    def _cpu(
        input: np.ndarray, fft_length: np.ndarray, *, Treal: DType, Tcomplex: DType
    ) -> np.ndarray:
        _check_types(Treal, Tcomplex)
        axes = kernels.last_axes(input, rank)
        return kernels.real_transform(input, kernels.check_lengths(fft_length, rank), axes)

    return op


def _define_inverse(name: str, rank: int) -> Op:
    op = define_op(
        name,
        inputs=("input: Tcomplex", "fft_length: int32"),
        outputs=("output: Treal",),
        attrs=_ATTRS,
    )
    op.shape_fn(_shape_of(rank, int))

    @op.kernel("CPU", Treal=WIDE_FLOATS, Tcomplex=COMPLEX)
    def _cpu(
        input: np.ndarray, fft_length: np.ndarray, *, Treal: DType, Tcomplex: DType
    ) -> np.ndarray:
        _check_types(Treal, Tcomplex)
        axes = kernels.last_axes(input, rank)
        return kernels.inverse_real_transform(input, kernels.check_lengths(fft_length, rank), axes)

    return op


def _check_types(real: DType, complex_type: DType) -> None:
    if COMPLEX_OF[real] is not complex_type:
        raise InvalidArgumentError(
            None,
            None,
            "The real and the complex type must have one precision",
            received=f"{real.name} and {complex_type.name}",
        )


RFFT = _define_real("RFFT", 1)
IRFFT = _define_inverse("IRFFT", 1)
RFFT2D = _define_real("RFFT2D", 2)
IRFFT2D = _define_inverse("IRFFT2D", 2)
RFFT3D = _define_real("RFFT3D", 3)
IRFFT3D = _define_inverse("IRFFT3D", 3)
for _op in (RFFT3D, IRFFT3D):
    _op.without_gradient("TensorFlow gives it no gradient")


# --- gradients ------------------------------------------------------------------------------------
# Where an input is longer than the transform, what is cut off has gradient 0; TensorFlow refuses.


@RFFT.gradient
def _rfft_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return _real_gradient(IFFT, 1, op, grad), None


@RFFT2D.gradient
def _rfft2d_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return _real_gradient(IFFT2D, 2, op, grad), None


@IRFFT.gradient
def _irfft_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return _inverse_gradient(RFFT, 1, op, grad), None


@IRFFT2D.gradient
def _irfft2d_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return _inverse_gradient(RFFT2D, 2, op, grad), None


def _real_gradient(inverse: Op, rank: int, op: Any, grad: Tensor) -> Tensor:
    """Re Σₖ g[k] e^(+2πi k n / N): the values that the op leaves out have gradient 0."""
    values, lengths = op.inputs
    count = cast(reduce_prod(lengths), grad.dtype)
    spectrum = fft_lengths.padded(grad, rank, lengths, is_spectrum=False)
    return _in_shape_of(values, rank, real(multiply(inverse(spectrum), count)))


def _inverse_gradient(forward: Op, rank: int, op: Any, grad: Tensor) -> Tensor:
    """The transform of g / N; what stands for two values of the whole spectrum counts twice."""
    values, lengths = op.inputs
    last = get_item(lengths, -1)
    places = range_(add(floordiv(last, 2), 1))
    is_single = logical_or(equal(places, 0), equal(multiply(places, 2), last))
    weights = cast(where_v2(is_single, 1, 2), grad.dtype)
    weights = divide(weights, cast(reduce_prod(lengths), grad.dtype))
    spectrum = forward(grad, lengths, Tcomplex=values.dtype)
    return _in_shape_of(values, rank, multiply(spectrum, cast(weights, values.dtype)))


def _in_shape_of(values: Tensor, rank: int, gradient: Tensor) -> Tensor:
    sizes: Any = shape_of(values)
    lengths = get_item(sizes, slice(-rank, None))
    return fft_lengths.padded(gradient, rank, lengths, is_spectrum=False)


# --- public functions -----------------------------------------------------------------------------


def real_transform(
    op: Op, rank: int, input_tensor: Any, fft_length: Any, name: str | None
) -> Tensor:
    """A transform of real numbers, after zeros that make up for a greater length."""
    with op_scope(name, op.name.lower(), [input_tensor, fft_length]) as scope:
        values = convert_to_tensor(input_tensor, dtype_hint=dtypes.float32)
        if values.dtype not in COMPLEX_OF:
            raise ValueError(
                f"{op.name} requires tf.float32 or tf.float64 inputs, got: {input_tensor}"
            )
        fft_lengths.innermost(values, rank)
        if fft_length is None:
            lengths = fft_lengths.real_lengths(values, rank)
        else:
            lengths = fft_lengths.given_lengths(fft_length)
        values = fft_lengths.padded(values, rank, lengths, is_spectrum=False)
        lengths = fft_lengths.static_length(lengths)
        return op(values, lengths, Tcomplex=COMPLEX_OF[values.dtype], name=scope)


def inverse_real_transform(
    op: Op, rank: int, input_tensor: Any, fft_length: Any, name: str | None
) -> Tensor:
    """The real numbers behind a transform, after zeros that make up for a greater length."""
    with op_scope(name, op.name.lower(), [input_tensor, fft_length]) as scope:
        values = convert_to_tensor(input_tensor, dtype_hint=dtypes.complex64)
        if values.dtype not in REAL_OF:
            raise ValueError(
                f"{op.name} requires tf.complex64 or tf.complex128 inputs, got: {input_tensor}"
            )
        fft_lengths.innermost(values, rank)
        if fft_length is None:
            lengths = fft_lengths.inverse_real_lengths(values, rank)
        else:
            lengths = fft_lengths.given_lengths(fft_length)
        values = fft_lengths.padded(values, rank, lengths, is_spectrum=True)
        lengths = fft_lengths.static_length(lengths)
        return op(values, lengths, Treal=REAL_OF[values.dtype], name=scope)


@export("signal.rfft")
@export_v1("spectral.rfft")
def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers along the last dimension.

        y[…, k] = Σₙ x[…, n] e^(−2πi k n / N)          k = 0 … N/2

    Args:
      input_tensor: float32 or float64, `[…, M]`; cut off or filled up with zeros at the end.
      fft_length: `[N]`; M by default.
      name: of the node.
    Returns:
      Complex, `[…, N // 2 + 1]`.
    Raises:
      ValueError: the dtype is another one, or the rank is known to be 0.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.signal.rfft([1.0, 2.0, 3.0, 4.0])).round(5).tolist()
    [(10+0j), (-2+2j), (-2+0j)]
    """
    return real_transform(RFFT, 1, input_tensor, fft_length, name)


@export("signal.irfft")
@export_v1("spectral.irfft")
def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft`.

    Args:
      input_tensor: complex64 or complex128, `[…, M]`.
      fft_length: `[N]`, the count of real numbers; 2 · (M − 1) by default.
      name: of the node.
    Returns:
      Real, `[…, N]`.
    Raises:
      ValueError: the dtype is another one, or the rank is known to be 0.
    """
    return inverse_real_transform(IRFFT, 1, input_tensor, fft_length, name)


@export("signal.rfft2d")
@export_v1("spectral.rfft2d")
def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers along the last two dimensions; see `rfft`."""
    return real_transform(RFFT2D, 2, input_tensor, fft_length, name)


@export("signal.irfft2d")
@export_v1("spectral.irfft2d")
def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft2d`; see `irfft`."""
    return inverse_real_transform(IRFFT2D, 2, input_tensor, fft_length, name)


@export("signal.rfft3d")
@export_v1("spectral.rfft3d")
def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers along the last three dimensions; see `rfft`."""
    return real_transform(RFFT3D, 3, input_tensor, fft_length, name)


@export("signal.irfft3d")
@export_v1("spectral.irfft3d")
def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `rfft3d`; see `irfft`."""
    return inverse_real_transform(IRFFT3D, 3, input_tensor, fft_length, name)

"""Complex Fourier transforms of the last one, two or three dimensions: FFT … IFFT3D.

The formula and the arithmetic are in `kernels/fourier.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import fourier as kernels
from featherflow.ops.arithmetic_ops import multiply
from featherflow.ops.cast_ops import cast
from featherflow.ops.division_ops import reciprocal
from featherflow.ops.reduction_ops import reduce_prod
from featherflow.ops.shape_ops import shape
from featherflow.ops.strided_slice_ops import get_item
from featherflow.ops.type_groups import COMPLEX

REAL_PARTS = {"complex64": "float32", "complex128": "float64"}


def _define_transform(name: str, rank: int, inverse: bool) -> Op:
    op = define_op(
        name,
        inputs=("input: Tcomplex",),
        outputs=("output: Tcomplex",),
        attrs=("Tcomplex: {complex64, complex128} = complex64",),
    )

    @op.shape_fn
    def _shape(c: InferenceContext) -> TensorShape:
        return c.with_rank_at_least(0, rank)

    @op.kernel("CPU", Tcomplex=COMPLEX)
    def _cpu(input: np.ndarray) -> np.ndarray:
        axes = kernels.last_axes(input, rank)
        return kernels.complex_transform(input, input.shape[-rank:], axes, inverse)

    return op


def transform_size(values: Tensor, rank: int, dtype: Any) -> Tensor:
    """The number of elements that a transform of `rank` dimensions of `values` runs over."""
    sizes: Any = shape(values)
    return cast(reduce_prod(get_item(sizes, slice(-rank, None))), dtype)


def _forward_gradient(inverse: Op, rank: int, grad: Tensor) -> Tensor:
    return multiply(inverse(grad), transform_size(grad, rank, grad.dtype))


def _inverse_gradient(forward: Op, rank: int, grad: Tensor) -> Tensor:
    part = reciprocal(transform_size(grad, rank, REAL_PARTS[grad.dtype.name]))
    return multiply(forward(grad), cast(part, grad.dtype))


# --- FFT, IFFT ------------------------------------------------------------------------------------

FFT = _define_transform("FFT", 1, inverse=False)
IFFT = _define_transform("IFFT", 1, inverse=True)


@FFT.gradient
def _fft_grad(op: Any, grad: Tensor) -> Tensor:
    return _forward_gradient(IFFT, 1, grad)


@IFFT.gradient
def _ifft_grad(op: Any, grad: Tensor) -> Tensor:
    return _inverse_gradient(FFT, 1, grad)


@export_v1("fft", "spectral.fft")
@export("signal.fft")
def fft(input: Any, name: str | None = None) -> Tensor:
    """The Fourier transform of the last dimension.

        y[…, k] = Σₙ x[…, n] e^(−2πi k n / N)

    Args:
      input: complex64 or complex128, `[…, N]`.
      name: of the node.
    Returns:
      A tensor like `input`.
    Raises:
      ValueError: `input` is known to be a scalar.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.signal.fft([1 + 0j, 2, 3, 4])).round(5).tolist()
    [(10+0j), (-2+2j), (-2+0j), (-2-2j)]
    """
    return FFT(input, name=name)


@export_v1("ifft", "spectral.ifft")
@export("signal.ifft")
def ifft(input: Any, name: str | None = None) -> Tensor:
    """The inverse of `fft`: x[…, n] = 1/N Σₖ y[…, k] e^(+2πi k n / N).

    Args:
      input: complex64 or complex128, `[…, N]`.
      name: of the node.
    Returns:
      A tensor like `input`.
    """
    return IFFT(input, name=name)


# --- FFT2D, IFFT2D --------------------------------------------------------------------------------

FFT2D = _define_transform("FFT2D", 2, inverse=False)
IFFT2D = _define_transform("IFFT2D", 2, inverse=True)


@FFT2D.gradient
def _fft2d_grad(op: Any, grad: Tensor) -> Tensor:
    return _forward_gradient(IFFT2D, 2, grad)


@IFFT2D.gradient
def _ifft2d_grad(op: Any, grad: Tensor) -> Tensor:
    return _inverse_gradient(FFT2D, 2, grad)


@export_v1("fft2d", "spectral.fft2d")
@export("signal.fft2d")
def fft2d(input: Any, name: str | None = None) -> Tensor:
    """The Fourier transform of the last two dimensions.

    Args:
      input: complex64 or complex128, `[…, M, N]`.
      name: of the node.
    Returns:
      A tensor like `input`.
    """
    return FFT2D(input, name=name)


@export_v1("ifft2d", "spectral.ifft2d")
@export("signal.ifft2d")
def ifft2d(input: Any, name: str | None = None) -> Tensor:
    """The inverse of `fft2d`.

    Args:
      input: complex64 or complex128, `[…, M, N]`.
      name: of the node.
    Returns:
      A tensor like `input`.
    """
    return IFFT2D(input, name=name)


# --- FFT3D, IFFT3D --------------------------------------------------------------------------------

FFT3D = _define_transform("FFT3D", 3, inverse=False)
IFFT3D = _define_transform("IFFT3D", 3, inverse=True)


@FFT3D.gradient
def _fft3d_grad(op: Any, grad: Tensor) -> Tensor:
    return _forward_gradient(IFFT3D, 3, grad)


@IFFT3D.gradient
def _ifft3d_grad(op: Any, grad: Tensor) -> Tensor:
    return _inverse_gradient(FFT3D, 3, grad)


@export_v1("fft3d", "spectral.fft3d")
@export("signal.fft3d")
def fft3d(input: Any, name: str | None = None) -> Tensor:
    """The Fourier transform of the last three dimensions.

    Args:
      input: complex64 or complex128, `[…, L, M, N]`.
      name: of the node.
    Returns:
      A tensor like `input`.
    """
    return FFT3D(input, name=name)


@export_v1("ifft3d", "spectral.ifft3d")
@export("signal.ifft3d")
def ifft3d(input: Any, name: str | None = None) -> Tensor:
    """The inverse of `fft3d`.

    Args:
      input: complex64 or complex128, `[…, L, M, N]`.
      name: of the node.
    Returns:
      A tensor like `input`.
    """
    return IFFT3D(input, name=name)

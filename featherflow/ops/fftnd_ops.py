"""Fourier transforms over any dimensions: FFTND, IFFTND, RFFTND, IRFFTND and their functions.

TensorFlow has these ops without CPU kernels, and says of RFFTND and IRFFTND that they keep the
shape of their input; here the static shapes are those that the kernels return. An input is cut off,
or filled up with zeros, to the lengths of the transform.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import Dim, InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import fourier as kernels
from featherflow.ops.arithmetic_ops import multiply, subtract
from featherflow.ops.cast_ops import cast
from featherflow.ops.core_array_ops import concat
from featherflow.ops.division_ops import divide
from featherflow.ops.exponential_ops import sqrt
from featherflow.ops.fft_lengths import given_lengths
from featherflow.ops.gather_ops import gather
from featherflow.ops.reduction_ops import reduce_prod
from featherflow.ops.rfft_ops import COMPLEX_OF, REAL_OF
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.strided_slice_ops import get_item
from featherflow.ops.type_groups import COMPLEX, WIDE_FLOATS

_LENGTHS = ("fft_length: int32", "axes: int32")
_COMPLEX = "Tcomplex: {complex64, complex128} = complex64"
_REAL = "Treal: {float, double} = float"


def _shape_of(last_size: Callable[[int], int]) -> Callable[..., TensorShape]:
    def shape(c: InferenceContext) -> TensorShape:
        dims = c.with_rank_at_least(0, 1)._dims
        axes, lengths = c.constant(2), c.constant(1)
        if dims is None or axes is None:
            return UNKNOWN if dims is None else TensorShape._of((None,) * len(dims))
        sizes: list[Dim] = list(dims)
        places = [int(axis) for axis in axes.reshape(-1)]
        if not all(-len(sizes) <= axis < len(sizes) for axis in places):
            return UNKNOWN  # the kernel refuses it
        for axis in places:
            sizes[axis] = None
        if lengths is not None and lengths.shape == axes.shape and (lengths >= 0).all():
            for axis, length in zip(places, lengths.reshape(-1).tolist()):
                sizes[axis] = length
            if places:
                sizes[places[-1]] = last_size(int(lengths.reshape(-1)[-1]))
        return TensorShape._of(tuple(sizes))

    return shape


def _define(name: str, input: str, output: str, attrs: tuple[str, ...], last_size: Any) -> Op:
    op = define_op(name, inputs=(input, *_LENGTHS), outputs=(output,), attrs=attrs)
    op.shape_fn(_shape_of(last_size))
    op.without_gradient("TensorFlow gives it no gradient")
    return op


FFTND = _define("FFTND", "input: Tcomplex", "output: Tcomplex", (_COMPLEX,), int)
IFFTND = _define("IFFTND", "input: Tcomplex", "output: Tcomplex", (_COMPLEX,), int)
RFFTND = _define("RFFTND", "input: Treal", "output: Tcomplex", (_REAL, _COMPLEX), kernels.half_size)
IRFFTND = _define("IRFFTND", "input: Tcomplex", "output: Treal", (_REAL, _COMPLEX), int)


def _checked(
    input: np.ndarray, fft_length: np.ndarray, axes: np.ndarray
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    places = kernels.check_axes(axes, fft_length, input.ndim)
    return kernels.check_lengths(fft_length, len(places)), places


@FFTND.kernel("CPU", Tcomplex=COMPLEX)
def _fftnd_cpu(input: np.ndarray, fft_length: np.ndarray, axes: np.ndarray) -> np.ndarray:
    sizes, places = _checked(input, fft_length, axes)
    return kernels.complex_transform(kernels.fitted(input, places, sizes), sizes, places, False)


@IFFTND.kernel("CPU", Tcomplex=COMPLEX)
def _ifftnd_cpu(input: np.ndarray, fft_length: np.ndarray, axes: np.ndarray) -> np.ndarray:
    sizes, places = _checked(input, fft_length, axes)
    return kernels.complex_transform(kernels.fitted(input, places, sizes), sizes, places, True)


@RFFTND.kernel("CPU", Treal=WIDE_FLOATS[0], Tcomplex=COMPLEX[0])
@RFFTND.kernel("CPU", Treal=WIDE_FLOATS[1], Tcomplex=COMPLEX[1])
def _rfftnd_cpu(input: np.ndarray, fft_length: np.ndarray, axes: np.ndarray) -> np.ndarray:
    sizes, places = _checked(input, fft_length, axes)
    return kernels.real_transform(kernels.fitted(input, places, sizes), sizes, places)


@IRFFTND.kernel("CPU", Treal=WIDE_FLOATS[0], Tcomplex=COMPLEX[0])
@IRFFTND.kernel("CPU", Treal=WIDE_FLOATS[1], Tcomplex=COMPLEX[1])
def _irfftnd_cpu(input: np.ndarray, fft_length: np.ndarray, axes: np.ndarray) -> np.ndarray:
    sizes, places = _checked(input, fft_length, axes)
    needed = (*sizes[:-1], kernels.half_size(sizes[-1]))
    return kernels.inverse_real_transform(kernels.fitted(input, places, needed), sizes, places)


# --- public functions -----------------------------------------------------------------------------


def _transform(
    op: Op,
    input_tensor: Any,
    fft_length: Any,
    axes: Any,
    norm: str | None,
    name: str | None,
    input_types: Sequence[Any],
    attrs: dict[Any, dict[str, Any]],
) -> Tensor:
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f"norm must be 'backward', 'ortho' or 'forward', received {norm!r}.")
    with op_scope(name, op.name.lower(), [input_tensor, fft_length]) as scope:
        values = convert_to_tensor(input_tensor, dtype_hint=input_types[0])
        if values.dtype not in input_types:
            raise ValueError(f"{op.name} does not take {values.dtype.name}.")
        if axes is None:
            if values.shape.ndims is None:
                raise ValueError("axes must be given where the rank of the input is unknown.")
            axes = list(range(values.shape.ndims))
        places = convert_to_tensor(axes, dtypes.int32)
        if fft_length is None:
            lengths = _sizes(op, values, places)
        else:
            lengths = given_lengths(fft_length)
        extra = attrs.get(values.dtype, {})
        if norm in (None, "backward"):
            return op(values, lengths, places, **extra, name=scope)
        transformed = op(values, lengths, places, **extra)
        count = cast(reduce_prod(lengths), _real_type(values.dtype))
        factor = sqrt(count) if norm == "ortho" else count
        factor = cast(factor, transformed.dtype)
        rescale = multiply if op.name.startswith("I") else divide
        return rescale(transformed, factor, name=scope)


def _real_type(dtype: Any) -> Any:
    return REAL_OF.get(dtype, dtype)


def _sizes(op: Op, values: Tensor, axes: Tensor) -> Tensor:
    rank: Any = shape_of(shape_of(values))
    sizes = gather(shape_of(values), (axes + rank) % rank)
    if op is not IRFFTND:
        return sizes
    last = multiply(subtract(get_item(sizes, slice(-1, None)), 1), 2)
    return concat([get_item(sizes, slice(None, -1)), last], 0)


@export("signal.fftnd")
def fftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The Fourier transform over `axes`.

    Args:
      input_tensor: complex64 or complex128.
      fft_length: a length for each axis, up to which the input is cut off or filled up with
        zeros; the sizes by default.
      axes: dimensions, each once; all by default.
      norm: "backward" or None divides the inverse transform by the count N of elements, "forward"
        this one, and "ortho" both by √N.
      name: of the node.
    Returns:
      A complex tensor.
    Raises:
      ValueError: another dtype or norm.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.signal.fftnd([[1 + 0j, 2], [3, 4]])).round(5).tolist()
    [[(10+0j), (-2+0j)], [(-4+0j), 0j]]
    """
    return _transform(FFTND, input_tensor, fft_length, axes, norm, name, COMPLEX, {})


@export("signal.ifftnd")
def ifftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of `fftnd`; the arguments are the same."""
    return _transform(IFFTND, input_tensor, fft_length, axes, norm, name, COMPLEX, {})


@export("signal.rfftnd")
def rfftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """`fftnd` of real numbers: along the last axis only the N // 2 + 1 values that tell all."""
    attrs = {real: {"Tcomplex": of} for real, of in COMPLEX_OF.items()}
    return _transform(RFFTND, input_tensor, fft_length, axes, norm, name, WIDE_FLOATS, attrs)


@export("signal.irfftnd")
def irfftnd(
    input_tensor: Any,
    fft_length: Any = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of `rfftnd`; the last length is 2 · (size − 1) by default."""
    attrs = {complex_type: {"Treal": of} for complex_type, of in REAL_OF.items()}
    return _transform(IRFFTND, input_tensor, fft_length, axes, norm, name, COMPLEX, attrs)


# --- the ops under their own names ----------------------------------------------------------------


@export("fftnd")
def plain_fftnd(input: Any, fft_length: Any, axes: Any, name: str | None = None) -> Tensor:
    """`tf.signal.fftnd` with lengths and axes given, and no scaling."""
    return FFTND(input, fft_length, axes, name=name)


@export("ifftnd")
def plain_ifftnd(input: Any, fft_length: Any, axes: Any, name: str | None = None) -> Tensor:
    """`tf.signal.ifftnd` with lengths and axes given."""
    return IFFTND(input, fft_length, axes, name=name)


@export("rfftnd")
def plain_rfftnd(
    input: Any,
    fft_length: Any,
    axes: Any,
    Tcomplex: Any = dtypes.complex64,
    name: str | None = None,
) -> Tensor:
    """`tf.signal.rfftnd` with lengths and axes given, and no scaling."""
    return RFFTND(input, fft_length, axes, Tcomplex=Tcomplex, name=name)


@export("irfftnd")
def plain_irfftnd(
    input: Any,
    fft_length: Any,
    axes: Any,
    Treal: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """`tf.signal.irfftnd` with lengths and axes given."""
    return IRFFTND(input, fft_length, axes, Treal=Treal, name=name)

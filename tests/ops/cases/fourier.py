"""Rows of the Fourier transforms."""

from __future__ import annotations

import numpy as np

from featherflow.ops.fft_ops import FFT, FFT2D, FFT3D, IFFT, IFFT2D, IFFT3D
from featherflow.ops.fftnd_ops import FFTND, IFFTND, IRFFTND, RFFTND
from featherflow.ops.rfft_ops import IRFFT, IRFFT2D, IRFFT3D, RFFT, RFFT2D, RFFT3D

from ..op_case import COMPLEX, WIDE_FLOATS, Input, OpCase

COMPLEX_OF = {"float32": "complex64", "float64": "complex128"}
REAL_OF = {name: real for real, name in COMPLEX_OF.items()}


def axes(rank):
    return tuple(range(-rank, 0))


def complex_case(op, rank, transform, shape):
    def reference(x):
        return transform(x, axes=axes(rank)) if x.size else x

    return OpCase(op, (Input(*shape),), reference, COMPLEX)


def real_case(op, rank, shape, lengths, label=""):
    return OpCase(
        op,
        (Input(*shape), np.int32(lengths)),
        lambda x, s: np.fft.rfftn(x[..., : s[-1]], axes=axes(rank)),
        WIDE_FLOATS,
        attrs_of=lambda dtype: {"Tcomplex": COMPLEX_OF[dtype.name]},
        differentiable=rank < 3,
        empty_shapes=(),
        label=label,
    )


def inverse_case(op, rank, shape, lengths, label=""):
    return OpCase(
        op,
        (Input(*shape), np.int32(lengths)),
        lambda x, s: np.fft.irfftn(x, s=s, axes=axes(rank)),
        COMPLEX,
        attrs_of=lambda dtype: {"Treal": REAL_OF[dtype.name]},
        differentiable=rank < 3,
        empty_shapes=(),
        label=label,
    )


def nd_case(op, transform, dtypes, lengths, places, attrs_of=None):
    return OpCase(
        op,
        (Input(2, 3, 4), np.int32(lengths), np.int32(places)),
        lambda x, s, where: transform(x, s=s, axes=where),
        dtypes,
        attrs_of=attrs_of,
        differentiable=False,
        empty_shapes=(),
    )


CASES = [
    complex_case(FFT, 1, np.fft.fftn, (2, 5)),
    complex_case(IFFT, 1, np.fft.ifftn, (2, 6)),
    complex_case(FFT2D, 2, np.fft.fftn, (2, 3, 4)),
    complex_case(IFFT2D, 2, np.fft.ifftn, (2, 3, 4)),
    complex_case(FFT3D, 3, np.fft.fftn, (2, 2, 3)),
    complex_case(IFFT3D, 3, np.fft.ifftn, (2, 2, 3)),
    real_case(RFFT, 1, (2, 6), [6]),
    real_case(RFFT, 1, (2, 6), [5], "cut_off"),
    real_case(RFFT2D, 2, (2, 3, 4), [3, 4]),
    real_case(RFFT2D, 2, (2, 3, 4), [3, 3], "cut_off"),
    real_case(RFFT3D, 3, (2, 3, 4), [2, 3, 4]),
    inverse_case(IRFFT, 1, (2, 4), [6]),
    inverse_case(IRFFT, 1, (2, 4), [5], "cut_off"),
    inverse_case(IRFFT2D, 2, (2, 3, 3), [3, 4]),
    inverse_case(IRFFT2D, 2, (3, 3), [2, 5], "cut_off"),
    inverse_case(IRFFT3D, 3, (2, 3, 3), [2, 3, 4]),
    nd_case(FFTND, np.fft.fftn, COMPLEX, [2, 5], [0, 2]),
    nd_case(IFFTND, np.fft.ifftn, COMPLEX, [3, 2], [-1, 0]),
    nd_case(
        RFFTND,
        np.fft.rfftn,
        WIDE_FLOATS,
        [2, 5],
        [2, 1],
        lambda dtype: {"Tcomplex": COMPLEX_OF[dtype.name]},
    ),
    nd_case(
        IRFFTND,
        np.fft.irfftn,
        COMPLEX,
        [2, 6],
        [0, 2],
        lambda dtype: {"Treal": REAL_OF[dtype.name]},
    ),
]

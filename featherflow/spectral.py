# ruff: noqa
"""tf.spectral: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.dct_ops import dct as dct
    from featherflow.ops.dct_ops import idct as idct
    from featherflow.ops.fft_ops import fft as fft
    from featherflow.ops.fft_ops import fft2d as fft2d
    from featherflow.ops.fft_ops import fft3d as fft3d
    from featherflow.ops.fft_ops import ifft as ifft
    from featherflow.ops.fft_ops import ifft2d as ifft2d
    from featherflow.ops.fft_ops import ifft3d as ifft3d
    from featherflow.ops.rfft_ops import irfft as irfft
    from featherflow.ops.rfft_ops import irfft2d as irfft2d
    from featherflow.ops.rfft_ops import irfft3d as irfft3d
    from featherflow.ops.rfft_ops import rfft as rfft
    from featherflow.ops.rfft_ops import rfft2d as rfft2d
    from featherflow.ops.rfft_ops import rfft3d as rfft3d

__getattr__, __dir__ = lazy_namespace("spectral", globals())

# ruff: noqa
"""tf.signal: re-exports only; each name is defined where its import points.

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
    from featherflow.ops.fft_shift_ops import fftshift as fftshift
    from featherflow.ops.fft_shift_ops import ifftshift as ifftshift
    from featherflow.ops.fftnd_ops import fftnd as fftnd
    from featherflow.ops.fftnd_ops import ifftnd as ifftnd
    from featherflow.ops.fftnd_ops import irfftnd as irfftnd
    from featherflow.ops.fftnd_ops import rfftnd as rfftnd
    from featherflow.ops.framing_ops import frame as frame
    from featherflow.ops.framing_ops import overlap_and_add as overlap_and_add
    from featherflow.ops.mel_ops import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
    from featherflow.ops.mel_ops import (
        mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms,
    )
    from featherflow.ops.rfft_ops import irfft as irfft
    from featherflow.ops.rfft_ops import irfft2d as irfft2d
    from featherflow.ops.rfft_ops import irfft3d as irfft3d
    from featherflow.ops.rfft_ops import rfft as rfft
    from featherflow.ops.rfft_ops import rfft2d as rfft2d
    from featherflow.ops.rfft_ops import rfft3d as rfft3d
    from featherflow.ops.signal_windows import hamming_window as hamming_window
    from featherflow.ops.signal_windows import hann_window as hann_window
    from featherflow.ops.signal_windows import (
        kaiser_bessel_derived_window as kaiser_bessel_derived_window,
    )
    from featherflow.ops.signal_windows import kaiser_window as kaiser_window
    from featherflow.ops.signal_windows import vorbis_window as vorbis_window
    from featherflow.ops.spectral_ops import inverse_mdct as inverse_mdct
    from featherflow.ops.spectral_ops import inverse_stft as inverse_stft
    from featherflow.ops.spectral_ops import inverse_stft_window_fn as inverse_stft_window_fn
    from featherflow.ops.spectral_ops import mdct as mdct
    from featherflow.ops.spectral_ops import stft as stft

__getattr__, __dir__ = lazy_namespace("signal", globals())

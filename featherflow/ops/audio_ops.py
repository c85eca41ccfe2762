"""Sound: DecodeWav and EncodeWav, spectrograms and cepstral coefficients.

The arithmetic is in `kernels/wav.py` and `kernels/spectrograms.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, scalar_shape
from featherflow.framework.tensor_shape import SCALAR, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import spectrograms, wav
from featherflow.kernels.allocation import check_allocation
from featherflow.kernels.recurrent_shapes import check_ranks

_UNSIGNED_LIMIT = 1 << 32

# --- AudioSpectrogram -----------------------------------------------------------------------------

AudioSpectrogram = define_op(
    "AudioSpectrogram",
    inputs=("input: float",),
    outputs=("spectrogram: float",),
    attrs=("window_size: int", "stride: int", "magnitude_squared: bool = false"),
)


@AudioSpectrogram.shape_fn
def _audio_spectrogram_shape(c: InferenceContext) -> TensorShape:
    samples, channels = c.dims(0, 2)
    window_size, stride = c.attrs["window_size"], c.attrs["stride"]
    if window_size <= 1:
        c.fail("window size must be > 1", received=window_size)
    if stride <= 0:
        c.fail("stride must be strictly positive", received=stride)
    count = None if samples is None else max(0, 1 + (samples - window_size) // stride)
    return TensorShape._of((channels, count, spectrograms.spectrum_size(window_size)))


@AudioSpectrogram.kernel("CPU")
def _audio_spectrogram_cpu(
    input: np.ndarray, *, window_size: int, stride: int, magnitude_squared: bool
) -> np.ndarray:
    check_ranks({"input": (input, 2)})
    return spectrograms.spectrogram(input, window_size, stride, magnitude_squared)


AudioSpectrogram.without_gradient("TensorFlow gives it no gradient")

# --- Mfcc -----------------------------------------------------------------------------------------

Mfcc = define_op(
    "Mfcc",
    inputs=("spectrogram: float", "sample_rate: int32"),
    outputs=("output: float",),
    attrs=(
        "upper_frequency_limit: float = 4000.0",
        "lower_frequency_limit: float = 20.0",
        "filterbank_channel_count: int = 40",
        "dct_coefficient_count: int = 13",
    ),
)


@Mfcc.shape_fn
def _mfcc_shape(c: InferenceContext) -> TensorShape:
    channels, count, _ = c.dims(0, 3)
    c.with_rank(1, 0)
    coefficients = c.attrs["dct_coefficient_count"]
    return TensorShape._of((channels, count, coefficients if coefficients >= 0 else None))


@Mfcc.kernel("CPU")
def _mfcc_cpu(
    spectrogram: np.ndarray,
    sample_rate: np.ndarray,
    *,
    upper_frequency_limit: float,
    lower_frequency_limit: float,
    filterbank_channel_count: int,
    dct_coefficient_count: int,
) -> np.ndarray:
    check_ranks({"spectrogram": (spectrogram, 3), "sample_rate": (sample_rate, 0)})
    scale = spectrograms.MelScale(
        int(sample_rate), lower_frequency_limit, upper_frequency_limit, filterbank_channel_count
    )
    return spectrograms.mfcc(spectrogram, scale, dct_coefficient_count)


Mfcc.without_gradient("TensorFlow gives it no gradient")

# --- DecodeWav ------------------------------------------------------------------------------------

DecodeWav = define_op(
    "DecodeWav",
    inputs=("contents: string",),
    outputs=("audio: float", "sample_rate: int32"),
    attrs=("desired_channels: int = -1", "desired_samples: int = -1"),
)


@DecodeWav.shape_fn
def _decode_wav_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(0, 0)
    sizes = []
    for name in ("samples", "channels"):
        desired = c.attrs[f"desired_{name}"]
        if desired < -1:
            c.fail(f"{name} must be non-negative", received=desired)
        sizes.append(None if desired == -1 else desired)
    return [TensorShape._of(tuple(sizes)), SCALAR]


@DecodeWav.kernel("CPU")
def _decode_wav_cpu(
    contents: np.ndarray, *, desired_channels: int, desired_samples: int
) -> tuple[np.ndarray, np.ndarray]:
    check_ranks({"contents": (contents, 0)})
    sound = wav.decode_wav(contents.item())
    samples = sound.samples
    size = (
        max(desired_samples, 0) or len(samples),
        max(desired_channels, 0) or samples.shape[1],
    )
    check_allocation(size, samples.dtype)
    fitted = wav.fit_sound(samples, desired_channels, desired_samples)
    return fitted, np.array(sound.sample_rate, np.uint32).astype(np.int32)


DecodeWav.without_gradient("it reads bytes")


@export("audio.decode_wav")
def decode_wav(
    contents: Any, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> Any:
    """The samples of a WAV file of 16 bits.

    Args:
      contents: a string scalar, the file's bytes.
      desired_channels: how many channels to return, further ones copies of the last; −1 takes what
        there are.
      desired_samples: how many samples of each, further ones 0; −1 takes what there are.
      name: of the node.
    Returns:
      A tuple `audio`, float32 `[samples, channels]` from −1 to 1, and `sample_rate`, an int32
      scalar.
    Raises:
      InvalidArgumentError: it is not a WAV file, or its samples are not of 16 bits.

    >>> import featherflow as tf
    >>> sound = tf.audio.decode_wav(tf.audio.encode_wav([[0.5], [-0.25]], 8000))
    >>> with tf.Session() as sess:
    ...     audio, rate = sess.run([sound.audio, sound.sample_rate])
    >>> audio.tolist(), int(rate)
    ([[0.5], [-0.25]], 8000)
    """
    return DecodeWav(
        contents, desired_channels=desired_channels, desired_samples=desired_samples, name=name
    )


# --- EncodeWav ------------------------------------------------------------------------------------

EncodeWav = define_op(
    "EncodeWav", inputs=("audio: float", "sample_rate: int32"), outputs=("contents: string",)
)


@EncodeWav.shape_fn
def _encode_wav_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(0, 2)
    c.with_rank(1, 0)
    return scalar_shape(c)


@EncodeWav.kernel("CPU")
def _encode_wav_cpu(audio: np.ndarray, sample_rate: np.ndarray) -> np.ndarray:
    check_ranks({"audio": (audio, 2), "sample_rate": (sample_rate, 0)})
    rate, channels = int(sample_rate), audio.shape[1]
    if rate <= 0:
        raise InvalidArgumentError(None, None, "sample_rate must be positive", received=rate)
    if not 0 < channels < 1 << 15 or audio.size * 2 + 36 >= _UNSIGNED_LIMIT:
        raise InvalidArgumentError(
            None,
            None,
            "A WAV file holds at least one channel, and less than 4 GiB",
            received=f"shape {list(audio.shape)}",
        )
    return np.array(wav.encode_wav(audio, rate), object)


EncodeWav.without_gradient("it writes bytes")


@export("audio.encode_wav")
def encode_wav(audio: Any, sample_rate: Any, name: str | None = None) -> Tensor:
    """A WAV file of 16-bit samples.

    Args:
      audio: float32 `[samples, channels]`; what is beyond −1 and 1 is cut off.
      sample_rate: an int32 scalar, samples a second.
      name: of the node.
    Returns:
      A string scalar.
    Raises:
      InvalidArgumentError: there are no channels, or the rate is not positive.
    """
    return EncodeWav(audio, sample_rate, name=name)

"""WAV files, spectrograms and cepstral coefficients, and the graph of a speech recogniser."""

from __future__ import annotations

import struct

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import normal, uniform

SPECTRA = {"tolerance": 1e-5, "reason": "another factorisation of the transform rounds otherwise"}
CEPSTRA = {"tolerance": 1e-4, "reason": "logarithms of sums that round otherwise"}


def wav(samples, channels=1, rate=8000, **changes):
    """A file of 16-bit `samples`; `changes` make it a wrong one."""
    data = changes.get("data", struct.pack(f"<{len(samples)}h", *samples))
    per_sample = changes.get("per_sample", 2 * channels)
    form = struct.pack(
        "<HHIIHH",
        changes.get("kind", 1),
        channels,
        rate,
        changes.get("per_second", rate * per_sample),
        per_sample,
        changes.get("bits", 16),
    ) + changes.get("more_format", b"")
    body = changes.get("wave", b"WAVE") + b"fmt "
    body += struct.pack("<I", changes.get("format_size", len(form))) + form
    body += changes.get("chunk", b"") + changes.get("name", b"data")
    body += struct.pack("<I", changes.get("data_size", len(data))) + data
    contents = changes.get("riff", b"RIFF") + struct.pack("<I", len(body)) + body
    return contents[: len(contents) - changes.get("cut", 0)] + changes.get("behind", b"")


SAMPLES = [0, 1000, -1000, 32767, -32768, 5]
FILES = {
    "mono": wav(SAMPLES),
    "stereo": wav(SAMPLES, channels=2),
    "three_channels": wav(SAMPLES, channels=3, rate=44100),
    "longer_format": wav(SAMPLES, more_format=b"\0\0"),
    "other_chunk": wav(SAMPLES, chunk=b"LIST" + struct.pack("<I", 4) + b"abcd"),
    "bytes_behind": wav(SAMPLES, behind=b"junkjunk"),
    "no_samples": wav([]),
    "rate_of_0": wav(SAMPLES, rate=0),
}
DESIRED = ((-1, -1), (1, -1), (2, 4), (3, 9), (0, 0), (-1, 2), (-1, 20))


def _register_files():
    for label, contents in FILES.items():

        @case(f"decode_{label}")
        def decode(tf, contents=contents):
            made = [
                tf.audio.decode_wav(contents, desired_channels=channels, desired_samples=count)
                for channels, count in DESIRED
            ]
            return [[list(sound) for sound in made], [str(sound.audio.shape) for sound in made]]

    for channels in (1, 2, 5):

        @case(f"encode_{channels}")
        def encode(tf, channels=channels):
            audio = uniform(-1.2, 1.2, (7, channels))
            contents = tf.audio.encode_wav(audio, 16000)
            sound = tf.audio.decode_wav(contents)
            return [contents, list(sound), tf.audio.encode_wav(audio[:0], 1)]


_register_files()


@case
def encoded_halves(tf):
    values = np.float32([np.nan, np.inf, -np.inf, 1, -1, 0.5, -0.0])
    ticks = np.float32([0.5, -0.5, 1.5, -1.5, 2.5, 0.49, -0.49, 32766.5, 32767.5, -32768.5]) / 32768
    return tf.audio.encode_wav(np.concatenate([values, ticks])[:, np.newaxis], 8000)


def spectrogram(tf, sound, window_size, stride, squared=False):
    return tf.raw_ops.AudioSpectrogram(
        input=sound, window_size=window_size, stride=stride, magnitude_squared=squared
    )


def _register_spectra():
    for window_size, stride in ((2, 1), (3, 2), (16, 8), (20, 7), (33, 50), (64, 1)):
        for squared in (False, True):

            @case(f"spectrogram_{window_size}_{stride}_{squared}")
            def spectra(tf, window_size=window_size, stride=stride, squared=squared):
                sound = tf.constant(normal(60, 2))
                values = spectrogram(tf, sound, window_size, stride, squared)
                return Case([values, str(values.shape)], **SPECTRA)

    settings = {
        "default": {},
        "few_bands": {"filterbank_channel_count": 6, "dct_coefficient_count": 6},
        "from_zero": {"lower_frequency_limit": 0.0, "dct_coefficient_count": 4},
        "narrow": {
            "lower_frequency_limit": 300.0,
            "upper_frequency_limit": 1200.0,
            "filterbank_channel_count": 8,
            "dct_coefficient_count": 5,
        },
        "beyond_the_spectrum": {"upper_frequency_limit": 9000.0},
        "many_bands": {"filterbank_channel_count": 200, "dct_coefficient_count": 20},
    }
    for label, attrs in settings.items():
        for rate in (8000, 16000, 44100):

            @case(f"mfcc_{label}_{rate}")
            def cepstra(tf, attrs=attrs, rate=rate):
                spectra = tf.constant(np.square(normal(2, 3, 65)))
                values = tf.raw_ops.Mfcc(spectrogram=spectra, sample_rate=rate, **attrs)
                return Case([values, str(values.shape)], **CEPSTRA)


_register_spectra()


@case
def empty_spectra(tf):
    sound = normal(30, 2)
    return [
        spectrogram(tf, sound[:5], 8, 2),
        spectrogram(tf, sound[:0], 8, 2),
        spectrogram(tf, sound[:, :0], 8, 2),
        tf.raw_ops.Mfcc(spectrogram=tf.zeros([0, 2, 9]), sample_rate=8000),
        tf.raw_ops.Mfcc(spectrogram=tf.zeros([2, 0, 9]), sample_rate=8000),
    ]


@case
def silence(tf):
    zeros = tf.raw_ops.Mfcc(spectrogram=tf.zeros([1, 2, 65]), sample_rate=16000)
    return Case(zeros, **CEPSTRA)


@case
def speech_recogniser(tf):
    contents = tf.placeholder(tf.string, [])
    sound = tf.audio.decode_wav(contents, desired_channels=1, desired_samples=1600)
    spectra = spectrogram(tf, sound.audio, 480, 160, True)
    cepstra = tf.raw_ops.Mfcc(
        spectrogram=spectra, sample_rate=sound.sample_rate, dct_coefficient_count=20
    )
    images = tf.reshape(cepstra, [-1, 8, 20, 1]) * 0.02
    convolved = tf.nn.conv2d(images, normal(3, 4, 1, 4) * 0.1, [1, 1, 1, 1], "SAME")
    features = tf.nn.relu(tf.nn.bias_add(convolved, [0.1, 0.2, 0.3, 0.4]))
    pooled = tf.nn.max_pool(features, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    flat = tf.reshape(pooled, [-1, 4 * 10 * 4])
    labels = tf.nn.softmax(tf.matmul(flat, normal(160, 3, seed=1) * 0.1))
    tone = (np.sin(np.arange(1500) * 0.3) * 9000).astype(int).tolist()
    return Case([cepstra, labels], {contents: wav(tone, rate=16000)}, **CEPSTRA)


@case
def static_shapes(tf):
    unknown, contents = tf.placeholder(tf.float32), tf.placeholder(tf.string)
    made = [
        spectrogram(tf, tf.placeholder(tf.float32, [100, 2]), 20, 10),
        spectrogram(tf, tf.placeholder(tf.float32, [None, 2]), 32, 10),
        spectrogram(tf, tf.placeholder(tf.float32, [10, 2]), 20, 10),
        spectrogram(tf, unknown, 20, 10),
        tf.raw_ops.Mfcc(spectrogram=unknown, sample_rate=8000, dct_coefficient_count=5),
        tf.raw_ops.Mfcc(spectrogram=tf.placeholder(tf.float32, [2, None, 9]), sample_rate=8000),
        *tf.audio.decode_wav(contents),
        *tf.audio.decode_wav(contents, desired_channels=2, desired_samples=5),
        tf.audio.encode_wav(unknown, 8000),
    ]
    return [[str(t.shape) for t in made], [t.name for t in made]]


def _fed(tf, value, dtype=None):
    return tf.placeholder_with_default(tf.constant(value, dtype), None)


def _decoded(*arguments, **changes):
    return lambda tf: list(tf.audio.decode_wav(wav(*arguments, **changes)))


def _mfcc(shape=(1, 2, 17), rate=8000, **attrs):
    def program(tf):
        values = _fed(tf, np.ones(shape, np.float32))
        return tf.raw_ops.Mfcc(spectrogram=values, sample_rate=_fed(tf, rate, tf.int32), **attrs)

    return program


error_cases(
    not_riff=_decoded(SAMPLES, riff=b"RIFX"),
    not_wave=_decoded(SAMPLES, wave=b"WAVX"),
    samples_of_8_bits=_decoded(SAMPLES, bits=8),
    samples_of_floats=_decoded(SAMPLES, kind=3),
    no_channels=_decoded(SAMPLES, channels=0),
    sample_bytes=_decoded(SAMPLES, per_sample=3),
    second_bytes=_decoded(SAMPLES, per_second=7),
    format_too_short=_decoded(SAMPLES, format_size=14),
    format_too_long=_decoded(SAMPLES, more_format=b"\0" * 24),
    no_data_chunk=_decoded(SAMPLES, name=b"date"),
    two_data_chunks=_decoded(SAMPLES, chunk=b"data" + struct.pack("<I", 2) + b"\1\2"),
    data_cut_off=_decoded(SAMPLES, cut=1),
    odd_bytes=_decoded(SAMPLES, data=b"\1\2\3"),
    nothing_to_decode=lambda tf: list(tf.audio.decode_wav("")),
    contents_not_a_scalar=lambda tf: list(tf.audio.decode_wav([FILES["mono"]])),
    fed_contents_not_a_scalar=lambda tf: list(tf.audio.decode_wav(_fed(tf, [FILES["mono"]]))),
    negative_channels=lambda tf: list(tf.audio.decode_wav(FILES["mono"], desired_channels=-2)),
    negative_samples=lambda tf: list(tf.audio.decode_wav(FILES["mono"], desired_samples=-2)),
    encoded_rate_of_0=lambda tf: tf.audio.encode_wav(normal(3, 2), 0),
    encoded_negative_rate=lambda tf: tf.audio.encode_wav(normal(3, 2), -5),
    encoded_vector=lambda tf: tf.audio.encode_wav(normal(3), 8000),
    encoded_fed_vector=lambda tf: tf.audio.encode_wav(_fed(tf, normal(3)), 8000),
    encoded_without_channels=lambda tf: tf.audio.encode_wav(normal(3, 0), 8000),
    encoded_rate_not_a_scalar=lambda tf: tf.audio.encode_wav(normal(3, 2), _fed(tf, [8000])),
    window_of_1=lambda tf: spectrogram(tf, normal(9, 2), 1, 1),
    stride_of_0=lambda tf: spectrogram(tf, normal(9, 2), 4, 0),
    sound_not_a_matrix=lambda tf: spectrogram(tf, normal(9), 4, 1),
    fed_sound_not_a_matrix=lambda tf: spectrogram(tf, _fed(tf, normal(9)), 4, 1),
    mfcc_of_rank_2=_mfcc((2, 17)),
    mfcc_of_one_bin=_mfcc((1, 2, 1)),
    mfcc_without_rate=_mfcc(rate=0),
    mfcc_of_negative_rate=_mfcc(rate=-1),
    mfcc_rate_not_a_scalar=_mfcc(rate=[8000]),
    mfcc_limits_in_disorder=_mfcc(upper_frequency_limit=10.0),
    mfcc_negative_limit=_mfcc(lower_frequency_limit=-1.0),
    mfcc_without_bands=_mfcc(filterbank_channel_count=0),
    mfcc_without_coefficients=_mfcc(dct_coefficient_count=0),
    mfcc_of_more_coefficients_than_bands=_mfcc(dct_coefficient_count=50),
)

"""Rows of sound: WAV files, spectrograms and cepstral coefficients."""

from __future__ import annotations

import struct

import numpy as np

from featherflow.ops.audio_ops import AudioSpectrogram, DecodeWav, EncodeWav, Mfcc

from ..op_case import Input, OpCase

SAMPLES = np.int16([[0, 16384], [-16384, 32767], [5, -5]])
FILE = (
    b"RIFF"
    + struct.pack("<I", 36 + SAMPLES.nbytes)
    + b"WAVEfmt "
    + struct.pack("<IHHIIHH", 16, 1, 2, 8000, 32000, 4, 16)
    + b"data"
    + struct.pack("<I", SAMPLES.nbytes)
    + SAMPLES.tobytes()
)


def spectrogram(x):
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(6) / 6)
    frames = [x[start : start + 6].T * window for start in range(0, len(x) - 5, 3)]
    if not frames:
        return np.zeros((x.shape[1], 0, 5))
    return np.abs(np.fft.rfft(np.stack(frames, 1), 8))


def mfcc(spectrum, sample_rate, bands=6, coefficients=4, lower=20.0, upper=4000.0):
    def mel(hertz):
        return 1127 * np.log1p(hertz / 700)

    bins = spectrum.shape[-1]
    width = sample_rate / 2 / (bins - 1)
    edges = np.linspace(mel(lower), mel(upper), bands + 2)
    energies = np.zeros((*spectrum.shape[:-1], bands))
    for place in range(int(1.5 + lower / width), int(upper / width) + 1):
        at = mel(place * width)
        for band in range(bands):
            rise = (at - edges[band]) / (edges[band + 1] - edges[band])
            fall = (edges[band + 2] - at) / (edges[band + 2] - edges[band + 1])
            energies[..., band] += max(0, min(rise, fall)) * np.sqrt(spectrum[..., place])
    logs = np.log(np.maximum(energies, 1e-12))
    angles = np.pi / bands * np.outer(np.arange(bands) + 0.5, np.arange(coefficients))
    return logs @ (np.sqrt(2 / bands) * np.cos(angles))


CASES = [
    OpCase(
        AudioSpectrogram,
        (Input(20, 2),),
        spectrogram,
        ("float32",),
        attrs={"window_size": 6, "stride": 3},
        differentiable=False,
    ),
    OpCase(
        Mfcc,
        (Input(2, 3, 33, low=0.1, high=2.0), np.int32(8000)),
        mfcc,
        ("float32",),
        attrs={"filterbank_channel_count": 6, "dct_coefficient_count": 4},
        differentiable=False,
        empty_shapes=((0, 3, 33),),
    ),
    OpCase(
        DecodeWav,
        (np.array(FILE, object),),
        lambda _: (SAMPLES / 32768, np.int32(8000)),
        ("float32",),
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        EncodeWav,
        (np.float32(SAMPLES / 32768), np.int32(8000)),
        lambda *_: np.array(FILE, object),
        ("float32",),
        differentiable=False,
        empty_shapes=(),
    ),
]

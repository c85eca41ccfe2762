"""Fourier transforms, sound, connectionist temporal classification and fused recurrent steps."""

from __future__ import annotations

from ..static_shapes import Given, Row, Value

_LABELS = {
    "labels_indices": Given((3, 2), "int64"),
    "labels_values": Given((3,), "int32"),
    "sequence_length": Given((2,), "int32"),
}
_LOGITS = {"inputs": Given((5, 2, 4)), "sequence_length": Given((2,), "int32")}
_STEP = {
    "x": Given((2, 4)),
    "cs_prev": Given((2, 5)),
    "h_prev": Given((2, 5)),
    "w": Given((9, 20)),
    "wci": Given((5,)),
    "wcf": Given((5,)),
    "wco": Given((5,)),
    "b": Given((20,)),
}
_SEQUENCE = {"seq_len_max": Given((), "int64"), **_STEP, "x": Given((3, 2, 4))}
_GRU = {
    "x": Given((2, 4)),
    "h_prev": Given((2, 5)),
    "w_ru": Given((9, 10)),
    "w_c": Given((9, 5)),
    "b_ru": Given((10,)),
    "b_c": Given((5,)),
}


def _states(names, *dims):
    return {name: Given(dims) for name in names}


def _transforms():
    for rank, suffix in ((1, ""), (2, "2D"), (3, "3D")):
        dims = (2, 3, 4, 5)[3 - rank :]
        for name in ("FFT", "IFFT"):
            yield Row(name + suffix, {"input": Given(dims, "complex64")})
        for lengths in ((4,) * rank, (3,) * rank, (0,) * rank):
            yield Row("RFFT" + suffix, {"input": Given(dims), "fft_length": Value(list(lengths))})
            spectrum = Given(dims, "complex64")
            yield Row("IRFFT" + suffix, {"input": spectrum, "fft_length": Value(list(lengths))})


_SEQUENCE_STATES = ("i", "cs", "f", "o", "ci", "co", "h", "cs_grad", "h_grad")
_STEP_STATES = ("i", "cs", "f", "o", "ci", "co", "cs_grad", "h_grad")

ROWS = [
    *_transforms(),
    Row("AudioSpectrogram", {"input": Given((100, 2))}, {"window_size": 20, "stride": 10}),
    Row("AudioSpectrogram", {"input": Given((10, 2))}, {"window_size": 20, "stride": 10}),
    Row("Mfcc", {"spectrogram": Given((2, 9, 17)), "sample_rate": Given((), "int32")}),
    Row("DecodeWav", {"contents": Given((), "string")}),
    Row(
        "DecodeWav",
        {"contents": Given((), "string")},
        {"desired_channels": 2, "desired_samples": 5},
    ),
    Row("EncodeWav", {"audio": Given((5, 2)), "sample_rate": Given((), "int32")}),
    Row("CTCLoss", {"inputs": Given((5, 2, 4)), **_LABELS}),
    Row("CTCLossV2", {"inputs": Given((5, 2, 4)), **_LABELS}),
    Row("CTCGreedyDecoder", _LOGITS),
    Row("CTCBeamSearchDecoder", _LOGITS, {"beam_width": 3, "top_paths": 2}),
    Row("LSTMBlockCell", _STEP),
    Row(
        "LSTMBlockCellGrad",
        {**_STEP, **_states(_STEP_STATES, 2, 5)},
        {"use_peephole": False},
    ),
    *(Row(name, _SEQUENCE) for name in ("BlockLSTM", "BlockLSTMV2")),
    *(
        Row(name, {**_SEQUENCE, **_states(_SEQUENCE_STATES, 3, 2, 5)}, {"use_peephole": False})
        for name in ("BlockLSTMGrad", "BlockLSTMGradV2")
    ),
    Row("GRUBlockCell", _GRU),
    Row("GRUBlockCellGrad", {**_GRU, **_states(("r", "u", "c", "d_h"), 2, 5)}),
]

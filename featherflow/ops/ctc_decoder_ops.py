"""Decoders of connectionist temporal classification: the best path, and beam search.

The arithmetic is in `kernels/ctc_decoding.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.kernels import ctc_decoding as kernels
from featherflow.kernels.ctc_labels import check_lengths, check_logits
from featherflow.ops.type_groups import WIDE_FLOATS

_INPUTS = ("inputs: T", "sequence_length: int32")
_T = "T: {float, double} = float"
_INDICES, _VALUES, _SHAPE = (TensorShape._of(dims) for dims in ((None, 2), (None,), (2,)))


def _batch(c: InferenceContext) -> int | None:
    return c.merge_dim(c.dims(0, 3)[1], c.dims(1, 1)[0])


# --- CTCGreedyDecoder -----------------------------------------------------------------------------

CTCGreedyDecoder = define_op(
    "CTCGreedyDecoder",
    inputs=_INPUTS,
    outputs=(
        "decoded_indices: int64",
        "decoded_values: int64",
        "decoded_shape: int64",
        "log_probability: T",
    ),
    attrs=("merge_repeated: bool = false", "blank_index: int = -1", _T),
)


@CTCGreedyDecoder.shape_fn
def _ctc_greedy_decoder_shape(c: InferenceContext) -> list[TensorShape]:
    return [_INDICES, _VALUES, _SHAPE, TensorShape._of((_batch(c), 1))]


@CTCGreedyDecoder.kernel("CPU", T=WIDE_FLOATS)
def _ctc_greedy_decoder_cpu(
    inputs: np.ndarray, sequence_length: np.ndarray, *, merge_repeated: bool, blank_index: int
) -> tuple[np.ndarray, ...]:
    check_logits(inputs, sequence_length, "inputs is not a 3-Tensor")
    check_lengths(inputs, sequence_length)
    classes = inputs.shape[2]
    blank = blank_index + classes if blank_index < 0 else blank_index
    if not 0 <= blank < classes:
        raise InvalidArgumentError(
            None,
            None,
            "blank_index is not a class",
            received=blank_index,
            expected=f"{-classes} to {classes - 1}",
        )
    sequences, scores = kernels.decode_best_path(inputs, sequence_length, blank, merge_repeated)
    return *kernels.sparse_parts(sequences), scores


CTCGreedyDecoder.not_differentiable("it picks labels")


@export("nn.ctc_greedy_decoder")
def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: int | None = None
) -> tuple[list[SparseTensor], Tensor]:
    """The labels along the most likely path: the best class at each time, without blanks.

    Args:
      inputs: logits, float32 or float64, `[time, batch, num_classes]`.
      sequence_length: int32 `[batch]`.
      merge_repeated: whether repeated classes are merged.
      blank_index: class that is the blank; negative ones count from the last, the default.
    Returns:
      A list of one int64 SparseTensor `[batch, longest]`, and minus the sums of the logits along
      the path, `[batch, 1]`.

    >>> import featherflow as tf
    >>> logits = tf.one_hot([[0], [0], [2], [1]], 3)
    >>> (decoded,), _ = tf.nn.ctc_greedy_decoder(logits, [4])
    >>> with tf.Session() as sess:
    ...     sess.run(decoded.values).tolist()
    [0, 1]
    """
    outputs = CTCGreedyDecoder(
        inputs,
        sequence_length,
        merge_repeated=merge_repeated,
        blank_index=-1 if blank_index is None else blank_index,
    )
    indices, values, shape, scores = outputs
    return [SparseTensor(indices, values, shape)], scores


# --- CTCBeamSearchDecoder -------------------------------------------------------------------------

CTCBeamSearchDecoder = define_op(
    "CTCBeamSearchDecoder",
    inputs=_INPUTS,
    outputs=(
        "decoded_indices: top_paths * int64",
        "decoded_values: top_paths * int64",
        "decoded_shape: top_paths * int64",
        "log_probability: T",
    ),
    attrs=("beam_width: int >= 1", "top_paths: int >= 1", "merge_repeated: bool = true", _T),
)


@CTCBeamSearchDecoder.shape_fn
def _ctc_beam_search_decoder_shape(c: InferenceContext) -> list[TensorShape]:
    count = c.attrs["top_paths"]
    scores = TensorShape._of((_batch(c), count))
    return [*[_INDICES] * count, *[_VALUES] * count, *[_SHAPE] * count, scores]


@CTCBeamSearchDecoder.kernel("CPU", T=WIDE_FLOATS)
def _ctc_beam_search_decoder_cpu(
    inputs: np.ndarray,
    sequence_length: np.ndarray,
    *,
    beam_width: int,
    top_paths: int,
    merge_repeated: bool,
) -> tuple[np.ndarray, ...]:
    check_logits(inputs, sequence_length, "inputs is not a 3-Tensor")
    check_lengths(inputs, sequence_length)
    if top_paths > beam_width or not inputs.shape[2]:
        raise InvalidArgumentError(
            None,
            None,
            "The beam must be as wide as top_paths, and there must be a class",
            received=f"beam_width {beam_width}, top_paths {top_paths}, {inputs.shape[2]} classes",
        )
    ranks, scores = kernels.decode_beams(inputs, sequence_length, beam_width, top_paths)
    if merge_repeated:
        ranks = [[kernels.merged(sequence) for sequence in sequences] for sequences in ranks]
    parts = [kernels.sparse_parts(sequences) for sequences in ranks]
    return *(part for kind in zip(*parts) for part in kind), scores


CTCBeamSearchDecoder.not_differentiable("it picks labels")


@export_v1("nn.ctc_beam_search_decoder")
def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> tuple[list[SparseTensor], Tensor]:
    """The most likely label sequences that a beam search finds; the blank is the last class.

    Args:
      inputs: logits, float32 or float64, `[time, batch, num_classes]`.
      sequence_length: int32 `[batch]`.
      beam_width: how many sequences are followed.
      top_paths: how many are returned.
      merge_repeated: whether equal neighbours in the results are made one, also those that the
        paths have a blank between.
    Returns:
      A list of `top_paths` int64 SparseTensors `[batch, longest]`, the most likely first, and their
      log-probabilities, `[batch, top_paths]`.
    """
    *parts, scores = _flat(
        CTCBeamSearchDecoder(
            inputs,
            sequence_length,
            beam_width=beam_width,
            top_paths=top_paths,
            merge_repeated=merge_repeated,
        )
    )
    kinds = [parts[kind * top_paths : (kind + 1) * top_paths] for kind in range(3)]
    return [SparseTensor(*found) for found in zip(*kinds)], scores


def _flat(outputs: Any) -> list[Tensor]:
    return [
        tensor
        for output in outputs
        for tensor in (output if isinstance(output, (list, tuple)) else [output])
    ]


@export_v1("nn.ctc_beam_search_decoder_v2")
@export("nn.ctc_beam_search_decoder")
def ctc_beam_search_decoder_v2(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """`ctc_beam_search_decoder` that keeps equal neighbours apart."""
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, False)

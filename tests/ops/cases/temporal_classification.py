"""Rows of connectionist temporal classification."""

from __future__ import annotations

import itertools

import numpy as np

from featherflow.ops.ctc_decoder_ops import CTCBeamSearchDecoder, CTCGreedyDecoder
from featherflow.ops.ctc_loss_ops import CTCLoss, CTCLossV2

from ..op_case import WIDE_FLOATS, Input, OpCase

INDICES = np.int64([[0, 0], [0, 1], [1, 0]])
LENGTHS = np.int32([3, 2])
LOGITS = Input(3, 2, 3)
TOLERANCES = {"float32": 1e-5, "float64": 1e-12}
REASON = "sums of exponentials in another order"


def softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def collapse(path, blank):
    merged = [label for label, _ in itertools.groupby(path)]
    return [label for label in merged if label != blank]


def all_paths(x, length, labels, blank):
    """The probability of `labels`, and its derivative by the logits: a sum over all paths."""
    y = softmax(x)
    likelihood, derivative = 0.0, np.zeros_like(x)
    for path in itertools.product(range(x.shape[1]), repeat=length):
        if collapse(path, blank) == labels:
            steps = np.arange(length)
            weight = y[steps, path].prod()
            likelihood += weight
            derivative[:length] -= weight * y[:length]
            derivative[steps, path] += weight
    return likelihood, derivative


def loss(blank):
    def reference(x, indices, values, lengths):
        results = []
        for row in range(x.shape[1]):
            labels = values[indices[:, 0] == row].tolist()
            results.append(all_paths(x[:, row], int(lengths[row]), labels, blank))
        likelihoods = np.array([likelihood for likelihood, _ in results])
        gradient = np.stack([-derivative / p for p, derivative in results], axis=1)
        return -np.log(likelihoods), gradient

    return reference


def sparse(sequences):
    places = [(row, column) for row, s in enumerate(sequences) for column in range(len(s))]
    return (
        np.array(places, np.int64).reshape(-1, 2),
        np.array([label for s in sequences for label in s], np.int64),
        np.array([len(sequences), max(map(len, sequences), default=0)], np.int64),
    )


def greedy(x, lengths):
    classes = x.argmax(2)
    rows = [collapse(classes[:count, row].tolist(), 2) for row, count in enumerate(lengths)]
    scores = [-x[:count, row].max(1).sum() for row, count in enumerate(lengths)]
    return *sparse(rows), np.array(scores)[:, np.newaxis]


def beams(x, lengths):
    """What a beam finds that is as wide as there are sequences: the most likely ones."""
    best = []
    for row, count in enumerate(lengths.tolist()):
        y, sums = softmax(x[:, row]), {}
        for path in itertools.product(range(x.shape[2]), repeat=count):
            labels = tuple(collapse(path, x.shape[2] - 1))
            sums[labels] = sums.get(labels, 0.0) + y[np.arange(count), path].prod()
        best.append(sorted(sums.items(), key=lambda item: -item[1])[:2])
    parts = [sparse([row[rank][0] for row in best]) for rank in range(2)]
    scores = np.log([[probability for _, probability in row] for row in best])
    return *(part for kind in zip(*parts) for part in kind), scores


def _case(op, arguments, reference, dtypes=WIDE_FLOATS, **more):
    return OpCase(
        op,
        arguments,
        reference,
        dtypes,
        tolerances=TOLERANCES,
        reason=REASON,
        empty_shapes=(),
        **more,
    )


CASES = [
    _case(CTCLoss, (LOGITS, INDICES, np.int32([0, 1, 1]), LENGTHS), loss(2), differentiable=False),
    _case(
        CTCLossV2,
        (LOGITS, INDICES, np.int32([1, 2, 1]), LENGTHS),
        loss(0),
        ("float32",),
        differentiable=False,
    ),
    _case(
        CTCGreedyDecoder,
        (LOGITS, LENGTHS),
        greedy,
        attrs={"merge_repeated": True},
        differentiable=False,
    ),
    _case(
        CTCBeamSearchDecoder,
        (LOGITS, LENGTHS),
        beams,
        attrs={"beam_width": 50, "top_paths": 2, "merge_repeated": False},
        differentiable=False,
    ),
]

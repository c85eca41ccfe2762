"""Rows of softmax, cross entropies and what is measured with them."""

from __future__ import annotations

import numpy as np

from featherflow.ops.cross_entropy_ops import (
    SoftmaxCrossEntropyWithLogits,
    SparseSoftmaxCrossEntropyWithLogits,
)
from featherflow.ops.in_top_k_ops import InTopK, InTopKV2
from featherflow.ops.softmax_ops import LogSoftmax, Softmax

from ..op_case import FLOATS, Input, OpCase

LOGITS = (Input(2, 3, 4),)
MATRIX = Input(3, 4)
LABELS = np.array([2, 0, 3], np.int32)


def softmax(x):
    exponents = np.exp(x - x.max(-1, keepdims=True))
    return exponents / exponents.sum(-1, keepdims=True)


def cross_entropy(features, labels):
    return -(labels * np.log(softmax(features))).sum(-1), softmax(features) - labels


def broadcast_cross_entropy(features, labels):
    return cross_entropy(*np.broadcast_arrays(features, labels))


def sparse_cross_entropy(features, labels):
    return cross_entropy(features, np.eye(features.shape[1])[labels])


def in_top(k):
    def reference(predictions, targets, *_):
        own = np.take_along_axis(predictions, targets[:, np.newaxis], 1)
        return (predictions > own).sum(1) < k

    return reference


CASES = [
    OpCase(Softmax, LOGITS, softmax, FLOATS),
    OpCase(Softmax, (Input(4),), softmax, empty_shapes=(), label="vector"),
    OpCase(LogSoftmax, LOGITS, lambda x: np.log(softmax(x)), FLOATS),
    # The loss and its derivative by labels hold whether or not these are a distribution.
    OpCase(
        SoftmaxCrossEntropyWithLogits,
        (MATRIX, Input(3, 4, low=0, high=1)),
        lambda x, p: (
            (p * (np.log(np.exp(x).sum(-1, keepdims=True)) - x)).sum(-1),
            softmax(x) - p,
        ),
        FLOATS,
        differentiable=False,  # backprop is the derivative where labels sum to 1
    ),
    OpCase(
        SoftmaxCrossEntropyWithLogits,
        (MATRIX, np.array([[0.1, 0.2, 0.3, 0.4]])),
        broadcast_cross_entropy,
        ("float64",),
        twice=False,  # labels that are moved sum to 1 no longer
        empty_shapes=(),
        label="one_row_of_labels",
    ),
    OpCase(
        SparseSoftmaxCrossEntropyWithLogits,
        (MATRIX, LABELS),
        sparse_cross_entropy,
        FLOATS,
        empty_shapes=(),
    ),
    OpCase(
        SparseSoftmaxCrossEntropyWithLogits,
        (Input(0, 4), np.zeros(0, np.int64)),
        sparse_cross_entropy,
        empty_shapes=(),
        label="nothing",
    ),
    OpCase(InTopK, (MATRIX, LABELS), in_top(2), ("float32",), {"k": 2}, empty_shapes=()),
    OpCase(InTopKV2, (MATRIX, LABELS, np.int32(1)), in_top(1), ("float32",), empty_shapes=()),
]

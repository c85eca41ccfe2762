"""Rows of softmax and the losses made with it."""

from __future__ import annotations

import numpy as np

from featherflow.ops.softmax_ops import LogSoftmax, Softmax

from ..op_case import FLOATS, Input, OpCase

LOGITS = (Input(2, 3, 4),)


def softmax(x):
    exponents = np.exp(x - x.max(-1, keepdims=True))
    return exponents / exponents.sum(-1, keepdims=True)


CASES = [
    OpCase(Softmax, LOGITS, softmax, FLOATS),
    OpCase(Softmax, (Input(4),), softmax, empty_shapes=(), label="vector"),
    OpCase(LogSoftmax, LOGITS, lambda x: np.log(softmax(x)), FLOATS),
]

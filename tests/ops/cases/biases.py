"""Rows of biases."""

from __future__ import annotations

from featherflow.ops.bias_ops import BiasAdd, BiasAddGrad, BiasAddV1

from ..op_case import COMPLEX, FLOATS, NUMBERS, Input, OpCase

CHANNELS_FIRST = {"data_format": "NCHW"}


def biased(value, bias):
    return (value + bias).astype(value.dtype)


def column_sums(gradient):
    return gradient.reshape(-1, gradient.shape[-1]).sum(0, dtype=gradient.dtype)


CASES = [
    OpCase(BiasAdd, (Input(2, 3), Input(3)), biased, NUMBERS, empty_shapes=((0, 3), (3,))),
    OpCase(BiasAdd, (Input(2, 2, 1, 3), Input(3)), biased, label="images"),
    OpCase(
        BiasAdd,
        (Input(2, 3, 2, 2), Input(3)),
        lambda value, bias: biased(value, bias[:, None, None]),
        FLOATS,
        attrs=CHANNELS_FIRST,
        empty_shapes=((2, 0, 2, 2), (0,)),
        label="channels_first",
    ),
    OpCase(BiasAddV1, (Input(2, 3), Input(3)), biased, NUMBERS, empty_shapes=((2, 0), (0,))),
    OpCase(BiasAddGrad, (Input(2, 2, 3),), column_sums, NUMBERS),
    OpCase(
        BiasAddGrad,
        (Input(2, 3, 2),),
        lambda gradient: gradient.sum((0, 2)),
        FLOATS + COMPLEX,
        attrs=CHANNELS_FIRST,
        label="channels_first",
    ),
]

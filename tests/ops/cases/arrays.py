"""Rows of ops that move elements about: shapes, joining, slices, padding, order."""

from __future__ import annotations

import numpy as np

from featherflow.framework.tensor_shape import TensorShape
from featherflow.ops.broadcast_shape_ops import BroadcastArgs
from featherflow.ops.concat_ops import Concat, ParallelConcat
from featherflow.ops.core_array_ops import ConcatOffset, ConcatV2, Pad, Slice
from featherflow.ops.pack_ops import Pack, Unpack
from featherflow.ops.padding_ops import MirrorPad, MirrorPadGrad, PadV2
from featherflow.ops.reshape_ops import ExpandDims, Reshape, Squeeze
from featherflow.ops.reverse_ops import Reverse, ReverseSequence, ReverseV2, Roll
from featherflow.ops.splitting_ops import Split, SplitV
from featherflow.ops.strided_slice_ops import (
    StridedSlice,
    StridedSliceGrad,
    TensorStridedSliceUpdate,
)
from featherflow.ops.tile_ops import Tile
from featherflow.ops.transpose_ops import ConjugateTranspose, InvertPermutation, Transpose

from ..op_case import COMPLEX, NUMBERS, WIDE_FLOATS, Input, OpCase

ANY = (*NUMBERS, "bool")
CUBE = Input(2, 3, 4)
MATRIX = Input(2, 3)
WORDS = np.array([[b"a", b"", b"bc"], [b"\x00", b"d", b"e"]], dtype=object)


def ints(*values):
    return np.array(values, np.int32)


def pair(left, right):
    return np.array([left, right], np.int32)


SHAPES = [
    OpCase(Reshape, (CUBE, ints(4, -1)), lambda x, _: x.reshape(4, 6), ANY, empty_shapes=()),
    OpCase(
        Reshape,
        (Input(0, 6), ints(0, 2, -1)),
        lambda x, _: x.reshape(0, 2, 3),
        label="nothing",
    ),
    OpCase(Reshape, (WORDS, ints(-1)), lambda x, _: x.reshape(-1), ("string",), label="strings"),
    OpCase(Reshape, (Input(), ints(1, 1)), lambda x, _: x.reshape(1, 1), label="scalar"),
    OpCase(ExpandDims, (CUBE, np.array(-2, np.int32)), lambda x, _: x[:, :, None], ANY),
    OpCase(Squeeze, (Input(1, 3, 1, 2),), lambda x: x.reshape(3, 2), ANY, empty_shapes=()),
    OpCase(
        Squeeze,
        (Input(1, 3, 1, 2),),
        lambda x: x.reshape(1, 3, 2),
        attrs={"squeeze_dims": [-2]},
        empty_shapes=(),
        label="one",
    ),
    OpCase(Transpose, (CUBE, ints(2, 0, 1)), lambda x, _: x.transpose(2, 0, 1), ANY),
    OpCase(Transpose, (WORDS, ints(1, 0)), lambda x, _: x.T, ("string",), label="strings"),
    OpCase(
        ConjugateTranspose, (MATRIX, ints(1, 0)), lambda x, _: np.conj(x.T), COMPLEX + WIDE_FLOATS
    ),
    OpCase(InvertPermutation, (ints(2, 0, 1),), lambda x: np.argsort(x), ("int32",)),
    OpCase(BroadcastArgs, (ints(2, 1), ints(5, 1, 3)), lambda *_: np.array([5, 2, 3]), ("int32",)),
]

JOINING = [
    OpCase(
        ConcatV2,
        ([MATRIX, Input(2, 1)], np.array(-1, np.int32)),
        lambda x, y, _: np.concatenate([x, y], 1),
        ANY,
        empty_shapes=((0, 3), (0, 1)),
    ),
    OpCase(
        ConcatV2,
        ([WORDS, WORDS], np.array(0, np.int64)),
        lambda x, y, _: np.concatenate([x, y], 0),
        ("string",),
        label="strings",
    ),
    OpCase(
        Concat,
        (np.array(1, np.int32), [MATRIX, Input(2, 4)]),
        lambda _, x, y: np.concatenate([x, y], 1),
        ANY,
    ),
    OpCase(
        ParallelConcat,
        ([np.array([[1, 2]]), np.array([[3, 4]])],),
        lambda x, y: np.concatenate([x, y]),
        ("int64",),
        {"shape": TensorShape([2, 2])},
        needs_shapes="its output is made before its inputs are",
    ),
    OpCase(
        ConcatOffset,
        (np.array(1, np.int32), [ints(2, 3, 1), ints(2, 5, 1), ints(2, 0, 1)]),
        lambda *_: (np.array([0, 0, 0]), np.array([0, 3, 0]), np.array([0, 8, 0])),
        ("int32",),
    ),
    OpCase(Pack, ([MATRIX, MATRIX],), lambda x, y: np.stack([x, y]), ANY),
    OpCase(
        Pack,
        ([MATRIX, MATRIX],),
        lambda x, y: np.stack([x, y], 2),
        attrs={"axis": -1},
        label="last",
    ),
    OpCase(Pack, ([Input(), Input()],), lambda x, y: np.stack([x, y]), label="scalars"),
    OpCase(Pack, ([WORDS, WORDS],), lambda x, y: np.stack([x, y]), ("string",), label="strings"),
    OpCase(Unpack, (MATRIX,), lambda x: (x[:, 0], x[:, 1], x[:, 2]), ANY, {"num": 3, "axis": -1}),
    OpCase(
        Split,
        (np.array(-1, np.int32), Input(2, 6)),
        lambda _, x: tuple(np.split(x, 3, 1)),
        ANY,
        {"num_split": 3},
        empty_shapes=((0, 6),),
    ),
    OpCase(
        SplitV,
        (Input(2, 6), np.array([1, -1, 2]), np.array(1, np.int32)),
        lambda x, *_: (x[:, :1], x[:, 1:4], x[:, 4:]),
        ANY,
        {"num_split": 3},
        empty_shapes=((0, 6),),
    ),
    OpCase(Tile, (MATRIX, ints(2, 3)), lambda x, _: np.tile(x, (2, 3)), ANY),
    OpCase(Tile, (MATRIX, ints(0, 3)), lambda x, _: np.tile(x, (0, 3)), label="nothing"),
    OpCase(
        Tile, (WORDS, ints(1, 2)), lambda x, _: np.tile(x, (1, 2)), ("string",), label="strings"
    ),
]


def sliced(x, begin, end, strides):
    """`x[1, ..., None, 4:0:-2]`, the slice of the row below."""
    return x[1, ..., None, 3:0:-2]


MIXED_MASKS = {"shrink_axis_mask": 1, "ellipsis_mask": 2, "new_axis_mask": 4}
MIXED_SLICE = (ints(1, 0, 0, 9), ints(2, 0, 0, 0), ints(1, 1, 1, -2))


def scattered(shape, begin, end, strides, dy):
    result = np.zeros((2, 3, 4), dy.dtype)
    result[1, ..., None, 3:0:-2] = dy
    return result


def updated(x, begin, end, strides, value):
    result = x.copy()
    result[1, ..., None, 3:0:-2] = value
    return result


SLICES = [
    OpCase(
        Slice,
        (CUBE, ints(0, 1, 2), ints(2, -1, 1)),
        lambda x, *_: x[:, 1:, 2:3],
        ANY,
        empty_shapes=((2, 3, 9),),
    ),
    OpCase(
        Slice, (WORDS, ints(0, 1), ints(2, 1)), lambda x, *_: x[:, 1:2], ("string",), label="text"
    ),
    OpCase(
        StridedSlice,
        (CUBE, *MIXED_SLICE),
        sliced,
        ANY,
        MIXED_MASKS,
        empty_shapes=((2, 0, 4),),
    ),
    OpCase(
        StridedSlice,
        (CUBE, ints(0, 1), ints(0, 0), ints(-1, 2)),
        lambda x, *_: x[::-1, 1::2],
        attrs={"begin_mask": 1, "end_mask": 3},
        label="edges",
    ),
    OpCase(
        StridedSlice,
        (CUBE, ints(2), ints(1), ints(1)),
        lambda x, *_: x[2:1],
        label="nothing",
    ),
    OpCase(
        StridedSlice,
        (WORDS, ints(0, -1), ints(2, 9), ints(1, 1)),
        lambda x, *_: x[0:2, -1:9],
        ("string",),
        label="strings",
    ),
    OpCase(
        StridedSliceGrad,
        (ints(2, 3, 4), *MIXED_SLICE, Input(3, 1, 2)),
        scattered,
        ANY,
        MIXED_MASKS,
        empty_shapes=(),
    ),
    OpCase(
        TensorStridedSliceUpdate,
        (CUBE, *MIXED_SLICE, Input(3, 1, 1)),
        updated,
        ANY,
        MIXED_MASKS,
        empty_shapes=(),
        label="broadcast",
    ),
]

PADDINGS = np.array([[1, 2], [0, 3]], np.int32)
MIRRORS = np.array([[1, 0], [2, 1]], np.int32)


def mirror_grad(mode):
    """The transpose of padding: the padded unit matrices, against the gradient."""

    def reference(grad, paddings):
        units = np.eye(6, dtype=grad.dtype).reshape(6, 2, 3)
        padded = np.stack([np.pad(unit, paddings, mode=mode) for unit in units])
        return np.tensordot(padded, grad, 2).reshape(2, 3)

    return reference


PADDING = [
    OpCase(Pad, (MATRIX, PADDINGS), lambda x, p: np.pad(x, p), ANY),
    OpCase(
        Pad,
        (WORDS, PADDINGS),
        lambda x, p: np.pad(x, p, constant_values=b""),
        ("string",),
        label="strings",
    ),
    OpCase(
        PadV2,
        (MATRIX, PADDINGS, Input()),
        lambda x, p, value: np.pad(x, p, constant_values=value),
        NUMBERS,
        # TensorFlow gives the padding value no gradient.
        differentiable=False,
        empty_shapes=((0, 3), ()),
    ),
    *(
        OpCase(
            MirrorPad,
            (MATRIX, MIRRORS),
            lambda x, p, mode=mode: np.pad(x, p, mode=mode.lower()),
            ANY,
            {"mode": mode},
            empty_shapes=(),
            label=mode,
        )
        for mode in ("REFLECT", "SYMMETRIC")
    ),
    *(
        OpCase(
            MirrorPadGrad,
            (Input(3, 6), MIRRORS),
            mirror_grad(mode.lower()),
            NUMBERS,
            {"mode": mode},
            empty_shapes=(),
            label=mode,
        )
        for mode in ("REFLECT", "SYMMETRIC")
    ),
]


def reversed_sequences(x, lengths):
    result = x.copy()
    for batch, length in enumerate(lengths):
        result[:length, batch] = x[:length, batch][::-1]
    return result


ORDER = [
    OpCase(ReverseV2, (CUBE, ints(0, -1)), lambda x, _: x[::-1, :, ::-1], ANY),
    OpCase(ReverseV2, (WORDS, ints(1)), lambda x, _: x[:, ::-1], ("string",), label="strings"),
    OpCase(Reverse, (CUBE, np.array([True, False, True])), lambda x, _: x[::-1, :, ::-1], ANY),
    OpCase(
        ReverseSequence,
        (Input(4, 3, 2), np.array([2, 0, 4])),
        reversed_sequences,
        ANY,
        {"seq_dim": 0, "batch_dim": 1},
        empty_shapes=((4, 3, 0),),
    ),
    OpCase(Roll, (CUBE, ints(1, -2), ints(0, 2)), lambda x, *_: np.roll(x, (1, -2), (0, 2)), ANY),
    OpCase(
        Roll,
        (CUBE, np.array(5, np.int64), np.array(-1, np.int64)),
        lambda x, *_: np.roll(x, 5, -1),
        label="one",
    ),
]

CASES = SHAPES + JOINING + SLICES + PADDING + ORDER

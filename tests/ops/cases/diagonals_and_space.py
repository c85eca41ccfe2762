"""Rows of diagonals of matrices, and of blocks of space moved into depth and batch."""

from __future__ import annotations

import numpy as np

from featherflow.ops.matrix_diag_ops import (
    MatrixBandPart,
    MatrixDiag,
    MatrixDiagPart,
    MatrixDiagPartV2,
    MatrixDiagPartV3,
    MatrixDiagV2,
    MatrixDiagV3,
    MatrixSetDiag,
    MatrixSetDiagV2,
    MatrixSetDiagV3,
)
from featherflow.ops.space_ops import (
    BatchToSpace,
    BatchToSpaceND,
    DepthToSpace,
    SpaceToBatch,
    SpaceToBatchND,
    SpaceToDepth,
)
from featherflow.ops.tensor_diag_ops import Diag, DiagPart

from ..op_case import COMPLEX, NUMBERS, WIDE_FLOATS, Input, OpCase

ANY = (*NUMBERS, "bool")
TENSOR_DIAG = (*WIDE_FLOATS, "float16", "bfloat16", "int32", "int64", *COMPLEX)
MATRICES = Input(2, 3, 4)


def ints(*values):
    return np.array(values, np.int32)


def number(value):
    return np.array(value, np.int32)


def laid_out(matrices, low, high, padding, align):
    """The band k₁ … k₀ by the definition, element by element."""
    *outer, rows, columns = matrices.shape
    width = min(rows + min(high, 0), columns - max(low, 0))
    result = np.full((*outer, high - low + 1, width), padding, matrices.dtype)
    above, below = align.split("_")
    for place, k in enumerate(range(high, low - 1, -1)):
        length = min(rows + min(k, 0), columns - max(k, 0))
        shift = width - length if (above if k >= 0 else below) == "RIGHT" else 0
        for step in range(length):
            element = matrices[..., step - min(k, 0), step + max(k, 0)]
            result[..., place, shift + step] = element
    return result[..., 0, :] if low == high else result


def put_in(matrices, diagonals, low, high, align):
    """The inverse: where a matrix of numbered elements has them, the diagonals go."""
    *outer, rows, columns = matrices.shape
    numbers = np.arange(1, rows * columns + 1).reshape(rows, columns)
    places = laid_out(numbers, low, high, 0, align)
    result = matrices.reshape(*outer, rows * columns).copy()
    flat = diagonals.reshape(*outer, places.size)
    for position, place in enumerate(places.reshape(-1)):
        if place:
            result[..., place - 1] = flat[..., position]
    return result.reshape(matrices.shape)


BANDS = [(-1, 2, "LEFT_RIGHT"), (-2, 1, "RIGHT_LEFT"), (0, 2, "RIGHT_RIGHT"), (1, 1, "LEFT_LEFT")]


def band_rows(low, high, align):
    matrices = np.zeros((3, 4))
    band = laid_out(matrices, low, high, 0, align).shape
    k = number(low) if low == high else ints(low, high)
    label = f"{low}_{high}_{align}"
    attrs = {"align": align}
    return [
        OpCase(
            MatrixDiagPartV3,
            (MATRICES, k, Input()),
            lambda x, _, padding: laid_out(x, low, high, padding, align),
            ANY,
            attrs,
            differentiable=False,  # TensorFlow gives the padding no gradient
            empty_shapes=((0, 3, 4), ()),
            label=label,
        ),
        OpCase(
            MatrixSetDiagV3,
            (MATRICES, Input(2, *band), k),
            lambda x, diagonals, _: put_in(x, diagonals, low, high, align),
            ANY,
            attrs,
            empty_shapes=((0, 3, 4), (0, *band)),
            label=label,
        ),
        OpCase(
            MatrixDiagV3,
            (Input(2, *band), k, number(3), number(4), Input()),
            lambda diagonals, *rest: put_in(
                np.full((2, 3, 4), rest[-1], diagonals.dtype), diagonals, low, high, align
            ),
            ANY,
            attrs,
            differentiable=False,
            empty_shapes=(),
            label=label,
        ),
    ]


LEFT = "LEFT_LEFT"

DIAGONALS = [
    *(row for band in BANDS for row in band_rows(*band)),
    OpCase(
        MatrixDiag,
        (Input(2, 3),),
        lambda x: np.stack([np.diag(row) for row in x]),
        ANY,
        empty_shapes=(),
    ),
    OpCase(
        MatrixDiagV2,
        (Input(2, 3), number(1), number(-1), number(-1), Input()),
        lambda x, k, rows, columns, padding: np.stack(
            [np.where(np.eye(4, k=1, dtype=bool), np.diag(row, 1), padding) for row in x]
        ).astype(x.dtype),
        ANY,
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(MatrixDiagPart, (MATRICES,), lambda x: x.diagonal(0, 1, 2), ANY),
    OpCase(
        MatrixDiagPartV2,
        (MATRICES, ints(-1, 1), Input()),
        lambda x, _, padding: laid_out(x, -1, 1, padding, LEFT),
        ANY,
        differentiable=False,
        empty_shapes=((0, 3, 4), ()),
    ),
    OpCase(
        MatrixSetDiag,
        (MATRICES, Input(2, 3)),
        lambda x, diagonal: put_in(x, diagonal, 0, 0, LEFT),
        ANY,
        empty_shapes=((0, 3, 4), (0, 3)),
    ),
    OpCase(
        MatrixSetDiagV2,
        (MATRICES, Input(2, 2, 3), ints(0, 1)),
        lambda x, diagonals, _: put_in(x, diagonals, 0, 1, LEFT),
        ANY,
        empty_shapes=((0, 3, 4), (0, 2, 3)),
    ),
    OpCase(
        MatrixBandPart,
        (MATRICES, np.array(1), np.array(0)),
        lambda x, *_: np.tril(np.triu(x, -1), 0),
        ANY,
    ),
    OpCase(
        MatrixBandPart,
        (MATRICES, np.array(-1), np.array(1)),
        lambda x, *_: np.tril(x, 1),
        label="open",
    ),
    OpCase(
        Diag,
        (Input(2, 3),),
        lambda x: np.diag(x.reshape(-1)).reshape(2, 3, 2, 3),
        TENSOR_DIAG,
        empty_shapes=(),
    ),
    OpCase(
        DiagPart,
        (Input(2, 3, 2, 3),),
        lambda x: x.reshape(6, 6).diagonal().reshape(2, 3),
        TENSOR_DIAG,
        empty_shapes=(),
    ),
]


def space_to_depth(x, block):
    rows = [x[:, row::block, column::block] for row in range(block) for column in range(block)]
    return np.concatenate(rows, axis=3)


def depth_to_space(x, block):
    batch, height, width, depth = x.shape
    inner = depth // block**2
    result = np.empty((batch, height * block, width * block, inner), x.dtype)
    for row in range(block):
        for column in range(block):
            first = (row * block + column) * inner
            result[:, row::block, column::block] = x[..., first : first + inner]
    return result


def space_to_batch(x, blocks, paddings):
    paddings = np.array([[0, 0], *paddings.tolist(), *[[0, 0]] * (x.ndim - 1 - len(paddings))])
    padded = np.pad(x, paddings)
    rows, columns = [*blocks.tolist(), 1][:2]
    if len(blocks) == 1:
        return np.concatenate([padded[:, row::rows] for row in range(rows)])
    parts = [padded[:, r::rows, c::columns] for r in range(rows) for c in range(columns)]
    return np.concatenate(parts)


def batch_to_space(x, blocks, crops):
    rows, columns = blocks.tolist()
    batch = len(x) // (rows * columns)
    height, width = x.shape[1] * rows, x.shape[2] * columns
    result = np.empty((batch, height, width, *x.shape[3:]), x.dtype)
    for place in range(rows * columns):
        part = x[place * batch : (place + 1) * batch]
        result[:, place // columns :: rows, place % columns :: columns] = part
    (top, bottom), (left, right) = crops.tolist()
    return result[:, top : height - bottom, left : width - right]


NCHW = {"block_size": 2, "data_format": "NCHW"}
PADDINGS = np.array([[1, 0], [0, 1]], np.int32)

BLOCKS = "the number of spatial dimensions must be known, as in TensorFlow"

SPACE = [
    OpCase(
        SpaceToDepth, (Input(2, 4, 6, 3),), lambda x: space_to_depth(x, 2), ANY, {"block_size": 2}
    ),
    OpCase(
        SpaceToDepth,
        (Input(2, 3, 4, 6),),
        lambda x: space_to_depth(x.transpose(0, 2, 3, 1), 2).transpose(0, 3, 1, 2),
        attrs=NCHW,
        label="NCHW",
    ),
    OpCase(
        DepthToSpace, (Input(2, 2, 3, 12),), lambda x: depth_to_space(x, 2), ANY, {"block_size": 2}
    ),
    OpCase(
        DepthToSpace,
        (Input(2, 12, 2, 3),),
        lambda x: depth_to_space(x.transpose(0, 2, 3, 1), 2).transpose(0, 3, 1, 2),
        attrs=NCHW,
        label="NCHW",
    ),
    OpCase(
        SpaceToBatchND,
        (Input(2, 3, 5, 2), ints(2, 3), PADDINGS),
        space_to_batch,
        ANY,
        needs_shapes=BLOCKS,
    ),
    OpCase(
        SpaceToBatchND,
        (Input(2, 4, 5), np.array([2]), np.array([[1, 1]])),
        space_to_batch,
        needs_shapes=BLOCKS,
        label="one",
    ),
    OpCase(
        BatchToSpaceND,
        (Input(12, 2, 2, 2), ints(2, 3), PADDINGS),
        batch_to_space,
        ANY,
        needs_shapes=BLOCKS,
    ),
    OpCase(
        SpaceToBatch,
        (Input(2, 3, 5, 2), PADDINGS),
        lambda x, paddings: space_to_batch(x, ints(2, 2), paddings),
        ANY,
        {"block_size": 2},
    ),
    OpCase(
        BatchToSpace,
        (Input(8, 2, 3, 2), PADDINGS),
        lambda x, crops: batch_to_space(x, ints(2, 2), crops),
        ANY,
        {"block_size": 2},
    ),
]

CASES = DIAGONALS + SPACE

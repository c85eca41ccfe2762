"""Array ops that change shapes: reshape, transpose, join, split, pad, fill, batch and depth."""

from __future__ import annotations

from ..static_shapes import Given, Row, Value


def _reshape(dims, shape):
    return Row("Reshape", {"tensor": Given(dims), "shape": Value(shape)})


def _concat(axis, *shapes):
    return Row("ConcatV2", {"values": [Given(dims) for dims in shapes], "axis": Value(axis)})


def _pack(axis, *shapes):
    return Row("Pack", {"values": [Given(dims) for dims in shapes]}, {"axis": axis})


_SHAPING = [
    *(
        Row(op, {"input": Given(dims)}, attrs)
        for op, attrs in (
            ("Shape", {}),
            ("Shape", {"out_type": "int64"}),
            ("Size", {}),
            ("Rank", {}),
        )
        for dims in ((2, 3), ())
    ),
    Row("ShapeN", {"input": [Given((2, 3)), Given(())]}),
    _reshape((2, 3), [3, 2]),
    _reshape((2, 3), [-1]),
    _reshape((2, 3, 4), [-1, 4]),
    _reshape((2, 3), [4, -1]),
    _reshape((2, 3), [4, 2]),
    _reshape((2, 3), [-1, -1]),
    _reshape((), [1, 1]),
    _reshape((1,), []),
    _reshape((0, 3), [-1, 3]),
    _reshape((0, 3), [0, -1]),
    *(Row("ExpandDims", {"input": Given((2, 3)), "dim": Value(a)}) for a in (0, 2, -1, -3, 3, -4)),
    Row("ExpandDims", {"input": Given(()), "dim": Value([0])}),
    *(
        Row("Squeeze", {"input": Given(dims)}, {"squeeze_dims": axis} if axis else {})
        for dims, axis in (
            ((1, 3, 1), None),
            ((1, 3, 1), [0]),
            ((1, 3, 1), [-1, 0]),
            ((1, 3, 1), [1]),
            ((1, 3, 1), [4]),
            ((2, 3), None),
        )
    ),
    *(
        Row(op, {"x": Given(dims), "perm": Value(perm)})
        for op, dims, perm in (
            ("Transpose", (2, 3, 4), [2, 0, 1]),
            ("Transpose", (2, 3), [1, 0]),
            ("Transpose", (2, 3), [0, 0]),
            ("Transpose", (2, 3), [0, 2]),
            ("Transpose", (2, 3), [0]),
            ("ConjugateTranspose", (2, 3), [1, 0]),
        )
    ),
    Row("EnsureShape", {"input": Given((2, 3))}, {"shape": (None, 3)}),
    Row("EnsureShape", {"input": Given((2, 3))}, {"shape": (4, 3)}),
    Row("PlaceholderWithDefault", {"input": Given((2, 3))}, {"shape": (None, 3)}),
    Row("PlaceholderWithDefault", {"input": Given((2, 3))}, {"shape": (4, 3)}),
    Row("IdentityN", {"input": [Given((2, 3)), Given((), "int32")]}),
    Row("Bitcast", {"input": Given((2, 3))}, {"type": "int32"}),
    Row("Bitcast", {"input": Given((2, 3))}, {"type": "float64"}),
    Row("Bitcast", {"input": Given((3, 2))}, {"type": "float64"}),
    Row("Bitcast", {"input": Given((2, 3))}, {"type": "uint8"}),
]

_JOINING = [
    _concat(0, (2, 3), (4, 3)),
    _concat(-1, (2, 3), (2, 5), (2, 1)),
    _concat(0, (2, 3), (2, 4)),
    _concat(2, (2, 3), (2, 3)),
    _concat(0, (2,), (2, 3)),
    _concat(0, (), ()),
    Row("Concat", {"concat_dim": Value(1), "values": [Given((2, 3)), Given((2, 5))]}),
    Row("ConcatOffset", {"concat_dim": Value(0), "shape": [Value([2, 3]), Value([4, 3])]}),
    _pack(0, (2, 3), (2, 3)),
    _pack(-1, (2, 3), (2, 3), (2, 3)),
    _pack(2, (2, 3), (2, 3)),
    _pack(3, (2, 3), (2, 3)),
    _pack(0, (), ()),
    _pack(0, (2, 3), (3, 2)),
    _pack(0, (2, None), (None, 3)),
    *(
        Row("Unpack", {"value": Given(dims)}, {"num": count, "axis": axis})
        for dims, count, axis in (
            ((2, 3), 2, 0),
            ((2, 3), 3, -1),
            ((2, 3), 4, 1),
            ((2, 3), 2, 2),
            ((), 1, 0),
        )
    ),
    *(
        Row("Split", {"split_dim": Value(axis), "value": Given((4, 6))}, {"num_split": count})
        for axis, count in ((0, 2), (-1, 3), (1, 4), (2, 2))
    ),
    *(
        Row(
            "SplitV",
            {"value": Given((4, 6)), "size_splits": Value(sizes), "split_dim": Value(axis)},
            {"num_split": len(sizes)},
        )
        for sizes, axis in (([1, 2, 3], 1), ([1, -1], 0), ([1, 2], 1), ([4], -2), ([-1, -1], 0))
    ),
    Row("ParallelConcat", {"values": [Given((1, 3)), Given((1, 3))]}, {"shape": (2, 3)}),
]

_FILLING = [
    *(Row("Fill", {"dims": Value(dims), "value": Given(())}) for dims in ([2, 3], [], [0], [-1])),
    Row("Fill", {"dims": Value([2]), "value": Given((1,))}),
    Row("Empty", {"shape": Value([2, 3])}, {"dtype": "float32"}),
    *(
        Row("Range", {"start": Value(a), "limit": Value(b), "delta": Value(c)})
        for a, b, c in ((0, 5, 1), (1, 10, 3), (5, 0, -2), (5, 0, 1), (0, 5, 0), (0, 0, 1))
    ),
    Row(
        "Range",
        {
            "start": Value(0.0, "float32"),
            "limit": Value(1.0, "float32"),
            "delta": Value(0.3, "float32"),
        },
    ),
    Row("LinSpace", {"start": Given(()), "stop": Given(()), "num": Value(5)}),
    Row("LinSpace", {"start": Given(()), "stop": Given(()), "num": Value(0)}),
    *(
        Row(op, {"shape": Value(shape)}, {"dtype": "float32"})
        for op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal")
        for shape in ([2, 3], [])
    ),
    Row("RandomUniformInt", {"shape": Value([2]), "minval": Value(0), "maxval": Value(5)}),
    Row("RandomUniformInt", {"shape": Value([2]), "minval": Value([0]), "maxval": Value(5)}),
    Row("RandomGamma", {"shape": Value([2, 3]), "alpha": Given((4, 5))}),
    Row("RandomPoissonV2", {"shape": Value([2]), "rate": Given((3,))}),
    Row("Multinomial", {"logits": Given((2, 3)), "num_samples": Value(7)}),
    Row("Multinomial", {"logits": Given((3,)), "num_samples": Value(7)}),
    Row("RandomShuffle", {"value": Given((2, 3))}),
    Row("StatelessRandomUniform", {"shape": Value([2, 3]), "seed": Given((2,), "int32")}),
    Row("StatelessRandomNormal", {"shape": Value([2, 3]), "seed": Given((3,), "int32")}),
    Row("StatelessTruncatedNormal", {"shape": Value([]), "seed": Given((2,), "int32")}),
]

_EXTENDING = [
    *(
        Row("Tile", {"input": Given(dims), "multiples": Value(multiples)})
        for dims, multiples in (((2, 3), [2, 1]), ((2, 3), [0, 3]), ((2, 3), [2]), ((), []))
    ),
    *(
        Row("Pad", {"input": Given(dims), "paddings": Value(paddings)})
        for dims, paddings in (
            ((2, 3), [[1, 0], [2, 2]]),
            ((2, 3), [[0, 0], [-1, 0]]),
            ((2,), [[1, 0], [2, 2]]),
            ((), []),
        )
    ),
    Row(
        "PadV2",
        {"input": Given((2, 3)), "paddings": Value([[1, 0], [2, 2]]), "constant_values": Given(())},
    ),
    *(
        Row("MirrorPad", {"input": Given((2, 3)), "paddings": Value(paddings)}, {"mode": mode})
        for paddings, mode in (
            ([[1, 1], [2, 2]], "REFLECT"),
            ([[2, 0], [3, 3]], "SYMMETRIC"),
            ([[2, 0], [0, 0]], "REFLECT"),
        )
    ),
    Row(
        "MirrorPadGrad",
        {"input": Given((4, 7)), "paddings": Value([[1, 1], [2, 2]])},
        {"mode": "REFLECT"},
    ),
    *(
        Row(
            "SpaceToBatchND",
            {"input": Given(dims), "block_shape": Value(block), "paddings": Value(pads)},
        )
        for dims, block, pads in (
            ((2, 4, 6, 1), [2, 2], [[0, 0], [0, 0]]),
            ((2, 3, 5, 1), [2, 2], [[1, 0], [0, 1]]),
            ((2, 6), [3], [[0, 0]]),
            ((2, 3, 5, 1), [2, 2], [[0, 0], [0, 0]]),
        )
    ),
    *(
        Row(
            "BatchToSpaceND",
            {"input": Given(dims), "block_shape": Value(block), "crops": Value(crops)},
        )
        for dims, block, crops in (
            ((8, 2, 3, 1), [2, 2], [[0, 0], [0, 0]]),
            ((8, 2, 3, 1), [2, 2], [[1, 0], [0, 1]]),
            ((7, 2, 3, 1), [2, 2], [[0, 0], [0, 0]]),
        )
    ),
    Row(
        "SpaceToBatch",
        {"input": Given((2, 4, 6, 1)), "paddings": Value([[0, 0], [0, 0]])},
        {"block_size": 2},
    ),
    Row(
        "BatchToSpace",
        {"input": Given((8, 2, 3, 1)), "crops": Value([[0, 0], [0, 0]])},
        {"block_size": 2},
    ),
    *(
        Row(op, {"input": Given(dims)}, {"block_size": 2, **attrs})
        for op, dims, attrs in (
            ("SpaceToDepth", (1, 4, 6, 3), {}),
            ("SpaceToDepth", (1, 3, 4, 6), {"data_format": "NCHW"}),
            ("SpaceToDepth", (1, 5, 6, 3), {}),
            ("DepthToSpace", (1, 2, 3, 8), {}),
            ("DepthToSpace", (1, 8, 2, 3), {"data_format": "NCHW"}),
            ("DepthToSpace", (1, 2, 3, 7), {}),
        )
    ),
    *(
        Row("ReverseV2", {"tensor": Given((2, 3)), "axis": Value(axis)})
        for axis in ([0], [-1, 0], [2], [0, 0])
    ),
    Row("Roll", {"input": Given((2, 3)), "shift": Value(1), "axis": Value(0)}),
    Row("Roll", {"input": Given(()), "shift": Value(1), "axis": Value(0)}),
    Row(
        "ReverseSequence",
        {"input": Given((2, 3, 4)), "seq_lengths": Given((2,), "int32")},
        {"seq_dim": 1},
    ),
    Row(
        "ReverseSequence",
        {"input": Given((2, 3)), "seq_lengths": Given((3,), "int32")},
        {"seq_dim": 1},
    ),
    Row("InvertPermutation", {"x": Given((3,), "int32")}),
    Row("InvertPermutation", {"x": Given((3, 1), "int32")}),
]

ROWS = [*_SHAPING, *_JOINING, *_FILLING, *_EXTENDING]

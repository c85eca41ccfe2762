"""Lowering: what a compile rule is given to say what its op computes.

    @Softsign.compile_rule
    def _softsign_compile(c, features):
        return features / (c.map("abs", features) + 1.0)

A rule gets a `Lowering`, the op's inputs as `Lowered` values and the attributes that it names as
keywords; it returns the outputs. It raises CannotCompile where the op must run its NumPy kernel.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import prod
from typing import Any

import numpy as np

from featherflow.compiler import primitives, reducing
from featherflow.compiler.contractions import (
    Contraction,
    ConvolutionShape,
    DepthwiseProduct,
    DirectConvolution,
    MatrixProduct,
    Pooling,
)
from featherflow.compiler.einsum import lower_einsum
from featherflow.compiler.elements import NARROW_FLOATS
from featherflow.compiler.lowered import (
    Broadcast,
    CannotCompile,
    Constant,
    Contracted,
    Given,
    Joined,
    Lowered,
    Map,
    Number,
    Origin,
    Padded,
    Reduced,
    Reshaped,
    Shape,
    Sliced,
    Transposed,
)

#: (before, after) of each spatial axis.
Pads = Sequence[tuple[int, int]]
#: Products of one batch: each is two calls.
_MAX_PRODUCTS = 2048
_REDUCERS = {"sum", "max", "min", "prod", "any", "all"}


class Lowering:
    """Builds the values of one cluster.

    Attributes:
      node: the name of the node whose rule runs.
      values: everything built, in order: a topological one.
    """

    def __init__(self) -> None:
        self.node = ""
        self.values: list[Lowered] = []

    def _new(
        self, shape: Shape, dtype: str, origin: Origin, operands: tuple[Lowered, ...] = ()
    ) -> Lowered:
        value = Lowered(self, shape, dtype, origin, operands)
        self.values.append(value)
        return value

    # --- leaves -----------------------------------------------------------------------------------

    def given(self, number: int, shape: Shape, dtype: str) -> Lowered:
        """An input of the cluster."""
        return self._new(shape, dtype, Given(number))

    def constant(self, array: np.ndarray, key: Hashable = None) -> Lowered:
        """A known array; without a key it is small, and its contents are the key."""
        if key is None:
            key = (array.shape, str(array.dtype), array.tobytes())
        return self._new(array.shape, str(array.dtype), Constant(array, key))

    def number(self, number: float, dtype: str, shape: Shape = ()) -> Lowered:
        """A number that is part of the code."""
        return self._new(shape, dtype, Number(number))

    # --- elementwise ------------------------------------------------------------------------------

    def map(self, name: str, *operands: Any) -> Lowered:
        """A primitive on each element; operands broadcast. Numbers take the others' dtype.

        Raises:
          CannotCompile: the primitive does not take the dtype.
        """
        typed = next(item.dtype for item in reversed(operands) if isinstance(item, Lowered))
        values = tuple(self._operand(item, typed) for item in operands)
        dtypes = [value.dtype for value in values]
        if not primitives.supports(name, dtypes[-1]):
            raise CannotCompile(f"no primitive {name} of {dtypes[-1]}")
        step = (name, *range(len(values)))
        result = primitives.result_dtype(step, dtypes)
        shape = np.broadcast_shapes(*(value.shape for value in values))
        return self._new(shape, result, Map((name,)), values)

    def _operand(self, item: Any, dtype: str) -> Lowered:
        if not isinstance(item, Lowered):
            return self.number(item, dtype)
        known = item.known
        if known is not None and known.size == 1 and known.dtype.kind in "fiub":
            return self.number(known.reshape(()).item(), item.dtype, item.shape)
        return item

    def cast(self, value: Lowered, dtype: str) -> Lowered:
        """Each element as another dtype."""
        if value.dtype == dtype:
            return value
        if not (primitives.supports("cast", value.dtype) and primitives.supports("cast", dtype)):
            raise CannotCompile(f"no cast from {value.dtype} to {dtype}")
        return self._new(value.shape, dtype, Map(("cast", dtype)), (value,))

    # --- views and moves --------------------------------------------------------------------------

    def reshape(self, value: Lowered, shape: Sequence[int]) -> Lowered:
        """The same elements under another shape."""
        target = tuple(int(size) for size in shape)
        if target == value.shape:
            return value
        if isinstance(value.origin, Reshaped):
            return self.reshape(value.operands[0], target)
        return self._new(target, value.dtype, Reshaped(), (value,))

    def transpose(self, value: Lowered, permutation: Sequence[int]) -> Lowered:
        """Axes in another order."""
        order = tuple(int(axis) for axis in permutation)
        if order == tuple(range(value.rank)):
            return value
        shape = tuple(value.shape[axis] for axis in order)
        return self._new(shape, value.dtype, Transposed(order), (value,))

    def slice(
        self, value: Lowered, starts: Sequence[int], sizes: Sequence[int], steps: Sequence[int]
    ) -> Lowered:
        """`sizes` elements from `starts`, every `steps`-th."""
        origin = Sliced(tuple(starts), tuple(steps))
        return self._new(tuple(sizes), value.dtype, origin, (value,))

    def broadcast(self, value: Lowered, shape: Sequence[int]) -> Lowered:
        """Repeated along axes of size 1 and new leading axes."""
        target = tuple(int(size) for size in shape)
        if target == value.shape:
            return value
        return self._new(target, value.dtype, Broadcast(), (value,))

    def concat(self, values: Sequence[Lowered], axis: int) -> Lowered:
        """Values one after the other along an axis."""
        kept = tuple(value for value in values if value.shape[axis]) or tuple(values[:1])
        if len(kept) == 1:
            return kept[0]
        shape = list(kept[0].shape)
        shape[axis] = sum(value.shape[axis] for value in kept)
        return self._new(tuple(shape), kept[0].dtype, Joined(axis), kept)

    def pad(self, value: Lowered, paddings: Sequence[tuple[int, int]], number: float) -> Lowered:
        """Surrounded by a number: (before, after) for each axis."""
        pairs = [(int(before), int(after)) for before, after in paddings]
        self.require(len(pairs) == value.rank, "another number of axes")
        if min((size for pair in pairs for size in pair), default=0) < 0:
            raise CannotCompile("negative padding")
        if not any(size for pair in pairs for size in pair):
            return value
        shape = tuple(size + before + after for size, (before, after) in zip(value.shape, pairs))
        origin = Padded(tuple(before for before, _ in pairs))
        return self._new(shape, value.dtype, origin, (value, self.number(number, value.dtype)))

    def part(self, value: Lowered, axis: int, start: int, size: int) -> Lowered:
        """Elements [start, start + size) along an axis."""
        starts = [start if place == axis else 0 for place in range(value.rank)]
        sizes = [size if place == axis else full for place, full in enumerate(value.shape)]
        return self.slice(value, starts, sizes, [1] * value.rank)

    def channels_last(self, value: Lowered, data_format: str) -> Lowered:
        """An image as [N, …, C]."""
        if not data_format.startswith("NC"):
            return value
        return self.transpose(value, (0, *range(2, value.rank), 1))

    def from_channels_last(self, value: Lowered, data_format: str) -> Lowered:
        """[N, …, C] as an image of `data_format`."""
        if not data_format.startswith("NC"):
            return value
        return self.transpose(value, (0, value.rank - 1, *range(1, value.rank - 1)))

    # --- reductions -------------------------------------------------------------------------------

    def reduce(
        self, reducer: str, value: Lowered, axes: Sequence[int], keep_dims: bool = False
    ) -> Lowered:
        """Reduces axes by "sum", "max", "min", "prod", "any" or "all"."""
        assert reducer in _REDUCERS
        if not reducing.supports(f"reduce_{reducer}", value.dtype):
            raise CannotCompile(f"no reduction of {value.dtype}")
        if value.dtype in NARROW_FLOATS and reducer in ("sum", "prod"):
            wide = self.cast(value, "float32")
            return self.cast(self.reduce(reducer, wide, axes, keep_dims), value.dtype)
        reduced = {int(axis) % value.rank for axis in axes} if value.rank else set()
        kept = [1 if axis in reduced else size for axis, size in enumerate(value.shape)]
        for start, stop in reversed(_runs(value.shape, reduced)):
            value = self._reduce_run(reducer, value, start, stop)
        if not keep_dims:
            kept = [size for axis, size in enumerate(kept) if axis not in reduced]
        return self.reshape(value, kept)

    def _reduce_run(self, reducer: str, value: Lowered, start: int, stop: int) -> Lowered:
        """Reduces neighbouring axes, merged into one: [outer, middle] or [outer, middle, inner]."""
        shape = value.shape
        outer, middle, inner = prod(shape[:start]), prod(shape[start:stop]), prod(shape[stop:])
        if inner == 1:
            single = stop - start == 1 and stop == value.rank
            merged = value if single else self.reshape(value, (outer, middle))
            result = self._new(
                (*merged.shape[:-1], 1),
                value.dtype,
                Reduced(reducer, (merged.rank - 1,)),
                (merged,),
            )
        else:
            merged = self.reshape(value, (outer, middle, inner))
            result = self._new((outer, 1, inner), value.dtype, Reduced(reducer, (1,)), (merged,))
        return self.reshape(result, (*shape[:start], *[1] * (stop - start), *shape[stop:]))

    def mean(self, value: Lowered, axes: Sequence[int], keep_dims: bool = False) -> Lowered:
        """The sum over axes, divided by the number of elements."""
        if value.dtype in NARROW_FLOATS:
            wide = self.cast(value, "float32")
            return self.cast(self.mean(wide, axes, keep_dims), value.dtype)
        count = 1
        for axis in {int(axis) % value.rank for axis in axes} if value.rank else ():
            count *= value.shape[axis]
        total = self.reduce("sum", value, axes, keep_dims=True)
        result = self.map("div", total, float(count)) if count != 1 else total
        if keep_dims:
            return result
        dropped = {int(axis) % value.rank for axis in axes} if value.rank else set()
        return self.reshape(result, [n for at, n in enumerate(value.shape) if at not in dropped])

    # --- contractions -----------------------------------------------------------------------------

    def convolution(
        self, image: Lowered, weights: Lowered, strides: Shape, pads: Pads, dilations: Shape
    ) -> Lowered:
        """A convolution of [N, H, W, C] with [h, w, C / groups, O]; pads are (before, after)."""
        windows = _windows(weights.shape[:2], strides, pads, dilations)
        channels, depth, filters = image.shape[3], *weights.shape[2:]
        fits = depth and channels % depth == 0 and filters % (channels // depth) == 0
        self.require(fits, "channels that do not fit")
        shape = (image.shape[0], *windows.output_size(image.shape[1:3]), filters)
        return self._contract(shape, DirectConvolution(windows, channels // depth), image, weights)

    def depthwise_convolution(
        self, image: Lowered, weights: Lowered, strides: Shape, pads: Pads, dilations: Shape
    ) -> Lowered:
        """Each channel of [N, H, W, C] by its own filters, [h, w, C, M]."""
        windows = _windows(weights.shape[:2], strides, pads, dilations)
        self.require(image.shape[3] == weights.shape[2], "channels that do not fit")
        channels = image.shape[3] * weights.shape[3]
        shape = (image.shape[0], *windows.output_size(image.shape[1:3]), channels)
        return self._contract(shape, DepthwiseProduct(windows), image, weights)

    def pool(self, mode: str, image: Lowered, window: Shape, strides: Shape, pads: Pads) -> Lowered:
        """The "max" or the "avg" over windows of [N, H, W, C]; one size for each axis."""
        self.require(
            image.rank == 4 and window[0] == window[3] == strides[0] == strides[3] == 1,
            "windows over batches or channels",
        )
        image, pads = _without_zeros(mode, image, window[1:3], pads[1:3])
        windows = _windows(window[1:3], strides[1:3], pads, (1, 1))
        size = windows.output_size(image.shape[1:3])
        shape = (image.shape[0], *size, image.shape[3])
        return self._contract(shape, Pooling(mode, windows), image)

    def matmul(
        self, left: Lowered, right: Lowered, transpose_left: bool, transpose_right: bool
    ) -> Lowered:
        """left · right of [..., M, K] and [..., K, N]; leading axes broadcast."""
        if transpose_left:
            left = self.transpose(left, (*range(left.rank - 2), left.rank - 1, left.rank - 2))
        rows, inner = left.shape[-2:]
        columns, depth = right.shape[-2:] if transpose_right else right.shape[:-3:-1]
        if inner != depth:
            raise CannotCompile("inner sizes differ")
        batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        few = prod(right.shape[:-2]) == 1 or prod(batch) <= _MAX_PRODUCTS
        self.require(few, "more products than calls are worth")
        shape = (*batch, rows, columns)
        return self._contract(shape, MatrixProduct(transpose_right), left, right)

    def einsum(self, equation: str, operands: Sequence[Lowered]) -> Lowered:
        """Σ over labelled axes of the product of two operands."""
        return lower_einsum(self, equation, operands)

    def _contract(self, shape: Shape, contraction: Contraction, *operands: Lowered) -> Lowered:
        if any(operand.dtype != "float32" for operand in operands):
            raise CannotCompile(f"{type(contraction).__name__} of {operands[0].dtype}")
        if 0 in shape or any(0 in operand.shape for operand in operands):
            raise CannotCompile("an empty operand")
        return self._new(shape, "float32", Contracted(contraction), operands)

    def softmax(self, logits: Lowered, log: bool = False) -> Lowered:
        """e^x / Σ e^x over the last axis, or its logarithm."""
        if logits.dtype in NARROW_FLOATS:
            return self.cast(self.softmax(self.cast(logits, "float32"), log), logits.dtype)
        axes = (logits.rank - 1,)
        shifted = logits - self.reduce("max", logits, axes, keep_dims=True)
        powers = self.map("exp", shifted)
        total = self.reduce("sum", powers, axes, keep_dims=True)
        return shifted - self.map("log", total) if log else powers / total

    @staticmethod
    def require(condition: Any, reason: str) -> None:
        """Goes on only under a condition.

        Raises:
          CannotCompile: it does not hold.
        """
        if not condition:
            raise CannotCompile(reason)

    @staticmethod
    def broadcasts_to(value: Lowered, shape: Sequence[int]) -> bool:
        """Whether a value broadcasts to a shape."""
        missing = len(shape) - value.rank
        return missing >= 0 and all(
            size in (1, full) for size, full in zip(value.shape, shape[missing:])
        )

    @staticmethod
    def known(value: Lowered) -> np.ndarray:
        """A value that must be known.

        Raises:
          CannotCompile: it is not.
        """
        if value.known is None:
            raise CannotCompile("an argument that only the run knows")
        return value.known


def _without_zeros(mode: str, image: Lowered, window: Shape, pads: Pads) -> tuple[Lowered, Pads]:
    """A largest value of windows with zeros around the image, where zeros can never be largest.

    Every window holds a pixel, and no pixel is negative: pads that count for nothing do as well.
    """
    origin = image.origin
    if mode != "max" or not isinstance(origin, Padded) or any(map(any, pads)):
        return image, pads
    inner, number = image.operands
    is_positive = isinstance(inner.origin, Map) and inner.origin.step[0] in ("relu", "relu6")
    after = [
        full - before - size for full, before, size in zip(image.shape, origin.before, inner.shape)
    ]
    on_borders = origin.before[0] == origin.before[3] == after[0] == after[3] == 0
    is_zero = isinstance(number.origin, Number) and number.origin.number == 0
    around = list(zip(origin.before[1:3], after[1:3]))
    has_pixels = all(max(pair) < size for pair, size in zip(around, window))
    if is_positive and is_zero and on_borders and has_pixels:
        return inner, around
    return image, pads


def _windows(window: Shape, strides: Shape, pads: Pads, dilations: Shape) -> ConvolutionShape:
    if min(size for pair in pads for size in pair) < 0 or 0 in window:
        raise CannotCompile("negative padding or an empty window")
    vertical, horizontal = pads
    return ConvolutionShape(
        (window[0], window[1]),
        (strides[0], strides[1]),
        (dilations[0], dilations[1]),
        ((vertical[0], vertical[1]), (horizontal[0], horizontal[1])),
    )


def _runs(shape: Shape, axes: set[int]) -> list[tuple[int, int]]:
    """The runs [start, stop) of axes that are all reduced; axes of size 1 belong to either side."""
    runs: list[tuple[int, int]] = []
    for axis, size in enumerate(shape):
        if axis not in axes or size == 1:
            continue
        if runs and all(shape[between] == 1 for between in range(runs[-1][1], axis)):
            runs[-1] = (runs[-1][0], axis + 1)
        else:
            runs.append((axis, axis + 1))
    return runs

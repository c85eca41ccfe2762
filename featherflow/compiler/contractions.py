"""Contractions: convolutions, products and pools, from a lowered value to kernel calls.

Each class says which kernel does the work for given shapes, how its weights lie in memory, and how
the work is split among threads. No split changes the order in which numbers are added, so results
do not depend on the number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Protocol

from featherflow.compiler.column_blocks import tails_of
from featherflow.compiler.convolution import Convolution
from featherflow.compiler.depthwise import DepthwiseConvolution
from featherflow.compiler.kernel_spec import KernelSpec
from featherflow.compiler.lowered import CannotCompile, Contracted, Lowered
from featherflow.compiler.matmul import MatMul
from featherflow.compiler.packing import PackMatrix
from featherflow.compiler.pooling import Pool
from featherflow.compiler.register_tile import Epilogue
from featherflow.compiler.storage import Address, KernelCall, Storage, split_evenly
from featherflow.compiler.target import Target
from featherflow.compiler.winograd_calls import pays, winograd_calls

#: Tiles of rows of a product that stay in cache while a block of weights passes by.
_TILE_BLOCK = 9
#: Operations for which a second thread is worth a barrier.
_WORTH_SPLITTING = 2e5
#: Output rows of a convolution between two passes over the weights, where images are large.
_IMAGE_ROWS = 4
_LARGE_IMAGE = 14
#: The widest cut at a side of an image for which kernels have loops; wider ones pad a copy.
_MAX_CUT = 3

Arguments = dict[str, Address | int]


class Scheduler(Protocol):
    """What a contraction asks for: memory, packed weights, and room for its calls."""

    target: Target
    shares: int

    def storage_of(self, value: Lowered) -> Storage:
        """Where an operand lies, with whatever strides."""
        ...

    def dense(self, value: Lowered) -> Storage:
        """Where an operand lies in C order; copies it if need be."""
        ...

    def padded(self, image: Storage, before: tuple[int, ...], shape: tuple[int, ...]) -> Storage:
        """A copy of an image with zeros around it."""
        ...

    def packed(self, value: Lowered, form: str, width: int, part: slice) -> Address | None:
        """The weights of a known operand in blocks of columns; None if it is not known."""
        ...

    def scratch(self, size: int) -> Address:
        """Memory for this step only."""
        ...

    def add(self, calls: list[list[KernelCall]]) -> None:
        """Adds calls that run between two barriers, by thread."""
        ...

    def call(self, spec: KernelSpec, arguments: Arguments, flops: float) -> KernelCall:
        """A call for the node at work."""
        ...


@dataclass(eq=False, slots=True)
class Work:
    """A contraction to be scheduled.

    Attributes:
      operands: its operands.
      target: where the result goes; its axes are those of the contraction's own result.
      row_stride: bytes from one row of channels to the next.
      epilogue, addresses: what is done to the result, and where its operands lie.
    """

    operands: tuple[Lowered, ...]
    target: Storage
    row_stride: int
    epilogue: Epilogue
    addresses: dict[str, Address]

    @property
    def output(self) -> Address:
        """The first row."""
        return self.target.address

    def as_rows(self) -> Storage:
        """The target as a matrix of rows."""
        *leading, columns = self.target.shape
        shape = (prod(leading), columns)
        return Storage(self.output, shape, (self.row_stride, 4), self.target.dtype)

    def operand_addresses(self, row_bytes: int, row: int = 0, channel: int = 0) -> Arguments:
        """The addresses of the epilogue's operands, for an output that starts elsewhere."""
        moved: Arguments = {}
        for name, kind in zip(self.epilogue.names(), self.epilogue.inputs):
            offset = {"full": row * row_bytes + channel * 4, "channel": channel * 4}.get(kind, 0)
            moved[name] = self.addresses[name] + offset
        return moved


class Contraction(Protocol):
    """A kind of contraction."""

    def schedule(self, s: Scheduler, work: Work, shape: tuple[int, ...]) -> None:
        """Adds the calls that compute a result of `shape`."""
        ...


@dataclass(frozen=True)
class ConvolutionShape:
    """Windows over an image.

    Attributes:
      window, strides, dilations: (vertical, horizontal).
      pads: ((top, bottom), (left, right)).
    """

    window: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    pads: tuple[tuple[int, int], tuple[int, int]]

    def output_size(self, image: tuple[int, ...]) -> tuple[int, int]:
        """Height and width of the result."""
        height, width = (
            (size + sum(pad) - (window - 1) * dilation - 1) // stride + 1
            for size, pad, window, dilation, stride in zip(
                image, self.pads, self.window, self.dilations, self.strides
            )
        )
        if height <= 0 or width <= 0:
            raise CannotCompile("an image smaller than the window")
        return height, width

    @property
    def is_pointwise(self) -> bool:
        """Whether each output pixel comes from the one input pixel at the same place."""
        return self.window == (1, 1) and self.strides == (1, 1) and self.pads == ((0, 0),) * 2

    def cuts(self, width: int, out_width: int) -> tuple[int, int]:
        """The most pixels of a row that the left and the right edge cut off a tap."""
        stride = self.strides[1]
        reach = (self.window[1] - 1) * self.dilations[1] + 1
        left = self.pads[1][0]
        beyond = max((out_width - 1) * stride - left + reach - width, 0)
        return -(-left // stride), -(-beyond // stride)

    def without_pads(self) -> ConvolutionShape:
        """The same windows over an image that is padded already."""
        return ConvolutionShape(self.window, self.strides, self.dilations, ((0, 0), (0, 0)))


def tile_for(target: Target, is_windowed: bool) -> tuple[int, int]:
    """Pixels × vectors in registers: what the prototype measured, scaled to the register file."""
    if target.registers >= 32:
        return (8, 2) if is_windowed else (6, 4)
    return (6, 2) if target.has_fma else (4, 2)


def _splits_columns(
    rows: int, blocks: int, shares: int, weight_bytes: int, input_bytes: int
) -> bool:
    """Whether threads take blocks of columns rather than rows: by balance, then by traffic."""

    def balance(count: int) -> float:
        return count / (shares * -(-count // shares))

    difference = balance(blocks) - balance(rows)
    return difference > 0.05 or (difference > -0.05 and weight_bytes > input_bytes)


@dataclass(frozen=True)
class DirectConvolution:
    """A convolution, grouped or not."""

    windows: ConvolutionShape
    groups: int

    def schedule(self, s: Scheduler, work: Work, shape: tuple[int, ...]) -> None:
        """Pointwise ones are products; one channel a group is depthwise; else as it pays."""
        image, weights = work.operands
        if self.groups > 1 and weights.shape[2] == 1:
            DepthwiseProduct(self.windows).schedule(s, work, shape)
        elif self.groups == 1 and self.windows.is_pointwise:
            stored = s.dense(image)
            rows = prod(image.shape[:-1])
            matrix = stored.with_shape((rows, image.shape[-1]))
            assert matrix is not None
            known_product(s, work, matrix, weights, shape[-1])
        elif self.groups == 1 and pays(self.windows, weights.shape[2], shape):
            self._winograd(s, work, shape)
        else:
            self._direct(s, work, shape)

    def _winograd(self, s: Scheduler, work: Work, shape: tuple[int, ...]) -> None:
        image, weights = work.operands
        tile = tile_for(s.target, False)
        whole = slice(0, shape[3])
        packed = s.packed(weights, "winograd", tile[1] * s.target.lanes(4), whole)
        if packed is None:
            raise CannotCompile("a filter that only the run knows")
        stored = s.dense(image)
        for phase in winograd_calls(s, work, self.windows, stored, packed, tile, shape):
            s.add(phase)

    def _direct(self, s: Scheduler, work: Work, shape: tuple[int, ...]) -> None:
        image, weights = work.operands
        windows, stored = self.windows, s.dense(image)
        tile = tile_for(s.target, windows.window[1] > 1 or windows.window[0] > 1)
        cuts = windows.cuts(stored.shape[2], shape[2])
        span = (min(tile[0], shape[2]) - 1) * windows.strides[1]
        if max(cuts) > _MAX_CUT or span > stored.shape[2]:
            stored = _with_pads(s, stored, windows)
            windows, cuts = windows.without_pads(), (0, 0)
        width = tile[1] * s.target.lanes(4)
        filters = weights.shape[3] // self.groups
        spec = Convolution(
            window=windows.window,
            strides=windows.strides,
            dilations=windows.dilations,
            is_dense=self.groups == 1 and windows.dilations[1] == 1,
            cuts=cuts,
            tile=tile,
            is_even=weights.shape[2] % 4 == 0,
            tails=tails_of(filters, width),
            epilogue_inputs=work.epilogue.inputs,
            epilogue=work.epilogue.steps,
        )
        calls: list[list[KernelCall]] = [[] for _ in range(s.shares)]
        for group in range(self.groups):
            self._group(s, work, spec, windows, stored, group, filters, shape, calls)
        s.add([items for items in calls if items])

    def _group(
        self,
        s: Scheduler,
        work: Work,
        spec: Convolution,
        windows: ConvolutionShape,
        image: Storage,
        group: int,
        filters: int,
        shape: tuple[int, ...],
        calls: list[list[KernelCall]],
    ) -> None:
        """The calls for one group of channels."""
        weights = work.operands[1]
        channels, first = weights.shape[2], group * filters
        width = spec.tile[1] * s.target.lanes(4)
        packed = s.packed(weights, "filter", width, slice(first, first + filters))
        if packed is None:
            raise CannotCompile("a filter that only the run knows")
        row_bytes = shape[3] * 4
        rows, blocks = shape[0] * shape[1], -(-filters // width)
        block = _IMAGE_ROWS if shape[1] > _LARGE_IMAGE else rows
        arguments: Arguments = {
            "input": image.address + group * channels * 4,
            "weights": packed,
            "output": work.output + first * 4,
            "next_weights": packed,
            **work.operand_addresses(row_bytes, channel=first),
            **{"row_begin": 0, "row_end": rows, "row_block": block},
            **{"column_begin": 0, "column_end": blocks},
            **{"channels": channels, "n_size": filters},
            **image_arguments(windows, image.shape, shape),
            **{"input_stride": image.shape[3] * 4, "output_stride": work.row_stride},
            "operand_stride": row_bytes,
        }
        weight_bytes = prod(weights.shape[:3]) * filters * 4
        flops = 2.0 * rows * shape[2] * filters * prod(weights.shape[:3])
        by_columns = _splits_columns(rows, blocks, s.shares, weight_bytes, prod(image.shape) * 4)
        axis, count = ("column", blocks) if by_columns else ("row", rows)
        block_bytes = prod(weights.shape[:3]) * width * 4
        _share_range(s, spec, arguments, axis, count, flops, calls, block_bytes)


def _share_range(
    s: Scheduler,
    spec: KernelSpec,
    arguments: Arguments,
    axis: str,
    count: int,
    flops: float,
    calls: list[list[KernelCall]],
    block_bytes: int = 0,
) -> None:
    """One call for each thread, on its part of the range of an axis.

    Args:
      block_bytes: of one block of columns of the weights.
    """
    shares = len(calls) if flops >= _WORTH_SPLITTING else 1
    for share, (begin, end) in enumerate(split_evenly(count, shares)):
        given = {**arguments, f"{axis}_begin": begin, f"{axis}_end": end}
        call = s.call(spec, given, flops * (end - begin) / count)
        weights = arguments.get("weights")
        if isinstance(weights, Address):
            skipped = begin * block_bytes if axis == "column" else 0
            call.first_weights = weights + skipped
        calls[share].append(call)


def image_arguments(
    windows: ConvolutionShape, image: tuple[int, ...], output: tuple[int, ...]
) -> Arguments:
    """The sizes that every kernel of windows takes."""
    return {
        **{"height": image[1], "width": image[2]},
        **{"out_height": output[1], "out_width": output[2]},
        **{"pad_top": windows.pads[0][0], "pad_left": windows.pads[1][0]},
    }


def _with_pads(s: Scheduler, image: Storage, windows: ConvolutionShape) -> Storage:
    (top, bottom), (left, right) = windows.pads
    batch, height, width, channels = image.shape
    shape = (batch, height + top + bottom, width + left + right, channels)
    return s.padded(image, (0, top, left, 0), shape)


@dataclass(frozen=True)
class DepthwiseProduct:
    """A depthwise convolution."""

    windows: ConvolutionShape

    def schedule(self, s: Scheduler, work: Work, shape: tuple[int, ...]) -> None:
        """Rows of the output are split among threads."""
        image, weights = work.operands
        spec = DepthwiseConvolution(
            channels=image.shape[3],
            multiplier=shape[3] // image.shape[3],
            window=self.windows.window,
            strides=self.windows.strides,
            dilations=self.windows.dilations,
            epilogue_inputs=work.epilogue.inputs,
            epilogue=work.epilogue.steps,
        )
        extra: Arguments = {"filter": s.dense(weights).address}
        flops = 2.0 * prod(shape) * prod(self.windows.window)
        _window_calls(s, work, spec, self.windows, image, shape, extra, flops)


@dataclass(frozen=True)
class Pooling:
    """The largest or the mean of each window."""

    mode: str
    windows: ConvolutionShape

    def schedule(self, s: Scheduler, work: Work, shape: tuple[int, ...]) -> None:
        """Rows of the output are split among threads."""
        (image,) = work.operands
        spec = Pool(
            mode=self.mode,
            channels=image.shape[3],
            window=self.windows.window,
            strides=self.windows.strides,
            dilations=self.windows.dilations,
            epilogue_inputs=work.epilogue.inputs,
            epilogue=work.epilogue.steps,
        )
        flops = 1.0 * prod(shape) * prod(self.windows.window)
        _window_calls(s, work, spec, self.windows, image, shape, {}, flops)


def _window_calls(
    s: Scheduler,
    work: Work,
    spec: KernelSpec,
    windows: ConvolutionShape,
    image: Lowered,
    shape: tuple[int, ...],
    extra: Arguments,
    flops: float,
) -> None:
    """Calls of a kernel that slides windows over rows."""
    stored = s.dense(image)
    arguments: Arguments = {
        **{"input": stored.address, "output": work.output, **extra},
        **work.operand_addresses(shape[3] * 4),
        **image_arguments(windows, stored.shape, shape),
        "output_stride": work.row_stride,
    }
    calls: list[list[KernelCall]] = [[] for _ in range(s.shares)]
    _share_range(s, spec, arguments, "row", shape[0] * shape[1], flops, calls)
    s.add([items for items in calls if items])


# --- products -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MatrixProduct:
    """left · right, by batches.

    Attributes:
      transpose_right: whether `right` is [..., N, K].
    """

    transpose_right: bool

    def schedule(self, s: Scheduler, work: Work, shape: tuple[int, ...]) -> None:
        """One product if `right` has no batches; else one for each."""
        left, right = work.operands
        if prod(right.shape[:-2]) == 1:
            matrix = self._as_rows(s, left)
            if right.known is not None:
                known_product(s, work, matrix, right, shape[-1], self.transpose_right)
                return
            stored = _plane(s, right)
            self._one(s, work, matrix, stored)
            return
        self._batches(s, work, shape)

    def _as_rows(self, s: Scheduler, left: Lowered) -> Storage:
        """[..., M, K] as [rows, K], with contiguous rows."""
        stored = s.storage_of(left)
        rows = (prod(left.shape[:-1]), left.shape[-1])
        matrix = stored.with_shape(rows) if stored.has_contiguous_rows else None
        matrix = matrix or s.dense(left).with_shape(rows)
        assert matrix is not None
        return matrix

    def _one(self, s: Scheduler, work: Work, left: Storage, right: Storage) -> None:
        """One product whose right side is packed by the run: first all pack, then all multiply."""
        tile = tile_for(s.target, False)
        width = tile[1] * s.target.lanes(4)
        k_size, n_size = self._sizes(right)
        blocks = -(-n_size // width)
        packed = s.scratch(blocks * width * k_size * 4)
        spec, arguments = self._packing(s, right, packed, width)
        calls: list[list[KernelCall]] = [[] for _ in range(s.shares)]
        _share_range(s, spec, arguments, "block", blocks, 8.0 * k_size * n_size, calls)
        s.add([items for items in calls if items])
        calls = [[] for _ in range(s.shares)]
        product_calls(s, work, left, packed, work.as_rows(), calls)
        s.add([items for items in calls if items])

    def _batches(self, s: Scheduler, work: Work, shape: tuple[int, ...]) -> None:
        """Each batch is packed and multiplied by one thread; batches are split among threads."""
        left, right = work.operands
        batch = shape[:-2]
        rows = _plane(s, left)
        if not rows.has_contiguous_rows:
            rows = s.dense(left)
        lefts = rows.broadcast_to((*batch, *left.shape[-2:]))
        rights = _plane(s, right).broadcast_to((*batch, *right.shape[-2:]))
        width = tile_for(s.target, False)[1] * s.target.lanes(4)
        k_size, n_size = self._sizes(rights)
        places = list(product(*map(range, batch)))
        size = -(-n_size // width) * width * k_size * 4
        calls: list[list[KernelCall]] = [[] for _ in range(s.shares)]
        for share, (begin, end) in enumerate(split_evenly(len(places), s.shares)):
            packed = s.scratch(size)
            for number in range(begin, end):
                plane = _at(rights, places[number])
                spec, arguments = self._packing(s, plane, packed, width)
                blocks = -(-n_size // width)
                arguments |= {"block_begin": 0, "block_end": blocks}
                calls[share].append(s.call(spec, arguments, 0.0))
                first = number * shape[-2]
                here = [calls[share]]
                rows_here, target = _at(lefts, places[number]), _at(work.target, places[number])
                product_calls(s, work, rows_here, packed, target, here, first)
        s.add([items for items in calls if items])

    def _sizes(self, right: Storage) -> tuple[int, int]:
        rows, columns = right.shape[-2:]
        return (columns, rows) if self.transpose_right else (rows, columns)

    def _packing(
        self, s: Scheduler, right: Storage, packed: Address, width: int
    ) -> tuple[PackMatrix, Arguments]:
        """The kernel that packs one matrix, and its arguments but the range of blocks."""
        rows_are_contiguous = right.has_contiguous_rows
        transposed = self.transpose_right is rows_are_contiguous
        k_size, n_size = self._sizes(right)
        stride = right.strides[-2] if rows_are_contiguous else right.strides[-1]
        arguments: Arguments = {
            **{"source": right.address, "packed": packed, "k_size": k_size, "n_size": n_size},
            "row_stride": stride,
        }
        return PackMatrix(width=width, transposed=transposed), arguments


def is_batched_product(value: Lowered) -> bool:
    """Whether a value is a product that is computed batch by batch, so may lie anywhere."""
    return (
        isinstance(value.origin, Contracted)
        and isinstance(value.origin.contraction, MatrixProduct)
        and prod(value.operands[1].shape[:-2]) > 1
    )


def _plane(s: Scheduler, value: Lowered) -> Storage:
    """Matrices whose rows or whose columns are contiguous."""
    stored = s.storage_of(value)
    if stored.has_contiguous_rows or stored.strides[-2] == 4:
        return stored
    return s.dense(value)


def _at(stored: Storage, place: tuple[int, ...]) -> Storage:
    """The matrix of one batch."""
    offset = sum(index * stride for index, stride in zip(place, stored.strides))
    return Storage(stored.address + offset, stored.shape[-2:], stored.strides[-2:], stored.dtype)


def known_product(
    s: Scheduler,
    work: Work,
    left: Storage,
    right: Lowered,
    n_size: int,
    transpose_right: bool = False,
) -> None:
    """A product by known weights, packed once."""
    width = tile_for(s.target, False)[1] * s.target.lanes(4)
    form = "transposed matrix" if transpose_right else "matrix"
    packed = s.packed(right, form, width, slice(0, n_size))
    if packed is None:
        raise CannotCompile("weights that only the run knows")
    calls: list[list[KernelCall]] = [[] for _ in range(s.shares)]
    product_calls(s, work, left, packed, work.as_rows(), calls)
    s.add([items for items in calls if items])


def product_calls(
    s: Scheduler,
    work: Work,
    left: Storage,
    packed: Address,
    target: Storage,
    calls: list[list[KernelCall]],
    first_row: int = 0,
) -> None:
    """Calls for [rows, K] · packed, split among as many threads as `calls` has lists.

    Args:
      first_row: the place of the target's first row among all rows of the result.
    """
    rows, k_size = left.shape
    n_size = target.shape[1]
    tile = tile_for(s.target, False)
    width = tile[1] * s.target.lanes(4)
    blocks, row_bytes, tiles = -(-n_size // width), n_size * 4, -(-rows // tile[0])
    spec = MatMul(
        tile=tile,
        is_even=k_size % 4 == 0,
        tails=tails_of(n_size, width),
        epilogue_inputs=work.epilogue.inputs,
        epilogue=work.epilogue.steps,
    )
    arguments: Arguments = {
        **{"input": left.address, "weights": packed, "next_weights": packed},
        "output": target.address,
        **work.operand_addresses(row_bytes, row=first_row),
        **{"tile_begin": 0, "tile_end": tiles, "tile_block": _TILE_BLOCK, "rows": rows},
        **{"column_begin": 0, "column_end": blocks, "k_size": k_size, "n_size": n_size},
        **{"input_stride": left.strides[0] if rows > 1 else 0, "output_stride": target.strides[0]},
        "operand_stride": row_bytes,
    }
    flops = 2.0 * rows * k_size * n_size
    shares = len(calls)
    weight_bytes, input_bytes = k_size * n_size * 4, rows * k_size * 4
    by_columns = _splits_columns(tiles, blocks, shares, weight_bytes, input_bytes)
    axis, count = ("column", blocks) if by_columns else ("tile", tiles)
    _share_range(s, spec, arguments, axis, count, flops, calls, k_size * width * 4)

"""Winograd's convolution as kernel calls: when it pays, and how the work is split.

The tiles of all images are one list, cut into blocks whose planes stay in the second-level cache: a
block's patches are transformed, multiplied by the weights place by place, and transformed back.
Threads take whole blocks and never wait for each other; where there are too few blocks for that,
they do each block together, by tiles, by places, by tiles again. The cut into blocks follows from
sizes alone, so that results do not depend on the number of threads.
"""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from featherflow.compiler.column_blocks import tails_of
from featherflow.compiler.matmul import MatMul
from featherflow.compiler.storage import Address, KernelCall, Storage, split_evenly
from featherflow.compiler.winograd import TILE, WinogradInput, WinogradOutput
from featherflow.kernels.winograd_weights import PLACES

if TYPE_CHECKING:
    from featherflow.compiler.contractions import ConvolutionShape, Scheduler, Work

Arguments = dict[str, Address | int]

#: Tiles of a block: at least, at most, and between as many as have planes of so many bytes.
_BLOCK_TILES = (64, 128)
_BLOCK_BYTES = 1 << 20
#: Tiles of a block where large weights pass through the cache with each of them.
_BLOCK_TILES_OF_LARGE = 96
_LARGE_WEIGHTS = 1 << 20
#: The part of the threads' time that is used, below which they do blocks together.
_LEAST_BALANCE = 0.8
#: Tiles of rows between two passes over the weights of a place.
_TILE_BLOCK = 9
#: Planes of whole pages, plus a line, do not fall on the same sets of a cache.
_PAGE = 4096
_LINE = 64

#: What the transforms of a tile cost, for each channel of image and result, in multiply-adds.
_TRANSFORM = 200
#: What 28 bytes cost that the weights of a pair of channels have more than the filter has.
_WEIGHTS = 28 * 8
#: The gain from which on it is worth the larger weights.
_LEAST_GAIN = 1.2


@functools.cache
def is_on() -> bool:
    """Whether the user allows it: FEATHERFLOW_WINOGRAD=0 does not."""
    return os.environ.get("FEATHERFLOW_WINOGRAD", "1") != "0"


def pays(windows: ConvolutionShape, channels: int, shape: tuple[int, ...]) -> bool:
    """Whether it is faster than the definition, for a result of `shape`."""
    if windows.window != (3, 3) or windows.strides != (1, 1) or windows.dilations != (1, 1):
        return False
    batch, height, width, filters = shape
    sizes, pairs = _Sizes.of(channels, shape), channels * filters
    direct = 9 * batch * height * width * pairs
    transforms = sizes.count * (channels + filters) * _TRANSFORM
    cost = (PLACES * sizes.count + _WEIGHTS) * pairs + transforms
    return direct >= _LEAST_GAIN * cost and is_on()


@dataclass(frozen=True)
class _Sizes:
    """The geometry of one convolution.

    Attributes:
      rows, columns: tiles of an image.
      count: tiles of all images.
    """

    channels: int
    filters: int
    rows: int
    columns: int
    count: int

    @classmethod
    def of(cls, channels: int, shape: tuple[int, ...]) -> _Sizes:
        """For a result of `shape`."""
        batch, height, width, filters = shape
        rows, columns = -(-height // TILE), -(-width // TILE)
        return cls(channels, filters, rows, columns, batch * rows * columns)

    def blocks(self) -> list[tuple[int, int]]:
        """The list of tiles, in blocks that are nearly equal."""
        size = self._block_tiles()
        number = -(-self.count // size)
        for multiple in (4, 2):  # so that threads have equally much to do
            rounded = -(-number // multiple) * multiple
            if 2 * self.count >= rounded * size:
                return split_evenly(self.count, rounded)
        return split_evenly(self.count, number)

    def _block_tiles(self) -> int:
        if 4 * PLACES * self.channels * self.filters > _LARGE_WEIGHTS:
            return _BLOCK_TILES_OF_LARGE
        least, most = _BLOCK_TILES
        planes = 4 * PLACES * (self.channels + self.filters)
        return min(most, max(least, _BLOCK_BYTES // planes))


def winograd_calls(
    s: Scheduler,
    work: Work,
    windows: ConvolutionShape,
    image: Storage,
    packed: Address,
    tile: tuple[int, int],
    shape: tuple[int, ...],
) -> list[list[list[KernelCall]]]:
    """The calls, by phase and thread.

    Args:
      image: in C order.
      packed: the weights, by `pack_winograd`.
      tile: rows × vectors of the product, in registers.
    """
    maker = _Maker(s, work, windows, image, packed, tile, shape)
    blocks = maker.sizes.blocks()
    largest = max(end - begin for begin, end in blocks)
    balance = len(blocks) / (s.shares * -(-len(blocks) // s.shares))
    if balance < _LEAST_BALANCE:
        scratch = maker.scratch(largest)
        return [phase for block in blocks for phase in maker.together(block, scratch)]
    alone = []
    for first, last in split_evenly(len(blocks), s.shares):
        scratch = maker.scratch(largest)
        parts = [maker.alone(block, scratch) for block in blocks[first:last]]
        alone.append([call for part in parts for call in part])
    return [alone]


@dataclass(frozen=True)
class _Scratch:
    """The planes of a block: where the first begins, bytes from one to the next."""

    inputs: Address
    outputs: Address
    input_plane: int
    output_plane: int


class _Maker:
    """Makes calls for blocks of tiles."""

    def __init__(
        self,
        s: Scheduler,
        work: Work,
        windows: ConvolutionShape,
        image: Storage,
        packed: Address,
        tile: tuple[int, int],
        shape: tuple[int, ...],
    ) -> None:
        self.s, self.work, self.windows, self.image = s, work, windows, image
        self.packed, self.tile, self.shape = packed, tile, shape
        self.sizes = _Sizes.of(image.shape[3], shape)
        vector = s.target.lanes(4) * 4
        self.input_row, self.output_row = (
            -(-4 * number // vector) * vector
            for number in (self.sizes.channels, self.sizes.filters)
        )

    def scratch(self, tiles: int) -> _Scratch:
        """Memory for the planes of so many tiles."""
        planes = [
            -(-tiles * row // _PAGE) * _PAGE + _LINE for row in (self.input_row, self.output_row)
        ]
        inputs = self.s.scratch(PLACES * sum(planes))
        return _Scratch(inputs, inputs + PLACES * planes[0], *planes)

    def alone(self, block: tuple[int, int], scratch: _Scratch) -> list[KernelCall]:
        """The calls of one thread for a block."""
        begin, end = block
        products = [self._product(place, end - begin, scratch) for place in range(PLACES)]
        return [
            self._input(begin, end, begin, scratch),
            *products,
            self._output(begin, end, begin, scratch),
        ]

    def together(self, block: tuple[int, int], scratch: _Scratch) -> list[list[list[KernelCall]]]:
        """Three phases, in each of which all threads work on a block."""
        begin, end = block
        tiles = [
            (begin + first, begin + last)
            for first, last in split_evenly(end - begin, self.s.shares)
        ]
        return [
            [[self._input(*part, begin, scratch)] for part in tiles],
            [
                [self._product(place, end - begin, scratch) for place in range(first, last)]
                for first, last in split_evenly(PLACES, self.s.shares)
            ],
            [[self._output(*part, begin, scratch)] for part in tiles],
        ]

    def _range(self, begin: int, end: int) -> Arguments:
        sizes = self.sizes
        return {
            **{"tile_begin": begin, "tile_end": end},
            **{"tile_rows": sizes.rows, "tile_columns": sizes.columns},
        }

    def _input(self, begin: int, end: int, first: int, scratch: _Scratch) -> KernelCall:
        """Tiles [begin, end) of a block that begins with `first`."""
        height, width, channels = self.image.shape[1:]
        planes = scratch.inputs + (begin - first) * self.input_row
        arguments: Arguments = {
            **{"input": self.image.address, "planes": planes},
            **self._range(begin, end),
            **{"height": height, "width": width, "channels": channels},
            **{"pad_top": self.windows.pads[0][0], "pad_left": self.windows.pads[1][0]},
            **{"input_stride": channels * 4, "plane_stride": scratch.input_plane},
            "tile_stride": self.input_row,
        }
        spec = WinogradInput(is_cut=self.input_row != channels * 4)
        return self.s.call(spec, arguments, 0.0)

    def _product(self, place: int, rows: int, scratch: _Scratch) -> KernelCall:
        """The product at one place of the patches, all of it by one thread."""
        sizes = self.sizes
        width = self.tile[1] * self.s.target.lanes(4)
        blocks = -(-sizes.filters // width)
        weights = self.packed + place * blocks * width * sizes.channels * 4
        spec = MatMul(self.tile, sizes.channels % 4 == 0, tails_of(sizes.filters, width))
        arguments: Arguments = {
            **{"input": scratch.inputs + place * scratch.input_plane, "weights": weights},
            **{"output": scratch.outputs + place * scratch.output_plane, "next_weights": weights},
            **{"tile_begin": 0, "tile_end": -(-rows // self.tile[0]), "tile_block": _TILE_BLOCK},
            **{"column_begin": 0, "column_end": blocks, "rows": rows},
            **{"k_size": sizes.channels, "n_size": sizes.filters},
            **{"input_stride": self.input_row, "output_stride": self.output_row},
            "operand_stride": 0,
        }
        call = self.s.call(spec, arguments, 2.0 * rows * sizes.channels * sizes.filters)
        call.first_weights = weights
        return call

    def _output(self, begin: int, end: int, first: int, scratch: _Scratch) -> KernelCall:
        """Tiles [begin, end) of a block that begins with `first`."""
        height, width, filters = self.shape[1:]
        epilogue = self.work.epilogue
        planes = scratch.outputs + (begin - first) * self.output_row
        arguments: Arguments = {
            **{"planes": planes, "output": self.work.output},
            **self.work.operand_addresses(filters * 4),
            **self._range(begin, end),
            **{"out_height": height, "out_width": width, "channels": filters},
            **{"output_stride": self.work.row_stride, "operand_stride": filters * 4},
            **{"plane_stride": scratch.output_plane, "tile_stride": self.output_row},
        }
        spec = WinogradOutput(
            is_clipped=(height % TILE > 0, width % TILE > 0),
            is_cut=self.output_row != filters * 4,
            epilogue_inputs=epilogue.inputs,
            epilogue=epilogue.steps,
        )
        return self.s.call(spec, arguments, 0.0)

"""ConstantPool: the known arrays of a model, and their packed forms, each held once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from math import prod

import numpy as np

from featherflow.compiler.lowered import Constant
from featherflow.compiler.storage import Address, Buffer
from featherflow.kernels.packed_weights import pack_filter, pack_matrix
from featherflow.kernels.winograd_weights import pack_winograd

#: Weights lie together in chunks of this size: the kernel backs these by huge pages, so that
#: streaming a model's weights misses few address translations.
_CHUNK_BYTES = 16 << 20
_LINE_BYTES = 64


class _Arena:
    """Memory that is filled from the front and freed as a whole."""

    def __init__(self) -> None:
        self._chunk = np.empty(0, np.uint8)
        self._used = 0

    def empty(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """An array on cache lines of its own."""
        size = prod(shape) * dtype.itemsize
        if self._used + size + _LINE_BYTES > self._chunk.nbytes:
            self._chunk = np.empty(max(_CHUNK_BYTES, size + 2 * _LINE_BYTES), np.uint8)
            self._used = -self._chunk.ctypes.data % _LINE_BYTES
        start = self._used
        self._used = start + -(-size // _LINE_BYTES) * _LINE_BYTES
        return self._chunk[start : start + size].view(dtype).reshape(shape)


class ConstantPool:
    """Shared by all programs of a plan, whatever their shapes.

    Args:
      restore: gives the array of a constant, by its key, where a step holds a stand-in for it.
    """

    def __init__(self, restore: Callable[[Hashable], np.ndarray] | None = None) -> None:
        self._restore = restore
        self._weights = _Arena()
        self._buffers: dict[tuple[Hashable, ...], Buffer] = {}

    def _buffer(self, key: tuple[Hashable, ...], make: Callable[[], np.ndarray]) -> Buffer:
        if key not in self._buffers:
            array = make()
            self._buffers[key] = Buffer("constant", array.nbytes, array=array)
        return self._buffers[key]

    def address(self, constant: Constant) -> Address:
        """A known array in C order."""
        key = (constant.key, "plain")
        return Address(self._buffer(key, lambda: np.ascontiguousarray(self._contents(constant))))

    def _contents(self, constant: Constant) -> np.ndarray:
        if not isinstance(constant.array, StandIn):
            return constant.array
        assert self._restore is not None
        return self._restore(constant.key)

    def number(self, number: float, dtype: str) -> Address:
        """One number."""
        buffer = self._buffer(("number", repr(number), dtype), lambda: np.array(number, dtype))
        return Address(buffer)

    def packed(self, constant: Constant, form: str, width: int, part: slice) -> Address:
        """Weights in blocks of `width` columns.

        Args:
          form: "filter" ([h, w, C, O]), "winograd" (a filter too), "matrix" ([..., K, N]),
            "transposed matrix".
          part: the columns to take.
        """

        def pack() -> np.ndarray:
            array, empty = self._contents(constant), self._weights.empty
            if form == "filter":
                return pack_filter(array[..., part], width, empty)
            if form == "winograd":
                return pack_winograd(array[..., part], width, empty)
            matrix = array.reshape(array.shape[-2:])
            matrix = matrix.T if form == "transposed matrix" else matrix
            return pack_matrix(matrix[:, part], width, empty)

        key = (constant.key, form, width, part.start, part.stop)
        return Address(self._buffer(key, pack))

    @property
    def bytes(self) -> int:
        """The memory of all buffers."""
        return sum(buffer.size for buffer in self._buffers.values())


class StandIn(np.ndarray):
    """What a step holds in the place of a weight that was packed: its shape and dtype."""


def stand_in(array: np.ndarray) -> StandIn:
    """A stand-in, in the memory of one element."""
    return np.broadcast_to(np.zeros((), array.dtype), array.shape).view(StandIn)

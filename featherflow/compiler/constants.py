"""ConstantPool: the known arrays of a model, and their packed forms, each held once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

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

    def hold(self, array: np.ndarray) -> np.ndarray:
        """A copy of an array, on a cache line of its own."""
        if self._used + array.nbytes + _LINE_BYTES > self._chunk.nbytes:
            size = max(_CHUNK_BYTES, array.nbytes + 2 * _LINE_BYTES)
            self._chunk = np.empty(size, np.uint8)
            self._used = -self._chunk.ctypes.data % _LINE_BYTES
        start = self._used
        self._used = start + -(-array.nbytes // _LINE_BYTES) * _LINE_BYTES
        place = self._chunk[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
        place[...] = array
        return place


class ConstantPool:
    """Shared by all programs of a plan, whatever their shapes."""

    def __init__(self) -> None:
        self._weights = _Arena()
        self._buffers: dict[tuple[object, ...], Buffer] = {}
        #: What keys name by identity stays alive, so that no other array takes its place.
        self._kept: dict[int, np.ndarray] = {}

    def _buffer(self, key: tuple[object, ...], make: Callable[[], np.ndarray]) -> Buffer:
        if key not in self._buffers:
            array = make()
            self._buffers[key] = Buffer("constant", array.nbytes, array=array)
        return self._buffers[key]

    def address(self, array: np.ndarray) -> Address:
        """A known array in C order."""
        self._kept[id(array)] = array
        buffer = self._buffer((id(array), "plain"), lambda: np.ascontiguousarray(array))
        return Address(buffer)

    def number(self, number: float, dtype: str) -> Address:
        """One number."""
        buffer = self._buffer(("number", repr(number), dtype), lambda: np.array(number, dtype))
        return Address(buffer)

    def packed(self, array: np.ndarray, form: str, width: int, part: slice) -> Address:
        """Weights in blocks of `width` columns.

        Args:
          form: "filter" ([h, w, C, O]), "winograd" (a filter too), "matrix" ([..., K, N]),
            "transposed matrix".
          part: the columns to take.
        """
        self._kept[id(array)] = array

        def pack() -> np.ndarray:
            if form == "filter":
                return self._weights.hold(pack_filter(array[..., part], width))
            if form == "winograd":
                return self._weights.hold(pack_winograd(array[..., part], width))
            matrix = array.reshape(array.shape[-2:])
            matrix = matrix.T if form == "transposed matrix" else matrix
            return self._weights.hold(pack_matrix(matrix[:, part], width))

        key = (id(array), form, width, part.start, part.stop)
        return Address(self._buffer(key, pack))

    @property
    def bytes(self) -> int:
        """The memory of all buffers."""
        return sum(buffer.size for buffer in self._buffers.values())

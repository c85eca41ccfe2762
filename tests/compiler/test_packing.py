"""Packing into blocks of columns: the kernel at every level, and the NumPy functions."""

from __future__ import annotations

import numpy as np
import pytest

from compiler.kernel_runner import guarded, host_levels, run_kernel
from featherflow.compiler.kernel_spec import parse_spec
from featherflow.compiler.packing import PackMatrix
from featherflow.compiler.target import Target
from featherflow.kernels.packed_weights import pack_filter, pack_matrix

LEVELS = pytest.mark.parametrize("target", host_levels(), ids=lambda target: target.name)
_SAMPLE, _ALL = 150, 4000


def formula(matrix: np.ndarray, width: int) -> np.ndarray:
    """The layout, element by element."""
    rows, columns = matrix.shape
    packed = np.zeros((-(-columns // width), rows, width), matrix.dtype)
    for k, n in np.ndindex(rows, columns):
        packed[n // width, k, n % width] = matrix[k, n]
    return packed


def run(source: np.ndarray, width: int, transposed: bool, target: Target, cut: int) -> np.ndarray:
    """Packs in two shares, into poison between canaries."""
    k_size, n_size = source.shape[::-1] if transposed else source.shape
    blocks = -(-n_size // width)
    packed = guarded((blocks, k_size, width), np.float32)
    spec = PackMatrix(width, transposed)
    assert parse_spec(spec.text()) == spec
    sizes = {"k_size": k_size, "n_size": n_size, "row_stride": source.strides[0]}
    for begin, end in ((0, min(cut, blocks)), (min(cut, blocks), blocks)):
        shares = {"block_begin": begin, "block_end": end}
        run_kernel(spec, {"source": source, "packed": packed, **sizes, **shares}, target)
    return np.asarray(packed)


@LEVELS
@pytest.mark.parametrize("transposed", [False, True])
def test_random_matrices(target: Target, transposed: bool, request: pytest.FixtureRequest) -> None:
    rng = np.random.default_rng(transposed)
    for _ in range(_ALL if request.config.getoption("--all") else _SAMPLE):
        k_size, n_size = (int(size) for size in rng.integers(1, rng.choice([5, 40, 150], 2)))
        width = int(rng.choice([4, 16, 32, 48, 64]))
        matrix = rng.standard_normal((k_size, n_size)).astype(np.float32)
        stored = matrix.T if transposed else matrix
        # NaN shows in the packed matrix if anything beside the source is read into it.
        wide = np.full((stored.shape[0] + 2, stored.shape[1] + 32), np.nan, np.float32)
        extra = int(rng.integers(0, 17))
        source = wide[1:-1, extra : extra + stored.shape[1]]
        source[...] = stored
        found = run(source, width, transposed, target, int(rng.integers(0, 4)))
        np.testing.assert_array_equal(found, pack_matrix(matrix, width))


@LEVELS
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_empty_matrices(target: Target, transposed: bool, shape: tuple[int, int]) -> None:
    source = np.zeros(shape[::-1] if transposed else shape, np.float32)
    assert run(source, 16, transposed, target, 0).size == 0


@pytest.mark.parametrize("shape", [(1, 1), (3, 16), (5, 17), (7, 47), (0, 3), (3, 0)])
@pytest.mark.parametrize("width", [1, 16, 48])
@pytest.mark.parametrize("layout", ["C", "F", "steps"])
def test_pack_matrix(shape: tuple[int, int], width: int, layout: str) -> None:
    matrix = np.arange(shape[0] * shape[1], dtype=np.float32).reshape(shape) + 1
    if layout == "steps":
        matrix = np.repeat(np.repeat(matrix, 2, axis=0), 3, axis=1)[::2, ::3]
    else:
        matrix = np.asarray(matrix, order=layout)  # type: ignore[call-overload]
    packed = pack_matrix(matrix, width)
    np.testing.assert_array_equal(packed, formula(matrix, width))
    assert packed.dtype == np.float32
    assert packed.flags.c_contiguous
    assert packed.size == 0 or packed.ctypes.data % 64 == 0


@pytest.mark.parametrize("outputs", [1, 16, 37, 64])
def test_pack_filter(outputs: int) -> None:
    filter = np.random.default_rng(0).standard_normal((3, 2, 5, outputs)).astype(np.float32)
    packed = pack_filter(filter, 16)
    assert packed.shape == (-(-outputs // 16), 3, 2, 5, 16)
    flat = formula(filter.reshape(30, outputs), 16)
    np.testing.assert_array_equal(packed.reshape(flat.shape), flat)
    assert packed.flags.c_contiguous
    assert packed.size == 0 or packed.ctypes.data % 64 == 0

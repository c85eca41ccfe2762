"""Runs kernels in tests: emits, compiles, maps, calls them; arrays that show stray writes."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

import numpy as np

from featherflow.compiler import codegen, kernel_spec
from featherflow.compiler.image import MappedImage, link
from featherflow.compiler.kernel_spec import ENTRY, KernelSpec
from featherflow.compiler.target import Target, host_target, target_named

_images: dict[tuple[str, str], MappedImage] = {}
#: Bytes before and behind each guarded array; the canary is no number that a kernel writes.
_MARGIN = 256
_CANARY = 0xA5


def host_levels() -> list[Target]:
    """All levels that this machine has, lowest first."""
    best = host_target().name
    names = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"]
    if best not in names:
        return [target_named(best)]
    return [target_named(name) for name in names[: names.index(best) + 1]]


def kernel_image(spec: KernelSpec, target: Target | None = None) -> MappedImage:
    """The kernel's image, made once in this process."""
    target = target or host_target()
    key = (spec.text(), target.name)
    if key not in _images:
        text = kernel_spec.emit(spec.text(), target)
        _images[key] = MappedImage.from_bytes(link(codegen.compile_object(text, target)))
    return _images[key]


def kernel_assembly(spec: KernelSpec, target: Target | None = None) -> str:
    """The kernel as assembly text."""
    target = target or host_target()
    return codegen.assembly(kernel_spec.emit(spec.text(), target), target)


def run_kernel(
    spec: KernelSpec,
    arguments: Mapping[str, int | np.ndarray],
    target: Target | None = None,
    status: int = 0,
) -> None:
    """Calls the kernel with its arguments by name; an array stands for its address."""
    assert set(arguments) == set(spec.fields), set(arguments) ^ set(spec.fields)
    block = (ctypes.c_int64 * max(len(spec.fields), 1))()
    for place, name in enumerate(spec.fields):
        given = arguments[name]
        block[place] = given.ctypes.data if isinstance(given, np.ndarray) else int(given)
    image = kernel_image(spec, target)
    entry = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(image.address(ENTRY))
    assert entry(ctypes.addressof(block)) == status
    check_guards(*(given for given in arguments.values() if isinstance(given, np.ndarray)))


def guarded(shape: int | tuple[int, ...], dtype: object, misalign: int = 0) -> np.ndarray:
    """An array full of poison, between canaries; `check_guards` looks at those.

    Args:
      misalign: elements by which it misses an address that is a multiple of 64.
    """
    shape = (shape,) if isinstance(shape, int) else shape
    kind = np.dtype(dtype)  # type: ignore[call-overload]
    size = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    block = np.full(size + 2 * _MARGIN + 128, _CANARY, np.uint8)
    start = _MARGIN + -(block.ctypes.data + _MARGIN) % 64 + misalign * kind.itemsize
    array = np.ndarray(shape, kind, block.data, start).view(_Guarded)
    array.block, array.start = block, start
    if kind.kind == "b":
        array[...] = False
    return array


def guarded_copy(array: np.ndarray, misalign: int = 0) -> np.ndarray:
    """A guarded array with the contents of `array`."""
    copy = guarded(array.shape, array.dtype, misalign)
    copy[...] = array
    return copy


class _Guarded(np.ndarray):
    block: np.ndarray | None = None
    start: int = 0


def check_guards(*arrays: np.ndarray) -> None:
    """Fails if anything next to guarded arrays has changed."""
    for array in arrays:
        block = getattr(array, "block", None)
        if block is None:
            continue
        stop = array.start + array.nbytes
        assert (block[: array.start] == _CANARY).all(), "written before the array"
        assert (block[stop:] == _CANARY).all(), "written behind the array"

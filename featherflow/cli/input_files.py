"""Values of a model's inputs: from .npy, .npz, image and text files, or written out."""

from __future__ import annotations

import ast
import os
import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.cli.command_error import CommandError
from featherflow.cli.images import ImageOptions, read_image
from featherflow.framework import dtypes
from featherflow.graph.tensor import Tensor

_IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff")
_TEXTS = (".txt", ".csv")
_KINDS = f".npy, .npz, {', '.join(_IMAGES + _TEXTS)}, or a number or list such as [0.5, 1]"


def read_input(tensor: Tensor, sources: Sequence[str], options: ImageOptions) -> np.ndarray:
    """The value of an input from one source; from several, joined along the batch.

    Raises:
      CommandError: a source cannot be read, or does not fit.
    """
    values = [_fit(_read(tensor, source, options), tensor, source) for source in sources]
    if len(values) == 1:
        return values[0]
    if values[0].ndim == 0:
        raise CommandError(f"{tensor.name} has no batch to join {len(values)} files along.")
    shapes = {value.shape[1:] for value in values}
    if len(shapes) > 1:
        raise CommandError(
            f"the files for {tensor.name} differ in shape: {', '.join(map(str, sorted(shapes)))}; "
            "pass --size HxW for images of different sizes."
        )
    return np.concatenate(values)


def _read(tensor: Tensor, source: str, options: ImageOptions) -> np.ndarray:
    ending = os.path.splitext(source)[1].lower()
    if not os.path.isfile(source):
        return _read_literal(tensor, source)
    if ending in (".npy", ".npz"):
        return _cast(_read_numpy(tensor, source), tensor, source)
    if ending in _IMAGES:
        if tensor.dtype.base_dtype is dtypes.string:  # the model decodes it
            return _strings([_content(source)]).reshape(())
        return read_image(source, tensor, options)
    if ending in _TEXTS:
        return _read_text(tensor, source)
    raise CommandError(f"{source}: an input is one of {_KINDS}.")


def _read_literal(tensor: Tensor, text: str) -> np.ndarray:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise CommandError(f"no such file: {text}; an input is one of {_KINDS}.") from None
    if tensor.dtype.base_dtype is dtypes.string:
        array = np.asarray(value)
        return _strings([str(item).encode() for item in array.flat]).reshape(array.shape)
    return _cast(np.asarray(value), tensor, text)


def _read_numpy(tensor: Tensor, path: str) -> np.ndarray:
    try:
        with open(path, "rb") as file:
            loaded = np.load(file, allow_pickle=False)  # a pickle could run any Python
            return loaded if isinstance(loaded, np.ndarray) else _from_archive(loaded, tensor, path)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise CommandError(f"cannot read {path}: {error}") from None


def _from_archive(archive: Any, tensor: Tensor, path: str) -> np.ndarray:
    """The array called like the input, or the only one."""
    for name in (tensor.name, tensor.op.name):
        if name in archive.files:
            return archive[name]
    if len(archive.files) == 1:
        return archive[archive.files[0]]
    raise CommandError(
        f"{path} has no array '{tensor.op.name}'; it has: {', '.join(archive.files) or 'none'}."
    )


def archive_names(path: str) -> list[str]:
    """The names of the arrays in an .npz file."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            return list(archive.files)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise CommandError(f"cannot read {path}: {error}") from None


# --- text -----------------------------------------------------------------------------------------


def _read_text(tensor: Tensor, path: str) -> np.ndarray:
    """Strings: the lines, or all of the file for a scalar. Numbers: those of each line in a row."""
    content = _content(path)
    rank = tensor.shape.rank
    if tensor.dtype.base_dtype is dtypes.string:
        return _strings([content.rstrip(b"\r\n")]).reshape(()) if rank == 0 else _lines(content)
    try:
        rows = [
            [float(item) for item in line.replace(b",", b" ").split()]
            for line in content.splitlines()
            if line.strip()
        ]
    except ValueError as error:
        raise CommandError(f"{path} holds more than numbers: {error}") from None
    if len({len(row) for row in rows}) > 1:
        raise CommandError(f"the lines of {path} do not hold equally many numbers.")
    return _cast(_shaped(np.array(rows), tensor), tensor, path)


def _shaped(numbers: np.ndarray, tensor: Tensor) -> np.ndarray:
    """Rows of numbers in the shape that a tensor has, as far as it is known."""
    shape = tensor.shape
    if shape.rank == 0 and numbers.size == 1:
        return numbers.reshape(())
    if shape.rank == 1:
        return numbers.reshape(-1)
    if shape.rank is not None and shape.rank > 2 and shape[1:].is_fully_defined():
        row = shape[1:].num_elements()
        if row and numbers.size % row == 0:
            return numbers.reshape([-1, *shape[1:].as_list()])
    return numbers


def _lines(content: bytes) -> np.ndarray:
    return _strings(content.splitlines())


def _strings(items: Sequence[bytes]) -> np.ndarray:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror}") from None


# --- fitting --------------------------------------------------------------------------------------


def _cast(array: np.ndarray, tensor: Tensor, source: str) -> np.ndarray:
    dtype = tensor.dtype.base_dtype
    if dtype is dtypes.string:
        if array.dtype.kind not in "SU":
            raise CommandError(f"{tensor.name} takes strings, {source} holds {array.dtype}.")
        items = [
            item.encode() if isinstance(item, str) else item for item in array.ravel().tolist()
        ]
        return _strings(items).reshape(array.shape)
    if array.dtype == dtype.numpy_dtype:
        return array
    are_whole = array.dtype.kind in "iu" or (
        array.dtype.kind == "f" and bool(np.all(array == np.rint(array)))
    )
    fits = np.can_cast(array.dtype, dtype.numpy_dtype, "same_kind")
    if array.dtype.kind not in "biufc" or not (fits or (are_whole and dtype.is_integer)):
        raise CommandError(f"{tensor.name} takes {dtype.name}, {source} holds {array.dtype}.")
    return array.astype(dtype.numpy_dtype)


def _fit(array: np.ndarray, tensor: Tensor, source: str) -> np.ndarray:
    """`array` as a value of a tensor; one example gets the batch that the tensor has."""
    shape = tensor.shape
    if shape.rank == array.ndim + 1 and shape[1:].is_compatible_with(array.shape):
        array = array[np.newaxis]
    if not shape.is_compatible_with(array.shape):
        raise CommandError(f"{tensor.name} takes shape {shape}, {source} holds {array.shape}.")
    return array

"""InitializeTableFromTextFile: the content of a static table from the lines of a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError, OutOfRangeError
from featherflow.framework.file_errors import as_op_errors, local_path
from featherflow.framework.lookup_table import LookupTable
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.kernels.number_text import parser_for
from featherflow.kernels.string_arrays import text_bytes
from featherflow.ops.lookup_table_ops import define_twins, handle_only

#: In the place of a column: all of the line, or its number.
WHOLE_LINE, LINE_NUMBER = -2, -1


def _text_file_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(1, 0)
    return handle_only(c)


def _text_file_cpu(
    table_handle: LookupTable,
    filename: np.ndarray,
    *,
    key_index: int,
    value_index: int,
    vocab_size: int,
    delimiter: str,
    offset: int,
) -> None:
    if filename.ndim:
        raise InvalidArgumentError(
            None, None, "filename should be a single string", received=f"{list(filename.shape)}"
        )
    separator = text_bytes(delimiter)
    if len(separator) != 1:
        raise InvalidArgumentError(
            None, None, "delimiter should be only 1 char", received=repr(delimiter)
        )
    path = local_path(filename.item())
    lines = _read_lines(path, vocab_size)
    columns = [
        _Column(path, index, dtype, separator, offset).read(lines)
        for index, dtype in (
            (key_index, table_handle.key_dtype),
            (value_index, table_handle.value_dtype),
        )
    ]
    table_handle.initialize(*columns)


def _read_lines(path: str, vocab_size: int) -> list[bytes]:
    """The lines of a file, the first `vocab_size` of them unless that is −1."""
    with as_op_errors(path), open(path, "rb") as file:
        content = file.read()
    if not content and vocab_size == -1:
        raise OutOfRangeError(None, None, f"{path} is empty")
    lines = [line.removesuffix(b"\r") for line in content.removesuffix(b"\n").split(b"\n")]
    if vocab_size != -1:
        if len(lines) < vocab_size:
            raise InvalidArgumentError(
                None,
                None,
                f"Invalid vocab_size in {path}",
                received=f"{len(lines)} lines",
                expected=f"{vocab_size} or more",
            )
        lines = lines[:vocab_size]
    if b"" in lines:
        raise InvalidArgumentError(
            None, None, f"Invalid content in {path}: line {lines.index(b'')} is empty"
        )
    return lines


class _Column:
    """What stands in a column of the file, as an array of a type."""

    def __init__(self, path: str, index: int, dtype: DType, separator: bytes, offset: int) -> None:
        self._path = path
        self._index = index
        self._dtype = dtype
        self._separator = separator
        self._offset = offset

    def read(self, lines: list[bytes]) -> np.ndarray:
        """The column of all lines."""
        kind = self._dtype.numpy_dtype
        if self._index == LINE_NUMBER:
            if not self._dtype.is_integer:
                raise InvalidArgumentError(
                    None, None, "Line numbers are int64", received=self._dtype.name
                )
            return np.arange(self._offset, self._offset + len(lines), dtype=kind)
        parse: Callable[[bytes], Any] = bytes if kind.kind == "O" else parser_for(kind)
        array = np.empty(len(lines), kind)
        array[:] = [self._parsed(parse, number, line) for number, line in enumerate(lines)]
        return array

    def _parsed(self, parse: Callable[[bytes], Any], number: int, line: bytes) -> Any:
        field = line
        if self._index != WHOLE_LINE:
            fields = line.split(self._separator)
            if len(fields) <= self._index:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Invalid number of columns in {self._path} line {number}",
                    received=len(fields),
                    expected=f"{self._index + 1} or more",
                )
            field = fields[self._index]
        value = parse(field)
        if value is None:
            raise InvalidArgumentError(
                None,
                None,
                f"Field {field!r} in line {number} is not a valid {self._dtype.name}",
            )
        return value


InitializeTableFromTextFileV2 = define_twins(
    "InitializeTableFromTextFile",
    inputs=("filename: string",),
    attrs=(
        "key_index: int >= -2",
        "value_index: int >= -2",
        "vocab_size: int >= -1 = -1",
        "delimiter: string = '\\t'",
        "offset: int = 0",
    ),
    ref_shape_fn=_text_file_shape,
    shape_fn=_text_file_shape,
    kernel=_text_file_cpu,
    touches_world=True,
)

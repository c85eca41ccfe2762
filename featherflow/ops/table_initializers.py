"""What static tables are filled with: tensors of keys and values, or the lines of a file."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import GraphKeys, add_to_collection, name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.lookup_table_ops import LookupTableImportV2
from featherflow.ops.table_file_ops import (
    LINE_NUMBER,
    WHOLE_LINE,
    InitializeTableFromTextFileV2,
)


class TableInitializer:
    """Base of what fills a static table.

    Args:
      key_dtype, value_dtype: of the table.
    """

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The type of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The type of the values."""
        return self._value_dtype

    @property
    def shared_name(self) -> str:
        """What a table of the same content is called by every step; "" if it has no name."""
        return ""

    def initialize(self, table: Any) -> Operation | None:
        """The Operation that fills `table`."""
        raise NotImplementedError(type(self).__name__)

    def check_dtypes(self, table: Any) -> None:
        """Raises TypeError unless the table has the types of the initializer."""
        if table.key_dtype != self.key_dtype or table.value_dtype != self.value_dtype:
            raise TypeError(
                f"Invalid key/value dtypes, expected ({self.key_dtype.name}, "
                f"{self.value_dtype.name}) but got ({table.key_dtype.name}, "
                f"{table.value_dtype.name})."
            )


@export("lookup.KeyValueTensorInitializer")
@export_v1("contrib.lookup.KeyValueTensorInitializer")
class KeyValueTensorInitializer(TableInitializer):
    """Keys and values from tensors.

    Args:
      keys: a vector.
      values: a vector of the same size.
      key_dtype, value_dtype: None takes what `keys` and `values` are.
      name: of the nodes.

    >>> import featherflow as tf
    >>> table = tf.lookup.StaticHashTable(
    ...     tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), default_value=-1
    ... )
    >>> with tf.Session() as sess:
    ...     sess.run(tf.tables_initializer())
    ...     sess.run(table.lookup(tf.constant(["b", "c"]))).tolist()
    [2, -1]
    """

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: Any = None,
        value_dtype: Any = None,
        name: str | None = None,
    ) -> None:
        self._keys = convert_to_tensor(keys, key_dtype, name="keys")
        self._values = convert_to_tensor(values, value_dtype, name="values")
        self._name = "key_value_init" if name is None else name
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> Operation | None:
        """The Operation that fills `table`."""
        self.check_dtypes(table)
        with name_scope(self._name, None, [table.resource_handle, self._keys, self._values]):
            initialize = LookupTableImportV2(table.resource_handle, self._keys, self._values)
        if initialize is None:  # it ran at once
            return initialize
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, initialize)
        return initialize


@export("lookup.TextFileIndex")
@export_v1("contrib.lookup.TextFileIndex")
class TextFileIndex:
    """In the place of a column of a file: all of the line, or its number from 0."""

    WHOLE_LINE = WHOLE_LINE
    LINE_NUMBER = LINE_NUMBER


@export("lookup.TextFileInitializer")
@export_v1("contrib.lookup.TextFileInitializer")
class TextFileInitializer(TableInitializer):
    """Keys and values from the lines of a file.

    Args:
      filename: a string or a scalar tensor.
      key_dtype, value_dtype: of the table.
      key_index, value_index: the column, or one of `TextFileIndex`.
      vocab_size: how many lines to read; None is all.
      delimiter: one character, which separates columns.
      name: of the nodes.
      value_index_offset: the number of the first line.
    Raises:
      ValueError: there is no such column, or its type is another.
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        if not isinstance(filename, Tensor) and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        super().__init__(key_dtype, value_dtype)
        _check_column("key", key_index, self.key_dtype)
        _check_column("value", value_index, self.value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        self._filename_arg = filename
        self._filename = convert_to_tensor(filename, dtypes.string, name="asset_path")
        self._key_index = key_index
        self._value_index = value_index
        self._vocab_size = vocab_size
        self._delimiter = delimiter
        self._name = "text_file_init" if name is None else name
        self._offset = value_index_offset

    @property
    def shared_name(self) -> str:
        """The file, and what is taken from it: tables of the same content are one."""
        if isinstance(self._filename_arg, Tensor):
            return ""
        parts = [self._filename_arg, self._vocab_size, self._key_index, self._value_index]
        if self._offset:
            parts.append(self._offset)
        return "_".join(["hash_table", *(str(part) for part in parts if part is not None)])

    def initialize(self, table: Any) -> Operation | None:
        """The Operation that fills `table`."""
        self.check_dtypes(table)
        with name_scope(self._name, None, [table.resource_handle, self._filename]):
            initialize = InitializeTableFromTextFileV2(
                table.resource_handle,
                self._filename,
                key_index=self._key_index,
                value_index=self._value_index,
                vocab_size=-1 if self._vocab_size is None else self._vocab_size,
                delimiter=self._delimiter,
                offset=self._offset,
            )
        if initialize is None:  # it ran at once
            return initialize
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, initialize)
        if self._filename.__class__ is Tensor and self._filename.op.type == "Const":
            add_to_collection(GraphKeys.ASSET_FILEPATHS, self._filename)
        return initialize


def _check_column(role: str, index: int, dtype: DType) -> None:
    if index < WHOLE_LINE:
        raise ValueError(f"`{role}_index` should be >= {WHOLE_LINE}, received: {index}.")
    if index == LINE_NUMBER and dtype is not dtypes.int64:
        raise ValueError(
            f"`{role}_dtype` must be int64 if `{role}_index` is {LINE_NUMBER}, received: {dtype}"
        )
    if index == WHOLE_LINE and not (dtype.is_integer or dtype is dtypes.string):
        raise ValueError(
            f"`{role}_dtype` should be either integer or string for `{role}_index` {WHOLE_LINE}, "
            f"received: {dtype}"
        )

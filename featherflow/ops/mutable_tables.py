"""tf.lookup.experimental: tables that steps change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import GraphKeys, add_to_collection, name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor, name_of_handle
from featherflow.ops import hash_table_ops
from featherflow.ops.lookup_table_ops import (
    LookupTableExportV2,
    LookupTableFindV2,
    LookupTableImportV2,
    LookupTableInsertV2,
    LookupTableRemoveV2,
    LookupTableSizeV2,
)
from featherflow.ops.static_tables import LookupInterface


@dataclass(frozen=True)
class TableSpec:
    """One tensor of a table in a checkpoint: what, all of it, its name and type."""

    tensor: Tensor
    slice_spec: str
    name: str
    dtype: DType


class SaveableTable:
    """How a checkpoint saves and restores a mutable table: its keys and its values.

    Attributes:
      op: the table.
      name: of the table in the checkpoint.
      specs: of the keys and the values.
    """

    def __init__(self, table: MutableTable, name: str) -> None:
        keys, values = table.export()
        self.op = table
        self.name = name
        self.specs = [
            TableSpec(keys, "", f"{name}-keys", keys.dtype),
            TableSpec(values, "", f"{name}-values", values.dtype),
        ]

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Operation:
        """The Operation that gives the table what a checkpoint holds."""
        del restored_shapes
        with name_scope(f"{self.name}_table_restore"):
            return LookupTableImportV2(
                self.op.resource_handle, restored_tensors[0], restored_tensors[1]
            )


class MutableTable(LookupInterface):
    """What tables have in common that steps change.

    Args:
      handle: of the table.
      key_dtype, value_dtype: of the table.
      default_value: a tensor, the value of keys that are not there.
      checkpoint: whether checkpoints save the table.
    """

    def __init__(
        self,
        handle: Tensor,
        key_dtype: DType,
        value_dtype: DType,
        default_value: Tensor,
        checkpoint: bool,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._handle = handle
        self._default_value = default_value
        self._name = name_of_handle(handle, "table")
        if checkpoint and handle.__class__ is Tensor:
            add_to_collection(GraphKeys.SAVEABLE_OBJECTS, SaveableTable(self, self._name))

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._name

    @property
    def resource_handle(self) -> Tensor:
        """The handle of the table."""
        return self._handle

    def size(self, name: str | None = None) -> Tensor:
        """How many keys there are: a scalar of int64."""
        with name_scope(name, f"{self._name}_Size", [self._handle]):
            return LookupTableSizeV2(self._handle)

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """The values of keys, and the default value where there is none.

        Args:
          keys: of the type of the keys.
          name: of the nodes.
        Returns:
          The shape of `keys` less that of one key, and that of a value.
        """
        with name_scope(name, f"{self._name}_lookup_table_find", [self._handle, keys]):
            keys = convert_to_tensor(keys, self._key_dtype, name="keys")
            return LookupTableFindV2(self._handle, keys, self._default_value)

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Operation:
        """The Operation that sets the values of keys, whether they are there or not."""
        with name_scope(name, f"{self._name}_lookup_table_insert", [self._handle, keys, values]):
            keys = convert_to_tensor(keys, self._key_dtype, name="keys")
            values = convert_to_tensor(values, self._value_dtype, name="values")
            return LookupTableInsertV2(self._handle, keys, values)

    def remove(self, keys: Any, name: str | None = None) -> Operation:
        """The Operation that forgets keys; those that are not there are no matter.

        Raises:
          TypeError: the keys have another type.
        """
        self.check_key_dtype(keys)
        with name_scope(
            name, f"{self._name}_lookup_table_remove", [self._handle, keys, self._default_value]
        ):
            return LookupTableRemoveV2(self._handle, keys)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """(keys, values) of the table, in no particular order."""
        with name_scope(name, f"{self._name}_lookup_table_export_values", [self._handle]):
            keys, values = LookupTableExportV2(
                self._handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype
            )
        return keys, values


@export("lookup.experimental.MutableHashTable")
@export_v1("contrib.lookup.MutableHashTable")
class MutableHashTable(MutableTable):
    """A table that steps change.

    Args:
      key_dtype, value_dtype: of the table.
      default_value: a scalar or a vector, the value of keys that are not there; all values have
        its shape.
      name: of the table.
      checkpoint: whether checkpoints save the table.
      experimental_is_anonymous: whether every run makes a table of its own.

    >>> import featherflow as tf
    >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    >>> insert = table.insert(["a"], [7])
    >>> with tf.Session() as sess:
    ...     sess.run(insert)
    ...     sess.run(table.lookup(["a", "b"])).tolist()
    [7, -1]
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        types = LookupInterface(key_dtype, value_dtype)
        default = convert_to_tensor(default_value, types.value_dtype)
        attrs: dict[str, Any] = {"key_dtype": types.key_dtype, "value_dtype": types.value_dtype}
        if default.shape.rank != 0:
            attrs["value_shape"] = default.shape
        if experimental_is_anonymous:
            op = (
                hash_table_ops.AnonymousMutableHashTable
                if default.shape.rank == 0
                else hash_table_ops.AnonymousMutableHashTableOfTensors
            )
        else:
            attrs["use_node_name_sharing"] = True
            op = (
                hash_table_ops.MutableHashTableV2
                if default.shape.rank == 0
                else hash_table_ops.MutableHashTableOfTensorsV2
            )
        handle = op(**attrs, name=name)
        super().__init__(handle, types.key_dtype, types.value_dtype, default, checkpoint)

    def lookup(
        self, keys: Any, dynamic_default_values: Any = None, name: str | None = None
    ) -> Tensor:
        """The values of keys, and a default value where there is none.

        Args:
          keys: of the type of the keys.
          dynamic_default_values: None for the table's default value, or a value for all or each of
            the keys.
          name: of the nodes.
        Returns:
          The shape of `keys`, and that of a value.
        """
        default = self._default_value if dynamic_default_values is None else dynamic_default_values
        with name_scope(name, f"{self._name}_lookup_table_find", [self._handle, keys, default]):
            keys = convert_to_tensor(keys, self._key_dtype, name="keys")
            return LookupTableFindV2(self._handle, keys, default)


@export("lookup.experimental.DenseHashTable")
@export_v1("contrib.lookup.MutableDenseHashTable")
class DenseHashTable(MutableTable):
    """A table that steps change, with keys that mark its empty and deleted buckets.

    Args:
      key_dtype, value_dtype: of the table.
      default_value: a scalar or a vector, the value of keys that are not there.
      empty_key, deleted_key: two different keys that nobody uses; their shape is that of all keys.
      initial_num_buckets: a power of two, 4 or more; None is 131072.
      name: of the table.
      checkpoint: whether checkpoints save the table.
      experimental_is_anonymous: whether every run makes a table of its own.

    >>> import featherflow as tf
    >>> table = tf.lookup.experimental.DenseHashTable(
    ...     tf.int64, tf.int64, default_value=-1, empty_key=0, deleted_key=-1
    ... )
    >>> with tf.Session() as sess:
    ...     sess.run(table.insert([5], [7]))
    ...     sess.run(table.lookup([5, 6])).tolist()
    [7, -1]
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        types = LookupInterface(key_dtype, value_dtype)
        default = convert_to_tensor(default_value, types.value_dtype, name="default_value")
        marks = [
            convert_to_tensor(empty_key, types.key_dtype, name="empty_key"),
            convert_to_tensor(deleted_key, types.key_dtype, name="deleted_key"),
        ]
        attrs: dict[str, Any] = {
            "value_dtype": types.value_dtype,
            "value_shape": default.shape,
            "initial_num_buckets": initial_num_buckets,
        }
        if experimental_is_anonymous:
            op = hash_table_ops.AnonymousMutableDenseHashTable
        else:
            op = hash_table_ops.MutableDenseHashTableV2
            attrs["use_node_name_sharing"] = True
        handle = op(*marks, **attrs, name=name)
        super().__init__(handle, types.key_dtype, types.value_dtype, default, checkpoint)

    erase = MutableTable.remove
    insert_or_assign = MutableTable.insert

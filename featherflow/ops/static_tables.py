"""tf.lookup.StaticHashTable, and the Operations that fill all static tables."""

from __future__ import annotations

import uuid
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import SCALAR
from featherflow.graph.graph_api import GraphKeys, get_collection, name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor, name_of_handle
from featherflow.ops.grouping_ops import group
from featherflow.ops.hash_table_ops import AnonymousHashTable, HashTableV2
from featherflow.ops.lookup_table_ops import (
    LookupTableExportV2,
    LookupTableFindV2,
    LookupTableSizeV2,
)
from featherflow.ops.table_initializers import TableInitializer


class LookupInterface:
    """Base of tables: keys of one type, values of another.

    Args:
      key_dtype, value_dtype: of the table.
    """

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The type of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The type of the values."""
        return self._value_dtype

    @property
    def name(self) -> str:
        """The name of the table."""
        raise NotImplementedError(type(self).__name__)

    def size(self, name: str | None = None) -> Tensor:
        """How many keys there are: a scalar of int64."""
        raise NotImplementedError(type(self).__name__)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys."""
        raise NotImplementedError(type(self).__name__)

    def __getitem__(self, keys: Any) -> Any:
        """`lookup(keys)`."""
        return self.lookup(keys)

    def check_key_dtype(self, keys: Any) -> None:
        """Raises TypeError unless `keys` have the type of the keys."""
        if keys.dtype != self._key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self._key_dtype}, received: {keys.dtype}"
            )


@export("lookup.StaticHashTable")
class StaticHashTable(LookupInterface):
    """A table whose content is given once.

    Args:
      initializer: a KeyValueTensorInitializer or TextFileInitializer.
      default_value: a scalar, the value of keys that are not there.
      name: of the table.
      experimental_is_anonymous: whether no other graph can share the table.

    >>> import featherflow as tf
    >>> initializer = tf.lookup.KeyValueTensorInitializer([1, 2], ["one", "two"])
    >>> table = tf.lookup.StaticHashTable(initializer, default_value="many")
    >>> with tf.Session() as sess:
    ...     sess.run(tf.tables_initializer())
    ...     sess.run(table.lookup(tf.constant([[2, 3]]))).tolist()
    [[b'two', b'many']]
    """

    def __init__(
        self,
        initializer: TableInitializer,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        default = convert_to_tensor(default_value, self._value_dtype)
        default.shape.merge_with(SCALAR)
        self._default_value = default
        types = {"key_dtype": self._key_dtype, "value_dtype": self._value_dtype}
        if experimental_is_anonymous:
            self._handle = AnonymousHashTable(**types, name=name or "hash_table")
        else:
            shared_name = initializer.shared_name or f"hash_table_{uuid.uuid4()}"
            self._handle = HashTableV2(shared_name=shared_name, **types, name=name or "hash_table")
        self._name = name_of_handle(self._handle, name or "hash_table")
        self._init_op = initializer.initialize(self)

    @property
    def default_value(self) -> Tensor:
        """The value of keys that are not there."""
        return self._default_value

    @property
    def resource_handle(self) -> Tensor:
        """The handle of the table."""
        return self._handle

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._name

    def size(self, name: str | None = None) -> Tensor:
        """How many keys there are: a scalar of int64."""
        with name_scope(name, f"{self._name}_Size", [self._handle]):
            return LookupTableSizeV2(self._handle)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys, and the default value where there is none.

        Args:
          keys: a tensor or SparseTensor of the type of the keys.
          name: of the nodes.
        Returns:
          A tensor, or a SparseTensor, like `keys`.
        Raises:
          TypeError: the keys have another type.
          FailedPreconditionError: the table is not initialised.
        """
        values = keys.values if isinstance(keys, SparseTensor) else keys
        self.check_key_dtype(values)
        with name_scope(name, f"{self._name}_Lookup", [self._handle, values, self._default_value]):
            found = LookupTableFindV2(self._handle, values, self._default_value)
        found.set_shape(values.shape)
        return keys.with_values(found) if isinstance(keys, SparseTensor) else found

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """(keys, values) of the table, in no particular order."""
        with name_scope(name, f"{self._name}_Export", [self._handle]):
            keys, values = LookupTableExportV2(
                self._handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype
            )
        return keys, values


@export_v1("lookup.StaticHashTable", "contrib.lookup.HashTable")
class StaticHashTableV1(StaticHashTable):
    """A table whose content is given once; `initializer` is the Operation that gives it."""

    @property
    def initializer(self) -> Operation | None:
        """The Operation that fills the table."""
        return self._init_op


@export_v1("tables_initializer", "initializers.tables_initializer")
def tables_initializer(name: str = "init_all_tables") -> Operation:
    """An Operation that fills all static tables of the graph.

    Args:
      name: of the node.
    """
    return group(*get_collection(GraphKeys.TABLE_INITIALIZERS), name=name)


@export_v1("initialize_all_tables")
def initialize_all_tables(name: str = "init_all_tables") -> Operation:
    """An old name of `tables_initializer`."""
    return tables_initializer(name)

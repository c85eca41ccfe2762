"""tf.lookup.StaticVocabularyTable: numbers of words, and buckets for words that have none."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.graph.graph_api import name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import AddV2
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import NotEqual
from featherflow.ops.constant_ops import constant
from featherflow.ops.grouping_ops import group
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.static_tables import LookupInterface, StaticHashTable
from featherflow.ops.string_hash_ops import StringToHashBucketFast
from featherflow.ops.string_number_ops import as_string
from featherflow.ops.table_initializers import TableInitializer


@export("lookup.StaticVocabularyTable")
class StaticVocabularyTable(LookupInterface):
    """word → its number in the vocabulary, or else size + FarmHash(word) mod buckets.

    Args:
      initializer: gives the vocabulary, string or int64 → int64; None for none, so that every word
        is hashed.
      num_oov_buckets: how many numbers there are for words that are not in it; above 0.
      lookup_key_dtype: the type of keys to look up, if it is not that of the initializer.
      name: of the table.
      experimental_is_anonymous: whether no other graph can share the table.
    Raises:
      ValueError: there are no buckets.
      TypeError: a type is another.

    >>> import featherflow as tf
    >>> words = tf.lookup.KeyValueTensorInitializer(
    ...     ["hello", "world"], tf.constant([0, 1], tf.int64)
    ... )
    >>> table = tf.lookup.StaticVocabularyTable(words, num_oov_buckets=1)
    >>> with tf.Session() as sess:
    ...     sess.run(tf.tables_initializer())
    ...     sess.run(table.lookup(tf.constant(["world", "moon"]))).tolist()
    [1, 2]
    """

    def __init__(
        self,
        initializer: TableInitializer | None,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        key_dtype = _checked_key_dtype(initializer, lookup_key_dtype)
        super().__init__(key_dtype, dtypes.int64)
        self._num_oov_buckets = num_oov_buckets
        self._table: StaticHashTable | None = None
        if initializer is None:
            self._table_name = name or "hash_bucket"
        else:
            self._table = StaticHashTable(initializer, -1, None, experimental_is_anonymous)
            self._table_name = name or self._table.name

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._table_name

    @property
    def resource_handle(self) -> Tensor | None:
        """The handle of the vocabulary's table; None if there is none."""
        return None if self._table is None else self._table.resource_handle

    def size(self, name: str | None = None) -> Tensor:
        """How many numbers there are: words and buckets, a scalar of int64."""
        with name_scope(name, f"{self._table_name}_Size"):
            buckets = constant(self._num_oov_buckets, dtypes.int64)
            return buckets if self._table is None else AddV2(self._table.size(), buckets)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The numbers of keys.

        Args:
          keys: a tensor or SparseTensor of the type of the keys.
          name: of the nodes.
        Returns:
          int64, like `keys`.
        Raises:
          TypeError: the keys have another type.
        """
        self.check_key_dtype(keys)
        values = keys.values if isinstance(keys, SparseTensor) else keys
        wide = self._table is not None and self._table.key_dtype is dtypes.int64
        if wide and self._key_dtype is not dtypes.int64:
            values = cast(values, dtypes.int64)
        with name_scope(name, f"{self._table_name}_Lookup"):
            numbers = self._numbers(values)
        return keys.with_values(numbers) if isinstance(keys, SparseTensor) else numbers

    def _numbers(self, values: Tensor) -> Tensor:
        words = values if values.dtype is dtypes.string else as_string(values)
        buckets = StringToHashBucketFast(
            words, num_buckets=self._num_oov_buckets, name="hash_bucket"
        )
        if self._table is None:
            return buckets
        found = self._table.lookup(values)
        buckets = AddV2(buckets, self._table.size(), name="Add")
        is_known = NotEqual(found, self._table.default_value)
        return SelectV2(is_known, found, buckets)


def _checked_key_dtype(initializer: TableInitializer | None, lookup_key_dtype: Any) -> Any:
    """The type of keys to look up."""
    wanted = None if lookup_key_dtype is None else dtypes.as_dtype(lookup_key_dtype)
    if initializer is None:
        return wanted or dtypes.string
    if initializer.value_dtype is not dtypes.int64:
        raise TypeError(
            f"Invalid `value_dtype`, expected {dtypes.int64} but got {initializer.value_dtype}."
        )
    found = initializer.key_dtype
    if found not in (dtypes.string, dtypes.int64):
        raise TypeError(f"Invalid `key_dtype`, expected int64 or string, but got {found}.")
    if wanted is not None and wanted.is_integer != found.is_integer:
        kind = "integer" if wanted.is_integer else "string"
        raise TypeError(f"Invalid `key_dtype`, expected {kind} but got {found}.")
    return wanted or found


@export_v1("lookup.StaticVocabularyTable")
class StaticVocabularyTableV1(StaticVocabularyTable):
    """A StaticVocabularyTable with `initializer`, the Operation that fills it."""

    @property
    def initializer(self) -> Operation | None:
        """The Operation that fills the vocabulary's table."""
        if self._table is None:
            return group()
        return self._table._init_op

# ruff: noqa
"""tf.lookup: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.static_tables import StaticHashTableV1 as StaticHashTable
    from featherflow.ops.table_initializers import (
        KeyValueTensorInitializer as KeyValueTensorInitializer,
    )
    from featherflow.ops.table_initializers import TextFileIndex as TextFileIndex
    from featherflow.ops.table_initializers import TextFileInitializer as TextFileInitializer
    from featherflow.ops.vocabulary_tables import StaticVocabularyTableV1 as StaticVocabularyTable

__getattr__, __dir__ = lazy_namespace("lookup", globals())

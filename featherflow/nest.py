# ruff: noqa
"""tf.nest: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.framework.nest import assert_same_structure as assert_same_structure
    from featherflow.framework.nest import flatten as flatten
    from featherflow.framework.nest import is_nested as is_nested
    from featherflow.framework.nest import map_structure as map_structure
    from featherflow.framework.nest import pack_sequence_as as pack_sequence_as

__getattr__, __dir__ = lazy_namespace("nest", globals())

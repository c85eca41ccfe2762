# ruff: noqa
"""tf.sets: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.set_ops import set_difference as difference
    from featherflow.ops.set_ops import set_difference as set_difference
    from featherflow.ops.set_ops import set_intersection as intersection
    from featherflow.ops.set_ops import set_intersection as set_intersection
    from featherflow.ops.set_ops import set_size as set_size
    from featherflow.ops.set_ops import set_size as size
    from featherflow.ops.set_ops import set_union as set_union
    from featherflow.ops.set_ops import set_union as union

__getattr__, __dir__ = lazy_namespace("sets", globals())

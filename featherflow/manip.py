# ruff: noqa
"""tf.manip: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.reshape_ops import reshape as reshape
    from featherflow.ops.reverse_ops import reverse as reverse
    from featherflow.ops.reverse_ops import roll as roll
    from featherflow.ops.scatter_nd_ops import gather_nd as gather_nd
    from featherflow.ops.scatter_nd_ops import scatter_nd as scatter_nd
    from featherflow.ops.space_ops import batch_to_space_nd as batch_to_space_nd
    from featherflow.ops.tile_ops import tile as tile

__getattr__, __dir__ = lazy_namespace("manip", globals())

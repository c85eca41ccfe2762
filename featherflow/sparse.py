# ruff: noqa
"""tf.sparse: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.sparse_segment_ops import sparse_segment_mean as segment_mean
    from featherflow.ops.sparse_segment_ops import sparse_segment_sqrt_n as segment_sqrt_n
    from featherflow.ops.sparse_segment_ops import sparse_segment_sum as segment_sum
    from featherflow.ops.sparse_tensor_ops import SparseTensor as SparseTensor
    from featherflow.ops.sparse_tensor_ops import sparse_placeholder as placeholder
    from featherflow.ops.sparse_tensor_ops import to_dense as to_dense

__getattr__, __dir__ = lazy_namespace("sparse", globals())

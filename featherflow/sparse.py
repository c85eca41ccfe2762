# ruff: noqa
"""tf.sparse: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.sparse_add_ops import sparse_add as add
    from featherflow.ops.sparse_bincount import sparse_bincount as bincount
    from featherflow.ops.sparse_concat import sparse_concat as concat
    from featherflow.ops.sparse_cross_ops import cross as cross
    from featherflow.ops.sparse_cross_ops import cross_hashed as cross_hashed
    from featherflow.ops.sparse_elementwise_ops import sparse_maximum as maximum
    from featherflow.ops.sparse_elementwise_ops import sparse_minimum as minimum
    from featherflow.ops.sparse_forms import eye as eye
    from featherflow.ops.sparse_forms import from_dense as from_dense
    from featherflow.ops.sparse_forms import map_values as map_values
    from featherflow.ops.sparse_forms import mask as mask
    from featherflow.ops.sparse_forms import merge as merge
    from featherflow.ops.sparse_forms import reset_shape as reset_shape
    from featherflow.ops.sparse_forms import retain as retain
    from featherflow.ops.sparse_forms import sparse_expand_dims as expand_dims
    from featherflow.ops.sparse_forms import to_indicator as to_indicator
    from featherflow.ops.sparse_matmul_ops import sampled_addmm as sampled_addmm
    from featherflow.ops.sparse_matmul_ops import sparse_tensor_dense_matmul as matmul
    from featherflow.ops.sparse_matmul_ops import sparse_tensor_dense_matmul as sparse_dense_matmul
    from featherflow.ops.sparse_order_ops import reorder as reorder
    from featherflow.ops.sparse_order_ops import sparse_reshape as reshape
    from featherflow.ops.sparse_order_ops import sparse_transpose as transpose
    from featherflow.ops.sparse_reduction_ops import sparse_reduce_max as reduce_max
    from featherflow.ops.sparse_reduction_ops import sparse_reduce_max_sparse as reduce_max_sparse
    from featherflow.ops.sparse_reduction_ops import sparse_reduce_sum as reduce_sum
    from featherflow.ops.sparse_reduction_ops import sparse_reduce_sum_sparse as reduce_sum_sparse
    from featherflow.ops.sparse_reduction_ops import sparse_softmax as softmax
    from featherflow.ops.sparse_row_ops import fill_empty_rows as fill_empty_rows
    from featherflow.ops.sparse_segment_ops import sparse_segment_mean as segment_mean
    from featherflow.ops.sparse_segment_ops import sparse_segment_sqrt_n as segment_sqrt_n
    from featherflow.ops.sparse_segment_ops import sparse_segment_sum as segment_sum
    from featherflow.ops.sparse_slice_ops import sparse_slice as slice
    from featherflow.ops.sparse_slice_ops import sparse_split as split
    from featherflow.ops.sparse_tensor_ops import SparseTensor as SparseTensor
    from featherflow.ops.sparse_tensor_ops import sparse_placeholder as placeholder
    from featherflow.ops.sparse_tensor_ops import to_dense as to_dense

__getattr__, __dir__ = lazy_namespace("sparse", globals())

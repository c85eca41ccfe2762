"""Label sequences of connectionist temporal classification: merging repeats, unique labels."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import logical_and, not_equal
from featherflow.ops.core_array_ops import concat
from featherflow.ops.element_loops import map_fn
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import ones_like
from featherflow.ops.masking_ops import boolean_mask, sequence_mask
from featherflow.ops.padding_ops import pad
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_max
from featherflow.ops.reshape_ops import expand_dims, reshape
from featherflow.ops.scatter_nd_ops import scatter_nd
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import size
from featherflow.ops.strided_slice_ops import get_item
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.unique_ops import unique


@export("nn.collapse_repeated")
def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> tuple[Any, Any]:
    """Makes each run of equal labels one.

    Args:
      labels: `[batch, longest]`.
      seq_length: `[batch]`, how many labels of each row count.
      name: of the scope.
    Returns:
      Labels `[batch, longest']` with 0 behind their end, and their counts `[batch]`.

    >>> import featherflow as tf
    >>> labels, counts = tf.nn.collapse_repeated([[1, 1, 2], [3, 3, 3]], [3, 2])
    >>> with tf.Session() as sess:
    ...     labels.eval().tolist(), counts.eval().tolist()
    ([[1, 2], [3, 0]], [2, 1])
    """
    with op_scope(name, "collapse_repeated_labels", [labels, seq_length]):
        labels = convert_to_tensor(labels, name="labels")
        seq_length = convert_to_tensor(seq_length, name="seq_length")
        first = ones_like(get_item(labels, (slice(None), slice(None, 1))), dtypes.bool)
        before = get_item(labels, (slice(None), slice(None, -1)))
        after = get_item(labels, (slice(None), slice(1, None)))
        is_new = concat([first, not_equal(after, before)], 1)
        sizes: Any = shape_of(labels)
        is_kept = logical_and(is_new, sequence_mask(seq_length, maxlen=get_item(sizes, 1)))
        counts = reduce_sum(cast(is_kept, seq_length.dtype), 1)
        longest = reduce_max(counts)
        is_filled = sequence_mask(counts, maxlen=longest)
        places = boolean_mask(range_(size(is_filled)), reshape(is_filled, [-1]))
        kept = boolean_mask(reshape(labels, [-1]), reshape(is_kept, [-1]))
        flat = scatter_nd(expand_dims(places, 1), kept, shape_of(reshape(is_filled, [-1])))
        batch = labels.shape._dims[0] if labels.shape._dims else None
        rows: Any = get_item(sizes, 0) if batch is None else batch
        return reshape(flat, [rows, cast(longest, dtypes.int32)]), cast(counts, seq_length.dtype)


@export("nn.ctc_unique_labels")
def ctc_unique_labels(labels: Any, name: str | None = None) -> list[Tensor]:
    """The distinct labels of each row, and where each label is among them.

    Args:
      labels: `[batch, longest]`.
      name: of the scope.
    Returns:
      int64 `[batch, longest]`, filled up with 0, and int32 places in its rows.
    """
    with op_scope(name, "ctc_unique_labels", [labels]):
        labels = convert_to_tensor(labels, name="labels")

        def distinct(row: Tensor) -> list[Tensor]:
            found = unique(row)
            missing = maximum(0, size(found.idx) - size(found.y))
            return [cast(pad(found.y, [[0, missing]]), dtypes.int64), found.idx]

        return map_fn(distinct, labels, dtype=[dtypes.int64, dtypes.int32])

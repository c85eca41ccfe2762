"""`tf.sparse.concat`: SparseTensors one after the other, in larger shapes where they differ."""

from __future__ import annotations

from typing import Any

from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.core_array_ops import concat
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.reshape_ops import renamed_argument
from featherflow.ops.sparse_slice_ops import SparseConcat
from featherflow.ops.sparse_tensor_ops import as_sparse_tensor


@export_v1("sparse.concat", "sparse_concat")
def sparse_concat(
    axis: Any,
    sp_inputs: Any,
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: Any = None,
    expand_nonconcat_dims: bool | None = None,
) -> SparseTensor:
    """SparseTensors one after the other along a dimension.

    Args:
      axis: the dimension; negative ones count from the last.
      sp_inputs: a SparseTensor or a list of them, of one dtype and rank.
      name: of the node.
      expand_nonconcat_dim: other sizes may differ, the largest counts; else they must be equal.
      concat_dim: old name of `axis`.
      expand_nonconcat_dims: new name of `expand_nonconcat_dim`.
    Returns:
      A SparseTensor in row-major order.
    Raises:
      TypeError: an input is no SparseTensor.
      InvalidArgumentError: the shapes do not fit.
    """
    if expand_nonconcat_dims is not None:
        if expand_nonconcat_dim:
            raise ValueError(
                "Cannot specify both 'expand_nonconcat_dim' and 'expand_nonconcat_dims'."
            )
        expand_nonconcat_dim = expand_nonconcat_dims
    axis = renamed_argument("axis", axis, "concat_dim", concat_dim)
    return sparse_concat_v2(axis, sp_inputs, expand_nonconcat_dim, name)


@export("sparse.concat")
def sparse_concat_v2(
    axis: Any, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """`tf.compat.v1.sparse.concat` with TF2's order of arguments."""
    given = sp_inputs if isinstance(sp_inputs, (list, tuple)) else [sp_inputs]
    if not all(isinstance(item, SparseTensor) or hasattr(item, "_fields") for item in given):
        raise TypeError("All inputs must be SparseTensors.")
    inputs = [as_sparse_tensor(item) for item in given]
    if len(inputs) == 1:
        return inputs[0]
    shapes: list[Tensor] = [item.dense_shape for item in inputs]
    if expand_nonconcat_dims:
        largest: Any = shapes[0]
        for shape in shapes[1:]:
            largest = maximum(largest, shape)
        shapes = [_with_size(largest, shape, axis) for shape in shapes]
    indices, values, dense_shape = SparseConcat(
        [item.indices for item in inputs],
        [item.values for item in inputs],
        shapes,
        concat_dim=axis,
        name=name,
    )
    result = SparseTensor(indices, values, dense_shape)
    static = _static_shape([item.shape for item in inputs], axis, expand_nonconcat_dims)
    if static is not None:
        result.set_shape(static)
    return result


def _with_size(largest: Any, shape: Any, axis: int) -> Tensor:
    """`largest`, but for the dimension that is concatenated."""
    end = axis + 1 if axis != -1 else None
    rest = [] if axis == -1 else [largest[axis + 1 :]]
    return concat([largest[:axis], cast(shape[axis:end], largest.dtype), *rest], 0)


def _static_shape(shapes: list[TensorShape], axis: int, expands: bool) -> TensorShape | None:
    """What is known of the result's shape."""
    ranks = {shape.rank for shape in shapes}
    if len(ranks) != 1 or None in ranks:
        return None
    columns = list(zip(*(shape.as_list() for shape in shapes)))
    if not -len(columns) <= axis < len(columns):
        raise IndexError(f"axis {axis} is not one of rank {len(columns)}")
    sizes: list[int | None] = []
    for column in columns:
        known = [size for size in column if size is not None]
        if expands:
            sizes.append(max(known) if len(known) == len(column) else None)
        else:  # equal sizes, or the run refuses them
            sizes.append(known[0] if known else None)
    ends = columns[axis]
    sizes[axis] = None if None in ends else sum(ends)
    return TensorShape(sizes)

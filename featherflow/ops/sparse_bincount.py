"""`tf.sparse.bincount`: counts of numbers, row by row, as a SparseTensor."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.graph_api import control_dependencies
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.ops.assert_ops import assert_
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import Equal
from featherflow.ops.constant_ops import constant
from featherflow.ops.reduction_ops import reduce_all
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.sparse_count_ops import (
    DenseCountSparseOutput,
    RaggedCountSparseOutput,
    SparseCountSparseOutput,
)
from featherflow.ops.sparse_forms import same_places


@export("sparse.bincount")
def sparse_bincount(
    values: Any,
    weights: Any = None,
    axis: int | None = 0,
    minlength: int | None = None,
    maxlength: int | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """How often each number occurs, or the sum of its weights, where that is not 0.

    Args:
      values: integers ≥ 0: a vector or matrix, a SparseTensor or a RaggedTensor.
      weights: like `values`, of the same places.
      axis: 0 counts over everything, −1 over each row.
      minlength: the result has at least this many columns.
      maxlength: and this many; larger numbers are left out.
      binary_output: gives 1 for what occurs.
      name: prefix of the names of the nodes.
    Returns:
      A SparseTensor `[columns]` or `[rows, columns]`.
    Raises:
      ValueError: there is another `axis`, or weights with `binary_output`.
      InvalidArgumentError: a number is negative, or the weights have other places.

    >>> import featherflow as tf
    >>> counts = tf.sparse.bincount([[1, 1], [0, 1]], axis=-1)
    >>> with tf.Session() as sess:
    ...     sess.run(tf.sparse.to_dense(counts)).tolist()
    [[0, 2], [1, 1]]
    """
    if axis not in (0, -1, None):
        raise ValueError(f"Unsupported axis value {axis}. Only 0 and -1 are currently supported.")
    if binary_output and weights is not None:
        raise ValueError("`binary_output` and `weights` are mutually exclusive.")
    least = -1 if minlength is None else minlength
    most = -1 if maxlength is None else maxlength
    _check_bound("minlength", minlength)
    _check_bound("maxlength", maxlength)
    attrs = {"minlength": least, "maxlength": most, "binary_output": binary_output}
    with op_scope(name, "count"):
        flat = axis != -1
        if isinstance(values, SparseTensor):
            return _count_sparse(values, weights, flat, attrs)
        if hasattr(values, "row_splits"):
            return _count_ragged(values, weights, flat, attrs)
        tensor = convert_to_tensor(values)
        given = _weights_or_none(weights, tensor)
        if weights is not None:
            given.shape.assert_is_compatible_with(tensor.shape)
        if flat:
            tensor = reshape(tensor, [-1])
            given = given if weights is None else reshape(given, [-1])
        return SparseTensor(*DenseCountSparseOutput(tensor, given, **attrs))


def _check_bound(what: str, value: int | None) -> None:
    if value is not None and value < 0:
        raise ValueError(f"{what} must be 0 or more, received {value}.")


def _weights_or_none(weights: Any, values: Tensor) -> Tensor:
    if weights is None:
        return constant([], values.dtype.base_dtype)
    return convert_to_tensor(weights)


def _count_sparse(values: SparseTensor, weights: Any, flat: bool, attrs: Any) -> SparseTensor:
    checks: list[Any] = []
    if isinstance(weights, SparseTensor):
        checks = same_places([values, weights])
        given = weights.values
    else:
        given = _weights_or_none(weights, values.values)
    with control_dependencies(checks):
        if flat:
            return SparseTensor(*DenseCountSparseOutput(values.values, given, **attrs))
        parts = (values.indices, values.values, values.dense_shape)
        return SparseTensor(*SparseCountSparseOutput(*parts, given, **attrs))


def _count_ragged(values: Any, weights: Any, flat: bool, attrs: Any) -> SparseTensor:
    if hasattr(weights, "row_splits"):
        given = weights.values
        is_same = reduce_all(Equal(values.row_splits, weights.row_splits))
        checks = [assert_(is_same, ["Row splits differ", values.row_splits, weights.row_splits])]
    else:
        given, checks = _weights_or_none(weights, values.values), []
    with control_dependencies(checks):
        if flat:
            return SparseTensor(*DenseCountSparseOutput(values.values, given, **attrs))
        splits = cast(values.row_splits, dtypes.int64)
        return SparseTensor(*RaggedCountSparseOutput(splits, values.values, given, **attrs))

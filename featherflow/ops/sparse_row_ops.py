"""Rows without elements, of SparseTensors and ragged tensors: one element is put into each."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import SCALAR, TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.kernels import gathering
from featherflow.kernels import sparse as kernels
from featherflow.ops.sparse_shapes import VECTOR, matrix, parts_shapes, vector
from featherflow.ops.sparse_tensor_ops import as_sparse_tensor
from featherflow.ops.type_groups import NUMBERS

# --- SparseFillEmptyRows --------------------------------------------------------------------------

SparseFillEmptyRows = define_op(
    "SparseFillEmptyRows",
    inputs=("indices: int64", "values: T", "dense_shape: int64", "default_value: T"),
    outputs=(
        "output_indices: int64",
        "output_values: T",
        "empty_row_indicator: bool",
        "reverse_index_map: int64",
    ),
    attrs=("T: type",),
)


@SparseFillEmptyRows.shape_fn
def _sparse_fill_empty_rows_shape(c: InferenceContext) -> list[TensorShape]:
    count, _ = parts_shapes(c)
    shape = c.constant_as_shape(2)
    c.with_rank(3, 0)
    rows = shape.as_list()[0] if shape.rank else None
    return [matrix(None, c.dims(2, 1)[0]), VECTOR, vector(rows), vector(count)]


@SparseFillEmptyRows.kernel("CPU")
def _sparse_fill_empty_rows_cpu(
    indices: np.ndarray, values: np.ndarray, dense_shape: np.ndarray, default_value: np.ndarray
) -> tuple[np.ndarray, ...]:
    kernels.check_parts(indices, values, dense_shape)
    _check_default(default_value)
    if not len(dense_shape) or dense_shape[0] < 0:
        raise InvalidArgumentError(
            None,
            None,
            "dense_shape must start with the number of rows",
            received=str(dense_shape.tolist()),
        )
    places, rows, is_empty = kernels.fill_empty_rows(indices[:, 0], int(dense_shape[0]))
    output_indices = np.zeros((len(rows), len(dense_shape)), np.int64)
    output_indices[:, 0] = rows
    output_indices[places] = indices
    return output_indices, _filled(values, places, len(rows), default_value), is_empty, places


def _check_default(default_value: np.ndarray) -> None:
    if default_value.ndim:
        raise InvalidArgumentError(
            None,
            None,
            "default_value must be a scalar",
            received=f"shape {list(default_value.shape)}",
        )


def _filled(
    values: np.ndarray, places: np.ndarray, count: int, default_value: np.ndarray
) -> np.ndarray:
    result = np.full(count, default_value, values.dtype)
    result[places] = values
    return result


@SparseFillEmptyRows.gradient
def _sparse_fill_empty_rows_grad(
    op: Any, indices_grad: Any, values_grad: Tensor, indicator_grad: Any, map_grad: Any
) -> tuple[None, Tensor, None, Tensor]:
    d_values, d_default = SparseFillEmptyRowsGrad(op.outputs[3], values_grad)
    return None, d_values, None, d_default


@export("sparse.fill_empty_rows")
@export_v1("sparse.fill_empty_rows", "sparse_fill_empty_rows")
def fill_empty_rows(
    sp_input: Any, default_value: Any, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """Puts [row, 0, …] = default_value into each row without elements.

    Args:
      sp_input: a SparseTensor of rank 1 or more, its elements in any order.
      default_value: a scalar.
      name: prefix of the names of the nodes.
    Returns:
      The SparseTensor, in row order, and which rows were empty: [rows], bool.
    Raises:
      TypeError: `sp_input` is no SparseTensor.
      InvalidArgumentError: an element lies in a row that there is not.

    >>> import featherflow as tf
    >>> st = tf.SparseTensor([[0, 1], [2, 0]], [5, 7], [3, 2])
    >>> with tf.Session() as sess:
    ...     filled, was_empty = sess.run(tf.sparse.fill_empty_rows(st, -1))
    ...     filled.values.tolist(), was_empty.tolist()
    ([5, -1, 7], [False, True, False])
    """
    sparse = as_sparse_tensor(sp_input)
    with op_scope(name, "SparseFillEmptyRows", [sparse.indices]):
        default = convert_to_tensor(default_value, sparse.values.dtype.base_dtype)
        indices, values, indicator, _ = SparseFillEmptyRows(
            sparse.indices, sparse.values, sparse.dense_shape, default
        )
        return SparseTensor(indices, values, sparse.dense_shape), indicator


# --- RaggedFillEmptyRows --------------------------------------------------------------------------

RaggedFillEmptyRows = define_op(
    "RaggedFillEmptyRows",
    inputs=("value_rowids: int64", "values: T", "nrows: int64", "default_value: T"),
    outputs=(
        "output_value_rowids: int64",
        "output_values: T",
        "empty_row_indicator: bool",
        "reverse_index_map: int64",
    ),
    attrs=("T: type",),
)


@RaggedFillEmptyRows.shape_fn
def _ragged_fill_empty_rows_shape(c: InferenceContext) -> list[TensorShape]:
    count = c.merge_dim(c.dims(0, 1)[0], c.dims(1, 1)[0])
    c.with_rank(2, 0)
    c.with_rank(3, 0)
    return [VECTOR, VECTOR, VECTOR, vector(count)]


@RaggedFillEmptyRows.kernel("CPU")
def _ragged_fill_empty_rows_cpu(
    value_rowids: np.ndarray, values: np.ndarray, nrows: np.ndarray, default_value: np.ndarray
) -> tuple[np.ndarray, ...]:
    if value_rowids.ndim != 1 or values.shape != value_rowids.shape or nrows.ndim:
        raise InvalidArgumentError(
            None,
            None,
            "value_rowids and values must be vectors of one size, nrows a scalar",
            received=f"shapes {list(value_rowids.shape)}, {list(values.shape)}, "
            f"{list(nrows.shape)}",
        )
    _check_default(default_value)
    if nrows < 0:
        raise InvalidArgumentError(None, None, "nrows must be 0 or more", received=str(nrows))
    places, rows, is_empty = kernels.fill_empty_rows(value_rowids, int(nrows))
    return rows, _filled(values, places, len(rows), default_value), is_empty, places


@RaggedFillEmptyRows.gradient
def _ragged_fill_empty_rows_grad(
    op: Any, rowids_grad: Any, values_grad: Tensor, indicator_grad: Any, map_grad: Any
) -> tuple[None, Tensor, None, Tensor]:
    d_values, d_default = RaggedFillEmptyRowsGrad(op.outputs[3], values_grad)
    return None, d_values, None, d_default


@export("ragged_fill_empty_rows")
def ragged_fill_empty_rows(
    value_rowids: Any, values: Any, nrows: Any, default_value: Any, name: str | None = None
) -> Any:
    """Puts `default_value` into each row of a ragged tensor that has no values.

    Args:
      value_rowids: [N], the row of each value, in any order.
      values: [N].
      nrows: the number of rows, a scalar.
      default_value: a scalar.
      name: of the node.
    Returns:
      A named tuple (output_value_rowids, output_values, empty_row_indicator, reverse_index_map);
      the last says where each value went.
    Raises:
      InvalidArgumentError: a value lies in a row that there is not.
    """
    return RaggedFillEmptyRows(value_rowids, values, nrows, default_value, name=name)


# --- gradients ------------------------------------------------------------------------------------


def _define_fill_grad(name: str) -> Op:
    """d_values[i] = grad_values[reverse_index_map[i]]; d_default_value sums the others."""
    op = define_op(
        name,
        inputs=("reverse_index_map: int64", "grad_values: T"),
        outputs=("d_values: T", "d_default_value: T"),
        attrs=("T: type",),
    )

    @op.shape_fn
    def shape(c: InferenceContext) -> list[TensorShape]:
        c.with_rank(1, 1)
        return [c.with_rank(0, 1), SCALAR]

    @op.kernel("CPU", T=NUMBERS)
    def cpu(
        reverse_index_map: np.ndarray, grad_values: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        if reverse_index_map.ndim != 1 or grad_values.ndim != 1:
            raise InvalidArgumentError(
                None,
                None,
                "reverse_index_map and grad_values must be vectors",
                received=f"shapes {list(reverse_index_map.shape)}, {list(grad_values.shape)}",
            )
        gathering.check_indices(reverse_index_map, len(grad_values), "reverse_index_map")
        is_default = np.ones(len(grad_values), bool)
        is_default[reverse_index_map] = False
        total = np.add.reduce(grad_values[is_default], dtype=grad_values.dtype)
        return grad_values[reverse_index_map], np.asarray(total)

    op.without_gradient("TensorFlow gives it no gradient")
    return op


SparseFillEmptyRowsGrad = _define_fill_grad("SparseFillEmptyRowsGrad")
RaggedFillEmptyRowsGrad = _define_fill_grad("RaggedFillEmptyRowsGrad")


@export("ragged_fill_empty_rows_grad")
def ragged_fill_empty_rows_grad(
    reverse_index_map: Any, grad_values: Any, name: str | None = None
) -> Any:
    """The gradient of `ragged_fill_empty_rows`.

    Args:
      reverse_index_map: [N], where each value went.
      grad_values: [M], gradients of the output's values.
      name: of the node.
    Returns:
      A named tuple (d_values, d_default_value).
    """
    return RaggedFillEmptyRowsGrad(reverse_index_map, grad_values, name=name)

"""Diag and DiagPart, the diagonals of tensors of even rank; `tf.eye`."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.core_array_ops import concat
from featherflow.ops.extremum_ops import minimum
from featherflow.ops.fill_ops import ones, zeros
from featherflow.ops.matrix_diag_ops import diag, diag_part, set_diag
from featherflow.ops.sum_ops import Sum

_TYPES = ("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}",)

# --- Diag and DiagPart ----------------------------------------------------------------------------

Diag = define_op("Diag", inputs=("diagonal: T",), outputs=("output: T",), attrs=_TYPES)
DiagPart = define_op("DiagPart", inputs=("input: T",), outputs=("diagonal: T",), attrs=_TYPES)


@Diag.shape_fn
def _diag_shape(c: InferenceContext) -> TensorShape:
    dims = c.with_rank_at_least(0, 1)._dims
    return UNKNOWN if dims is None else TensorShape._of(dims + dims)


@Diag.kernel("CPU")
def _diag_cpu(diagonal: np.ndarray) -> np.ndarray:
    if diagonal.ndim < 1:
        raise InvalidArgumentError(None, None, "Input must be at least rank 1, got 0")
    size = diagonal.size
    result = np.zeros((size, size), dtype=diagonal.dtype)
    result[np.arange(size), np.arange(size)] = diagonal.reshape(-1)
    return result.reshape(diagonal.shape + diagonal.shape)


@Diag.gradient
def _diag_grad(op: Any, grad: Tensor) -> Tensor:
    return DiagPart(grad)


@export("linalg.tensor_diag")
@export_v1("linalg.tensor_diag", "diag")
def tensor_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """output[i…, i…] = diagonal[i…], zeros elsewhere.

    Args:
      diagonal: [I…], of rank 1 or more.
      name: of the node.
    Returns:
      [I…, I…]
    """
    return Diag(diagonal, name=name)


@DiagPart.shape_fn
def _diag_part_shape(c: InferenceContext) -> TensorShape:
    dims = c.shapes[0]._dims
    if dims is None:
        return UNKNOWN
    if not dims or len(dims) % 2:
        c.fail(f"Input must have even and non-zero rank, input rank is {len(dims)}")
    half = len(dims) // 2
    return c.merge(TensorShape._of(dims[:half]), TensorShape._of(dims[half:]))


@DiagPart.kernel("CPU")
def _diag_part_cpu(input: np.ndarray) -> np.ndarray:
    half = input.ndim // 2
    dims = input.shape[:half]
    if not input.ndim or input.shape != dims + dims:
        raise InvalidArgumentError(
            None,
            None,
            "Invalid shape: the first half of the dimensions must be equal to the second",
            received=f"shape {list(input.shape)}",
        )
    size = int(np.prod(dims))
    return input.reshape(size, size).diagonal().copy().reshape(dims)


@DiagPart.gradient
def _diag_part_grad(op: Any, grad: Tensor) -> Tensor:
    return Diag(grad)


@export("linalg.tensor_diag_part")
@export_v1("linalg.tensor_diag_part", "diag_part")
def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """output[i…] = input[i…, i…].

    Args:
      input: [I…, I…].
      name: of the node.
    Returns:
      [I…]
    """
    return DiagPart(input, name=name)


@export("linalg.trace")
@export_v1("linalg.trace", "trace")
def trace(x: Any, name: str | None = None) -> Tensor:
    """output[...] = Σ x[..., i, i], the sum of the main diagonal of each matrix.

    Args:
      x: [..., M, N].
      name: of the node.
    Returns:
      [...]
    """
    with name_scope(name, "Trace", [x]) as scope:
        return Sum(diag_part(convert_to_tensor(x, name="x")), [-1], name=scope)


# --- tf.eye ---------------------------------------------------------------------------------------


@export("eye", "linalg.eye")
def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Identity matrices: ones on the main diagonal, zeros elsewhere.

    Args:
      num_rows: an integer or scalar tensor.
      num_columns: likewise; None takes `num_rows`.
      batch_shape: integers or a vector, the leading dimensions; None for one matrix.
      dtype: of the result.
      name: of the scope of the nodes.
    Returns:
      [batch_shape…, num_rows, num_columns]
    """
    with name_scope(name, "eye", [num_rows, num_columns, batch_shape]):
        is_square = num_columns is None
        columns = num_rows if num_columns is None else num_columns
        if isinstance(num_rows, Tensor) or isinstance(columns, Tensor):
            size: Any = minimum(num_rows, columns)
        else:
            is_square = is_square or int(num_rows) == int(columns)
            size = min(int(num_rows), int(columns))
        batch: Any = [] if batch_shape is None else batch_shape
        if isinstance(batch, Tensor) or isinstance(size, Tensor):
            batch = convert_to_tensor(batch, dtypes.int32, name="shape")
            diagonal_shape: Any = concat([batch, [size]], 0)
            matrix_shape: Any = None if is_square else concat([batch, [num_rows, columns]], 0)
        else:
            batch = list(TensorShape(batch).as_list())
            diagonal_shape, matrix_shape = [*batch, size], [*batch, int(num_rows), int(columns)]
        diagonal = ones(diagonal_shape, dtype)
        return diag(diagonal) if is_square else set_diag(zeros(matrix_shape, dtype), diagonal)

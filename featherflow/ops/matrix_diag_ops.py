"""Diagonals of matrices: MatrixDiag, MatrixDiagPart, MatrixSetDiag, MatrixBandPart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import diagonals
from featherflow.kernels.allocation import check_allocation
from featherflow.ops.fill_ops import zeros_like

Dim = int | None
_ALIGN = "align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'"
# The order that V2 of each op had no choice of.
_LEFT = "LEFT_LEFT"
_ZERO = np.array(0)


def _empty_of(dtype: np.dtype) -> np.ndarray:
    return np.array(b"" if dtype.kind == "O" else 0, dtype=dtype)


# --- MatrixDiag -----------------------------------------------------------------------------------

_DIAG_INPUTS = (
    "diagonal: T",
    "k: int32",
    "num_rows: int32",
    "num_cols: int32",
    "padding_value: T",
)

MatrixDiag = define_op(
    "MatrixDiag", inputs=("diagonal: T",), outputs=("output: T",), attrs=("T: type",)
)
MatrixDiagV2 = define_op(
    "MatrixDiagV2", inputs=_DIAG_INPUTS, outputs=("output: T",), attrs=("T: type",)
)
MatrixDiagV3 = define_op(
    "MatrixDiagV3", inputs=_DIAG_INPUTS, outputs=("output: T",), attrs=("T: type", _ALIGN)
)


@MatrixDiag.shape_fn
def _matrix_diag_shape(c: InferenceContext) -> TensorShape:
    dims = c.with_rank_at_least(0, 1)._dims
    return UNKNOWN if dims is None else TensorShape._of((*dims, dims[-1]))


@MatrixDiagV2.shape_fn
@MatrixDiagV3.shape_fn
def _matrix_diag_v3_shape(c: InferenceContext) -> TensorShape:
    dims = c.with_rank_at_least(0, 1)._dims
    k, rows, columns = c.constant(1), c.constant_scalar(2), c.constant_scalar(3)
    c.with_rank(4, 0)
    if dims is None or k is None:
        return UNKNOWN
    low, high = diagonals.band_of(k)
    if low < high:
        _check_count(c, dims, high - low + 1)
    outer = dims[:-1] if low == high else dims[:-2]
    if rows is None or columns is None or dims[-1] is None:
        return TensorShape._of((*outer, _given(rows), _given(columns)))
    size = diagonals.matrix_size(rows, columns, low, high, dims[-1])
    return TensorShape._of((*outer, *size))


def _check_count(c: InferenceContext, dims: tuple[Dim, ...], count: int) -> None:
    if len(dims) < 2 or dims[-2] not in (None, count):
        c.fail(
            "The number of rows of `diagonal` must be the number of diagonals of the band",
            received=c.received(),
            expected=f"{count} rows",
        )


def _given(size: int | None) -> Dim:
    return None if size is None or size < 0 else size


@MatrixDiag.kernel("CPU")
def _matrix_diag_cpu(diagonal: np.ndarray) -> np.ndarray:
    if diagonal.ndim < 1:
        raise InvalidArgumentError(None, None, "diagonal must be at least 1-dim")
    padding = _empty_of(diagonal.dtype)
    return _lay_in(diagonal, _ZERO, np.array(-1), np.array(-1), padding, _LEFT)


@MatrixDiagV2.kernel("CPU")
def _matrix_diag_v2_cpu(
    diagonal: np.ndarray,
    k: np.ndarray,
    num_rows: np.ndarray,
    num_cols: np.ndarray,
    padding_value: np.ndarray,
) -> np.ndarray:
    return _lay_in(diagonal, k, num_rows, num_cols, padding_value, _LEFT)


@MatrixDiagV3.kernel("CPU")
def _matrix_diag_v3_cpu(
    diagonal: np.ndarray,
    k: np.ndarray,
    num_rows: np.ndarray,
    num_cols: np.ndarray,
    padding_value: np.ndarray,
    *,
    align: str,
) -> np.ndarray:
    return _lay_in(diagonal, k, num_rows, num_cols, padding_value, align)


def _lay_in(
    diagonal: np.ndarray,
    k: np.ndarray,
    num_rows: np.ndarray,
    num_cols: np.ndarray,
    padding: np.ndarray,
    align: str,
) -> np.ndarray:
    low, high = diagonals.band_of(k)
    size = diagonals.matrix_size(int(num_rows), int(num_cols), low, high, diagonal.shape[-1])
    outer = diagonal.shape[: -1 if low == high else -2]
    check_allocation(outer + size, diagonal.dtype)
    matrices = np.full(outer + size, padding, dtype=diagonal.dtype)
    return diagonals.put_band(matrices, diagonal, low, high, align)


@MatrixDiag.gradient
def _matrix_diag_grad(op: Any, grad: Tensor) -> Tensor:
    return MatrixDiagPart(grad)


@MatrixDiagV2.gradient
def _matrix_diag_v2_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, None, None, None]:
    return MatrixDiagPartV2(grad, op.inputs[1], _zero(grad)), None, None, None, None


@MatrixDiagV3.gradient
def _matrix_diag_v3_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, None, None, None]:
    part = MatrixDiagPartV3(grad, op.inputs[1], _zero(grad), align=op.attrs["align"])
    return part, None, None, None, None


def _zero(like: Tensor) -> Tensor:
    return convert_to_tensor(0, like.dtype)


@export("linalg.diag")
@export_v1("linalg.diag", "matrix_diag")
def diag(
    diagonal: Any,
    name: str | None = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with given diagonals.

    Args:
      diagonal: [..., length] for one diagonal, [..., number, length] for a band, highest first.
      name: of the node.
      k: the diagonal, 0 for the main one, positive above it; or (lowest, highest) of a band.
      num_rows: of the matrices; −1 takes the least that will do.
      num_cols: likewise.
      padding_value: the other elements.
      align: where shorter diagonals above and below the main one are aligned in their rows.
    Returns:
      [..., num_rows, num_cols]

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.linalg.diag([1, 2], k=1)).tolist()
    [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    """
    if hasattr(diagonal, "dtype") and diagonal.dtype == "bool":
        padding_value = bool(padding_value)
    return MatrixDiagV3(diagonal, k, num_rows, num_cols, padding_value, align=align, name=name)


# --- MatrixDiagPart -------------------------------------------------------------------------------

MatrixDiagPart = define_op(
    "MatrixDiagPart", inputs=("input: T",), outputs=("diagonal: T",), attrs=("T: type",)
)
MatrixDiagPartV2 = define_op(
    "MatrixDiagPartV2",
    inputs=("input: T", "k: int32", "padding_value: T"),
    outputs=("diagonal: T",),
    attrs=("T: type",),
)
MatrixDiagPartV3 = define_op(
    "MatrixDiagPartV3",
    inputs=("input: T", "k: int32", "padding_value: T"),
    outputs=("diagonal: T",),
    attrs=("T: type", _ALIGN),
)


@MatrixDiagPart.shape_fn
def _matrix_diag_part_shape(c: InferenceContext) -> TensorShape:
    return _band_shape(c, 0, 0)


@MatrixDiagPartV2.shape_fn
@MatrixDiagPartV3.shape_fn
def _matrix_diag_part_v3_shape(c: InferenceContext) -> TensorShape:
    k = c.constant(1)
    c.with_rank(2, 0)
    if k is None:
        c.with_rank_at_least(0, 2)
        return UNKNOWN
    return _band_shape(c, *diagonals.band_of(k))


def _band_shape(c: InferenceContext, low: int, high: int) -> TensorShape:
    dims = c.with_rank_at_least(0, 2)._dims
    if dims is None:
        return UNKNOWN
    *outer, rows, columns = dims
    width = None
    if rows is not None and columns is not None:
        diagonals.check_band(rows, columns, low, high)
        width = diagonals.longest(rows, columns, low, high)
    count = () if low == high else (high - low + 1,)
    return TensorShape._of((*outer, *count, width))


@MatrixDiagPart.kernel("CPU")
def _matrix_diag_part_cpu(input: np.ndarray) -> np.ndarray:
    return _take(input, _ZERO, _empty_of(input.dtype), _LEFT)


@MatrixDiagPartV2.kernel("CPU")
def _matrix_diag_part_v2_cpu(
    input: np.ndarray, k: np.ndarray, padding_value: np.ndarray
) -> np.ndarray:
    return _take(input, k, padding_value, _LEFT)


@MatrixDiagPartV3.kernel("CPU")
def _matrix_diag_part_v3_cpu(
    input: np.ndarray, k: np.ndarray, padding_value: np.ndarray, *, align: str
) -> np.ndarray:
    return _take(input, k, padding_value, align)


def _take(input: np.ndarray, k: np.ndarray, padding: np.ndarray, align: str) -> np.ndarray:
    if input.ndim < 2:
        raise InvalidArgumentError(None, None, "input must be at least 2-dim")
    return diagonals.take_band(input, *diagonals.band_of(k), padding, align)


@MatrixDiagPart.gradient
def _matrix_diag_part_grad(op: Any, grad: Tensor) -> Tensor:
    return MatrixSetDiag(zeros_like(op.inputs[0]), grad)


@MatrixDiagPartV2.gradient
def _matrix_diag_part_v2_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    return MatrixSetDiagV2(zeros_like(op.inputs[0]), grad, op.inputs[1]), None, None


@MatrixDiagPartV3.gradient
def _matrix_diag_part_v3_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    align = op.attrs["align"]
    return MatrixSetDiagV3(zeros_like(op.inputs[0]), grad, op.inputs[1], align=align), None, None


@export("linalg.diag_part")
@export_v1("linalg.diag_part", "matrix_diag_part")
def diag_part(
    input: Any,
    name: str | None = "diag_part",
    k: Any = 0,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """The diagonals of matrices.

    Args:
      input: [..., M, N].
      name: of the node.
      k: the diagonal, 0 for the main one, positive above it; or (lowest, highest) of a band.
      padding_value: fills up the rows of diagonals that are shorter than the longest.
      align: where shorter diagonals above and below the main one are aligned in their rows.
    Returns:
      [..., length], or [..., number of diagonals, length of the longest], highest first.
    """
    if hasattr(input, "dtype") and input.dtype == "bool":
        padding_value = bool(padding_value)
    return MatrixDiagPartV3(input, k, padding_value, align=align, name=name)


# --- MatrixSetDiag --------------------------------------------------------------------------------

MatrixSetDiag = define_op(
    "MatrixSetDiag",
    inputs=("input: T", "diagonal: T"),
    outputs=("output: T",),
    attrs=("T: type",),
)
MatrixSetDiagV2 = define_op(
    "MatrixSetDiagV2",
    inputs=("input: T", "diagonal: T", "k: int32"),
    outputs=("output: T",),
    attrs=("T: type",),
)
MatrixSetDiagV3 = define_op(
    "MatrixSetDiagV3",
    inputs=("input: T", "diagonal: T", "k: int32"),
    outputs=("output: T",),
    attrs=("T: type", _ALIGN),
)


@MatrixSetDiag.shape_fn
@MatrixSetDiagV2.shape_fn
@MatrixSetDiagV3.shape_fn
def _matrix_set_diag_shape(c: InferenceContext) -> TensorShape:
    dims = c.with_rank_at_least(0, 2)._dims
    band = c.with_rank_at_least(1, 1)._dims
    k = c.constant(2) if len(c.shapes) == 3 else _ZERO
    if k is None:
        return c.shapes[0]
    low, high = diagonals.band_of(k)
    if dims is not None and None not in dims[-2:]:
        rows, columns = dims[-2:]
        diagonals.check_band(rows, columns, low, high)  # type: ignore[arg-type]
        if len(c.shapes) == 2 and band is not None:  # the later versions leave it to the run
            c.merge_dim(band[-1], min(rows, columns))  # type: ignore[type-var]
    if band is None:
        return c.shapes[0]
    outer = band[: -1 if low == high else -2]
    merged = c.merge(c.shapes[0], TensorShape._of((None,) * (len(outer) + 2)))._dims
    assert merged is not None
    # Batch sizes that differ are found when it runs, as in TensorFlow.
    known = (size if size is not None else other for size, other in zip(merged, outer))
    return TensorShape._of((*known, *merged[-2:]))


@MatrixSetDiag.kernel("CPU")
def _matrix_set_diag_cpu(input: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
    return _set(input, diagonal, _ZERO, _LEFT)


@MatrixSetDiagV2.kernel("CPU")
def _matrix_set_diag_v2_cpu(input: np.ndarray, diagonal: np.ndarray, k: np.ndarray) -> np.ndarray:
    return _set(input, diagonal, k, _LEFT)


@MatrixSetDiagV3.kernel("CPU")
def _matrix_set_diag_v3_cpu(
    input: np.ndarray, diagonal: np.ndarray, k: np.ndarray, *, align: str
) -> np.ndarray:
    return _set(input, diagonal, k, align)


def _set(input: np.ndarray, diagonal: np.ndarray, k: np.ndarray, align: str) -> np.ndarray:
    if input.ndim < 2:
        raise InvalidArgumentError(None, None, "input must be at least 2-dim")
    low, high = diagonals.band_of(k)
    rows, columns = input.shape[-2:]
    diagonals.check_band(rows, columns, low, high)
    return diagonals.put_band(input.copy(), diagonal, low, high, align)


@MatrixSetDiag.gradient
def _matrix_set_diag_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
    return MatrixSetDiag(grad, zeros_like(op.inputs[1])), MatrixDiagPart(grad)


@MatrixSetDiagV2.gradient
def _matrix_set_diag_v2_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
    return *_set_gradients(op, grad, MatrixSetDiagV2, MatrixDiagPartV2), None


@MatrixSetDiagV3.gradient
def _matrix_set_diag_v3_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
    align = op.attrs["align"]
    return *_set_gradients(op, grad, MatrixSetDiagV3, MatrixDiagPartV3, align=align), None


def _set_gradients(
    op: Any,
    grad: Tensor,
    set_op: Callable[..., Tensor],
    part_op: Callable[..., Tensor],
    **attrs: Any,
) -> tuple[Tensor, Tensor]:
    _, diagonal, k = op.inputs
    input_grad = set_op(grad, zeros_like(diagonal), k, **attrs)
    return input_grad, part_op(grad, k, _zero(grad), **attrs)


@export("linalg.set_diag")
@export_v1("linalg.set_diag", "matrix_set_diag")
def set_diag(
    input: Any,
    diagonal: Any,
    name: str | None = "set_diag",
    k: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with their diagonals replaced.

    Args:
      input: [..., M, N].
      diagonal: as `diag_part(input, k=k, align=align)` has them.
      name: of the node.
      k: the diagonal, 0 for the main one, positive above it; or (lowest, highest) of a band.
      align: where shorter diagonals above and below the main one are aligned in their rows.
    Returns:
      [..., M, N]
    """
    return MatrixSetDiagV3(input, diagonal, k, align=align, name=name)


# --- MatrixBandPart -------------------------------------------------------------------------------

MatrixBandPart = define_op(
    "MatrixBandPart",
    inputs=("input: T", "num_lower: Tindex", "num_upper: Tindex"),
    outputs=("band: T",),
    attrs=("T: type", "Tindex: {int32, int64} = int64"),
)


@MatrixBandPart.shape_fn
def _matrix_band_part_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(1, 0)
    c.with_rank(2, 0)
    return c.shapes[0]


@MatrixBandPart.kernel("CPU")
def _matrix_band_part_cpu(
    input: np.ndarray, num_lower: np.ndarray, num_upper: np.ndarray
) -> np.ndarray:
    if input.ndim < 2:
        raise InvalidArgumentError(None, None, "input must be at least 2-dim")
    rows, columns = input.shape[-2:]
    below, above = int(num_lower), int(num_upper)
    for count, limit, name in ((below, rows, "num_lower"), (above, columns, "num_upper")):
        if count > limit:
            raise InvalidArgumentError(
                None, None, f"{name} must be negative or at most {limit}, got: {count}"
            )
    diagonal = np.arange(columns)[None, :] - np.arange(rows)[:, None]
    inside = ((below < 0) | (diagonal >= -below)) & ((above < 0) | (diagonal <= above))
    return np.where(inside, input, _empty_of(input.dtype))


@MatrixBandPart.gradient
def _matrix_band_part_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    return MatrixBandPart(grad, op.inputs[1], op.inputs[2]), None, None


@export("linalg.band_part")
@export_v1("linalg.band_part", "matrix_band_part")
def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Matrices with everything outside a band around the main diagonal set to zero.

    Args:
      input: [..., M, N].
      num_lower: the number of diagonals below the main one to keep; negative keeps all.
      num_upper: the number above to keep; negative keeps all.
      name: of the node.
    Returns:
      [..., M, N]
    """
    return MatrixBandPart(input, num_lower, num_upper, name=name)

"""Products of matrices, and of stacks of matrices, for all numeric types."""

from __future__ import annotations

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.precision import compute_dtype


def matrix_product(
    a: np.ndarray, b: np.ndarray, transpose_a: bool = False, transpose_b: bool = False
) -> np.ndarray:
    """a · b for matrices, either of them transposed first.

    Raises:
      InvalidArgumentError: they are not matrices, or their inner sizes differ.
    """
    if a.ndim != 2 or b.ndim != 2:
        raise InvalidArgumentError(
            None,
            None,
            "Both factors must be matrices",
            received=f"shapes {list(a.shape)} and {list(b.shape)}",
            expected="rank 2",
        )
    return _product(a.T if transpose_a else a, b.T if transpose_b else b)


def batch_matrix_product(
    x: np.ndarray,
    y: np.ndarray,
    adj_x: bool = False,
    adj_y: bool = False,
    result_dtype: np.dtype | None = None,
    broadcast: bool = True,
) -> np.ndarray:
    """x · y over the last two dimensions, either of them conjugated and transposed first.

    Args:
      x: `[…, M, K]`; `[…, K, M]` with `adj_x`.
      y: `[…, K, N]`; `[…, N, K]` with `adj_y`.
      result_dtype: computed and returned; None takes that of `x`.
      broadcast: whether the leading dimensions broadcast, or must be equal.
    Returns:
      `[…, M, N]`.
    Raises:
      InvalidArgumentError: sizes do not fit.
    """
    if x.ndim < 2 or y.ndim < 2 or not (broadcast or x.shape[:-2] == y.shape[:-2]):
        _refuse(x, y)
    if result_dtype is not None:
        x, y = x.astype(result_dtype, copy=False), y.astype(result_dtype, copy=False)
    return _product(_adjoint(x) if adj_x else x, _adjoint(y) if adj_y else y)


def _adjoint(matrices: np.ndarray) -> np.ndarray:
    swapped = matrices.swapaxes(-1, -2)
    return np.conjugate(swapped) if matrices.dtype.kind == "c" else swapped


def _product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    wide = compute_dtype(x.dtype)
    try:
        if wide is x.dtype:
            return np.matmul(x, y)
        return np.matmul(x.astype(wide), y.astype(wide)).astype(x.dtype)
    except ValueError:
        _refuse(x, y)
        raise


def _refuse(x: np.ndarray, y: np.ndarray) -> None:
    raise InvalidArgumentError(
        None,
        None,
        "Matrix size-incompatible",
        received=f"{list(x.shape)} times {list(y.shape)}",
        expected="columns of the first = rows of the second, and leading sizes that fit",
    ) from None

"""`tf.norm`: norms of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import Mul
from featherflow.ops.cast_ops import cast
from featherflow.ops.complex_ops import conj
from featherflow.ops.core_array_ops import concat
from featherflow.ops.division_ops import RealDiv, floormod
from featherflow.ops.exponential_ops import pow, sqrt
from featherflow.ops.magnitude_ops import abs as absolute
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_max
from featherflow.ops.reshape_ops import expand_dims, renamed_argument, squeeze
from featherflow.ops.shape_ops import rank as rank_of
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.svd_ops import svd
from featherflow.ops.transpose_ops import invert_permutation, transpose
from featherflow.ops.unique_ops import setdiff1d

_MATRIX_NORMS = ("euclidean", "fro", 1, 2, np.inf)


@export_v1("norm", "linalg.norm")
def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The norm of vectors or matrices.

        ord             vectors                 matrices
        'euclidean'     √ Σ |x_i|²              √ Σ |x_ij|²
        'fro'                                   √ Σ |x_ij|²
        1               Σ |x_i|                 max_j Σ_i |x_ij|
        2               √ Σ |x_i|²              the largest singular value
        inf             max |x_i|               max_i Σ_j |x_ij|
        other p > 0     (Σ |x_i|^p)^(1/p)

    Args:
      tensor: floating or complex.
      ord: which norm.
      axis: an integer for vectors, a pair for matrices; None takes all elements as one vector.
      keepdims: keeps the reduced dimensions with size 1.
      name: of the scope.
      keep_dims: an older name of `keepdims`.
    Returns:
      A tensor without the dimensions `axis`.
    Raises:
      ValueError: `ord` or `axis` is none of these.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     print(sess.run(tf.norm([3.0, 4.0])))
    5.0
    """
    keepdims = bool(renamed_argument("keepdims", keepdims, "keep_dims", keep_dims))
    axes = _axes_of(axis)
    _check_order(ord, is_matrix=axes is not None and len(axes) == 2)
    with op_scope(name, "norm", [tensor]):
        tensor = convert_to_tensor(tensor)
        if ord in ("fro", "euclidean", 2, 2.0):
            if ord == 2 and axes is not None and len(axes) == 2:
                return _spectral_norm(tensor, axes, keepdims)
            squares = Mul(tensor, conj(tensor), name="mul")
            result = sqrt(reduce_sum(squares, axes, keepdims=True))
        else:
            result = _norm_of_magnitudes(absolute(tensor), ord, axes)
        return result if keepdims else squeeze(result, axes)


@export("norm", "linalg.norm")
def norm_v2(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """`norm` without TF1's older name of `keepdims`."""
    return norm(tensor, ord, axis, keepdims, name)


@export("linalg.normalize")
def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """`tensor` over its norm.

    Args:
      tensor: floating or complex.
      ord, axis: as `norm` takes them.
      name: of the scope.
    Returns:
      The quotient, of norm 1, and the norm, its dimensions kept.
    """
    with op_scope(name, "normalize", [tensor]):
        tensor = convert_to_tensor(tensor)
        size = norm(tensor, ord, axis, keepdims=True)
        return RealDiv(tensor, cast(size, tensor.dtype.base_dtype), name="truediv"), size


def _axes_of(axis: Any) -> list[int] | None:
    if axis is None:
        return None
    if not isinstance(axis, (tuple, list)):
        return [axis]
    is_pair = len(axis) == 2 and axis[0] != axis[1]
    if not is_pair or not all(isinstance(item, (int, np.integer)) for item in axis):
        raise ValueError(
            f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
        )
    return list(axis)


def _check_order(order: Any, is_matrix: bool) -> None:
    if is_matrix:
        if order not in _MATRIX_NORMS:
            names = "['euclidean', 'fro', 1, 2, inf]"
            raise ValueError(f"'ord' must be a supported matrix norm in {names}, got {order}")
    elif order != "euclidean" and (isinstance(order, str) or order <= 0):
        raise ValueError(f"'ord' must be a supported vector norm, got {order}")


def _spectral_norm(tensor: Tensor, axes: list[int], keepdims: bool) -> Tensor:
    """The largest singular value of the matrices that the two axes span."""
    rank = tensor.shape.rank
    if rank is None:
        dynamic: Any = rank_of(tensor)
        last: Any = floormod(axes, dynamic)
        kept, _ = setdiff1d(range_(dynamic), last)
        order: Any = concat([kept, last], 0)
        back: Any = invert_permutation(order)
    else:
        last = [axis % rank for axis in axes]
        order = [axis for axis in range(rank) if axis not in last] + last
        back = np.argsort(order)
    values = svd(transpose(tensor, order), compute_uv=False)
    largest = reduce_max(absolute(values), axis=-1, keepdims=True)
    result = transpose(expand_dims(largest, -1), back)
    return result if keepdims else squeeze(result, axes)


def _norm_of_magnitudes(magnitudes: Tensor, order: Any, axes: list[int] | None) -> Tensor:
    """The norm of order 1, ∞ or p, its dimensions kept."""
    first, second = None, None
    if axes is not None:
        first, second = axes[0], axes[1] if len(axes) == 2 else None
    if order == 1:
        total = reduce_sum(magnitudes, first, keepdims=True)
        return total if second is None else reduce_max(total, second, keepdims=True)
    if order == np.inf:
        if second is not None:
            magnitudes = reduce_sum(magnitudes, second, keepdims=True)
        return reduce_max(magnitudes, first, keepdims=True)
    powers = pow(magnitudes, order)
    return pow(reduce_sum(powers, axes, keepdims=True), 1.0 / order)

"""Functions of several reductions: log-sum-exp, variance, standard deviation, counts."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import AddV2, Mul, Square, Sub
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import IsFinite, NotEqual
from featherflow.ops.complex_ops import conj, real
from featherflow.ops.exponential_ops import Exp, Log, sqrt
from featherflow.ops.fill_ops import zeros
from featherflow.ops.identity_ops import StopGradient
from featherflow.ops.reduction_ops import reduce_max, reduce_mean
from featherflow.ops.reshape_ops import Reshape, renamed_argument
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.shape_ops import Shape
from featherflow.ops.sum_ops import reduce_sum


@export_v1("math.reduce_logsumexp", "reduce_logsumexp")
def reduce_logsumexp(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """log Σ exp(input) over `axis`, without overflow; arguments as for `reduce_sum`.

        result = m + log Σ exp(input − m),  m = max(input)

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     print(f"{sess.run(tf.reduce_logsumexp([1000.0, 1000.0])):.3f}")
    1000.693
    """
    axis = renamed_argument("axis", axis, "reduction_indices", reduction_indices)
    keepdims = renamed_argument("keepdims", keepdims, "keep_dims", keep_dims)
    with op_scope(name, "ReduceLogSumExp", [input_tensor]) as scope:
        highest = reduce_max(input_tensor, axis=axis, keepdims=True)
        # An infinite maximum would turn the difference into NaN.
        highest = StopGradient(SelectV2(IsFinite(highest), highest, 0))
        total = Log(reduce_sum(Exp(Sub(input_tensor, highest)), axis=axis, keepdims=keepdims))
        if not keepdims:
            highest = Reshape(highest, Shape(total))
        return AddV2(total, highest, name=scope)


@export("math.reduce_logsumexp", "reduce_logsumexp")
def reduce_logsumexp_v2(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """`reduce_logsumexp` without TF1's older names."""
    return reduce_logsumexp(input_tensor, axis, keepdims, name)


@export("math.reduce_variance")
def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Σ |input − mean|² / count over `axis`; arguments as for `reduce_sum`.

    Args:
      input_tensor: floating or complex.
    Returns:
      A real tensor.
    Raises:
      TypeError: the input is of integers.
    """
    with op_scope(name, "reduce_variance"):
        input_tensor = convert_to_tensor(input_tensor)
        means = reduce_mean(input_tensor, axis=axis, keepdims=True)
        if means.dtype.is_integer:
            raise TypeError(
                f"Input must be either real or complex. Received integer type {means.dtype!r}."
            )
        difference = Sub(input_tensor, means, name="sub")
        if difference.dtype.is_complex:
            squares = real(Mul(conj(difference), difference))
        else:
            squares = Square(difference)
        return reduce_mean(squares, axis=axis, keepdims=keepdims)


@export("math.reduce_std")
def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """√ of `reduce_variance`."""
    with op_scope(name, "reduce_std"):
        input_tensor = convert_to_tensor(input_tensor)
        return sqrt(reduce_variance(input_tensor, axis=axis, keepdims=keepdims))


@export_v1("math.count_nonzero", "count_nonzero")
def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = dtypes.int64,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
    input: Any = None,
) -> Tensor:
    """The number of elements along `axis` that are not 0, false or empty.

    Args:
      input_tensor: numbers, bool or strings.
      axis: as for `reduce_sum`.
      keepdims: keeps the reduced dimensions with size 1.
      dtype: of the result.
      name: of the scope.
      reduction_indices, keep_dims: older names of `axis` and `keepdims`.
      input: TF2's name of `input_tensor`.
    Returns:
      A tensor of `dtype`.
    """
    input_tensor = renamed_argument("input", input, "input_tensor", input_tensor)
    axis = renamed_argument("axis", axis, "reduction_indices", reduction_indices)
    keepdims = renamed_argument("keepdims", keepdims, "keep_dims", keep_dims)
    return count_nonzero_v2(input_tensor, axis, keepdims, dtype, name)


@export("math.count_nonzero")
def count_nonzero_v2(
    input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """`count_nonzero` without TF1's older names."""
    with op_scope(name, "count_nonzero", [input]):
        input = convert_to_tensor(input, name="input")
        is_nonzero = NotEqual(input, zeros([], dtype=input.dtype.base_dtype))
        return reduce_sum(cast(is_nonzero, dtype), axis=axis, keepdims=keepdims)

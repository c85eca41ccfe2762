"""Means, products, extrema, logic and norms over axes, and statistics made of them.

Axes are given as for `reduce_sum`, see `sum_ops.py`. Each function has TF1's form, which knows
older names of `axis` and `keepdims`, and TF2's.
"""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.graph.constant_value import constant_value
from featherflow.graph.tensor import Tensor
from featherflow.kernels import reductions
from featherflow.ops.arithmetic_ops import AddV2, Mul
from featherflow.ops.cast_ops import Cast, cast
from featherflow.ops.comparison_ops import Equal
from featherflow.ops.complex_ops import conj
from featherflow.ops.constant_ops import constant
from featherflow.ops.cumulative_ops import Cumprod
from featherflow.ops.division_ops import DivNoNan, FloorDiv, RealDiv
from featherflow.ops.extremum_ops import Maximum
from featherflow.ops.reshape_ops import renamed_argument
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.shape_ops import Size
from featherflow.ops.sum_ops import (
    REDUCTION_TYPES,
    Sum,
    broadcast_reduced,
    define_reduction,
    reduce,
    with_reduced_dims,
)
from featherflow.ops.sum_ops import reduce_sum as reduce_sum  # with the other reductions
from featherflow.ops.type_groups import NUMBERS, REAL

_EXTREMUM_TYPES = (
    "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, "
    "qint8, quint8, qint32, qint16, quint16}"
)


def _renamed(
    axis: Any, keepdims: bool | None, reduction_indices: Any, keep_dims: bool | None
) -> tuple[Any, bool | None]:
    """axis and keepdims, which TF1 also knows by older names."""
    return (
        renamed_argument("axis", axis, "reduction_indices", reduction_indices),
        renamed_argument("keepdims", keepdims, "keep_dims", keep_dims),
    )


# --- Mean -----------------------------------------------------------------------------------------

Mean = define_reduction("Mean", reductions.reduce_mean, REDUCTION_TYPES, NUMBERS, "mean")


@Mean.gradient
def _mean_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    total = broadcast_reduced(op, grad)
    return RealDiv(total, cast(_reduced_count(op), grad.dtype.base_dtype)), None


def _reduced_count(op: Any) -> Tensor:
    """How many elements of the input fall on each one of the output."""
    before, after = op.inputs[0].shape.num_elements(), op.outputs[0].shape.num_elements()
    if before is not None and after is not None:
        return constant(before // max(after, 1), dtypes.int32)
    sizes = Size(op.inputs[0]), Size(op.outputs[0])
    return FloorDiv(sizes[0], Maximum(sizes[1], 1))


@export_v1("math.reduce_mean", "reduce_mean")
def reduce_mean(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Σ input / count over `axis`; arguments as for `reduce_sum`.

    The mean of integers is rounded towards zero; that of nothing is NaN.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.reduce_mean([[1.0, 2.0], [3.0, 6.0]], axis=1)).tolist()
    [1.5, 4.5]
    """
    axis, keepdims = _renamed(axis, keepdims, reduction_indices, keep_dims)
    return reduce(Mean, input_tensor, axis, keepdims, name)


@export("math.reduce_mean", "reduce_mean")
def reduce_mean_v2(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """`reduce_mean` without TF1's older names."""
    return reduce(Mean, input_tensor, axis, keepdims, name)


# --- Prod -----------------------------------------------------------------------------------------

Prod = define_reduction("Prod", reductions.reduce_prod, REDUCTION_TYPES, NUMBERS, "prod")


@Prod.gradient
def _prod_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    indices = constant_value(op.inputs[1])
    grad = with_reduced_dims(op, grad)
    if indices is None:
        return _prod_grad_of_unknown_axes(op, grad), None
    # Axis by axis, the last product first: each factor's derivative is the product of the others.
    factors = conj(op.inputs[0])
    partial_products = []
    for axis in indices.reshape(-1).tolist():
        partial_products.append((factors, axis))
        factors = Prod(factors, axis, keep_dims=True)
    for factors, axis in reversed(partial_products):
        grad = Mul(_product_of_others(factors, axis), grad)
    return grad, None


def _product_of_others(factors: Tensor, axis: int) -> Tensor:
    """∏_{j ≠ i} factors[j] along `axis`, without a division that zeros would spoil."""
    before = Cumprod(factors, axis, exclusive=True)
    after = Cumprod(factors, axis, exclusive=True, reverse=True)
    return Mul(before, after)


def _prod_grad_of_unknown_axes(op: Any, grad: Tensor) -> Tensor:
    """By division: right where at most one factor is zero, or all others' product is."""
    x, axes = conj(op.inputs[0]), op.inputs[1]
    zero, one = (constant(value, x.dtype.base_dtype) for value in (0, 1))
    is_zero = Equal(x, zero)
    product = Prod(SelectV2(is_zero, one, x), axes, keep_dims=True)
    zeros = Sum(Cast(is_zero, DstT=x.dtype.base_dtype), axes, keep_dims=True)
    without_zeros = SelectV2(Equal(zeros, zero), DivNoNan(product, x), zero)
    at_the_zero = SelectV2(Equal(zeros, one), product, zero)
    return Mul(SelectV2(is_zero, at_the_zero, without_zeros), grad)


@export_v1("math.reduce_prod", "reduce_prod")
def reduce_prod(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """∏ input over `axis`, 1 for nothing; arguments as for `reduce_sum`."""
    axis, keepdims = _renamed(axis, keepdims, reduction_indices, keep_dims)
    return reduce(Prod, input_tensor, axis, keepdims, name)


@export("math.reduce_prod", "reduce_prod")
def reduce_prod_v2(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """`reduce_prod` without TF1's older names."""
    return reduce(Prod, input_tensor, axis, keepdims, name)


# --- Max, Min -------------------------------------------------------------------------------------

Max = define_reduction("Max", reductions.reduce_max, _EXTREMUM_TYPES, REAL, "max")
Min = define_reduction("Min", reductions.reduce_min, _EXTREMUM_TYPES, REAL, "min")


@Max.gradient
@Min.gradient
def _extremum_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    # Elements that share the extremum share the gradient.
    extremum = with_reduced_dims(op, op.outputs[0])
    is_extremal = cast(Equal(extremum, op.inputs[0]), grad.dtype.base_dtype)
    count = Sum(is_extremal, op.inputs[1], keep_dims=True)
    return Mul(RealDiv(is_extremal, count), with_reduced_dims(op, grad)), None


@export_v1("math.reduce_max", "reduce_max")
def reduce_max(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The maximum over `axis`; arguments as for `reduce_sum`.

    NaN where there is one; of nothing, −∞ or the least integer. The gradient is shared by the
    elements that are equal to the maximum.
    """
    axis, keepdims = _renamed(axis, keepdims, reduction_indices, keep_dims)
    return reduce(Max, input_tensor, axis, keepdims, name)


@export("math.reduce_max", "reduce_max")
def reduce_max_v2(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """`reduce_max` without TF1's older names."""
    return reduce(Max, input_tensor, axis, keepdims, name)


@export_v1("math.reduce_min", "reduce_min")
def reduce_min(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The minimum over `axis`; see `reduce_max`."""
    axis, keepdims = _renamed(axis, keepdims, reduction_indices, keep_dims)
    return reduce(Min, input_tensor, axis, keepdims, name)


@export("math.reduce_min", "reduce_min")
def reduce_min_v2(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """`reduce_min` without TF1's older names."""
    return reduce(Min, input_tensor, axis, keepdims, name)


# --- Any, All -------------------------------------------------------------------------------------

Any_ = define_reduction("Any", reductions.reduce_any, None, compiled_as="any")
All = define_reduction("All", reductions.reduce_all, None, compiled_as="all")
for _op in (Any_, All):
    _op.without_gradient("the result is bool")


@export_v1("math.reduce_any", "reduce_any")
def reduce_any(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Whether any element along `axis` is true; arguments as for `reduce_sum`."""
    axis, keepdims = _renamed(axis, keepdims, reduction_indices, keep_dims)
    return reduce(Any_, input_tensor, axis, keepdims, name)


@export("math.reduce_any", "reduce_any")
def reduce_any_v2(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """`reduce_any` without TF1's older names."""
    return reduce(Any_, input_tensor, axis, keepdims, name)


@export_v1("math.reduce_all", "reduce_all")
def reduce_all(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Whether all elements along `axis` are true; arguments as for `reduce_sum`."""
    axis, keepdims = _renamed(axis, keepdims, reduction_indices, keep_dims)
    return reduce(All, input_tensor, axis, keepdims, name)


@export("math.reduce_all", "reduce_all")
def reduce_all_v2(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """`reduce_all` without TF1's older names."""
    return reduce(All, input_tensor, axis, keepdims, name)


# --- EuclideanNorm --------------------------------------------------------------------------------

EuclideanNorm = define_reduction(
    "EuclideanNorm", reductions.reduce_euclidean_norm, REDUCTION_TYPES, NUMBERS
)


@EuclideanNorm.gradient
def _euclidean_norm_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    if grad.dtype.is_complex:
        # The norm is real: only the real part of its gradient counts.
        grad = Mul(AddV2(grad, conj(grad)), constant(0.5, grad.dtype.base_dtype))
    norm = with_reduced_dims(op, op.outputs[0])
    return Mul(op.inputs[0], RealDiv(with_reduced_dims(op, grad), norm)), None


@export("math.reduce_euclidean_norm")
def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """√ Σ |input|² over `axis`, rounded towards zero for integers; see `reduce_sum`."""
    return reduce(EuclideanNorm, input_tensor, axis, keepdims, name)

"""Sums, products and rectifiers of quantised tensors.

Products are exact in int32: the range of the result follows from those of the factors. The
arithmetic on ranges is in `kernels/quantization.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError, UnimplementedError
from featherflow.framework.exports import export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext, broadcast_shape
from featherflow.framework.tensor_shape import TensorShape
from featherflow.kernels import quantization as kernels
from featherflow.kernels.allocation import check_allocation
from featherflow.ops.quantized_arguments import (
    NO_GRADIENT,
    QINT8,
    QINT32,
    QUANTIZED,
    QUINT8,
    bounds_of,
    check_scalar_inputs,
    scalars,
    with_scalar_range,
)

# The result of a sum has so many times the reach of its terms: room for what is added to it.
_SUM_FACTOR = 1 << 14
_BIAS_FACTOR = 1 << 17

# --- QuantizedAdd and QuantizedMul ----------------------------------------------------------------


def _define_binary(name: str, *, checks_range: bool) -> Op:
    """An op on two tensors; `checks_range` is whether their ranges' shapes are checked early."""
    op = define_op(
        name,
        inputs=("x: T1", "y: T2", "min_x: float", "max_x: float", "min_y: float", "max_y: float"),
        outputs=("z: Toutput", "min_z: float", "max_z: float"),
        attrs=(f"T1: {QUANTIZED}", f"T2: {QUANTIZED}", f"Toutput: {QUANTIZED} = qint32"),
    )

    @op.shape_fn
    def binary_shape(c: InferenceContext) -> list[TensorShape]:
        output = broadcast_shape(c)
        if checks_range:
            check_scalar_inputs(c, 2)
        return with_scalar_range(output)

    op.without_gradient(NO_GRADIENT)
    return op


def _check_broadcast(x: np.ndarray, y: np.ndarray) -> None:
    """Refuses all but scalars, equal shapes, and one shape that ends like the other."""
    small, large = sorted((x.shape, y.shape), key=len)
    if large[len(large) - len(small) :] != small and math.prod(small) != 1:
        try:
            check_allocation(np.broadcast_shapes(x.shape, y.shape), np.dtype(np.int32))
        except ValueError:
            raise InvalidArgumentError(
                None,
                None,
                "Incompatible shapes",
                received=f"{list(x.shape)} and {list(y.shape)}",
            ) from None
        if x.ndim != 2 or y.ndim != 2:
            raise UnimplementedError(
                None,
                None,
                f"Broadcast between {list(x.shape)} and {list(y.shape)} is not supported yet",
            )


QuantizedAdd = _define_binary("QuantizedAdd", checks_range=True)


@QuantizedAdd.kernel("CPU", T1=QUINT8, T2=QUINT8, Toutput=QINT32)
def _quantized_add_cpu(
    x: np.ndarray,
    y: np.ndarray,
    min_x: np.ndarray,
    max_x: np.ndarray,
    min_y: np.ndarray,
    max_y: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    bounds = bounds_of("min_x max_x min_y max_y", min_x, max_x, min_y, max_y)
    _check_ordered(*bounds)
    _check_broadcast(x, y)
    # A single number is converted exactly, the elements of an array by whole steps.
    exact_place = 0 if x.size == 1 else 1 if y.size == 1 else None
    limits, out_limits = kernels.integer_limits(QUINT8), kernels.integer_limits(QINT32)
    low, high = kernels.sum_range(bounds, _SUM_FACTOR)
    terms = []
    for place, (term, start) in enumerate(((x, 0), (y, 2))):
        convert = kernels.requantize if place == exact_place else kernels.requantize_linearly
        own_low, own_high = bounds[start : start + 2]
        integers = kernels.stored(term)
        terms.append(convert(integers, own_low, own_high, low, high, limits, out_limits))
    return kernels.of_dtype(np.add(*terms, out=...), QINT32), low, high


def _check_ordered(*bounds: np.ndarray) -> None:
    for low, high in (bounds[:2], bounds[2:]):
        if not high > low:
            raise InvalidArgumentError(
                None, None, "A maximum must be larger than its minimum", received=f"{high} <= {low}"
            )


QuantizedMul = _define_binary("QuantizedMul", checks_range=False)


@QuantizedMul.kernel("CPU", T1=QUINT8, T2=QUINT8, Toutput=QINT32)
def _quantized_mul_cpu(
    x: np.ndarray,
    y: np.ndarray,
    min_x: np.ndarray,
    max_x: np.ndarray,
    min_y: np.ndarray,
    max_y: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    bounds = bounds_of("min_x max_x min_y max_y", min_x, max_x, min_y, max_y)
    _check_ordered(*bounds)
    _check_broadcast(x, y)
    factors = [
        without_zero_point(factor, QUINT8, *factor_range)
        for factor, factor_range in ((x, bounds[:2]), (y, bounds[2:]))
    ]
    product = np.multiply(*factors, out=...)
    return kernels.of_dtype(product, QINT32), *product_range(bounds, QUINT8, QUINT8)


def without_zero_point(
    values: np.ndarray, dtype: DType, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """The integers of a quantised array less the one that stands for 0: int64."""
    zero = kernels.integer_of_zero(low, high, kernels.integer_limits(dtype))
    return kernels.stored(values).astype(np.int64) - zero


def product_range(
    bounds: tuple[np.ndarray, ...], first: DType, second: DType
) -> tuple[np.ndarray, np.ndarray]:
    """The range of products in int32 of factors that have `bounds` and these dtypes."""
    limits = kernels.integer_limits(first), kernels.integer_limits(second)
    return kernels.product_range(bounds, limits, kernels.integer_limits(QINT32))


# --- QuantizedBiasAdd -----------------------------------------------------------------------------

QuantizedBiasAdd = define_op(
    "QuantizedBiasAdd",
    inputs=(
        "input: T1",
        "bias: T2",
        "min_input: float",
        "max_input: float",
        "min_bias: float",
        "max_bias: float",
    ),
    outputs=("output: out_type", "min_out: float", "max_out: float"),
    attrs=(f"T1: {QUANTIZED}", f"T2: {QUANTIZED}", f"out_type: {QUANTIZED}"),
)


@QuantizedBiasAdd.shape_fn
def _quantized_bias_add_shape(c: InferenceContext) -> list[TensorShape]:
    values = c.with_rank_at_least(0, 2)
    (channels,) = c.dims(1, 1)
    if values._dims is not None:
        values = TensorShape._of((*values._dims[:-1], c.merge_dim(values._dims[-1], channels)))
    check_scalar_inputs(c, 2)
    return with_scalar_range(values)


def _quantized_bias_add_cpu(
    input: np.ndarray,
    bias: np.ndarray,
    min_input: np.ndarray,
    max_input: np.ndarray,
    min_bias: np.ndarray,
    max_bias: np.ndarray,
    *,
    T1: DType,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    names = "min_input max_input min_bias max_bias"
    bounds = bounds_of(names, min_input, max_input, min_bias, max_bias)
    if input.ndim < 2 or bias.shape != input.shape[-1:]:
        raise InvalidArgumentError(
            None,
            None,
            "Must provide as many biases as the last dimension of the input tensor",
            received=f"shapes {list(bias.shape)} and {list(input.shape)}",
        )
    low, high = kernels.sum_range(bounds, _BIAS_FACTOR)
    limits, out_limits = kernels.integer_limits(T1), kernels.integer_limits(QINT32)
    total = kernels.integer_of_zero(low, high, out_limits)
    for term, term_range in ((input, bounds[:2]), (bias, bounds[2:])):
        floats = kernels.dequantize_min_first(kernels.stored(term), *term_range, limits=limits)
        total = total + kernels.quantize_min_first(floats, low, high, out_limits)
    return kernels.of_dtype(np.asarray(total), QINT32), low, high


for _dtype in (QINT8, QUINT8):
    QuantizedBiasAdd.kernel("CPU", T1=_dtype, T2=_dtype, out_type=QINT32)(_quantized_bias_add_cpu)
QuantizedBiasAdd.without_gradient(NO_GRADIENT)

# --- QuantizedMatMul ------------------------------------------------------------------------------

QuantizedMatMul = define_op(
    "QuantizedMatMul",
    inputs=("a: T1", "b: T2", "min_a: float", "max_a: float", "min_b: float", "max_b: float"),
    outputs=("out: Toutput", "min_out: float", "max_out: float"),
    attrs=(
        f"T1: {QUANTIZED}",
        f"T2: {QUANTIZED}",
        f"Toutput: {QUANTIZED} = qint32",
        "transpose_a: bool = false",
        "transpose_b: bool = false",
        f"Tactivation: {QUANTIZED} = quint8",
    ),
)


@QuantizedMatMul.shape_fn
def _quantized_matmul_shape(c: InferenceContext) -> list[TensorShape]:
    a, b = c.dims(0, 2), c.dims(1, 2)
    rows, inner_a = a[::-1] if c.attrs["transpose_a"] else a
    inner_b, columns = b[::-1] if c.attrs["transpose_b"] else b
    c.merge_dim(inner_a, inner_b)
    check_scalar_inputs(c, 2)
    return with_scalar_range(TensorShape._of((rows, columns)))


@QuantizedMatMul.kernel("CPU", T1=QUINT8, T2=QUINT8, Toutput=QINT32)
def _quantized_matmul_cpu(
    a: np.ndarray,
    b: np.ndarray,
    min_a: np.ndarray,
    max_a: np.ndarray,
    min_b: np.ndarray,
    max_b: np.ndarray,
    *,
    transpose_a: bool,
    transpose_b: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    bounds = bounds_of("min_a max_a min_b max_b", min_a, max_a, min_b, max_b)
    if a.ndim != 2 or b.ndim != 2:
        raise InvalidArgumentError(
            None,
            None,
            "In[0] and In[1] must be matrices",
            received=f"shapes {list(a.shape)} and {list(b.shape)}",
        )
    _check_ordered(*bounds)
    left = without_zero_point(a, QUINT8, *bounds[:2])
    right = without_zero_point(b, QUINT8, *bounds[2:])
    left, right = left.T if transpose_a else left, right.T if transpose_b else right
    if left.shape[1] != right.shape[0]:
        raise InvalidArgumentError(
            None,
            None,
            "Matrix size-compatible",
            received=f"In[0]: {list(a.shape)}, In[1]: {list(b.shape)}",
        )
    # Products of 9-bit integers and sums of fewer than 2³⁵ of them are exact in float64.
    product = left.astype(np.float64) @ right.astype(np.float64)
    wrapped = product.astype(np.int64).astype(np.int32)
    return kernels.of_dtype(wrapped, QINT32), *product_range(bounds, QUINT8, QUINT8)


QuantizedMatMul.without_gradient(NO_GRADIENT)

# --- rectifiers -----------------------------------------------------------------------------------


def _define_rectifier(name: str, has_limit: bool = False) -> Op:
    op = define_op(
        name,
        inputs=(
            "features: Tinput",
            *(("max_value: float",) if has_limit else ()),
            "min_features: float",
            "max_features: float",
        ),
        outputs=("activations: out_type", "min_activations: float", "max_activations: float"),
        attrs=(f"Tinput: {QUANTIZED}", f"out_type: {QUANTIZED} = quint8"),
    )

    @op.shape_fn
    def rectifier_shape(c: InferenceContext) -> list[TensorShape]:
        check_scalar_inputs(c, 1)
        return with_scalar_range(c.shapes[0])

    op.without_gradient(NO_GRADIENT)
    return op


def _rectified(
    features: np.ndarray, low: np.ndarray, high: np.ndarray, dtype: DType, limit: float | None
) -> tuple[np.ndarray, ...]:
    """The integers, no less than the one that stands for 0 and no larger than that of `limit`."""
    low, high = scalars("min_features max_features", low, high)
    limits = kernels.integer_limits(dtype)
    integers = kernels.stored(features)
    bounds = [
        int(kernels.exact_integer(np.array(bound, np.float32), low, high, limits))
        for bound in (0.0, limit)
        if bound is not None
    ]
    clipped = np.maximum(integers, bounds[0])
    if limit is not None:
        clipped = np.minimum(clipped, bounds[1])
    return kernels.of_dtype(np.asarray(clipped), dtype), low, high


QuantizedRelu = _define_rectifier("QuantizedRelu")
QuantizedRelu6 = _define_rectifier("QuantizedRelu6")
QuantizedReluX = _define_rectifier("QuantizedReluX", has_limit=True)


def _quantized_relu_cpu(
    features: np.ndarray, min_features: np.ndarray, max_features: np.ndarray, *, Tinput: DType
) -> tuple[np.ndarray, ...]:
    return _rectified(features, min_features, max_features, Tinput, None)


def _quantized_relu6_cpu(
    features: np.ndarray, min_features: np.ndarray, max_features: np.ndarray, *, Tinput: DType
) -> tuple[np.ndarray, ...]:
    return _rectified(features, min_features, max_features, Tinput, 6.0)


def _quantized_relu_x_cpu(
    features: np.ndarray,
    max_value: np.ndarray,
    min_features: np.ndarray,
    max_features: np.ndarray,
    *,
    Tinput: DType,
) -> tuple[np.ndarray, ...]:
    (limit,) = scalars("max_value", max_value)
    return _rectified(features, min_features, max_features, Tinput, float(limit))


for _dtype in (QUINT8, QINT32):
    QuantizedRelu.kernel("CPU", Tinput=_dtype, out_type=_dtype)(_quantized_relu_cpu)
    QuantizedRelu6.kernel("CPU", Tinput=_dtype, out_type=_dtype)(_quantized_relu6_cpu)
    # TensorFlow has no kernel of this one: the formula is that of the other two.
    QuantizedReluX.kernel("CPU", Tinput=_dtype, out_type=_dtype)(_quantized_relu_x_cpu)


@export_v1("nn.quantized_relu_x")
def quantized_relu_x(
    features: Any,
    max_value: Any,
    min_features: Any,
    max_features: Any,
    out_type: Any = QUINT8,
    name: str | None = None,
) -> Any:
    """min(max(x, 0), max_value) of what quantised `features` stand for.

    Args:
      features: any shape, quint8 or qint32.
      max_value: a float scalar.
      min_features, max_features: the range of `features`.
      out_type: the dtype of `features`.
      name: of the node.
    Returns:
      `(activations, min_activations, max_activations)`, in the same range.
    """
    return QuantizedReluX(
        features, max_value, min_features, max_features, out_type=out_type, name=name
    )

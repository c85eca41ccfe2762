"""Clipping: ClipByValue, `tf.clip_by_value`, saturating casts."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import unchanged_shape
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import Greater, Less, LogicalOr
from featherflow.ops.complex_ops import real
from featherflow.ops.constant_ops import constant
from featherflow.ops.extremum_ops import Maximum, Minimum
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.sum_ops import REDUCTION_TYPES, unbroadcast
from featherflow.ops.type_groups import REAL

# --- ClipByValue ----------------------------------------------------------------------------------

ClipByValue = define_op(
    "ClipByValue",
    inputs=("t: T", "clip_value_min: T", "clip_value_max: T"),
    outputs=("output: T",),
    attrs=(f"T: {REDUCTION_TYPES}",),
    elementwise=True,
)
ClipByValue.shape_fn(unchanged_shape)


@ClipByValue.kernel("CPU", T=REAL)
def _clip_by_value_cpu(
    t: np.ndarray, clip_value_min: np.ndarray, clip_value_max: np.ndarray
) -> np.ndarray:
    for name, bound in (("clip_value_min", clip_value_min), ("clip_value_max", clip_value_max)):
        if bound.ndim and bound.shape != t.shape:
            raise InvalidArgumentError(
                None,
                None,
                f"{name} must be a scalar, or of the shape of t",
                received=f"t {list(t.shape)}, {name} {list(bound.shape)}",
            )
    # Bounds that are NaN do not clip, as in TensorFlow; a NaN of t stays.
    capped = np.where(clip_value_max < t, clip_value_max, t)
    return np.where(capped < clip_value_min, clip_value_min, capped)


@ClipByValue.gradient
def _clip_by_value_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    t, lower, upper = op.inputs
    zero = constant(0, grad.dtype.base_dtype)
    is_below, is_above = Less(t, lower), Greater(t, upper)
    return (
        SelectV2(LogicalOr(is_below, is_above), zero, grad),
        unbroadcast(SelectV2(is_below, grad, zero), lower),
        unbroadcast(SelectV2(is_above, grad, zero), upper),
    )


@export("clip_by_value")
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """t, but at least `clip_value_min` and at most `clip_value_max`, elementwise.

    Args:
      t: a tensor or IndexedSlices of real numbers.
      clip_value_min: a number, or a tensor that broadcasts to the shape of `t`.
      clip_value_max: likewise; where it is less than the minimum, the minimum counts.
      name: of the node.
    Returns:
      The same kind of value as `t`.
    Raises:
      ValueError: the bounds do not broadcast to the shape of `t`.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.clip_by_value([-2, 0, 3], -1, 1)).tolist()
    [-1, 0, 1]
    """
    with op_scope(name, "clip_by_value", [t]) as scope:
        values = convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name="t")
        below = Minimum(values, clip_value_max)
        values.shape.assert_is_compatible_with(below.shape)
        clipped = Maximum(below, clip_value_min, name=scope)
        values.shape.assert_is_compatible_with(clipped.shape)
    if isinstance(t, IndexedSlices):
        return IndexedSlices(clipped, t.indices, t.dense_shape)
    return clipped


# --- saturate_cast --------------------------------------------------------------------------------


@export("saturate_cast", "dtypes.saturate_cast")
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """`value` cast to `dtype`; what is out of its range becomes the nearest of its values.

    Args:
      value: numbers; the imaginary part of complex ones is dropped for a real `dtype`.
      dtype: a numeric type.
      name: of the node.
    Returns:
      A tensor of `dtype`.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.saturate_cast([-7, 7, 700], tf.uint8)).tolist()
    [0, 7, 255]
    """
    with op_scope(name, "saturate_cast", [value]) as scope:
        value = convert_to_tensor(value, name="value")
        target = as_dtype(dtype).base_dtype
        if value.dtype.is_complex and not target.is_complex:
            value = real(value)
        lowest, highest = _common_range(value.dtype.base_dtype, target)
        bounds = constant(lowest, value.dtype), constant(highest, value.dtype)
        clipped = ClipByValue(value, *bounds, name="clamp")
        return cast(clipped, target, name=scope)


def _common_range(source: DType, target: DType) -> tuple[Any, Any]:
    """The least and the greatest value that both dtypes have, as values of `source`."""
    ranges = [_range(dtype.real_dtype) for dtype in (source, target)]
    lowest = _inside(source, max(low for low, _ in ranges), 1)
    highest = _inside(source, min(high for _, high in ranges), -1)
    if source.is_complex:
        return complex(lowest, lowest), complex(highest, highest)
    return lowest, highest


def _range(dtype: DType) -> tuple[Any, Any]:
    number = int if dtype.is_integer else float
    return number(dtype.min), number(dtype.max)


def _inside(dtype: DType, bound: Any, direction: int) -> Any:
    """`bound` as a number of `dtype`; a rounding out of the range is taken back by one step."""
    if dtype.is_integer:
        return int(bound)
    part = dtype.real_dtype.numpy_dtype.type
    rounded = part(bound)
    if (float(rounded) - bound) * direction < 0:
        rounded = np.nextafter(rounded, part(direction * np.inf))
    return float(rounded)

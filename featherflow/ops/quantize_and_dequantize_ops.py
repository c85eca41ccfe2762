"""QuantizeAndDequantize in its four versions: a network trained to run on integers.

The arithmetic is in `kernels/quantize_dequantize.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext, unchanged_shape
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import quantize_dequantize as kernels
from featherflow.ops.quantize_ops import axis_attr

_FLOATS = (dtypes.float32, dtypes.float64)
_T = "T: {bfloat16, half, float, double}"
_INPUTS = ("input: T", "input_min: T", "input_max: T")
_ATTRS = (
    "signed_input: bool = true",
    "num_bits: int = 8",
    "range_given: bool = false",
    _T,
    "round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'",
    "narrow_range: bool = false",
    "axis: int = -1",
)


def _check_ranges(c: InferenceContext, values: int) -> TensorShape:
    """The shape of the ranges that follow input `values`: scalars, or `[C]` along the axis."""
    axis = c.attrs["axis"]
    if axis < -1:
        c.fail("axis should be at least -1", received=f"axis = {axis}")
    first = c.with_rank(values + 1, 0 if axis == -1 else 1)
    second = c.with_rank(values + 2, 0 if axis == -1 else 1)
    both = c.merge(first, second)
    if axis != -1:
        dims = c.with_rank_at_least(values, axis + 1)._dims
        if dims is not None and both._dims is not None:
            c.merge_dim(dims[axis], both._dims[0])
    return both


def _same_with_range(c: InferenceContext) -> TensorShape:
    _check_ranges(c, 0)
    return c.shapes[0]


def _checked_ranges(
    input: np.ndarray, low: np.ndarray, high: np.ndarray, axis: int
) -> tuple[np.ndarray, np.ndarray]:
    """The ranges, shaped to broadcast against `input`.

    Raises:
      InvalidArgumentError: there is no such axis, or the ranges do not fit it.
    """
    if axis < -1 or axis >= input.ndim:
        raise InvalidArgumentError(
            None,
            None,
            "Axis must be -1 or less than the rank of the input",
            received=f"axis {axis}, shape {list(input.shape)}",
        )
    wanted = () if axis == -1 else (input.shape[axis],)
    for name, bound in (("input_min", low), ("input_max", high)):
        if bound.shape != wanted and not (axis == -1 and bound.size == 1):
            raise InvalidArgumentError(
                None,
                None,
                f"{name} has an incorrect size",
                received=f"shape {list(bound.shape)}",
                expected=f"shape {list(wanted)}",
            )
    if axis == -1:
        return low.reshape(()), high.reshape(())
    return kernels.along_axis(low, input.ndim, axis), kernels.along_axis(high, input.ndim, axis)


def _quantize_and_dequantize(
    input: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    num_bits: int,
    *,
    signed_input: bool,
    range_given: bool,
    narrow_range: bool,
    axis: int,
    round_mode: str = "HALF_TO_EVEN",
) -> np.ndarray:
    if not 0 < num_bits < (62 if signed_input else 63):
        raise InvalidArgumentError(
            None,
            None,
            "num_bits is out of range",
            received=f"{num_bits} with signed_input {signed_input}",
            expected="1 to 61 for signed integers, 1 to 62 for unsigned ones",
        )
    if range_given:
        low, high = _checked_ranges(input, low, high, axis)
        if not (low <= high).all():
            raise InvalidArgumentError(
                None, None, "Invalid range: input_min > input_max", received=f"{low} and {high}"
            )
    else:
        if axis < -1 or axis >= input.ndim:
            _checked_ranges(input, low, high, axis)
        found = kernels.value_range(input, axis)
        low, high = (kernels.along_axis(bound, input.ndim, axis) for bound in found)
    return kernels.quantize_and_dequantize(
        input,
        low,
        high,
        num_bits,
        signed=signed_input,
        range_given=range_given,
        half_up=round_mode == "HALF_UP",
        narrow_range=narrow_range,
    )


def _straight_through(op: Any, grad: Tensor) -> tuple[Any, ...]:
    """The gradient as if nothing had been rounded; the ranges have none."""
    return grad, *[None] * (len(op.inputs) - 1)


# --- QuantizeAndDequantize ------------------------------------------------------------------------

# The first version, which old graphs hold.
QuantizeAndDequantize = define_op(
    "QuantizeAndDequantize",
    inputs=("input: T",),
    outputs=("output: T",),
    attrs=(
        "signed_input: bool = true",
        "num_bits: int = 8",
        "range_given: bool = false",
        "input_min: float = 0.0",
        "input_max: float = 0.0",
        _T,
    ),
)
QuantizeAndDequantize.shape_fn(unchanged_shape)


@QuantizeAndDequantize.kernel("CPU", T=_FLOATS)
def _quantize_and_dequantize_cpu(
    input: np.ndarray,
    *,
    signed_input: bool,
    num_bits: int,
    range_given: bool,
    input_min: float,
    input_max: float,
) -> np.ndarray:
    return _quantize_and_dequantize(
        input,
        np.array(input_min, input.dtype),
        np.array(input_max, input.dtype),
        num_bits,
        signed_input=signed_input,
        range_given=range_given,
        narrow_range=False,
        axis=-1,
    )


QuantizeAndDequantize.gradient(_straight_through)

# --- QuantizeAndDequantizeV2 and V4 ---------------------------------------------------------------


def _define_version(name: str) -> Op:
    """V2, or V4, which differ in their gradients only."""
    op = define_op(name, inputs=_INPUTS, outputs=("output: T",), attrs=_ATTRS)
    op.shape_fn(_same_with_range)

    @op.kernel("CPU", T=_FLOATS)
    def quantize_and_dequantize_cpu(
        input: np.ndarray,
        input_min: np.ndarray,
        input_max: np.ndarray,
        *,
        signed_input: bool,
        num_bits: int,
        range_given: bool,
        round_mode: str,
        narrow_range: bool,
        axis: int,
    ) -> np.ndarray:
        return _quantize_and_dequantize(
            input,
            input_min,
            input_max,
            num_bits,
            signed_input=signed_input,
            range_given=range_given,
            narrow_range=narrow_range,
            axis=axis,
            round_mode=round_mode,
        )

    return op


QuantizeAndDequantizeV2 = _define_version("QuantizeAndDequantizeV2")
QuantizeAndDequantizeV2.gradient(_straight_through)
QuantizeAndDequantizeV4 = _define_version("QuantizeAndDequantizeV4")


@QuantizeAndDequantizeV4.gradient
def _quantize_and_dequantize_v4_grad(op: Any, grad: Tensor) -> tuple[Tensor, ...]:
    return QuantizeAndDequantizeV4Grad(grad, *op.inputs, axis=op.attrs["axis"])


@export("quantization.quantize_and_dequantize_v2")
def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """Rounds values to those that integers of `num_bits` bits can stand for; 0 is one of them.

        y = round(clamp(x) · scale) / scale       scale = min(q_min / min, q_max / max)

    Args:
      input: any shape, float32 or float64.
      input_min, input_max: the range, scalars, or `[C]` with `axis`; ignored unless `range_given`.
      signed_input: whether the integers are signed.
      num_bits: of the integers.
      range_given: False takes the least and largest value of `input`, and clamps nothing.
      round_mode: "HALF_TO_EVEN" or "HALF_UP".
      name: of the node.
      narrow_range: leaves out the least signed integer, so that the range is symmetric.
      axis: the dimension along which each place has a range of its own; None: one range for all.
    Returns:
      A tensor like `input`; its gradient is 1 within [input_min, input_max] and 0 outside.
    Raises:
      ValueError: the ranges have the wrong shape.

    >>> import featherflow as tf
    >>> rounded = tf.quantization.quantize_and_dequantize_v2(
    ...     [-2.0, 0.4, 0.7], -1.0, 1.0, num_bits=2, range_given=True, narrow_range=True)
    >>> with tf.Session() as sess:
    ...     sess.run(rounded).tolist()
    [-1.0, 0.0, 1.0]
    """
    return QuantizeAndDequantizeV4(
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=axis_attr(input, axis),
        name=name,
    )


@export("quantization.quantize_and_dequantize")
def quantize_and_dequantize(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """`quantize_and_dequantize_v2` with the gradient 1 everywhere."""
    return QuantizeAndDequantizeV2(
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=axis_attr(input, axis),
        name=name,
    )


# --- QuantizeAndDequantizeV4Grad ------------------------------------------------------------------

QuantizeAndDequantizeV4Grad = define_op(
    "QuantizeAndDequantizeV4Grad",
    inputs=("gradients: T", *_INPUTS),
    outputs=("input_backprop: T", "input_min_backprop: T", "input_max_backprop: T"),
    attrs=(_T, "axis: int = -1"),
)


@QuantizeAndDequantizeV4Grad.shape_fn
def _quantize_and_dequantize_v4_grad_shape(c: InferenceContext) -> list[TensorShape]:
    bounds = _check_ranges(c, 1)
    return [c.merge(c.shapes[0], c.shapes[1]), bounds, bounds]


@QuantizeAndDequantizeV4Grad.kernel("CPU", T=_FLOATS)
def _quantize_and_dequantize_v4_grad_cpu(
    gradients: np.ndarray,
    input: np.ndarray,
    input_min: np.ndarray,
    input_max: np.ndarray,
    *,
    axis: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if gradients.shape != input.shape:
        raise InvalidArgumentError(
            None,
            None,
            "gradient and input must be the same size",
            received=f"shapes {list(gradients.shape)} and {list(input.shape)}",
        )
    low, high = _checked_ranges(input, input_min, input_max, axis)
    is_within = (input >= low) & (input <= high)
    passed = np.where(is_within, gradients, gradients.dtype.type(0))
    return np.asarray(passed), np.zeros_like(input_min), np.zeros_like(input_max)


@QuantizeAndDequantizeV4Grad.gradient
def _quantize_and_dequantize_v4_grad_grad(op: Any, grad: Tensor, *of_bounds: Any) -> tuple:
    again, _, _ = QuantizeAndDequantizeV4Grad(grad, *op.inputs[1:], axis=op.attrs["axis"])
    return again, None, None, None


# --- QuantizeAndDequantizeV3 ----------------------------------------------------------------------

QuantizeAndDequantizeV3 = define_op(
    "QuantizeAndDequantizeV3",
    inputs=(*_INPUTS, "num_bits: int32"),
    outputs=("output: T",),
    attrs=(
        "signed_input: bool = true",
        "range_given: bool = true",
        _T,
        "narrow_range: bool = false",
        "axis: int = -1",
    ),
)


@QuantizeAndDequantizeV3.shape_fn
def _quantize_and_dequantize_v3_shape(c: InferenceContext) -> TensorShape:
    _check_ranges(c, 0)
    c.with_rank(3, 0)
    return c.shapes[0]


@QuantizeAndDequantizeV3.kernel("CPU", T=_FLOATS)
def _quantize_and_dequantize_v3_cpu(
    input: np.ndarray,
    input_min: np.ndarray,
    input_max: np.ndarray,
    num_bits: np.ndarray,
    *,
    signed_input: bool,
    range_given: bool,
    narrow_range: bool,
    axis: int,
) -> np.ndarray:
    if num_bits.size != 1:
        raise InvalidArgumentError(
            None, None, "num_bits must be a scalar", received=f"shape {list(num_bits.shape)}"
        )
    return _quantize_and_dequantize(
        input,
        input_min,
        input_max,
        int(num_bits.reshape(())),
        signed_input=signed_input,
        range_given=range_given,
        narrow_range=narrow_range,
        axis=axis,
    )


QuantizeAndDequantizeV3.gradient(_straight_through)

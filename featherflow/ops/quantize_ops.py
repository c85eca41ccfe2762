"""QuantizeV2 and Dequantize: floats as integers of a range, and back.

The arithmetic is in `kernels/quantization.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType, as_dtype, float32
from featherflow.framework.errors import InvalidArgumentError, UnimplementedError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import quantization as kernels

_MODES = "mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'"
_NO_GRADIENT = "TensorFlow gives it no gradient"


def _range_shape(c: InferenceContext) -> TensorShape:
    """The shape of the ranges, inputs 1 and 2: scalars, or `[C]` along the axis."""
    axis = c.attrs["axis"]
    if axis < -1:
        c.fail("axis should be at least -1", received=f"axis = {axis}")
    rank = 0 if axis == -1 else 1
    low, high = c.with_rank(1, rank), c.with_rank(2, rank)
    if axis != -1:
        dims = c.with_rank_at_least(0, axis + 1)._dims
        for bound in (low, high):
            if dims is not None and bound._dims is not None:
                c.merge_dim(bound._dims[0], dims[axis])
    return c.merge(low, high)


def _along_axis(
    values: np.ndarray, low: np.ndarray, high: np.ndarray, axis: int
) -> tuple[np.ndarray, np.ndarray]:
    """The ranges, shaped to broadcast against `values`.

    Raises:
      InvalidArgumentError: they do not fit the axis.
    """
    if axis >= values.ndim:
        raise InvalidArgumentError(
            None,
            None,
            f"Axis must be less than input dimension({values.ndim})",
            received=f"axis = {axis}",
        )
    wanted = 1 if axis == -1 else values.shape[axis]
    if low.size != wanted or high.size != wanted:
        raise InvalidArgumentError(
            None,
            None,
            "min_range and max_range must have one element for each place along the axis",
            received=f"shapes {list(low.shape)} and {list(high.shape)}",
            expected=f"{wanted} elements",
        )
    shape = [] if axis == -1 else [-1] + [1] * (values.ndim - axis - 1)
    return low.reshape(shape), high.reshape(shape)


def axis_attr(input: Any, axis: int | None) -> int:
    """The attribute `axis` for an argument that may be None, or count from the end.

    Raises:
      ValueError: it counts from the end of an input of unknown rank.
    """
    if axis is None:
        return -1
    if axis >= 0:
        return axis
    rank = convert_to_tensor(input).shape.rank
    if rank is None:
        raise ValueError("input should have known rank to use negative axis.")
    return axis + rank


# --- QuantizeV2 -----------------------------------------------------------------------------------

QuantizeV2 = define_op(
    "QuantizeV2",
    inputs=("input: float", "min_range: float", "max_range: float"),
    outputs=("output: T", "output_min: float", "output_max: float"),
    attrs=(
        "T: {qint8, quint8, qint32, qint16, quint16}",
        _MODES,
        "round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = 'HALF_AWAY_FROM_ZERO'",
        "narrow_range: bool = false",
        "axis: int = -1",
        "ensure_minimum_range: float = 0.01",
    ),
)


@QuantizeV2.shape_fn
def _quantize_shape(c: InferenceContext) -> list[TensorShape]:
    bounds = _range_shape(c)
    return [c.shapes[0], bounds, bounds]


@QuantizeV2.kernel("CPU")
def _quantize_cpu(
    input: np.ndarray,
    min_range: np.ndarray,
    max_range: np.ndarray,
    *,
    T: DType,
    mode: str,
    round_mode: str,
    narrow_range: bool,
    axis: int,
    ensure_minimum_range: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    low, high = _along_axis(input, min_range, max_range, axis)
    _check_mode("Quantize", mode, low.size)
    if round_mode == "HALF_TO_EVEN" and mode != "SCALED":
        raise InvalidArgumentError(
            None,
            None,
            "Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED'",
            received=f"mode {mode!r}",
        )
    if (low > high).any():
        raise InvalidArgumentError(
            None, None, "min_range must be <= max_range", received=f"{min_range} > {max_range}"
        )
    low, high = _adjusted(low, high, np.float32(ensure_minimum_range))
    limits = kernels.integer_limits(T)
    if mode == "SCALED":
        scale, low, high = kernels.scaled_range(low, high, limits, narrow_range)
        half_to_even = round_mode == "HALF_TO_EVEN"
        integers = kernels.quantize_scaled(input, scale, low, high, limits, half_to_even)
    else:
        integers = _quantize_shifted(input, low, high, limits, mode)
    shape = () if axis == -1 else (-1,)
    return kernels.of_dtype(integers, T), low.reshape(shape), high.reshape(shape)


def _quantize_shifted(
    input: np.ndarray, low: np.ndarray, high: np.ndarray, limits: np.iinfo, mode: str
) -> np.ndarray:
    """MIN_COMBINED or MIN_FIRST; a range that is one point gives zeros."""
    if mode == "MIN_FIRST":
        bounds = low.reshape(()), high.reshape(())
        integers = kernels.quantize_min_first(input, *bounds, limits)
    else:
        integers = kernels.quantize_min_combined(input, low, high, limits)
    return np.where(low == high, 0, integers)


def _check_mode(action: str, mode: str, ranges: int) -> None:
    if ranges > 1 and mode == "MIN_FIRST":
        raise UnimplementedError(
            None, None, f"MIN_FIRST mode is not implemented for {action} with axis != -1"
        )


def _adjusted(
    low: np.ndarray, high: np.ndarray, least: np.float32
) -> tuple[np.ndarray, np.ndarray]:
    """The range, widened to hold 0 and to be no narrower than a part of its bounds; NaN gives."""
    one = np.float32(1)
    epsilon = np.fmax(one, np.fmax(np.abs(low), np.abs(high))) * least
    lowest = np.asarray(np.fmin(np.float32(0), low))
    return lowest, np.asarray(np.fmax(np.float32(0), np.fmax(high, lowest + epsilon)))


QuantizeV2.without_gradient(_NO_GRADIENT)


@export("quantization.quantize")
@export_v1("quantize", "quantization.quantize")
def quantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """Rounds floats to integers that stand for the values of a range.

        MIN_COMBINED   q = round((x − min) · (q_max − q_min) / (max − min)) + q_min
        MIN_FIRST      the same, with min moved so that 0 is one of the values
        SCALED         q = round(x · min(q_min / min, q_max / max)), symmetric about 0

    Args:
      input: any shape, float32.
      min_range, max_range: the range; what lies outside is clamped. It is widened to hold 0.
        Scalars, or `[C]` with `axis`.
      T: qint8, quint8, qint16, quint16 or qint32.
      mode: one of the three.
      round_mode: "HALF_AWAY_FROM_ZERO", or "HALF_TO_EVEN" for SCALED.
      name: of the node.
      narrow_range: leaves out the least integer, for SCALED.
      axis: the dimension along which each place has a range of its own.
      ensure_minimum_range: the narrowest range, as a part of its larger bound or of 1.
    Returns:
      A named tuple `(output, output_min, output_max)`: the integers and the range that they have.

    >>> import featherflow as tf
    >>> result = tf.quantize([-1.0, 0.0, 5.0], -1.0, 2.0, tf.quint8)
    >>> with tf.Session() as sess:
    ...     sess.run(tf.dequantize(*result)).tolist()
    [-1.0, 0.0, 2.0]
    """
    return QuantizeV2(
        input,
        min_range,
        max_range,
        T=as_dtype(T),
        mode=mode,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=axis_attr(input, axis),
        ensure_minimum_range=ensure_minimum_range,
        name=name,
    )


@export_v1("quantize_v2")
def quantize_v2(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """`quantize` with another order of arguments."""
    return quantize(
        input,
        min_range,
        max_range,
        T,
        mode,
        round_mode,
        name,
        narrow_range,
        axis,
        ensure_minimum_range,
    )


# --- Dequantize -----------------------------------------------------------------------------------

Dequantize = define_op(
    "Dequantize",
    inputs=("input: T", "min_range: float", "max_range: float"),
    outputs=("output: dtype",),
    attrs=(
        "T: {qint8, quint8, qint32, qint16, quint16}",
        _MODES,
        "narrow_range: bool = false",
        "axis: int = -1",
        "dtype: {bfloat16, float} = float",
    ),
)


@Dequantize.shape_fn
def _dequantize_shape(c: InferenceContext) -> TensorShape:
    axis, dims = c.attrs["axis"], c.shapes[0]._dims
    rank = -1 if dims is None else len(dims)
    if axis >= rank and axis > -1:
        c.fail(f"Axis must be less than input dimension({rank})", received=f"axis = {axis}")
    _range_shape(c)
    return c.shapes[0]


@Dequantize.kernel("CPU")
def _dequantize_cpu(
    input: np.ndarray,
    min_range: np.ndarray,
    max_range: np.ndarray,
    *,
    T: DType,
    mode: str,
    narrow_range: bool,
    axis: int,
    dtype: DType,
) -> np.ndarray:
    low, high = _along_axis(input, min_range, max_range, axis)
    _check_mode("Dequantize", mode, low.size)
    if dtype is not float32 and mode != "MIN_COMBINED":
        raise InvalidArgumentError(
            None,
            None,
            "When output type is bfloat16, mode must be 'MIN_COMBINED'",
            received=f"mode {mode!r}",
        )
    limits, integers = kernels.integer_limits(T), kernels.stored(input)
    if mode == "SCALED":
        values = kernels.dequantize_scaled(integers, low, high, limits, narrow_range)
    elif mode == "MIN_FIRST":
        values = kernels.dequantize_min_first(integers, low, high, limits)
    else:
        values = kernels.dequantize_min_combined(integers, low, high, limits)
    return values.astype(dtype.numpy_dtype, copy=False)


Dequantize.without_gradient(_NO_GRADIENT)


@export("quantization.dequantize")
@export_v1("dequantize", "quantization.dequantize")
def dequantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: Any = float32,
) -> Tensor:
    """The floats that quantised integers stand for: `quantize` backwards.

    Args:
      input: any shape, a quantised dtype.
      min_range, max_range: what `quantize` has returned beside the integers.
      mode, axis, narrow_range: as there.
      name: of the node.
      dtype: of the result, float32 or bfloat16.
    Returns:
      A tensor of the shape of `input`.
    """
    return Dequantize(
        input,
        min_range,
        max_range,
        mode=mode,
        narrow_range=narrow_range,
        axis=axis_attr(input, axis),
        dtype=as_dtype(dtype),
        name=name,
    )

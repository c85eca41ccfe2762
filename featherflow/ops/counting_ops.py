"""Counts of equal numbers and of numbers in intervals: Bincount, histograms, Bucketize."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import Dim, InferenceContext, unchanged_shape
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import counting
from featherflow.kernels.allocation import check_allocation
from featherflow.ops.assert_ops import assert_
from featherflow.ops.cast_ops import cast
from featherflow.ops.clip_ops import clip_by_value
from featherflow.ops.constant_ops import constant
from featherflow.ops.division_ops import truediv
from featherflow.ops.extremum_ops import maximum, minimum
from featherflow.ops.grouping_ops import with_dependencies
from featherflow.ops.reduction_ops import reduce_max
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.rounding_ops import floor
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import size as size_of

_NUMBERS = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)
_INDICES = (dtypes.int32, dtypes.int64)
_T = "T: {int32, int64, float, double}"


def _count_of(c: InferenceContext, index: int, least: int) -> Dim:
    """Input `index`, a scalar, where it is known; refuses what is below `least`."""
    c.with_rank(index, 0)
    value = c.constant(index)
    if value is None:
        return None
    if value < least:
        c.fail(f"{c.input_name(index)} must be at least {least}", received=str(value))
    return int(value)


# --- Bincount -------------------------------------------------------------------------------------

Bincount = define_op(
    "Bincount",
    inputs=("arr: int32", "size: int32", "weights: T"),
    outputs=("bins: T",),
    attrs=(_T,),
)
Bincount.without_gradient("TensorFlow has no gradient of counts")


@Bincount.shape_fn
def _bincount_shape(c: InferenceContext) -> TensorShape:
    return TensorShape._of((_count_of(c, 1, 0),))


@Bincount.kernel("CPU", T=_NUMBERS)
def _bincount_cpu(arr: np.ndarray, size: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return _counted(arr.ravel(), size, weights.ravel(), False)


def _counted(
    values: np.ndarray, size: np.ndarray, weights: np.ndarray, binary_output: bool
) -> np.ndarray:
    rows = len(values) if values.ndim == 2 else 1
    check_allocation((rows, max(int(size.max(initial=0)), 0)), weights.dtype)
    return counting.bin_counts(values, size, weights, weights.dtype, binary_output)


# --- DenseBincount --------------------------------------------------------------------------------

DenseBincount = define_op(
    "DenseBincount",
    inputs=("input: Tidx", "size: Tidx", "weights: T"),
    outputs=("output: T",),
    attrs=("Tidx: {int32, int64}", _T, "binary_output: bool = false"),
)
DenseBincount.without_gradient("TensorFlow has no gradient of counts")


@DenseBincount.shape_fn
def _dense_bincount_shape(c: InferenceContext) -> TensorShape:
    dims, size = c.with_rank_at_most(0, 2)._dims, _count_of(c, 1, 0)
    if dims is None:
        return UNKNOWN
    return TensorShape._of((dims[0], size) if len(dims) == 2 else (size,))


@DenseBincount.kernel("CPU", Tidx=_INDICES, T=_NUMBERS)
def _dense_bincount_cpu(
    input: np.ndarray, size: np.ndarray, weights: np.ndarray, *, binary_output: bool
) -> np.ndarray:
    if input.ndim > 2:
        raise InvalidArgumentError(
            None, None, "Shape must be at most rank 2", received=f"shape {list(input.shape)}"
        )
    return _counted(input, size, weights, binary_output)


@export("math.bincount")
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """output[n] = how often n occurs in `arr`, or the sum of the weights where it does.

    Args:
      arr: integers ≥ 0.
      weights: of the shape of `arr`.
      minlength: the output has at least this many elements, zeros if need be.
      maxlength: and at most as many as this; larger numbers are left out.
      dtype: of counts; weights have their own.
      name: of the scope.
      axis: None or 0 counts over everything, −1 over each row of a matrix.
      binary_output: gives 1 for what occurs and 0 for what does not.
    Returns:
      `[max(arr) + 1]`, or `[rows, max(arr) + 1]`.
    Raises:
      ValueError: there is another `axis`, or weights with `binary_output`.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.math.bincount([1, 2, 2, 5])).tolist()
    [0, 1, 2, 0, 0, 1]
    """
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are.")
    if binary_output and weights is not None:
        raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive.")
    with op_scope(name, "bincount", [arr, weights]):
        arr = _as_integers(arr)
        if weights is not None:
            weights = convert_to_tensor(weights, name="weights")
        size = _size_of_output(arr, minlength, maxlength)
        if axis != -1:
            weights = None if weights is None else reshape(weights, [-1])
            arr = reshape(arr, [-1])
        if weights is None:
            weights = constant([], dtype)
        return DenseBincount(arr, size, weights, binary_output=binary_output)


@export_v1("math.bincount", "bincount")
def bincount_v1(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
) -> Tensor:
    """`bincount` over everything."""
    return bincount(arr, weights, minlength, maxlength, dtype)


def _as_integers(arr: Any) -> Tensor:
    tensor = convert_to_tensor(arr, name="arr")
    return tensor if tensor.dtype.base_dtype in _INDICES else cast(tensor, dtypes.int32)


def _size_of_output(arr: Tensor, minlength: Any, maxlength: Any) -> Tensor:
    dtype = arr.dtype.base_dtype
    is_nonempty: Any = size_of(arr) > 0
    size: Any = cast(is_nonempty, dtype) * (reduce_max(arr) + 1)
    if minlength is not None:
        size = maximum(convert_to_tensor(minlength, dtype, name="minlength"), size)
    if maxlength is not None:
        size = minimum(convert_to_tensor(maxlength, dtype, name="maxlength"), size)
    return size


# --- HistogramFixedWidth --------------------------------------------------------------------------

HistogramFixedWidth = define_op(
    "HistogramFixedWidth",
    inputs=("values: T", "value_range: T", "nbins: int32"),
    outputs=("out: dtype",),
    attrs=(_T, "dtype: {int32, int64} = int32"),
)
HistogramFixedWidth.without_gradient("counts do not change with small changes of the values")


@HistogramFixedWidth.shape_fn
def _histogram_shape(c: InferenceContext) -> TensorShape:
    (ends,) = c.dims(1, 1)
    c.merge_dim(ends, 2)
    return TensorShape._of((_count_of(c, 2, 1),))


@HistogramFixedWidth.kernel("CPU", T=_NUMBERS, dtype=_INDICES)
def _histogram_cpu(
    values: np.ndarray, value_range: np.ndarray, nbins: np.ndarray, *, dtype: DType
) -> np.ndarray:
    check_allocation((max(int(nbins.max(initial=0)), 0),), np.dtype(np.int64))
    counts = counting.histogram(values, value_range, nbins)
    return counts.astype(dtype.numpy_dtype, copy=False)


@export("histogram_fixed_width")
def histogram_fixed_width(
    values: Any,
    value_range: Any,
    nbins: Any = 100,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How many values fall into each of `nbins` intervals of equal width.

    Args:
      values: numbers.
      value_range: `[2]`, the ends of the first and the last interval; what lies outside counts in
        the nearest.
      nbins: how many intervals.
      dtype: of the counts, int32 or int64.
      name: of the node.
    Returns:
      `[nbins]`.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.histogram_fixed_width([0.1, 0.9, 7.0], [0.0, 1.0], nbins=2)).tolist()
    [1, 2]
    """
    with op_scope(name, "histogram_fixed_width", [values, value_range, nbins]) as scope:
        return HistogramFixedWidth(values, value_range, nbins, dtype=dtype, name=scope)


@export("histogram_fixed_width_bins")
def histogram_fixed_width_bins(
    values: Any,
    value_range: Any,
    nbins: Any = 100,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The number of the interval that each value falls into; see `histogram_fixed_width`.

    Returns:
      `dtype`, of the shape of `values`.
    """
    with op_scope(name, "histogram_fixed_width_bins", [values, value_range, nbins]):
        values = convert_to_tensor(values, name="values")
        shape = shape_of(values)
        flat: Any = reshape(values, [-1])
        ends: Any = convert_to_tensor(value_range, name="value_range")
        nbins = convert_to_tensor(nbins, dtypes.int32, name="nbins")
        is_positive = assert_(nbins > 0, [f"nbins {nbins} must be > 0"])
        count: Any = cast(with_dependencies([is_positive], nbins), values.dtype)
        scaled = truediv(flat - ends[0], ends[1] - ends[0], name="scaled_values")
        places = floor(count * scaled, name="indices")
        inside = cast(clip_by_value(places, 0, count - 1), dtype)
        return reshape(inside, shape)


# --- Bucketize ------------------------------------------------------------------------------------

Bucketize = define_op(
    "Bucketize",
    inputs=("input: T",),
    outputs=("output: int32",),
    attrs=(_T, "boundaries: list(float)"),
)
Bucketize.shape_fn(unchanged_shape)
Bucketize.without_gradient("numbers of buckets do not change with small changes of the input")


@Bucketize.kernel("CPU", T=_NUMBERS)
def _bucketize_cpu(input: np.ndarray, *, boundaries: tuple[float, ...]) -> np.ndarray:
    return counting.bucket_numbers(input, boundaries)

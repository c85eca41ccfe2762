"""ArgMax and ArgMin: where along an axis the extremum is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import reductions
from featherflow.ops.reshape_ops import renamed_argument
from featherflow.ops.type_groups import REAL

_TYPES = (
    "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, "
    "qint8, quint8, qint32, qint16, quint16, bool}"
)


def _define_arg_extremum(
    name: str, kernel: Callable[..., np.ndarray], axis_types: str, result_types: str
) -> Op:
    op = define_op(
        name,
        inputs=("input: T", "dimension: Tidx"),
        outputs=("output: output_type",),
        attrs=(
            f"T: {_TYPES}",
            f"Tidx: {axis_types} = int32",
            f"output_type: {result_types} = int64",
        ),
    )
    op.shape_fn(_arg_extremum_shape)

    def arg_extremum_cpu(
        input: np.ndarray, dimension: np.ndarray, *, output_type: DType
    ) -> np.ndarray:
        axis = reductions.single_axis(dimension, input.ndim)
        return kernel(input, axis, output_type.numpy_dtype)

    op.kernel("CPU", T=(*REAL, dtypes.bool))(arg_extremum_cpu)
    op.gradient(_no_gradient)
    return op


def _arg_extremum_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(1, 0)
    dims, axis = c.shapes[0]._dims, c.constant(1)
    if dims is None:
        return UNKNOWN
    if len(dims) <= 1:
        return TensorShape._of(())
    if axis is None:
        return TensorShape._of((None,) * (len(dims) - 1))
    place = int(axis)
    if not -len(dims) <= place < len(dims):
        c.fail(
            f"Dimension ({place}) must be in the range [{-len(dims)}, {len(dims)})",
            received=f"input {c.shapes[0]}",
        )
    place %= len(dims)
    return TensorShape._of((*dims[:place], *dims[place + 1 :]))


def _no_gradient(op: Any, grad: Tensor) -> tuple[None, None]:
    return None, None  # a place is an integer


ArgMax = _define_arg_extremum(
    "ArgMax", reductions.arg_max, "{int16, int32, int64}", "{int16, uint16, int32, int64}"
)
ArgMin = _define_arg_extremum("ArgMin", reductions.arg_min, "{int32, int64}", "{int32, int64}")


@export("math.argmax", "argmax")
def argmax_v2(
    input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """The place of the maximum along `axis`; of several equal ones, the first.

    Args:
      input: real numbers or bool; NaN are passed over.
      axis: a scalar; None is 0.
      output_type: of the result: int16, uint16, int32 or int64.
      name: of the node.
    Returns:
      A tensor of the shape of `input` without `axis`.
    Raises:
      ValueError: `axis` is known to be out of range.
      InvalidArgumentError: it is in the run, or there is nothing along it.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.argmax([[1, 9], [8, 2]], axis=1)).tolist()
    [1, 0]
    """
    axis = 0 if axis is None else axis
    return ArgMax(input, axis, output_type=as_dtype(output_type), name=name)


@export_v1("math.argmax", "argmax")
def argmax(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = dtypes.int64,
) -> Tensor:
    """`argmax_v2` in TF1's order of arguments; `dimension` is an older name of `axis`."""
    axis = renamed_argument("axis", axis, "dimension", dimension)
    return argmax_v2(input, axis, output_type, name)


@export("math.argmin", "argmin")
def argmin_v2(
    input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """The place of the minimum along `axis`; see `argmax_v2`."""
    axis = 0 if axis is None else axis
    return ArgMin(input, axis, output_type=as_dtype(output_type), name=name)


@export_v1("math.argmin", "argmin")
def argmin(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = dtypes.int64,
) -> Tensor:
    """`argmin_v2` in TF1's order of arguments; `dimension` is an older name of `axis`."""
    axis = renamed_argument("axis", axis, "dimension", dimension)
    return argmin_v2(input, axis, output_type, name)

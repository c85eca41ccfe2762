"""Distinct elements: Unique with and without counts, and differences of lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.kernels import unique as kernels
from featherflow.kernels.axes import normalize_axis

# --- Unique, UniqueWithCounts ---------------------------------------------------------------------

_VECTOR = TensorShape._of((None,))


def _define_unique(name: str, *, with_counts: bool, with_axis: bool) -> Op:
    """An op (x[, axis]) → (y, idx[, count])."""
    op = define_op(
        name,
        inputs=("x: T", "axis: Taxis") if with_axis else ("x: T",),
        outputs=("y: T", "idx: out_idx", "count: out_idx")[: 3 if with_counts else 2],
        attrs=(
            "T: type",
            *(("Taxis: {int32, int64} = int64",) if with_axis else ()),
            "out_idx: {int32, int64} = int32",
        ),
    )
    op.shape_fn(_shapes_along_axis if with_axis else _shapes_of_vector)
    op.kernel("CPU")(_kernel(with_counts))
    op.without_gradient("TensorFlow gives it no gradient")
    return op


def _shapes_of_vector(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(0, 1)
    places = c.shapes[0]
    return [_VECTOR, places, _VECTOR][: len(c.op.op_def.outputs)]


def _shapes_along_axis(c: InferenceContext) -> list[TensorShape]:
    dims = c.shapes[0]._dims
    c.with_rank(1, 1)
    axis = c.constant(1)
    places: int | None = None
    values = c.shapes[0] if dims is None else TensorShape._of((None,) * len(dims))
    if axis is not None and dims is not None:
        if axis.size == 0 and len(dims) != 1:
            c.fail("x expects a 1D vector.")
        place = normalize_axis(int(axis[0]), len(dims)) if axis.size else 0
        places = dims[place]
    return [values, TensorShape._of((places,)), _VECTOR][: len(c.op.op_def.outputs)]


def _kernel(with_counts: bool) -> Callable[..., tuple[np.ndarray, ...]]:
    def unique_cpu(
        x: np.ndarray, axis: np.ndarray | None = None, *, out_idx: DType
    ) -> tuple[np.ndarray, ...]:
        place = 0 if axis is None or axis.size == 0 else normalize_axis(int(axis.flat[0]), x.ndim)
        if x.ndim != 1 and (axis is None or axis.size == 0):
            raise InvalidArgumentError(
                None, None, "unique expects a 1D vector.", received=f"x of shape {list(x.shape)}"
            )
        values, places, counts = kernels.unique(x, place)
        index_type = out_idx.numpy_dtype
        result = (values, places.astype(index_type), counts.astype(index_type))
        return result if with_counts else result[:2]

    return unique_cpu


Unique = _define_unique("Unique", with_counts=False, with_axis=False)
UniqueV2 = _define_unique("UniqueV2", with_counts=False, with_axis=True)
UniqueWithCounts = _define_unique("UniqueWithCounts", with_counts=True, with_axis=False)
UniqueWithCountsV2 = _define_unique("UniqueWithCountsV2", with_counts=True, with_axis=True)


@export("unique")
def unique(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """The distinct elements of a vector in the order of their first places.

    Args:
      x: a vector.
      out_idx: int32 or int64, the dtype of the places.
      name: of the node.
    Returns:
      A named tuple (y, idx) with x[i] = y[idx[i]].

    >>> import featherflow as tf
    >>> y, idx = tf.unique([5, 3, 5])
    >>> with tf.Session() as sess:
    ...     [value.tolist() for value in sess.run([y, idx])]
    [[5, 3], [0, 1, 0]]
    """
    return Unique(x, out_idx=out_idx, name=name)


@export("unique_with_counts")
def unique_with_counts(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """`unique`, and how often each element occurs.

    Args:
      x: a vector.
      out_idx: int32 or int64, the dtype of places and counts.
      name: of the node.
    Returns:
      A named tuple (y, idx, count).
    """
    return UniqueWithCounts(x, out_idx=out_idx, name=name)


# --- ListDiff -------------------------------------------------------------------------------------

ListDiff = define_op(
    "ListDiff",
    inputs=("x: T", "y: T"),
    outputs=("out: T", "idx: out_idx"),
    attrs=("T: type", "out_idx: {int32, int64} = int32"),
)


@ListDiff.shape_fn
def _list_diff_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(0, 1)
    c.with_rank(1, 1)
    return [_VECTOR, _VECTOR]


@ListDiff.kernel("CPU")
def _list_diff_cpu(
    x: np.ndarray, y: np.ndarray, *, out_idx: DType
) -> tuple[np.ndarray, np.ndarray]:
    if x.ndim != 1 or y.ndim != 1:
        raise InvalidArgumentError(None, None, "x and y should be 1D vectors")
    places = np.flatnonzero(kernels.is_missing(x, y))
    return x[places], places.astype(out_idx.numpy_dtype)


ListDiff.without_gradient("TensorFlow gives it no gradient")


@export_v1("setdiff1d", "listdiff")
def setdiff1d(x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None) -> Any:
    """The elements of `x` that are not in `y`, in their order, and their places.

    Args:
      x: a vector.
      y: a vector.
      index_dtype: int32 or int64, the dtype of the places.
      name: of the node.
    Returns:
      A named tuple (out, idx) with out[i] = x[idx[i]].
    """
    return ListDiff(x, y, out_idx=index_dtype, name=name)

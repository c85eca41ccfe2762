"""Maximum pooling that also says where each maximum stands, and the gradients that use it.

    output[n, i, j, c], argmax[n, i, j, c] = max and its place in the image, flattened

Places are (y · W + x) · C + c, or ((n · H + y) · W + x) · C + c with `include_batch_in_index`.
Layout is NHWC. The arithmetic is in `kernels/max_pool.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import max_pool as kernels
from featherflow.kernels.windows import check_gradient_shape, output_sizes
from featherflow.ops.fill_ops import ZerosLike
from featherflow.ops.pool_windows import pool_pads, pooled_shape
from featherflow.ops.type_groups import REAL
from featherflow.ops.window_shapes import attrs_of, per_dimension

_WINDOWS = ("ksize: list(int) >= 4", "strides: list(int) >= 4")
_PADDING = "padding: {'SAME', 'VALID'}"
_BATCH = "include_batch_in_index: bool = false"
_T = "T: realnumbertype"
_GEOMETRY = ("ksize", "strides", "padding", "include_batch_in_index")
_PLACES = (dtypes.int32, dtypes.int64)

# --- MaxPoolWithArgmax ----------------------------------------------------------------------------

MaxPoolWithArgmax = define_op(
    "MaxPoolWithArgmax",
    inputs=("input: T",),
    outputs=("output: T", "argmax: Targmax"),
    attrs=(*_WINDOWS, "Targmax: {int32, int64} = int64", _PADDING, _BATCH, _T),
)


@MaxPoolWithArgmax.shape_fn
def _max_pool_with_argmax_shape(c: InferenceContext) -> list[TensorShape]:
    if min(c.attrs["ksize"]) <= 0:
        c.fail("ksize must be positive", received=f"ksize {c.attrs['ksize']}")
    return [pooled_shape(c)] * 2


@MaxPoolWithArgmax.kernel("CPU", T=REAL, Targmax=_PLACES)
def _max_pool_with_argmax_cpu(
    input: np.ndarray,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    Targmax: DType,
    padding: str,
    include_batch_in_index: bool,
) -> tuple[np.ndarray, np.ndarray]:
    pads = pool_pads(input.shape, ksize, strides, padding)
    output, argmax = kernels.max_pool_with_argmax(
        input, ksize, strides, pads, include_batch_in_index=include_batch_in_index
    )
    return output, argmax.astype(Targmax.numpy_dtype, copy=False)


@MaxPoolWithArgmax.gradient
def _max_pool_with_argmax_grad(op: Any, grad: Tensor, _: Any) -> Tensor:
    return MaxPoolGradWithArgmax(op.inputs[0], grad, op.outputs[1], **attrs_of(op, *_GEOMETRY))


@export_v1("nn.max_pool_with_argmax")
def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    Targmax: Any = None,
    name: str | None = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> tuple[Tensor, Tensor]:
    """The maximum of each window of an image, and where it stands.

    Args:
      input: `[N, H, W, C]`, real numbers.
      ksize: the window, one entry per dimension.
      strides: one entry per dimension.
      padding: "SAME" or "VALID".
      data_format: "NHWC".
      Targmax: int32 or int64, the dtype of the places.
      name: of the node.
      output_dtype: another name of `Targmax`.
      include_batch_in_index: whether places count from the start of the batch, or of the image.
    Returns:
      (maxima, places), both `[N, H', W', C]`. A place is (y · W + x) · C + c; the first one wins.
    Raises:
      ValueError: another layout, or rank and windows do not fit.

    >>> import featherflow as tf
    >>> image = [[[[1.0], [5.0]]]]
    >>> _, places = tf.nn.max_pool_with_argmax(image, [1, 1, 2, 1], [1, 1, 1, 1], "VALID")
    >>> with tf.Session() as sess:
    ...     sess.run(places).item()
    1
    """
    if data_format != "NHWC":
        raise ValueError(
            "`data_format` values other than 'NHWC' are not supported. Received: "
            f"data_format={data_format}"
        )
    if Targmax is not None and output_dtype is not None:
        raise ValueError("Cannot specify both 'Targmax' and 'output_dtype'.")
    return MaxPoolWithArgmax(
        input,
        ksize=ksize,
        strides=strides,
        padding=padding,
        Targmax=as_dtype(Targmax or output_dtype or dtypes.int64),
        include_batch_in_index=include_batch_in_index,
        name=name,
    )


@export("nn.max_pool_with_argmax")
def max_pool_with_argmax_v2(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: Any = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """`max_pool_with_argmax` with TF2's arguments: windows and strides may be shorter."""
    return max_pool_with_argmax(
        input,
        per_dimension(ksize, "ksize", "NHWC"),
        per_dimension(strides, "strides", "NHWC"),
        padding,
        data_format,
        output_dtype,
        name,
        include_batch_in_index=include_batch_in_index,
    )


# --- MaxPoolGradWithArgmax ------------------------------------------------------------------------

MaxPoolGradWithArgmax = define_op(
    "MaxPoolGradWithArgmax",
    inputs=("input: T", "grad: T", "argmax: Targmax"),
    outputs=("output: T",),
    attrs=(*_WINDOWS, _PADDING, _BATCH, "Targmax: {int32, int64}", _T),
)


@MaxPoolGradWithArgmax.shape_fn
def _max_pool_grad_with_argmax_shape(c: InferenceContext) -> TensorShape:
    return c.with_rank(0, 4)


@MaxPoolGradWithArgmax.kernel("CPU", T=REAL, Targmax=_PLACES)
def _max_pool_grad_with_argmax_cpu(
    input: np.ndarray,
    grad: np.ndarray,
    argmax: np.ndarray,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    include_batch_in_index: bool,
) -> np.ndarray:
    pads = pool_pads(input.shape, ksize, strides, padding)
    check_gradient_shape(grad.shape, output_sizes(input.shape, ksize, strides, (1,) * 4, pads))
    return kernels.scatter_to_argmax(
        input.shape, grad, argmax, include_batch_in_index=include_batch_in_index
    )


@MaxPoolGradWithArgmax.gradient
def _max_pool_grad_with_argmax_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
    input, _, argmax = op.inputs
    along_grad = MaxPoolGradGradWithArgmax(input, grad, argmax, **attrs_of(op, *_GEOMETRY))
    return ZerosLike(input), along_grad, None


# --- MaxPoolGradGradWithArgmax --------------------------------------------------------------------

MaxPoolGradGradWithArgmax = define_op(
    "MaxPoolGradGradWithArgmax",
    inputs=("input: T", "grad: T", "argmax: Targmax"),
    outputs=("output: T",),
    attrs=(*_WINDOWS, _PADDING, _BATCH, "Targmax: {int32, int64}", _T),
)


@MaxPoolGradGradWithArgmax.shape_fn
def _max_pool_grad_grad_with_argmax_shape(c: InferenceContext) -> TensorShape:
    c.merge(c.shapes[0], c.shapes[1])
    pooled = pooled_shape(c)
    c.merge(pooled, c.shapes[2])
    return pooled


@MaxPoolGradGradWithArgmax.kernel("CPU", T=REAL, Targmax=_PLACES)
def _max_pool_grad_grad_with_argmax_cpu(
    input: np.ndarray,
    grad: np.ndarray,
    argmax: np.ndarray,
    *,
    include_batch_in_index: bool,
) -> np.ndarray:
    check_gradient_shape(grad.shape, input.shape)
    return kernels.gather_from_argmax(grad, argmax, include_batch_in_index=include_batch_in_index)


@MaxPoolGradGradWithArgmax.gradient
def _max_pool_grad_grad_with_argmax_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
    input, _, argmax = op.inputs
    along_grad = MaxPoolGradWithArgmax(input, grad, argmax, **attrs_of(op, *_GEOMETRY))
    return ZerosLike(input), along_grad, None

"""Boxes cut out of images and resized: CropAndResize and its gradients.

The arithmetic is in `kernels/crop_resize.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import crop_resize as kernels
from featherflow.kernels.crop_resize import Sampling
from featherflow.ops.reshape_ops import renamed_argument
from featherflow.ops.shape_ops import shape
from featherflow.ops.type_groups import SIGNED, Types
from featherflow.ops.window_shapes import sizes_as_shape

_TYPES: Types = (
    dtypes.uint8,
    dtypes.uint16,
    *SIGNED,
    dtypes.float16,
    dtypes.float32,
    dtypes.float64,
)
_GRADIENT_TYPES: Types = (dtypes.float16, dtypes.float32, dtypes.float64)
_T = "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}"

# --- CropAndResize --------------------------------------------------------------------------------

CropAndResize = define_op(
    "CropAndResize",
    inputs=("image: T", "boxes: float", "box_ind: int32", "crop_size: int32"),
    outputs=("crops: float",),
    attrs=(_T, "method: {'bilinear', 'nearest'} = 'bilinear'", "extrapolation_value: float = 0.0"),
)


@CropAndResize.shape_fn
def _crop_and_resize_shape(c: InferenceContext) -> TensorShape:
    channels = c.dims(0, 4)[3]
    count, edges = c.dims(1, 2)
    count = c.merge_dim(count, c.dims(2, 1)[0])
    if edges not in (None, 4):
        c.fail(f"Dimension must be 4 but is {edges}", received=c.received())
    return TensorShape._of((count, *c.constant_sizes(3, 2), channels))


@CropAndResize.kernel("CPU", T=_TYPES)
def _crop_and_resize_cpu(
    image: np.ndarray,
    boxes: np.ndarray,
    box_ind: np.ndarray,
    crop_size: np.ndarray,
    *,
    method: str,
    extrapolation_value: float,
) -> np.ndarray:
    kernels.check_image(image.shape)
    if crop_size.shape != (2,) or crop_size.min() <= 0:
        raise InvalidArgumentError(
            None,
            None,
            "crop_size must be two positive numbers",
            received=f"{crop_size.tolist()}",
        )
    where = kernels.sample(boxes, box_ind, image.shape, tuple(crop_size.tolist()))
    return kernels.crop_and_resize(image, where, method, extrapolation_value)


@CropAndResize.gradient
def _crop_and_resize_grad(op: Any, grad: Tensor) -> tuple[Tensor | None, Tensor, None, None]:
    image, boxes, box_ind, _ = op.inputs
    dtype = image.dtype.base_dtype
    grad_image = None
    if dtype in _GRADIENT_TYPES:
        static = image.shape
        size = static.as_list() if static.is_fully_defined() else shape(image)
        grad_image = CropAndResizeGradImage(
            grad, boxes, box_ind, size, T=dtype, method=op.attrs["method"]
        )
    return grad_image, CropAndResizeGradBoxes(grad, image, boxes, box_ind), None, None


@export_v1("image.crop_and_resize")
def crop_and_resize(
    image: Any,
    boxes: Any,
    box_ind: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
    box_indices: Any = None,
) -> Tensor:
    """Boxes cut out of images, each resized to `crop_size`.

    Args:
      image: `[N, H, W, C]`, real numbers.
      boxes: (y1, x1, y2, x2), float32 `[n, 4]`; 0 is the first row or column and 1 the last one.
        Where y1 > y2 the crop is upside down.
      box_ind: the image of each box, int32 `[n]`.
      crop_size: (H', W'), int32 `[2]`.
      method: "bilinear" or "nearest".
      extrapolation_value: of what lies outside the image.
      name: of the node.
      box_indices: another name of `box_ind`.
    Returns:
      float32 `[n, H', W', C]`.
    Raises:
      ValueError: shapes do not fit.
      InvalidArgumentError: a size is not positive, or a box is not finite.
      OutOfRangeError: there is no such image.

    >>> import featherflow as tf
    >>> image = tf.reshape([0.0, 1.0, 2.0, 3.0], [1, 2, 2, 1])
    >>> crop = tf.image.crop_and_resize(image, [[0.0, 0.0, 0.5, 1.0]], [0], [2, 3])
    >>> with tf.Session() as sess:
    ...     sess.run(crop).ravel().tolist()
    [0.0, 0.5, 1.0, 1.0, 1.5, 2.0]
    """
    return crop_and_resize_v2(
        image,
        boxes,
        renamed_argument("box_indices", box_indices, "box_ind", box_ind),
        crop_size,
        method,
        extrapolation_value,
        name,
    )


@export("image.crop_and_resize")
def crop_and_resize_v2(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """`crop_and_resize` with TF2's arguments."""
    return CropAndResize(
        image,
        boxes,
        box_indices,
        crop_size,
        method=method,
        extrapolation_value=extrapolation_value,
        name=name,
    )


# --- CropAndResizeGradImage -----------------------------------------------------------------------

CropAndResizeGradImage = define_op(
    "CropAndResizeGradImage",
    inputs=("grads: float", "boxes: float", "box_ind: int32", "image_size: int32"),
    outputs=("output: T",),
    attrs=("T: {float, half, double}", "method: {'bilinear', 'nearest'} = 'bilinear'"),
)


@CropAndResizeGradImage.shape_fn
def _crop_and_resize_grad_image_shape(c: InferenceContext) -> TensorShape:
    return sizes_as_shape(c, 3)


@CropAndResizeGradImage.kernel("CPU", T=_GRADIENT_TYPES)
def _crop_and_resize_grad_image_cpu(
    grads: np.ndarray,
    boxes: np.ndarray,
    box_ind: np.ndarray,
    image_size: np.ndarray,
    *,
    T: DType,
    method: str,
) -> np.ndarray:
    image_shape = tuple(image_size.ravel().tolist())
    where = _sampled(grads, boxes, box_ind, image_shape)
    return kernels.gradient_of_image(grads, where, image_shape, method, T.numpy_dtype)


def _sampled(
    grads: np.ndarray, boxes: np.ndarray, box_ind: np.ndarray, image_shape: tuple[int, ...]
) -> Sampling:
    """Where the crops read whose gradient is `grads`."""
    kernels.check_image(image_shape)
    if grads.ndim != 4 or min(grads.shape[1:3]) <= 0 or grads.shape[0] != len(boxes):
        raise InvalidArgumentError(
            None,
            None,
            "grads must be 4-dimensional, one for each box and not empty",
            received=f"shape {list(grads.shape)} for {len(boxes)} boxes",
        )
    if grads.shape[3] != image_shape[3]:
        raise InvalidArgumentError(
            None,
            None,
            "image and grads must have the same depth",
            received=f"{image_shape[3]} and {grads.shape[3]}",
        )
    return kernels.sample(boxes, box_ind, image_shape, grads.shape[1:3])


CropAndResizeGradImage.without_gradient("TensorFlow gives it no gradient")

# --- CropAndResizeGradBoxes -----------------------------------------------------------------------

CropAndResizeGradBoxes = define_op(
    "CropAndResizeGradBoxes",
    inputs=("grads: float", "image: T", "boxes: float", "box_ind: int32"),
    outputs=("output: float",),
    attrs=(_T, "method: {'bilinear'} = 'bilinear'"),
)


@CropAndResizeGradBoxes.shape_fn
def _crop_and_resize_grad_boxes_shape(c: InferenceContext) -> TensorShape:
    return c.shapes[2]


@CropAndResizeGradBoxes.kernel("CPU", T=_TYPES)
def _crop_and_resize_grad_boxes_cpu(
    grads: np.ndarray, image: np.ndarray, boxes: np.ndarray, box_ind: np.ndarray
) -> np.ndarray:
    where = _sampled(grads, boxes, box_ind, image.shape)
    return kernels.gradient_of_boxes(grads, image, where)


CropAndResizeGradBoxes.without_gradient("TensorFlow gives it no gradient")

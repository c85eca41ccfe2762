"""Resizing of images: ResizeBilinear, ResizeNearestNeighbor, ResizeBicubic, ResizeArea.

Images are `[N, H, W, C]`; all but the nearest neighbour make float32 of them. The arithmetic is in
`kernels/resize.py`, with what `align_corners` and `half_pixel_centers` mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import resize as kernels
from featherflow.kernels.resize import Grid
from featherflow.ops.shape_ops import shape
from featherflow.ops.type_groups import FLOATS, SIGNED, WIDE_FLOATS, Types, one_of
from featherflow.ops.window_shapes import attrs_of

_CORNERS = "align_corners: bool = false"
_CENTERS = "half_pixel_centers: bool = false"
_TYPES: Types = (*SIGNED, dtypes.uint8, dtypes.uint16, *FLOATS)
_T = f"T: {one_of(_TYPES)}"


def _resized_shape(c: InferenceContext) -> TensorShape:
    batch, _, _, channels = c.dims(0, 4)
    return TensorShape._of((batch, *c.constant_sizes(1, 2), channels))


def _grid_attrs(op: Any) -> dict[str, Any]:
    return attrs_of(op, "align_corners", "half_pixel_centers")


def _original_shape(c: InferenceContext) -> TensorShape:
    """The shape of the images that were resized: input 1."""
    return c.shapes[1]


# --- ResizeBilinear -------------------------------------------------------------------------------

ResizeBilinear = define_op(
    "ResizeBilinear",
    inputs=("images: T", "size: int32"),
    outputs=("resized_images: float",),
    attrs=(_T, _CORNERS, _CENTERS),
)
ResizeBilinear.shape_fn(_resized_shape)


@ResizeBilinear.kernel("CPU", T=_TYPES)
def _resize_bilinear_cpu(
    images: np.ndarray, size: np.ndarray, *, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    grid = Grid(align_corners, half_pixel_centers)
    return kernels.resize_bilinear(images, *kernels.check_images(images, size, grid), grid)


@ResizeBilinear.gradient
def _resize_bilinear_grad(op: Any, grad: Tensor) -> tuple[Tensor | None, None]:
    return _gradient_of_images(ResizeBilinearGrad, FLOATS, op, grad)


def _gradient_of_images(
    gradient_op: Op, types: Types, op: Any, grad: Tensor
) -> tuple[Tensor | None, None]:
    """The gradient of the images, where their dtype has one."""
    images = op.inputs[0]
    if images.dtype.base_dtype not in types:
        return None, None
    return gradient_op(grad, images, **_grid_attrs(op)), None


@export_v1("image.resize_bilinear")
def resize_bilinear(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """`images` in another size, interpolated linearly between pixels.

    Args:
      images: `[N, H, W, C]`, real numbers.
      size: (H', W'), int32 `[2]`.
      align_corners: centres of the corner pixels of input and output fall together.
      name: of the node.
      half_pixel_centers: pixels are squares, and their edges fall together. Not with
        `align_corners`.
    Returns:
      float32 `[N, H', W', C]`.
    Raises:
      ValueError: the rank is not 4.
      InvalidArgumentError: a size is not positive.

    >>> import featherflow as tf
    >>> row = tf.reshape([0.0, 4.0], [1, 1, 2, 1])
    >>> with tf.Session() as sess:
    ...     sess.run(tf.compat.v1.image.resize_bilinear(row, [1, 4])).ravel().tolist()
    [0.0, 2.0, 4.0, 4.0]
    """
    return ResizeBilinear(
        images,
        size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
        name=name,
    )


# --- ResizeBilinearGrad ---------------------------------------------------------------------------

ResizeBilinearGrad = define_op(
    "ResizeBilinearGrad",
    inputs=("grads: float", "original_image: T"),
    outputs=("output: T",),
    attrs=("T: {float, bfloat16, half, double}", _CORNERS, _CENTERS),
)
ResizeBilinearGrad.shape_fn(_original_shape)


@ResizeBilinearGrad.kernel("CPU", T=FLOATS)
def _resize_bilinear_grad_cpu(
    grads: np.ndarray,
    original_image: np.ndarray,
    *,
    align_corners: bool,
    half_pixel_centers: bool,
) -> np.ndarray:
    grid = Grid(align_corners, half_pixel_centers)
    return _gradient_by_taps(grads, original_image, grid, kernels.bilinear_taps)


def _gradient_by_taps(
    grads: np.ndarray, images: np.ndarray, grid: Grid, make_taps: kernels.MakeTaps
) -> np.ndarray:
    if grads.ndim != 4 or images.ndim != 4 or 0 in (*grads.shape[1:3], *images.shape[1:3]):
        raise InvalidArgumentError(
            None,
            None,
            "gradient and image must be 4-dimensional and of non-zero size",
            received=f"shapes {list(grads.shape)} and {list(images.shape)}",
        )
    dtype = np.result_type(np.float32, images.dtype) if images.itemsize > 4 else np.dtype("f")
    height, width = images.shape[1:3]
    found = kernels.gradient_by_taps(grads, height, width, grid, make_taps, dtype)
    return found.astype(images.dtype, copy=False)


@ResizeBilinearGrad.gradient
def _resize_bilinear_grad_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return _gradient_of_grads(ResizeBilinear, op, grad)


def _gradient_of_grads(resize: Op, op: Any, grad: Tensor) -> tuple[Tensor, None]:
    """A resize is linear: the gradient of its gradient is the resize itself."""
    return resize(grad, _size_of(op.inputs[0]), **_grid_attrs(op)), None


# --- ResizeNearestNeighbor ------------------------------------------------------------------------

ResizeNearestNeighbor = define_op(
    "ResizeNearestNeighbor",
    inputs=("images: T", "size: int32"),
    outputs=("resized_images: T",),
    attrs=(_T, _CORNERS, _CENTERS),
)
ResizeNearestNeighbor.shape_fn(_resized_shape)


@ResizeNearestNeighbor.kernel("CPU", T=_TYPES)
def _resize_nearest_neighbor_cpu(
    images: np.ndarray, size: np.ndarray, *, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    grid = Grid(align_corners, half_pixel_centers)
    return kernels.resize_nearest(images, *kernels.check_images(images, size, grid), grid)


@ResizeNearestNeighbor.gradient
def _resize_nearest_neighbor_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return ResizeNearestNeighborGrad(grad, _size_of(op.inputs[0]), **_grid_attrs(op)), None


def _size_of(images: Tensor) -> Any:
    """The height and width of images: a list where they are known, else a tensor."""
    static = images.shape[1:3]
    if static.is_fully_defined():
        return static.as_list()
    dynamic: Any = shape(images)
    return dynamic[1:3]


@export_v1("image.resize_nearest_neighbor")
def resize_nearest_neighbor(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """`images` in another size, each pixel a copy of the nearest one.

    Args:
      images: `[N, H, W, C]`, real numbers.
      size, align_corners, name, half_pixel_centers: as for `resize_bilinear`.
    Returns:
      `[N, H', W', C]`, dtype of `images`.
    Raises:
      ValueError: the rank is not 4.
      InvalidArgumentError: a size is not positive.
    """
    return ResizeNearestNeighbor(
        images,
        size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
        name=name,
    )


# --- ResizeNearestNeighborGrad --------------------------------------------------------------------

_NEAREST_TYPES: Types = (dtypes.uint8, dtypes.int8, dtypes.int32, *FLOATS)
ResizeNearestNeighborGrad = define_op(
    "ResizeNearestNeighborGrad",
    inputs=("grads: T", "size: int32"),
    outputs=("output: T",),
    attrs=(f"T: {one_of(_NEAREST_TYPES)}", _CORNERS, _CENTERS),
)
ResizeNearestNeighborGrad.shape_fn(_resized_shape)


@ResizeNearestNeighborGrad.kernel("CPU", T=_NEAREST_TYPES)
def _resize_nearest_neighbor_grad_cpu(
    grads: np.ndarray, size: np.ndarray, *, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    grid = Grid(align_corners, half_pixel_centers)
    return kernels.nearest_gradient(grads, *kernels.check_images(grads, size, grid), grid)


@ResizeNearestNeighborGrad.gradient
def _resize_nearest_neighbor_grad_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return ResizeNearestNeighbor(grad, _size_of(op.inputs[0]), **_grid_attrs(op)), None


# --- ResizeBicubic --------------------------------------------------------------------------------

ResizeBicubic = define_op(
    "ResizeBicubic",
    inputs=("images: T", "size: int32"),
    outputs=("resized_images: float",),
    attrs=(_T, _CORNERS, _CENTERS),
)
ResizeBicubic.shape_fn(_resized_shape)


@ResizeBicubic.kernel("CPU", T=_TYPES)
def _resize_bicubic_cpu(
    images: np.ndarray, size: np.ndarray, *, align_corners: bool, half_pixel_centers: bool
) -> np.ndarray:
    grid = Grid(align_corners, half_pixel_centers)
    height, width = kernels.check_images(images, size, grid)
    return kernels.resize_by_taps(images, height, width, grid, kernels.bicubic_taps)


@ResizeBicubic.gradient
def _resize_bicubic_grad(op: Any, grad: Tensor) -> tuple[Tensor | None, None]:
    return _gradient_of_images(ResizeBicubicGrad, WIDE_FLOATS, op, grad)


@export_v1("image.resize_bicubic")
def resize_bicubic(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """`images` in another size, interpolated by cubics through four pixels.

    Args:
      images: `[N, H, W, C]`, real numbers.
      size, align_corners, name, half_pixel_centers: as for `resize_bilinear`.
    Returns:
      float32 `[N, H', W', C]`; values may leave the range of the input's.
    Raises:
      ValueError: the rank is not 4.
      InvalidArgumentError: a size is not positive.

    See: Keys 1981, "Cubic convolution interpolation for digital image processing".
    """
    return ResizeBicubic(
        images,
        size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
        name=name,
    )


# --- ResizeBicubicGrad ----------------------------------------------------------------------------

ResizeBicubicGrad = define_op(
    "ResizeBicubicGrad",
    inputs=("grads: float", "original_image: T"),
    outputs=("output: T",),
    attrs=("T: {float, double}", _CORNERS, _CENTERS),
)
ResizeBicubicGrad.shape_fn(_original_shape)


@ResizeBicubicGrad.kernel("CPU", T=WIDE_FLOATS)
def _resize_bicubic_grad_cpu(
    grads: np.ndarray,
    original_image: np.ndarray,
    *,
    align_corners: bool,
    half_pixel_centers: bool,
) -> np.ndarray:
    grid = Grid(align_corners, half_pixel_centers)
    return _gradient_by_taps(grads, original_image, grid, kernels.bicubic_taps)


@ResizeBicubicGrad.gradient
def _resize_bicubic_grad_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return _gradient_of_grads(ResizeBicubic, op, grad)


# --- ResizeArea -----------------------------------------------------------------------------------

ResizeArea = define_op(
    "ResizeArea",
    inputs=("images: T", "size: int32"),
    outputs=("resized_images: float",),
    attrs=(_T, _CORNERS),
)
ResizeArea.shape_fn(_resized_shape)


@ResizeArea.kernel("CPU", T=_TYPES)
def _resize_area_cpu(images: np.ndarray, size: np.ndarray, *, align_corners: bool) -> np.ndarray:
    grid = Grid(align_corners)
    height, width = kernels.check_images(images, size, grid)
    return kernels.resize_by_taps(images, height, width, grid, kernels.area_taps)


ResizeArea.without_gradient("TensorFlow gives it no gradient")


@export_v1("image.resize_area")
def resize_area(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None
) -> Tensor:
    """`images` in another size, each pixel the mean of the area that it covers.

    Args:
      images: `[N, H, W, C]`, real numbers.
      size, align_corners, name: as for `resize_bilinear`.
    Returns:
      float32 `[N, H', W', C]`.
    Raises:
      ValueError: the rank is not 4.
      InvalidArgumentError: a size is not positive.
    """
    return ResizeArea(images, size, align_corners=align_corners, name=name)

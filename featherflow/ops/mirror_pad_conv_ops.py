"""Convolutions of images that are resized and mirrored at their edges first, in one op each.

FusedPadConv2D is MirrorPad and Conv2D, FusedResizeAndPadConv2D ResizeBilinear before them.
"""

from __future__ import annotations

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import Dim, InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.kernels import conv, resize
from featherflow.kernels.mirror_pad import mirror_pad
from featherflow.kernels.windows import spatial_geometry
from featherflow.ops.type_groups import FLOATS, Types
from featherflow.ops.window_shapes import window_dim

_CONVOLUTION = (
    "mode: {'REFLECT', 'SYMMETRIC'}",
    "strides: list(int)",
    "padding: {'SAME', 'VALID'}",
)
_UNDILATED = (1, 1, 1, 1)


def _convolved_shape(c: InferenceContext, dims: list[Dim], paddings_index: int) -> TensorShape:
    """The shape of a convolution of images of `dims` with padding."""
    filter_dims = c.dims(paddings_index + 1, 4)
    if c.shapes[paddings_index]._dims != (4, 2):
        c.fail("paddings must hold a pair for each of 4 dimensions", received=c.received())
    pairs = c.constant(paddings_index)
    if pairs is not None and pairs.min() < 0:
        c.fail("paddings must not be negative", received=pairs.tolist())
    strides = c.attrs["strides"]
    if len(strides) != 4:
        c.fail(f"{c.op.name} requires 4 values in strides", received=strides)
    if pairs is None:
        return TensorShape._of((None, None, None, filter_dims[3]))
    batch, height, width, channels = (
        None if dim is None else dim + sum(pair) for dim, pair in zip(dims, pairs.tolist())
    )
    c.merge_dim(channels, filter_dims[2])
    outputs = [
        window_dim(c, size, taps, stride, 1, c.attrs["padding"])
        for size, taps, stride in zip((height, width), filter_dims[:2], strides[1:3])
    ]
    return TensorShape._of((batch, *outputs, filter_dims[3]))


def _convolve(
    images: np.ndarray,
    paddings: np.ndarray,
    filter: np.ndarray,
    mode: str,
    strides: tuple[int, ...],
    padding: str,
) -> np.ndarray:
    if paddings.shape != (4, 2) or paddings[[0, 3]].any() or paddings.min() < 0:
        raise InvalidArgumentError(
            None,
            None,
            "paddings must pad height and width only, by numbers that are not negative",
            received=str(paddings.tolist()),
        )
    if strides[0] != 1 or strides[3] != 1:
        raise InvalidArgumentError(
            None, None, "Batch and channels cannot have strides", received=f"strides {strides}"
        )
    padded = mirror_pad(images, paddings.tolist(), mode)
    geometry = spatial_geometry(
        padded.shape, filter.shape[:2], strides, padding, (), "NHWC", _UNDILATED
    )
    return conv.convolve(padded, filter, *geometry)


def _check_images(images: np.ndarray, filter: np.ndarray) -> None:
    fits = images.ndim == filter.ndim == 4 and images.shape[3] == filter.shape[2]
    if not fits or 0 in images.shape or 0 in filter.shape[:2]:
        raise InvalidArgumentError(
            None,
            None,
            "input and filter must be 4-dimensional, of the same depth and not empty",
            received=f"shapes {list(images.shape)} and {list(filter.shape)}",
        )


# --- FusedPadConv2D -------------------------------------------------------------------------------

FusedPadConv2D = define_op(
    "FusedPadConv2D",
    inputs=("input: T", "paddings: int32", "filter: T"),
    outputs=("output: T",),
    attrs=("T: {half, bfloat16, float, double}", *_CONVOLUTION),
)


@FusedPadConv2D.shape_fn
def _fused_pad_conv2d_shape(c: InferenceContext) -> TensorShape:
    return _convolved_shape(c, list(c.dims(0, 4)), 1)


@FusedPadConv2D.kernel("CPU", T=FLOATS)
def _fused_pad_conv2d_cpu(
    input: np.ndarray,
    paddings: np.ndarray,
    filter: np.ndarray,
    *,
    mode: str,
    strides: tuple[int, ...],
    padding: str,
) -> np.ndarray:
    _check_images(input, filter)
    return _convolve(input, paddings, filter, mode, strides, padding)


FusedPadConv2D.without_gradient("TensorFlow gives it no gradient")

# --- FusedResizeAndPadConv2D ----------------------------------------------------------------------

_RESIZED: Types = (dtypes.float16, dtypes.float32, dtypes.float64)
FusedResizeAndPadConv2D = define_op(
    "FusedResizeAndPadConv2D",
    inputs=("input: T", "size: int32", "paddings: int32", "filter: T"),
    outputs=("output: T",),
    attrs=("T: {half, float, double}", "resize_align_corners: bool = false", *_CONVOLUTION),
)


@FusedResizeAndPadConv2D.shape_fn
def _fused_resize_and_pad_conv2d_shape(c: InferenceContext) -> TensorShape:
    batch, _, _, channels = c.dims(0, 4)
    (length,) = c.dims(1, 1)
    if length not in (None, 2):
        c.fail("size must hold 2 values", received=f"{length} values")
    known = c.constant(1)
    sizes = (None, None) if known is None else known.tolist()
    height, width = (None if size is None or size < 0 else size for size in sizes)
    return _convolved_shape(c, [batch, height, width, channels], 2)


@FusedResizeAndPadConv2D.kernel("CPU", T=_RESIZED)
def _fused_resize_and_pad_conv2d_cpu(
    input: np.ndarray,
    size: np.ndarray,
    paddings: np.ndarray,
    filter: np.ndarray,
    *,
    resize_align_corners: bool,
    mode: str,
    strides: tuple[int, ...],
    padding: str,
) -> np.ndarray:
    _check_images(input, filter)
    grid = resize.Grid(resize_align_corners)
    height, width = resize.check_images(input, size, grid)
    resized = _resized(input, (height, width), grid)
    return _convolve(resized, paddings, filter, mode, strides, padding)


def _resized(images: np.ndarray, size: tuple[int, int], grid: resize.Grid) -> np.ndarray:
    """Images in another size, bilinearly, in their own dtype (or in float32, for float16)."""
    values = images.astype(np.result_type(images.dtype, np.float32), copy=False)
    for axis, outputs in enumerate(size, start=1):
        taps = resize.bilinear_taps(values.shape[axis], outputs, grid)
        along = [-1 if other == axis else 1 for other in range(4)]
        low, high = (values.take(indices, axis=axis) for indices in taps.indices)
        values = low + (high - low) * taps.weights[1].astype(values.dtype).reshape(along)
    return values.astype(images.dtype, copy=False)


FusedResizeAndPadConv2D.without_gradient("TensorFlow gives it no gradient")

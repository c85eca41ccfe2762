"""Images seen through projective transforms: ImageProjectiveTransformV2 and V3.

The arithmetic is in `kernels/projections.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import projections as kernels
from featherflow.kernels.resize import check_size
from featherflow.ops.core_array_ops import concat
from featherflow.ops.fill_ops import ones, zeros
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape
from featherflow.ops.solve_ops import matrix_inverse
from featherflow.ops.type_groups import FLOATS, Types
from featherflow.ops.window_shapes import attrs_of

_TYPES: Types = (dtypes.uint8, dtypes.int32, dtypes.int64, *FLOATS)
_ATTRS = (
    "dtype: {uint8, int32, int64, half, bfloat16, float, double}",
    "interpolation: string",
    "fill_mode: string = 'CONSTANT'",
)


def _projected_shape(c: InferenceContext) -> TensorShape:
    batch, _, _, channels = c.dims(0, 4)
    return TensorShape._of((batch, *c.constant_sizes(2, 2), channels))


def _projected(
    images: np.ndarray,
    transforms: np.ndarray,
    output_shape: np.ndarray,
    interpolation: str,
    fill_mode: str,
    fill_value: float,
) -> np.ndarray:
    kernels.check_modes(interpolation, fill_mode)
    if images.ndim != 4:
        raise InvalidArgumentError(
            None, None, "images must have rank 4", received=f"shape {list(images.shape)}"
        )
    if transforms.ndim != 2 or transforms.shape[1] != 8 or len(transforms) not in (1, len(images)):
        raise InvalidArgumentError(
            None,
            None,
            "transforms must hold 8 values for each image, or for all",
            received=f"shape {list(transforms.shape)}",
        )
    size = check_size(output_shape)
    return kernels.project(images, transforms, size, interpolation, fill_mode, fill_value)


def _gradient(project: Op, op: Any, grad: Tensor, *fill: Any) -> Tensor | None:
    """The gradient seen through the inverse transforms, as TensorFlow has it."""
    images, transforms = op.inputs[:2]
    if images.dtype.base_dtype not in (dtypes.float16, dtypes.float32, dtypes.float64):
        raise TypeError(f"Invalid dtype {images.dtype}.")
    sizes: Any = shape(images)
    flat = reshape(transforms, [-1, 8])
    count: Any = shape(flat)
    matrices = reshape(concat([flat, ones([count[0], 1])], 1), [-1, 3, 3])
    inverse: Any = reshape(matrix_inverse(matrices), [-1, 9])
    inverse /= inverse[:, 8:9]
    return project(
        grad,
        inverse[:, :8],
        sizes[1:3],
        *fill,
        **attrs_of(op, "interpolation", "fill_mode"),
    )


# --- ImageProjectiveTransformV2 -------------------------------------------------------------------

ImageProjectiveTransformV2 = define_op(
    "ImageProjectiveTransformV2",
    inputs=("images: dtype", "transforms: float", "output_shape: int32"),
    outputs=("transformed_images: dtype",),
    attrs=_ATTRS,
)
ImageProjectiveTransformV2.shape_fn(_projected_shape)


@ImageProjectiveTransformV2.kernel("CPU", dtype=_TYPES)
def _image_projective_transform_v2_cpu(
    images: np.ndarray,
    transforms: np.ndarray,
    output_shape: np.ndarray,
    *,
    interpolation: str,
    fill_mode: str,
) -> np.ndarray:
    return _projected(images, transforms, output_shape, interpolation, fill_mode, 0)


@ImageProjectiveTransformV2.gradient
def _image_projective_transform_v2_grad(op: Any, grad: Tensor) -> tuple[Tensor | None, None, None]:
    return _gradient(ImageProjectiveTransformV2, op, grad), None, None


# --- ImageProjectiveTransformV3 -------------------------------------------------------------------

ImageProjectiveTransformV3 = define_op(
    "ImageProjectiveTransformV3",
    inputs=("images: dtype", "transforms: float", "output_shape: int32", "fill_value: float"),
    outputs=("transformed_images: dtype",),
    attrs=_ATTRS,
)
ImageProjectiveTransformV3.shape_fn(_projected_shape)


@ImageProjectiveTransformV3.kernel("CPU", dtype=_TYPES)
def _image_projective_transform_v3_cpu(
    images: np.ndarray,
    transforms: np.ndarray,
    output_shape: np.ndarray,
    fill_value: np.ndarray,
    *,
    interpolation: str,
    fill_mode: str,
) -> np.ndarray:
    if fill_value.ndim:
        raise InvalidArgumentError(
            None, None, "fill_value must be a scalar", received=f"shape {list(fill_value.shape)}"
        )
    return _projected(images, transforms, output_shape, interpolation, fill_mode, float(fill_value))


@ImageProjectiveTransformV3.gradient
def _image_projective_transform_v3_grad(
    op: Any, grad: Tensor
) -> tuple[Tensor | None, None, None, None]:
    # What lies outside gives nothing.
    return _gradient(ImageProjectiveTransformV3, op, grad, zeros([])), None, None, None

"""Images scaled and shifted by any amount: ScaleAndTranslate and its gradient.

The arithmetic is in `kernels/scale_translate.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import scale_translate as kernels
from featherflow.kernels.resize import check_size
from featherflow.ops.cast_ops import cast
from featherflow.ops.type_groups import FLOATS, SIGNED, Types, one_of
from featherflow.ops.window_shapes import attrs_of

_TYPES: Types = (
    dtypes.int8,
    dtypes.uint8,
    dtypes.int16,
    dtypes.uint16,
    *SIGNED[2:],
    *FLOATS,
)
_KERNEL = ("kernel_type: string = 'lanczos3'", "antialias: bool = true")

# --- ScaleAndTranslate ----------------------------------------------------------------------------

ScaleAndTranslate = define_op(
    "ScaleAndTranslate",
    inputs=("images: T", "size: int32", "scale: float", "translation: float"),
    outputs=("resized_images: float",),
    attrs=(f"T: {one_of(_TYPES)}", *_KERNEL),
)


@ScaleAndTranslate.shape_fn
def _scale_and_translate_shape(c: InferenceContext) -> TensorShape:
    batch, _, _, channels = c.dims(0, 4)
    return TensorShape._of((batch, *c.constant_sizes(1, 2), channels))


@ScaleAndTranslate.kernel("CPU", T=_TYPES)
def _scale_and_translate_cpu(
    images: np.ndarray,
    size: np.ndarray,
    scale: np.ndarray,
    translation: np.ndarray,
    *,
    kernel_type: str,
    antialias: bool,
) -> np.ndarray:
    _check_images(images)
    if 0 in images.shape[1:]:
        raise InvalidArgumentError(
            None,
            None,
            "input image must be of non-zero size",
            received=f"shape {list(images.shape)}",
        )
    placement = kernels.check_placement(scale, translation, kernel_type, antialias)
    return kernels.scale_and_translate(images, check_size(size), placement)


def _check_images(images: np.ndarray) -> None:
    if images.ndim != 4:
        raise InvalidArgumentError(
            None, None, "images must be 4-dimensional", received=f"shape {list(images.shape)}"
        )


@ScaleAndTranslate.gradient
def _scale_and_translate_grad(op: Any, grad: Tensor) -> tuple[Tensor | None, None, None, None]:
    images, _, scale, translation = op.inputs
    grads = ScaleAndTranslateGrad(
        grad,
        cast(images, dtypes.float32),
        scale,
        translation,
        **attrs_of(op, "kernel_type", "antialias"),
    )
    return grads, None, None, None


# --- ScaleAndTranslateGrad ------------------------------------------------------------------------

ScaleAndTranslateGrad = define_op(
    "ScaleAndTranslateGrad",
    inputs=("grads: T", "original_image: T", "scale: float", "translation: float"),
    outputs=("output: T",),
    attrs=("T: {float}", *_KERNEL),
)


@ScaleAndTranslateGrad.shape_fn
def _scale_and_translate_grad_shape(c: InferenceContext) -> TensorShape:
    return c.shapes[1]


@ScaleAndTranslateGrad.kernel("CPU")
def _scale_and_translate_grad_cpu(
    grads: np.ndarray,
    original_image: np.ndarray,
    scale: np.ndarray,
    translation: np.ndarray,
    *,
    kernel_type: str,
    antialias: bool,
) -> np.ndarray:
    _check_images(grads)
    _check_images(original_image)
    placement = kernels.check_placement(scale, translation, kernel_type, antialias)
    height, width = original_image.shape[1:3]
    return kernels.gradient_of_images(grads, (height, width), placement)


ScaleAndTranslateGrad.without_gradient("TensorFlow gives it no gradient")

"""The ops AdjustContrastv2, AdjustHue and AdjustSaturation.

The arithmetic is in `kernels/hsv_colors.py`; the public functions are in `image_adjustments.py`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.kernels import hsv_colors as kernels


def _images_shape(c: InferenceContext) -> TensorShape:
    return c.with_rank_at_least(0, 3)


def _contrast_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(1, 0)
    return _images_shape(c)


def _define_adjustment(
    name: str,
    amount_name: str,
    adjust: Callable[[np.ndarray, np.floating], np.ndarray],
    channels: int | None = 3,
) -> Op:
    """An op `images, amount → output` of the same shape."""
    op = define_op(
        name,
        inputs=("images: T", f"{amount_name}: float"),
        outputs=("output: T",),
        attrs=("T: {half, float} = float",),
    )
    op.shape_fn(_images_shape)

    @op.kernel("CPU", T=(dtypes.float32,))
    def _adjustment_cpu(images: np.ndarray, amount: np.ndarray) -> np.ndarray:
        if images.ndim < 3 or (channels and images.shape[-1] != channels):
            raise InvalidArgumentError(
                None,
                None,
                "images must be at least 3-D" + (f" with {channels} channels" * bool(channels)),
                received=f"shape {list(images.shape)}",
            )
        if amount.ndim:
            raise InvalidArgumentError(
                None, None, f"{amount_name} must be scalar", received=f"shape {list(amount.shape)}"
            )
        return adjust(images, images.dtype.type(amount))

    op.without_gradient("TensorFlow gives it no gradient")
    return op


AdjustContrastv2 = _define_adjustment(
    "AdjustContrastv2", "contrast_factor", kernels.adjust_contrast, channels=None
)
AdjustContrastv2.shape_fn(_contrast_shape)
AdjustHue = _define_adjustment("AdjustHue", "delta", kernels.adjust_hue)
AdjustSaturation = _define_adjustment("AdjustSaturation", "scale", kernels.adjust_saturation)

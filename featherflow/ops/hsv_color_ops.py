"""Colours as hue, saturation and value: RGBToHSV and HSVToRGB.

The arithmetic is in `kernels/hsv_colors.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework.errors import FailedPreconditionError, InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import hsv_colors as kernels
from featherflow.ops.cast_ops import cast
from featherflow.ops.division_ops import divide_no_nan
from featherflow.ops.pack_ops import stack, unstack
from featherflow.ops.type_groups import FLOATS


def _color_shape(c: InferenceContext) -> TensorShape:
    dims = c.with_rank_at_least(0, 1)._dims
    if dims is None:
        return c.shapes[0]
    if dims[-1] not in (None, 3):
        c.fail(f"Dimension must be 3 but is {dims[-1]}", received=c.received())
    return TensorShape._of((*dims[:-1], 3))


def _define_conversion(name: str, convert: Callable[[np.ndarray], np.ndarray]) -> Op:
    """An op `images → output` of the same shape, whose last dimension is colours."""
    op = define_op(
        name,
        inputs=("images: T",),
        outputs=("output: T",),
        attrs=("T: {half, bfloat16, float, double} = float",),
    )
    op.shape_fn(_color_shape)

    @op.kernel("CPU", T=FLOATS)
    def _conversion_cpu(images: np.ndarray) -> np.ndarray:
        if not images.ndim:
            raise InvalidArgumentError(None, None, "input must be at least 1D", received="0D")
        if images.shape[-1] != 3:
            raise FailedPreconditionError(
                None,
                None,
                "input must have 3 channels",
                received=f"shape {list(images.shape)}",
            )
        return convert(images)

    return op


# --- RGBToHSV -------------------------------------------------------------------------------------

RGBToHSV = _define_conversion("RGBToHSV", kernels.rgb_to_hsv)


@RGBToHSV.gradient
def _rgb_to_hsv_grad(op: Any, grad: Any) -> Tensor:
    """Each channel's own share in the numerators, and what the extreme channels change.

    With R = max − min: ds = (min · dmax / max − dmin) / max, and the hue is n / 6R plus a constant,
    where n is a difference of channels: dh = dn / 6R − n (dmax − dmin) / 6R².
    """
    channels: Any = unstack(op.inputs[0], num=3, axis=-1)
    hue_grad, saturation_grad, value_grad = unstack(grad, num=3, axis=-1)
    largest, smallest = _extremes(*channels)
    high: Any = sum(share * channel for share, channel in zip(largest, channels))
    low: Any = sum(share * channel for share, channel in zip(smallest, channels))
    extent: Any = high - low
    # Colours without light have no hue, and negative channels no saturation, in TensorFlow.
    per_sixth: Any = divide_no_nan(hue_grad, 6 * extent) * cast(high > 0, high.dtype)
    # The difference of the two channels that follow the largest one, whichever it is.
    numerator = sum(largest[i] * (channels[(i + 1) % 3] - channels[(i + 2) % 3]) for i in range(3))
    per_extent = divide_no_nan(per_sixth * numerator, extent)
    per_value: Any = divide_no_nan(saturation_grad, high)
    results = []
    for i in range(3):
        own = largest[(i + 2) % 3] - largest[(i + 1) % 3]
        positive = cast(channels[i] > 0, high.dtype)
        saturation_share = largest[i] * divide_no_nan(per_value * low, high)
        results.append(
            largest[i] * (value_grad - per_extent)
            + smallest[i] * per_extent
            + (saturation_share - smallest[i] * per_value) * positive
            + own * per_sixth
        )
    return stack(results, axis=-1)


def _extremes(red: Any, green: Any, blue: Any) -> tuple[list[Any], list[Any]]:
    """Which channel is the largest, and which the smallest: 1 for one of them and 0 for others."""
    dtype = red.dtype.base_dtype
    largest = [
        (red >= blue) & (red >= green),
        (green > red) & (green >= blue),
        (blue > red) & (blue > green),
    ]
    smallest = [
        (red < blue) & (red < green),
        (green <= red) & (green < blue),
        (blue <= red) & (blue <= green),
    ]
    return [cast(is_it, dtype) for is_it in largest], [cast(is_it, dtype) for is_it in smallest]


@export("image.rgb_to_hsv")
def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Colours as hue, saturation and value.

    Args:
      images: `[…, 3]`, floats of [0, 1].
      name: of the node.
    Returns:
      `[…, 3]`, dtype of `images`: hue in turns, of [0, 1); saturation; value.
    Raises:
      ValueError: there are not three channels.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.image.rgb_to_hsv([0.0, 0.5, 0.0])).round(3).tolist()
    [0.3330000042915344, 1.0, 0.5]
    """
    return RGBToHSV(images, name=name)


# --- HSVToRGB -------------------------------------------------------------------------------------

HSVToRGB = _define_conversion("HSVToRGB", kernels.hsv_to_rgb)
HSVToRGB.not_differentiable("TensorFlow gives it no gradient")


@export("image.hsv_to_rgb")
def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Colours as red, green and blue.

    Args:
      images: `[…, 3]`: hue in turns, saturation and value, floats of [0, 1].
      name: of the node.
    Returns:
      `[…, 3]`, dtype of `images`.
    Raises:
      ValueError: there are not three channels.
    """
    return HSVToRGB(images, name=name)

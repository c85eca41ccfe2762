"""Windows cut out of images at given places: ExtractGlimpse and ExtractGlimpseV2.

The arithmetic is in `kernels/glimpses.py`. Noise is drawn anew in each run; no seed fixes it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import glimpses as kernels


def _glimpse_shape(c: InferenceContext) -> TensorShape:
    batch, _, _, channels = c.dims(0, 4)
    (length,) = c.dims(1, 1)
    offsets_batch, coordinates = c.dims(2, 2)
    if length not in (None, 2) or coordinates not in (None, 2):
        c.fail("size and offsets must hold 2 values each", received=c.received())
    if c.attrs["uniform_noise"] and c.attrs["noise"] not in ("", "uniform"):
        c.fail(
            "The uniform_noise and noise should not be specified at the same time",
            received=f"noise {c.attrs['noise']}",
        )
    count = c.merge_dim(batch, offsets_batch)
    return TensorShape._of((count, *c.constant_sizes(1, 2), channels))


def _define_glimpse(name: str, corrected: bool) -> Op:
    """An op `input, size, offsets → glimpse`."""
    op = define_op(
        name,
        inputs=("input: float", "size: int32", "offsets: float"),
        outputs=("glimpse: float",),
        attrs=(
            "centered: bool = true",
            "normalized: bool = true",
            "uniform_noise: bool = true",
            "noise: string = 'uniform'",
        ),
    )
    op.shape_fn(_glimpse_shape)

    @op.kernel("CPU")
    def _glimpse_cpu(
        input: np.ndarray,
        size: np.ndarray,
        offsets: np.ndarray,
        *,
        centered: bool,
        normalized: bool,
        noise: str,
    ) -> np.ndarray:
        _check(input, size, offsets)
        height, width = size.tolist()
        image_size = (input.shape[1], input.shape[2])
        corners = kernels.corners_of(
            offsets, image_size, (height, width), centered, normalized, corrected
        )
        return kernels.extract_glimpses(input, corners, (height, width), noise)

    op.foldable = False
    return op


def _check(images: np.ndarray, size: np.ndarray, offsets: np.ndarray) -> None:
    if images.ndim != 4 or offsets.shape != (images.shape[0], 2):
        raise InvalidArgumentError(
            None,
            None,
            "input must be [N, H, W, C] and offsets [N, 2]",
            received=f"shapes {list(images.shape)} and {list(offsets.shape)}",
        )
    if size.shape != (2,) or size.min() < 0:
        raise InvalidArgumentError(
            None,
            None,
            "size must be two numbers that are not negative",
            received=str(size.tolist()),
        )


ExtractGlimpse = _define_glimpse("ExtractGlimpse", corrected=False)
ExtractGlimpse.not_differentiable("TensorFlow gives it no gradient")
ExtractGlimpseV2 = _define_glimpse("ExtractGlimpseV2", corrected=True)
ExtractGlimpseV2.without_gradient("TensorFlow gives it no gradient")


@export_v1("image.extract_glimpse")
def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Tensor:
    """A window of each image, with noise where it leaves the image.

    Args:
      input: float32 `[N, H, W, C]`.
      size: (H', W'), int32 `[2]`.
      offsets: y and x of the middle of the window, float32 `[N, 2]`.
      centered: 0 is the middle of the image, else its first pixel.
      normalized: 1 is the edge of the image, else offsets are pixels (half pixels if `centered`).
      uniform_noise: noise is uniform of [0, 1), else normal.
      name: of the node.
    Returns:
      float32 `[N, H', W', C]`.
    Raises:
      ValueError: shapes do not fit.
    """
    return ExtractGlimpse(
        input,
        size,
        offsets,
        centered=centered,
        normalized=normalized,
        uniform_noise=uniform_noise,
        name=name,
    )


@export("image.extract_glimpse")
def extract_glimpse_v2(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """`extract_glimpse` where offsets name a corner unless they are centered and normalized.

    Args:
      input, size, centered, normalized, name: as for `extract_glimpse` of TF1.
      offsets: float32 `[N, 2]`; pixels where they are not normalized.
      noise: "uniform", "gaussian" or "zero".
    Returns:
      float32 `[N, H', W', C]`.
    """
    return ExtractGlimpseV2(
        input,
        size,
        offsets,
        centered=centered,
        normalized=normalized,
        uniform_noise=False,
        noise=noise,
        name=name,
    )

"""Random boxes that cover enough of an object: SampleDistortedBoundingBox, V2 and Stateless….

The arithmetic is in `kernels/box_sampling.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.graph_api import get_seed
from featherflow.graph.tensor import Tensor
from featherflow.kernels import box_sampling as kernels
from featherflow.kernels.philox import PhiloxStream, stateless_stream
from featherflow.ops.random_ops import RandomKernel
from featherflow.ops.type_groups import SIGNED, Types

_TYPES: Types = (dtypes.uint8, *SIGNED)
_T = "T: {uint8, int8, int16, int32, int64}"
_OUTPUTS = ("begin: T", "size: T", "bboxes: float")
_SEEDS = ("seed: int = 0", "seed2: int = 0")
_CONSTRAINTS = (
    "aspect_ratio_range: list(float) = [0.75, 1.33]",
    "area_range: list(float) = [0.05, 1.0]",
    "max_attempts: int = 100",
    "use_image_if_no_bounding_boxes: bool = false",
)
_STREAM = "a random stream does not depend on its arguments"


def _sampled_shape(c: InferenceContext) -> list[TensorShape]:
    (length,) = c.dims(0, 1)
    if length not in (None, 3):
        c.fail("image_size must hold 3 values", received=f"{length} values")
    edges = c.dims(1, 3)[2]
    if edges not in (None, 4):
        c.fail(f"Dimension must be 4 but is {edges}", received=c.received())
    if len(c.shapes) > 2:
        c.with_rank(2, 0)
    if len(c.shapes) > 3 and c.dims(3, 1)[0] not in (None, 2):
        c.fail("seed must hold 2 values", received=c.received())
    vector = TensorShape._of((3,))
    return [vector, vector, TensorShape._of((1, 1, 4))]


Sampled = tuple[np.ndarray, np.ndarray, np.ndarray]


def _sampled(
    stream: PhiloxStream,
    attrs: dict[str, Any],
    image_size: np.ndarray,
    bounding_boxes: np.ndarray,
    min_object_covered: np.ndarray,
) -> Sampled:
    """A box as the first pixel (row, column, 0), the size (…, −1) and in units of the image."""
    constraints = _constraints(attrs, min_object_covered)
    if image_size.shape != (3,) or image_size[:2].min() < 0:
        raise InvalidArgumentError(
            None,
            None,
            "image_size must hold three values: height, width and channels",
            received=str(image_size.tolist()),
        )
    if bounding_boxes.ndim != 3 or bounding_boxes.shape[2] != 4:
        raise InvalidArgumentError(
            None, None, "bounding boxes must be [N, n, 4]", received=f"{bounding_boxes.shape}"
        )
    height, width, _ = image_size.tolist()
    use_image = attrs["use_image_if_no_bounding_boxes"]
    objects = kernels.objects_of(bounding_boxes, (height, width), use_image)
    box = kernels.sample_box(stream, (height, width), objects, constraints)
    with np.errstate(all="ignore"):
        relative = np.array(box, np.float32) / np.array([height, width] * 2, np.float32)
    size = np.array([box.bottom - box.top, box.right - box.left, -1])
    return (
        np.array([box.top, box.left, 0], image_size.dtype),
        size.astype(image_size.dtype),
        relative.reshape(1, 1, 4),
    )


def _constraints(attrs: dict[str, Any], min_object_covered: np.ndarray) -> kernels.Constraints:
    return kernels.check_constraints(
        attrs["aspect_ratio_range"],
        attrs["area_range"],
        attrs["max_attempts"],
        min_object_covered,
    )


class _SampleKernel(RandomKernel):
    """Each run takes one counter of the stream for each attempt that it may make."""

    def sample(
        self, image_size: np.ndarray, bounding_boxes: np.ndarray, min_object_covered: np.ndarray
    ) -> Sampled:
        stream = self.generator.reserve(max(self.node.attrs["max_attempts"], 0))
        return _sampled(stream, self.node.attrs, image_size, bounding_boxes, min_object_covered)


# --- SampleDistortedBoundingBox -------------------------------------------------------------------

SampleDistortedBoundingBox = define_op(
    "SampleDistortedBoundingBox",
    inputs=("image_size: T", "bounding_boxes: float"),
    outputs=_OUTPUTS,
    attrs=(_T, *_SEEDS, "min_object_covered: float = 0.1", *_CONSTRAINTS),
    is_stateful=True,
    order_free=True,
)
SampleDistortedBoundingBox.shape_fn(_sampled_shape)


@SampleDistortedBoundingBox.kernel("CPU", T=_TYPES)
class _SampleDistortedBoundingBoxCpu(_SampleKernel):
    def compute(self, ctx: Any, image_size: np.ndarray, bounding_boxes: np.ndarray) -> Sampled:
        covered = np.asarray(self.node.attrs["min_object_covered"], np.float32)
        return self.sample(image_size, bounding_boxes, covered)


SampleDistortedBoundingBox.not_differentiable(_STREAM)

# --- SampleDistortedBoundingBoxV2 -----------------------------------------------------------------

SampleDistortedBoundingBoxV2 = define_op(
    "SampleDistortedBoundingBoxV2",
    inputs=("image_size: T", "bounding_boxes: float", "min_object_covered: float"),
    outputs=_OUTPUTS,
    attrs=(_T, *_SEEDS, *_CONSTRAINTS),
    is_stateful=True,
    order_free=True,
)
SampleDistortedBoundingBoxV2.shape_fn(_sampled_shape)


@SampleDistortedBoundingBoxV2.kernel("CPU", T=_TYPES)
class _SampleDistortedBoundingBoxV2Cpu(_SampleKernel):
    def compute(
        self,
        ctx: Any,
        image_size: np.ndarray,
        bounding_boxes: np.ndarray,
        min_object_covered: np.ndarray,
    ) -> Sampled:
        return self.sample(image_size, bounding_boxes, min_object_covered)


SampleDistortedBoundingBoxV2.not_differentiable(_STREAM)

# --- StatelessSampleDistortedBoundingBox ----------------------------------------------------------

StatelessSampleDistortedBoundingBox = define_op(
    "StatelessSampleDistortedBoundingBox",
    inputs=("image_size: T", "bounding_boxes: float", "min_object_covered: float", "seed: Tseed"),
    outputs=_OUTPUTS,
    attrs=(_T, "Tseed: {int32, int64}", *_CONSTRAINTS),
)
StatelessSampleDistortedBoundingBox.shape_fn(_sampled_shape)


@StatelessSampleDistortedBoundingBox.kernel("CPU", T=_TYPES)
def _stateless_sample_distorted_bounding_box_cpu(
    image_size: np.ndarray,
    bounding_boxes: np.ndarray,
    min_object_covered: np.ndarray,
    seed: np.ndarray,
    *,
    aspect_ratio_range: tuple[float, ...],
    area_range: tuple[float, ...],
    max_attempts: int,
    use_image_if_no_bounding_boxes: bool,
) -> Sampled:
    if seed.shape != (2,):
        raise InvalidArgumentError(
            None, None, "seed must hold 2 values", received=f"shape {list(seed.shape)}"
        )
    attrs = {
        "aspect_ratio_range": aspect_ratio_range,
        "area_range": area_range,
        "max_attempts": max_attempts,
        "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes,
    }
    stream = stateless_stream(*seed.tolist())
    return _sampled(stream, attrs, image_size, bounding_boxes, min_object_covered)


StatelessSampleDistortedBoundingBox.without_gradient(_STREAM)

# --- public functions -----------------------------------------------------------------------------


def _given(
    aspect_ratio_range: Sequence[float] | None,
    area_range: Sequence[float] | None,
    max_attempts: int | None,
    use_image_if_no_bounding_boxes: bool | None,
) -> dict[str, Any]:
    """The attributes that were given."""
    attrs = {
        "aspect_ratio_range": aspect_ratio_range,
        "area_range": area_range,
        "max_attempts": max_attempts,
        "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes,
    }
    return {name: value for name, value in attrs.items() if value is not None}


@export_v1("image.sample_distorted_bounding_box")
def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """A random box of an image that covers enough of one of its objects, drawn anew in each run.

    Args:
      image_size: (height, width, channels), integers `[3]`.
      bounding_boxes: of the objects, (y1, x1, y2, x2) of [0, 1], float32 `[N, n, 4]`.
      seed, seed2: of the op.
      min_object_covered: of the area of some object, which the box must cover.
      aspect_ratio_range: of width by height; by default (¾, 1.33).
      area_range: of the box's area, of that of the image; by default (0.05, 1).
      max_attempts: after so many boxes that do not fit it is the whole image; by default 100.
      use_image_if_no_bounding_boxes: without objects, the image is one.
      name: of the scope of the nodes.
    Returns:
      (row, column, 0) of the first pixel and (height, width, −1), as `tf.slice` takes them, and the
      box in units of the image, float32 `[1, 1, 4]`.
    Raises:
      InvalidArgumentError: there are no objects, or numbers are out of range.
    """
    with op_scope(name, "sample_distorted_bounding_box"):
        return SampleDistortedBoundingBoxV2(
            image_size,
            bounding_boxes,
            min_object_covered,
            seed=seed or 0,
            seed2=seed2 or 0,
            **_given(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes),
        )


@export("image.sample_distorted_bounding_box")
def sample_distorted_bounding_box_v2(
    image_size: Any,
    bounding_boxes: Any,
    seed: int = 0,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """`sample_distorted_bounding_box` with TF2's arguments: one seed, 0 for any."""
    seed1, seed2 = get_seed(seed) if seed else (0, 0)
    return sample_distorted_bounding_box(
        image_size,
        bounding_boxes,
        seed1,
        seed2,
        min_object_covered,
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
        name,
    )


@export("image.stateless_sample_distorted_bounding_box")
def stateless_sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Sequence[float] | None = None,
    area_range: Sequence[float] | None = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """`sample_distorted_bounding_box` whose result follows from `seed` alone, integers `[2]`."""
    with op_scope(name, "stateless_sample_distorted_bounding_box"):
        return StatelessSampleDistortedBoundingBox(
            image_size,
            bounding_boxes,
            min_object_covered,
            seed,
            **_given(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes),
        )

"""Boxes proposed from anchors: GenerateBoundingBoxProposals, which has kernels on GPUs only."""

from __future__ import annotations

from typing import Any

from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor

GenerateBoundingBoxProposals = define_op(
    "GenerateBoundingBoxProposals",
    inputs=(
        "scores: float",
        "bbox_deltas: float",
        "image_info: float",
        "anchors: float",
        "nms_threshold: float",
        "pre_nms_topn: int32",
        "min_size: float",
    ),
    outputs=("rois: float", "roi_probabilities: float"),
    attrs=("post_nms_topn: int = 300",),
)


@GenerateBoundingBoxProposals.shape_fn
def _generate_bounding_box_proposals_shape(c: InferenceContext) -> list[TensorShape]:
    batch = c.dims(0, 4)[0]
    for index, rank in enumerate((4, 2, 3, 0, 0, 0), start=1):
        c.with_rank(index, rank)
    count = c.attrs["post_nms_topn"]
    if count < 0:
        c.fail("post_nms_topn must not be negative", received=count)
    return [TensorShape._of((batch, count, 4)), TensorShape._of((batch, count))]


GenerateBoundingBoxProposals.not_differentiable("TensorFlow gives it no gradient")


@export("image.generate_bounding_box_proposals")
def generate_bounding_box_proposals(
    scores: Any,
    bbox_deltas: Any,
    image_info: Any,
    anchors: Any,
    nms_threshold: Any = 0.7,
    pre_nms_topn: Any = 6000,
    min_size: Any = 16,
    post_nms_topn: int = 300,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The best boxes that a region proposal network makes of anchors; it runs on GPUs only.

    Args:
      scores: of the A anchors of each place, float32 `[N, H, W, A]`.
      bbox_deltas: how each anchor is moved and scaled, float32 `[N, H, W, 4 · A]`.
      image_info: height, width and scale of each image, float32 `[N, 5]`.
      anchors: float32 `[A, 4, …]`, of rank 3.
      nms_threshold: a box that overlaps a better one by more is dropped.
      pre_nms_topn: how many boxes are considered.
      min_size: smaller boxes are dropped.
      post_nms_topn: m, how many boxes are kept.
      name: of the node.
    Returns:
      Boxes `[N, m, 4]` and their scores `[N, m]`, filled up with zeros.
    Raises:
      ValueError: ranks do not fit.

    See: Ren et al. 2015, "Faster R-CNN: towards real-time object detection with region proposal
    networks".
    """
    return GenerateBoundingBoxProposals(
        scores,
        bbox_deltas,
        image_info,
        anchors,
        nms_threshold,
        pre_nms_topn,
        min_size,
        post_nms_topn=post_nms_topn,
        name=name,
    )

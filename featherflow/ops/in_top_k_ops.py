"""InTopK: whether the class wanted is among the k with the largest predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor

_FLAGS = "its output is bool"


def _in_top_k_shape(c: InferenceContext) -> TensorShape:
    rows, _ = c.with_rank(0, 2)._dims  # type: ignore[misc]
    (count,) = c.with_rank(1, 1)._dims  # type: ignore[misc]
    if len(c.shapes) == 3:
        c.with_rank(2, 0)
    return TensorShape._of((c.merge_dim(rows, count),))


def _in_top_k(predictions: np.ndarray, targets: np.ndarray, k: int) -> np.ndarray:
    """Classes as good as the target do not count against it; rows with infinities or NaN, and
    targets out of range, are never in."""
    if predictions.ndim != 2 or targets.ndim != 1 or len(targets) != len(predictions):
        raise InvalidArgumentError(
            None,
            None,
            "predictions must be a matrix, and targets a vector with one element for each row",
            received=f"shapes {list(predictions.shape)} and {list(targets.shape)}",
        )
    classes = predictions.shape[1]
    is_valid = (targets >= 0) & (targets < classes) & np.isfinite(predictions).all(axis=1)
    if not classes:
        return is_valid
    own = predictions[np.arange(len(targets)), np.where(is_valid, targets, 0)]
    better = np.count_nonzero(predictions > own[:, np.newaxis], axis=1)
    return is_valid & (better < k)


# --- InTopK ---------------------------------------------------------------------------------------

InTopK = define_op(
    "InTopK",
    inputs=("predictions: float", "targets: T"),
    outputs=("precision: bool",),
    attrs=("k: int", "T: {int32, int64} = int32"),
)
InTopK.shape_fn(_in_top_k_shape)


@InTopK.kernel("CPU")
def _in_top_k_cpu(predictions: np.ndarray, targets: np.ndarray, *, k: int) -> np.ndarray:
    return _in_top_k(predictions, targets, k)


InTopK.without_gradient(_FLAGS)

# --- InTopKV2 -------------------------------------------------------------------------------------

InTopKV2 = define_op(
    "InTopKV2",
    inputs=("predictions: float", "targets: T", "k: T"),
    outputs=("precision: bool",),
    attrs=("T: {int32, int64} = int32",),
)
InTopKV2.shape_fn(_in_top_k_shape)


@InTopKV2.kernel("CPU")
def _in_top_k_v2_cpu(predictions: np.ndarray, targets: np.ndarray, k: np.ndarray) -> np.ndarray:
    if k.ndim:
        raise InvalidArgumentError(
            None, None, "k must be a scalar", received=f"shape {list(k.shape)}"
        )
    return _in_top_k(predictions, targets, int(k))


InTopKV2.without_gradient(_FLAGS)


@export_v1("nn.in_top_k", "math.in_top_k")
def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether fewer than k classes have a larger prediction than the target, for each row.

    Args:
      predictions: [N, C] of float32.
      targets: [N], int32 or int64: classes.
      k: a scalar.
      name: of the node.
    Returns:
      [N] of bool; False where a prediction is not finite or the target is no class.
    """
    with op_scope(name, "in_top_k"):
        return InTopKV2(predictions, targets, k, name=name)


@export("nn.in_top_k", "math.in_top_k")
def in_top_k_v2(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Tensor:
    """`in_top_k` with TF2's order of arguments."""
    return in_top_k(predictions, targets, k, name)

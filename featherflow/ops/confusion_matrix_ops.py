"""The confusion matrix of predicted classes, and what aligns labels with predictions."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_assertions import assert_less
from featherflow.ops.comparison_ops import equal
from featherflow.ops.cond import cond
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import ones_like
from featherflow.ops.grouping_ops import with_dependencies
from featherflow.ops.pack_ops import stack
from featherflow.ops.reduction_ops import reduce_max
from featherflow.ops.reshape_ops import squeeze
from featherflow.ops.scatter_nd_ops import scatter_nd
from featherflow.ops.shape_ops import rank
from featherflow.ops.sign_assertions import assert_non_negative


def remove_squeezable_dimensions(
    labels: Any, predictions: Any, expected_rank_diff: int = 0, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Both without a last dimension of size 1 that one has and the other lacks.

    Args:
      labels: [D₁ … Dₙ] or [D₁ … Dₙ, 1].
      predictions: a tensor of the same rank, give or take that dimension.
      expected_rank_diff: rank(predictions) − rank(labels) when neither has one to lose.
      name: of the scope of the nodes.
    Returns:
      (labels, predictions).
    """
    with name_scope(name, "remove_squeezable_dimensions", [labels, predictions]):
        predictions = convert_to_tensor(predictions)
        labels = convert_to_tensor(labels)
        ranks = labels.shape.rank, predictions.shape.rank
        if None not in ranks:
            surplus = predictions.shape.rank - labels.shape.rank - expected_rank_diff
            if surplus == 1 and _may_end_in_one(predictions):
                predictions = squeeze(predictions, [-1])
            elif surplus == -1 and _may_end_in_one(labels):
                labels = squeeze(labels, [-1])
            return labels, predictions
        return _squeezed_in_the_run(labels, predictions, expected_rank_diff)


def _may_end_in_one(tensor: Tensor) -> bool:
    dims = tensor.shape.dims
    return dims is None or (bool(dims) and dims[-1].is_compatible_with(1))


def _squeezed_in_the_run(labels: Tensor, predictions: Tensor, expected: int) -> tuple[Any, Any]:
    difference = rank(predictions) - rank(labels)
    uncut = labels, predictions
    if _may_end_in_one(uncut[1]):
        predictions = cond(
            equal(expected + 1, difference),
            lambda: squeeze(uncut[1], [-1]),
            lambda: uncut[1],
        )
    if _may_end_in_one(uncut[0]):
        labels = cond(
            equal(expected - 1, difference),
            lambda: squeeze(uncut[0], [-1]),
            lambda: uncut[0],
        )
    return labels, predictions


@export("math.confusion_matrix")
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """cᵢⱼ = Σ of the weights of the examples whose label is i and whose prediction is j.

    Args:
      labels: [N] or [N, 1], integers: the true classes.
      predictions: [N], the predicted ones.
      num_classes: the number of classes; None takes the greatest class of the run, plus 1.
      weights: [N]; None counts each example once.
      dtype: of the result.
      name: of the scope of the nodes.
    Returns:
      [num_classes, num_classes].
    Raises:
      ValueError: the shapes do not fit.
      InvalidArgumentError: a class is negative, or not below `num_classes`.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.math.confusion_matrix([0, 1, 1], [0, 0, 1])).tolist()
    [[1, 0], [1, 1]]
    """
    inputs = [predictions, labels] + [item for item in (num_classes, weights) if item is not None]
    with name_scope(name, "confusion_matrix", inputs):
        labels, predictions = remove_squeezable_dimensions(
            convert_to_tensor(labels, name="labels"),
            convert_to_tensor(predictions, name="predictions"),
        )
        predictions = cast(predictions, dtypes.int64)
        labels = _at_least_zero(cast(labels, dtypes.int64), "labels")
        predictions = _at_least_zero(predictions, "predictions")
        if num_classes is None:
            num_classes = maximum(reduce_max(predictions), reduce_max(labels)) + 1
        else:
            bound = cast(num_classes, dtypes.int64)
            labels = _below(labels, bound, "labels")
            predictions = _below(predictions, bound, "predictions")
        if weights is not None:
            weights = convert_to_tensor(weights, name="weights")
            predictions.shape.assert_is_compatible_with(weights.shape)
            weights = cast(weights, dtype)
        shape = stack([num_classes, num_classes])
        indices = stack([labels, predictions], axis=1)
        values = ones_like(predictions, dtype) if weights is None else weights
        return scatter_nd(indices, values, cast(shape, dtypes.int64))


def _at_least_zero(classes: Tensor, what: str) -> Tensor:
    check = assert_non_negative(classes, message=f"`{what}` contains negative values")
    return with_dependencies([check], classes)


def _below(classes: Tensor, bound: Tensor, what: str) -> Tensor:
    check = assert_less(classes, bound, message=f"`{what}` out of bound")
    return with_dependencies([check], classes)


@export_v1("math.confusion_matrix", "confusion_matrix")
def confusion_matrix_v1(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    weights: Any = None,
) -> Tensor:
    """`tf.math.confusion_matrix` with TF1's order of arguments."""
    return confusion_matrix(labels, predictions, num_classes, weights, dtype, name)

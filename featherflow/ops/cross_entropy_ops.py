"""Cross entropy of softmax with labels: probabilities of classes, or the numbers of classes."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, broadcast_static
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.constant_value import constant_value
from featherflow.graph.default_graph import get_default_graph, op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import softmax as kernels
from featherflow.ops.arithmetic_ops import AddV2, Mul, Neg, Sub
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_assertions import assert_equal
from featherflow.ops.core_array_ops import Slice, concat
from featherflow.ops.identity_ops import stop_gradient
from featherflow.ops.reshape_ops import ExpandDims, Reshape, renamed_argument
from featherflow.ops.shape_ops import rank as rank_of
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.softmax_ops import LogSoftmax, Softmax, axis_last_order
from featherflow.ops.sum_ops import reduce_sum, unbroadcast
from featherflow.ops.transpose_ops import transpose

# --- SoftmaxCrossEntropyWithLogits ----------------------------------------------------------------

SoftmaxCrossEntropyWithLogits = define_op(
    "SoftmaxCrossEntropyWithLogits",
    inputs=("features: T", "labels: T"),
    outputs=("loss: T", "backprop: T"),
    attrs=("T: {half, bfloat16, float, double}",),
)


_ANY_MATRIX = TensorShape([None, None])


@SoftmaxCrossEntropyWithLogits.shape_fn
def _softmax_cross_entropy_shape(c: InferenceContext) -> list[TensorShape]:
    known = [shape if shape.rank is not None else _ANY_MATRIX for shape in c.shapes]
    both = broadcast_static(c, *known)
    if both.rank != 2:
        c.fail("logits and labels must be matrices", received=c.received(), expected="rank 2")
    return [both[:1], both]


@SoftmaxCrossEntropyWithLogits.kernel("CPU")
def _softmax_cross_entropy_cpu(
    features: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    return kernels.softmax_cross_entropy(features, labels)


@SoftmaxCrossEntropyWithLogits.gradient
def _softmax_cross_entropy_grad(
    op: Any, grad: Tensor, backprop_grad: Tensor
) -> tuple[Tensor, Tensor]:
    logits, labels = op.inputs
    by_labels = Neg(_times_rows(grad, LogSoftmax(logits)))
    by_logits = _gradient_of_logits(op, grad, backprop_grad)
    if not _is_zero(backprop_grad):  # backprop = softmax(features) − labels
        by_labels = Sub(by_labels, backprop_grad)
    return _as_before_broadcast(by_logits, logits), _as_before_broadcast(by_labels, labels)


def _gradient_of_logits(op: Any, grad: Tensor, backprop_grad: Tensor) -> Tensor:
    """The gradient of both outputs of a cross entropy with respect to its logits."""
    by_logits = _times_rows(grad, op.outputs[1])
    if _is_zero(backprop_grad):
        return by_logits
    probabilities = Softmax(op.inputs[0])
    mean = reduce_sum(Mul(backprop_grad, probabilities), -1, keepdims=True)
    return AddV2(by_logits, Mul(Sub(backprop_grad, mean), probabilities))


def _times_rows(factors: Tensor, matrix: Tensor) -> Tensor:
    """Each row of `matrix` times its element of `factors`."""
    return Mul(ExpandDims(factors, -1), matrix)


def _is_zero(grad: Tensor) -> bool:
    """Whether a gradient stands for an output that nothing depends on."""
    if grad.__class__ is Tensor and grad.op.type == "ZerosLike":
        return True
    value = constant_value(grad)
    return value is not None and not value.any()


def _as_before_broadcast(grad: Tensor, source: Tensor) -> Tensor:
    """`grad` in the shape of `source`.

    Sizes of matrices that are not known are taken to be equal, as they almost always are: to ask
    the run would copy the matrix. If they are not, the gradient does not fit, and the run says so.
    """
    dims, source_dims = grad.shape._dims, source.shape._dims
    if dims is None or source_dims is None:
        return unbroadcast(grad, source)
    is_repeated = any(size == 1 != wide for size, wide in zip(source_dims, dims))
    return unbroadcast(grad, source) if is_repeated else grad


@export_v1("nn.softmax_cross_entropy_with_logits_v2")
def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """−Σ p · log softmax(x) along one dimension.

    Both labels and logits have gradients: wrap labels in `tf.stop_gradient` where they should not.

    Args:
      labels: p, probabilities that sum to 1 along `axis`; of the shape of `logits`.
      logits: x, unnormalised logarithms of probabilities.
      axis: the dimension of the classes; None takes the last.
      name: of the node.
      dim: the old name of `axis`.
    Returns:
      A tensor of the shape of `logits` without `axis`.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     loss = tf.nn.softmax_cross_entropy_with_logits_v2([[1.0, 0.0]], [[0.0, 0.0]])
    ...     print(sess.run(loss))
    [0.6931472]
    """
    axis = renamed_argument("axis", axis, "dim", dim)
    return _cross_entropy(labels, logits, -1 if axis is None else axis, name)


@export("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Tensor:
    """`softmax_cross_entropy_with_logits_v2` without its old argument."""
    return _cross_entropy(labels, logits, axis, name)


@export_v1("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits_v1(
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: str | None = None,
    axis: Any = None,
) -> Tensor:
    """`softmax_cross_entropy_with_logits_v2` in which `labels` have no gradient."""
    if axis is not None:
        if dim != -1:
            raise ValueError("Cannot specify both 'dim' and 'axis'.")
        dim = axis
    _check_both_given("softmax_cross_entropy_with_logits", labels, logits)
    with op_scope(name, "softmax_cross_entropy_with_logits_sg", [logits, labels]) as scope:
        labels = stop_gradient(labels, name="labels_stop_gradient")
    return _cross_entropy(labels, logits, dim, scope)


def _check_both_given(function: str, labels: Any, logits: Any) -> None:
    if labels is None or logits is None:
        raise ValueError(
            f"Both labels and logits must be provided for {function}, received labels={labels!r} "
            f"and logits={logits!r}."
        )


def _cross_entropy(labels: Any, logits: Any, axis: int, name: str | None) -> Tensor:
    _check_both_given("softmax_cross_entropy_with_logits", labels, logits)
    with op_scope(name, "softmax_cross_entropy_with_logits", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        precise = _widened(logits)
        labels = cast(labels, precise.dtype.base_dtype)
        rank = rank_of(precise)
        if axis != -1:
            place: Any = axis if axis >= 0 else rank + axis  # type: ignore[operator]
            precise = transpose(precise, axis_last_order(place, rank))
            labels = transpose(labels, axis_last_order(place, rank))
        dims = shape_of(precise)
        flat_logits, flat_labels = _flattened(precise), _flattened(labels)
        loss, _ = SoftmaxCrossEntropyWithLogits(flat_logits, flat_labels, name=scope)
        loss = Reshape(loss, Slice(dims, [0], [Sub(rank, 1)]))
        loss.set_shape(_without(logits.shape, axis))
        return cast(loss, logits.dtype.base_dtype)


def _widened(logits: Tensor) -> Tensor:
    """Logits of half precision as float32."""
    halves = (dtypes.float16, dtypes.bfloat16)
    return cast(logits, dtypes.float32) if logits.dtype.base_dtype in halves else logits


def _flattened(value: Tensor) -> Tensor:
    """[…, K] as [N, K]."""
    rank = rank_of(value)
    last = Slice(shape_of(value), [Sub(rank, 1)], [1])
    return Reshape(value, concat([[-1], last], 0))


def _without(shape: TensorShape, axis: int) -> TensorShape:
    """`shape` without the dimension `axis`."""
    dims = shape._dims
    if dims is None:
        return shape
    place = axis % len(dims)
    return TensorShape._of(dims[:place] + dims[place + 1 :])


# --- SparseSoftmaxCrossEntropyWithLogits ----------------------------------------------------------

SparseSoftmaxCrossEntropyWithLogits = define_op(
    "SparseSoftmaxCrossEntropyWithLogits",
    inputs=("features: T", "labels: Tlabels"),
    outputs=("loss: T", "backprop: T"),
    attrs=("T: {half, bfloat16, float, double}", "Tlabels: {int32, int64} = int64"),
)


@SparseSoftmaxCrossEntropyWithLogits.shape_fn
def _sparse_cross_entropy_shape(c: InferenceContext) -> list[TensorShape]:
    rows, classes = c.with_rank(0, 2)._dims  # type: ignore[misc]
    (count,) = c.with_rank(1, 1)._dims  # type: ignore[misc]
    rows = c.merge_dim(rows, count)
    return [TensorShape._of((rows,)), TensorShape._of((rows, classes))]


@SparseSoftmaxCrossEntropyWithLogits.kernel("CPU")
def _sparse_cross_entropy_cpu(
    features: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    return kernels.sparse_softmax_cross_entropy(features, labels)


@SparseSoftmaxCrossEntropyWithLogits.gradient
def _sparse_cross_entropy_grad(op: Any, grad: Tensor, backprop_grad: Tensor) -> tuple[Tensor, None]:
    return _gradient_of_logits(op, grad, backprop_grad), None


@export("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, name: str | None = None
) -> Tensor:
    """`sparse_softmax_cross_entropy_with_logits`, whose arguments must be given in TF2."""
    return sparse_softmax_cross_entropy_with_logits(labels, logits, name)


@export_v1("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """−log softmax(x)[label] along the last dimension.

    Args:
      labels: […], int32 or int64 in [0, K): the class of each example.
      logits: […, K], unnormalised logarithms of probabilities.
      name: of the node.
    Returns:
      […], of the dtype of `logits`.
    Raises:
      ValueError: the shapes are known not to fit.
      InvalidArgumentError: they do not in the run, or a label is out of range.
    """
    _check_both_given("sparse_softmax_cross_entropy_with_logits", labels, logits)
    default = "SparseSoftmaxCrossEntropyWithLogits"
    with op_scope(name, default, [labels, logits]):
        labels = convert_to_tensor(labels)
        logits = convert_to_tensor(logits)
        # Half precision is widened here and not in the kernel: so it is in TensorFlow's graphs.
        is_half = logits.dtype.base_dtype is dtypes.float16
        precise = cast(logits, dtypes.float32) if is_half else logits
        labels_shape = shape_of(labels)
        is_checked = _check_labels(labels.shape, precise.shape)
        if precise.shape.rank == 2:
            loss, _ = SparseSoftmaxCrossEntropyWithLogits(precise, labels, name=name)
        else:
            loss = _sparse_loss_of_any_rank(labels, precise, labels_shape, is_checked, name)
        return cast(loss, dtypes.float16) if is_half else loss


def _check_labels(labels: TensorShape, logits: TensorShape) -> bool:
    """Whether static shapes show that labels and logits fit.

    Raises:
      ValueError: they show that they do not.
    """
    if logits.rank == 0:
        raise ValueError("logits cannot be a scalar: its last dimension is that of the classes.")
    if labels.rank is None or logits.rank is None:
        return False
    if labels.rank != logits.rank - 1:
        raise ValueError(
            f"The rank of labels must be that of logits less one. Received labels of shape "
            f"{labels} and logits of shape {logits}."
        )
    rows = logits[:-1]
    if not (labels.is_fully_defined() and rows.is_fully_defined()):
        return False
    if labels.as_list() != rows.as_list():
        raise ValueError(
            "labels must have the shape of logits except for the last dimension. Received labels "
            f"of shape {labels} and logits of shape {logits}."
        )
    return True


def _sparse_loss_of_any_rank(
    labels: Tensor, logits: Tensor, labels_shape: Tensor, is_checked: bool, name: str | None
) -> Tensor:
    checks = [] if is_checked else [_assert_rows(labels, logits)]
    graph = get_default_graph()
    with graph.control_dependencies(checks) if checks else nullcontext():
        sizes: Any = shape_of(logits)
        classes = sizes[rank_of(logits) - 1]  # type: ignore[operator]
        rows, flat_labels = Reshape(logits, [-1, classes]), Reshape(labels, [-1])
        loss, _ = SparseSoftmaxCrossEntropyWithLogits(rows, flat_labels, name=name)
        loss = Reshape(loss, labels_shape)
        loss.set_shape(labels.shape)
        return loss


def _assert_rows(labels: Tensor, logits: Tensor) -> Any:
    """An Operation that fails unless there is a label for each row of logits."""
    labels_shape, logits_shape = shape_of(labels), shape_of(logits)
    rows = logits_shape[:-1]  # type: ignore[index]
    return assert_equal(labels_shape, rows)

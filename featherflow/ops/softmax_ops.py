"""Softmax and its logarithm, along any dimension."""

from __future__ import annotations

from typing import Any

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import softmax as kernels
from featherflow.ops.arithmetic_ops import Mul, Sub
from featherflow.ops.comparison_ops import Less
from featherflow.ops.core_array_ops import concat
from featherflow.ops.exponential_ops import Exp
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import renamed_argument
from featherflow.ops.select_ops import Select
from featherflow.ops.shape_ops import rank as rank_of
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.transpose_ops import invert_permutation, transpose


def _matrix_or_more(c: InferenceContext) -> TensorShape:
    return c.with_rank_at_least(0, 1)


def _sum_of_rows(values: Tensor) -> Tensor:
    return reduce_sum(values, -1, keepdims=True)


# --- Softmax --------------------------------------------------------------------------------------

Softmax = define_op(
    "Softmax",
    inputs=("logits: T",),
    outputs=("softmax: T",),
    attrs=("T: {half, bfloat16, float, double}",),
)
Softmax.shape_fn(_matrix_or_more)
Softmax.kernel("CPU")(kernels.softmax)


@Softmax.compile_rule
def _softmax_compile(c: Any, logits: Any) -> Any:
    return c.softmax(logits)


@Softmax.gradient
def _softmax_grad(op: Any, grad: Tensor) -> Tensor:
    # ∂yᵢ/∂xⱼ = yᵢ (δᵢⱼ − yⱼ)
    y = op.outputs[0]
    return Mul(Sub(grad, _sum_of_rows(Mul(grad, y))), y)


@export_v1("nn.softmax", "math.softmax")
def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """exp(x) / Σ exp(x) along `axis`: probabilities from unnormalised logarithms of them.

    Args:
      logits: a float tensor of rank 1 or more.
      axis: the dimension that is summed over; None takes the last.
      name: of the node.
      dim: the old name of `axis`.
    Returns:
      A tensor like `logits`.
    Raises:
      InvalidArgumentError: there is no such dimension.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.nn.softmax([0.0, 0.0, -1e9])).tolist()
    [0.5, 0.5, 0.0]
    """
    return _along(Softmax, logits, renamed_argument("axis", axis, "dim", dim), name)


@export("nn.softmax", "math.softmax")
def softmax_v2(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """`softmax` without its old argument."""
    return softmax(logits, axis, name)


# --- LogSoftmax -----------------------------------------------------------------------------------

LogSoftmax = define_op(
    "LogSoftmax",
    inputs=("logits: T",),
    outputs=("logsoftmax: T",),
    attrs=("T: {half, bfloat16, float, double}",),
)
LogSoftmax.shape_fn(_matrix_or_more)
LogSoftmax.kernel("CPU")(kernels.log_softmax)


@LogSoftmax.compile_rule
def _log_softmax_compile(c: Any, logits: Any) -> Any:
    return c.softmax(logits, log=True)


@LogSoftmax.gradient
def _log_softmax_grad(op: Any, grad: Tensor) -> Tensor:
    # ∂yᵢ/∂xⱼ = δᵢⱼ − exp(yⱼ)
    probabilities = Exp(op.outputs[0])
    return Sub(grad, Mul(_sum_of_rows(grad), probabilities))


@export_v1("nn.log_softmax", "math.log_softmax")
def log_softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """x − log Σ exp(x) along `axis`: the logarithm of `softmax`. Arguments as for it."""
    return _along(LogSoftmax, logits, renamed_argument("axis", axis, "dim", dim), name)


@export("nn.log_softmax", "math.log_softmax")
def log_softmax_v2(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """`log_softmax` without its old argument."""
    return log_softmax(logits, axis, name)


# --- other dimensions than the last ---------------------------------------------------------------


def _along(op: Op, logits: Any, axis: Any, name: str | None) -> Tensor:
    """`op`, which works on the last dimension, on `axis`."""
    logits = convert_to_tensor(logits)
    rank = logits.shape.rank
    if axis is None or axis_is_last(axis, rank):
        return op(logits, name=name)
    if not isinstance(axis, Tensor) and rank is not None and not -rank <= axis < rank:
        raise InvalidArgumentError(
            None,
            None,
            f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of "
            "dimensions in the input",
            received=f"dim={axis}",
        )
    if rank is None or isinstance(axis, Tensor):
        result = _with_axis_moved(op, logits, axis, name)
    else:
        result = _with_axis_swapped(op, logits, axis, name)
    result.set_shape(logits.shape)
    return result


def axis_is_last(axis: Any, rank: int | None) -> bool:
    """Whether `axis` is known to be the last of `rank` dimensions."""
    if isinstance(axis, Tensor):
        return False
    return axis == -1 or (rank is not None and axis == rank - 1)


def _with_axis_swapped(op: Op, logits: Tensor, axis: int, name: str | None) -> Tensor:
    """`op` of the tensor whose dimension `axis` has changed places with the last."""
    place: Any = non_negative_axis(logits, axis)
    rank = rank_of(logits)
    place = place % logits.shape.rank
    result = op(_swap_axes(logits, place, Sub(rank, 1)))
    return _swap_axes(result, place, Sub(rank, 1), name)


def _swap_axes(value: Tensor, axis: Any, last: Tensor, name: str | None = None) -> Tensor:
    order = concat([range_(axis), [last], range_(axis + 1, last), [axis]], 0)
    return transpose(value, order, name=name)


def _with_axis_moved(op: Op, logits: Tensor, axis: Any, name: str | None) -> Tensor:
    """`op` with `axis` behind the others: unlike a swap it does not mind the last axis itself."""
    place = non_negative_axis(logits, axis)
    order = axis_last_order(place, rank_of(logits))
    result = op(transpose(logits, order))
    return transpose(result, invert_permutation(order), name=name)


def non_negative_axis(value: Tensor, axis: Any) -> Any:
    """`axis` counted from the front: a number, or a tensor where it takes the rank to know."""
    rank = rank_of(value)
    if isinstance(axis, Tensor):
        return Select(Less(axis, 0), axis + rank, axis)  # type: ignore[operator]
    return axis if axis >= 0 else axis + rank


def axis_last_order(axis: Any, rank: Tensor) -> Tensor:
    """The permutation of dimensions that puts `axis` behind the others."""
    return concat([range_(axis), range_(axis + 1, rank), [axis]], 0)

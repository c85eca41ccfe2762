"""Sum and BroadcastTo, each the other's gradient, and what undoes broadcasting in gradients.

A reduction's axes are given as TensorFlow takes them: None for all of them, an integer, a list of
integers, or a tensor of these; negative ones count from the end. `keepdims` keeps the reduced
dimensions with size 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.source_location import caller_location
from featherflow.framework.tensor_shape import SCALAR, UNKNOWN, TensorShape
from featherflow.graph.constant_value import constant_value
from featherflow.graph.tensor import Tensor
from featherflow.kernels import reductions
from featherflow.kernels.allocation import check_allocation
from featherflow.kernels.axes import normalize_axes
from featherflow.ops.constant_ops import constant
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import ExpandDims, Reshape, renamed_argument
from featherflow.ops.shape_ops import BroadcastGradientArgs
from featherflow.ops.shape_ops import rank as rank_of
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.type_groups import NUMBERS

# --- what all reductions have in common -----------------------------------------------------------

REDUCTION_TYPES = (
    "{float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
    "qint16, quint16, uint16, complex128, half, uint32, uint64}"
)


def define_reduction(
    name: str,
    kernel: reductions.ReductionKernel,
    types: str | None,
    kernel_types: Any = None,
    compiled_as: str = "",
) -> Op:
    """A reduction op with its shape function and its kernel.

    Args:
      kernel: one of `kernels/reductions.py`.
      types: the allowed values of T; None for reductions of bool.
      kernel_types: the dtypes that `kernel` takes.
      compiled_as: the compiler's name for the reduction, or "mean"; "" if it has none.
    """
    element = "bool" if types is None else "T"
    op = define_op(
        name,
        inputs=(f"input: {element}", "reduction_indices: Tidx"),
        outputs=(f"output: {element}",),
        attrs=(
            "keep_dims: bool = false",
            *(() if types is None else (f"T: {types}",)),
            "Tidx: {int32, int64} = int32",
        ),
        location=caller_location(),
    )
    op.shape_fn(reduction_shape)

    def reduction_cpu(
        input: np.ndarray, reduction_indices: np.ndarray, *, keep_dims: bool
    ) -> np.ndarray:
        axes = reductions.reduction_axes(reduction_indices, input.ndim)
        return kernel(input, axes, keep_dims)

    def reduction_compile(c: Any, input: Any, reduction_indices: Any, *, keep_dims: bool) -> Any:
        axes = reductions.reduction_axes(c.known(reduction_indices), input.rank)
        if compiled_as == "mean":
            return c.mean(input, axes, keep_dims)
        return c.reduce(compiled_as, input, axes, keep_dims)

    op.kernel("CPU", **({} if types is None else {"T": kernel_types}))(reduction_cpu)
    if compiled_as:
        op.compile_rule(reduction_compile)
    return op


def reduction_shape(c: InferenceContext) -> TensorShape:
    """The input's shape without the reduced dimensions, or with size 1 for them."""
    c.with_rank_at_most(1, 1)
    indices, dims = c.constant(1), c.shapes[0]._dims
    keep_dims = c.attrs["keep_dims"]
    if dims is None:
        return UNKNOWN
    if indices is None:
        return TensorShape._of((None,) * len(dims)) if keep_dims else UNKNOWN
    axes = set(_static_axes(c, indices.reshape(-1).tolist(), len(dims)))
    if keep_dims:
        return TensorShape._of(tuple(1 if i in axes else dim for i, dim in enumerate(dims)))
    return TensorShape._of(tuple(dim for i, dim in enumerate(dims) if i not in axes))


def _static_axes(c: InferenceContext, indices: list[int], rank: int) -> list[int]:
    for axis in indices:
        if not -rank <= axis < rank:
            c.fail(f"Invalid reduction dimension {axis} for input with {rank} dimensions")
    return [axis % rank for axis in indices]


def reduce(op: Op, input_tensor: Any, axis: Any, keepdims: bool | None, name: str | None) -> Tensor:
    """Applies a reduction op with `axis` in any of its forms."""
    if hasattr(input_tensor, "reduce_rows"):  # a RaggedTensor
        return input_tensor.reduce_rows(op, axis, keepdims, name)
    types = {}
    if isinstance(axis, (np.ndarray, np.generic)) and axis.dtype == np.int64:
        types["Tidx"] = dtypes.int64  # NumPy's integers keep their width, Python's are int32
    axes = all_axes(input_tensor) if axis is None else axis
    output = op(input_tensor, axes, keep_dims=bool(keepdims), name=name, **types)
    if axis is None and not keepdims:
        output.set_shape(SCALAR)
    return output


def all_axes(value: Any) -> Tensor:
    """The axes of a tensor as a vector, a constant where its rank is known.

    Those of a scalar are a range as well: so are TensorFlow's nodes.
    """
    shape = getattr(value, "shape", None)  # of a tensor, or of what stands for one as variables do
    known = shape.rank if isinstance(shape, TensorShape) else None
    if known:
        return constant(np.arange(known), dtypes.int32)
    return range_(0, rank_of(value))


# --- Sum ------------------------------------------------------------------------------------------

Sum = define_reduction("Sum", reductions.reduce_sum, REDUCTION_TYPES, NUMBERS, "sum")


@Sum.gradient
def _sum_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return broadcast_reduced(op, grad), None


def broadcast_reduced(op: Any, value: Tensor) -> Tensor:
    """A value of a reduction's output shape, repeated over the input's shape."""
    return BroadcastTo(with_reduced_dims(op, value), shape_of(op.inputs[0]))


def with_reduced_dims(op: Any, value: Tensor) -> Tensor:
    """A value of a reduction's output shape, with the reduced dimensions back as size 1."""
    if op.attrs["keep_dims"]:
        return value
    rank = op.inputs[0].shape.rank
    indices = constant_value(op.inputs[1])
    axes = None if indices is None else indices.reshape(-1).tolist()
    if axes is None or (rank is None and min(axes, default=0) < 0):
        # Rare: the axes come from the run. The sum itself is the plainest way to the kept shape.
        return Reshape(value, shape_of(Sum(*op.inputs, keep_dims=True)))
    if rank is not None:
        axes = normalize_axes(axes, rank)
        if len(axes) == rank:
            return Reshape(value, [1] * rank) if rank else value
    for axis in sorted(axes):
        value = ExpandDims(value, axis)
    return value


@export_v1("math.reduce_sum", "reduce_sum")
def reduce_sum(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Σ input over `axis`.

    Args:
      input_tensor: numbers.
      axis: what to reduce, see the module docstring.
      keepdims: keeps the reduced dimensions with size 1.
      name: of the node.
      reduction_indices, keep_dims: older names of `axis` and `keepdims`.
    Returns:
      A tensor of the dtype of `input_tensor`; 0 for nothing.
    Raises:
      ValueError: an axis is known to be out of range.
      InvalidArgumentError: it is in the run, or one is given twice.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.reduce_sum([[1, 2], [3, 4]], axis=0)).tolist()
    [4, 6]
    """
    axis = renamed_argument("axis", axis, "reduction_indices", reduction_indices)
    keepdims = renamed_argument("keepdims", keepdims, "keep_dims", keep_dims)
    return reduce(Sum, input_tensor, axis, keepdims, name)


@export("math.reduce_sum", "reduce_sum")
def reduce_sum_v2(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """`reduce_sum` without TF1's older names."""
    return reduce(Sum, input_tensor, axis, keepdims, name)


# --- BroadcastTo ----------------------------------------------------------------------------------

BroadcastTo = define_op(
    "BroadcastTo",
    inputs=("input: T", "shape: Tidx"),
    outputs=("output: T",),
    attrs=("T: type", "Tidx: {int32, int64} = int32"),
)


@BroadcastTo.shape_fn
def _broadcast_to_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(1, 1)
    target, dims = c.constant_as_shape(1)._dims, c.shapes[0]._dims
    if target is None or dims is None:
        return TensorShape._of(target)
    missing = len(target) - len(dims)
    if missing < 0:
        c.fail(
            "Rank of input must be no greater than rank of output shape",
            received=f"ranks {len(dims)} and {len(target)}",
        )
    sizes = (_broadcast_size(c, *pair) for pair in zip(dims, target[missing:]))
    return TensorShape._of((*target[:missing], *sizes))


def _broadcast_size(c: InferenceContext, size: int | None, wanted: int | None) -> int | None:
    """The size that `size` is repeated to fill: it is `wanted`, or known if `size` is above 1."""
    if wanted is None:
        return size if size is not None and size > 1 else None
    if size is not None and size != 1 and size != wanted:
        c.fail(
            f"Dimensions must be equal, but are {size} and {wanted}",
            expected="size 1, or equal sizes",
        )
    return wanted


@BroadcastTo.kernel("CPU")
def _broadcast_to_cpu(input: np.ndarray, shape: np.ndarray) -> np.ndarray:
    dims = tuple(shape.tolist())
    check_allocation(dims, input.dtype)
    try:
        return np.array(np.broadcast_to(input, dims), order="C")
    except ValueError:
        raise InvalidArgumentError(
            None,
            None,
            "Incompatible shapes: input does not broadcast to shape",
            received=f"input of shape {list(input.shape)}, shape {list(dims)}",
            expected="sizes that are equal, or 1 in the input",
        ) from None


@BroadcastTo.compile_rule
def _broadcast_to_compile(c: Any, input: Any, shape: Any) -> Any:
    dims = tuple(c.known(shape).tolist())
    c.require(c.broadcasts_to(input, dims), "shapes that do not broadcast")
    return c.broadcast(input, dims)


@BroadcastTo.gradient
def _broadcast_to_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return unbroadcast(grad, op.inputs[0]), None


@export("broadcast_to")
def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """`input` repeated along its dimensions of size 1, and along new leading ones, to fill `shape`.

    Args:
      input: a tensor that broadcasts to `shape`.
      shape: an integer vector.
      name: of the node.
    Returns:
      A tensor of shape `shape`.
    Raises:
      ValueError: `input` is known not to broadcast to `shape`.
      InvalidArgumentError: it does not in the run.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.broadcast_to([[1], [2]], [2, 3])).tolist()
    [[1, 1, 1], [2, 2, 2]]
    """
    return BroadcastTo(input, shape, name=name)


# --- gradients of ops that broadcast --------------------------------------------------------------


def unbroadcast(grad: Tensor, target: Tensor) -> Tensor:
    """`grad` summed over the axes along which `target` was repeated, in the shape of `target`."""
    dims, result = target.shape._dims, grad.shape._dims
    if dims is not None and result is not None and None not in dims + result:
        if dims == result:
            return grad
        missing = len(result) - len(dims)
        repeated = [missing + i for i, dim in enumerate(dims) if dim != result[missing + i]]
        axes = constant([*range(missing), *repeated], dtypes.int32)
        return Reshape(Sum(grad, axes), target.shape.as_list())
    target_shape = shape_of(target)
    axes, _ = BroadcastGradientArgs(target_shape, shape_of(grad))
    return Reshape(Sum(grad, axes), target_shape)

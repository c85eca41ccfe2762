"""Ops that give the same elements another shape: Reshape, ExpandDims, Squeeze."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels.axes import normalize_axis
from featherflow.ops.shape_ops import shape as shape_of

# --- Reshape --------------------------------------------------------------------------------------

Reshape = define_op(
    "Reshape",
    inputs=("tensor: T", "shape: Tshape"),
    outputs=("output: T",),
    attrs=("T: type", "Tshape: {int32, int64} = int32"),
    aliases=True,
)


@Reshape.shape_fn
def _reshape_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(1, 1)
    source = c.shapes[0]._dims
    wanted = c.constant_as_shape(1)
    count = wanted.num_elements()
    if wanted._dims is None or source is None:
        return wanted
    if count is None:
        return _infer_missing(c, source, wanted)
    known = math.prod(dim for dim in source if dim is not None)
    if count != known if None not in source else known and count % known:
        c.fail(
            f"Cannot reshape a tensor of shape {c.shapes[0]} to shape {wanted} ({count} elements)"
        )
    return wanted


def _infer_missing(
    c: InferenceContext, source: tuple[int | None, ...], wanted: TensorShape
) -> TensorShape:
    """`wanted` with its one unknown dimension worked out, where all else is known."""
    dims = wanted._dims
    assert dims is not None
    known = math.prod(dim for dim in dims if dim is not None)
    total = 0 if 0 in source else TensorShape._of(source).num_elements()
    if dims.count(None) > 1 or known == 0 or total is None:
        return wanted
    if total % known:
        c.fail(
            f"Dimension size must be evenly divisible by {known} but is {total}",
            received=f"tensor of shape {c.shapes[0]}, shape {wanted}",
        )
    return TensorShape._of(tuple(total // known if dim is None else dim for dim in dims))


@Reshape.kernel("CPU")
def _reshape_cpu(tensor: np.ndarray, shape: np.ndarray) -> np.ndarray:
    dims = shape.tolist()
    try:
        # NumPy would take any negative number for −1.
        if min(dims, default=0) >= -1:
            return tensor.reshape(dims)
    except (TypeError, ValueError):
        pass  # a missing size of nothing, or refused below with both sides
    if shape.ndim != 1:
        raise InvalidArgumentError(
            None, None, "sizes input must be 1-D", received=f"shape of shape {list(shape.shape)}"
        )
    missing = dims.count(-1)
    if missing == 1 and 0 in dims and tensor.size == 0 and min(dims) == -1:
        # As TensorFlow: the missing size is what the sizes other than 0 leave.
        left = _product_but_zeros(tensor.shape) // _product_but_zeros(dims)
        return tensor.reshape([left if dim == -1 else dim for dim in dims])
    if missing > 1 or min(dims, default=0) < -1:
        problem = "Only one size may be -1, and none less"
    elif missing:
        problem = "The number of elements is not a multiple of the sizes given"
    else:
        problem = "The numbers of elements differ"
    raise InvalidArgumentError(
        None, None, problem, received=f"tensor of shape {list(tensor.shape)}, shape {dims}"
    )


@Reshape.compile_rule
def _reshape_compile(c: Any, tensor: Any, shape: Any) -> Any:
    sizes = c.known(shape).tolist()
    count = math.prod(tensor.shape)
    known = math.prod(size for size in sizes if size != -1)
    c.require(count and known and sizes.count(-1) <= 1, "an empty tensor")
    dims = [count // known if size == -1 else size for size in sizes]
    c.require(math.prod(dims) == count and min(dims, default=1) > 0, "numbers of elements differ")
    return c.reshape(tensor, dims)


def _product_but_zeros(dims: Sequence[int]) -> int:
    return math.prod(dim for dim in dims if dim > 0)


@Reshape.gradient
def _reshape_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return Reshape(grad, shape_of(op.inputs[0])), None


@export("reshape")
@export_v1("manip.reshape")
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The elements of `tensor`, in row-major order, in another shape.

    Args:
      tensor: a tensor.
      shape: an integer vector; one size may be −1, and is worked out from the others.
      name: of the node.
    Returns:
      A tensor of the dtype of `tensor`.
    Raises:
      ValueError: the numbers of elements are known to differ.
      InvalidArgumentError: they differ in the run.
    """
    return Reshape(tensor, shape, name=name)


# --- ExpandDims -----------------------------------------------------------------------------------

ExpandDims = define_op(
    "ExpandDims",
    inputs=("input: T", "dim: Tdim"),
    outputs=("output: T",),
    attrs=("T: type", "Tdim: {int32, int64} = int32"),
    aliases=True,
)


@ExpandDims.shape_fn
def _expand_dims_shape(c: InferenceContext) -> TensorShape:
    dims = c.shapes[0]._dims
    axis = c.constant(1)
    if dims is None or axis is None:
        return UNKNOWN
    place = normalize_axis(_single(axis), len(dims) + 1, "dim")
    return TensorShape._of((*dims[:place], 1, *dims[place:]))


def _single(axis: np.ndarray) -> int:
    if axis.size != 1:
        raise InvalidArgumentError(
            None, None, "dim must be one number", received=f"dim of shape {list(axis.shape)}"
        )
    return int(axis.reshape(-1)[0])


@ExpandDims.kernel("CPU")
def _expand_dims_cpu(input: np.ndarray, dim: np.ndarray) -> np.ndarray:
    place = normalize_axis(_single(dim), input.ndim + 1, "dim")
    return input.reshape(*input.shape[:place], 1, *input.shape[place:])


@ExpandDims.compile_rule
def _expand_dims_compile(c: Any, input: Any, dim: Any) -> Any:
    place = normalize_axis(_single(c.known(dim)), input.rank + 1, "dim")
    return c.reshape(input, (*input.shape[:place], 1, *input.shape[place:]))


@ExpandDims.gradient
def _expand_dims_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return Reshape(grad, shape_of(op.inputs[0])), None


@export("expand_dims")
def expand_dims_v2(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """`input` with a dimension of size 1 inserted at `axis`.

    Args:
      input: a tensor of rank R.
      axis: in [−R−1, R]; −1 appends.
      name: of the node.
    Returns:
      A tensor of rank R + 1.
    """
    return ExpandDims(input, axis, name=name)


@export_v1("expand_dims")
def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """`expand_dims_v2`, which also takes `axis` by its old name `dim`."""
    axis = renamed_argument("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return expand_dims_v2(input, axis, name)


def renamed_argument(name: str, value: Any, old_name: str, old_value: Any) -> Any:
    """The value of an argument that TF1 also takes by an older name.

    Raises:
      ValueError: both are given.
    """
    if old_value is None:
        return value
    if value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{name}'.")
    return old_value


# --- Squeeze --------------------------------------------------------------------------------------

Squeeze = define_op(
    "Squeeze",
    inputs=("input: T",),
    outputs=("output: T",),
    attrs=("T: type", "squeeze_dims: list(int) >= 0 = []"),
    aliases=True,
)


@Squeeze.shape_fn
def _squeeze_shape(c: InferenceContext) -> TensorShape:
    dims = c.shapes[0]._dims
    axes = c.attrs["squeeze_dims"]
    if dims is None:
        return UNKNOWN
    if not axes:
        return UNKNOWN if None in dims else TensorShape._of(tuple(dim for dim in dims if dim != 1))
    return TensorShape._of(_squeezed(dims, axes))


def _squeezed(dims: tuple[int | None, ...], axes: tuple[int, ...]) -> tuple[int | None, ...]:
    """`dims` without `axes`, each of which must be 1 as far as it is known."""
    removed = {normalize_axis(axis, len(dims), "squeeze_dims") for axis in axes}
    for axis in removed:
        if dims[axis] not in (1, None):
            raise InvalidArgumentError(
                None,
                None,
                f"Can not squeeze dim[{axis}], expected a dimension of 1, got {dims[axis]}",
                received=f"input of shape {list(dims)}",
            )
    return tuple(dim for axis, dim in enumerate(dims) if axis not in removed)


@Squeeze.kernel("CPU")
def _squeeze_cpu(input: np.ndarray, *, squeeze_dims: tuple[int, ...]) -> np.ndarray:
    if not squeeze_dims:
        return input.reshape([dim for dim in input.shape if dim != 1])
    dims: Any = _squeezed(input.shape, squeeze_dims)
    return input.reshape(dims)


@Squeeze.compile_rule
def _squeeze_compile(c: Any, input: Any, *, squeeze_dims: tuple[int, ...]) -> Any:
    if not squeeze_dims:
        return c.reshape(input, [size for size in input.shape if size != 1])
    return c.reshape(input, _squeezed(input.shape, squeeze_dims))


@Squeeze.gradient
def _squeeze_grad(op: Any, grad: Tensor) -> Tensor:
    return Reshape(grad, shape_of(op.inputs[0]))


@export("squeeze")
def squeeze_v2(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """`input` without its dimensions of size 1.

    Args:
      input: a tensor.
      axis: the dimensions to drop, a number or list; None drops all of size 1.
      name: of the node.
    Returns:
      A tensor of the same elements.
    Raises:
      ValueError: a dimension of `axis` is known not to be 1.
    """
    axes = [] if axis is None else [axis] if np.ndim(axis) == 0 else axis
    return Squeeze(input, squeeze_dims=axes, name=name)


@export_v1("squeeze")
def squeeze(
    input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None
) -> Tensor:
    """`squeeze_v2`, which also takes `axis` by its old name `squeeze_dims`."""
    return squeeze_v2(input, renamed_argument("axis", axis, "squeeze_dims", squeeze_dims), name)

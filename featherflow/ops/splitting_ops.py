"""Split and SplitV: a tensor taken apart along one of its dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.dimension import Dimension
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels.axes import normalize_axis
from featherflow.ops.core_array_ops import concat

# --- Split ----------------------------------------------------------------------------------------

Split = define_op(
    "Split",
    inputs=("split_dim: int32", "value: T"),
    outputs=("output: num_split * T",),
    attrs=("num_split: int >= 1", "T: type"),
)


@Split.shape_fn
def _split_shape(c: InferenceContext) -> list[TensorShape]:
    count = c.attrs["num_split"]
    dims = c.shapes[1]._dims
    axis = c.constant_scalar(0)
    if dims is None:
        return [UNKNOWN] * count
    if axis is None:
        return [TensorShape._of((None,) * len(dims))] * count
    place = normalize_axis(axis, len(dims), "split_dim")
    size = dims[place]
    if size is not None and size % count:
        c.fail(
            f"Dimension size must be evenly divisible by {count} but is {size}: the number of ways "
            "to split should evenly divide the split dimension"
        )
    part = None if size is None else size // count
    return [TensorShape._of((*dims[:place], part, *dims[place + 1 :]))] * count


@Split.kernel("CPU")
def _split_cpu(split_dim: np.ndarray, value: np.ndarray, *, num_split: int) -> list[np.ndarray]:
    place = normalize_axis(int(split_dim), value.ndim, "split_dim")
    size = value.shape[place]
    if size % num_split:
        raise InvalidArgumentError(
            None,
            None,
            "Number of ways to split should evenly divide the split dimension",
            received=f"split_dim {place} (size = {size}) and num_split {num_split}",
        )
    return parts_of(value, [size // num_split] * num_split, place)


@Split.compile_rule
def _split_compile(c: Any, split_dim: Any, value: Any, *, num_split: int) -> Any:
    axis = normalize_axis(int(c.known(split_dim)), value.rank)
    c.require(value.shape[axis] % num_split == 0, "parts of different sizes")
    size = value.shape[axis] // num_split
    return [c.part(value, axis, size * place, size) for place in range(num_split)]


def parts_of(value: np.ndarray, sizes: list[int], axis: int) -> list[np.ndarray]:
    """Neighbouring parts of `value` of the given sizes along `axis`, each an array of its own."""
    leading = (slice(None),) * axis
    parts = []
    start = 0
    for size in sizes:
        parts.append(value[(*leading, slice(start, start + size))].copy())
        start += size
    return parts


@Split.gradient
def _split_grad(op: Any, *grads: Tensor) -> tuple[None, Tensor]:
    return None, concat(list(grads), op.inputs[0])


# --- SplitV ---------------------------------------------------------------------------------------

SplitV = define_op(
    "SplitV",
    inputs=("value: T", "size_splits: Tlen", "split_dim: int32"),
    outputs=("output: num_split * T",),
    attrs=("num_split: int >= 1", "T: type", "Tlen: {int8, int32, int64} = int64"),
)


@SplitV.shape_fn
def _split_v_shape(c: InferenceContext) -> list[TensorShape]:
    count = c.attrs["num_split"]
    dims = c.shapes[0]._dims
    axis = c.constant_scalar(2)
    c.merge(c.shapes[1], TensorShape._of((count,)))
    if dims is None:
        return [UNKNOWN] * count
    if axis is None:
        return [TensorShape._of((None,) * len(dims))] * count
    place = normalize_axis(axis, len(dims), "split_dim")
    sizes = c.constant(1)
    if sizes is None:
        parts: list[int | None] = [None] * count
    else:
        parts = list(split_sizes(sizes.tolist(), dims[place]))
    return [TensorShape._of((*dims[:place], part, *dims[place + 1 :])) for part in parts]


def split_sizes(sizes: list[int], total: int | None) -> list[int | None]:
    """`sizes` with the one −1 worked out, if the `total` is known.

    Raises:
      InvalidArgumentError: they do not add up to `total`, or more than one is −1.
    """
    known = sum(size for size in sizes if size != -1)
    missing = sizes.count(-1)
    if missing > 1 or any(size < -1 for size in sizes):
        problem = "Only one size may be -1, and none less"
    elif total is not None and (known > total or (not missing and known != total)):
        problem = f"The sizes must add up to {total}"
    else:
        left = None if total is None else total - known
        return [left if size == -1 else size for size in sizes]
    raise InvalidArgumentError(None, None, problem, received=f"size_splits {sizes}")


@SplitV.kernel("CPU")
def _split_v_cpu(
    value: np.ndarray, size_splits: np.ndarray, split_dim: np.ndarray, *, num_split: int
) -> list[np.ndarray]:
    place = normalize_axis(int(split_dim), value.ndim, "split_dim")
    if size_splits.shape != (num_split,):
        raise InvalidArgumentError(
            None,
            None,
            f"size_splits must be a vector of {num_split} sizes",
            received=f"shape {list(size_splits.shape)}",
        )
    sizes: Any = split_sizes(size_splits.tolist(), value.shape[place])
    return parts_of(value, sizes, place)


@SplitV.gradient
def _split_v_grad(op: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
    return concat(list(grads), op.inputs[2]), None, None


@export("split")
def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str = "split"
) -> list[Tensor]:
    """A tensor taken apart along one dimension.

    Args:
      value: a tensor.
      num_or_size_splits: how many equal parts, an integer; or the size of each, a vector in which
        one may be −1.
      axis: in [−R, R).
      num: how many sizes there are, where the shape of a size tensor is not known.
      name: of the node.
    Returns:
      A list of tensors.
    Raises:
      ValueError: the number of parts is neither given nor known.
    """
    if isinstance(num_or_size_splits, (int, np.integer, Dimension)):
        return Split(axis, value, num_split=int(num_or_size_splits), name=name)
    size_splits = convert_to_tensor(num_or_size_splits)
    dims = size_splits.shape._dims
    if dims == ():
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
            f"Argument provided: {num_or_size_splits}"
        )
    if num is None:
        num = None if dims is None else dims[0]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {num_or_size_splits}")
    return SplitV(value, size_splits, axis, num_split=num, name=name)

"""SpaceToDepth, SpaceToBatch and their inverses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError, UnimplementedError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import space as kernels

Dim = int | None

# --- SpaceToDepth and DepthToSpace ----------------------------------------------------------------

_DEPTH_ATTRS = (
    "T: type",
    "block_size: int >= 2",
    "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
)

SpaceToDepth = define_op(
    "SpaceToDepth", inputs=("input: T",), outputs=("output: T",), attrs=_DEPTH_ATTRS
)
DepthToSpace = define_op(
    "DepthToSpace", inputs=("input: T",), outputs=("output: T",), attrs=_DEPTH_ATTRS
)


def _places(data_format: str) -> tuple[int, int, int]:
    """Where height, width and depth stand."""
    return (1, 2, 3) if data_format == "NHWC" else (2, 3, 1)


def _image_dims(c: InferenceContext) -> list[Dim]:
    rank = 5 if c.attrs["data_format"] == "NCHW_VECT_C" else 4
    return list(c.with_rank(0, rank)._dims or ())


def _divided(c: InferenceContext, size: Dim, divisor: int) -> Dim:
    if size is not None and size % divisor:
        c.fail(f"Dimension size must be evenly divisible by {divisor} but is {size}")
    return None if size is None else size // divisor


def _multiplied(size: Dim, factor: int) -> Dim:
    return None if size is None else size * factor


@SpaceToDepth.shape_fn
def _space_to_depth_shape(c: InferenceContext) -> TensorShape:
    block = c.attrs["block_size"]
    dims = _image_dims(c)
    height, width, depth = _places(c.attrs["data_format"])
    dims[height] = _divided(c, dims[height], block)
    dims[width] = _divided(c, dims[width], block)
    dims[depth] = _multiplied(dims[depth], block * block)
    return TensorShape._of(tuple(dims))


@DepthToSpace.shape_fn
def _depth_to_space_shape(c: InferenceContext) -> TensorShape:
    block = c.attrs["block_size"]
    dims = _image_dims(c)
    height, width, depth = _places(c.attrs["data_format"])
    dims[height] = _multiplied(dims[height], block)
    dims[width] = _multiplied(dims[width], block)
    dims[depth] = _divided(c, dims[depth], block * block)
    return TensorShape._of(tuple(dims))


@SpaceToDepth.kernel("CPU")
def _space_to_depth_cpu(input: np.ndarray, *, block_size: int, data_format: str) -> np.ndarray:
    return _in_nhwc(kernels.space_to_depth, input, block_size, data_format)


@DepthToSpace.kernel("CPU")
def _depth_to_space_cpu(input: np.ndarray, *, block_size: int, data_format: str) -> np.ndarray:
    return _in_nhwc(kernels.depth_to_space, input, block_size, data_format)


def _in_nhwc(function: Any, input: np.ndarray, block: int, data_format: str) -> np.ndarray:
    if input.ndim != 4:
        if data_format == "NCHW_VECT_C":
            raise UnimplementedError(
                None, None, "data_format NCHW_VECT_C has no kernel on CPU", remedy="Use NHWC."
            )
        raise InvalidArgumentError(None, None, f"Input rank should be 4 instead of {input.ndim}")
    if data_format == "NHWC":
        return function(input, block)
    return function(input.transpose(0, 2, 3, 1), block).transpose(0, 3, 1, 2).copy()


@SpaceToDepth.gradient
def _space_to_depth_grad(op: Any, grad: Tensor) -> Tensor:
    return DepthToSpace(grad, **_block_attrs(op))


@DepthToSpace.gradient
def _depth_to_space_grad(op: Any, grad: Tensor) -> Tensor:
    return SpaceToDepth(grad, **_block_attrs(op))


def _block_attrs(op: Any) -> dict[str, Any]:
    return {name: op.attrs[name] for name in ("block_size", "data_format")}


@export_v1("space_to_depth", "nn.space_to_depth")
def space_to_depth(
    input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """Blocks of pixels moved into the channels.

    Args:
      input: [N, H, W, C], H and W multiples of `block_size`.
      block_size: b ≥ 2.
      name: of the node.
      data_format: "NHWC", or "NCHW" for [N, C, H, W].
    Returns:
      [N, H / b, W / b, b · b · C]
    """
    return SpaceToDepth(input, block_size=block_size, data_format=data_format, name=name)


@export("nn.space_to_depth")
def space_to_depth_v2(
    input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """`space_to_depth` with TF2's order of arguments."""
    return space_to_depth(input, block_size, name, data_format)


@export_v1("depth_to_space", "nn.depth_to_space")
def depth_to_space(
    input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> Tensor:
    """Channels moved into blocks of pixels: the inverse of `space_to_depth`.

    Args:
      input: [N, H, W, C], C a multiple of `block_size`².
      block_size: b ≥ 2.
      name: of the node.
      data_format: "NHWC", or "NCHW" for [N, C, H, W].
    Returns:
      [N, H · b, W · b, C / b²]
    """
    return DepthToSpace(input, block_size=block_size, data_format=data_format, name=name)


@export("nn.depth_to_space")
def depth_to_space_v2(
    input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """`depth_to_space` with TF2's order of arguments."""
    return depth_to_space(input, block_size, name, data_format)


# --- SpaceToBatchND and BatchToSpaceND ------------------------------------------------------------

SpaceToBatchND = define_op(
    "SpaceToBatchND",
    inputs=("input: T", "block_shape: Tblock_shape", "paddings: Tpaddings"),
    outputs=("output: T",),
    attrs=(
        "T: type",
        "Tblock_shape: {int32, int64} = int32",
        "Tpaddings: {int32, int64} = int32",
    ),
)
BatchToSpaceND = define_op(
    "BatchToSpaceND",
    inputs=("input: T", "block_shape: Tblock_shape", "crops: Tcrops"),
    outputs=("output: T",),
    attrs=("T: type", "Tblock_shape: {int32, int64} = int32", "Tcrops: {int32, int64} = int32"),
)


@SpaceToBatchND.shape_fn
def _space_to_batch_nd_shape(c: InferenceContext) -> TensorShape:
    block, paddings = c.constant(1), c.constant(2)
    dims = _blocked_dims(c, block)
    if dims is None:
        return UNKNOWN
    if block is None:
        return _only_inner(c, dims)
    return _into_batch(c, dims, block.tolist(), paddings)


def _only_inner(c: InferenceContext, dims: tuple[Dim, ...]) -> TensorShape:
    """The dimensions after the spatial ones are known whatever the block sizes are."""
    count: Any = c.shapes[1]._dims[0]  # type: ignore[index]
    return TensorShape._of((None,) * (count + 1) + dims[count + 1 :])


def _blocked_dims(c: InferenceContext, block: np.ndarray | None) -> tuple[Dim, ...] | None:
    """The input's sizes, of which there must be one more than block sizes."""
    (count,) = c.with_rank(1, 1)._dims  # type: ignore[misc]
    rows, columns = c.with_rank(2, 2)._dims  # type: ignore[misc]
    c.merge_dim(count, rows)
    c.merge_dim(columns, 2)
    if count is None:
        c.fail("block_shape must have known size", received=c.received())
    if block is not None and np.any(block < 1):
        c.fail("block_shape must be positive", received=str(block.tolist()))
    return c.with_rank_at_least(0, count + 1)._dims


def _into_batch(
    c: InferenceContext, dims: tuple[Dim, ...], block: list[int], paddings: np.ndarray | None
) -> TensorShape:
    batch = _multiplied(dims[0], math.prod(block))
    sizes: list[Dim] = [None] * len(block)
    if paddings is not None:
        for axis, (size, step) in enumerate(zip(dims[1:], block)):
            if np.any(paddings[axis] < 0):
                c.fail("paddings cannot be negative", received=str(paddings.tolist()))
            if size is not None:
                sizes[axis] = _divided(c, size + int(paddings[axis].sum()), step)
    return TensorShape._of((batch, *sizes, *dims[len(block) + 1 :]))


@BatchToSpaceND.shape_fn
def _batch_to_space_nd_shape(c: InferenceContext) -> TensorShape:
    block, crops = c.constant(1), c.constant(2)
    dims = _blocked_dims(c, block)
    if dims is None:
        return UNKNOWN
    if block is None:
        return _only_inner(c, dims)
    return _out_of_batch(c, dims, block.tolist(), crops)


def _out_of_batch(
    c: InferenceContext, dims: tuple[Dim, ...], block: list[int], crops: np.ndarray | None
) -> TensorShape:
    batch = _divided(c, dims[0], math.prod(block))
    sizes: list[Dim] = [None] * len(block)
    if crops is not None:
        for axis, (size, step) in enumerate(zip(dims[1:], block)):
            if np.any(crops[axis] < 0):
                c.fail("crops cannot be negative", received=str(crops.tolist()))
            if size is not None:
                sizes[axis] = size * step - int(crops[axis].sum())
                if sizes[axis] < 0:  # type: ignore[operator]
                    c.fail("Negative dimension size caused by crops", received=str(crops.tolist()))
    return TensorShape._of((batch, *sizes, *dims[len(block) + 1 :]))


@SpaceToBatchND.kernel("CPU")
def _space_to_batch_nd_cpu(
    input: np.ndarray, block_shape: np.ndarray, paddings: np.ndarray
) -> np.ndarray:
    _check_blocks(input, block_shape, paddings)
    return kernels.space_to_batch(input, block_shape.tolist(), paddings.tolist())


@BatchToSpaceND.kernel("CPU")
def _batch_to_space_nd_cpu(
    input: np.ndarray, block_shape: np.ndarray, crops: np.ndarray
) -> np.ndarray:
    _check_blocks(input, block_shape, crops)
    return kernels.batch_to_space(input, block_shape.tolist(), crops.tolist())


def _check_blocks(input: np.ndarray, block: np.ndarray, pairs: np.ndarray) -> None:
    if block.ndim != 1 or pairs.shape != (block.size, 2) or input.ndim < block.size + 1:
        raise InvalidArgumentError(
            None,
            None,
            "There must be one block size and one pair of paddings or crops for each spatial "
            "dimension",
            received=f"block_shape of shape {list(block.shape)}, pairs of shape "
            f"{list(pairs.shape)}, input of rank {input.ndim}",
        )
    if np.any(block < 1):
        raise InvalidArgumentError(
            None, None, "block_shape must be positive", received=str(block.tolist())
        )


@SpaceToBatchND.gradient
def _space_to_batch_nd_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    return BatchToSpaceND(grad, op.inputs[1], op.inputs[2]), None, None


@BatchToSpaceND.gradient
def _batch_to_space_nd_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    return SpaceToBatchND(grad, op.inputs[1], op.inputs[2]), None, None


@export("space_to_batch_nd")
def space_to_batch_nd(
    input: Any, block_shape: Any, paddings: Any, name: str | None = None
) -> Tensor:
    """Pixels at one place of their blocks moved into the batch.

    Args:
      input: [N, S₁ … Sₘ, C…].
      block_shape: [M], the size b of blocks along each spatial dimension.
      paddings: [M, 2], zeros to add before and after; padded sizes are multiples of b.
      name: of the node.
    Returns:
      [∏ b · N, (S₁ + pads) / b₁, …, C…]
    """
    return SpaceToBatchND(input, block_shape, paddings, name=name)


@export_v1("batch_to_space_nd", "manip.batch_to_space_nd")
def batch_to_space_nd(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """The batch moved back into blocks of pixels: the inverse of `space_to_batch_nd`.

    Args:
      input: [∏ b · N, S₁ … Sₘ, C…].
      block_shape: [M], the size b of blocks along each spatial dimension.
      crops: [M, 2], how much to cut off before and after.
      name: of the node.
    Returns:
      [N, S₁ · b₁ − crops, …, C…]
    """
    return BatchToSpaceND(input, block_shape, crops, name=name)


@export("space_to_batch", "nn.space_to_batch")
def space_to_batch_v2(
    input: Any, block_shape: Any, paddings: Any, name: str | None = None
) -> Tensor:
    """`space_to_batch_nd`."""
    return space_to_batch_nd(input, block_shape, paddings, name)


@export("batch_to_space")
def batch_to_space_v2(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """`batch_to_space_nd`; a single block size stands for both of an image."""
    if isinstance(block_shape, int):
        block_shape = np.array([block_shape, block_shape], dtype=np.int64)
    return batch_to_space_nd(input, block_shape, crops, name)


@export_v1("space_to_batch", "nn.space_to_batch")
def space_to_batch(
    input: Any,
    paddings: Any,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Tensor:
    """`space_to_batch_nd` of images, with one `block_size` for height and width."""
    block_shape = _block_shape(block_size, block_shape)
    result = space_to_batch_nd(input, block_shape, paddings, name)
    result.set_shape(result.shape.with_rank(4))
    return result


@export_v1("batch_to_space")
def batch_to_space(
    input: Any,
    crops: Any,
    block_size: int | None,
    name: str | None = None,
    block_shape: Any = None,
) -> Tensor:
    """`batch_to_space_nd` of images, with one `block_size` for height and width."""
    block_shape = _block_shape(block_size, block_shape)
    result = batch_to_space_nd(input, block_shape, crops, name)
    result.set_shape(result.shape.with_rank(4))
    return result


def _block_shape(block_size: int | None, block_shape: Any) -> Any:
    if block_shape is not None:
        if block_size is not None:
            raise ValueError("Cannot specify both 'block_size' and 'block_shape'.")
        return block_shape
    return np.array([block_size, block_size], dtype=np.int64)


# --- SpaceToBatch and BatchToSpace ----------------------------------------------------------------

# The first versions, which old graphs hold: images with square blocks.
SpaceToBatch = define_op(
    "SpaceToBatch",
    inputs=("input: T", "paddings: Tpaddings"),
    outputs=("output: T",),
    attrs=("T: type", "Tpaddings: {int32, int64} = int32", "block_size: int >= 2"),
)
BatchToSpace = define_op(
    "BatchToSpace",
    inputs=("input: T", "crops: Tidx"),
    outputs=("output: T",),
    attrs=("T: type", "block_size: int >= 2", "Tidx: {int32, int64} = int32"),
)


@SpaceToBatch.shape_fn
def _space_to_batch_shape(c: InferenceContext) -> TensorShape:
    dims = c.with_rank(0, 4)._dims
    c.merge(c.shapes[1], TensorShape._of((2, 2)))
    assert dims is not None
    return _into_batch(c, dims, [c.attrs["block_size"]] * 2, c.constant(1))


@BatchToSpace.shape_fn
def _batch_to_space_shape(c: InferenceContext) -> TensorShape:
    dims = c.with_rank(0, 4)._dims
    c.merge(c.shapes[1], TensorShape._of((2, 2)))
    assert dims is not None
    return _out_of_batch(c, dims, [c.attrs["block_size"]] * 2, c.constant(1))


@SpaceToBatch.kernel("CPU")
def _space_to_batch_cpu(input: np.ndarray, paddings: np.ndarray, *, block_size: int) -> np.ndarray:
    block = np.array([block_size] * 2)
    return _space_to_batch_nd_cpu(input, block, paddings)


@BatchToSpace.kernel("CPU")
def _batch_to_space_cpu(input: np.ndarray, crops: np.ndarray, *, block_size: int) -> np.ndarray:
    block = np.array([block_size] * 2)
    return _batch_to_space_nd_cpu(input, block, crops)


@SpaceToBatch.gradient
def _space_to_batch_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return BatchToSpace(grad, op.inputs[1], block_size=op.attrs["block_size"]), None


@BatchToSpace.gradient
def _batch_to_space_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return SpaceToBatch(grad, op.inputs[1], block_size=op.attrs["block_size"]), None

"""Patches of images and volumes as channels: ExtractImagePatches and ExtractVolumePatches.

patches[n, i, j, (p, q, c)] = images[n, s·i + r·p, s·j + r·q, c]
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from featherflow.framework.errors import (
    InvalidArgumentError,
    OutOfRangeError,
    UnimplementedError,
)
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import Dim, InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels.windows import output_sizes, pad_spatial, resolve_pads, window_view
from featherflow.ops.core_array_ops import concat
from featherflow.ops.gather_ops import unsorted_segment_sum
from featherflow.ops.range_ops import range_
from featherflow.ops.reduction_ops import reduce_prod
from featherflow.ops.reshape_ops import renamed_argument, reshape
from featherflow.ops.shape_ops import shape
from featherflow.ops.transpose_ops import transpose
from featherflow.ops.type_groups import NUMBERS, REAL
from featherflow.ops.window_shapes import attrs_of

# --- what both ops share --------------------------------------------------------------------------


def _patches_shape(c: InferenceContext, rank: int) -> TensorShape:
    """Spatial sizes are known where all of the input's are."""
    batch, *sizes, channels = c.dims(0, rank)
    ksizes, strides = c.attrs["ksizes"], c.attrs["strides"]
    rates = c.attrs.get("rates", (1,) * rank)
    for name in ("ksizes", "strides", "rates"):
        if len(c.attrs.get(name, rates)) != rank:
            c.fail(f"{c.op.name} requires {rank} values in {name}", received=c.attrs[name])
    taps = prod(ksizes[1:-1])
    depth = None if channels is None or taps < 0 else channels * taps
    if None in sizes:
        return TensorShape._of((batch, *[None] * len(sizes), depth))
    known = [size for size in sizes if size is not None]
    outputs = [_windows(c, *each) for each in zip(known, ksizes[1:], strides[1:], rates[1:])]
    return TensorShape._of((batch, *outputs, depth))


def _windows(c: InferenceContext, size: int, window: int, stride: int, rate: int) -> Dim:
    """The number of windows along one dimension."""
    if stride <= 0:
        c.fail(f"Stride must be > 0, but got {stride}", received=f"strides {c.attrs['strides']}")
    if c.attrs["padding"] == "SAME":
        return -(-size // stride)
    room = size - ((window - 1) * rate + 1) + stride
    if room <= -stride:
        c.fail("Computed output size would be negative", received=c.received())
    return max(room, 0) // stride


def _extract(
    images: np.ndarray,
    ksizes: Sequence[int],
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
) -> np.ndarray:
    """The patches of channels-last images with any number of spatial dimensions."""
    if images.ndim != len(ksizes):
        raise InvalidArgumentError(
            None,
            None,
            f"input must be {len(ksizes)}-dimensional",
            received=f"shape {list(images.shape)}",
        )
    for name, values in (("ksizes", ksizes), ("strides", strides), ("rates", rates)):
        _check_window(name, values)
    window, steps, spread = (tuple(values[1:-1]) for values in (ksizes, strides, rates))
    sizes = images.shape[1:-1]
    pads = resolve_pads(padding, sizes, window, steps, spread)
    outputs = output_sizes(sizes, window, steps, spread, pads)
    view = window_view(pad_spatial(images, pads), window, steps, spread, outputs)
    depth = prod(window) * images.shape[-1]
    return np.ascontiguousarray(view).reshape(images.shape[0], *outputs, depth)


def _check_window(name: str, values: Sequence[int]) -> None:
    if values[0] != 1 or values[-1] != 1:
        raise UnimplementedError(
            None,
            None,
            f"{name} is only supported across spatial dimensions",
            received=f"{list(values)}",
        )
    if min(values) <= 0:
        raise OutOfRangeError(
            None, None, f"values of {name} must be positive", received=f"{list(values)}"
        )


def _gradient(extract: Op, op: Any, grad: Tensor, geometry: dict[str, Any]) -> Tensor:
    """Each pixel gets the sum of the gradients at the places that it was copied to.

    Patches of an image of numbers say which pixel each of them is.
    """
    image_shape: Any = shape(op.inputs[0])
    sizes, channels = image_shape[1:-1], image_shape[-1]
    pixels: Any = reduce_prod(sizes)
    numbers = reshape(range_(1, pixels + 1), concat([[1], sizes, [1]], 0))
    places: Any = reshape(extract(numbers, **geometry), [-1])
    by_batch = reshape(grad, [image_shape[0], -1, channels])
    # Numbers start at 1: what is 0 is padding, and negative segments are dropped.
    sums = unsorted_segment_sum(transpose(by_batch, [1, 0, 2]), places - 1, pixels)
    return reshape(transpose(sums, [1, 0, 2]), image_shape)


# --- ExtractImagePatches --------------------------------------------------------------------------

ExtractImagePatches = define_op(
    "ExtractImagePatches",
    inputs=("images: T",),
    outputs=("patches: T",),
    attrs=(
        "ksizes: list(int) >= 4",
        "strides: list(int) >= 4",
        "rates: list(int) >= 4",
        "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, "
        "uint64, complex64, complex128, bool}",
        "padding: {'SAME', 'VALID'}",
    ),
)


@ExtractImagePatches.shape_fn
def _extract_image_patches_shape(c: InferenceContext) -> TensorShape:
    return _patches_shape(c, 4)


@ExtractImagePatches.kernel("CPU", T=NUMBERS)
def _extract_image_patches_cpu(
    images: np.ndarray,
    *,
    ksizes: tuple[int, ...],
    strides: tuple[int, ...],
    rates: tuple[int, ...],
    padding: str,
) -> np.ndarray:
    return _extract(images, ksizes, strides, rates, padding)


@ExtractImagePatches.gradient
def _extract_image_patches_grad(op: Any, grad: Tensor) -> Tensor:
    geometry = attrs_of(op, "ksizes", "strides", "rates", "padding")
    return _gradient(ExtractImagePatches, op, grad, geometry)


@export("image.extract_patches")
def extract_patches(
    images: Any,
    sizes: Sequence[int],
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Patches of images, laid along the last dimension.

        patches[n, i, j, (p, q, c)] = images[n, s·i + r·p, s·j + r·q, c]

    Args:
      images: `[N, H, W, C]`, numbers.
      sizes: (1, KH, KW, 1) of a patch.
      strides: s, (1, SH, SW, 1).
      rates: r, (1, RH, RW, 1): the distance of neighbours in a patch.
      padding: "SAME" or "VALID".
      name: of the node.
    Returns:
      `[N, H', W', KH · KW · C]`, dtype of `images`.
    Raises:
      ValueError: the rank does not fit, or a stride is not positive.
    """
    return ExtractImagePatches(
        images, ksizes=sizes, strides=strides, rates=rates, padding=padding, name=name
    )


@export_v1("image.extract_image_patches", "extract_image_patches")
def extract_image_patches(
    images: Any,
    ksizes: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    rates: Sequence[int] | None = None,
    padding: str | None = None,
    name: str | None = None,
    sizes: Sequence[int] | None = None,
) -> Tensor:
    """`extract_patches` with TF1's arguments; `sizes` is another name of `ksizes`."""
    return ExtractImagePatches(
        images,
        ksizes=renamed_argument("sizes", sizes, "ksizes", ksizes),
        strides=strides,
        rates=rates,
        padding=padding,
        name=name,
    )


# --- ExtractVolumePatches -------------------------------------------------------------------------

ExtractVolumePatches = define_op(
    "ExtractVolumePatches",
    inputs=("input: T",),
    outputs=("patches: T",),
    attrs=(
        "ksizes: list(int) >= 5",
        "strides: list(int) >= 5",
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
        "uint64}",
        "padding: {'SAME', 'VALID'}",
    ),
)


@ExtractVolumePatches.shape_fn
def _extract_volume_patches_shape(c: InferenceContext) -> TensorShape:
    return _patches_shape(c, 5)


@ExtractVolumePatches.kernel("CPU", T=REAL)
def _extract_volume_patches_cpu(
    input: np.ndarray, *, ksizes: tuple[int, ...], strides: tuple[int, ...], padding: str
) -> np.ndarray:
    return _extract(input, ksizes, strides, (1,) * len(ksizes), padding)


@ExtractVolumePatches.gradient
def _extract_volume_patches_grad(op: Any, grad: Tensor) -> Tensor:
    return _gradient(ExtractVolumePatches, op, grad, attrs_of(op, "ksizes", "strides", "padding"))


@export("extract_volume_patches")
@export_v1("extract_volume_patches")
def extract_volume_patches(
    input: Any,
    ksizes: Sequence[int],
    strides: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """Patches of volumes, laid along the last dimension.

    Args:
      input: `[N, D, H, W, C]`, real numbers.
      ksizes: (1, KD, KH, KW, 1) of a patch.
      strides: (1, SD, SH, SW, 1).
      padding: "SAME" or "VALID".
      name: of the node.
    Returns:
      `[N, D', H', W', KD · KH · KW · C]`, dtype of `input`.
    Raises:
      ValueError: the rank does not fit, or a stride is not positive.
    """
    return ExtractVolumePatches(input, ksizes=ksizes, strides=strides, padding=padding, name=name)

"""Rows of image resizing: enlarging by two, and back."""

from __future__ import annotations

import numpy as np

from featherflow.ops.image_resize_ops import (
    ResizeArea,
    ResizeBicubic,
    ResizeBicubicGrad,
    ResizeBilinear,
    ResizeBilinearGrad,
    ResizeNearestNeighbor,
    ResizeNearestNeighborGrad,
)

from ..op_case import FLOATS, SIGNED, WIDE_FLOATS, Input, OpCase

IMAGE = Input(2, 2, 3, 2, low=-20, high=20)
LARGE = Input(2, 4, 6, 2)
DOUBLE, HALF = np.int32([4, 6]), np.int32([2, 3])
EMPTY = ((0, 2, 3, 2),)
TYPES = (*SIGNED, "uint8", "uint16", *FLOATS)
SUMS = {"float64": 2e-6, "float16": 2e-3}
WHY = "weights are float32 whatever the image is"

#: Rows of the matrix that doubles a dimension of 2, and of 3.
NEAREST = np.repeat(np.eye(2), 2, axis=0), np.repeat(np.eye(3), 2, axis=0)


def bilinear(size):
    """Outputs stand on pixels and half way to the next, the last on the last."""
    matrix = np.zeros((2 * size, size))
    for pixel in range(size):
        matrix[2 * pixel, pixel] = 1
        for neighbour in (pixel, min(pixel + 1, size - 1)):
            matrix[2 * pixel + 1, neighbour] += 0.5
    return matrix


def bicubic(size):
    """Half way between pixels the cubic with a = −¾ weighs (−3, 19, 19, −3) / 32."""
    matrix = np.zeros((2 * size, size))
    for pixel in range(size):
        matrix[2 * pixel, pixel] = 1
        for offset, weight in zip(range(-1, 3), (-3, 19, 19, -3)):
            matrix[2 * pixel + 1, np.clip(pixel + offset, 0, size - 1)] += weight / 32
    return matrix


BILINEAR = bilinear(2), bilinear(3)
BICUBIC = bicubic(2), bicubic(3)


def by(matrices):
    """Resizing as a product with one matrix for rows and one for columns."""
    return lambda image, _: np.einsum("hi,wj,nijc->nhwc", *matrices, image)


def back_by(matrices):
    return lambda gradient, _: np.einsum("hi,wj,nhwc->nijc", *matrices, gradient)


CASES = [
    OpCase(
        ResizeBilinear,
        (IMAGE, DOUBLE),
        by(BILINEAR),
        TYPES,
        empty_shapes=EMPTY,
        differentiable=False,
    ),
    OpCase(
        ResizeBilinearGrad,
        (Input(2, 4, 6, 2, dtype="float32"), Input(2, 2, 3, 2)),
        back_by(BILINEAR),
        FLOATS,
        differentiable=False,
        empty_shapes=((0, 4, 6, 2), (0, 2, 3, 2)),
    ),
    OpCase(
        ResizeNearestNeighbor,
        (IMAGE, DOUBLE),
        lambda image, _: image.repeat(2, axis=1).repeat(2, axis=2),
        TYPES,
        empty_shapes=EMPTY,
    ),
    OpCase(
        ResizeNearestNeighbor,
        (LARGE, HALF),
        lambda image, _: image[:, ::2, ::2],
        empty_shapes=((0, 4, 6, 2),),
        label="halved",
    ),
    OpCase(
        ResizeNearestNeighbor,
        (LARGE, HALF),
        lambda image, _: image[:, 1::2, 1::2],
        attrs={"half_pixel_centers": True},
        empty_shapes=((0, 4, 6, 2),),
        label="half_pixel_centers",
    ),
    OpCase(
        ResizeNearestNeighborGrad,
        (LARGE, HALF),
        lambda gradient, _: np.einsum("hi,wj,nhwc->nijc", *NEAREST, gradient).astype(
            gradient.dtype
        ),
        ("uint8", "int8", "int32", *FLOATS),
        empty_shapes=((0, 4, 6, 2),),
    ),
    OpCase(
        ResizeBicubic,
        (IMAGE, DOUBLE),
        by(BICUBIC),
        TYPES,
        empty_shapes=EMPTY,
        differentiable=False,
    ),
    OpCase(
        ResizeBicubicGrad,
        (Input(2, 4, 6, 2, dtype="float32"), Input(2, 2, 3, 2)),
        back_by(BICUBIC),
        WIDE_FLOATS,
        differentiable=False,
        empty_shapes=((0, 4, 6, 2), (0, 2, 3, 2)),
    ),
    OpCase(
        ResizeArea,
        (LARGE, HALF),
        lambda image, _: image.astype(float).reshape(len(image), 2, 2, 3, 2, 2).mean((2, 4)),
        TYPES,
        empty_shapes=((0, 4, 6, 2),),
    ),
]

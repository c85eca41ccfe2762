"""Rows of ops on images: colours, boxes, patches, glimpses and transforms."""

from __future__ import annotations

import colorsys

import numpy as np

from featherflow.ops.box_drawing_ops import DrawBoundingBoxes, DrawBoundingBoxesV2
from featherflow.ops.box_suppression_ops import (
    CombinedNonMaxSuppression,
    NonMaxSuppression,
    NonMaxSuppressionV2,
    NonMaxSuppressionV3,
    NonMaxSuppressionV4,
    NonMaxSuppressionV5,
    NonMaxSuppressionWithOverlaps,
)
from featherflow.ops.color_adjustment_ops import AdjustContrastv2, AdjustHue, AdjustSaturation
from featherflow.ops.crop_resize_ops import (
    CropAndResize,
    CropAndResizeGradBoxes,
    CropAndResizeGradImage,
)
from featherflow.ops.glimpse_ops import ExtractGlimpse, ExtractGlimpseV2
from featherflow.ops.hsv_color_ops import HSVToRGB, RGBToHSV
from featherflow.ops.mirror_pad_conv_ops import FusedPadConv2D, FusedResizeAndPadConv2D
from featherflow.ops.patch_ops import ExtractImagePatches, ExtractVolumePatches
from featherflow.ops.projection_ops import ImageProjectiveTransformV2, ImageProjectiveTransformV3
from featherflow.ops.scale_translate_ops import ScaleAndTranslate, ScaleAndTranslateGrad

from ..op_case import FLOATS, NUMBERS, REAL, SIGNED, Input, OpCase

SINGLE, HALVES = ("float32",), ("float16", "float32")

# --- colours --------------------------------------------------------------------------------------

COLORS = Input(2, 4, 3, low=0.05, high=1, distinct=True)


def by_pixel(convert):
    """A conversion of (red, green, blue) or the like, pixel by pixel."""

    def reference(images, *_):
        flat = [convert(*pixel) for pixel in images.reshape(-1, 3).astype(float)]
        return np.array(flat).reshape(images.shape)

    return reference


def turned(images, delta):
    def turn(*rgb):
        hue, saturation, value = colorsys.rgb_to_hsv(*rgb)
        return colorsys.hsv_to_rgb((hue + delta) % 1, saturation, value)

    return by_pixel(turn)(images)


def saturated(images, scale):
    def saturate(*rgb):
        hue, saturation, value = colorsys.rgb_to_hsv(*rgb)
        return colorsys.hsv_to_rgb(hue, min(saturation * scale, 1), value)

    return by_pixel(saturate)(images)


def contrasted(images, factor):
    mean = images.mean(axis=(-3, -2), keepdims=True)
    return (images - mean) * factor + mean


_COLOR_ROWS = [
    OpCase(RGBToHSV, (COLORS,), by_pixel(colorsys.rgb_to_hsv), FLOATS),
    OpCase(HSVToRGB, (COLORS,), by_pixel(colorsys.hsv_to_rgb), FLOATS, differentiable=False),
    OpCase(
        AdjustContrastv2,
        (Input(2, 3, 4, 2), np.float32(1.5)),
        contrasted,
        SINGLE,
        differentiable=False,
        empty_shapes=((0, 3, 4, 2),),
    ),
    OpCase(
        AdjustHue,
        (COLORS, np.float32(0.3)),
        turned,
        SINGLE,
        differentiable=False,
        empty_shapes=((0, 4, 3),),
    ),
    OpCase(
        AdjustSaturation,
        (COLORS, np.float32(1.4)),
        saturated,
        SINGLE,
        differentiable=False,
        empty_shapes=((0, 4, 3),),
    ),
]

# --- suppression ----------------------------------------------------------------------------------

BOXES, SCORES = Input(12, 4, low=0, high=1), Input(12, low=0, high=1, distinct=True)
COUNT, FEW = np.int32(12), np.int32(3)


def overlap(first, second):
    low = np.maximum(np.minimum(first[:2], first[2:]), np.minimum(second[:2], second[2:]))
    high = np.minimum(np.maximum(first[:2], first[2:]), np.maximum(second[:2], second[2:]))
    shared = np.prod(np.maximum(high - low, 0))
    areas = [abs(np.prod(box[2:] - box[:2])) for box in (first, second)]
    return shared / (sum(areas) - shared)


def kept(boxes, scores, count, threshold=0.4, least=-np.inf):
    taken = []
    for index in sorted(range(len(scores)), key=lambda index: -scores[index]):
        clear = all(overlap(boxes[index], boxes[other]) <= threshold for other in taken)
        if clear and scores[index] > least and len(taken) < count:
            taken.append(index)
    return np.array(taken, np.int32)


def filled(values, size):
    return np.concatenate([values, np.zeros(size - len(values), values.dtype)])


def kept_and_padded(boxes, scores, count, *thresholds):
    indices = kept(boxes, scores, count, *thresholds[:2])
    return filled(indices, count), np.int32(len(indices))


def kept_with_scores(boxes, scores, count, *thresholds):
    indices, number = kept_and_padded(boxes, scores, count, *thresholds)
    return indices, filled(scores[indices[:number]], count), number


def kept_by_overlaps(overlaps, scores, count, threshold, least):
    taken = []
    for index in np.argsort(-scores):
        if scores[index] > least and all(overlaps[index, other] <= threshold for other in taken):
            taken.append(index)
    return np.array(taken[:count], np.int32)


def combined(boxes, scores, per_class, total, threshold, least):
    rows = []
    for image, image_scores in zip(boxes[:, :, 0], scores):
        found = [
            (-image_scores[index, label], label, index)
            for label in range(scores.shape[2])
            for index in kept(image, image_scores[:, label], per_class, threshold, least)
        ]
        best = sorted(found)[:total]
        rows.append(
            (
                np.array([*(image[index] for *_, index in best), *[[0] * 4] * (total - len(best))]),
                filled(np.array([-score for score, *_ in best]), total),
                filled(np.array([float(label) for _, label, _ in best]), total),
                np.int32(len(best)),
            )
        )
    return tuple(np.array(column) for column in zip(*rows))


HALF, LOW = np.float32(0.4), np.float32(0.1)
_EMPTY_BOXES = ((0, 4), (0,))
_SUPPRESSION = {"differentiable": False, "empty_shapes": ()}
_SUPPRESSION_ROWS = [
    OpCase(
        NonMaxSuppression,
        (BOXES, SCORES, FEW),
        kept,
        SINGLE,
        attrs={"iou_threshold": 0.4},
        **_SUPPRESSION,
    ),
    OpCase(NonMaxSuppressionV2, (BOXES, SCORES, COUNT, HALF), kept, HALVES, **_SUPPRESSION),
    OpCase(NonMaxSuppressionV3, (BOXES, SCORES, COUNT, HALF, LOW), kept, HALVES, **_SUPPRESSION),
    OpCase(
        NonMaxSuppressionV4,
        (BOXES, SCORES, COUNT, HALF, LOW),
        kept_and_padded,
        HALVES,
        attrs={"pad_to_max_output_size": True},
        **_SUPPRESSION,
    ),
    OpCase(
        NonMaxSuppressionV5,
        (BOXES, SCORES, COUNT, HALF, LOW, np.float32(0)),
        kept_with_scores,
        SINGLE,
        attrs={"pad_to_max_output_size": True},
        **_SUPPRESSION,
    ),
    OpCase(
        NonMaxSuppressionWithOverlaps,
        (Input(6, 6, low=0, high=1), Input(6, distinct=True), np.int32(4), HALF, np.float32(-1)),
        kept_by_overlaps,
        SINGLE,
        differentiable=False,
        empty_shapes=((0, 0), (0,)),
    ),
    OpCase(
        CombinedNonMaxSuppression,
        (
            Input(2, 6, 1, 4, low=0, high=1),
            Input(2, 6, 3, low=0, high=1, distinct=True),
            np.int32(2),
            np.int32(5),
            HALF,
            LOW,
        ),
        combined,
        SINGLE,
        **_SUPPRESSION,
    ),
]

# --- crops and other resampling -------------------------------------------------------------------

IMAGE = Input(2, 4, 5, 2, low=-20, high=20)
# Corners of the boxes stand on pixels and between them.
CROPS = np.float32([[0, 0, 1, 1], [1 / 3, 0.25, 1, 0.75], [1, 0, 0, 1], [-1 / 3, 0, 1, 1.25]])
OWNERS, CROP_SIZE = np.int32([0, 1, 1, 0]), np.int32([2, 3])


def crop_taps(size, outputs, first, last):
    """The weight of each pixel in each output, zero outside."""
    matrix = np.zeros((outputs, size))
    for output in range(outputs):
        place = (first + (last - first) * output / (outputs - 1)) * (size - 1)
        if -1e-6 <= place <= size - 1 + 1e-6:
            low = int(np.floor(place + 1e-6))
            matrix[output, low] += 1 - (place - low)
            matrix[output, min(low + 1, size - 1)] += place - low
    return matrix


def crop_matrices(size):
    return [
        (crop_taps(size[0], 2, box[0], box[2]), crop_taps(size[1], 3, box[1], box[3]))
        for box in CROPS.astype(float)
    ]


def crops(image, *_):
    return np.stack(
        [
            np.einsum("ri,sj,ijc->rsc", rows, columns, image[owner].astype(float))
            for owner, (rows, columns) in zip(OWNERS, crop_matrices(image.shape[1:3]))
        ]
    )


def uncropped(grads, boxes, owners, size):
    result = np.zeros(size)
    for grad, owner, (rows, columns) in zip(grads, owners, crop_matrices(size[1:3])):
        result[owner] += np.einsum("ri,sj,rsc->ijc", rows, columns, grad)
    return result


#: Boxes whose outputs all lie between pixels, where crops have a slope.
SLOPED = np.float32([[0.1, 0.15, 0.8, 0.9], [0.7, 0.2, 0.15, 0.55]])


def slopes(grads, image, boxes, owners):
    """Finite differences of the crops with respect to the boxes."""
    step, result = 1e-6, np.zeros(boxes.shape)

    def total(corners, index):
        rows = crop_taps(4, 2, corners[0], corners[2])
        columns = crop_taps(5, 3, corners[1], corners[3])
        crop = np.einsum("ri,sj,ijc->rsc", rows, columns, image[owners[index]].astype(float))
        return (crop * grads[index]).sum()

    for index, corner in np.ndindex(*boxes.shape):
        moved = [boxes[index].astype(float) for _ in range(2)]
        moved[0][corner] -= step
        moved[1][corner] += step
        result[index, corner] = (total(moved[1], index) - total(moved[0], index)) / (2 * step)
    return result


def halves(images, *_):
    """Means of pairs of rows, by the box filter."""
    return images.astype(float).reshape(len(images), 2, 2, *images.shape[2:]).mean(axis=2)


CROP_TYPES = ("uint8", "uint16", *SIGNED, *HALVES, "float64")
SHIFT = np.float32([[1, 0, 1, 0, 1, -1, 0, 0]])


def shifted(fill):
    def reference(images, *_):
        result = np.full_like(images, fill)
        result[:, 1:, :-1] = images[:, :-1, 1:]
        return result

    return reference


_BOX_FILTER = {"kernel_type": "box", "antialias": True}
_FLOAT32_SUMS = {
    "tolerances": {"float64": 2e-6, "float32": 1e-5, "float16": 4e-3},
    "reason": "positions and weights are float32 whatever the image is",
}
_RESAMPLING_ROWS = [
    OpCase(
        CropAndResize,
        (IMAGE, CROPS, OWNERS, CROP_SIZE),
        crops,
        CROP_TYPES,
        differentiable=False,
        empty_shapes=(),
        **_FLOAT32_SUMS,
    ),
    OpCase(
        CropAndResizeGradImage,
        (Input(4, 2, 3, 2, dtype="float32"), CROPS, OWNERS, np.int32([2, 4, 5, 2])),
        uncropped,
        (*HALVES, "float64"),
        attrs_of=lambda dtype: {"T": dtype},
        differentiable=False,
        empty_shapes=(),
        **_FLOAT32_SUMS,
    ),
    OpCase(
        CropAndResizeGradBoxes,
        (Input(2, 2, 3, 2, dtype="float32"), IMAGE, SLOPED, np.int32([1, 0])),
        slopes,
        CROP_TYPES,
        differentiable=False,
        empty_shapes=(),
        tolerances={"float32": 1e-4},
        reason="finite differences",
    ),
    OpCase(
        ScaleAndTranslate,
        (Input(2, 4, 3, 2), np.int32([2, 3]), np.float32([0.5, 1]), np.float32([0, 0])),
        halves,
        (*SIGNED, "uint8", "uint16", *FLOATS),
        attrs=_BOX_FILTER,
        differentiable=False,
        empty_shapes=((0, 4, 3, 2),),
    ),
    OpCase(
        ScaleAndTranslateGrad,
        (Input(2, 2, 3, 2), Input(2, 4, 3, 2), np.float32([0.5, 1]), np.float32([0, 0])),
        lambda grads, *_: grads.repeat(2, axis=1) / 2,
        SINGLE,
        attrs=_BOX_FILTER,
        differentiable=False,
        empty_shapes=((0, 2, 3, 2), (0, 4, 3, 2)),
    ),
    *(
        OpCase(
            op,
            (IMAGE, SHIFT, np.int32([4, 5]), *more),
            shifted(fill),
            ("uint8", "int32", "int64", *FLOATS),
            attrs={"interpolation": "BILINEAR"},
            differentiable=False,
            empty_shapes=((0, 4, 5, 2),),
        )
        for op, more, fill in (
            (ImageProjectiveTransformV2, (), 0),
            (ImageProjectiveTransformV3, (np.float32(3),), 3),
        )
    ),
]

# --- windows --------------------------------------------------------------------------------------


def image_patches(images):
    rows = [
        [
            images[:, row : row + 3 : 2, column : column + 2].reshape(len(images), 8)
            for column in range(0, 4, 2)
        ]
        for row in range(2)
    ]
    return np.array(rows).transpose(2, 0, 1, 3)


def volume_patches(volumes):
    parts = [volumes[:, 0:2, row : row + 2, :].reshape(len(volumes), 8) for row in range(2)]
    return np.stack(parts, axis=1)[:, None, :, None]


OFFSETS = np.float32([[0, 0], [0.5, -0.5]])


def seen(images, size, offsets):
    """Windows within the images: middles at (2, 3) and (3, 1.5) of images of 4 by 6."""
    return np.stack([images[0, 1:3, 2:4], images[1, 2:4, 0:2]])


def outlined(color):
    def reference(images, *_):
        drawn = images.copy()
        drawn[:, 1:4, [1, 3]] = color
        drawn[:, [1, 3], 1:4] = color
        return drawn

    return reference


FRAME = np.float32([[[0.25, 0.25, 0.75, 0.75]]] * 2)
YELLOW, TEAL = [1, 1, 0], [0, 0.5, 0.5]
_WINDOW_ROWS = [
    OpCase(
        ExtractImagePatches,
        (Input(2, 4, 4, 2),),
        image_patches,
        NUMBERS,
        attrs={
            "ksizes": [1, 2, 2, 1],
            "strides": [1, 1, 2, 1],
            "rates": [1, 2, 1, 1],
            "padding": "VALID",
        },
    ),
    OpCase(
        ExtractVolumePatches,
        (Input(2, 2, 3, 2, 1),),
        volume_patches,
        REAL,
        attrs={"ksizes": [1, 2, 2, 2, 1], "strides": [1, 1, 1, 1, 1], "padding": "VALID"},
    ),
    *(
        OpCase(
            op,
            (Input(2, 4, 6, 2, dtype="float32"), np.int32([2, 2]), OFFSETS),
            seen,
            SINGLE,
            attrs={"uniform_noise": False, "noise": "zero"},
            differentiable=False,
            empty_shapes=(),
        )
        for op in (ExtractGlimpse, ExtractGlimpseV2)
    ),
    OpCase(
        DrawBoundingBoxes,
        (Input(2, 5, 5, 3), FRAME),
        outlined(YELLOW),
        HALVES,
        differentiable=False,
        empty_shapes=(),
    ),
    OpCase(
        DrawBoundingBoxesV2,
        (Input(2, 5, 5, 3), FRAME, np.float32([TEAL])),
        outlined(TEAL),
        HALVES,
        differentiable=False,
        empty_shapes=(),
    ),
]


def mirrored_sums(images, paddings, filters):
    """Convolution with windows of 2 by 1 of images with one mirrored row above."""
    padded = np.concatenate([images[:, 1:2], images], axis=1)
    windows = np.stack([padded[:, :-1], padded[:, 1:]], axis=3)
    return np.einsum("nijpc,pqcd->nijd", windows, filters)


def widened_by_two(images):
    """Columns, and half way to the next; the last column is repeated."""
    following = np.concatenate([images[:, :, 1:], images[:, :, -1:]], axis=2)
    return np.stack([images, (images + following) / 2], axis=3).reshape(-1, 3, 8, 2)


ONE_ROW = np.int32([[0, 0], [1, 0], [0, 0], [0, 0]])
_CONVOLUTION = {"mode": "REFLECT", "strides": [1, 1, 1, 1], "padding": "VALID"}
_CONVOLUTION_ROWS = [
    OpCase(
        FusedPadConv2D,
        (Input(1, 3, 4, 2), ONE_ROW, Input(2, 1, 2, 3)),
        mirrored_sums,
        FLOATS,
        attrs=_CONVOLUTION,
        differentiable=False,
        empty_shapes=(),
        needs_shapes="the shape of paddings must be known",
    ),
    OpCase(
        FusedResizeAndPadConv2D,
        (Input(1, 3, 4, 2), np.int32([3, 8]), ONE_ROW, Input(2, 1, 2, 3)),
        lambda images, size, paddings, filters: mirrored_sums(
            widened_by_two(images),
            paddings,
            filters,
        ),
        ("float16", "float32", "float64"),
        attrs=_CONVOLUTION,
        differentiable=False,
        empty_shapes=(),
        needs_shapes="the shape of paddings must be known",
    ),
]

CASES = [*_CONVOLUTION_ROWS, *_COLOR_ROWS, *_SUPPRESSION_ROWS, *_RESAMPLING_ROWS, *_WINDOW_ROWS]

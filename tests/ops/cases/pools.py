"""Rows of pooling ops."""

from __future__ import annotations

import numpy as np

from featherflow.ops.avg_pool_ops import AvgPool, AvgPoolGrad
from featherflow.ops.max_pool_argmax_ops import (
    MaxPoolGradGradWithArgmax,
    MaxPoolGradWithArgmax,
    MaxPoolWithArgmax,
)
from featherflow.ops.max_pool_ops import (
    MaxPool,
    MaxPoolGrad,
    MaxPoolGradGrad,
    MaxPoolGradGradV2,
    MaxPoolGradV2,
    MaxPoolV2,
)
from featherflow.ops.pool3d_ops import (
    AvgPool3D,
    AvgPool3DGrad,
    MaxPool3D,
    MaxPool3DGrad,
    MaxPool3DGradGrad,
)

from ..op_case import FLOATS, HALVES, SIGNED, Input, OpCase

#: Rows of three, two at a time: windows at 0 and 2 of the second dimension, the last cut short.
SAME = {"ksize": [1, 2, 1, 1], "strides": [1, 2, 1, 1], "padding": "SAME"}
VALID = {"ksize": [1, 2, 3, 1], "strides": [1, 1, 2, 1], "padding": "VALID"}
FIRST = {**VALID, "ksize": [1, 1, 2, 3], "strides": [1, 1, 1, 2], "data_format": "NCHW"}
EXPLICIT = {**VALID, "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 0, 0, 2, 0, 0]}
BOX = {"ksize": [1, 2, 1, 2, 1], "strides": [1, 1, 1, 1, 1], "padding": "VALID"}

IMAGE = Input(2, 3, 5, 2, low=-40, high=40, distinct=True)
COLUMN = Input(1, 3, 1, 2, low=-9, high=9, distinct=True)
VOLUME = Input(1, 2, 2, 3, 1, distinct=True)
EMPTY = ((0, 3, 5, 2),)
MAX_TYPES = (*FLOATS, *SIGNED, "uint8", "uint16")


def window_counts(shape, ksize, strides, pads):
    return [
        (sum(pad) + size - taps) // stride + 1
        for size, taps, stride, pad in zip(shape, ksize, strides, pads)
    ]


def windows(image, ksize, strides, pads=((0, 0),) * 5):
    """Index and slices of each window of an image; all have an entry for every dimension."""
    for index in np.ndindex(*window_counts(image.shape, ksize, strides, pads)):
        starts = [i * stride - pad[0] for i, stride, pad in zip(index, strides, pads)]
        yield (
            index,
            tuple(slice(max(start, 0), start + taps) for start, taps in zip(starts, ksize)),
        )


def pooled(reduce, image, ksize, strides, pads=((0, 0),) * 5):
    """By the definition: one window of each image and channel at a time."""
    result = np.zeros(window_counts(image.shape, ksize, strides, pads), image.dtype)
    for index, part in windows(image, ksize, strides, pads):
        result[index] = reduce(image[part])
    return result


def valid_windows(reduce):
    return lambda image: pooled(reduce, image, (1, 2, 3, 1), (1, 1, 2, 1))


def explicit_windows(image):
    pads = ((0, 0), (1, 0), (0, 2), (0, 0))
    return pooled(np.max, image, (1, 2, 3, 1), (1, 1, 2, 1), pads)


def channels_first_windows(reduce):
    return lambda image: pooled(reduce, image, (1, 1, 2, 3), (1, 1, 1, 2))


def boxes(reduce):
    return lambda volume, *_: pooled(reduce, volume, (1, 2, 1, 2, 1), (1,) * 5)


def maxima_and_places(image):
    """The maximum of each 2×3 window of an image, and its flat place without the batch."""
    maxima = pooled(np.max, image, (1, 2, 3, 1), (1, 1, 2, 1))
    places = np.arange(np.prod(image.shape[1:])).reshape(image.shape[1:])
    argmax = np.zeros(maxima.shape, np.int64)
    for index, part in windows(image, (1, 2, 3, 1), (1, 1, 2, 1)):
        argmax[index] = places[part[1:]].ravel()[np.argmax(image[part])]
    return maxima, argmax


def column_gradient(column, output, gradient, *_):
    """Windows of a column of three: the larger of the first two, and the last."""
    result = np.zeros_like(column)
    is_first = column[:, 0] > column[:, 1]
    result[:, 0] = np.where(is_first, gradient[:, 0], 0)
    result[:, 1] = np.where(is_first, 0, gradient[:, 0])
    result[:, 2] = gradient[:, 1]
    return result


def column_gradient_gradient(column, output, gradient, *_):
    first = np.where(column[:, 0] > column[:, 1], gradient[:, 0], gradient[:, 1])
    return np.stack([first, gradient[:, 2]], axis=1)


def maxima_of_column():
    column = COLUMN.sample("float64", 5)
    return column, np.stack([column[:, :2].max(1), column[:, 2]], axis=1)


COLUMN_VALUES, COLUMN_MAXIMA = maxima_of_column()
COLUMN_GRADIENT = Input(1, 2, 1, 2)
WINDOW_INPUTS = (np.int32([1, 2, 1, 1]), np.int32([1, 2, 1, 1]))
SAME_V2 = {"padding": "SAME"}
ARGMAX = np.int64([[[[0, 3]], [[4, 3]]]])
VOLUME_VALUES = VOLUME.sample("float32", 5)
VOLUME_MAXIMA = pooled(np.max, VOLUME_VALUES, (1, 2, 1, 2, 1), (1,) * 5)


def spread_means(sizes, gradient):
    return np.stack([gradient[:, 0] / 2, gradient[:, 0] / 2, gradient[:, 1]], axis=1)


def scattered(image, gradient, argmax):
    result = np.zeros(image.size)
    np.add.at(result, argmax.ravel(), gradient.ravel())
    return result.reshape(image.shape)


def volume_gradient(volume, maxima, gradient):
    result = np.zeros_like(volume)
    for index, part in windows(volume, (1, 2, 1, 2, 1), (1,) * 5):
        result[part] += np.where(volume[part] == maxima[index], gradient[index], 0)
    return result


def volume_gradient_gradient(volume, maxima, gradient):
    result = np.zeros_like(maxima)
    for index, part in windows(volume, (1, 2, 1, 2, 1), (1,) * 5):
        result[index] = gradient[part][volume[part] == maxima[index]].item()
    return result


def spread_boxes(sizes, gradient):
    result = np.zeros(sizes)
    for index, part in windows(result, (1, 2, 1, 2, 1), (1,) * 5):
        result[part] += gradient[index] / 4
    return result


CASES = [
    OpCase(MaxPool, (IMAGE,), valid_windows(np.max), MAX_TYPES, attrs=VALID, empty_shapes=EMPTY),
    OpCase(MaxPool, (IMAGE,), explicit_windows, attrs=EXPLICIT, twice=False, label="explicit"),
    OpCase(
        MaxPool,
        (Input(1, 2, 3, 5, distinct=True),),
        channels_first_windows(np.max),
        attrs=FIRST,
        label="channels_first",
    ),
    OpCase(
        MaxPool,
        (COLUMN,),
        lambda column: np.stack([column[:, :2].max(1), column[:, 2]], axis=1),
        attrs=SAME,
        label="same",
    ),
    OpCase(
        MaxPoolV2,
        (COLUMN, *WINDOW_INPUTS),
        lambda column, *_: np.stack([column[:, :2].max(1), column[:, 2]], axis=1),
        MAX_TYPES,
        attrs=SAME_V2,
    ),
    OpCase(
        MaxPoolGrad,
        (COLUMN_VALUES, COLUMN_MAXIMA, COLUMN_GRADIENT),
        column_gradient,
        ("float64",),
        attrs=SAME,
        empty_shapes=(),
    ),
    OpCase(
        MaxPoolGradV2,
        (COLUMN_VALUES, COLUMN_MAXIMA, COLUMN_GRADIENT, *WINDOW_INPUTS),
        column_gradient,
        ("float64",),
        attrs=SAME_V2,
        empty_shapes=(),
    ),
    OpCase(
        MaxPoolGradGrad,
        (COLUMN_VALUES, COLUMN_MAXIMA, Input(1, 3, 1, 2)),
        column_gradient_gradient,
        ("float64",),
        attrs=SAME,
        empty_shapes=(),
    ),
    OpCase(
        MaxPoolGradGradV2,
        (COLUMN_VALUES, COLUMN_MAXIMA, Input(1, 3, 1, 2), *WINDOW_INPUTS),
        column_gradient_gradient,
        ("float64",),
        attrs=SAME_V2,
        empty_shapes=(),
    ),
    OpCase(MaxPoolWithArgmax, (IMAGE,), maxima_and_places, MAX_TYPES, attrs=VALID),
    OpCase(
        MaxPoolGradWithArgmax,
        (Input(1, 3, 1, 2), COLUMN_GRADIENT, ARGMAX),
        scattered,
        attrs=SAME,
    ),
    OpCase(
        MaxPoolGradGradWithArgmax,
        (Input(1, 3, 1, 2), Input(1, 3, 1, 2), ARGMAX),
        lambda image, gradient, argmax: gradient.ravel()[argmax],
        attrs=SAME,
        empty_shapes=(),
    ),
    OpCase(AvgPool, (IMAGE,), valid_windows(np.mean), FLOATS, attrs=VALID, empty_shapes=EMPTY),
    OpCase(
        AvgPool,
        (Input(1, 2, 3, 5),),
        channels_first_windows(np.mean),
        attrs=FIRST,
        label="channels_first",
    ),
    OpCase(
        AvgPool,
        (COLUMN,),
        lambda column: np.stack([column[:, :2].mean(1), column[:, 2]], axis=1),
        attrs=SAME,
        label="same",
    ),
    OpCase(
        AvgPoolGrad,
        (np.int32([1, 3, 1, 2]), COLUMN_GRADIENT),
        spread_means,
        FLOATS,
        attrs=SAME,
        empty_shapes=(),
    ),
    OpCase(MaxPool3D, (VOLUME,), boxes(np.max), (*HALVES, "float32"), attrs=BOX),
    OpCase(
        MaxPool3DGrad,
        (VOLUME_VALUES, VOLUME_MAXIMA, Input(1, 1, 2, 2, 1)),
        volume_gradient,
        ("float32",),
        attrs=BOX,
        empty_shapes=(),
    ),
    OpCase(
        MaxPool3DGradGrad,
        (VOLUME_VALUES, VOLUME_MAXIMA, Input(1, 2, 2, 3, 1)),
        volume_gradient_gradient,
        ("float32",),
        attrs=BOX,
        empty_shapes=(),
    ),
    OpCase(AvgPool3D, (VOLUME,), boxes(np.mean), FLOATS, attrs=BOX),
    OpCase(
        AvgPool3DGrad,
        (np.int32([1, 2, 2, 3, 1]), Input(1, 1, 2, 2, 1)),
        spread_boxes,
        FLOATS,
        attrs=BOX,
        empty_shapes=(),
    ),
]

"""Rows of grayscale dilation."""

from __future__ import annotations

import numpy as np

from featherflow.ops.dilation_ops import (
    Dilation2D,
    Dilation2DBackpropFilter,
    Dilation2DBackpropInput,
)

from ..op_case import FLOATS, INTEGERS, Input, OpCase

#: Places in windows of 2 by 2, two columns apart.
ATTRS = {"strides": [1, 1, 2, 1], "rates": [1, 1, 2, 1], "padding": "VALID"}
IMAGE = Input(2, 3, 5, 2, low=-40, high=40, distinct=True)
FILTER = Input(2, 2, 2, low=0, high=3)
GRADIENT = Input(2, 2, 2, 2)
EMPTY = ((0, 3, 5, 2), FILTER.shape)
SAME = {"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "SAME"}


def offers(image, filters):
    """What each place of the window offers to each output, places first."""
    found = []
    for row, column in np.ndindex(2, 2):
        seen = image[:, row : row + image.shape[1] - 1, 2 * column : 2 * column + 3 : 2]
        found.append(seen + filters[row, column])
    return np.stack(found)


def dilated(image, filters):
    return offers(image, filters).max(axis=0).astype(image.dtype)


def dilated_same(image, filters):
    """With windows of one row and two columns: a column of padding on the right."""
    shifted = np.concatenate([image[:, :, 1:] + filters[0, 1], image[:, :, -1:] + filters[0, 0]], 2)
    return np.maximum(image + filters[0, 0], shifted)


def gradients(image, filters, gradient):
    is_chosen = offers(image, filters).argmax(axis=0) == np.arange(4).reshape(4, 1, 1, 1, 1)
    shares = np.where(is_chosen, gradient, 0)
    along_image = np.zeros(image.shape)
    for place, (row, column) in enumerate(np.ndindex(2, 2)):
        rows, columns = slice(row, row + 2), slice(2 * column, 2 * column + 3, 2)
        along_image[:, rows, columns] += shares[place]
    return along_image, shares.sum(axis=(1, 2, 3)).reshape(filters.shape)


CASES = [
    OpCase(
        Dilation2D,
        (IMAGE, FILTER),
        dilated,
        FLOATS + INTEGERS,
        attrs=ATTRS,
        twice=False,
        empty_shapes=EMPTY,
    ),
    OpCase(
        Dilation2D,
        (Input(1, 2, 3, 2, distinct=True), Input(1, 2, 2)),
        dilated_same,
        attrs=SAME,
        twice=False,
        label="same",
    ),
    OpCase(
        Dilation2DBackpropInput,
        (IMAGE, FILTER, GRADIENT),
        lambda *inputs: gradients(*inputs)[0],
        FLOATS,
        attrs=ATTRS,
        empty_shapes=(),
    ),
    OpCase(
        Dilation2DBackpropFilter,
        (IMAGE, FILTER, GRADIENT),
        lambda *inputs: gradients(*inputs)[1],
        FLOATS,
        attrs=ATTRS,
        empty_shapes=(),
    ),
]

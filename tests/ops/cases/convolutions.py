"""Rows of convolutions and their gradients."""

from __future__ import annotations

from itertools import product

import numpy as np

from featherflow.ops.conv3d_ops import (
    Conv3D,
    Conv3DBackpropFilterV2,
    Conv3DBackpropInputV2,
)
from featherflow.ops.conv_ops import Conv2D, Conv2DBackpropFilter, Conv2DBackpropInput
from featherflow.ops.depthwise_conv_ops import (
    DepthwiseConv2dNative,
    DepthwiseConv2dNativeBackpropFilter,
    DepthwiseConv2dNativeBackpropInput,
)

from ..op_case import FLOATS, Input, OpCase

VALID = {"strides": [1, 1, 2, 1], "padding": "VALID"}
DILATED = {**VALID, "strides": [1, 1, 1, 1], "dilations": [1, 2, 1, 1]}
#: TensorFlow's own CPU kernels take equal strides only, for some of these ops.
EVEN = {**VALID, "strides": [1, 2, 2, 1]}
EXPLICIT = {**VALID, "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 0, 0, 2, 0, 0]}
#: Of images 3 high and 4 wide under windows of 2 by 3.
SAME = {"strides": [1, 1, 2, 1], "padding": "SAME"}
SAME_PADS = ((0, 1), (0, 1))
FIRST = {"strides": [1, 1, 1, 2], "padding": "VALID", "data_format": "NCHW"}
EXPLICIT_PADS = ((1, 0), (0, 2))
NO_PADS = ((0, 0), (0, 0))

IMAGE, FILTER = Input(2, 3, 4, 2), Input(2, 3, 2, 3)
DEPTHWISE_FILTER = Input(2, 3, 2, 2)


VOLUME, BOX_FILTER = Input(1, 3, 2, 4, 2), Input(2, 1, 2, 1, 2)
BOX = {"strides": [1, 1, 1, 2, 1], "padding": "VALID"}


def taps(image, window, strides, pads, dilations):
    """For each place of the window, the padded image that it sees at all outputs."""
    padded = np.pad(image, ((0, 0), *pads, (0, 0)))
    sizes = [
        (size - (length - 1) * dilation - 1) // stride + 1
        for size, length, stride, dilation in zip(
            padded.shape[1:], window, strides, dilations, strict=False
        )
    ]
    for place in product(*map(range, window)):
        starts = [index * dilation for index, dilation in zip(place, dilations)]
        yield (
            place,
            padded[
                :,
                *(
                    slice(start, start + (size - 1) * stride + 1, stride)
                    for start, size, stride in zip(starts, sizes, strides)
                ),
            ],
        )


def convolved(strides=(1, 2), pads=NO_PADS, dilations=(1, 1)):
    """By the definition, one place of the window at a time; channels in as many groups as fit."""

    def reference(image, filters):
        groups = image.shape[-1] // filters.shape[-2]
        total = 0
        for place, seen in taps(image, filters.shape[:-2], strides, pads, dilations):
            parts = zip(np.split(seen, groups, -1), np.split(filters[place], groups, -1))
            total = total + np.concatenate([part @ matrix for part, matrix in parts], -1)
        return total.astype(image.dtype)

    return reference


def depthwise(strides=(1, 2), pads=NO_PADS, dilations=(1, 1)):
    def reference(image, filters):
        total = 0
        for place, seen in taps(image, filters.shape[:2], strides, pads, dilations):
            by_channel = seen[..., np.newaxis] * filters[place]
            total = total + by_channel.reshape(*seen.shape[:-1], filters[place].size)
        return total

    return reference


def gradient_of(forward, argument, shape):
    """The gradient of one argument of a bilinear function: its values at each unit of it."""

    def reference(*arguments):
        other, gradient = (item for item in arguments if item.dtype != np.int32)
        result = np.zeros(shape)
        for index in np.ndindex(*shape):
            unit = np.zeros(shape)
            unit[index] = 1
            output = forward(unit, other) if argument == 0 else forward(other, unit)
            result[index] = np.sum(output * gradient)
        return result

    return reference


def channels_first(forward):
    def reference(image, filters):
        return np.moveaxis(forward(np.moveaxis(image, 1, -1), filters), -1, 1)

    return reference


def backprops(backprop_input, backprop_filter, filters, forward, attrs, label, image=IMAGE):
    """Rows of an op's two gradients."""
    shape = forward(np.zeros(image.shape), np.zeros(filters.shape)).shape
    return [
        OpCase(
            backprop_input,
            (np.int32(image.shape), filters, Input(*shape)),
            gradient_of(forward, 0, image.shape),
            FLOATS,
            attrs=attrs,
            label=label,
            empty_shapes=(),
        ),
        OpCase(
            backprop_filter,
            (image, np.int32(filters.shape), Input(*shape)),
            gradient_of(forward, 1, filters.shape),
            FLOATS,
            attrs=attrs,
            label=label,
            empty_shapes=(),
        ),
    ]


def rows(op, backprop_input, backprop_filter, filters, forward):
    """Rows of a convolution and its gradients, in every kind of geometry."""
    geometries = {
        "": (VALID, forward()),
        "even": (EVEN, forward((2, 2))),
        "same": (SAME, forward(pads=SAME_PADS)),
        "explicit": (EXPLICIT, forward(pads=EXPLICIT_PADS)),
        "dilated": (DILATED, forward((1, 1), dilations=(2, 1))),
    }
    for label, (attrs, reference) in geometries.items():
        yield OpCase(
            op,
            (IMAGE, filters),
            reference,
            FLOATS,
            attrs=attrs,
            label=label,
            empty_shapes=((0, 3, 4, 2), filters.shape),
        )
        yield from backprops(backprop_input, backprop_filter, filters, reference, attrs, label)
    yield OpCase(
        op,
        (Input(2, 2, 3, 4), filters),
        channels_first(forward()),
        attrs=FIRST,
        label="channels_first",
        empty_shapes=((0, 2, 3, 4), filters.shape),
    )


def boxes(attrs, strides, label, filters=BOX_FILTER):
    """Rows of convolutions of volumes."""
    forward = convolved(strides, (*NO_PADS, (0, 0)), (1, 1, 1))
    backprop_ops = Conv3DBackpropInputV2, Conv3DBackpropFilterV2
    yield OpCase(
        Conv3D,
        (VOLUME, filters),
        forward,
        FLOATS,
        attrs=attrs,
        label=label,
        empty_shapes=((0, 3, 2, 4, 2), filters.shape),
    )
    yield from backprops(*backprop_ops, filters, forward, attrs, label, VOLUME)


CASES = [
    *rows(Conv2D, Conv2DBackpropInput, Conv2DBackpropFilter, FILTER, convolved),
    OpCase(Conv2D, (IMAGE, Input(2, 3, 1, 4)), convolved(), attrs=VALID, label="groups"),
    OpCase(Conv2D, (IMAGE, FILTER), convolved(), ("int32",), attrs=VALID, label="integers"),
    *rows(
        DepthwiseConv2dNative,
        DepthwiseConv2dNativeBackpropInput,
        DepthwiseConv2dNativeBackpropFilter,
        DEPTHWISE_FILTER,
        depthwise,
    ),
    *boxes(BOX, (1, 1, 2), ""),
    *boxes({**BOX, "strides": [1, 2, 2, 2, 1]}, (2, 2, 2), "even", Input(2, 1, 2, 2, 3)),
]

"""Convolutions and their gradients, in both layouts, with strides, dilations and paddings."""

from __future__ import annotations

from ..static_shapes import Given, Row, Value

_IMAGE, _KERNEL = (2, 9, 8, 3), (3, 2, 3, 5)
_PLAIN = {"strides": [1, 1, 1, 1], "padding": "SAME"}
_STRIDED = {"strides": [1, 2, 3, 1], "padding": "VALID"}
_DILATED = {"strides": [1, 1, 1, 1], "padding": "VALID", "dilations": [1, 2, 3, 1]}
_EXPLICIT = {
    "strides": [1, 2, 2, 1],
    "padding": "EXPLICIT",
    "explicit_paddings": [0, 0, 1, 2, 0, 1, 0, 0],
}
_CHANNELS_FIRST = {"strides": [1, 1, 2, 2], "padding": "SAME", "data_format": "NCHW"}


def _conv2d(image, kernel, attrs):
    return Row("Conv2D", {"input": Given(image), "filter": Given(kernel)}, attrs)


def _depthwise(image, kernel, attrs):
    inputs = {"input": Given(image), "filter": Given(kernel)}
    return Row("DepthwiseConv2dNative", inputs, attrs)


def _conv3d(volume, kernel, attrs):
    return Row("Conv3D", {"input": Given(volume), "filter": Given(kernel)}, attrs)


ROWS = [
    *(_conv2d(_IMAGE, _KERNEL, attrs) for attrs in (_PLAIN, _STRIDED, _DILATED, _EXPLICIT)),
    _conv2d((2, 3, 9, 8), _KERNEL, _CHANNELS_FIRST),
    _conv2d((2, 9, 8, 4), _KERNEL, _PLAIN),
    _conv2d((2, 9, 8, 6), _KERNEL, _PLAIN),
    _conv2d((2, 2, 8, 3), _KERNEL, _STRIDED),
    _conv2d((0, 9, 8, 3), _KERNEL, _PLAIN),
    _conv2d((9, 8, 3), _KERNEL, _PLAIN),
    _conv2d(_IMAGE, (3, 2, 3), _PLAIN),
    _conv2d(_IMAGE, _KERNEL, {**_PLAIN, "strides": [1, 1, 1]}),
    _conv2d(_IMAGE, _KERNEL, {**_PLAIN, "strides": [1, 0, 1, 1]}),
    _conv2d(_IMAGE, _KERNEL, {**_PLAIN, "strides": [1, 1, 1, 2]}),
    *(
        Row(
            "Conv2DBackpropInput",
            {
                "input_sizes": Value(sizes),
                "filter": Given(_KERNEL),
                "out_backprop": Given((2, 9, 8, 5)),
            },
            _PLAIN,
        )
        for sizes in ([2, 9, 8, 3], [9, 8])
    ),
    Row(
        "Conv2DBackpropFilter",
        {
            "input": Given(_IMAGE),
            "filter_sizes": Value(list(_KERNEL)),
            "out_backprop": Given((2, 9, 8, 5)),
        },
        _PLAIN,
    ),
    *(_depthwise(_IMAGE, (3, 2, 3, 4), attrs) for attrs in (_PLAIN, _STRIDED, _DILATED, _EXPLICIT)),
    _depthwise((2, 9, 8, 4), (3, 2, 3, 4), _PLAIN),
    _depthwise((2, 3, 9, 8), (3, 2, 3, 4), _CHANNELS_FIRST),
    Row(
        "DepthwiseConv2dNativeBackpropInput",
        {
            "input_sizes": Value(list(_IMAGE)),
            "filter": Given((3, 2, 3, 4)),
            "out_backprop": Given((2, 9, 8, 12)),
        },
        _PLAIN,
    ),
    Row(
        "DepthwiseConv2dNativeBackpropFilter",
        {
            "input": Given(_IMAGE),
            "filter_sizes": Value([3, 2, 3, 4]),
            "out_backprop": Given((2, 9, 8, 12)),
        },
        _PLAIN,
    ),
    _conv3d((2, 5, 6, 7, 3), (2, 3, 2, 3, 4), {"strides": [1] * 5, "padding": "SAME"}),
    _conv3d((2, 5, 6, 7, 3), (2, 3, 2, 3, 4), {"strides": [1, 2, 2, 3, 1], "padding": "VALID"}),
    _conv3d(
        (2, 5, 6, 7, 3),
        (2, 3, 2, 3, 4),
        {"strides": [1] * 5, "padding": "VALID", "dilations": [1, 2, 2, 1, 1]},
    ),
    _conv3d((2, 5, 6, 7, 2), (2, 3, 2, 3, 4), {"strides": [1] * 5, "padding": "SAME"}),
    Row(
        "Conv3DBackpropInputV2",
        {
            "input_sizes": Value([2, 5, 6, 7, 3]),
            "filter": Given((2, 3, 2, 3, 4)),
            "out_backprop": Given((2, 5, 6, 7, 4)),
        },
        {"strides": [1] * 5, "padding": "SAME"},
    ),
    Row(
        "Conv3DBackpropFilterV2",
        {
            "input": Given((2, 5, 6, 7, 3)),
            "filter_sizes": Value([2, 3, 2, 3, 4]),
            "out_backprop": Given((2, 5, 6, 7, 4)),
        },
        {"strides": [1] * 5, "padding": "SAME"},
    ),
    Row(
        "Dilation2D",
        {"input": Given(_IMAGE), "filter": Given((3, 2, 3))},
        {"strides": [1, 2, 1, 1], "rates": [1, 1, 2, 1], "padding": "VALID"},
    ),
    Row(
        "ExtractImagePatches",
        {"images": Given(_IMAGE)},
        {"ksizes": [1, 3, 2, 1], "strides": [1, 2, 1, 1], "rates": [1, 1, 2, 1], "padding": "SAME"},
    ),
]

"""Pools and their gradients."""

from __future__ import annotations

from ..static_shapes import Given, Row, Value

_IMAGE, _VOLUME = (2, 9, 8, 3), (2, 5, 6, 7, 3)
_SAME = {"ksize": [1, 3, 2, 1], "strides": [1, 2, 3, 1], "padding": "SAME"}
_VALID = {**_SAME, "padding": "VALID"}
_FIRST = {
    "ksize": [1, 1, 3, 2],
    "strides": [1, 1, 2, 2],
    "padding": "VALID",
    "data_format": "NCHW",
}
_BOX = {"ksize": [1, 2, 3, 2, 1], "strides": [1, 1, 2, 2, 1], "padding": "VALID"}


def _pooled(op, name):
    return [
        Row(op, {name: Given(_IMAGE)}, _SAME),
        Row(op, {name: Given(_IMAGE)}, _VALID),
        Row(op, {name: Given((2, 3, 9, 8))}, _FIRST),
        Row(op, {name: Given((9, 8, 3))}, _SAME),
        Row(op, {name: Given((2, 2, 8, 3))}, _VALID),
        Row(op, {name: Given(_IMAGE)}, {**_SAME, "strides": [1, 2, 1]}),
    ]


ROWS = [
    *_pooled("MaxPool", "input"),
    *_pooled("AvgPool", "value"),
    Row(
        "MaxPool",
        {"input": Given(_IMAGE)},
        {**_VALID, "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 1, 0, 1, 0, 0]},
    ),
    Row(
        "MaxPoolV2",
        {"input": Given(_IMAGE), "ksize": Value([1, 3, 2, 1]), "strides": Value([1, 2, 3, 1])},
        {"padding": "SAME"},
    ),
    Row("MaxPoolWithArgmax", {"input": Given(_IMAGE)}, _SAME),
    Row("MaxPoolWithArgmax", {"input": Given(_IMAGE)}, {**_VALID, "include_batch_in_index": True}),
    *(
        Row(
            op,
            {
                "orig_input": Given(_IMAGE),
                "orig_output": Given((2, 5, 3, 3)),
                "grad": Given(grad),
            },
            _SAME,
        )
        for op, grad in (("MaxPoolGrad", (2, 5, 3, 3)), ("MaxPoolGradGrad", _IMAGE))
    ),
    Row(
        "MaxPoolGradWithArgmax",
        {
            "input": Given(_IMAGE),
            "grad": Given((2, 5, 3, 3)),
            "argmax": Given((2, 5, 3, 3), "int64"),
        },
        _SAME,
    ),
    Row(
        "AvgPoolGrad",
        {"orig_input_shape": Value(list(_IMAGE)), "grad": Given((2, 5, 3, 3))},
        _SAME,
    ),
    *(Row(op, {"input": Given(_VOLUME)}, _BOX) for op in ("MaxPool3D", "AvgPool3D")),
    Row("MaxPool3D", {"input": Given(_IMAGE)}, _BOX),
    Row(
        "AvgPool3DGrad",
        {"orig_input_shape": Value(list(_VOLUME)), "grad": Given((2, 4, 2, 3, 3))},
        _BOX,
    ),
    Row(
        "MaxPool3DGrad",
        {
            "orig_input": Given(_VOLUME),
            "orig_output": Given((2, 4, 2, 3, 3)),
            "grad": Given((2, 4, 2, 3, 3)),
        },
        _BOX,
    ),
]

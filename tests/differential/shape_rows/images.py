"""Boxes, crops, patches, colours and transforms of images."""

from __future__ import annotations

from ..static_shapes import Given, Row, Value

_IMAGE = (2, 9, 8, 3)
_WINDOW = {"ksizes": [1, 3, 2, 1], "strides": [1, 2, 3, 1], "rates": [1, 2, 1, 1]}
_TRANSFORM = {"interpolation": "BILINEAR"}
_HALF = Value(0.5, "float32")


def _suppression(op, *thresholds, **attrs):
    inputs = {"boxes": Given((7, 4)), "scores": Given((7,)), "max_output_size": Value(3)}
    return Row(op, {**inputs, **dict.fromkeys(thresholds, _HALF)}, attrs)


def _combined(**attrs):
    return Row(
        "CombinedNonMaxSuppression",
        {
            "boxes": Given((2, 7, 1, 4)),
            "scores": Given((2, 7, 3)),
            "max_output_size_per_class": Value(2),
            "max_total_size": Value(9),
            "iou_threshold": _HALF,
            "score_threshold": _HALF,
        },
        attrs,
    )


ROWS = [
    _suppression("NonMaxSuppression"),
    _suppression("NonMaxSuppressionV2", "iou_threshold"),
    _suppression("NonMaxSuppressionV3", "iou_threshold", "score_threshold"),
    *(
        _suppression(
            "NonMaxSuppressionV4", "iou_threshold", "score_threshold", pad_to_max_output_size=pad
        )
        for pad in (False, True)
    ),
    *(
        _suppression(
            "NonMaxSuppressionV5",
            "iou_threshold",
            "score_threshold",
            "soft_nms_sigma",
            pad_to_max_output_size=pad,
        )
        for pad in (False, True)
    ),
    Row(
        "NonMaxSuppressionWithOverlaps",
        {
            "overlaps": Given((7, 7)),
            "scores": Given((7,)),
            "max_output_size": Value(3),
            "overlap_threshold": _HALF,
            "score_threshold": _HALF,
        },
    ),
    _combined(),
    _combined(pad_per_class=True),
    Row(
        "CropAndResize",
        {
            "image": Given(_IMAGE),
            "boxes": Given((5, 4)),
            "box_ind": Given((5,), "int32"),
            "crop_size": Value([3, 4]),
        },
    ),
    Row(
        "CropAndResizeGradImage",
        {
            "grads": Given((5, 3, 4, 3)),
            "boxes": Given((5, 4)),
            "box_ind": Given((5,), "int32"),
            "image_size": Value(list(_IMAGE)),
        },
        {"T": "float32"},
    ),
    Row(
        "CropAndResizeGradBoxes",
        {
            "grads": Given((5, 3, 4, 3)),
            "image": Given(_IMAGE),
            "boxes": Given((5, 4)),
            "box_ind": Given((5,), "int32"),
        },
    ),
    *(
        Row("ExtractImagePatches", {"images": Given(_IMAGE)}, {**_WINDOW, "padding": padding})
        for padding in ("SAME", "VALID")
    ),
    *(Row(op, {"images": Given(_IMAGE)}) for op in ("RGBToHSV", "HSVToRGB")),
    Row("AdjustContrastv2", {"images": Given(_IMAGE), "contrast_factor": _HALF}),
    Row("AdjustHue", {"images": Given(_IMAGE), "delta": _HALF}),
    Row("AdjustSaturation", {"images": Given(_IMAGE), "scale": _HALF}),
    Row("DrawBoundingBoxes", {"images": Given(_IMAGE), "boxes": Given((2, 3, 4))}),
    Row(
        "ScaleAndTranslate",
        {
            "images": Given(_IMAGE),
            "size": Value([4, 5]),
            "scale": Given((2,)),
            "translation": Given((2,)),
        },
    ),
    Row(
        "ExtractGlimpse",
        {"input": Given(_IMAGE), "size": Value([3, 4]), "offsets": Given((2, 2))},
    ),
    Row(
        "ImageProjectiveTransformV2",
        {"images": Given(_IMAGE), "transforms": Given((1, 8)), "output_shape": Value([4, 5])},
        _TRANSFORM,
    ),
]

"""Activations, normalisation, biases, losses, resizing."""

from __future__ import annotations

from ..static_shapes import Given, Row, Value

_ACTIVATIONS = "Relu Relu6 Elu Selu Softplus Softsign LeakyRelu"
_ACTIVATION_GRADIENTS = (
    ("ReluGrad", "gradients", "features"),
    ("Relu6Grad", "gradients", "features"),
    ("LeakyReluGrad", "gradients", "features"),
    ("SoftplusGrad", "gradients", "features"),
    ("SoftsignGrad", "gradients", "features"),
    ("EluGrad", "gradients", "outputs"),
    ("SeluGrad", "gradients", "outputs"),
)


def _bias(value, bias, **attrs):
    return Row("BiasAdd", {"value": Given(value), "bias": Given(bias)}, attrs)


def _batch_norm(op, dims, channels, **attrs):
    names = ("scale", "offset", "mean", "variance")
    inputs = {"x": Given(dims), **{name: Given((channels,)) for name in names}}
    return Row(op, inputs, attrs)


def _batch_norm_grad(op, **attrs):
    names = ("scale", "reserve_space_1", "reserve_space_2")
    inputs = {
        "y_backprop": Given((2, 4, 5, 3)),
        "x": Given((2, 4, 5, 3)),
        **{name: Given((3,)) for name in names},
    }
    if op.endswith("V3"):
        inputs["reserve_space_3"] = Given((3,))
    return Row(op, inputs, attrs)


def _resize(op, size, **attrs):
    return Row(op, {"images": Given((2, 4, 5, 3)), "size": Value(size)}, attrs)


ROWS = [
    *(Row(op, {"features": Given((2, 3))}) for op in _ACTIVATIONS.split()),
    *(
        Row(op, {first: Given((2, 3)), second: Given((2, 3))})
        for op, first, second in _ACTIVATION_GRADIENTS
    ),
    Row("ReluGrad", {"gradients": Given((2, 3)), "features": Given((3,))}),
    *(
        Row(op, {"logits": Given(dims)})
        for op in ("Softmax", "LogSoftmax")
        for dims in ((2, 3), (3,), (2, 3, 4), ())
    ),
    _bias((2, 3), (3,)),
    _bias((2, 4, 5, 3), (3,)),
    _bias((2, 3), (4,)),
    _bias((3,), (3,)),
    _bias((2, 3), (2, 3)),
    _bias((2, 3, 4, 5), (3,), data_format="NCHW"),
    _bias((2, 3, 4), (3,), data_format="NCHW"),
    Row("BiasAddV1", {"value": Given((2, 3)), "bias": Given((3,))}),
    Row("BiasAddGrad", {"out_backprop": Given((2, 4, 3))}),
    Row("BiasAddGrad", {"out_backprop": Given((2, 3, 4, 5))}, {"data_format": "NCHW"}),
    Row("BiasAddGrad", {"out_backprop": Given((3,))}),
    *(
        Row("SoftmaxCrossEntropyWithLogits", {"features": Given(a), "labels": Given(b)})
        for a, b in (((2, 3), (2, 3)), ((2, 3), (1, 3)), ((2, 3), (3,)), ((2, 3), (2, 4)))
    ),
    *(
        Row(
            "SparseSoftmaxCrossEntropyWithLogits",
            {"features": Given(a), "labels": Given(b, "int64")},
        )
        for a, b in (((2, 3), (2,)), ((2, 3), (4,)), ((2, 3), (2, 1)), ((3,), (2,)))
    ),
    *(
        _batch_norm(op, (2, 4, 5, 3), 3, is_training=training)
        for op in ("FusedBatchNorm", "FusedBatchNormV3")
        for training in (True, False)
    ),
    _batch_norm("FusedBatchNormV2", (2, 3, 4, 5), 3, data_format="NCHW"),
    _batch_norm("FusedBatchNormV3", (2, 4, 5, 3), 4),
    _batch_norm("FusedBatchNormV3", (2, 3), 3),
    *(
        _batch_norm_grad(op, is_training=training)
        for op in ("FusedBatchNormGrad", "FusedBatchNormGradV3")
        for training in (True, False)
    ),
    Row("LRN", {"input": Given((2, 4, 5, 3))}),
    Row("LRN", {"input": Given((2, 3))}),
    Row(
        "LRNGrad",
        {
            "input_grads": Given((2, 4, 5, 3)),
            "input_image": Given((2, 4, 5, 3)),
            "output_image": Given((2, 4, 5, 3)),
        },
    ),
    Row("DataFormatDimMap", {"x": Given((3,), "int32")}),
    Row("DataFormatVecPermute", {"x": Given((4,), "int32")}),
    Row("DataFormatVecPermute", {"x": Given((4, 2), "int32")}),
    Row("DataFormatVecPermute", {"x": Given((3,), "int32")}),
    *(
        _resize(op, [7, 9])
        for op in ("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea")
    ),
    _resize("ResizeBilinear", [7]),
    Row(
        "CropAndResize",
        {
            "image": Given((2, 4, 5, 3)),
            "boxes": Given((6, 4)),
            "box_ind": Given((6,), "int32"),
            "crop_size": Value([7, 8]),
        },
    ),
    Row(
        "FakeQuantWithMinMaxVars",
        {"inputs": Given((2, 3)), "min": Given(()), "max": Given(())},
    ),
]

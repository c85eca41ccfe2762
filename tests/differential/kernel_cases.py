"""Calls of TensorFlow's neural network ops whose results the tests of kernels/ compare with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from .inputs import integers, normal

RECORD = Path(__file__).parent / "kernel_values.npz"
Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class KernelCase:
    """One call of a raw op: `inputs` are its tensors, `attrs` its attributes, by name."""

    name: str
    op: str
    inputs: Arrays
    attrs: Mapping[str, Any] = field(default_factory=dict)


def load_outputs(case: KernelCase) -> list[np.ndarray]:
    """The outputs that TensorFlow gave; bfloat16 is stored as the float32 of the same value."""
    with np.load(RECORD) as record:
        outputs = []
        while (key := f"{case.name}:{len(outputs)}") in record:
            outputs.append(record[key])
    assert outputs, f"{case.name} is not recorded"
    return outputs


def _spatial(strides: int = 1, padding: str = "VALID", **attrs: Any) -> dict[str, Any]:
    return {"strides": [1, strides, strides, 1], "padding": padding, **attrs}


EXPLICIT = {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 2, 1, 0, 1, 0, 0]}


def convolutions() -> Iterator[KernelCase]:
    """Forward convolutions: paddings, strides, dilations, groups, dtypes."""
    image, filter = normal(2, 7, 6, 4), normal(3, 2, 4, 6, seed=1)
    attributes = {
        "valid": _spatial(),
        "same": _spatial(padding="SAME"),
        "same_strided": _spatial(2, "SAME"),
        "valid_strided": _spatial(3),
        "explicit": {**_spatial(), **EXPLICIT},
        "dilated": _spatial(dilations=[1, 2, 3, 1]),
        "same_dilated_strided": _spatial(2, "SAME", dilations=[1, 2, 1, 1]),
    }
    for name, attrs in attributes.items():
        yield KernelCase(f"conv_{name}", "Conv2D", {"input": image, "filter": filter}, attrs)
    for dtype in ("float64", "float16", "bfloat16"):
        inputs = {
            "input": normal(1, 5, 5, 3, dtype=dtype),
            "filter": normal(3, 3, 3, 4, dtype=dtype, seed=1),
        }
        yield KernelCase(f"conv_{dtype}", "Conv2D", inputs, _spatial(padding="SAME"))
    wrapping = {
        "input": integers(-(2**30), 2**30, (1, 4, 4, 3)),
        "filter": integers(-9, 9, (2, 2, 3, 2), seed=1),
    }
    yield KernelCase("conv_int32", "Conv2D", wrapping, _spatial())
    grouped = {"input": normal(2, 5, 5, 6), "filter": normal(3, 3, 2, 9, seed=1)}
    yield KernelCase("conv_grouped", "Conv2D", grouped, _spatial(2, "SAME"))
    pointwise = {"input": normal(2, 4, 3, 5), "filter": normal(1, 1, 5, 7, seed=1)}
    yield KernelCase("conv_pointwise", "Conv2D", pointwise, _spatial())
    yield KernelCase("conv_pointwise_strided", "Conv2D", pointwise, _spatial(2))
    volume = {"input": normal(1, 4, 5, 3, 2), "filter": normal(2, 3, 2, 2, 3, seed=1)}
    attrs = {"strides": [1, 2, 1, 1, 1], "padding": "SAME"}
    yield KernelCase("conv_3d", "Conv3D", volume, attrs)


def convolution_gradients() -> Iterator[KernelCase]:
    """Gradients of convolutions, where TensorFlow's CPU kernels have them."""
    image, filter = normal(2, 7, 6, 3), normal(3, 2, 3, 4, seed=1)
    attributes = {
        "valid": (_spatial(), (5, 5)),
        "same": (_spatial(padding="SAME"), (7, 6)),
        "same_strided": (_spatial(2, "SAME"), (4, 3)),
        "valid_strided": (_spatial(3), (2, 2)),
        "explicit": ({**_spatial(), **EXPLICIT}, (8, 6)),
    }
    for name, (attrs, outputs) in attributes.items():
        gradient = normal(2, *outputs, 4, seed=2)
        to_input = {"filter": filter, "out_backprop": gradient}
        sizes = {"input_sizes": np.array(image.shape, np.int32)}
        yield KernelCase(f"conv_input_{name}", "Conv2DBackpropInput", sizes | to_input, attrs)
        to_filter = {"input": image, "out_backprop": gradient}
        sizes = {"filter_sizes": np.array(filter.shape, np.int32)}
        yield KernelCase(f"conv_filter_{name}", "Conv2DBackpropFilter", sizes | to_filter, attrs)


def depthwise_convolutions() -> Iterator[KernelCase]:
    """Depthwise convolutions and their gradients."""
    op = "DepthwiseConv2dNative"
    image, filter = normal(2, 7, 6, 3), normal(3, 2, 3, 2, seed=1)
    attributes = {
        "valid": (_spatial(), (5, 5)),
        "same": (_spatial(padding="SAME"), (7, 6)),
        "same_strided": (_spatial(2, "SAME"), (4, 3)),
        "explicit": ({**_spatial(), **EXPLICIT}, (8, 6)),
    }
    for name, (attrs, outputs) in attributes.items():
        gradient = {"out_backprop": normal(2, *outputs, 6, seed=2)}
        yield KernelCase(f"depthwise_{name}", op, {"input": image, "filter": filter}, attrs)
        sizes = {"input_sizes": np.array(image.shape, np.int32), "filter": filter}
        yield KernelCase(f"depthwise_input_{name}", f"{op}BackpropInput", sizes | gradient, attrs)
        sizes = {"input": image, "filter_sizes": np.array(filter.shape, np.int32)}
        yield KernelCase(f"depthwise_filter_{name}", f"{op}BackpropFilter", sizes | gradient, attrs)
    for dtype in ("float64", "float16", "bfloat16"):
        inputs = {
            "input": normal(1, 5, 5, 3, dtype=dtype),
            "filter": normal(3, 3, 3, 1, dtype=dtype, seed=1),
        }
        yield KernelCase(f"depthwise_{dtype}", op, inputs, _spatial(padding="SAME"))


def _pool(window: tuple[int, int], strides: int, padding: str = "VALID") -> dict[str, Any]:
    return {"ksize": [1, *window, 1], **_spatial(strides, padding)}


POOLS = {
    "valid": _pool((2, 2), 2),
    "valid_overlapping": _pool((3, 2), 1),
    "same": _pool((3, 3), 2, "SAME"),
    "same_wide_stride": _pool((1, 2), 3, "SAME"),
    "whole": _pool((7, 6), 1),
}


def max_pools() -> Iterator[KernelCase]:
    """Max pooling with its gradients; inputs have ties, and NaN where that is well defined."""
    image = integers(-5, 5, (2, 7, 6, 3)).astype(np.float32)
    for name, attrs in POOLS.items():
        pooled = _pooled_shape(image, attrs)
        gradient = normal(*pooled, seed=2)
        yield KernelCase(f"max_{name}", "MaxPool", {"input": image}, attrs)
        for whole in (False, True):
            kind = "array" if whole else "image"
            batch = {"include_batch_in_index": whole}
            inputs, op = {"input": image}, "MaxPoolWithArgmax"
            yield KernelCase(f"max_{name}_in_{kind}", op, inputs, attrs | batch)
        inputs = {"orig_input": image, "orig_output": np.zeros(pooled, np.float32)}
        yield KernelCase(f"max_{name}_grad", "MaxPoolGrad", inputs | {"grad": gradient}, attrs)
        known = {"orig_output": integers(-5, 5, pooled, seed=3).astype(np.float32)}
        inputs |= known | {"grad": normal(*image.shape, seed=4)}
        yield KernelCase(f"max_{name}_grad_grad", "MaxPoolGradGrad", inputs, attrs)
    explicit = {**POOLS["valid_overlapping"], "padding": "EXPLICIT"}
    explicit["explicit_paddings"] = [0, 0, 2, 1, 1, 0, 0, 0]
    yield KernelCase("max_explicit", "MaxPool", {"input": image - 9}, explicit)
    for dtype in ("float64", "float16", "bfloat16", "int32", "int64", "uint8", "int8", "uint16"):
        typed = image.astype(getattr(ml_dtypes, dtype, dtype))
        yield KernelCase(f"max_{dtype}", "MaxPool", {"input": typed}, POOLS["same"])
    row = np.array([1, np.nan, 2, 3, np.nan, np.nan, 5, -np.inf, -np.inf, np.nan, 7])
    row = row.reshape(1, 1, -1, 1)
    for taps in (2, 3):
        attrs = _pool((1, taps), 1)
        # Each window has a finite element: TensorFlow's maximum of −∞ is the lowest finite number.
        finite = {"input": row[:, :, [0, 1, 2, 3, 4, 6, 7, 2, 1, 3, 9, 10]]}
        yield KernelCase(f"max_nan_{taps}", "MaxPool", finite, attrs)
        yield KernelCase(f"max_nan_{taps}_argmax", "MaxPoolWithArgmax", {"input": row}, attrs)
    deep = {"ksize": [1, 1, 1, 3], "strides": [1, 1, 1, 3], "padding": "VALID"}
    yield KernelCase("max_depth", "MaxPool", {"input": normal(2, 3, 2, 6)}, deep)


def _pooled_shape(image: np.ndarray, attrs: Mapping[str, Any]) -> tuple[int, ...]:
    sizes = []
    for size, taps, stride in zip(image.shape, attrs["ksize"], attrs["strides"]):
        sizes.append(-(-(size if attrs["padding"] == "SAME" else size - taps + 1) // stride))
    return tuple(sizes)


def average_pools() -> Iterator[KernelCase]:
    """Average pooling and its gradient."""
    image = normal(2, 7, 6, 3)
    shape = np.array(image.shape, np.int32)
    for name, attrs in POOLS.items():
        yield KernelCase(f"avg_{name}", "AvgPool", {"value": image}, attrs)
        gradient = normal(*_pooled_shape(image, attrs), seed=2)
        inputs = {"orig_input_shape": shape, "grad": gradient}
        yield KernelCase(f"avg_{name}_grad", "AvgPoolGrad", inputs, attrs)
    for dtype in ("float64", "float16", "bfloat16"):
        typed = {"value": normal(2, 7, 6, 3, dtype=dtype)}
        yield KernelCase(f"avg_{dtype}", "AvgPool", typed, POOLS["same"])
    volume = {"ksize": [1, 2, 3, 2, 1], "strides": [1, 2, 1, 1, 1], "padding": "SAME"}
    yield KernelCase("avg_3d", "AvgPool3D", {"input": normal(1, 4, 5, 3, 2)}, volume)


def normalizations() -> Iterator[KernelCase]:
    """Batch normalization, local response normalization and their gradients."""
    image, channels = normal(2, 3, 4, 5), np.arange(5, dtype=np.float32)
    vectors = {"scale": 1 + channels, "offset": channels / 4}
    empty = np.zeros(0, np.float32)
    fresh, given = {"mean": empty, "variance": empty}, {"mean": channels, "variance": 2 + channels}
    op = "FusedBatchNormV3"
    yield KernelCase("norm_training", op, {"x": image, **vectors, **fresh})
    mixing = {"exponential_avg_factor": 0.25, "epsilon": 0.01}
    yield KernelCase("norm_mixing", op, {"x": image, **vectors, **given}, mixing)
    yield KernelCase("norm_inference", op, {"x": image, **vectors, **given}, {"is_training": False})
    for dtype in ("float16", "bfloat16"):
        typed = normal(2, 3, 4, 5, dtype=dtype)
        yield KernelCase(f"norm_{dtype}", op, {"x": typed, **vectors, **fresh})
    one = image[:1, :1, :1]
    yield KernelCase("norm_one_element", op, {"x": one, **vectors, **fresh})
    rows = image.reshape(-1, 5)
    gradient = {"y_backprop": normal(2, 3, 4, 5, seed=2), "x": image, "scale": vectors["scale"]}
    for is_training in (True, False):
        mean, variance = (rows.mean(0), rows.var(0)) if is_training else given.values()
        reserved = {"reserve_space_1": mean, "reserve_space_2": variance, "reserve_space_3": empty}
        name = "training" if is_training else "inference"
        attrs = {"is_training": is_training}
        yield KernelCase(f"norm_{name}_grad", "FusedBatchNormGradV3", gradient | reserved, attrs)
    responses = {
        "plain": {"depth_radius": 1, "bias": 0.5, "alpha": 0.3, "beta": 0.7},
        "wide": {"depth_radius": 9},
        "alone": {"depth_radius": 0, "bias": 2.0},
    }
    for name, attrs in responses.items():
        yield KernelCase(f"response_{name}", "LRN", {"input": image}, attrs)
        inputs = {
            "input_grads": normal(2, 3, 4, 5, seed=2),
            "input_image": image,
            "output_image": normal(2, 3, 4, 5, seed=3),
        }
        yield KernelCase(f"response_{name}_grad", "LRNGrad", inputs, attrs)
    yield KernelCase("response_half", "LRN", {"input": image.astype(np.float16)}, {"bias": 2.0})


def softmaxes() -> Iterator[KernelCase]:
    """Softmax and cross entropies, with rows that overflow or have no finite element."""
    extreme = np.array(
        [[1000, 0, -1000], [np.inf, 0, 1], [-np.inf] * 3, [np.nan, 0, 1], [-np.inf, 0, 1]],
        np.float32,
    )
    for op in ("Softmax", "LogSoftmax"):
        yield KernelCase(f"{op}_extreme", op, {"logits": extreme})
        yield KernelCase(f"{op}_cube", op, {"logits": normal(2, 3, 4)})
        for dtype in ("float64", "float16", "bfloat16"):
            yield KernelCase(f"{op}_{dtype}", op, {"logits": normal(3, 4, dtype=dtype)})
    op = "SoftmaxCrossEntropyWithLogits"
    features, labels = normal(4, 3), np.abs(normal(4, 3, seed=1))
    pairs = {
        "plain": (features, labels),
        "one_row_of_labels": (features, labels[:1]),
        "one_row_of_features": (features[:1], labels),
        "one_column": (features[:, :1], labels),
        "extreme": (extreme[[0, 1, 4]], np.eye(3, dtype=np.float32)),
        "float64": (features.astype(np.float64), labels.astype(np.float64)),
        "float16": (features.astype(np.float16), labels.astype(np.float16)),
        "no_classes": (features[:, :0], labels[:, :0]),
        "no_rows": (features[:0], labels[:0]),
    }
    for name, (logits, probabilities) in pairs.items():
        inputs = {"features": logits, "labels": probabilities}
        yield KernelCase(f"entropy_{name}", op, inputs)
    classes = np.array([0, 2, 1, 2])
    for dtype in ("float32", "float64", "float16"):
        inputs = {"features": features.astype(dtype), "labels": classes}
        yield KernelCase(f"sparse_{dtype}", f"Sparse{op}", inputs)
    inputs = {"features": extreme[[0, 1, 4]], "labels": np.array([1, 0, 2], np.int32)}
    yield KernelCase("sparse_extreme", f"Sparse{op}", inputs)


def all_cases() -> list[KernelCase]:
    """Every case of this file."""
    families = (
        convolutions,
        convolution_gradients,
        depthwise_convolutions,
        max_pools,
        average_pools,
        normalizations,
        softmaxes,
    )
    return [case for family in families for case in family()]

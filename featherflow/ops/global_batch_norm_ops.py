"""BatchNormWithGlobalNormalization and its gradient: the op of graphs from before GraphDef 9.

    result = (t − m) r γ + β          r = 1/√(v + ε), and γ left out unless it scales

`tf.nn.batch_norm_with_global_normalization` makes elementwise ops; frozen models of the first
years hold this one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels.precision import compute_dtype
from featherflow.ops.type_groups import FLOATS
from featherflow.ops.window_shapes import attrs_of

_ATTRS = ("T: numbertype", "variance_epsilon: float", "scale_after_normalization: bool")

# --- BatchNormWithGlobalNormalization -------------------------------------------------------------

BatchNormWithGlobalNormalization = define_op(
    "BatchNormWithGlobalNormalization",
    inputs=("t: T", "m: T", "v: T", "beta: T", "gamma: T"),
    outputs=("result: T",),
    attrs=_ATTRS,
)


@BatchNormWithGlobalNormalization.shape_fn
def _global_batch_norm_shape(c: InferenceContext) -> TensorShape:
    *others, channels = c.dims(0, 4)
    for index in range(1, 5):
        (length,) = c.dims(index, 1)
        channels = c.merge_dim(channels, length)
    return TensorShape._of((*others, channels))


@BatchNormWithGlobalNormalization.kernel("CPU", T=FLOATS)
def _global_batch_norm_cpu(
    t: np.ndarray,
    m: np.ndarray,
    v: np.ndarray,
    beta: np.ndarray,
    gamma: np.ndarray,
    *,
    variance_epsilon: float,
    scale_after_normalization: bool,
) -> np.ndarray:
    _check_shapes(t, m, v, beta, gamma)
    image, mean, variance, offset, scale = _widened(t, m, v, beta, gamma)
    factor = 1 / np.sqrt(variance + variance.dtype.type(variance_epsilon))
    if scale_after_normalization:
        factor *= scale
    return ((image - mean) * factor + offset).astype(t.dtype, copy=False)


def _check_shapes(image: np.ndarray, *vectors: np.ndarray) -> None:
    if image.ndim != 4 or any(vector.shape != image.shape[3:] for vector in vectors):
        raise InvalidArgumentError(
            None,
            None,
            "input must be 4-dimensional, the others 1-dimensional with a number per channel",
            received=", ".join(str(list(array.shape)) for array in (image, *vectors)),
        )


def _widened(*arrays: np.ndarray) -> list[np.ndarray]:
    return [array.astype(compute_dtype(array.dtype), copy=False) for array in arrays]


@BatchNormWithGlobalNormalization.gradient
def _global_batch_norm_grad(op: Any, grad: Tensor) -> tuple[Tensor, ...]:
    t, m, v, _, gamma = op.inputs
    shared = attrs_of(op, "variance_epsilon", "scale_after_normalization")
    return BatchNormWithGlobalNormalizationGrad(t, m, v, gamma, grad, **shared)


# --- BatchNormWithGlobalNormalizationGrad ---------------------------------------------------------

BatchNormWithGlobalNormalizationGrad = define_op(
    "BatchNormWithGlobalNormalizationGrad",
    inputs=("t: T", "m: T", "v: T", "gamma: T", "backprop: T"),
    outputs=("dx: T", "dm: T", "dv: T", "db: T", "dg: T"),
    attrs=_ATTRS,
)


@BatchNormWithGlobalNormalizationGrad.shape_fn
def _global_batch_norm_grad_shape(c: InferenceContext) -> list[TensorShape]:
    *others, channels = map(c.merge_dim, c.dims(0, 4), c.dims(4, 4))
    for index in range(1, 4):
        (length,) = c.dims(index, 1)
        channels = c.merge_dim(channels, length)
    return [TensorShape._of((*others, channels)), *[TensorShape._of((channels,))] * 4]


@BatchNormWithGlobalNormalizationGrad.kernel("CPU", T=FLOATS)
def _global_batch_norm_grad_cpu(
    t: np.ndarray,
    m: np.ndarray,
    v: np.ndarray,
    gamma: np.ndarray,
    backprop: np.ndarray,
    *,
    variance_epsilon: float,
    scale_after_normalization: bool,
) -> tuple[np.ndarray, ...]:
    _check_shapes(t, m, v, gamma)
    image, mean, variance, scale, gradient = _widened(t, m, v, gamma, backprop)
    inverse = 1 / np.sqrt(variance + variance.dtype.type(variance_epsilon))
    scale = scale if scale_after_normalization else np.ones_like(scale)
    total = gradient.sum((0, 1, 2))
    products = (gradient * (image - mean)).sum((0, 1, 2))
    along_scale = products * inverse if scale_after_normalization else np.zeros_like(scale)
    found = (
        gradient * (scale * inverse),
        -total * scale * inverse,
        products * scale * inverse**3 / -2,
        total,
        along_scale,
    )
    return tuple(array.astype(t.dtype, copy=False) for array in found)


BatchNormWithGlobalNormalizationGrad.without_gradient("TensorFlow gives it no gradient")

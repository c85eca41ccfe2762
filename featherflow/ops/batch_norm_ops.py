"""Batch normalization: FusedBatchNorm in its three versions, and their gradients.

    y = scale · (x − mean) / √(variance + ε) + offset            per channel

In training mean and variance are those of the batch; else they are given. The versions differ in
dtypes (the first is float32 alone) and in what they keep for the gradient. The arithmetic is in
`kernels/normalization.py`.

See: Ioffe & Szegedy 2015, "Batch normalization".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import normalization as kernels
from featherflow.kernels.windows import channels_last, from_channels_last, is_channels_first
from featherflow.ops.batch_norm_second_gradient import second_gradient
from featherflow.ops.constant_ops import constant
from featherflow.ops.window_shapes import attrs_of

_EPSILON = "epsilon: float = 0.0001"
_AVERAGE = "exponential_avg_factor: float = 1.0"
_FORMAT = "data_format: {'NHWC', 'NCHW'} = 'NHWC'"
_ANY_FORMAT = "data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'"
_TRAINING = "is_training: bool = true"
_T = "T: {half, bfloat16, float}"
_TYPES = (dtypes.float16, dtypes.bfloat16, dtypes.float32)
_GEOMETRY = ("epsilon", "data_format", "is_training")
_NOTHING = np.empty(0, np.float32)

# --- FusedBatchNorm, FusedBatchNormV2, FusedBatchNormV3 -------------------------------------------

FusedBatchNorm = define_op(
    "FusedBatchNorm",
    inputs=("x: T", "scale: T", "offset: T", "mean: T", "variance: T"),
    outputs=(
        "y: T",
        "batch_mean: T",
        "batch_variance: T",
        "reserve_space_1: T",
        "reserve_space_2: T",
    ),
    attrs=("T: {float}", _EPSILON, _AVERAGE, _FORMAT, _TRAINING),
)
FusedBatchNormV2 = define_op(
    "FusedBatchNormV2",
    inputs=("x: T", "scale: U", "offset: U", "mean: U", "variance: U"),
    outputs=(
        "y: T",
        "batch_mean: U",
        "batch_variance: U",
        "reserve_space_1: U",
        "reserve_space_2: U",
    ),
    attrs=(_T, "U: {float}", _EPSILON, _AVERAGE, _FORMAT, _TRAINING),
)
FusedBatchNormV3 = define_op(
    "FusedBatchNormV3",
    inputs=("x: T", "scale: U", "offset: U", "mean: U", "variance: U"),
    outputs=(
        "y: T",
        "batch_mean: U",
        "batch_variance: U",
        "reserve_space_1: U",
        "reserve_space_2: U",
        "reserve_space_3: U",
    ),
    attrs=(_T, "U: {bfloat16, float}", _EPSILON, _AVERAGE, _ANY_FORMAT, _TRAINING),
)


@FusedBatchNorm.shape_fn
@FusedBatchNormV2.shape_fn
def _fused_batch_norm_shape(c: InferenceContext) -> list[TensorShape]:
    reads_statistics = not c.attrs["is_training"] or c.attrs["exponential_avg_factor"] != 1
    image, channels = _merge_channels(c, 0, range(1, 5 if reads_statistics else 3))
    return [image, *[channels] * 4]


@FusedBatchNormV3.shape_fn
def _fused_batch_norm_v3_shape(c: InferenceContext) -> list[TensorShape]:
    return [*_fused_batch_norm_shape(c), UNKNOWN]


def _merge_channels(
    c: InferenceContext, image: int, vectors: range
) -> tuple[TensorShape, TensorShape]:
    """The shapes of an image and of its channels, which have a number in each vector too."""
    data_format = c.attrs["data_format"]
    dims = list(c.dims(image, len(data_format)))
    axis = 1 if is_channels_first(data_format) else -1
    for index in vectors:
        (length,) = c.dims(index, 1)
        dims[axis] = c.merge_dim(dims[axis], length)
    return TensorShape._of(tuple(dims)), TensorShape._of((dims[axis],))


def _check_running(mean: np.ndarray, variance: np.ndarray) -> None:
    for name, values in (("mean", mean), ("variance", variance)):
        if values.ndim != 1:
            raise InvalidArgumentError(
                None, None, f"{name} must be 1-dimensional", received=f"shape {list(values.shape)}"
            )


@FusedBatchNorm.kernel("CPU", T=dtypes.float32)
@FusedBatchNormV2.kernel("CPU", T=_TYPES, U=dtypes.float32)
def _fused_batch_norm_cpu(
    x: np.ndarray,
    scale: np.ndarray,
    offset: np.ndarray,
    mean: np.ndarray,
    variance: np.ndarray,
    *,
    epsilon: float,
    exponential_avg_factor: float,
    data_format: str,
    is_training: bool,
) -> tuple[np.ndarray, ...]:
    image = _image(x, data_format)
    _check_running(mean, variance)
    if is_training:
        y, *statistics = kernels.batch_norm_training(
            image, scale, offset, mean, variance, epsilon, exponential_avg_factor
        )
    else:
        y = kernels.batch_norm_inference(image, scale, offset, mean, variance, epsilon)
        statistics = [mean.copy(), variance.copy(), mean.copy(), variance.copy()]
    return (from_channels_last(y, data_format), *statistics)


@FusedBatchNormV3.kernel("CPU", T=_TYPES, U=dtypes.float32)
def fused_batch_norm_v3_cpu(
    x: np.ndarray,
    scale: np.ndarray,
    offset: np.ndarray,
    mean: np.ndarray,
    variance: np.ndarray,
    *,
    epsilon: float,
    exponential_avg_factor: float,
    data_format: str,
    is_training: bool,
) -> tuple[np.ndarray, ...]:
    outputs = _fused_batch_norm_cpu(
        x,
        scale,
        offset,
        mean,
        variance,
        epsilon=epsilon,
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
    )
    return (*outputs, _NOTHING.copy())


def _image(x: np.ndarray, data_format: str) -> np.ndarray:
    """`x` with channels last."""
    if x.ndim != len(data_format):
        raise InvalidArgumentError(
            None,
            None,
            f"input must be {len(data_format)}-dimensional",
            received=f"shape {list(x.shape)}",
        )
    return channels_last(x, data_format)


@FusedBatchNorm.gradient
def _fused_batch_norm_grad(op: Any, grad_y: Tensor, *statistics: Any) -> tuple[Tensor | None, ...]:
    return _first_gradient(FusedBatchNormGrad, op, grad_y, 2)


@FusedBatchNormV2.gradient
def _fused_batch_norm_v2_grad(
    op: Any, grad_y: Tensor, *statistics: Any
) -> tuple[Tensor | None, ...]:
    return _first_gradient(FusedBatchNormGradV2, op, grad_y, 2)


@FusedBatchNormV3.gradient
def _fused_batch_norm_v3_grad(
    op: Any, grad_y: Tensor, *statistics: Any
) -> tuple[Tensor | None, ...]:
    return _first_gradient(FusedBatchNormGradV3, op, grad_y, 3)


def _first_gradient(
    gradient_op: Any, op: Any, grad_y: Tensor, reserved: int
) -> tuple[Tensor | None, ...]:
    """Gradients of x, scale and offset; statistics that are given are taken as constants."""
    x, scale, _, mean, variance = op.inputs
    kept = list(op.outputs[3 : 3 + reserved])
    if not op.attrs["is_training"]:
        kept[:2] = mean, variance
    found = gradient_op(grad_y, x, scale, *kept, **attrs_of(op, *_GEOMETRY))
    return (*found[:3], None, None)


@export_v1("nn.fused_batch_norm")
def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalizes each channel of an image to a mean of `offset` and a deviation of `scale`.

        y = scale · (x − mean) / √(variance + ε) + offset

    Args:
      x: `[N, H, W, C]`, or `[N, C, H, W]` with `data_format="NCHW"` ("NDHWC" and "NCDHW" for
        volumes); float32, float16 or bfloat16.
      scale, offset: float32 `[C]`.
      mean, variance: float32 `[C]`, needed unless training: what to normalize by. In training the
        running averages that the batch is mixed into; not needed if `exponential_avg_factor` is 1.
      epsilon: ε.
      data_format: see `x`.
      is_training: normalize by the statistics of the batch.
      name: of the node.
      exponential_avg_factor: f, the weight of the batch in the running averages.
    Returns:
      y; and in training the means and variances (1 − f) · running + f · batch, the variance of the
      batch with Bessel's correction; else those given.
    Raises:
      ValueError: mean and variance are missing, or shapes do not fit.

    >>> import featherflow as tf
    >>> x = tf.constant([1.0, 3.0], shape=[2, 1, 1, 1])
    >>> y, mean, _ = tf.nn.fused_batch_norm(x, [1.0], [0.0], epsilon=0.0)
    >>> with tf.Session() as sess:
    ...     [value.ravel().tolist() for value in sess.run([y, mean])]
    [[-1.0, 1.0], [2.0]]
    """
    reads_statistics = not is_training or exponential_avg_factor != 1
    if reads_statistics and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be given unless is_training is True and "
            f"exponential_avg_factor is 1. Received: mean={mean}, variance={variance}, "
            f"is_training={is_training}, exponential_avg_factor={exponential_avg_factor}"
        )
    x = convert_to_tensor(x, name="input")
    scale = convert_to_tensor(scale, name="scale")
    offset = convert_to_tensor(offset, name="offset")
    y, running_mean, running_variance, *_ = FusedBatchNormV3(
        x,
        scale,
        offset,
        constant([], dtypes.float32) if mean is None else mean,
        constant([], dtypes.float32) if variance is None else variance,
        epsilon=epsilon,
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
        name=name,
    )
    return y, running_mean, running_variance


# --- FusedBatchNormGrad, FusedBatchNormGradV2, FusedBatchNormGradV3 -------------------------------

FusedBatchNormGrad = define_op(
    "FusedBatchNormGrad",
    inputs=("y_backprop: T", "x: T", "scale: T", "reserve_space_1: T", "reserve_space_2: T"),
    outputs=(
        "x_backprop: T",
        "scale_backprop: T",
        "offset_backprop: T",
        "reserve_space_3: T",
        "reserve_space_4: T",
    ),
    attrs=("T: {float}", _EPSILON, _FORMAT, _TRAINING),
)
FusedBatchNormGradV2 = define_op(
    "FusedBatchNormGradV2",
    inputs=("y_backprop: T", "x: T", "scale: float", "reserve_space_1: U", "reserve_space_2: U"),
    outputs=(
        "x_backprop: T",
        "scale_backprop: U",
        "offset_backprop: U",
        "reserve_space_3: U",
        "reserve_space_4: U",
    ),
    attrs=(_T, "U: {float}", _EPSILON, _FORMAT, _TRAINING),
)
FusedBatchNormGradV3 = define_op(
    "FusedBatchNormGradV3",
    inputs=(
        "y_backprop: T",
        "x: T",
        "scale: float",
        "reserve_space_1: U",
        "reserve_space_2: U",
        "reserve_space_3: U",
    ),
    outputs=(
        "x_backprop: T",
        "scale_backprop: U",
        "offset_backprop: U",
        "reserve_space_4: U",
        "reserve_space_5: U",
    ),
    attrs=(_T, "U: {float}", _EPSILON, _ANY_FORMAT, _TRAINING),
)


@FusedBatchNormGrad.shape_fn
@FusedBatchNormGradV2.shape_fn
@FusedBatchNormGradV3.shape_fn
def _fused_batch_norm_grad_shape(c: InferenceContext) -> list[TensorShape]:
    image, _ = _merge_channels(c, 1, range(2, 5))
    axis = 1 if is_channels_first(c.attrs["data_format"]) else -1
    dims = list(c.dims(0, len(c.attrs["data_format"])))
    dims[axis] = c.merge_dim(dims[axis], image._dims[axis])  # type: ignore[index]
    nothing = TensorShape._of((0,))
    channels = TensorShape._of((dims[axis],))
    return [TensorShape._of(tuple(dims)), channels, channels, nothing, nothing]


@FusedBatchNormGrad.kernel("CPU", T=dtypes.float32)
@FusedBatchNormGradV2.kernel("CPU", T=_TYPES, U=dtypes.float32)
def _fused_batch_norm_grad_cpu(
    y_backprop: np.ndarray,
    x: np.ndarray,
    scale: np.ndarray,
    reserve_space_1: np.ndarray,
    reserve_space_2: np.ndarray,
    *,
    epsilon: float,
    data_format: str,
    is_training: bool,
) -> tuple[np.ndarray, ...]:
    found = kernels.batch_norm_gradient(
        _image(y_backprop, data_format),
        _image(x, data_format),
        scale,
        reserve_space_1,
        reserve_space_2,
        epsilon,
        is_training=is_training,
    )
    along_x = from_channels_last(found.x, data_format)
    return along_x, found.scale, found.offset, _NOTHING.copy(), _NOTHING.copy()


@FusedBatchNormGradV3.kernel("CPU", T=_TYPES, U=dtypes.float32)
def _fused_batch_norm_grad_v3_cpu(
    y_backprop: np.ndarray,
    x: np.ndarray,
    scale: np.ndarray,
    reserve_space_1: np.ndarray,
    reserve_space_2: np.ndarray,
    reserve_space_3: np.ndarray,
    *,
    epsilon: float,
    data_format: str,
    is_training: bool,
) -> tuple[np.ndarray, ...]:
    return _fused_batch_norm_grad_cpu(
        y_backprop,
        x,
        scale,
        reserve_space_1,
        reserve_space_2,
        epsilon=epsilon,
        data_format=data_format,
        is_training=is_training,
    )


@FusedBatchNormGrad.gradient
@FusedBatchNormGradV2.gradient
@FusedBatchNormGradV3.gradient
def _fused_batch_norm_grad_grad(
    op: Any, grad_x: Tensor, grad_scale: Tensor, grad_offset: Tensor, *reserved: Any
) -> tuple[Tensor | None, ...]:
    # Statistics are functions of x in training, and constants else: they get no gradient of theirs.
    y_gradient, x, scale, mean, variance, *_ = op.inputs
    found = second_gradient(
        y_gradient, x, scale, mean, variance, grad_x, grad_scale, grad_offset, op.attrs
    )
    return (*found, *[None] * (len(op.inputs) - 3))

"""2-D maximum pooling: MaxPool, its first and second gradients, and `tf.nn.max_pool2d`.

    output[n, i, j, c] = max_{p, q} input[n, s·i + p, s·j + q, c]

The ops called V2 take windows and strides as inputs. The arithmetic is in `kernels/pool.py` and
`kernels/max_pool.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import max_pool as max_kernels
from featherflow.kernels import pool as kernels
from featherflow.kernels.windows import check_gradient_shape
from featherflow.ops.fill_ops import ZerosLike
from featherflow.ops.pool_windows import pool_pads, pooled_shape, windowed_shape
from featherflow.ops.reshape_ops import renamed_argument
from featherflow.ops.type_groups import FLOATS, REAL, SIGNED, Types
from featherflow.ops.window_shapes import attrs_of, per_dimension, split_padding

_TYPES: Types = (*FLOATS, *SIGNED, dtypes.uint8, dtypes.uint16)
_T = "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = float"
_T_GRAD = "T: realnumbertype"
_WINDOWS = ("ksize: list(int) >= 4", "strides: list(int) >= 4")
_PADDING = ("padding: {'SAME', 'VALID', 'EXPLICIT'}", "explicit_paddings: list(int) = []")
_PADDING_V2 = "padding: {'SAME', 'VALID'}"
_FORMAT = "data_format: {'NHWC', 'NCHW'} = 'NHWC'"
_FORMAT_OF_INPUT = "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"
_GRADIENT_INPUTS = ("orig_input: T", "orig_output: T", "grad: T")

# --- MaxPool --------------------------------------------------------------------------------------

MaxPool = define_op(
    "MaxPool",
    inputs=("input: T",),
    outputs=("output: T",),
    attrs=(_T, *_WINDOWS, *_PADDING, _FORMAT_OF_INPUT),
)
MaxPool.shape_fn(pooled_shape)


@MaxPool.kernel("CPU", T=_TYPES)
def _max_pool_cpu(
    input: np.ndarray,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...],
) -> np.ndarray:
    pads = pool_pads(input.shape, ksize, strides, padding, explicit_paddings)
    return kernels.max_pool(input, ksize, strides, pads)


@MaxPool.compile_rule
def _max_pool_compile(
    c: Any,
    input: Any,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...],
    data_format: str,
) -> Any:
    c.require(data_format == "NHWC", "channels first")
    pads = pool_pads(input.shape, ksize, strides, padding, explicit_paddings)
    return c.pool("max", input, ksize, strides, pads)


@MaxPool.gradient
def _max_pool_grad(op: Any, grad: Tensor) -> Tensor:
    geometry = attrs_of(op, "ksize", "strides", "padding", "explicit_paddings", "data_format")
    return MaxPoolGrad(op.inputs[0], op.outputs[0], grad, **geometry)


@export_v1("nn.max_pool")
def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """The maximum of each window of an image.

        output[n, i, j, c] = max_{p, q} value[n, s·i + p, s·j + q, c]

    Args:
      value: `[N, H, W, C]`, or `[N, C, H, W]` with `data_format="NCHW"`; real numbers.
      ksize: the window; one int, one per spatial dimension, or one per dimension. Windows may also
        reach over channels.
      strides: s; forms as for `ksize`.
      padding: "SAME" (output ⌈H / s⌉), "VALID" (no padding; output ⌈(H − window + 1) / s⌉), or a
        list of (before, after) for each dimension. Padding never wins.
      data_format: "NHWC" or "NCHW".
      name: of the node.
      input: another name of `value`.
    Returns:
      `[N, H', W', C]` (`[N, C, H', W']`), dtype of `value`.
    Raises:
      ValueError: rank or windows do not fit, or a stride is not positive.

    Gradient: MaxPoolGrad, which gives each window's to its first maximum.

    >>> import featherflow as tf
    >>> image = tf.reshape(tf.range(16), [1, 4, 4, 1])
    >>> with tf.Session() as sess:
    ...     sess.run(tf.nn.max_pool(image, 2, 2, "VALID"))[0, :, :, 0].tolist()
    [[5, 7], [13, 15]]
    """
    value = renamed_argument("input", input, "value", value)
    with op_scope(name, "MaxPool", [value]) as scope:
        window = per_dimension(ksize, "ksize", data_format or "NHWC")
        if 0 in window:
            raise ValueError(f"`ksize` cannot be zero. Received: ksize={window}")
        return _max_pool(value, window, strides, padding, data_format, scope)


@export("nn.max_pool2d")
def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    name: str | None = None,
) -> Tensor:
    """`tf.compat.v1.nn.max_pool` without its aliases."""
    with op_scope(name, "MaxPool2d", [input]) as scope:
        return _max_pool(input, ksize, strides, padding, data_format, scope)


def _max_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None, scope: str
) -> Tensor:
    padding, explicit_paddings = split_padding(padding)
    data_format = data_format or "NHWC"
    return MaxPool(
        convert_to_tensor(input, name="input"),
        ksize=per_dimension(ksize, "ksize", data_format),
        strides=per_dimension(strides, "strides", data_format),
        padding=padding,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        name=scope,
    )


# --- MaxPoolV2 ------------------------------------------------------------------------------------

MaxPoolV2 = define_op(
    "MaxPoolV2",
    inputs=("input: T", "ksize: int32", "strides: int32"),
    outputs=("output: T",),
    attrs=(_T, _PADDING_V2, _FORMAT_OF_INPUT),
)


def _pooled_shape_v2(c: InferenceContext, ksize: int, strides: int) -> TensorShape:
    """The output's shape where windows and strides, the inputs at these positions, are known."""
    c.dims(0, 4)
    values = []
    for index in (ksize, strides):
        (length,) = c.dims(index, 1)
        if length not in (None, 4):
            c.fail(f"{c.input_name(index)} must hold 4 values", received=f"{length} values")
        constant = c.constant(index)
        values.append(None if constant is None else constant.reshape(-1).tolist())
    return UNKNOWN if None in values else windowed_shape(c, *values)


@MaxPoolV2.shape_fn
def _max_pool_v2_shape(c: InferenceContext) -> TensorShape:
    return _pooled_shape_v2(c, 1, 2)


@MaxPoolV2.kernel("CPU", T=_TYPES)
def _max_pool_v2_cpu(
    input: np.ndarray, ksize: np.ndarray, strides: np.ndarray, *, padding: str
) -> np.ndarray:
    window, steps = _entries(ksize, "ksize"), _entries(strides, "strides")
    if window[-1] == 1:
        steps = (*steps[:-1], 1)  # as TensorFlow: single channels are not skipped
    return kernels.max_pool(input, window, steps, pool_pads(input.shape, window, steps, padding))


def _entries(values: np.ndarray, name: str) -> tuple[int, ...]:
    """Windows or strides given as an input: four positive numbers."""
    entries = tuple(values.reshape(-1).tolist())
    if len(entries) != 4 or min(entries) <= 0:
        raise InvalidArgumentError(
            None,
            None,
            f"Sliding window {name} must specify 4 dimensions, all positive",
            received=f"{name} {values.tolist()}",
        )
    return entries


@MaxPoolV2.gradient
def _max_pool_v2_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    input, ksize, strides = op.inputs
    layout = attrs_of(op, "padding", "data_format")
    return MaxPoolGradV2(input, op.outputs[0], grad, ksize, strides, **layout), None, None


# --- MaxPoolGrad, MaxPoolGradV2 -------------------------------------------------------------------

MaxPoolGrad = define_op(
    "MaxPoolGrad",
    inputs=_GRADIENT_INPUTS,
    outputs=("output: T",),
    attrs=(*_WINDOWS, *_PADDING, _FORMAT, f"{_T_GRAD} = float"),
)
MaxPoolGradV2 = define_op(
    "MaxPoolGradV2",
    inputs=(*_GRADIENT_INPUTS, "ksize: int32", "strides: int32"),
    outputs=("output: T",),
    attrs=(_PADDING_V2, _FORMAT, f"{_T_GRAD} = float"),
)


@MaxPoolGrad.shape_fn
@MaxPoolGradV2.shape_fn
def _max_pool_grad_shape(c: InferenceContext) -> TensorShape:
    return c.with_rank(0, 4)


@MaxPoolGrad.kernel("CPU", T=REAL)
def _max_pool_grad_cpu(
    orig_input: np.ndarray,
    orig_output: np.ndarray,
    grad: np.ndarray,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...] = (),
) -> np.ndarray:
    check_gradient_shape(grad.shape, orig_output.shape)
    pads = pool_pads(orig_input.shape, ksize, strides, padding, explicit_paddings)
    return max_kernels.max_pool_gradient(orig_input, grad, ksize, strides, pads)


@MaxPoolGradV2.kernel("CPU", T=REAL)
def _max_pool_grad_v2_cpu(
    orig_input: np.ndarray,
    orig_output: np.ndarray,
    grad: np.ndarray,
    ksize: np.ndarray,
    strides: np.ndarray,
    *,
    padding: str,
) -> np.ndarray:
    window, steps = _entries(ksize, "ksize"), _entries(strides, "strides")
    return _max_pool_grad_cpu(
        orig_input, orig_output, grad, ksize=window, strides=steps, padding=padding
    )


@MaxPoolGrad.gradient
def _max_pool_grad_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    # Which element is the maximum changes with the input in jumps: no derivative but 0.
    input, output, _ = op.inputs
    geometry = attrs_of(op, "ksize", "strides", "padding", "data_format")
    return ZerosLike(input), ZerosLike(output), MaxPoolGradGrad(input, output, grad, **geometry)


@MaxPoolGradV2.gradient
def _max_pool_grad_v2_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:
    input, output, _, ksize, strides = op.inputs
    layout = attrs_of(op, "padding", "data_format")
    along_grad = MaxPoolGradGradV2(input, output, grad, ksize, strides, **layout)
    return ZerosLike(input), ZerosLike(output), along_grad, None, None


# --- MaxPoolGradGrad, MaxPoolGradGradV2 -----------------------------------------------------------

MaxPoolGradGrad = define_op(
    "MaxPoolGradGrad",
    inputs=_GRADIENT_INPUTS,
    outputs=("output: T",),
    attrs=(*_WINDOWS, _PADDING_V2, _FORMAT, _T_GRAD),
)
MaxPoolGradGradV2 = define_op(
    "MaxPoolGradGradV2",
    inputs=(*_GRADIENT_INPUTS, "ksize: int32", "strides: int32"),
    outputs=("output: T",),
    attrs=(_PADDING_V2, _FORMAT, _T_GRAD),
)


@MaxPoolGradGrad.shape_fn
def _max_pool_grad_grad_shape(c: InferenceContext) -> TensorShape:
    c.merge(c.shapes[0], c.shapes[2])
    pooled = pooled_shape(c)
    c.merge(pooled, c.shapes[1])
    return pooled


@MaxPoolGradGradV2.shape_fn
def _max_pool_grad_grad_v2_shape(c: InferenceContext) -> TensorShape:
    c.merge(c.shapes[0], c.shapes[2])
    pooled = _pooled_shape_v2(c, 3, 4)
    c.merge(pooled, c.shapes[1])
    return pooled


@MaxPoolGradGrad.kernel("CPU", T=REAL)
def _max_pool_grad_grad_cpu(
    orig_input: np.ndarray,
    orig_output: np.ndarray,
    grad: np.ndarray,
    *,
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
) -> np.ndarray:
    pads = pool_pads(orig_input.shape, ksize, strides, padding)
    return max_kernels.max_pool_gradient_gradient(
        orig_input, orig_output, grad, ksize, strides, pads
    )


@MaxPoolGradGradV2.kernel("CPU", T=REAL)
def _max_pool_grad_grad_v2_cpu(
    orig_input: np.ndarray,
    orig_output: np.ndarray,
    grad: np.ndarray,
    ksize: np.ndarray,
    strides: np.ndarray,
    *,
    padding: str,
) -> np.ndarray:
    window, steps = _entries(ksize, "ksize"), _entries(strides, "strides")
    return _max_pool_grad_grad_cpu(
        orig_input, orig_output, grad, ksize=window, strides=steps, padding=padding
    )


@MaxPoolGradGrad.gradient
def _max_pool_grad_grad_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    input, output, _ = op.inputs
    geometry = attrs_of(op, "ksize", "strides", "padding", "data_format")
    return ZerosLike(input), ZerosLike(output), MaxPoolGrad(input, output, grad, **geometry)


@MaxPoolGradGradV2.gradient
def _max_pool_grad_grad_v2_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:
    input, output, _, ksize, strides = op.inputs
    layout = attrs_of(op, "padding", "data_format")
    along_grad = MaxPoolGradV2(input, output, grad, ksize, strides, **layout)
    return ZerosLike(input), ZerosLike(output), along_grad, None, None

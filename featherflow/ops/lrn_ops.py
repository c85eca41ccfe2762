"""Local response normalization: LRN, LRNGrad and `tf.nn.lrn`.

    y = x / (bias + α Σ x²)^β          Σ over 2·radius + 1 channels around each

The arithmetic is in `kernels/normalization.py`.

See: Krizhevsky, Sutskever & Hinton 2012, section 3.3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import normalization as kernels
from featherflow.ops.window_shapes import attrs_of

_ATTRS = (
    "depth_radius: int = 5",
    "bias: float = 1.0",
    "alpha: float = 1.0",
    "beta: float = 0.5",
    "T: {half, bfloat16, float} = float",
)
_TYPES = (dtypes.float16, dtypes.bfloat16, dtypes.float32)

# --- LRN ------------------------------------------------------------------------------------------

LRN = define_op("LRN", inputs=("input: T",), outputs=("output: T",), attrs=_ATTRS)


@LRN.shape_fn
def _lrn_shape(c: InferenceContext) -> TensorShape:
    return c.with_rank(0, 4)


@LRN.kernel("CPU", T=_TYPES)
def _lrn_cpu(
    input: np.ndarray, *, depth_radius: int, bias: float, alpha: float, beta: float
) -> np.ndarray:
    if input.ndim != 4:
        raise InvalidArgumentError(
            None, None, "in must be 4-dimensional", received=f"shape {list(input.shape)}"
        )
    return kernels.local_response_norm(input, depth_radius, bias, alpha, beta)


@LRN.gradient
def _lrn_grad(op: Any, grad: Tensor) -> Tensor:
    factors = attrs_of(op, "depth_radius", "bias", "alpha", "beta")
    return LRNGrad(grad, op.inputs[0], op.outputs[0], **factors)


@export("nn.local_response_normalization", "nn.lrn")
def local_response_normalization(
    input: Any,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Divides each element by a power of the squares in its neighbouring channels.

        y = x / (bias + α Σ x²)^β          Σ over the channels at most `depth_radius` away

    Args:
      input: `[N, H, W, C]`; float32, float16 or bfloat16.
      depth_radius: channels on either side that take part.
      bias: keeps the divisor from 0.
      alpha, beta: α and β.
      name: of the node.
    Returns:
      A tensor like `input`.
    Raises:
      ValueError: `input` is known not to be of rank 4.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.nn.lrn([[[[0.0, 3.0]]]], bias=0.0, alpha=1.0)).tolist()
    [[[[0.0, 1.0]]]]
    """
    return LRN(input, depth_radius=depth_radius, bias=bias, alpha=alpha, beta=beta, name=name)


# --- LRNGrad --------------------------------------------------------------------------------------

LRNGrad = define_op(
    "LRNGrad",
    inputs=("input_grads: T", "input_image: T", "output_image: T"),
    outputs=("output: T",),
    attrs=_ATTRS,
)


@LRNGrad.shape_fn
def _lrn_grad_shape(c: InferenceContext) -> TensorShape:
    merged = c.with_rank(0, 4)
    for index in (1, 2):
        merged = c.merge(merged, c.with_rank(index, 4))
    return merged


@LRNGrad.kernel("CPU", T=_TYPES)
def _lrn_grad_cpu(
    input_grads: np.ndarray,
    input_image: np.ndarray,
    output_image: np.ndarray,
    *,
    depth_radius: int,
    bias: float,
    alpha: float,
    beta: float,
) -> np.ndarray:
    return kernels.local_response_norm_gradient(
        input_grads, input_image, output_image, depth_radius, bias, alpha, beta
    )


LRNGrad.without_gradient("TensorFlow gives it no gradient")

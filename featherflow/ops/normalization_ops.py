"""Normalization by given statistics and to unit length, made of elementwise ops."""

from __future__ import annotations

from typing import Any

from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import multiply, square
from featherflow.ops.cast_ops import cast
from featherflow.ops.complex_ops import complex, imag, real
from featherflow.ops.exponential_ops import rsqrt
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.reshape_ops import renamed_argument
from featherflow.ops.sum_ops import reduce_sum


@export("nn.batch_normalization")
def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: float,
    name: str | None = None,
) -> Tensor:
    """Normalizes `x` by given statistics.

        y = scale · (x − mean) / √(variance + ε) + offset

    Args:
      x: a tensor of floats.
      mean, variance, offset, scale: broadcast to `x`. No offset and no scale are None.
      variance_epsilon: ε.
      name: of the scope of the nodes.
    Returns:
      A tensor like `x`.

    See: Ioffe & Szegedy 2015, "Batch normalization".
    """
    with op_scope(name, "batchnorm", [x, mean, variance, scale, offset]):
        inverse = rsqrt(variance + variance_epsilon)
        if scale is not None:
            inverse = inverse * scale
        # The vectors of channels are combined first, so that x is passed over only twice.
        scaled = x * cast(inverse, x.dtype)
        shift = -mean * inverse if offset is None else offset - mean * inverse
        return scaled + cast(shift, x.dtype)


@export_v1("nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    t: Any = None,
    m: Any = None,
    v: Any = None,
    beta: Any = None,
    gamma: Any = None,
    variance_epsilon: float | None = None,
    scale_after_normalization: bool | None = None,
    name: str | None = None,
    input: Any = None,
    mean: Any = None,
    variance: Any = None,
) -> Tensor:
    """`batch_normalization` under TF1's first name.

    Args:
      t: `[N, H, W, C]`.
      m, v: mean and variance, `[C]`.
      beta, gamma: offset and scale, `[C]`.
      variance_epsilon: ε.
      scale_after_normalization: whether `gamma` is used.
      name: of the scope of the nodes.
      input, mean, variance: other names of `t`, `m`, `v`.
    Returns:
      A tensor like `t`.
    """
    return batch_normalization(
        renamed_argument("input", input, "t", t),
        renamed_argument("mean", mean, "m", m),
        renamed_argument("variance", variance, "v", v),
        beta,
        gamma if scale_after_normalization else None,
        variance_epsilon,  # type: ignore[arg-type]
        name,
    )


@export("nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization_v2(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: float,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """`batch_norm_with_global_normalization` with TF2's names."""
    return batch_norm_with_global_normalization(
        input, mean, variance, beta, gamma, variance_epsilon, scale_after_normalization, name
    )


@export("math.l2_normalize", "nn.l2_normalize", "linalg.l2_normalize")
def l2_normalize(
    x: Any,
    axis: Any = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Any = None,
) -> Tensor:
    """`x` divided by its Euclidean length along `axis`.

        y = x / √max(Σ |x|², ε)

    Args:
      x: floats or complex numbers.
      axis: a dimension or list of them; None for all.
      epsilon: ε, where zeros stay zeros.
      name: of the node.
      dim: an older name of `axis`.
    Returns:
      A tensor like `x`.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.math.l2_normalize([3.0, 4.0])).round(6).tolist()
    [0.6000000238418579, 0.800000011920929]
    """
    axis = renamed_argument("axis", axis, "dim", dim)
    with op_scope(name, "l2_normalize", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_complex:
            total = reduce_sum(square(x), axis, keepdims=True)
            return multiply(x, rsqrt(maximum(total, epsilon)), name=scope)
        squares: Any = square(real(x))
        total = real(reduce_sum(squares + square(imag(x)), axis, keepdims=True))
        inverse = rsqrt(maximum(total, epsilon))
        return complex(multiply(real(x), inverse), multiply(imag(x), inverse), name=scope)

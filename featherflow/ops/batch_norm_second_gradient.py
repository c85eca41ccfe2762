"""The gradient of batch normalization's gradient, made of ops that can be differentiated again.

With x̂ = (x − μ) r, r = 1/√(v + ε) and means over all but the channels, the first gradient is

    x' = γ r P(g)          γ' = Σ g x̂          β' = Σ g          P(g) = g − mean(g) − x̂ mean(g x̂)

in training, and P(g) = g where μ and v are given. Let X, S, B be the gradients of x', γ', β'. P is
its own transpose, so that

    along g:  γ r P(X) + S x̂ + B                       along γ:  r Σ g P(X)
    along x:  r P(q) − γ r² x̂ mean(g P(X))             q = S g − γ r (mean(g x̂) X + mean(X x̂) g)

of which only r S g is left along x where μ and v are given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from featherflow.framework import dtypes
from featherflow.graph.tensor import Tensor
from featherflow.kernels.windows import is_channels_first
from featherflow.ops.cast_ops import cast
from featherflow.ops.exponential_ops import rsqrt
from featherflow.ops.reduction_ops import reduce_mean
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.sum_ops import reduce_sum


class _Layout:
    """Sums, means and vectors of an image with one number per channel."""

    def __init__(self, data_format: str) -> None:
        rank = len(data_format)
        channels = 1 if is_channels_first(data_format) else rank - 1
        self.others = [axis for axis in range(rank) if axis != channels]
        self.vector_shape = [-1 if axis == channels else 1 for axis in range(rank)]

    def broadcast(self, vector: Tensor) -> Any:
        return reshape(vector, self.vector_shape)

    def mean(self, image: Any) -> Any:
        return reduce_mean(image, self.others, keepdims=True)

    def sum(self, image: Any) -> Any:
        return reduce_sum(image, self.others)


def second_gradient(
    y_gradient: Tensor,
    x: Tensor,
    scale: Tensor,
    mean: Tensor,
    variance: Any,
    grad_x: Tensor,
    grad_scale: Tensor,
    grad_offset: Tensor,
    attrs: Mapping[str, Any],
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of `y_gradient`, `x` and `scale`; the formulas are the module's.

    Args:
      y_gradient, x: g and x, of one shape.
      scale, mean, variance: γ, μ and v, `[C]`; the batch's own μ and v in training.
      grad_x, grad_scale, grad_offset: X, S and B.
      attrs: epsilon, data_format, is_training.
    """
    layout = _Layout(attrs["data_format"])
    g, x32, grad_x32 = (cast(image, dtypes.float32) for image in (y_gradient, x, grad_x))
    inverse: Any = rsqrt(variance + attrs["epsilon"])
    r, gamma, s, b = map(layout.broadcast, (inverse, scale, grad_scale, grad_offset))
    normalized = (x32 - layout.broadcast(mean)) * r

    def project(image: Any) -> Any:
        if not attrs["is_training"]:
            return image
        return image - layout.mean(image) - normalized * layout.mean(image * normalized)

    projected = project(grad_x32)
    along_g = gamma * r * projected + s * normalized + b
    along_scale = inverse * layout.sum(g * projected)
    if attrs["is_training"]:
        shared = layout.mean(g * normalized) * grad_x32 + layout.mean(grad_x32 * normalized) * g
        along_x = r * project(s * g - gamma * r * shared)
        along_x -= gamma * r * r * normalized * layout.mean(g * projected)
    else:
        along_x = r * s * g
    return cast(along_g, x.dtype), cast(along_x, x.dtype), along_scale

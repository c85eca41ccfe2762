"""What fused ops do with a convolution or product: a bias or normalization, a sum, an activation.

    fused_ops = ["BiasAdd", "Add", "Relu"]        max(product + bias + other, 0)

The names are those of TensorFlow's graph optimizer. Channels are the last dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from featherflow.framework.errors import InvalidArgumentError, UnimplementedError
from featherflow.kernels import activations
from featherflow.kernels.elementwise import sigmoid
from featherflow.kernels.error_functions import erf
from featherflow.kernels.precision import compute_dtype


def gelu(features: np.ndarray) -> np.ndarray:
    """x Φ(x), with the distribution function Φ of the standard normal distribution."""
    number = features.dtype.type
    return features * number(0.5) * (1 + erf(features * number(np.sqrt(0.5))))


def gelu_approximate(features: np.ndarray) -> np.ndarray:
    """x Φ(x), with Φ(x) ≈ ½ (1 + tanh(√(2/π) (x + 0.044715 x³))).

    See: Hendrycks & Gimpel 2016, "Gaussian error linear units".
    """
    number = features.dtype.type
    inner = number(np.sqrt(2 / np.pi)) * (features + number(0.044715) * features**3)
    return features * number(0.5) * (1 + np.tanh(inner))


ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "Relu": activations.relu,
    "Relu6": activations.relu6,
    "Elu": activations.elu,
    "Tanh": np.tanh,
    "Sigmoid": sigmoid,
    "GeluExact": gelu,
    "GeluApproximate": gelu_approximate,
}


def apply_epilogue(
    product: np.ndarray,
    fused_ops: Sequence[str],
    args: Sequence[np.ndarray],
    epsilon: float = 0.0001,
    leakyrelu_alpha: float = 0.2,
) -> np.ndarray:
    """`product` after each of the fused ops, in its dtype.

    Args:
      product: `[…, C]`; narrow floats are computed in float32 and rounded once.
      fused_ops: names, in order.
      args: what the ops take: a bias `[C]`, another summand like `product`, or scale, offset, mean
        and variance `[C]`.
      epsilon: of the normalization.
      leakyrelu_alpha: of a leaky ReLU.

    Raises:
      InvalidArgumentError: there is no fused op, or arguments do not fit.
      UnimplementedError: an op is not known.
    """
    if not fused_ops:
        raise InvalidArgumentError(None, None, "There must be at least one fused op")
    dtype = compute_dtype(product.dtype)
    values = product.astype(dtype, copy=False)
    rest = iter([arg.astype(dtype, copy=False) for arg in args])
    for name in fused_ops:
        if name == "BiasAdd":
            values = values + _next_vectors(rest, values, 1)[0]
        elif name == "Add":
            values = values + _next(rest, values.shape)
        elif name == "FusedBatchNorm":
            scale, offset, mean, variance = _next_vectors(rest, values, 4)
            factor = scale / np.sqrt(variance + dtype.type(epsilon))
            values = (values - mean) * factor + offset
        elif name == "LeakyRelu":
            values = activations.leaky_relu(values, alpha=leakyrelu_alpha)
        elif name in ACTIVATIONS:
            values = ACTIVATIONS[name](values)
        else:
            raise UnimplementedError(
                None,
                None,
                f"Fusion is not implemented: [{','.join(fused_ops)}]",
                expected=f"BiasAdd, FusedBatchNorm, Add, LeakyRelu, {', '.join(ACTIVATIONS)}",
            )
    return values.astype(product.dtype, copy=False)


def _next_vectors(rest: Iterator[np.ndarray], values: np.ndarray, count: int) -> list[np.ndarray]:
    return [_next(rest, values.shape[-1:]) for _ in range(count)]


def _next(rest: Iterator[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """The next argument, which must have this shape."""
    arg = next(rest, None)
    if arg is None or arg.shape != shape:
        raise InvalidArgumentError(
            None,
            None,
            "A fused op lacks an argument, or it has the wrong shape",
            received="none" if arg is None else f"shape {list(arg.shape)}",
            expected=f"shape {list(shape)}",
        )
    return arg

"""Running sums and products along an axis: Cumsum, Cumprod, CumulativeLogsumexp."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import unchanged_shape
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import scans
from featherflow.kernels.reductions import single_axis
from featherflow.ops.arithmetic_ops import AddV2, Mul, Neg, Sub
from featherflow.ops.comparison_ops import Less
from featherflow.ops.complex_ops import conj
from featherflow.ops.constant_ops import constant
from featherflow.ops.division_ops import DivNoNan
from featherflow.ops.exponential_ops import Exp, Log
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.sum_ops import REDUCTION_TYPES
from featherflow.ops.type_groups import FLOATS, NUMBERS, Types, one_of


def _define_scan(name: str, ufunc: np.ufunc, types: str, kernel_types: Types) -> Op:
    op = define_op(
        name,
        inputs=("x: T", "axis: Tidx"),
        outputs=("out: T",),
        attrs=(
            "exclusive: bool = false",
            "reverse: bool = false",
            f"T: {types}",
            "Tidx: {int32, int64} = int32",
        ),
    )
    op.shape_fn(unchanged_shape)

    def scan_cpu(x: np.ndarray, axis: np.ndarray, *, exclusive: bool, reverse: bool) -> np.ndarray:
        return scans.cumulative(ufunc, x, single_axis(axis, x.ndim), exclusive, reverse)

    op.kernel("CPU", T=kernel_types)(scan_cpu)
    return op


def _scan(op: Op, x: Any, axis: Any, exclusive: bool, reverse: bool, name: str | None) -> Tensor:
    with op_scope(name, op.name, [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return op(x, axis, exclusive=exclusive, reverse=reverse, name=scope)


# --- Cumsum ---------------------------------------------------------------------------------------

Cumsum = _define_scan("Cumsum", np.add, REDUCTION_TYPES, NUMBERS)


@Cumsum.gradient
def _cumsum_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return _reversed_sum(op, grad), None


def _reversed_sum(op: Any, value: Tensor) -> Tensor:
    """The running sum from the other end than that of `op`."""
    attrs = op.attrs
    return Cumsum(value, op.inputs[1], exclusive=attrs["exclusive"], reverse=not attrs["reverse"])


@export("math.cumsum", "cumsum")
def cumsum(
    x: Any,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """out[i] = Σ_{j ≤ i} x[j] along `axis`.

    Args:
      x: numbers.
      axis: a scalar.
      exclusive: sums over j < i.
      reverse: sums over j ≥ i, or j > i.
      name: of the node.
    Returns:
      A tensor of the shape and dtype of `x`.
    Raises:
      InvalidArgumentError: `axis` is out of range.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.cumsum([1, 2, 3], exclusive=True, reverse=True)).tolist()
    [5, 3, 0]
    """
    return _scan(Cumsum, x, axis, exclusive, reverse, name)


# --- Cumprod --------------------------------------------------------------------------------------

Cumprod = _define_scan("Cumprod", np.multiply, REDUCTION_TYPES, NUMBERS)


@Cumprod.gradient
def _cumprod_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    # ∂out[i]/∂x[j] = out[i] / x[j]; as in TensorFlow, the gradient along a zero is 0.
    total = _reversed_sum(op, Mul(conj(op.outputs[0]), grad))
    return DivNoNan(total, conj(op.inputs[0])), None


@export("math.cumprod")
@export_v1("cumprod")
def cumprod(
    x: Any,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """out[i] = ∏_{j ≤ i} x[j] along `axis`; arguments as for `cumsum`."""
    return _scan(Cumprod, x, axis, exclusive, reverse, name)


# --- CumulativeLogsumexp --------------------------------------------------------------------------

CumulativeLogsumexp = _define_scan("CumulativeLogsumexp", np.logaddexp, one_of(FLOATS), FLOATS)


@CumulativeLogsumexp.gradient
def _cumulative_logsumexp_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    # Σ_i grad[i] exp(x[j] − out[i]), with the exponents summed in the domain of logarithms, once
    # for the positive gradients and once for the negative ones.
    x, out = op.inputs[0], op.outputs[0]
    lowest = constant(x.dtype.base_dtype.min, x.dtype.base_dtype)
    zero, one = (constant(value, x.dtype.base_dtype) for value in (0, 1))

    def part(magnitude: Tensor) -> Tensor:
        is_part = Less(zero, magnitude)
        logs = SelectV2(is_part, Log(SelectV2(is_part, magnitude, one)), lowest)
        total = CumulativeLogsumexp(
            Sub(logs, out),
            op.inputs[1],
            exclusive=op.attrs["exclusive"],
            reverse=not op.attrs["reverse"],
        )
        return Exp(AddV2(total, x))

    return Sub(part(grad), part(Neg(grad))), None


@export("math.cumulative_logsumexp")
def cumulative_logsumexp(
    x: Any,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """out[i] = log Σ_{j ≤ i} exp(x[j]) along `axis`; arguments as for `cumsum`."""
    return _scan(CumulativeLogsumexp, x, axis, exclusive, reverse, name)

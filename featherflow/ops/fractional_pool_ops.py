"""Fractional pooling: FractionalMaxPool, FractionalAvgPool and their gradients.

The arithmetic, and how regions are drawn, is in `kernels/fractional_pool.py`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from featherflow.framework.dtypes import int64
from featherflow.framework.errors import InvalidArgumentError, UnimplementedError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.op_kernel import NodeInfo, OpKernel
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_api import get_seed
from featherflow.graph.tensor import Tensor
from featherflow.kernels import fractional_pool as kernels
from featherflow.kernels.allocation import check_allocation
from featherflow.kernels.philox import PhiloxGenerator
from featherflow.ops.shape_ops import shape as shape_of

_T = "T: {float, double, int32, int64}"
_SEQUENCES = ("row_pooling_sequence: int64", "col_pooling_sequence: int64")
_NO_GRADIENT = "TensorFlow gives it no gradient"

# --- the pools ------------------------------------------------------------------------------------


class _FractionalPoolCpu(OpKernel):
    """Draws its regions anew in each run; the same ones if it is deterministic."""

    pool: Callable[..., np.ndarray]

    def __init__(self, node: NodeInfo) -> None:
        super().__init__(node)
        ratio = node.attrs["pooling_ratio"]
        if ratio[0] != 1 or ratio[3] != 1:
            raise UnimplementedError(
                None,
                None,
                "Fractional pooling is not yet supported on the batch nor channel dimension",
                received=f"pooling_ratio {list(ratio)}",
            )
        self.seeds = node.attrs["seed"], node.attrs["seed2"]
        if any(self.seeds) and not node.attrs["deterministic"]:
            raise InvalidArgumentError(
                None,
                None,
                "Both seed and seed2 should be 0 if deterministic is false",
                received=f"seeds {self.seeds}",
            )
        if not any(self.seeds) and node.attrs["deterministic"]:
            self.seeds = int.from_bytes(os.urandom(7), "little") + 1, 0

    def compute(self, ctx: Any, value: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        attrs = self.node.attrs
        _check_image(value, attrs["pooling_ratio"])
        generator = PhiloxGenerator(*self.seeds)
        rows, columns = (
            kernels.pooling_sequence(
                size, _pooled_size(size, ratio), generator, attrs["pseudo_random"]
            )
            for size, ratio in zip(value.shape[1:3], attrs["pooling_ratio"][1:3])
        )
        pooled = type(self).pool(value, rows, columns, attrs["overlapping"])
        return np.ascontiguousarray(pooled), rows, columns


def _pooled_size(size: int, ratio: float) -> int:
    return int(np.floor(size / np.float32(ratio)))


def _check_image(value: np.ndarray, ratio: Sequence[float]) -> None:
    if value.ndim != 4:
        raise InvalidArgumentError(
            None, None, "value must be 4-dimensional", received=f"shape {list(value.shape)}"
        )
    for place, (size, one) in enumerate(zip(value.shape, ratio)):
        if size < one:
            raise InvalidArgumentError(
                None,
                None,
                f"Pooling ratio is higher than input dimension size for dimension {place}",
                received=f"size {size}, pooling ratio {one}",
            )


class _FractionalMaxPoolCpu(_FractionalPoolCpu):
    pool = staticmethod(kernels.max_of_regions)


class _FractionalAvgPoolCpu(_FractionalPoolCpu):
    pool = staticmethod(kernels.mean_of_regions)


def _define_pool(name: str, kernel: type[OpKernel]) -> Op:
    # Its regions differ from run to run: no constant, though it has no state.
    op = define_op(
        name,
        foldable=False,
        inputs=("value: T",),
        outputs=("output: T", *_SEQUENCES),
        attrs=(
            "pooling_ratio: list(float) >= 4",
            "pseudo_random: bool = false",
            "overlapping: bool = false",
            "deterministic: bool = false",
            "seed: int = 0",
            "seed2: int = 0",
            _T,
        ),
    )
    op.kernel("CPU")(kernel)
    op.shape_fn(_fractional_pool_shape)
    return op


def _fractional_pool_shape(c: InferenceContext) -> list[TensorShape]:
    dims, ratios = c.dims(0, 4), c.attrs["pooling_ratio"]
    if len(ratios) != 4:
        c.fail("pooling_ratio field must specify 4 dimensions", received=list(ratios))
    sizes = []
    for place, (size, ratio) in enumerate(zip(dims, ratios)):
        pooled = None if size is None else _pooled_size(size, ratio)
        if pooled is not None and pooled < 0:
            c.fail(f"Size computed for dim {place} is negative: {pooled}")
        sizes.append(pooled)
    for ratio in ratios:
        if ratio < 1:
            c.fail("pooling_ratio cannot be smaller than 1", received=ratio)
    rows, columns = (TensorShape._of((size,)) for size in sizes[1:3])
    return [TensorShape._of(tuple(sizes)), rows, columns]


FractionalMaxPool = _define_pool("FractionalMaxPool", _FractionalMaxPoolCpu)
FractionalAvgPool = _define_pool("FractionalAvgPool", _FractionalAvgPoolCpu)


@FractionalMaxPool.gradient
def _fractional_max_pool_grad(op: Any, grad: Tensor, *of_sequences: Any) -> Tensor:
    output, rows, columns = op.outputs
    overlapping = op.attrs["overlapping"]
    return FractionalMaxPoolGrad(op.inputs[0], output, grad, rows, columns, overlapping=overlapping)


@FractionalAvgPool.gradient
def _fractional_avg_pool_grad(op: Any, grad: Tensor, *of_sequences: Any) -> Tensor:
    _, rows, columns = op.outputs
    sizes = op.inputs[0].shape
    input_shape: Any = (
        sizes.as_list() if sizes.is_fully_defined() else shape_of(op.inputs[0], out_type=int64)
    )
    overlapping = op.attrs["overlapping"]
    return FractionalAvgPoolGrad(input_shape, grad, rows, columns, overlapping=overlapping)


# --- FractionalMaxPoolGrad ------------------------------------------------------------------------

FractionalMaxPoolGrad = define_op(
    "FractionalMaxPoolGrad",
    inputs=("orig_input: T", "orig_output: T", "out_backprop: T", *_SEQUENCES),
    outputs=("output: T",),
    attrs=("overlapping: bool = false", _T),
)


@FractionalMaxPoolGrad.shape_fn
def _fractional_max_pool_grad_shape(c: InferenceContext) -> TensorShape:
    return c.with_rank(0, 4)


@FractionalMaxPoolGrad.kernel("CPU")
def _fractional_max_pool_grad_cpu(
    orig_input: np.ndarray,
    orig_output: np.ndarray,
    out_backprop: np.ndarray,
    row_pooling_sequence: np.ndarray,
    col_pooling_sequence: np.ndarray,
    *,
    overlapping: bool,
) -> np.ndarray:
    sequences = row_pooling_sequence, col_pooling_sequence
    for gradient in (orig_output, out_backprop):
        _check_gradient(orig_input.shape, gradient, *sequences)
    return kernels.max_gradient(orig_input, out_backprop, *sequences, overlapping)


def _check_gradient(
    shape: Sequence[int], gradient: np.ndarray, rows: np.ndarray, columns: np.ndarray
) -> None:
    if len(shape) != 4 or 0 in shape:
        raise InvalidArgumentError(
            None, None, "The input must have four dimensions, none empty", received=list(shape)
        )
    kernels.check_sequence(rows, shape[1], "row_pooling_sequence")
    kernels.check_sequence(columns, shape[2], "col_pooling_sequence")
    wanted = (shape[0], len(rows) - 1, len(columns) - 1, shape[3])
    if gradient.shape != wanted:
        raise InvalidArgumentError(
            None,
            None,
            "Output or gradient does not fit the pooling sequences",
            received=f"shape {list(gradient.shape)}",
            expected=f"shape {list(wanted)}",
        )


FractionalMaxPoolGrad.without_gradient(_NO_GRADIENT)

# --- FractionalAvgPoolGrad ------------------------------------------------------------------------

FractionalAvgPoolGrad = define_op(
    "FractionalAvgPoolGrad",
    inputs=("orig_input_tensor_shape: int64", "out_backprop: T", *_SEQUENCES),
    outputs=("output: T",),
    attrs=("overlapping: bool = false", _T),
)


@FractionalAvgPoolGrad.shape_fn
def _fractional_avg_pool_grad_shape(c: InferenceContext) -> TensorShape:
    if c.constant(0) is None:
        return TensorShape._of((None,) * 4)
    return c.constant_as_shape(0)


@FractionalAvgPoolGrad.kernel("CPU")
def _fractional_avg_pool_grad_cpu(
    orig_input_tensor_shape: np.ndarray,
    out_backprop: np.ndarray,
    row_pooling_sequence: np.ndarray,
    col_pooling_sequence: np.ndarray,
    *,
    overlapping: bool,
) -> np.ndarray:
    shape = tuple(orig_input_tensor_shape.ravel().tolist())
    if orig_input_tensor_shape.shape != (4,) or min(shape) <= 0:
        raise InvalidArgumentError(
            None,
            None,
            "original input tensor shape must be 1-dimensional and have 4 positive elements",
            received=str(orig_input_tensor_shape.tolist()),
        )
    sequences = row_pooling_sequence, col_pooling_sequence
    check_allocation(shape, out_backprop.dtype)
    _check_gradient(shape, out_backprop, *sequences)
    return kernels.mean_gradient(shape, out_backprop, *sequences, overlapping)


FractionalAvgPoolGrad.without_gradient(_NO_GRADIENT)


# --- public functions -----------------------------------------------------------------------------


@export_v1("nn.fractional_max_pool")
def fractional_max_pool(
    value: Any,
    pooling_ratio: Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Any:
    """The maximum of regions whose borders are drawn at random.

    Args:
      value: `[N, H, W, C]`; float32, float64, int32 or int64.
      pooling_ratio: how many times smaller the output is, one per dimension; 1 or more, and 1 for
        batch and channels.
      pseudo_random: whether the lengths of regions follow from one random number, which makes them
        more even, or are drawn one by one.
      overlapping: whether neighbouring regions share their border.
      deterministic: whether each run draws the same regions; only then may there be seeds.
      seed, seed2: of the regions.
      name: of the node.
    Returns:
      A named tuple `(output, row_pooling_sequence, col_pooling_sequence)`: `[N, ⌊H / r⌋, ⌊W / s⌋,
      C]`, and the borders of the regions.
    Raises:
      ValueError: a ratio is below 1, or there are not four.

    See: Graham 2014, "Fractional max-pooling".
    """
    return FractionalMaxPool(
        value,
        pooling_ratio=pooling_ratio,
        pseudo_random=pseudo_random,
        overlapping=overlapping,
        deterministic=deterministic,
        seed=seed,
        seed2=seed2,
        name=name,
    )


@export("nn.fractional_max_pool")
def fractional_max_pool_v2(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """`fractional_max_pool`, deterministic if there is a seed; one ratio serves both dimensions."""
    ratio = list(pooling_ratio) if isinstance(pooling_ratio, (list, tuple)) else [pooling_ratio]
    if len(ratio) == 1 and not isinstance(pooling_ratio, (list, tuple)):
        ratio = [1.0, ratio[0], ratio[0], 1.0]
    if ratio[0] != 1.0 or ratio[-1] != 1.0:
        raise ValueError(
            "`pooling_ratio` should have first and last elements with value 1.0. "
            f"Received: pooling_ratio={pooling_ratio}"
        )
    return fractional_max_pool(
        value, ratio, pseudo_random, overlapping, **_seeds_of(seed), name=name
    )


@export_v1("nn.fractional_avg_pool")
def fractional_avg_pool(
    value: Any,
    pooling_ratio: Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    deterministic: bool = False,
    seed: int = 0,
    seed2: int = 0,
    name: str | None = None,
) -> Any:
    """The mean of regions whose borders are drawn at random; see `fractional_max_pool`."""
    return FractionalAvgPool(
        value,
        pooling_ratio=pooling_ratio,
        pseudo_random=pseudo_random,
        overlapping=overlapping,
        deterministic=deterministic,
        seed=seed,
        seed2=seed2,
        name=name,
    )


@export("nn.fractional_avg_pool")
def fractional_avg_pool_v2(
    value: Any,
    pooling_ratio: Sequence[float],
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> Any:
    """`fractional_avg_pool`, deterministic if there is a seed."""
    return fractional_avg_pool(
        value, pooling_ratio, pseudo_random, overlapping, **_seeds_of(seed), name=name
    )


def _seeds_of(seed: int) -> dict[str, Any]:
    if seed == 0:
        return {"deterministic": False, "seed": 0, "seed2": 0}
    first, second = get_seed(seed)
    return {"deterministic": True, "seed": first, "seed2": second}

"""GatherNd and the scatters of slices, each the other's gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.tensor import Tensor
from featherflow.kernels import gathering
from featherflow.kernels.allocation import check_allocation
from featherflow.ops.arithmetic_ops import Neg
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import Equal
from featherflow.ops.core_array_ops import concat
from featherflow.ops.division_ops import RealDiv
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import reshape, squeeze
from featherflow.ops.shape_ops import shape as shape_of

_POLICY = "bad_indices_policy: string = ''"

# --- GatherNd -------------------------------------------------------------------------------------

GatherNd = define_op(
    "GatherNd",
    inputs=("params: Tparams", "indices: Tindices"),
    outputs=("output: Tparams",),
    attrs=("Tparams: type", "Tindices: {int16, int32, int64}", _POLICY),
)


@GatherNd.shape_fn
def _gather_nd_shape(c: InferenceContext) -> TensorShape:
    params, indices = c.shapes[0]._dims, c.with_rank_at_least(1, 1)._dims
    if params is None or indices is None or indices[-1] is None:
        return UNKNOWN
    if indices[-1] > len(params):
        c.fail("indices.shape[-1] must be <= params.rank", received=c.received())
    return TensorShape._of(indices[:-1] + params[indices[-1] :])


@GatherNd.kernel("CPU")
def _gather_nd_cpu(
    params: np.ndarray, indices: np.ndarray, *, bad_indices_policy: str
) -> np.ndarray:
    return gathering.gather_nd(params, indices, bad_indices_policy)


@GatherNd.gradient
def _gather_nd_grad(op: Any, grad: Tensor) -> tuple[Any, None]:
    params, indices = op.inputs
    shape = shape_of(params, out_type=indices.dtype.base_dtype)
    if indices.shape.rank == 2 and indices.shape._dims[-1] == 1:
        return IndexedSlices(grad, squeeze(indices, axis=-1), shape), None
    policy = op.attrs["bad_indices_policy"]
    return ScatterNd(indices, grad, shape, bad_indices_policy=policy), None


@export_v1("gather_nd", "manip.gather_nd")
def gather_nd(
    params: Any,
    indices: Any,
    name: str | None = None,
    batch_dims: int = 0,
    bad_indices_policy: str = "",
) -> Tensor:
    """Slices of `params`: output[i…, …] = params[indices[i…], …].

    Args:
      params: a tensor of rank R.
      indices: [I…, K], the first K ≤ R indices of each slice.
      name: of the node.
      batch_dims: how many leading dimensions `params` and `indices` share.
      bad_indices_policy: "IGNORE" gives zeros for indices that are out of range.
    Returns:
      A tensor `indices.shape[:-1] + params.shape[K:]`, less the shared dimensions of `params`.
    Raises:
      InvalidArgumentError: an index is out of range.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]])).tolist()
    [2, 3]
    """
    if batch_dims:
        return _batch_gather_nd(params, indices, batch_dims, name, bad_indices_policy)
    if hasattr(params, "gather_nd"):  # a variable reads only the slices that are asked for
        return params.gather_nd(indices, name=name)
    return GatherNd(params, indices, bad_indices_policy=bad_indices_policy, name=name)


def _batch_gather_nd(
    params: Any, indices: Any, batch_dims: int, name: str | None, policy: str
) -> Tensor:
    """The batch dimensions as one, whose index comes first in each index vector."""
    with name_scope(name, "BatchGatherND", [params, indices]):
        params = convert_to_tensor(params, name="params")
        indices = convert_to_tensor(indices, name="indices")
        rank = indices.shape.rank
        if rank is None:
            raise ValueError("tf.gather_nd with batch_dims needs indices of known rank.")
        if not 0 <= batch_dims < rank:
            raise ValueError(f"batch_dims = {batch_dims} must be less than rank(indices) = {rank}")
        params_shape: Any = shape_of(params)
        indices_shape: Any = shape_of(indices)
        batch_shape = params_shape[:batch_dims]
        flat = reshape(params, concat([[-1], params_shape[batch_dims:]], 0))
        count = shape_of(flat)[0]  # type: ignore[index]
        batch_places = reshape(range_(count), [-1] + [1] * (rank - batch_dims))
        inner: Any = reshape(indices, concat([[-1], indices_shape[batch_dims:]], 0))
        places = zeros_like(inner[..., :1]) + cast(batch_places, indices.dtype)
        result = GatherNd(flat, concat([places, inner], -1), bad_indices_policy=policy)
        result_shape: Any = shape_of(result)
        return reshape(result, concat([batch_shape, result_shape[1:]], 0))


@export("gather_nd")
def gather_nd_v2(
    params: Any,
    indices: Any,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """`gather_nd` with TF2's order of arguments."""
    return gather_nd(params, indices, name, batch_dims, bad_indices_policy)


# --- ScatterNd ------------------------------------------------------------------------------------

ScatterNd = define_op(
    "ScatterNd",
    inputs=("indices: Tindices", "updates: T", "shape: Tindices"),
    outputs=("output: T",),
    attrs=("T: type", "Tindices: {int16, int32, int64}", _POLICY),
)


@ScatterNd.shape_fn
def _scatter_nd_shape(c: InferenceContext) -> TensorShape:
    output = c.constant_as_shape(2)
    _check_updates(c, c.shapes[0], c.shapes[1], output)
    return output


def _check_updates(
    c: InferenceContext, indices: TensorShape, updates: TensorShape, output: TensorShape
) -> None:
    """updates.shape = indices.shape[:-1] + output.shape[indices.shape[-1]:], as far as known."""
    if indices._dims is None or updates._dims is None:
        return
    if not indices._dims:
        c.fail("Shape must be at least rank 1 but is rank 0", received=c.received())
    is_given = any(shape.num_elements() for shape in (indices, updates))
    if 0 in (output._dims or ()) and is_given:
        c.fail("Indices and updates are given for an empty tensor", received=c.received())
    outer = len(indices._dims) - 1
    depth = indices._dims[-1]
    if depth is None:
        return
    if len(updates._dims) < outer:
        c.fail(f"Updates must be at least rank {outer}", received=c.received())
    for left, right in zip(indices._dims[:-1], updates._dims):
        c.merge_dim(left, right)
    if output._dims is None:
        return
    inner = output._dims[depth:]
    if depth > len(output._dims) or len(updates._dims) != outer + len(inner):
        c.fail(f"Updates must be rank {outer + len(inner)}", received=c.received())
    for left, right in zip(updates._dims[outer:], inner):
        c.merge_dim(left, right)


@ScatterNd.kernel("CPU")
def _scatter_nd_cpu(
    indices: np.ndarray, updates: np.ndarray, shape: np.ndarray, *, bad_indices_policy: str
) -> np.ndarray:
    empty = b"" if updates.dtype == object else 0
    check_allocation(shape, updates.dtype)
    target = np.full(shape.tolist(), empty, dtype=updates.dtype)
    return gathering.scatter_nd(target, indices, updates, np.add, bad_indices_policy)


@ScatterNd.gradient
def _scatter_nd_grad(op: Any, grad: Tensor) -> tuple[None, Tensor, None]:
    policy = op.attrs["bad_indices_policy"]
    return None, GatherNd(grad, op.inputs[0], bad_indices_policy=policy), None


@export("scatter_nd")
@export_v1("manip.scatter_nd")
def scatter_nd(
    indices: Any, updates: Any, shape: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Zeros of `shape` to which `updates` are added: output[indices[i], …] += updates[i, …].

    Args:
      indices: [I…, K], the first K ≤ rank indices of each slice.
      updates: `indices.shape[:-1] + shape[K:]`; those of one place add up.
      shape: an integer vector.
      bad_indices_policy: "IGNORE" leaves out indices that are out of range.
      name: of the node.
    Returns:
      A tensor of the dtype of `updates`.
    Raises:
      InvalidArgumentError: an index is out of range.
    """
    return ScatterNd(indices, updates, shape, bad_indices_policy=bad_indices_policy, name=name)


# --- scatters into a tensor -----------------------------------------------------------------------


def _define_tensor_scatter(
    name: str,
    combine: np.ufunc | None,
    *,
    first: str = "tensor",
    attrs: tuple[str, ...] = ("T: type", "Tindices: {int32, int64}"),
) -> Op:
    """`tensor` with updates at some places; `combine` is None where they overwrite."""
    op = define_op(
        name,
        inputs=(f"{first}: T", "indices: Tindices", "updates: T"),
        outputs=("output: T",),
        attrs=(*attrs, _POLICY),
    )

    @op.shape_fn
    def shape(c: InferenceContext) -> TensorShape:
        _check_updates(c, c.shapes[1], c.shapes[2], c.with_rank_at_least(0, 1))
        return c.shapes[0]

    @op.kernel("CPU")
    def cpu(
        tensor: np.ndarray, indices: np.ndarray, updates: np.ndarray, *, bad_indices_policy: str
    ) -> np.ndarray:
        return gathering.scatter_nd(tensor.copy(), indices, updates, combine, bad_indices_policy)

    return op


TensorScatterUpdate = _define_tensor_scatter(
    "TensorScatterUpdate", None, attrs=("T: type", "Tindices: {int16, int32, int64, uint16}")
)
TensorScatterAdd = _define_tensor_scatter("TensorScatterAdd", np.add)
TensorScatterSub = _define_tensor_scatter("TensorScatterSub", np.subtract)
TensorScatterMax = _define_tensor_scatter("TensorScatterMax", np.maximum)
TensorScatterMin = _define_tensor_scatter("TensorScatterMin", np.minimum)
ScatterNdNonAliasingAdd = _define_tensor_scatter(
    "ScatterNdNonAliasingAdd",
    np.add,
    first="input",
    attrs=(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
        "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, bool}",
        "Tindices: {int32, int64}",
    ),
)


@TensorScatterUpdate.gradient
def _tensor_scatter_update_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, Tensor]:
    _, indices, updates = op.inputs
    tensor_grad = TensorScatterUpdate(grad, indices, zeros_like(updates))
    return tensor_grad, None, GatherNd(grad, indices)


@TensorScatterAdd.gradient
@ScatterNdNonAliasingAdd.gradient
def _tensor_scatter_add_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, Tensor]:
    return grad, None, GatherNd(grad, op.inputs[1])


@TensorScatterSub.gradient
def _tensor_scatter_sub_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, Tensor]:
    return grad, None, Neg(GatherNd(grad, op.inputs[1]))


@TensorScatterMax.gradient
@TensorScatterMin.gradient
def _tensor_scatter_extremum_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, Tensor]:
    """Candidates that equal the result share its gradient."""
    tensor, indices, updates = op.inputs
    output = op.outputs[0]
    tensor_wins = cast(Equal(tensor, output), grad.dtype)
    update_wins = cast(Equal(updates, GatherNd(output, indices)), grad.dtype)
    share = RealDiv(grad, TensorScatterAdd(tensor_wins, indices, update_wins))
    return tensor_wins * share, None, update_wins * GatherNd(share, indices)


@export("tensor_scatter_nd_update")
@export_v1("tensor_scatter_nd_update", "tensor_scatter_update")
def tensor_scatter_nd_update(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """`tensor` with slices replaced: output[indices[i], …] = updates[i, …].

    Args:
      tensor: a tensor.
      indices: [I…, K], the first K ≤ rank indices of each slice.
      updates: `indices.shape[:-1] + tensor.shape[K:]`.
      name: of the node.
    Returns:
      A tensor like `tensor`.
    Raises:
      InvalidArgumentError: an index is out of range.
    """
    return TensorScatterUpdate(tensor, indices, updates, name=name)


@export("tensor_scatter_nd_add")
@export_v1("tensor_scatter_nd_add", "tensor_scatter_add")
def tensor_scatter_nd_add(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """`tensor` with additions: output[indices[i], …] += updates[i, …].

    See `tensor_scatter_nd_update`; `bad_indices_policy` "IGNORE" leaves out indices out of range.
    """
    return TensorScatterAdd(
        tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name
    )


@export("tensor_scatter_nd_sub")
@export_v1("tensor_scatter_nd_sub", "tensor_scatter_sub")
def tensor_scatter_nd_sub(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """`tensor` with subtractions: output[indices[i], …] -= updates[i, …].

    See `tensor_scatter_nd_add`.
    """
    return TensorScatterSub(
        tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name
    )


@export("tensor_scatter_nd_max")
@export_v1("tensor_scatter_nd_max")
def tensor_scatter_nd_max(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """`tensor` with maxima: output[indices[i], …] = max(output[indices[i], …], updates[i, …]).

    See `tensor_scatter_nd_add`.
    """
    return TensorScatterMax(
        tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name
    )


@export("tensor_scatter_nd_min")
@export_v1("tensor_scatter_nd_min")
def tensor_scatter_nd_min(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """`tensor` with minima: output[indices[i], …] = min(output[indices[i], …], updates[i, …]).

    See `tensor_scatter_nd_add`.
    """
    return TensorScatterMin(
        tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name
    )

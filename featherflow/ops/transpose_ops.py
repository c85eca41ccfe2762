"""Transpose and its relatives: the dimensions of a tensor in another order."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels.axes import normalize_axes, normalize_axis
from featherflow.ops.core_array_ops import concat
from featherflow.ops.pack_ops import is_tensor_like
from featherflow.ops.range_ops import Range
from featherflow.ops.shape_ops import rank as rank_of

# --- InvertPermutation ----------------------------------------------------------------------------

InvertPermutation = define_op(
    "InvertPermutation",
    inputs=("x: T",),
    outputs=("y: T",),
    attrs=("T: {int32, int64} = int32",),
)


@InvertPermutation.shape_fn
def _invert_permutation_shape(c: InferenceContext) -> TensorShape:
    return c.with_rank(0, 1)


@InvertPermutation.kernel("CPU")
def _invert_permutation_cpu(x: np.ndarray) -> np.ndarray:
    if x.ndim != 1 or not np.array_equal(np.sort(x), np.arange(x.size)):
        raise InvalidArgumentError(
            None, None, f"Not a permutation of 0 … {x.size - 1}", received=str(x.tolist())
        )
    result = np.empty_like(x)
    result[x] = np.arange(x.size, dtype=x.dtype)
    return result


InvertPermutation.not_differentiable("a permutation is an integer vector")


@export("math.invert_permutation")
@export_v1("invert_permutation")
def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """The permutation y with y[x[i]] = i.

    Args:
      x: a vector that holds each of 0 … n − 1 once.
      name: of the node.
    Returns:
      A vector of the dtype of `x`.
    Raises:
      InvalidArgumentError: `x` is no permutation.
    """
    return InvertPermutation(x, name=name)


# --- Transpose and ConjugateTranspose -------------------------------------------------------------

Transpose = define_op(
    "Transpose",
    inputs=("x: T", "perm: Tperm"),
    outputs=("y: T",),
    attrs=("T: type", "Tperm: {int32, int64} = int32"),
)
ConjugateTranspose = define_op(
    "ConjugateTranspose",
    inputs=("x: T", "perm: Tperm"),
    outputs=("y: T",),
    attrs=("T: type", "Tperm: {int32, int64} = int32"),
)


@Transpose.shape_fn
@ConjugateTranspose.shape_fn
def _transpose_shape(c: InferenceContext) -> TensorShape:
    dims = c.shapes[0]._dims
    (length,) = c.with_rank(1, 1)._dims  # type: ignore[misc]
    perm = c.constant(1)
    rank = c.merge_dim(None if dims is None else len(dims), length if perm is None else perm.size)
    if rank is None:
        return UNKNOWN
    if perm is None:
        return TensorShape._of((None,) * rank)
    # That no axis is named twice is left to the run, as in TensorFlow.
    axes = [normalize_axis(axis, rank, "perm dim") for axis in perm.tolist()]
    if dims is None:
        return UNKNOWN if rank < 2 else TensorShape._of((None,) * rank)
    return TensorShape._of(tuple(dims[axis] for axis in axes))


@Transpose.kernel("CPU")
def _transpose_cpu(x: np.ndarray, perm: np.ndarray) -> np.ndarray:
    axes = normalize_axes(perm.reshape(-1).tolist(), x.ndim, "perm dim")
    if len(axes) != x.ndim:
        raise InvalidArgumentError(
            None,
            None,
            "perm must name each dimension once",
            received=f"perm {list(axes)} for an input of rank {x.ndim}",
        )
    return x.transpose(axes).copy(order="C")


@Transpose.compile_rule
def _transpose_compile(c: Any, x: Any, perm: Any) -> Any:
    axes = normalize_axes(c.known(perm).reshape(-1).tolist(), x.rank, "perm dim")
    c.require(sorted(axes) == list(range(x.rank)), "no permutation")
    return c.transpose(x, axes)


@ConjugateTranspose.kernel("CPU")
def _conjugate_transpose_cpu(x: np.ndarray, perm: np.ndarray) -> np.ndarray:
    result = _transpose_cpu(x, perm)
    return np.conjugate(result, out=result) if result.dtype.kind == "c" else result


@Transpose.gradient
def _transpose_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return transpose(grad, invert_permutation(op.inputs[1])), None


@ConjugateTranspose.gradient
def _conjugate_transpose_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return transpose(grad, invert_permutation(op.inputs[1]), conjugate=True), None


@export_v1("transpose")
def transpose(
    a: Any, perm: Any = None, name: str | None = "transpose", conjugate: bool = False
) -> Tensor:
    """y[i₀, i₁, …] = a[j₀, j₁, …] where j[perm[k]] = i[k].

    Args:
      a: a tensor of rank R.
      perm: the dimension of `a` that each one of the result is; None reverses them.
      name: of the node.
      conjugate: also conjugates the elements.
    Returns:
      A tensor.

    >>> import featherflow as tf
    >>> tf.transpose(tf.zeros([2, 3, 4]), perm=[0, 2, 1]).shape.as_list()
    [2, 4, 3]
    """
    with name_scope(name, "transpose", [a]) as scope:
        a = a if is_tensor_like(a) else convert_to_tensor(a, name="a")
        op = ConjugateTranspose if conjugate and a.dtype.base_dtype.is_complex else Transpose
        if perm is not None:
            return op(a, perm, name=scope)
        rank = rank_of(a) if a.shape.rank is None else a.shape.rank
        if isinstance(rank, int):
            return op(a, np.arange(rank - 1, -1, -1, dtype=np.int32), name=scope)
        return op(a, Range(rank - 1, -1, -1), name=scope)  # type: ignore[operator]


@export("transpose")
def transpose_v2(
    a: Any, perm: Any = None, conjugate: bool = False, name: str | None = "transpose"
) -> Tensor:
    """`transpose` with TF2's order of arguments."""
    return transpose(a, perm, name, conjugate)


@export("linalg.matrix_transpose")
@export_v1("linalg.matrix_transpose", "linalg.transpose", "matrix_transpose")
def matrix_transpose(
    a: Any, name: str | None = "matrix_transpose", conjugate: bool = False
) -> Tensor:
    """Each matrix, in the last two dimensions of `a`, transposed.

    Args:
      a: [..., M, N].
      name: of the scope of the nodes.
      conjugate: also conjugates the elements.
    Returns:
      [..., N, M]
    Raises:
      ValueError: `a` is known to be a scalar or vector.
    """
    with name_scope(name, "matrix_transpose", [a]):
        a = convert_to_tensor(a, name="a")
        rank = a.shape.rank
        if rank is None:
            count: Any = rank_of(a)
            perm = concat([Range(0, count - 2, 1), [count - 1, count - 2]], 0)
        elif rank < 2:
            raise ValueError(
                f"Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = {a} with "
                f"shape: {a.shape}"
            )
        else:
            perm = [*range(rank - 2), rank - 1, rank - 2]
        return transpose(a, perm, conjugate=conjugate)

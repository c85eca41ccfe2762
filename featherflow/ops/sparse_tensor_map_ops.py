"""SparseTensors that a session keeps under numbers, so that they can wait in a queue."""

from __future__ import annotations

import itertools
import threading
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.op_kernel import OpKernel
from featherflow.framework.shape_inference import InferenceContext, scalar_shape
from featherflow.framework.tensor_shape import TensorShape

_NAMES = ("container: string = ''", "shared_name: string = ''")
_STORAGE = "it is storage"

Sparse = tuple[np.ndarray, np.ndarray, np.ndarray]


class SparseTensorsMap:
    """Triples (indices, values, shape) by handle; each is taken once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tensors: dict[int, Sparse] = {}
        self._next = 0

    def add(self, tensor: Sparse) -> int:
        """Keeps a tensor; returns its handle."""
        with self._lock:
            handle, self._next = self._next, self._next + 1
            self._tensors[handle] = tensor
        return handle

    def take(self, handles: list[int]) -> list[Sparse]:
        """Gives the tensors away.

        Raises:
          InvalidArgumentError: one is not there.
        """
        with self._lock:
            for handle in handles:
                if handle not in self._tensors:
                    raise InvalidArgumentError(
                        None, None, f"Unable to find SparseTensor: {handle} in map"
                    )
            return [self._tensors.pop(handle) for handle in handles]


class _MapKernel(OpKernel):
    """An op on the session's map: under its shared name, or that of the node."""

    def map(self, ctx: Any) -> SparseTensorsMap:
        attrs = self.node.attrs
        name = str(attrs["shared_name"] or self.node.name)
        return ctx.resources.lookup_or_create(
            attrs["container"], name, SparseTensorsMap, SparseTensorsMap
        )


def _check(indices: np.ndarray, values: np.ndarray, shape: np.ndarray) -> None:
    fits = indices.ndim == 2 and values.ndim == 1 and shape.ndim == 1
    if not fits or indices.shape != (values.shape[0], shape.shape[0]):
        raise InvalidArgumentError(
            None,
            None,
            "These are no indices, values and shape of a SparseTensor",
            received=f"shapes {list(indices.shape)}, {list(values.shape)}, {list(shape.shape)}",
            expected="[N, rank], [N] and [rank]",
        )


def _sparse_ranks(c: InferenceContext) -> None:
    for index, rank in enumerate((2, 1, 1)):
        c.with_rank(index, rank)


# --- AddSparseToTensorsMap ------------------------------------------------------------------------

AddSparseToTensorsMap = define_op(
    "AddSparseToTensorsMap",
    inputs=("sparse_indices: int64", "sparse_values: T", "sparse_shape: int64"),
    outputs=("sparse_handle: int64",),
    attrs=("T: type", *_NAMES),
    is_stateful=True,
)


@AddSparseToTensorsMap.shape_fn
def _add_sparse_shape(c: InferenceContext) -> TensorShape:
    _sparse_ranks(c)
    return scalar_shape(c)


@AddSparseToTensorsMap.kernel("CPU")
class _AddSparseToTensorsMapCpu(_MapKernel):
    def compute(self, ctx: Any, *tensor: np.ndarray) -> np.ndarray:
        _check(*tensor)
        indices, values, shape = (part.copy() for part in tensor)
        return np.array(self.map(ctx).add((indices, values, shape)), np.int64)


AddSparseToTensorsMap.without_gradient(_STORAGE)

# --- AddManySparseToTensorsMap --------------------------------------------------------------------

AddManySparseToTensorsMap = define_op(
    "AddManySparseToTensorsMap",
    inputs=("sparse_indices: int64", "sparse_values: T", "sparse_shape: int64"),
    outputs=("sparse_handles: int64",),
    attrs=("T: type", *_NAMES),
    is_stateful=True,
)


@AddManySparseToTensorsMap.shape_fn
def _add_many_sparse_shape(c: InferenceContext) -> TensorShape:
    _sparse_ranks(c)
    return TensorShape._of((None,))


@AddManySparseToTensorsMap.kernel("CPU")
class _AddManySparseToTensorsMapCpu(_MapKernel):
    """Keeps each row of a SparseTensor as one of its own."""

    def compute(
        self, ctx: Any, indices: np.ndarray, values: np.ndarray, shape: np.ndarray
    ) -> np.ndarray:
        _check(indices, values, shape)
        if shape.shape[0] < 2:
            raise InvalidArgumentError(
                None,
                None,
                "The rank of the input SparseTensor should be > 1",
                received=f"rank {shape.shape[0]}",
            )
        rows = indices[:, 0]
        if (rows[1:] < rows[:-1]).any() or (indices < 0).any() or (indices >= shape).any():
            raise InvalidArgumentError(
                None, None, "Indices are out of order, or outside the shape of the SparseTensor"
            )
        bounds = np.searchsorted(rows, np.arange(int(shape[0]) + 1))
        kept, row_shape = self.map(ctx), shape[1:].copy()
        handles = [
            kept.add((indices[first:last, 1:].copy(), values[first:last].copy(), row_shape))
            for first, last in itertools.pairwise(bounds)
        ]
        return np.array(handles, np.int64)


AddManySparseToTensorsMap.without_gradient(_STORAGE)

# --- TakeManySparseFromTensorsMap -----------------------------------------------------------------

TakeManySparseFromTensorsMap = define_op(
    "TakeManySparseFromTensorsMap",
    inputs=("sparse_handles: int64",),
    outputs=("sparse_indices: int64", "sparse_values: dtype", "sparse_shape: int64"),
    attrs=("dtype: type", *_NAMES),
    is_stateful=True,
)


@TakeManySparseFromTensorsMap.shape_fn
def _take_many_sparse_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(0, 1)
    return [TensorShape._of((None,) * rank) for rank in (2, 1, 1)]


@TakeManySparseFromTensorsMap.kernel("CPU")
class _TakeManySparseFromTensorsMapCpu(_MapKernel):
    """One SparseTensor, whose rows are those that the handles stand for."""

    def compute(self, ctx: Any, handles: np.ndarray) -> tuple[np.ndarray, ...]:
        if handles.ndim != 1 or not handles.size:
            raise InvalidArgumentError(
                None,
                None,
                "sparse_handles must be a vector of at least 1 element",
                received=f"shape {list(handles.shape)}",
            )
        tensors = self.map(ctx).take(handles.tolist())
        _check_alike(tensors, self.node.attrs["dtype"])
        counts = [len(values) for _, values, _ in tensors]
        rows = np.repeat(np.arange(len(tensors)), counts)[:, np.newaxis]
        indices = np.concatenate([indices for indices, _, _ in tensors])
        widest = np.max([shape for _, _, shape in tensors], axis=0)
        return (
            np.concatenate([rows, indices], axis=1).astype(np.int64),
            np.concatenate([values for _, values, _ in tensors]),
            np.array([len(tensors), *widest], np.int64),
        )


TakeManySparseFromTensorsMap.without_gradient(_STORAGE)


def _check_alike(tensors: list[Sparse], dtype: DType) -> None:
    ranks = {len(shape) for _, _, shape in tensors}
    types = {values.dtype for _, values, _ in tensors}
    if len(ranks) > 1 or types != {np.dtype(dtype.numpy_dtype)}:
        raise InvalidArgumentError(
            None,
            None,
            "The SparseTensors differ in rank or dtype",
            received=f"ranks {sorted(ranks)} and dtypes {sorted(map(str, types))}",
            expected=f"one rank and {dtype.name}",
        )

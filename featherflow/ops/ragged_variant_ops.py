"""Ragged tensors in variants, one for each row: what datasets and loops keep of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import SCALAR, UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import ragged as kernels
from featherflow.ops.constant_ops import constant
from featherflow.ops.gather_ops import gather
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.sparse_shapes import VECTOR, vector


@dataclass(frozen=True)
class RaggedVariant:
    """The value of a variant: the nested splits and the values of a ragged tensor."""

    nested_splits: tuple[np.ndarray, ...]
    values: np.ndarray


# --- RaggedTensorToVariant ------------------------------------------------------------------------

RaggedTensorToVariant = define_op(
    "RaggedTensorToVariant",
    inputs=("rt_nested_splits: RAGGED_RANK * Tsplits", "rt_dense_values: Tvalues"),
    outputs=("encoded_ragged: variant",),
    attrs=(
        "RAGGED_RANK: int >= 0",
        "Tvalues: type",
        "Tsplits: {int32, int64} = int64",
        "batched_input: bool",
    ),
    foldable=False,
)


@RaggedTensorToVariant.shape_fn
def _to_variant_shape(c: InferenceContext) -> TensorShape:
    count = c.attrs["RAGGED_RANK"]
    sizes = [c.dims(index, 1)[0] for index in range(count)]
    if not c.attrs["batched_input"]:
        return SCALAR
    if count:
        return vector(None if sizes[0] is None else sizes[0] - 1)
    values = c.with_rank_at_least(0, 1)
    return vector(values.as_list()[0] if values.rank else None)


@RaggedTensorToVariant.kernel("CPU")
def _to_variant_cpu(*inputs: np.ndarray, batched_input: bool) -> Any:
    *nested_splits, values = inputs
    _check_nested(nested_splits, values)
    if not batched_input:
        return RaggedVariant(tuple(nested_splits), values)
    if not nested_splits:
        rows = [RaggedVariant((), row.copy()) for row in values]
    else:
        count = len(nested_splits[0]) - 1
        rows = [_row(nested_splits, values, place) for place in range(count)]
    result = np.empty(len(rows), object)
    result[:] = rows
    return result


def _check_nested(nested_splits: list[np.ndarray], values: np.ndarray) -> None:
    counts = [splits.size - 1 for splits in nested_splits[1:]]
    counts.append(len(values) if values.ndim else 0)
    for splits, count in zip(nested_splits, counts):
        kernels.check_splits(splits, count)


def _row(nested_splits: list[np.ndarray], values: np.ndarray, place: int) -> RaggedVariant:
    start, end = nested_splits[0][place : place + 2].tolist()
    inner = []
    for splits in nested_splits[1:]:
        part = splits[start : end + 1]
        inner.append(part - part[0])
        start, end = int(part[0]), int(part[-1])
    return RaggedVariant(tuple(inner), values[start:end].copy())


@RaggedTensorToVariant.gradient
def _to_variant_grad(op: Any, grad: Tensor) -> list[Tensor | None]:
    *nested_splits, values = op.inputs
    # The places in the values where each row starts and ends.
    combined: Any = nested_splits[0] if nested_splits else constant([], op.attrs["Tsplits"])
    for splits in nested_splits[1:]:
        combined = gather(splits, combined)
    values_grad = RaggedTensorToVariantGradient(
        grad, combined, shape_of(values), Tvalues=values.dtype.base_dtype
    )
    return [*[None] * len(nested_splits), values_grad]


RaggedTensorToVariantGradient = define_op(
    "RaggedTensorToVariantGradient",
    inputs=("encoded_ragged_grad: variant", "row_splits: Tsplits", "dense_values_shape: int32"),
    outputs=("dense_values_grad: Tvalues",),
    attrs=("Tvalues: type", "Tsplits: {int32, int64} = int64"),
    foldable=False,
)
RaggedTensorToVariantGradient.without_gradient("TensorFlow gives it no gradient")


@RaggedTensorToVariantGradient.shape_fn
def _to_variant_gradient_shape(c: InferenceContext) -> TensorShape:
    return c.constant_as_shape(2)


@RaggedTensorToVariantGradient.kernel("CPU")
def _to_variant_gradient_cpu(
    encoded_ragged_grad: Any,
    row_splits: np.ndarray,
    dense_values_shape: np.ndarray,
    *,
    Tvalues: DType,
) -> np.ndarray:
    parts = [item.values for item in _flat(encoded_ragged_grad)]
    shape = tuple(dense_values_shape.tolist())
    if any(part.dtype != Tvalues.numpy_dtype for part in parts):
        raise InvalidArgumentError(None, None, "Gradients of another dtype", expected=Tvalues.name)
    count = sum(part.size for part in parts)
    if count != math.prod(shape):
        raise InvalidArgumentError(
            None,
            None,
            "The gradients do not have as many elements as the values",
            received=f"{count} for shape {list(shape)}",
        )
    if not parts:
        return np.zeros(shape, Tvalues.numpy_dtype)
    return np.concatenate([part.reshape(-1) for part in parts]).reshape(shape)


def _flat(encoded: Any) -> list[RaggedVariant]:
    items = encoded.reshape(-1).tolist() if isinstance(encoded, np.ndarray) else [encoded]
    if not all(isinstance(item, RaggedVariant) for item in items):
        raise InvalidArgumentError(None, None, "A variant does not hold a ragged tensor")
    return items


# --- RaggedTensorFromVariant ----------------------------------------------------------------------

RaggedTensorFromVariant = define_op(
    "RaggedTensorFromVariant",
    inputs=("encoded_ragged: variant",),
    outputs=("output_nested_splits: output_ragged_rank * Tsplits", "output_dense_values: Tvalues"),
    attrs=(
        "input_ragged_rank: int >= -1",
        "output_ragged_rank: int >= 0",
        "Tvalues: type",
        "Tsplits: {int32, int64} = int64",
    ),
    foldable=False,
)


@RaggedTensorFromVariant.shape_fn
def _from_variant_shape(c: InferenceContext) -> list[TensorShape]:
    output_rank, input_rank = c.attrs["output_ragged_rank"], c.attrs["input_ragged_rank"]
    rank = c.shapes[0].rank
    if rank is not None and input_rank >= 0 and output_rank != input_rank + rank:
        c.fail(
            "output_ragged_rank must be input_ragged_rank + encoded_ragged.rank",
            received=f"{output_rank}, {input_rank} and {c.shapes[0]}",
        )
    return [VECTOR] * output_rank + [UNKNOWN]


@RaggedTensorFromVariant.kernel("CPU")
def _from_variant_cpu(
    encoded_ragged: Any,
    *,
    input_ragged_rank: int,
    output_ragged_rank: int,
    Tvalues: DType,
    Tsplits: DType,
) -> list[np.ndarray]:
    dims = encoded_ragged.shape if isinstance(encoded_ragged, np.ndarray) else ()
    depth = output_ragged_rank - len(dims) if input_ragged_rank == -1 else input_ragged_rank
    items = _flat(encoded_ragged)
    for item in items:
        _check_item(item, depth, Tvalues, Tsplits)
    if depth < 0 or output_ragged_rank != depth + len(dims):
        raise InvalidArgumentError(
            None,
            None,
            "output_ragged_rank must be input_ragged_rank + encoded_ragged.rank",
            received=f"{output_ragged_rank}, {input_ragged_rank} and shape {list(dims)}",
        )
    if not dims:
        return [*items[0].nested_splits, items[0].values]
    kind = Tsplits.numpy_dtype
    outer = [
        np.arange(math.prod(dims[:axis]) + 1, dtype=kind) * dims[axis]
        for axis in range(1, len(dims))
    ]
    return [*outer, *_stacked(items, depth, Tvalues, kind)]


def _check_item(item: RaggedVariant, depth: int, values: DType, splits: DType) -> None:
    wrong = (
        len(item.nested_splits) != depth
        or item.values.dtype != values.numpy_dtype
        or any(part.dtype != splits.numpy_dtype for part in item.nested_splits)
    )
    if wrong:
        raise InvalidArgumentError(
            None,
            None,
            "A variant holds a ragged tensor of another rank or dtype",
            received=f"ragged rank {len(item.nested_splits)}, {item.values.dtype}",
            expected=f"ragged rank {depth}, {values.name}, splits {splits.name}",
        )


def _stacked(items: list[RaggedVariant], depth: int, values: DType, kind: Any) -> list[np.ndarray]:
    """Ragged tensors one below the other: splits of the outer rows, nested splits, values."""
    rows = [len(i.nested_splits[0]) - 1 if depth else len(i.values) for i in items]
    parts = [np.concatenate([[0], np.cumsum(rows)]).astype(kind)]
    for level in range(depth):
        sizes = [np.diff(item.nested_splits[level]) for item in items]
        joined = np.concatenate(sizes) if sizes else np.zeros(0, kind)
        parts.append(np.concatenate([[0], np.cumsum(joined)]).astype(kind))
    arrays = [item.values for item in items]
    inner = {array.shape[1:] for array in arrays}
    if len(inner) > 1:
        raise InvalidArgumentError(
            None,
            None,
            "The values of all variants must have the same inner shape",
            received=str(sorted(inner)),
        )
    parts.append(np.concatenate(arrays) if arrays else np.zeros(0, values.numpy_dtype))
    return parts


@RaggedTensorFromVariant.gradient
def _from_variant_grad(op: Any, *grads: Tensor) -> Tensor:
    rank = op.inputs[0].shape.rank
    return RaggedTensorToVariant(
        list(op.outputs[:-1]),
        grads[-1],
        Tsplits=op.attrs["Tsplits"],
        batched_input=rank != 0,
    )

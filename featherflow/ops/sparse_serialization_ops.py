"""SparseTensors in strings or variants: SerializeSparse, DeserializeSparse, and of batches."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_proto import ndarray_from_proto, shape_to_proto
from featherflow.framework.tensor_shape import TensorShape
from featherflow.framework.varint import encode_varint
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.kernels import sparse_batches as batches
from featherflow.kernels.sparse_batches import SparseArray
from featherflow.ops.sparse_shapes import UNKNOWN_PARTS, vector
from featherflow.ops.sparse_tensor_ops import as_sparse_tensor

_INPUTS = ("sparse_indices: int64", "sparse_values: T", "sparse_shape: int64")
_NO_GRADIENT = "TensorFlow gives it no gradient"

# --- messages -------------------------------------------------------------------------------------


def _message(array: np.ndarray, dtype: DType) -> bytes:
    """An array as a TensorProto, all elements in its `tensor_content`."""
    from featherflow.protos.tensor_pb2 import TensorProto

    message = TensorProto(dtype=dtype.as_datatype_enum)  # type: ignore[arg-type]
    message.tensor_shape.SetInParent()
    shape_to_proto(TensorShape._of(array.shape), message.tensor_shape)
    if dtype is dtypes.string:
        texts = array.reshape(-1).tolist()
        lengths = b"".join(encode_varint(len(text)) for text in texts)
        message.tensor_content = lengths + b"".join(texts)
    else:
        message.tensor_content = array.tobytes()
    return message.SerializeToString()


def _array(text: bytes, dtype: DType) -> np.ndarray:
    from google.protobuf.message import DecodeError

    from featherflow.protos.tensor_pb2 import TensorProto

    message = TensorProto()
    try:
        message.ParseFromString(text)
        array = ndarray_from_proto(message)
    except (DecodeError, TypeError, ValueError) as error:
        raise InvalidArgumentError(
            None, None, f"Could not parse a serialized SparseTensor: {error}"
        ) from None
    if array.dtype != dtype.numpy_dtype:
        raise InvalidArgumentError(
            None,
            None,
            "Requested another dtype than that of the SparseTensor",
            received=str(array.dtype),
            expected=dtype.name,
        )
    return array.copy()


def _serialized(part: SparseArray, dtype: DType, out_type: DType) -> np.ndarray:
    """The three parts as a vector of strings or variants."""
    result = np.empty(3, object)
    kinds = (dtypes.int64, dtype, dtypes.int64)
    for place, array in enumerate((part.indices, part.values, part.shape)):
        is_text = out_type is dtypes.string
        result[place] = _message(array, kinds[place]) if is_text else array
    return result


def _deserialized(parts: np.ndarray, dtype: DType) -> SparseArray:
    arrays = [
        part if isinstance(part, np.ndarray) else _array(part, kind)
        for part, kind in zip(parts, (dtypes.int64, dtype, dtypes.int64))
    ]
    indices, values, shape = arrays
    fits = (
        indices.dtype == shape.dtype == np.int64
        and values.dtype == dtype.numpy_dtype
        and values.ndim == shape.ndim == 1
        and indices.shape == (len(values), len(shape))
    )
    if not fits:
        raise InvalidArgumentError(
            None,
            None,
            "Not the parts of a SparseTensor",
            received=", ".join(f"{array.dtype}{list(array.shape)}" for array in arrays),
        )
    return SparseArray(indices, values, shape)


# --- SerializeSparse, SerializeManySparse ---------------------------------------------------------


def _define_serialize(name: str, shape: TensorShape) -> Op:
    op = define_op(
        name,
        inputs=_INPUTS,
        outputs=("serialized_sparse: out_type",),
        attrs=("T: type", "out_type: {string, variant} = string"),
        foldable=False,
    )
    op.without_gradient(_NO_GRADIENT)

    @op.shape_fn
    def shape_of_parts(c: InferenceContext) -> TensorShape:
        c.with_rank(0, 2)
        c.with_rank(1, 1)
        c.with_rank(2, 1)
        return shape

    return op


SerializeSparse = _define_serialize("SerializeSparse", vector(3))
SerializeManySparse = _define_serialize("SerializeManySparse", TensorShape._of((None, 3)))


@SerializeSparse.kernel("CPU")
def _serialize_sparse_cpu(
    sparse_indices: np.ndarray,
    sparse_values: np.ndarray,
    sparse_shape: np.ndarray,
    *,
    T: DType,
    out_type: DType,
) -> np.ndarray:
    ranks = (sparse_indices.ndim, sparse_values.ndim, sparse_shape.ndim)
    if ranks != (2, 1, 1):
        raise InvalidArgumentError(
            None, None, "Indices must be a matrix, values and shape vectors", received=str(ranks)
        )
    return _serialized(SparseArray(sparse_indices, sparse_values, sparse_shape), T, out_type)


@SerializeManySparse.kernel("CPU")
def _serialize_many_sparse_cpu(
    sparse_indices: np.ndarray,
    sparse_values: np.ndarray,
    sparse_shape: np.ndarray,
    *,
    T: DType,
    out_type: DType,
) -> np.ndarray:
    rows = batches.rows_of(sparse_indices, sparse_values, sparse_shape)
    result = np.empty((len(rows), 3), object)
    for place, row in enumerate(rows):
        result[place] = _serialized(row, T, out_type)
    return result


@export_v1("serialize_sparse", "io.serialize_sparse")
def serialize_sparse(
    sp_input: Any, name: str | None = None, out_type: Any = dtypes.string
) -> Tensor:
    """A SparseTensor as three strings: its indices, values and shape as messages.

    Args:
      sp_input: a SparseTensor.
      name: of the node.
      out_type: tf.string or tf.variant.
    Returns:
      [3], of `out_type`.
    """
    sparse = as_sparse_tensor(sp_input)
    parts = (sparse.indices, sparse.values, sparse.dense_shape)
    return SerializeSparse(*parts, out_type=out_type, name=name)


@export("io.serialize_sparse")
def serialize_sparse_v2(
    sp_input: Any, out_type: Any = dtypes.string, name: str | None = None
) -> Tensor:
    """`serialize_sparse` with TF2's order of arguments."""
    return serialize_sparse(sp_input, name, out_type)


@export_v1("serialize_many_sparse", "io.serialize_many_sparse")
def serialize_many_sparse(
    sp_input: Any, name: str | None = None, out_type: Any = dtypes.string
) -> Tensor:
    """Each row of a SparseTensor as three strings.

    Args:
      sp_input: a SparseTensor of rank 2 or more, in row-major order.
      name: of the node.
      out_type: tf.string or tf.variant.
    Returns:
      [rows, 3], of `out_type`.
    Raises:
      InvalidArgumentError: the rank is below 2.
    """
    sparse = as_sparse_tensor(sp_input)
    parts = (sparse.indices, sparse.values, sparse.dense_shape)
    return SerializeManySparse(*parts, out_type=out_type, name=name)


@export("io.serialize_many_sparse")
def serialize_many_sparse_v2(
    sp_input: Any, out_type: Any = dtypes.string, name: str | None = None
) -> Tensor:
    """`serialize_many_sparse` with TF2's order of arguments."""
    return serialize_many_sparse(sp_input, name, out_type)


# --- DeserializeSparse, DeserializeManySparse -----------------------------------------------------

_OUTPUTS = ("sparse_indices: int64", "sparse_values: dtype", "sparse_shape: int64")

DeserializeSparse = define_op(
    "DeserializeSparse",
    inputs=("serialized_sparse: Tserialized",),
    outputs=_OUTPUTS,
    attrs=("dtype: type", "Tserialized: {string, variant} = string"),
    foldable=False,
)
DeserializeSparse.without_gradient(_NO_GRADIENT)


@DeserializeSparse.shape_fn
def _deserialize_sparse_shape(c: InferenceContext) -> list[TensorShape]:
    dims = c.with_rank_at_least(0, 1)._dims
    if dims is not None:
        c.merge_dim(dims[-1], 3)
    return UNKNOWN_PARTS


@DeserializeSparse.kernel("CPU")
def _deserialize_sparse_cpu(
    serialized_sparse: np.ndarray, *, dtype: DType
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    _check_triples(serialized_sparse)
    outer = serialized_sparse.shape[:-1]
    rows = [_deserialized(parts, dtype) for parts in serialized_sparse.reshape(-1, 3)]
    if not outer:
        return rows[0].indices, rows[0].values, rows[0].shape
    batch = batches.stacked(rows)
    places = np.stack(np.unravel_index(batch.indices[:, 0], outer), axis=1)
    indices = np.concatenate([places, batch.indices[:, 1:]], axis=1)
    shape = np.concatenate([np.array(outer, np.int64), batch.shape[1:]])
    return indices.astype(np.int64, copy=False), batch.values, shape


def _check_triples(serialized: np.ndarray) -> None:
    if serialized.ndim < 1 or serialized.shape[-1] != 3 or not math.prod(serialized.shape):
        raise InvalidArgumentError(
            None,
            None,
            "Serialized sparse should have 3 as the last dimension, and no dimension of size 0",
            received=f"shape {list(serialized.shape)}",
        )


DeserializeManySparse = define_op(
    "DeserializeManySparse",
    inputs=("serialized_sparse: string",),
    outputs=_OUTPUTS,
    attrs=("dtype: type",),
    foldable=False,
)
DeserializeManySparse.without_gradient(_NO_GRADIENT)


@DeserializeManySparse.shape_fn
def _deserialize_many_sparse_shape(c: InferenceContext) -> list[TensorShape]:
    c.merge_dim(c.dims(0, 2)[1], 3)
    return UNKNOWN_PARTS


@DeserializeManySparse.kernel("CPU")
def _deserialize_many_sparse_cpu(
    serialized_sparse: np.ndarray, *, dtype: DType
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    _check_triples(serialized_sparse)
    if serialized_sparse.ndim != 2:
        raise InvalidArgumentError(
            None,
            None,
            "Serialized sparse should be a matrix",
            received=f"shape {list(serialized_sparse.shape)}",
        )
    batch = batches.stacked([_deserialized(parts, dtype) for parts in serialized_sparse])
    return batch.indices, batch.values, batch.shape


@export("io.deserialize_many_sparse")
@export_v1("io.deserialize_many_sparse", "deserialize_many_sparse")
def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """What `serialize_many_sparse` made, or a stack of what `serialize_sparse` made.

    Args:
      serialized_sparse: [rows, 3], strings.
      dtype: of the elements.
      rank: of the result, where it is known.
      name: of the node.
    Returns:
      A SparseTensor of a rank higher by one; rows of other sizes get the largest.
    Raises:
      InvalidArgumentError: a string is none of a SparseTensor, or the ranks or dtypes differ.
    """
    indices, values, shape = DeserializeManySparse(serialized_sparse, dtype=dtype, name=name)
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)

"""SerializeTensor and ParseTensor: tensors as TensorProto messages in strings."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, scalar_shape
from featherflow.framework.tensor_proto import ndarray_from_proto, shape_to_proto
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels.string_arrays import flat, scalar

_NO_GRADIENT = "strings are not numbers"

# --- SerializeTensor ------------------------------------------------------------------------------

SerializeTensor = define_op(
    "SerializeTensor",
    inputs=("tensor: T",),
    outputs=("serialized: string",),
    attrs=("T: type",),
)
SerializeTensor.shape_fn(scalar_shape)


@SerializeTensor.kernel(
    "CPU",
    T=(
        *(dtypes.string, dtypes.bool, dtypes.complex64, dtypes.complex128),
        *(dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64),
        *(dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64),
        *(dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64),
    ),
)
def _serialize_tensor_cpu(tensor: np.ndarray, *, T: DType) -> np.ndarray:
    from featherflow.protos.tensor_pb2 import TensorProto

    message = TensorProto(dtype=T.as_datatype_enum)  # type: ignore[arg-type]
    message.tensor_shape.SetInParent()
    shape_to_proto(TensorShape._of(tensor.shape), message.tensor_shape)
    if T is dtypes.string:
        message.string_val.extend(flat(tensor))
    else:
        message.tensor_content = tensor.tobytes()
    return scalar(message.SerializeToString())


SerializeTensor.not_differentiable(_NO_GRADIENT)


@export("io.serialize_tensor")
@export_v1("serialize_tensor")
def serialize_tensor(tensor: Any, name: str | None = None) -> Tensor:
    """A tensor as a TensorProto message in a string; `tf.io.parse_tensor` reads it.

    Args:
      tensor: a tensor.
      name: of the node.
    Returns:
      A string.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.io.parse_tensor(tf.io.serialize_tensor([1, 2]), tf.int32)).tolist()
    [1, 2]
    """
    return SerializeTensor(tensor, name=name)


# --- ParseTensor ----------------------------------------------------------------------------------

ParseTensor = define_op(
    "ParseTensor",
    inputs=("serialized: string",),
    outputs=("output: out_type",),
    attrs=("out_type: type",),
)


@ParseTensor.shape_fn
def _parse_tensor_shape(c: InferenceContext) -> TensorShape:
    return UNKNOWN


@ParseTensor.kernel("CPU")
def _parse_tensor_cpu(serialized: np.ndarray, *, out_type: DType) -> np.ndarray:
    from google.protobuf.message import DecodeError

    from featherflow.protos.tensor_pb2 import TensorProto

    if serialized.ndim:
        raise InvalidArgumentError(
            None,
            None,
            "Expected `serialized` to be a scalar",
            received=f"shape {list(serialized.shape)}",
        )
    try:
        message = TensorProto.FromString(serialized.item())
    except DecodeError:
        raise InvalidArgumentError(
            None, None, "Could not parse `serialized` as TensorProto"
        ) from None
    if message.dtype != out_type.as_datatype_enum:
        raise InvalidArgumentError(
            None,
            None,
            "Type mismatch between parsed tensor and dtype",
            received=f"type number {message.dtype}",
            expected=f"{out_type.name} ({out_type.as_datatype_enum})",
        )
    try:
        return ndarray_from_proto(message)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(None, None, f"Cannot parse tensor from proto: {error}") from None


ParseTensor.not_differentiable(_NO_GRADIENT)


@export("io.parse_tensor")
@export_v1("parse_tensor")
def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Tensor:
    """The tensor that `tf.io.serialize_tensor` wrote.

    Args:
      serialized: a string.
      out_type: of the tensor.
      name: of the node.
    Returns:
      A tensor of a shape that is known when it runs.
    Raises:
      InvalidArgumentError: the string is no such message, or its type is another.
    """
    return ParseTensor(serialized, out_type=out_type, name=name)

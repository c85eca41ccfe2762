"""Tensors and shapes as protocol buffers: `TensorProto` and `TensorShapeProto`.

A TensorProto holds its elements raw (`tensor_content`) or in the typed field of its dtype. A typed
field may end early: the last value then stands for all that follow.

    >>> proto = make_tensor_proto([[1.0, 2.0]])
    >>> proto.tensor_content.hex()
    '0000803f00000040'
    >>> make_ndarray(make_tensor_proto(7, shape=[2, 2]))
    array([[7, 7],
           [7, 7]], dtype=int32)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.array_values import as_ndarray
from featherflow.framework.detached_contents import content_of
from featherflow.framework.dtypes import DType, as_dtype, from_numpy
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape, as_shape
from featherflow.framework.varint import read_varint

if TYPE_CHECKING:
    from featherflow.protos.tensor_pb2 import TensorProto, TensorShapeProto

#: No message can be larger, so no array that is larger can have been a message, or become one.
MAX_BYTES = 2**31 - 1
_MAX_RANK = 64  # NumPy's

# The typed field of each dtype, and the dtype of its values.
_FIELDS: dict[DType, tuple[str, Any]] = {
    dtypes.float32: ("float_val", np.float32),
    dtypes.float64: ("double_val", np.float64),
    dtypes.int64: ("int64_val", np.int64),
    dtypes.bool: ("bool_val", np.bool_),
    dtypes.uint32: ("uint32_val", np.uint32),
    dtypes.uint64: ("uint64_val", np.uint64),
    dtypes.complex64: ("scomplex_val", np.float32),
    dtypes.complex128: ("dcomplex_val", np.float64),
    dtypes.float16: ("half_val", np.uint16),
    dtypes.bfloat16: ("half_val", np.uint16),
}
_BYTE_FLOATS = (
    dtypes.float8_e5m2,
    dtypes.float8_e4m3fn,
    dtypes.float8_e4m3fnuz,
    dtypes.float8_e4m3b11fnuz,
    dtypes.float8_e5m2fnuz,
    dtypes.float4_e2m1fn,
)
_SMALL_INTS = (
    *(dtypes.int32, dtypes.int16, dtypes.int8, dtypes.uint16, dtypes.uint8),
    *(dtypes.int4, dtypes.uint4, dtypes.int2, dtypes.uint2),
    *dtypes.QUANTIZED_TYPES,
)
_FIELDS.update(dict.fromkeys(_BYTE_FLOATS, ("float8_val", np.uint8)))
_FIELDS.update(dict.fromkeys(_SMALL_INTS, ("int_val", np.int32)))

# TensorFlow writes arrays of these dtypes value by value, however many there are.
_NEVER_RAW = frozenset(
    (
        *(dtypes.bool, dtypes.complex64, dtypes.complex128, dtypes.uint16, dtypes.string),
        *(dtypes.int4, dtypes.uint4, dtypes.int2, dtypes.uint2),
    )
)


# Shapes


def shape_to_proto(shape: Any, proto: TensorShapeProto | None = None) -> TensorShapeProto:
    """Writes a shape to a message, a new one if none is given; unknown sizes are -1."""
    if proto is None:
        from featherflow.protos.tensor_pb2 import TensorShapeProto

        proto = TensorShapeProto()
    dims = as_shape(shape)._dims
    if dims is None:
        proto.unknown_rank = True
        return proto
    for size in dims:
        proto.dim.add().size = -1 if size is None else size
    return proto


def shape_from_proto(proto: TensorShapeProto) -> TensorShape:
    """The shape in a message; raises ValueError on sizes below -1."""
    if proto.unknown_rank:
        return UNKNOWN
    sizes = [dim.size for dim in proto.dim]
    if any(size < -1 for size in sizes):
        raise ValueError(f"A shape has sizes of at least -1 (unknown), received {sizes}.")
    return TensorShape._of(tuple(None if size == -1 else size for size in sizes))


# Arrays to messages


def make_tensor_proto(
    values: Any,
    dtype: Any = None,
    shape: Any = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> TensorProto:
    """The TensorProto of `values`, for feeding servers and writing graphs.

    Args:
      values: an array, a number, a string, or nested lists of numbers or strings.
      dtype: the tensor's dtype; None takes that of the values.
      shape: the tensor's shape; None takes that of the values. If it has more elements than there
        are values, the last value is repeated.
      verify_shape: `shape` must be the shape of the values.
      allow_broadcast: `shape` must have as many elements as the values, unless these are one.

    Raises:
      TypeError: the values do not fit the dtype, or the shape where it is verified.
      ValueError: the values are None, ragged or more than the shape holds, or the message would
        be larger than 2 GB.
    """
    from featherflow.protos.tensor_pb2 import TensorProto

    if allow_broadcast and verify_shape:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    sizes = None if shape is None else tuple(int(size) for size in shape)
    if sizes is not None and 0 in sizes and not isinstance(values, (np.ndarray, np.generic)):
        wanted = dtypes.float32 if dtype is None else as_dtype(dtype)
        array = np.empty(sizes, wanted.numpy_dtype)  # whatever the values are
    else:
        array = as_ndarray(values, dtype)
    sizes = array.shape if sizes is None else sizes
    _check_sizes(array, sizes, verify_shape, allow_broadcast)
    proto = TensorProto()
    _write_header(array, sizes, proto)
    _write_values(array, proto, as_content=math.prod(sizes) == array.size)
    return proto


def _check_sizes(
    array: np.ndarray, sizes: tuple[int, ...], verify_shape: bool, allow_broadcast: bool
) -> None:
    if any(size < 0 for size in sizes):
        raise ValueError(f"The shape of a tensor has no negative sizes, received {sizes}.")
    count = math.prod(sizes)
    is_one = allow_broadcast and array.shape in ((), (1,))
    if (verify_shape and array.shape != sizes) or (
        allow_broadcast and not is_one and array.size != count
    ):
        raise TypeError(f"Expected Tensor's shape: {sizes}, but got {array.shape}.")
    if array.size > count:
        raise ValueError(
            f"Too many elements provided. Takes at most {count}, but got {array.size}."
        )
    if array.nbytes > MAX_BYTES:
        raise ValueError("Cannot create a tensor proto whose content is larger than 2GB.")


def ndarray_to_proto(array: np.ndarray, proto: TensorProto) -> None:
    """Writes an array, whose dtype is one of TensorFlow's, to an empty message.

    An array whose elements are all the same memory, as `np.broadcast_to` makes them from a single
    value, is written as that value alone.

    Raises:
      TypeError: no TensorFlow dtype holds the elements.
      ValueError: the message would be larger than 2 GB.
    """
    is_one = array.size > 1 and not any(array.strides)
    values = array[(0,) * array.ndim] if is_one else array
    values = as_ndarray(values)
    _check_sizes(values, array.shape, verify_shape=False, allow_broadcast=False)
    _write_header(values, array.shape, proto)
    _write_values(values, proto, as_content=not is_one)


def _write_header(array: np.ndarray, sizes: tuple[int, ...], proto: TensorProto) -> None:
    proto.dtype = from_numpy(array.dtype).as_datatype_enum  # type: ignore[assignment]
    proto.tensor_shape.SetInParent()
    shape_to_proto(TensorShape._of(sizes), proto.tensor_shape)


def _write_values(array: np.ndarray, proto: TensorProto, as_content: bool) -> None:
    dtype = from_numpy(array.dtype)
    if as_content and array.size > 1 and dtype not in _NEVER_RAW:
        proto.tensor_content = array.tobytes()
        return
    flat = array.reshape(-1)
    if dtype is dtypes.string:
        proto.string_val.extend(flat)
        return
    field, field_dtype = _FIELDS[dtype]
    if field == "float8_val":
        proto.float8_val = flat.tobytes()
        return
    if field == "int_val":
        numbers = flat.view(array.dtype[0]) if array.dtype.fields else flat
        flat = numbers.astype(np.int32)
    elif flat.size:
        flat = flat.view(field_dtype)
    getattr(proto, field).extend(flat.tolist())


# Messages to arrays


def make_ndarray(tensor: TensorProto) -> np.ndarray:
    """The array in a TensorProto, a new one that may be written.

    Raises:
      TypeError, ValueError: as `ndarray_from_proto`.
    """
    array = ndarray_from_proto(tensor)
    return array if array.flags.writeable else array.copy()


def ndarray_from_proto(tensor: TensorProto, contents: Sequence[memoryview] = ()) -> np.ndarray:
    """The array in a TensorProto, read-only where it is a view of raw bytes or of one value.

    Args:
      tensor: the message.
      contents: what `detach_contents` took out of the message that this one is part of.

    Raises:
      TypeError: the dtype is none of TensorFlow's, or has no values (resource, variant).
      ValueError: the shape is not fully known, too large for its values to be expanded, or its
        raw bytes are not as many as it needs.
    """
    dtype = as_dtype(tensor.dtype)
    shape = _check_shape(shape_from_proto(tensor.tensor_shape))
    if dtype is not dtypes.string and dtype not in _FIELDS:
        raise TypeError(f"Unsupported tensor type: {dtype.name}.")
    count = math.prod(shape)
    content = content_of(tensor.version_number, contents) or tensor.tensor_content
    if content:
        return _from_content(content, dtype, count).reshape(shape)
    # Checked before anything is allocated: the message's few bytes can claim any shape.
    if count * dtype.numpy_dtype.itemsize > MAX_BYTES:
        raise ValueError(
            f"A tensor of dtype {dtype.name} and shape {list(shape)} would take more than 2 GB; a "
            "TensorProto holds at most that."
        )
    if dtype is dtypes.string:
        values = np.empty(min(count, len(tensor.string_val)), object)
        values[:] = tensor.string_val[: len(values)]
        return _expand(values, count, b"").reshape(shape)
    return _expand(_typed_values(tensor, dtype, count), count, 0).reshape(shape)


def _check_shape(shape: TensorShape) -> tuple[int, ...]:
    sizes = tuple(size for size in shape._dims or () if size is not None)
    if len(sizes) != shape.rank:
        raise ValueError(f"The shape of a TensorProto must be fully known, received {shape}.")
    if len(sizes) > _MAX_RANK or math.prod(size or 1 for size in sizes) > 2**63 - 1:
        raise ValueError(f"The shape {list(sizes)} has too many dimensions or elements.")
    return sizes


def _from_content(content: Any, dtype: DType, count: int) -> np.ndarray:
    if dtype is dtypes.string:
        return _strings_from_content(content, count)
    expected = count * dtype.numpy_dtype.itemsize
    if len(content) != expected:
        raise ValueError(
            f"The content of a tensor of {count} elements of dtype {dtype.name} has {len(content)} "
            f"bytes, expected {expected}."
        )
    array = np.frombuffer(content, dtype.numpy_dtype)
    if dtype is dtypes.bool and (array.view(np.uint8) > 1).any():
        raise ValueError("The content of a bool tensor has bytes other than 0 and 1.")
    array.flags.writeable = False
    return array


def _strings_from_content(content: Any, count: int) -> np.ndarray:
    """Strings are stored as all lengths (varints), then all bytes."""
    if count > len(content):  # each has at least a length: checked before allocation
        raise ValueError(f"The content of {count} strings has only {len(content)} bytes.")
    view, position = memoryview(content), 0
    array = np.empty(count, object)
    lengths = []
    for _ in range(count):
        length, position = read_varint(view, position)
        lengths.append(length)
    if position + sum(lengths) != len(view):
        raise ValueError(
            f"The content of a string tensor has {len(view) - position} bytes after the lengths, "
            f"expected {sum(lengths)}."
        )
    for index, length in enumerate(lengths):
        array[index] = bytes(view[position : position + length])
        position += length
    return array


def _typed_values(tensor: TensorProto, dtype: DType, count: int) -> np.ndarray:
    """The values in the typed field, at most `count`; integers wrap as a C cast does."""
    field, field_dtype = _FIELDS[dtype]
    values = getattr(tensor, field)
    per_element = 2 if dtype.is_complex else 1
    present = min(len(values) // per_element, count)
    used = values[: present * per_element]
    if field == "float8_val":
        return np.frombuffer(used, dtype.numpy_dtype)
    if field_dtype is np.uint16:  # stored as int32, of which the lower half counts
        return np.array(used, np.int32).astype(np.uint16).view(dtype.numpy_dtype)
    array = np.array(used, field_dtype)
    if field != "int_val":
        return array.view(dtype.numpy_dtype)
    if dtype.is_quantized:
        return array.astype(dtype.numpy_dtype[0]).view(dtype.numpy_dtype)
    return array.astype(dtype.numpy_dtype)


def _expand(values: np.ndarray, count: int, default: Any) -> np.ndarray:
    """`values` and the last of them again, up to `count`; one value takes the memory of one."""
    if len(values) == count:
        return values
    if len(values) <= 1:
        filler = np.array(default).astype(values.dtype)
        return np.broadcast_to(values.reshape(()) if len(values) else filler, (count,))
    array = np.empty(count, values.dtype)
    array[: len(values)] = values
    array[len(values) :] = values[-1]
    return array

"""Cast and Bitcast: the same numbers in another type, and the same bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.errors import UnimplementedError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, unchanged_shape
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.kernels import casting

# --- Cast -----------------------------------------------------------------------------------------

Cast = define_op(
    "Cast",
    inputs=("x: SrcT",),
    outputs=("y: DstT",),
    attrs=("SrcT: type", "DstT: type", "Truncate: bool = false"),
    elementwise=True,
)
Cast.shape_fn(unchanged_shape)

_NOT_NUMBERS = (dtypes.string, dtypes.resource, dtypes.variant)


@Cast.kernel("CPU")
def _cast_cpu(x: np.ndarray, *, SrcT: DType, DstT: DType, Truncate: bool) -> np.ndarray:
    if SrcT in _NOT_NUMBERS or DstT in _NOT_NUMBERS:
        raise UnimplementedError(
            None,
            None,
            f"Cast {SrcT.name} to {DstT.name} is not supported",
            remedy="Strings become numbers by tf.strings.to_number, numbers strings by "
            "tf.strings.as_string.",
        )
    return casting.cast(x, DstT.numpy_dtype, Truncate)


@Cast.compile_rule
def _cast_compile(c: Any, x: Any, *, DstT: DType, Truncate: bool) -> Any:
    c.require(not Truncate, "a cast that truncates")
    return c.cast(x, DstT.name)


@Cast.partial_shape
def _cast_partial_shape(tensor: Tensor, as_shape: Any) -> TensorShape:
    source = tensor.op.inputs[0]
    return as_shape(source) if source.dtype.is_integer and tensor.dtype.is_integer else UNKNOWN


@Cast.gradient
def _cast_grad(op: Any, grad: Tensor) -> Tensor | None:
    source = op.inputs[0].dtype.base_dtype
    if not (_has_gradient(source) and _has_gradient(op.attrs["DstT"])):
        return None
    return cast(grad, source)


def _has_gradient(dtype: DType) -> bool:
    return dtype.is_floating or dtype.is_complex


@export("cast", "dtypes.cast")
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """`x` with elements of `dtype`; `x` itself if it has them already.

    Complex numbers lose their imaginary part, floats their fraction.

    Args:
      x: a tensor, SparseTensor or IndexedSlices of numbers or bool.
      dtype: a numeric type or bool.
      name: of the node.
    Returns:
      The same kind of value as `x`.
    Raises:
      TypeError: `x` cannot be a tensor, or `dtype` is no type.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.cast(tf.constant([1.8, -2.2]), tf.int32)).tolist()
    [1, -2]
    """
    base_type = as_dtype(dtype).base_dtype
    # A resource variable is read where its value is used, which is not here.
    if (isinstance(x, Tensor) or hasattr(x, "handle")) and x.dtype is base_type:
        return x
    with op_scope(name, "Cast", [x]) as scope:
        if isinstance(x, IndexedSlices):
            values = cast(x.values, base_type, name=scope)
            return IndexedSlices(values, x.indices, x.dense_shape)
        if isinstance(x, SparseTensor):
            return x.with_values(cast(x.values, base_type, name=scope))
        x = convert_to_tensor(x, name="x")
        if x.dtype.base_dtype is base_type:
            return x
        return Cast(x, DstT=base_type, name=scope)


@export_v1("to_float")
def to_float(x: Any, name: str = "ToFloat") -> Any:
    """`cast(x, tf.float32)`."""
    return cast(x, dtypes.float32, name)


@export_v1("to_double")
def to_double(x: Any, name: str = "ToDouble") -> Any:
    """`cast(x, tf.float64)`."""
    return cast(x, dtypes.float64, name)


@export_v1("to_int32")
def to_int32(x: Any, name: str = "ToInt32") -> Any:
    """`cast(x, tf.int32)`."""
    return cast(x, dtypes.int32, name)


@export_v1("to_int64")
def to_int64(x: Any, name: str = "ToInt64") -> Any:
    """`cast(x, tf.int64)`."""
    return cast(x, dtypes.int64, name)


@export_v1("to_bfloat16")
def to_bfloat16(x: Any, name: str = "ToBFloat16") -> Any:
    """`cast(x, tf.bfloat16)`."""
    return cast(x, dtypes.bfloat16, name)


@export_v1("to_complex64")
def to_complex64(x: Any, name: str = "ToComplex64") -> Any:
    """`cast(x, tf.complex64)`."""
    return cast(x, dtypes.complex64, name)


@export_v1("to_complex128")
def to_complex128(x: Any, name: str = "ToComplex128") -> Any:
    """`cast(x, tf.complex128)`."""
    return cast(x, dtypes.complex128, name)


# --- Bitcast --------------------------------------------------------------------------------------

_BITCAST_TYPES = (
    "{bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, "
    "complex64, complex128, qint8, quint8, qint16, quint16, qint32}"
)
Bitcast = define_op(
    "Bitcast",
    inputs=("input: T",),
    outputs=("output: type",),
    attrs=(f"T: {_BITCAST_TYPES}", f"type: {_BITCAST_TYPES}"),
    aliases=True,
)


@Bitcast.shape_fn
def _bitcast_shape(c: InferenceContext) -> TensorShape:
    source, target = c.attrs["T"].size, c.attrs["type"].size
    shape = c.shapes[0]
    if source == target or shape._dims is None:
        return shape
    if source > target:
        return shape.concatenate([source // target])
    c.with_rank_at_least(0, 1)
    c.merge_dim(shape._dims[-1], target // source)
    return TensorShape._of(shape._dims[:-1])


@Bitcast.kernel("CPU")
def _bitcast_cpu(input: np.ndarray, *, type: DType) -> np.ndarray:
    return casting.bitcast(input, type.numpy_dtype)


Bitcast.without_gradient("the bytes of a number are not a smooth function of it")


@export("bitcast")
def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The bytes of `input`, read as elements of another type.

    Args:
      input: [...]; [..., k] if the elements of `type` are k times as wide.
      type: the type to read.
      name: of the node.
    Returns:
      [...] if both types are equally wide; [..., k] if those of `type` are k times as narrow.
    Raises:
      InvalidArgumentError: the last dimension is not k.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     hex(sess.run(tf.bitcast(1.0, tf.uint32)))
    '0x3f800000'
    """
    return Bitcast(input, type=as_dtype(type), name=name)

"""The ops that make lookup tables: static, mutable, of vectors, dense; shared or anonymous."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dense_table import DenseTable
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.lookup_table import LookupTable, StaticTable
from featherflow.framework.op import Op, define_op
from featherflow.framework.op_kernel import NodeInfo, OpKernel
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.source_location import caller_location
from featherflow.framework.tensor_shape import SCALAR, TensorShape
from featherflow.kernels.keyed_hash import murmur_hash
from featherflow.ops.lookup_table_ops import shared_table

_PAIR = TensorShape((2,))
_NUMBERS = (dtypes.float32, dtypes.float64)

#: Kind of table → type of keys → types of values that there are tables for.
_STATIC = {
    dtypes.string: (dtypes.string, dtypes.int64, dtypes.int32, *_NUMBERS, dtypes.bool),
    dtypes.int64: (dtypes.string, dtypes.int64, dtypes.int32, *_NUMBERS),
    dtypes.int32: (dtypes.string, dtypes.int32, *_NUMBERS),
}
_MUTABLE = {
    dtypes.string: (dtypes.int64, dtypes.int32, *_NUMBERS, dtypes.bool),
    dtypes.int64: (dtypes.string, dtypes.int64, dtypes.int32, *_NUMBERS),
    dtypes.int32: (dtypes.int32, *_NUMBERS),
}
_DENSE = {
    dtypes.string: (dtypes.int64, dtypes.int32, *_NUMBERS, dtypes.bool),
    dtypes.int64: (dtypes.int64, dtypes.int32, *_NUMBERS, dtypes.bool),
    dtypes.int32: (dtypes.int32, *_NUMBERS),
}

_NAMES = (
    "container: string = ''",
    "shared_name: string = ''",
    "use_node_name_sharing: bool = false",
)
_TYPES = ("key_dtype: type", "value_dtype: type")
_VALUE_SHAPE = ("value_shape: shape = []",)
_DENSE_ATTRS = (
    *_VALUE_SHAPE,
    "initial_num_buckets: int = 131072",
    "max_load_factor: float = 0.8",
)

_own_names = itertools.count()

#: Makes a table: (name, attributes of the node, inputs).
Create = Callable[[str, dict[str, Any], Sequence[np.ndarray]], LookupTable]


def _static(name: str, attrs: dict[str, Any], _: Sequence[np.ndarray]) -> LookupTable:
    return StaticTable(name, attrs["key_dtype"], attrs["value_dtype"])


def _mutable(name: str, attrs: dict[str, Any], _: Sequence[np.ndarray]) -> LookupTable:
    return LookupTable(name, attrs["key_dtype"], attrs["value_dtype"])


def _mutable_of_tensors(name: str, attrs: dict[str, Any], _: Sequence[np.ndarray]) -> LookupTable:
    shape = attrs["value_shape"]
    if shape.rank != 1 or not shape.is_fully_defined():
        raise InvalidArgumentError(
            None, None, "Default value must be a vector of known size", received=f"shape {shape}"
        )
    return LookupTable(name, attrs["key_dtype"], attrs["value_dtype"], shape._dims)


def _dense(name: str, attrs: dict[str, Any], keys: Sequence[np.ndarray]) -> LookupTable:
    def refuse(message: str, received: object) -> InvalidArgumentError:
        return InvalidArgumentError(None, None, message, received=received)

    shape, buckets = attrs["value_shape"], attrs["initial_num_buckets"]
    if not shape.is_fully_defined() or shape.rank > 1:
        raise refuse("Empty value must be a scalar or a vector", f"shape {shape}")
    if len({key.shape for key in keys}) > 1:
        shapes = [list(key.shape) for key in keys]
        raise refuse("Empty and deleted keys must have same shape", f"shapes {shapes}")
    if keys[0].ndim > 1:
        raise refuse("Empty key must be a scalar or a vector", f"shape {list(keys[0].shape)}")
    if buckets < 4 or buckets & (buckets - 1):
        raise refuse("Number of buckets must be at least 4 and a power of 2", buckets)
    if not 0 < attrs["max_load_factor"] < 1:
        raise refuse("max_load_factor must be between 0 and 1", attrs["max_load_factor"])
    return DenseTable(
        name,
        attrs["key_dtype"],
        attrs["value_dtype"],
        shape._dims,
        keys[0],
        keys[1] if len(keys) > 1 else None,
        buckets,
        attrs["max_load_factor"],
        _bucket_hash,
    )


def _bucket_hash(key: Any) -> int:
    """The hash by which TensorFlow places keys in buckets."""
    if isinstance(key, bytes):
        return murmur_hash(key)
    if not isinstance(key, tuple):
        return key
    combined = 0
    for item in key:
        added = _bucket_hash(item) + 0x9E3779B97F4A7800 + (combined << 10) + (combined >> 4)
        combined ^= added & 0xFFFFFFFFFFFFFFFF
    return combined


# --- definitions ----------------------------------------------------------------------------------


def _register(
    op: Op, create: Create, types: dict[DType, tuple[DType, ...]], anonymous: bool
) -> None:
    """Gives an op a kernel for each type of keys."""

    class TableKernel(OpKernel):
        """Gives the table of the node: the session's, or a new one each time."""

        def __init__(self, node: NodeInfo) -> None:
            super().__init__(node)
            shares_node_name = node.attrs.get("use_node_name_sharing")
            own_name = node.name if shares_node_name else f"_{next(_own_names)}_{node.name}"
            self._name = str(node.attrs.get("shared_name") or own_name)

        def compute(self, ctx: Any, *keys: np.ndarray) -> LookupTable:
            attrs = self.node.attrs
            if anonymous:
                return create(self._name, attrs, keys)
            return shared_table(ctx, self._name, attrs, lambda name: create(name, attrs, keys))

    for key_dtype, value_dtypes in types.items():
        op.kernel("CPU", key_dtype=key_dtype, value_dtype=value_dtypes)(TableKernel)
    op.not_differentiable("it is storage")


def _define_kind(
    name: str,
    create: Create,
    types: dict[DType, tuple[DType, ...]],
    attrs: Sequence[str] = (),
    keys: Sequence[str] = (),
) -> tuple[Op, Op]:
    """Defines a kind of table, with and without V2 and anonymous; (V2, anonymous)."""
    location = caller_location()
    definitions = [
        define_op(
            full_name,
            inputs=inputs,
            outputs=(f"table_handle: {handle}",),
            attrs=(*(() if full_name.startswith("Anonymous") else _NAMES), *_TYPES, *attrs),
            is_stateful=True,
            location=location,
        )
        for full_name, handle, inputs in (
            (name, "Ref(string)", keys[:1]),
            (f"{name}V2", "resource", keys),
            (f"Anonymous{name}", "resource", keys),
        )
    ]
    for op, shape in zip(definitions, (_PAIR, SCALAR, SCALAR)):
        op.shape_fn(_handle_shape(shape))
        _register(op, create, types, anonymous=op is definitions[2])
    return definitions[1], definitions[2]


def _handle_shape(shape: TensorShape) -> Callable[[InferenceContext], TensorShape]:
    def handle_shape(c: InferenceContext) -> TensorShape:
        if c.shapes:
            c.with_rank_at_most(0, 1)
        return shape

    return handle_shape


HashTableV2, AnonymousHashTable = _define_kind("HashTable", _static, _STATIC)
MutableHashTableV2, AnonymousMutableHashTable = _define_kind("MutableHashTable", _mutable, _MUTABLE)
MutableHashTableOfTensorsV2, AnonymousMutableHashTableOfTensors = _define_kind(
    "MutableHashTableOfTensors", _mutable_of_tensors, _MUTABLE, _VALUE_SHAPE
)
MutableDenseHashTableV2, AnonymousMutableDenseHashTable = _define_kind(
    "MutableDenseHashTable",
    _dense,
    _DENSE,
    _DENSE_ATTRS,
    ("empty_key: key_dtype", "deleted_key: key_dtype"),
)

"""Maps from tensors to tensors as values: made empty, added to, looked up.

A map is a variant that never changes: each op makes a new one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InternalError, InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, scalar_shape
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape

_KEY = tuple[str, tuple[int, ...], Any]
_TYPES = ("key_dtype: type", "value_dtype: type")
_NO_GRADIENT = "TensorFlow gives it no gradient"


@dataclass(frozen=True)
class TensorMap:
    """Keys and values by what tells keys apart: dtype, shape and elements."""

    items: dict[_KEY, tuple[np.ndarray, Any]]


def _key_of(key: np.ndarray) -> _KEY:
    elements = tuple(key.reshape(-1).tolist()) if key.dtype == object else key.tobytes()
    return str(key.dtype), key.shape, elements


def _item(handle: TensorMap, key: np.ndarray) -> tuple[np.ndarray, Any]:
    found = handle.items.get(_key_of(key))
    if found is None:
        raise InvalidArgumentError(None, None, "Trying to lookup non-existent key.")
    return found


def _unknown_shape(c: InferenceContext) -> TensorShape:
    return UNKNOWN


# --- EmptyTensorMap, TensorMapInsert, TensorMapErase ----------------------------------------------

EmptyTensorMap = define_op("EmptyTensorMap", outputs=("handle: variant",), foldable=False)
EmptyTensorMap.shape_fn(scalar_shape)
EmptyTensorMap.without_gradient("a map of nothing does not depend on anything")


@EmptyTensorMap.kernel("CPU")
def _empty_tensor_map_cpu() -> TensorMap:
    return TensorMap({})


TensorMapInsert = define_op(
    "TensorMapInsert",
    inputs=("input_handle: variant", "key: key_dtype", "value: value_dtype"),
    outputs=("output_handle: variant",),
    attrs=_TYPES,
    foldable=False,
)
TensorMapInsert.shape_fn(scalar_shape)
TensorMapInsert.without_gradient(_NO_GRADIENT)


@TensorMapInsert.kernel("CPU")
def _tensor_map_insert_cpu(input_handle: TensorMap, key: np.ndarray, value: Any) -> TensorMap:
    return TensorMap(input_handle.items | {_key_of(key): (key, value)})


TensorMapErase = define_op(
    "TensorMapErase",
    inputs=("input_handle: variant", "key: key_dtype"),
    outputs=("output_handle: variant",),
    attrs=_TYPES,
    foldable=False,
)
TensorMapErase.shape_fn(scalar_shape)
TensorMapErase.without_gradient(_NO_GRADIENT)


@TensorMapErase.kernel("CPU")
def _tensor_map_erase_cpu(input_handle: TensorMap, key: np.ndarray) -> TensorMap:
    _item(input_handle, key)
    gone = _key_of(key)
    return TensorMap({own: item for own, item in input_handle.items.items() if own != gone})


# --- what a map holds -----------------------------------------------------------------------------

TensorMapLookup = define_op(
    "TensorMapLookup",
    inputs=("input_handle: variant", "key: key_dtype"),
    outputs=("value: value_dtype",),
    attrs=_TYPES,
    foldable=False,
)
TensorMapLookup.shape_fn(_unknown_shape)
TensorMapLookup.without_gradient(_NO_GRADIENT)


@TensorMapLookup.kernel("CPU")
def _tensor_map_lookup_cpu(input_handle: TensorMap, key: np.ndarray, *, value_dtype: DType) -> Any:
    value = _item(input_handle, key)[1]
    if isinstance(value, np.ndarray) and value.dtype != value_dtype.numpy_dtype:
        raise InternalError(
            None,
            None,
            "The value has another dtype",
            received=str(value.dtype),
            expected=value_dtype.name,
        )
    return value


TensorMapHasKey = define_op(
    "TensorMapHasKey",
    inputs=("input_handle: variant", "key: key_dtype"),
    outputs=("has_key: bool",),
    attrs=("key_dtype: type",),
    foldable=False,
)
TensorMapHasKey.shape_fn(scalar_shape)
TensorMapHasKey.without_gradient("its output is a bool")


@TensorMapHasKey.kernel("CPU")
def _tensor_map_has_key_cpu(input_handle: TensorMap, key: np.ndarray) -> np.ndarray:
    return np.array(_key_of(key) in input_handle.items)


TensorMapSize = define_op(
    "TensorMapSize", inputs=("input_handle: variant",), outputs=("size: int32",), foldable=False
)
TensorMapSize.shape_fn(scalar_shape)
TensorMapSize.without_gradient("its output is a count")


@TensorMapSize.kernel("CPU")
def _tensor_map_size_cpu(input_handle: TensorMap) -> np.ndarray:
    return np.array(len(input_handle.items), np.int32)


TensorMapStackKeys = define_op(
    "TensorMapStackKeys",
    inputs=("input_handle: variant",),
    outputs=("keys: key_dtype",),
    attrs=("key_dtype: type",),
    foldable=False,
)
TensorMapStackKeys.shape_fn(_unknown_shape)
TensorMapStackKeys.without_gradient(_NO_GRADIENT)


@TensorMapStackKeys.kernel("CPU")
def _tensor_map_stack_keys_cpu(input_handle: TensorMap, *, key_dtype: DType) -> np.ndarray:
    """The keys in the order in which they were added."""
    keys = [key for key, _ in input_handle.items.values()]
    alike = len({key.shape for key in keys}) == 1
    if not alike or any(key.dtype != key_dtype.numpy_dtype for key in keys):
        raise InvalidArgumentError(
            None,
            None,
            "Keys can be stacked if there are any, of one shape and of the dtype asked for",
            received=f"{len(keys)} keys",
            expected=key_dtype.name,
        )
    return np.stack(keys)

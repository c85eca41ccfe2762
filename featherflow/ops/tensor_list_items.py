"""Elements of lists of tensors by index, and lists of another length."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, scalar_shape
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels.tensor_list import TensorList
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.tensor_list_ops import (
    TensorListLength,
    check_dtype,
    check_element,
    holds_numbers,
    shape_of_value,
    unwritten_element,
)

# --- TensorListReserve and TensorListResize -------------------------------------------------------

TensorListReserve = define_op(
    "TensorListReserve",
    inputs=("element_shape: shape_type", "num_elements: int32"),
    outputs=("handle: variant",),
    attrs=("element_dtype: type", "shape_type: {int32, int64}"),
    foldable=False,
)
TensorListReserve.shape_fn(scalar_shape)


@TensorListReserve.kernel("CPU")
def _tensor_list_reserve_cpu(
    element_shape: np.ndarray, num_elements: np.ndarray, *, element_dtype: DType
) -> TensorList:
    count = checked_size(num_elements, "The num_elements to reserve must be a non negative number")
    return TensorList(element_dtype, shape_of_value(element_shape), [None] * count)


def checked_size(size: np.ndarray, message: str) -> int:
    """A number of elements as an int; raises with `message` if it is negative."""
    if size.ndim or size < 0:
        raise InvalidArgumentError(None, None, message, received=size.tolist())
    return int(size)


TensorListReserve.without_gradient("a list of nothing does not depend on anything")

TensorListResize = define_op(
    "TensorListResize",
    inputs=("input_handle: variant", "size: int32"),
    outputs=("output_handle: variant",),
    foldable=False,
)
TensorListResize.shape_fn(scalar_shape)


@TensorListResize.kernel("CPU")
def _tensor_list_resize_cpu(input_handle: TensorList, size: np.ndarray) -> TensorList:
    count = checked_size(size, "TensorListResize expects size to be non-negative")
    elements = input_handle.elements()[:count]
    return input_handle.with_elements(elements + [None] * (count - len(elements)))


@TensorListResize.gradient
def _tensor_list_resize_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return TensorListResize(grad, TensorListLength(op.inputs[0])), None


# --- TensorListElementShape -----------------------------------------------------------------------

TensorListElementShape = define_op(
    "TensorListElementShape",
    inputs=("input_handle: variant",),
    outputs=("element_shape: shape_type",),
    attrs=("shape_type: {int32, int64}",),
)


@TensorListElementShape.shape_fn
def _tensor_list_element_shape_shape(c: InferenceContext) -> TensorShape:
    return TensorShape(None)


@TensorListElementShape.kernel("CPU")
def _tensor_list_element_shape_cpu(input_handle: TensorList, *, shape_type: DType) -> np.ndarray:
    dims = input_handle.element_shape._dims
    value = -1 if dims is None else [-1 if size is None else size for size in dims]
    return np.array(value, shape_type.numpy_dtype)


TensorListElementShape.not_differentiable("shapes are integers")


# --- TensorListGetItem and TensorListSetItem ------------------------------------------------------

TensorListGetItem = define_op(
    "TensorListGetItem",
    inputs=("input_handle: variant", "index: int32", "element_shape: Tshape"),
    outputs=("item: element_dtype",),
    attrs=("element_dtype: type", "Tshape: {int32, int64} = int32"),
)


@TensorListGetItem.shape_fn
def _tensor_list_get_item_shape(c: InferenceContext) -> TensorShape:
    return c.constant_as_shape(2)


@TensorListGetItem.kernel("CPU")
def _tensor_list_get_item_cpu(
    input_handle: TensorList, index: np.ndarray, element_shape: np.ndarray, *, element_dtype: DType
) -> Any:
    check_dtype(input_handle, element_dtype)
    elements = input_handle.elements()
    element = elements[_checked_index(index, len(elements), "access")]
    wanted = shape_of_value(element_shape)
    if element is None:
        return unwritten_element(input_handle, wanted, elements)
    if isinstance(element, np.ndarray) and not TensorShape._of(element.shape).is_subtype_of(wanted):
        raise InvalidArgumentError(
            None,
            None,
            "An element of a list has another shape",
            received=f"shape {list(element.shape)}",
            expected=f"a shape that fits {wanted}",
        )
    return element


def _checked_index(index: np.ndarray, length: int, action: str) -> int:
    if not 0 <= index < length:
        raise InvalidArgumentError(
            None, None, f"Trying to {action} element {index} in a list with {length} elements"
        )
    return int(index)


@TensorListGetItem.gradient
def _tensor_list_get_item_grad(op: Any, grad: Tensor) -> tuple[Tensor | None, None, None]:
    handle, index, element_shape = op.inputs
    dtype = op.attrs["element_dtype"]
    if not holds_numbers(dtype):
        return None, None, None
    nothing = TensorListReserve(element_shape, TensorListLength(handle), element_dtype=dtype)
    return TensorListSetItem(nothing, index, grad), None, None


TensorListSetItem = define_op(
    "TensorListSetItem",
    inputs=("input_handle: variant", "index: int32", "item: element_dtype"),
    outputs=("output_handle: variant",),
    attrs=("element_dtype: type", "resize_if_index_out_of_bounds: bool = false"),
    foldable=False,
)
TensorListSetItem.shape_fn(scalar_shape)


@TensorListSetItem.kernel("CPU")
def _tensor_list_set_item_cpu(
    input_handle: TensorList,
    index: np.ndarray,
    item: Any,
    *,
    element_dtype: DType,
    resize_if_index_out_of_bounds: bool,
) -> TensorList:
    check_element(input_handle, item, element_dtype)
    elements = input_handle.elements()
    if resize_if_index_out_of_bounds and index >= len(elements):
        elements += [None] * (int(index) + 1 - len(elements))
    elements[_checked_index(index, len(elements), "modify")] = item
    return input_handle.with_elements(elements)


@TensorListSetItem.gradient
def _tensor_list_set_item_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, Tensor | None]:
    _, index, item = op.inputs
    dtype = op.attrs["element_dtype"]
    rest = TensorListSetItem(grad, index, zeros_like(item))
    if not holds_numbers(dtype):
        return rest, None, None
    return rest, None, TensorListGetItem(grad, index, shape_of(item), element_dtype=dtype)


# --- TensorListConcatLists ------------------------------------------------------------------------

TensorListConcatLists = define_op(
    "TensorListConcatLists",
    inputs=("input_a: variant", "input_b: variant"),
    outputs=("output: variant",),
    attrs=("element_dtype: type",),
    foldable=False,
)
TensorListConcatLists.shape_fn(scalar_shape)


@TensorListConcatLists.kernel("CPU")
def _tensor_list_concat_lists_cpu(
    input_a: TensorList, input_b: TensorList, *, element_dtype: DType
) -> TensorList:
    check_dtype(input_a, element_dtype)
    check_dtype(input_b, element_dtype)
    return input_a.with_elements(input_a.elements() + input_b.elements())


TensorListConcatLists.not_differentiable("TensorFlow has no gradient of it either")

"""Lists of tensors as values: made empty, pushed to and popped from.

A list is a variant that never changes: each op makes a new one. Loops keep the history of their
values in lists, which are loop variables like any other: so gradients of their gradients exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, scalar_shape
from featherflow.framework.tensor_shape import SCALAR, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels.allocation import check_allocation
from featherflow.kernels.tensor_list import TensorList, zeros_of
from featherflow.ops.add_n_ops import AddN
from featherflow.ops.fill_ops import ZerosLike

#: Stands for an element shape of unknown rank.
UNKNOWN_SHAPE = -1


def shape_of_value(value: np.ndarray) -> TensorShape:
    """The shape that a shape tensor says: −1 is an unknown dimension, a scalar an unknown rank."""
    if value.ndim == 0:
        return TensorShape(None)
    return TensorShape([None if size < 0 else size for size in value.tolist()])


def value_of_shape(shape: TensorShape) -> Any:
    """A static shape as the value of a shape tensor."""
    if shape.rank is None:
        return UNKNOWN_SHAPE
    return np.array([-1 if size is None else size for size in shape.as_list()], np.int32)


def holds_numbers(dtype: DType) -> bool:
    """Whether lists of `dtype` have gradients."""
    return dtype.is_floating or dtype.is_complex or dtype is dtypes.variant


# --- EmptyTensorList ------------------------------------------------------------------------------

EmptyTensorList = define_op(
    "EmptyTensorList",
    inputs=("element_shape: shape_type", "max_num_elements: int32"),
    outputs=("handle: variant",),
    attrs=("element_dtype: type", "shape_type: {int32, int64}"),
    foldable=False,
)
EmptyTensorList.shape_fn(scalar_shape)


@EmptyTensorList.kernel("CPU")
def _empty_tensor_list_cpu(
    element_shape: np.ndarray, max_num_elements: np.ndarray, *, element_dtype: DType
) -> TensorList:
    limit = int(max_num_elements)
    return TensorList(
        element_dtype,
        shape_of_value(element_shape),
        max_length=None if limit < 0 else limit,
    )


EmptyTensorList.without_gradient("a list of nothing does not depend on anything")


# --- TensorListPushBack and TensorListPopBack -----------------------------------------------------

TensorListPushBack = define_op(
    "TensorListPushBack",
    inputs=("input_handle: variant", "tensor: element_dtype"),
    outputs=("output_handle: variant",),
    attrs=("element_dtype: type",),
    foldable=False,
)
TensorListPushBack.shape_fn(scalar_shape)


@TensorListPushBack.kernel("CPU")
def _tensor_list_push_back_cpu(
    input_handle: TensorList, tensor: Any, *, element_dtype: DType
) -> TensorList:
    check_element(input_handle, tensor, element_dtype)
    return input_handle.push(tensor)


def check_dtype(handle: TensorList, dtype: DType) -> None:
    """Raises if a list holds elements of another dtype than the op says."""
    if handle.dtype is not dtype:
        raise InvalidArgumentError(
            None,
            None,
            "Invalid data types",
            received=f"a list of {handle.dtype.name}",
            expected=f"a list of {dtype.name}",
        )


def check_element(handle: TensorList, element: Any, dtype: DType) -> None:
    """Raises if `element` cannot be in a list."""
    check_dtype(handle, dtype)
    if not isinstance(element, np.ndarray) or handle.element_shape._dims is None:
        return
    if not TensorShape._of(element.shape).is_subtype_of(handle.element_shape):
        raise InvalidArgumentError(
            None,
            None,
            "Tried to append a tensor with incompatible shape to a list",
            received=f"shape {list(element.shape)}",
            expected=f"a shape that fits {handle.element_shape}",
        )


@TensorListPushBack.gradient
def _tensor_list_push_back_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor | None]:
    element = op.inputs[1]
    dtype = op.attrs["element_dtype"]
    rest, gradient = TensorListPopBack(grad, value_of_shape(element.shape), element_dtype=dtype)
    return rest, gradient if holds_numbers(dtype) else None


TensorListPopBack = define_op(
    "TensorListPopBack",
    inputs=("input_handle: variant", "element_shape: int32"),
    outputs=("output_handle: variant", "tensor: element_dtype"),
    attrs=("element_dtype: type",),
    foldable=False,
)


@TensorListPopBack.shape_fn
def _tensor_list_pop_back_shape(c: InferenceContext) -> list[TensorShape]:
    return [SCALAR, c.constant_as_shape(1)]


@TensorListPopBack.kernel("CPU")
def _tensor_list_pop_back_cpu(
    input_handle: TensorList, element_shape: np.ndarray, *, element_dtype: DType
) -> tuple[TensorList, Any]:
    check_dtype(input_handle, element_dtype)
    shorter, element = input_handle.pop()
    if element is None:
        element = unwritten_element(input_handle, shape_of_value(element_shape))
    return shorter, element


def unwritten_element(handle: TensorList, wanted: TensorShape, others: Sequence[Any] = ()) -> Any:
    """What stands for an element that nothing has been written to: zeros, or an empty list.

    Args:
      wanted: the shape that it must fit.
      others: elements of the list, which have its shape.
    """
    if handle.dtype is dtypes.variant:
        return TensorList(dtypes.variant, TensorShape(None))
    shape = handle.element_shape.merge_with(wanted)
    for other in others:
        if other is not None:
            shape = shape.merge_with(TensorShape._of(other.shape))
    if not shape.is_fully_defined():
        raise InvalidArgumentError(
            None,
            None,
            "Trying to read an uninitialized tensor but element_shape is not fully defined",
            received=f"element shape {shape}",
        )
    check_allocation(shape.as_list(), handle.dtype.numpy_dtype)
    return np.zeros(shape.as_list(), handle.dtype.numpy_dtype)


@TensorListPopBack.gradient
def _tensor_list_pop_back_grad(
    op: Any, rest: Tensor, grad: Tensor | None
) -> tuple[Tensor | None, None]:
    dtype = op.attrs["element_dtype"]
    if not holds_numbers(dtype):
        return None, None
    return TensorListPushBack(rest, grad, element_dtype=dtype), None


# --- TensorListLength -----------------------------------------------------------------------------

TensorListLength = define_op(
    "TensorListLength", inputs=("input_handle: variant",), outputs=("length: int32",)
)
TensorListLength.shape_fn(scalar_shape)


@TensorListLength.kernel("CPU")
def _tensor_list_length_cpu(input_handle: TensorList) -> np.ndarray:
    return np.array(len(input_handle), np.int32)


TensorListLength.not_differentiable("lengths are integers")


# --- lists as gradients ---------------------------------------------------------------------------


@ZerosLike.kernel("CPU", T=dtypes.variant, priority=1)
def _zeros_like_of_variant_cpu(x: Any) -> Any:
    return zeros_of(x)


@AddN.kernel("CPU", T=dtypes.variant)
def _add_n_of_variant_cpu(*inputs: TensorList) -> TensorList:
    total = inputs[0]
    for other in inputs[1:]:
        total = total.plus(other)
    return total

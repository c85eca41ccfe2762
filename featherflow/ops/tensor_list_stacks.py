"""Lists of tensors as tensors: stacked, joined, and taken apart."""

from __future__ import annotations

from collections.abc import Sequence
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
from featherflow.ops.segment_ops import UnsortedSegmentSum
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.tensor_list_ops import (
    TensorListLength,
    check_dtype,
    check_element,
    shape_of_value,
    unwritten_element,
)

_ROWS = TensorShape._of((None,))


def _stacked(handle: TensorList, elements: Sequence[Any], wanted: TensorShape) -> np.ndarray:
    """Elements of a list, stacked.

    Raises:
      InvalidArgumentError: their shapes differ, or are not known.
    """
    if not elements:
        shape = handle.element_shape.merge_with(wanted)
        if not shape.is_fully_defined():
            raise InvalidArgumentError(
                None,
                None,
                "Tried to stack elements of an empty list with non-fully-defined element_shape",
                received=f"element shape {shape}",
            )
        return np.zeros((0, *shape.as_list()), handle.dtype.numpy_dtype)
    values = [
        unwritten_element(handle, wanted, elements) if item is None else item for item in elements
    ]
    for place, value in enumerate(values):
        if value.shape != values[0].shape:
            raise InvalidArgumentError(
                None,
                None,
                "Elements of a list that are stacked must have one shape",
                received=f"element 0 of shape {list(values[0].shape)}, element {place} of shape "
                f"{list(value.shape)}",
            )
    return np.stack(values)


def _rows_after(tensor: Tensor) -> Any:
    """The shape of the rows of a tensor."""
    shape: Any = shape_of(tensor)
    return shape[1:]


# --- TensorListStack and TensorListFromTensor -----------------------------------------------------

TensorListStack = define_op(
    "TensorListStack",
    inputs=("input_handle: variant", "element_shape: int32"),
    outputs=("tensor: element_dtype",),
    attrs=("element_dtype: type", "num_elements: int = -1"),
)


@TensorListStack.shape_fn
def _tensor_list_stack_shape(c: InferenceContext) -> TensorShape:
    count = c.attrs["num_elements"]
    rows = TensorShape._of((None if count < 0 else count,))
    return rows.concatenate(c.constant_as_shape(1))


@TensorListStack.kernel("CPU")
def _tensor_list_stack_cpu(
    input_handle: TensorList,
    element_shape: np.ndarray,
    *,
    element_dtype: DType,
    num_elements: int,
) -> np.ndarray:
    check_dtype(input_handle, element_dtype)
    if num_elements not in (-1, len(input_handle)):
        raise InvalidArgumentError(
            None,
            None,
            f"Operation expected a list with {num_elements} elements but got a list with "
            f"{len(input_handle)} elements",
        )
    return _stacked(input_handle, input_handle.elements(), shape_of_value(element_shape))


@TensorListStack.gradient
def _tensor_list_stack_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return TensorListFromTensor(grad, op.inputs[1]), None


TensorListFromTensor = define_op(
    "TensorListFromTensor",
    inputs=("tensor: element_dtype", "element_shape: shape_type"),
    outputs=("output_handle: variant",),
    attrs=("element_dtype: type", "shape_type: {int32, int64}"),
    foldable=False,
)


@TensorListFromTensor.shape_fn
def _tensor_list_from_tensor_shape(c: InferenceContext) -> TensorShape:
    tensor = c.with_rank_at_least(0, 1)
    if tensor.rank is not None:
        c.merge(tensor[1:], c.constant_as_shape(1))
    return scalar_shape(c)


@TensorListFromTensor.kernel("CPU")
def _tensor_list_from_tensor_cpu(
    tensor: np.ndarray, element_shape: np.ndarray, *, element_dtype: DType
) -> TensorList:
    return _list_of_rows(tensor, element_shape, element_dtype, range(len(tensor)), len(tensor))


def _list_of_rows(
    tensor: np.ndarray,
    element_shape: np.ndarray,
    dtype: DType,
    places: Sequence[int],
    length: int,
) -> TensorList:
    """A list of `length` elements that has the rows of a tensor at `places`."""
    empty = TensorList(dtype, shape_of_value(element_shape))
    elements: list[Any] = [None] * length
    for place, row in zip(places, tensor):
        check_element(empty, np.asarray(row), dtype)
        elements[place] = np.asarray(row)
    return empty.with_elements(elements)


@TensorListFromTensor.gradient
def _tensor_list_from_tensor_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    tensor = op.inputs[0]
    rows = tensor.shape[0].value if tensor.shape.rank else None
    gradient = TensorListStack(
        grad,
        _rows_after(tensor),
        element_dtype=tensor.dtype.base_dtype,
        num_elements=-1 if rows is None else rows,
    )
    return gradient, None


# --- TensorListGather and TensorListScatter -------------------------------------------------------

TensorListGather = define_op(
    "TensorListGather",
    inputs=("input_handle: variant", "indices: int32", "element_shape: int32"),
    outputs=("values: element_dtype",),
    attrs=("element_dtype: type",),
)


@TensorListGather.shape_fn
def _tensor_list_gather_shape(c: InferenceContext) -> TensorShape:
    return c.shapes[1].concatenate(c.constant_as_shape(2))


@TensorListGather.kernel("CPU")
def _tensor_list_gather_cpu(
    input_handle: TensorList,
    indices: np.ndarray,
    element_shape: np.ndarray,
    *,
    element_dtype: DType,
) -> np.ndarray:
    check_dtype(input_handle, element_dtype)
    elements = input_handle.elements()
    for index in indices.tolist():
        if not 0 <= index < len(elements):
            raise InvalidArgumentError(
                None, None, f"Index {index} out of range; list only has {len(elements)} elements"
            )
    chosen = [elements[index] for index in indices.tolist()]
    return _stacked(input_handle, chosen, shape_of_value(element_shape))


@TensorListGather.gradient
def _tensor_list_gather_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    handle, indices, element_shape = op.inputs
    # An element may be gathered several times: a Scatter would keep one of the gradients.
    summed = UnsortedSegmentSum(grad, indices, TensorListLength(handle))
    return TensorListFromTensor(summed, element_shape), None, None


def _scattered(
    tensor: np.ndarray, indices: np.ndarray, element_shape: np.ndarray, dtype: DType, size: int
) -> TensorList:
    """A list with the rows of `tensor` at `indices`; `size` −1 makes it as long as need be."""
    _check_rows(tensor, indices)
    length = size if size >= 0 else int(indices.max(initial=-1)) + 1
    if indices.size and indices.max() >= length:
        raise InvalidArgumentError(
            None,
            None,
            f"TensorListScatter: Trying to scatter at index {indices.max()} in list with size "
            f"{length}",
        )
    return _list_of_rows(tensor, element_shape, dtype, indices.tolist(), length)


def _check_rows(tensor: np.ndarray, indices: np.ndarray) -> None:
    if len(tensor) != len(indices):
        raise InvalidArgumentError(
            None,
            None,
            "Invalid number of rows in input tensor",
            received=len(tensor),
            expected=len(indices),
        )
    if (indices < 0).any():
        raise InvalidArgumentError(
            None, None, "Indices in TensorListScatter must all be non-negative"
        )


def _scatter_grad(op: Any, grad: Tensor) -> list[Tensor | None]:
    tensor, indices = op.inputs[:2]
    gradient = TensorListGather(
        grad, indices, _rows_after(tensor), element_dtype=tensor.dtype.base_dtype
    )
    return [gradient, *[None] * (len(op.inputs) - 1)]


TensorListScatter = define_op(
    "TensorListScatter",
    inputs=("tensor: element_dtype", "indices: int32", "element_shape: shape_type"),
    outputs=("output_handle: variant",),
    attrs=("element_dtype: type", "shape_type: {int32, int64}"),
    foldable=False,
)
TensorListScatter.shape_fn(scalar_shape)
TensorListScatter.gradient(_scatter_grad)


@TensorListScatter.kernel("CPU")
def _tensor_list_scatter_cpu(
    tensor: np.ndarray, indices: np.ndarray, element_shape: np.ndarray, *, element_dtype: DType
) -> TensorList:
    return _scattered(tensor, indices, element_shape, element_dtype, -1)


TensorListScatterV2 = define_op(
    "TensorListScatterV2",
    inputs=(
        "tensor: element_dtype",
        "indices: int32",
        "element_shape: shape_type",
        "num_elements: int32",
    ),
    outputs=("output_handle: variant",),
    attrs=("element_dtype: type", "shape_type: {int32, int64}"),
    foldable=False,
)
TensorListScatterV2.shape_fn(scalar_shape)
TensorListScatterV2.gradient(_scatter_grad)


@TensorListScatterV2.kernel("CPU")
def _tensor_list_scatter_v2_cpu(
    tensor: np.ndarray,
    indices: np.ndarray,
    element_shape: np.ndarray,
    num_elements: np.ndarray,
    *,
    element_dtype: DType,
) -> TensorList:
    return _scattered(tensor, indices, element_shape, element_dtype, int(num_elements))


TensorListScatterIntoExistingList = define_op(
    "TensorListScatterIntoExistingList",
    inputs=("input_handle: variant", "tensor: element_dtype", "indices: int32"),
    outputs=("output_handle: variant",),
    attrs=("element_dtype: type",),
    foldable=False,
)
TensorListScatterIntoExistingList.shape_fn(scalar_shape)


@TensorListScatterIntoExistingList.kernel("CPU")
def _tensor_list_scatter_into_existing_list_cpu(
    input_handle: TensorList, tensor: np.ndarray, indices: np.ndarray, *, element_dtype: DType
) -> TensorList:
    _check_rows(tensor, indices)
    elements = input_handle.elements()
    elements += [None] * (int(indices.max(initial=-1)) + 1 - len(elements))
    for index, row in zip(indices.tolist(), tensor):
        check_element(input_handle, np.asarray(row), element_dtype)
        elements[index] = np.asarray(row)
    return input_handle.with_elements(elements)


@TensorListScatterIntoExistingList.gradient
def _scatter_into_existing_list_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
    _, tensor, indices = op.inputs
    rest = TensorListScatterIntoExistingList(grad, zeros_like(tensor), indices)
    gradient = TensorListGather(
        grad, indices, _rows_after(tensor), element_dtype=tensor.dtype.base_dtype
    )
    return rest, gradient, None


# --- TensorListConcat and TensorListSplit ---------------------------------------------------------


def _joined(
    handle: TensorList, wanted: TensorShape, leading_dims: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """All elements joined along their first dimension, and how long each of them is there."""
    elements = handle.elements()
    shape = handle.element_shape.merge_with(wanted)
    if not elements:
        if shape.rank is None or not shape[1:].is_fully_defined():
            raise InvalidArgumentError(
                None,
                None,
                "All except the first dimension must be fully defined when concating an empty "
                "tensor list",
                received=f"element shape {shape}",
            )
        return np.zeros((0, *shape[1:].as_list()), handle.dtype.numpy_dtype), np.zeros(0, np.int64)
    values = []
    for place, element in enumerate(elements):
        if element is None:
            if place >= len(leading_dims):
                raise InvalidArgumentError(
                    None,
                    None,
                    f"List contains uninitialized tensor at index {place} but leading_dims has "
                    f"only {len(leading_dims)} elements",
                )
            rest = _rest_shape(elements, shape)
            element = np.zeros((leading_dims[place], *rest), handle.dtype.numpy_dtype)
        values.append(element)
    return _concatenated(values), np.array([len(value) for value in values], np.int64)


def _rest_shape(elements: Sequence[Any], shape: TensorShape) -> list[int]:
    """The dimensions of elements but the first."""
    for element in elements:
        if element is not None:
            return list(element.shape[1:])
    if shape.rank is None or not shape[1:].is_fully_defined():
        raise InvalidArgumentError(
            None, None, "The shape of the elements is not known", received=f"element shape {shape}"
        )
    return shape[1:].as_list()


def _concatenated(values: Sequence[np.ndarray]) -> np.ndarray:
    for place, value in enumerate(values):
        if value.ndim == 0 or value.shape[1:] != values[0].shape[1:]:
            raise InvalidArgumentError(
                None,
                None,
                "Elements of a list that are joined may differ in their first dimension only",
                received=f"element 0 of shape {list(values[0].shape)}, element {place} of shape "
                f"{list(value.shape)}",
            )
    return np.concatenate(values)


def _concat_shapes(shape: TensorShape) -> list[TensorShape]:
    rest = shape[1:] if shape.rank else TensorShape(None)
    return [_ROWS.concatenate(rest), _ROWS]


TensorListConcatV2 = define_op(
    "TensorListConcatV2",
    inputs=("input_handle: variant", "element_shape: shape_type", "leading_dims: int64"),
    outputs=("tensor: element_dtype", "lengths: int64"),
    attrs=("element_dtype: type", "shape_type: {int32, int64}"),
)


@TensorListConcatV2.shape_fn
def _tensor_list_concat_v2_shape(c: InferenceContext) -> list[TensorShape]:
    return _concat_shapes(c.constant_as_shape(1))


@TensorListConcatV2.kernel("CPU")
def _tensor_list_concat_v2_cpu(
    input_handle: TensorList,
    element_shape: np.ndarray,
    leading_dims: np.ndarray,
    *,
    element_dtype: DType,
) -> tuple[np.ndarray, np.ndarray]:
    check_dtype(input_handle, element_dtype)
    return _joined(input_handle, shape_of_value(element_shape), leading_dims.tolist())


@TensorListConcatV2.gradient
def _tensor_list_concat_v2_grad(op: Any, grad: Tensor, _: None) -> tuple[Tensor, None, None]:
    return TensorListSplit(grad, op.inputs[1], op.outputs[1]), None, None


TensorListConcat = define_op(
    "TensorListConcat",
    inputs=("input_handle: variant",),
    outputs=("tensor: element_dtype", "lengths: int64"),
    attrs=("element_dtype: type", "element_shape: shape = unknown"),
)


@TensorListConcat.shape_fn
def _tensor_list_concat_shape(c: InferenceContext) -> list[TensorShape]:
    return _concat_shapes(c.attrs["element_shape"])


@TensorListConcat.kernel("CPU")
def _tensor_list_concat_cpu(
    input_handle: TensorList, *, element_dtype: DType, element_shape: TensorShape
) -> tuple[np.ndarray, np.ndarray]:
    check_dtype(input_handle, element_dtype)
    return _joined(input_handle, element_shape, ())


@TensorListConcat.gradient
def _tensor_list_concat_grad(op: Any, grad: Tensor, _: None) -> Tensor:
    return TensorListSplit(grad, -1, op.outputs[1])


TensorListSplit = define_op(
    "TensorListSplit",
    inputs=("tensor: element_dtype", "element_shape: shape_type", "lengths: int64"),
    outputs=("output_handle: variant",),
    attrs=("element_dtype: type", "shape_type: {int32, int64}"),
    foldable=False,
)
TensorListSplit.shape_fn(scalar_shape)


@TensorListSplit.kernel("CPU")
def _tensor_list_split_cpu(
    tensor: np.ndarray, element_shape: np.ndarray, lengths: np.ndarray, *, element_dtype: DType
) -> TensorList:
    if (lengths < 0).any():
        raise InvalidArgumentError(None, None, f"Invalid value in lengths: {lengths.min()}")
    if lengths.sum() != len(tensor):
        raise InvalidArgumentError(
            None,
            None,
            "The lengths of the pieces must add up to the length of the tensor",
            received=f"a tensor of length {len(tensor)} and lengths that add up to {lengths.sum()}",
        )
    empty = TensorList(element_dtype, shape_of_value(element_shape))
    ends = np.cumsum(lengths).tolist()
    pieces = [tensor[start:end] for start, end in zip([0, *ends], ends)]
    for piece in pieces:
        check_element(empty, piece, element_dtype)
    return empty.with_elements(pieces)


@TensorListSplit.gradient
def _tensor_list_split_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    tensor, element_shape, lengths = op.inputs
    gradient, _ = TensorListConcatV2(
        grad, element_shape, lengths, element_dtype=tensor.dtype.base_dtype
    )
    return gradient, None, None

"""The ops of TensorArrays: a list of tensors that loops write and read by index.

The value of a handle is a TensorArrayStorage, which lives as long as the step. `flow` is a scalar
that carries no value: it makes reads wait for the writes before them, and gradients flow along it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError, UnimplementedError
from featherflow.framework.op import define_op
from featherflow.framework.op_kernel import OpKernel
from featherflow.framework.shape_inference import InferenceContext, no_outputs
from featherflow.framework.tensor_shape import SCALAR, UNKNOWN, TensorShape
from featherflow.graph.graph_api import colocate_with, control_dependencies
from featherflow.graph.tensor import Tensor
from featherflow.kernels.tensor_array_storage import TensorArrayStorage
from featherflow.ops.control_flow_context import is_within, output_context
from featherflow.ops.gradient_registry import current_gradient_source
from featherflow.ops.identity_ops import Identity

_HANDLE = TensorShape._of((2,))
_FLOW = np.zeros((), np.float32)
_FLOW.setflags(write=False)


# --- TensorArrayV3 --------------------------------------------------------------------------------

TensorArrayV3 = define_op(
    "TensorArrayV3",
    inputs=("size: int32",),
    outputs=("handle: resource", "flow: float"),
    attrs=(
        "dtype: type",
        "element_shape: shape = unknown",
        "dynamic_size: bool = false",
        "clear_after_read: bool = true",
        "identical_element_shapes: bool = false",
        "tensor_array_name: string = ''",
    ),
    is_stateful=True,
    order_free=True,
)


@TensorArrayV3.shape_fn
def _tensor_array_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(0, 0)
    return [_HANDLE, SCALAR]


@TensorArrayV3.kernel("CPU")
class _TensorArrayCpu(OpKernel):
    """Makes a new array in each step."""

    def compute(self, ctx: Any, size: np.ndarray) -> tuple[TensorArrayStorage, np.ndarray]:
        attrs = self.node.attrs
        storage = TensorArrayStorage(
            attrs["tensor_array_name"] or self.node.name,
            attrs["dtype"],
            int(size),
            attrs["element_shape"],
            dynamic_size=attrs["dynamic_size"],
            clear_after_read=attrs["clear_after_read"],
            identical_element_shapes=attrs["identical_element_shapes"],
        )
        return storage, _FLOW


TensorArrayV3.not_differentiable("gradients flow through what is written to it")


# --- gradients of arrays --------------------------------------------------------------------------

TensorArrayGradV3 = define_op(
    "TensorArrayGradV3",
    inputs=("handle: resource", "flow_in: float"),
    outputs=("grad_handle: resource", "flow_out: float"),
    attrs=("source: string",),
    is_stateful=True,
    order_free=True,
)


@TensorArrayGradV3.shape_fn
def _tensor_array_grad_shape(c: InferenceContext) -> list[TensorShape]:
    return [_HANDLE, SCALAR]


@TensorArrayGradV3.kernel("CPU")
def _tensor_array_grad_cpu(
    handle: TensorArrayStorage, flow_in: np.ndarray, *, source: str
) -> tuple[TensorArrayStorage, np.ndarray]:
    return handle.gradient(source), _FLOW


TensorArrayGradV3.not_differentiable("it finds the array of gradients")

TensorArrayGradWithShape = define_op(
    "TensorArrayGradWithShape",
    inputs=("handle: resource", "flow_in: float", "shape_to_prepend: int32"),
    outputs=("grad_handle: resource", "flow_out: float"),
    attrs=("source: string",),
    is_stateful=True,
    order_free=True,
)
TensorArrayGradWithShape.shape_fn(_tensor_array_grad_shape)


@TensorArrayGradWithShape.kernel("CPU")
def _tensor_array_grad_with_shape_cpu(
    handle: TensorArrayStorage, flow_in: np.ndarray, shape_to_prepend: np.ndarray, *, source: str
) -> tuple[TensorArrayStorage, np.ndarray]:
    return handle.gradient(source, tuple(shape_to_prepend.tolist())), _FLOW


TensorArrayGradWithShape.not_differentiable("it finds the array of gradients")


def gradient_array(
    handle: Tensor, flow: Tensor, source: str | None = None
) -> tuple[Tensor, Tensor]:
    """The array of the gradients of an array's elements, as (handle, flow).

    Args:
      flow: of the array; writes before it are seen.
      source: the computation of gradients; None takes the one under way.
    """
    with colocate_with(handle):
        found, _ = TensorArrayGradV3(handle, flow, source=source or current_gradient_source())
        with control_dependencies([found]):
            return found, Identity(flow, name="gradient_flow")


def _after_write(operation: Any, flow_gradient: Tensor) -> Tensor:
    """`flow_gradient` behind the write that `operation` is, which tells the element's shape.

    The loop of a gradient starts when its forward loop has ended: nothing is left to wait for.
    """
    flow_out = operation.outputs[0]
    context = output_context(operation)
    loop = None if context is None else context.while_context
    if loop is not None and not is_within(loop.graph._control_flow_context, loop):
        return flow_gradient
    with control_dependencies([Identity(flow_out, name="flow_out")]):
        return Identity(flow_gradient, name="write_barrier")


# --- TensorArrayWriteV3 and TensorArrayReadV3 -----------------------------------------------------

TensorArrayWriteV3 = define_op(
    "TensorArrayWriteV3",
    inputs=("handle: resource", "index: int32", "value: T", "flow_in: float"),
    outputs=("flow_out: float",),
    attrs=("T: type",),
    is_stateful=True,
    order_free=True,
)


@TensorArrayWriteV3.shape_fn
def _tensor_array_write_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(1, 0)
    c.with_rank(3, 0)
    return SCALAR


@TensorArrayWriteV3.kernel("CPU")
def _tensor_array_write_cpu(
    handle: TensorArrayStorage, index: np.ndarray, value: np.ndarray, flow_in: np.ndarray
) -> np.ndarray:
    handle.write(int(index), value)
    return _FLOW


@TensorArrayWriteV3.gradient
def _tensor_array_write_grad(op: Any, flow: Tensor) -> tuple[None, None, Tensor, Tensor]:
    handle, index, value, _ = op.inputs
    gradients, after = gradient_array(handle, _after_write(op, flow))
    gradient = TensorArrayReadV3(gradients, index, after, dtype=value.dtype.base_dtype)
    return None, None, gradient, flow


TensorArrayReadV3 = define_op(
    "TensorArrayReadV3",
    inputs=("handle: resource", "index: int32", "flow_in: float"),
    outputs=("value: dtype",),
    attrs=("dtype: type",),
    is_stateful=True,
    order_free=True,
)


@TensorArrayReadV3.shape_fn
def _tensor_array_read_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(1, 0)
    c.with_rank(2, 0)
    return element_shape_of(c.inputs[0])


def element_shape_of(handle: Tensor) -> TensorShape:
    """The static shape of an array's elements, where the op that made it tells."""
    operation = handle.op
    while operation.definition.control_flow is not None or operation.definition is Identity:
        operation = operation.inputs[0].op
    if operation.definition is TensorArrayV3 and operation.attrs["identical_element_shapes"]:
        return operation.attrs["element_shape"]
    return UNKNOWN


@TensorArrayReadV3.kernel("CPU")
def _tensor_array_read_cpu(
    handle: TensorArrayStorage, index: np.ndarray, flow_in: np.ndarray, *, dtype: DType
) -> np.ndarray:
    _check_dtype(handle, dtype)
    return handle.read(int(index))


def _check_dtype(handle: TensorArrayStorage, dtype: DType) -> None:
    if handle.dtype is not dtype:
        raise InvalidArgumentError(
            None,
            None,
            f"TensorArray dtype is {handle.dtype.name} but Op is requesting dtype {dtype.name}",
        )


@TensorArrayReadV3.gradient
def _tensor_array_read_grad(op: Any, grad: Tensor) -> tuple[None, None, Tensor]:
    handle, index, flow = op.inputs
    gradients, after = gradient_array(handle, flow)
    return None, None, TensorArrayWriteV3(gradients, index, grad, after)


# --- TensorArrayGatherV3 and TensorArrayScatterV3 -------------------------------------------------

TensorArrayGatherV3 = define_op(
    "TensorArrayGatherV3",
    inputs=("handle: resource", "indices: int32", "flow_in: float"),
    outputs=("value: dtype",),
    attrs=("dtype: type", "element_shape: shape = unknown"),
    is_stateful=True,
    order_free=True,
)


@TensorArrayGatherV3.shape_fn
def _tensor_array_gather_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(1, 1)
    c.with_rank(2, 0)
    return TensorShape._of((None,)).concatenate(c.attrs["element_shape"])


@TensorArrayGatherV3.kernel("CPU")
def _tensor_array_gather_cpu(
    handle: TensorArrayStorage,
    indices: np.ndarray,
    flow_in: np.ndarray,
    *,
    dtype: DType,
    element_shape: TensorShape,
) -> np.ndarray:
    _check_dtype(handle, dtype)
    values = handle.read_many(indices.tolist())
    if not values:
        shape = _known_shape(element_shape, handle.element_shape, "gather")
        return np.zeros((0, *shape), dtype.numpy_dtype)
    for index, value in zip(indices.tolist(), values):
        if value.shape != values[0].shape:
            raise InvalidArgumentError(
                None,
                None,
                "TensorArray has inconsistent shapes",
                received=f"index {indices[0]} has shape {list(values[0].shape)}, "
                f"index {index} has shape {list(value.shape)}",
                expected="one shape for all elements that are stacked",
            )
    return np.stack(values)


def _known_shape(first: TensorShape, second: TensorShape, action: str) -> list[int]:
    """The shape of elements of which there is none."""
    for shape in (first, second):
        if shape.is_fully_defined():
            return shape.as_list()
    raise UnimplementedError(
        None,
        None,
        f"TensorArray has size zero, but element shape {second} is not fully defined: cannot "
        f"{action} no elements",
        remedy="Give the TensorArray an element_shape.",
    )


@TensorArrayGatherV3.gradient
def _tensor_array_gather_grad(op: Any, grad: Tensor) -> tuple[None, None, Tensor]:
    handle, indices, flow = op.inputs
    gradients, after = gradient_array(handle, flow)
    return None, None, TensorArrayScatterV3(gradients, indices, grad, after)


TensorArrayScatterV3 = define_op(
    "TensorArrayScatterV3",
    inputs=("handle: resource", "indices: int32", "value: T", "flow_in: float"),
    outputs=("flow_out: float",),
    attrs=("T: type",),
    is_stateful=True,
    order_free=True,
)


@TensorArrayScatterV3.shape_fn
def _tensor_array_scatter_shape(c: InferenceContext) -> TensorShape:
    indices = c.with_rank(1, 1)
    value = c.with_rank_at_least(2, 1)
    if value._dims is not None and indices._dims is not None:
        c.merge_dim(indices._dims[0], value._dims[0])
    c.with_rank(3, 0)
    return SCALAR


@TensorArrayScatterV3.kernel("CPU")
def _tensor_array_scatter_cpu(
    handle: TensorArrayStorage, indices: np.ndarray, value: np.ndarray, flow_in: np.ndarray
) -> np.ndarray:
    if value.ndim == 0 or len(indices) != len(value):
        raise InvalidArgumentError(
            None,
            None,
            "Expected len(indices) == values.shape[0]",
            received=f"{len(indices)} indices and values of shape {list(value.shape)}",
        )
    handle.write_many(indices.tolist(), [value[row, ...] for row in range(len(value))])
    return _FLOW


@TensorArrayScatterV3.gradient
def _tensor_array_scatter_grad(op: Any, flow: Tensor) -> tuple[None, None, Tensor, Tensor]:
    handle, indices, value, _ = op.inputs
    gradients, after = gradient_array(handle, _after_write(op, flow))
    gradient = TensorArrayGatherV3(gradients, indices, after, dtype=value.dtype.base_dtype)
    return None, None, gradient, flow


# --- TensorArrayConcatV3 and TensorArraySplitV3 ---------------------------------------------------

TensorArrayConcatV3 = define_op(
    "TensorArrayConcatV3",
    inputs=("handle: resource", "flow_in: float"),
    outputs=("value: dtype", "lengths: int64"),
    attrs=("dtype: type", "element_shape_except0: shape = unknown"),
    is_stateful=True,
    order_free=True,
)


@TensorArrayConcatV3.shape_fn
def _tensor_array_concat_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(1, 0)
    rest = c.attrs["element_shape_except0"]
    return [TensorShape._of((None,)).concatenate(rest), TensorShape._of((None,))]


@TensorArrayConcatV3.kernel("CPU")
def _tensor_array_concat_cpu(
    handle: TensorArrayStorage,
    flow_in: np.ndarray,
    *,
    dtype: DType,
    element_shape_except0: TensorShape,
) -> tuple[np.ndarray, np.ndarray]:
    _check_dtype(handle, dtype)
    values = handle.read_many(range(handle.size()))
    if not values:
        shape = _known_shape(element_shape_except0, handle.element_shape[1:], "concatenate")
        return np.zeros((0, *shape), dtype.numpy_dtype), np.zeros(0, np.int64)
    for index, value in enumerate(values):
        if value.ndim == 0 or value.shape[1:] != values[0].shape[1:]:
            raise InvalidArgumentError(
                None,
                None,
                "TensorArray elements cannot be concatenated",
                received=f"index 0 has shape {list(values[0].shape)}, index {index} has shape "
                f"{list(value.shape)}",
                expected="vectors or more, equal but for the first dimension",
            )
    return np.concatenate(values), np.array([len(value) for value in values], np.int64)


@TensorArrayConcatV3.gradient
def _tensor_array_concat_grad(op: Any, grad: Tensor, lengths_grad: None) -> tuple[None, Tensor]:
    handle, flow = op.inputs
    gradients, after = gradient_array(handle, flow)
    return None, TensorArraySplitV3(gradients, grad, op.outputs[1], after)


TensorArraySplitV3 = define_op(
    "TensorArraySplitV3",
    inputs=("handle: resource", "value: T", "lengths: int64", "flow_in: float"),
    outputs=("flow_out: float",),
    attrs=("T: type",),
    is_stateful=True,
    order_free=True,
)


@TensorArraySplitV3.shape_fn
def _tensor_array_split_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(2, 1)
    c.with_rank(3, 0)
    return SCALAR


@TensorArraySplitV3.kernel("CPU")
def _tensor_array_split_cpu(
    handle: TensorArrayStorage, value: np.ndarray, lengths: np.ndarray, flow_in: np.ndarray
) -> np.ndarray:
    total = int(lengths.sum())
    if value.ndim == 0 or total != len(value) or (lengths < 0).any():
        raise InvalidArgumentError(
            None,
            None,
            "Expected sum of lengths to be equal to values.shape[0]",
            received=f"lengths {lengths.tolist()[:16]} and values of shape {list(value.shape)}",
        )
    if len(lengths) < handle.size():
        raise InvalidArgumentError(
            None,
            None,
            "TensorArray's size is not equal to the size of lengths",
            received=f"{handle.size()} elements and {len(lengths)} lengths",
        )
    ends = np.cumsum(lengths).tolist()
    pieces = [value[start:end] for start, end in zip([0, *ends], ends)]
    handle.write_many(range(len(pieces)), pieces)
    return _FLOW


@TensorArraySplitV3.gradient
def _tensor_array_split_grad(op: Any, flow: Tensor) -> tuple[None, Tensor, None, Tensor]:
    handle, value, _, _ = op.inputs
    gradients, after = gradient_array(handle, _after_write(op, flow))
    gradient = TensorArrayConcatV3(gradients, after, dtype=value.dtype.base_dtype)[0]
    return None, gradient, None, flow


# --- TensorArraySizeV3 and TensorArrayCloseV3 -----------------------------------------------------

TensorArraySizeV3 = define_op(
    "TensorArraySizeV3",
    inputs=("handle: resource", "flow_in: float"),
    outputs=("size: int32",),
    is_stateful=True,
    order_free=True,
)


@TensorArraySizeV3.shape_fn
def _tensor_array_size_shape(c: InferenceContext) -> TensorShape:
    return SCALAR


@TensorArraySizeV3.kernel("CPU")
def _tensor_array_size_cpu(handle: TensorArrayStorage, flow_in: np.ndarray) -> np.ndarray:
    return np.array(handle.size(), np.int32)


TensorArraySizeV3.not_differentiable("sizes are integers")

TensorArrayCloseV3 = define_op(
    "TensorArrayCloseV3", inputs=("handle: resource",), is_stateful=True, order_free=True
)
TensorArrayCloseV3.shape_fn(no_outputs)


@TensorArrayCloseV3.kernel("CPU")
def _tensor_array_close_cpu(handle: TensorArrayStorage) -> None:
    handle.close()


TensorArrayCloseV3.not_differentiable("it has no outputs")

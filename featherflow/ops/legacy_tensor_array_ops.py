"""The first two versions of TensorArray's ops, which graphs of old programs hold.

The handle of the first is a ref of strings, that of the second a string; either way its value is
the TensorArrayStorage itself, and the arithmetic is that of the third version.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import Op, define_op
from featherflow.framework.op_kernel import OpKernel
from featherflow.framework.shape_inference import InferenceContext, unknown_shapes
from featherflow.framework.source_location import caller_location
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels.tensor_array_storage import TensorArrayStorage
from featherflow.ops import tensor_array_ops as third
from featherflow.ops.gradient_registry import current_gradient_source

_HANDLE = TensorShape._of((2,))
_FLOW = np.zeros((), np.float32)
_FLOW.setflags(write=False)

#: What the names end in → what the handle is.
_VERSIONS = {"": "Ref(string)", "V2": "string"}


class _Row(NamedTuple):
    """An op that both versions have.

    Attributes:
      third: the op of the third version, which gives the kernel, and shapes to the second.
      inputs: behind the handle.
    """

    third: Op
    inputs: tuple[str, ...]
    outputs: tuple[str, ...] = ()
    attrs: tuple[str, ...] = ()


_ROWS = {
    "Write": _Row(
        third.TensorArrayWriteV3,
        ("index: int32", "value: T", "flow_in: float"),
        ("flow_out: float",),
        ("T: type",),
    ),
    "Read": _Row(
        third.TensorArrayReadV3,
        ("index: int32", "flow_in: float"),
        ("value: dtype",),
        ("dtype: type",),
    ),
    "Gather": _Row(
        third.TensorArrayGatherV3,
        ("indices: int32", "flow_in: float"),
        ("value: dtype",),
        ("dtype: type", "element_shape: shape = unknown"),
    ),
    "Scatter": _Row(
        third.TensorArrayScatterV3,
        ("indices: int32", "value: T", "flow_in: float"),
        ("flow_out: float",),
        ("T: type",),
    ),
    "Concat": _Row(
        third.TensorArrayConcatV3,
        ("flow_in: float",),
        ("value: dtype", "lengths: int64"),
        ("dtype: type", "element_shape_except0: shape = unknown"),
    ),
    "Split": _Row(
        third.TensorArraySplitV3,
        ("value: T", "lengths: int64", "flow_in: float"),
        ("flow_out: float",),
        ("T: type",),
    ),
    "Size": _Row(third.TensorArraySizeV3, ("flow_in: float",), ("size: int32",)),
    "Close": _Row(third.TensorArrayCloseV3, ()),
}


def _kernel_of(op: Op) -> Callable[..., Any]:
    (kernel,) = op.kernels
    return kernel.function


def _define_rows(suffix: str) -> dict[str, Op]:
    """The ops of `_ROWS` in one version."""
    location = caller_location()
    ops = {}
    for name, row in _ROWS.items():
        ops[name] = op = define_op(
            f"TensorArray{name}{suffix}",
            inputs=(f"handle: {_VERSIONS[suffix]}", *row.inputs),
            outputs=row.outputs,
            attrs=row.attrs,
            foldable=False,
            location=location,
        )
        shape_function = row.third.shape_function if suffix else unknown_shapes
        assert shape_function is not None
        op.shape_fn(shape_function)
        op.kernel("CPU")(_kernel_of(row.third))
    for name in ("Size", "Close"):
        ops[name].not_differentiable("it has no outputs that are differentiable")
    return ops


# --- TensorArray and TensorArrayGrad --------------------------------------------------------------


class _LegacyTensorArrayCpu(OpKernel):
    """Makes a new array in each step."""

    def compute(self, ctx: Any, size: np.ndarray) -> TensorArrayStorage:
        attrs = self.node.attrs
        return TensorArrayStorage(
            attrs["tensor_array_name"] or self.node.name,
            attrs["dtype"],
            int(size),
            attrs["element_shape"],
            dynamic_size=attrs["dynamic_size"],
            clear_after_read=attrs["clear_after_read"],
        )


_ARRAY_ATTRS = (
    "dtype: type",
    "dynamic_size: bool = false",
    "clear_after_read: bool = true",
    "tensor_array_name: string = ''",
    "element_shape: shape = unknown",
)
_ARRAY_V2_ATTRS = (_ARRAY_ATTRS[0], _ARRAY_ATTRS[4], *_ARRAY_ATTRS[1:4])

TensorArray = define_op(
    "TensorArray",
    inputs=("size: int32",),
    outputs=("handle: Ref(string)",),
    attrs=_ARRAY_ATTRS,
    is_stateful=True,
)
TensorArrayV2 = define_op(
    "TensorArrayV2",
    inputs=("size: int32",),
    outputs=("handle: string",),
    attrs=_ARRAY_V2_ATTRS,
    is_stateful=True,
)
TensorArrayGrad = define_op(
    "TensorArrayGrad",
    inputs=("handle: string", "flow_in: float"),
    outputs=("grad_handle: Ref(string)",),
    attrs=("source: string",),
    is_stateful=True,
)
TensorArrayGradV2 = define_op(
    "TensorArrayGradV2",
    inputs=("handle: string", "flow_in: float"),
    outputs=("grad_handle: string",),
    attrs=("source: string",),
    is_stateful=True,
)


def _array_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(0, 0)
    return _HANDLE


def _gradient_cpu(
    handle: TensorArrayStorage, flow_in: np.ndarray, *, source: str
) -> TensorArrayStorage:
    return handle.gradient(source)


TensorArray.shape_fn(unknown_shapes)
TensorArrayV2.shape_fn(_array_shape)
TensorArrayGrad.shape_fn(unknown_shapes)
TensorArrayGradV2.shape_fn(lambda c: _HANDLE)
for _op in (TensorArray, TensorArrayV2):
    _op.kernel("CPU")(_LegacyTensorArrayCpu)
    _op.not_differentiable("gradients flow through what is written to it")
for _op in (TensorArrayGrad, TensorArrayGradV2):
    _op.kernel("CPU")(_gradient_cpu)
    _op.not_differentiable("it finds the array of gradients")

# --- writing and reading --------------------------------------------------------------------------


def _hang_gradients(ops: dict[str, Op], grad: Op) -> None:
    """Gradients read what was written to the array of gradients, and write what was read."""

    def gradients_of(operation: Any, flow: Tensor) -> Tensor:
        return grad(operation.inputs[0], flow, source=current_gradient_source())

    @ops["Write"].gradient
    def write_grad(op: Any, flow: Tensor) -> tuple[Any, ...]:
        _, index, value, _ = op.inputs
        array = gradients_of(op, flow)
        return None, None, ops["Read"](array, index, flow, dtype=value.dtype.base_dtype), flow

    @ops["Read"].gradient
    def read_grad(op: Any, gradient: Tensor) -> tuple[Any, ...]:
        _, index, flow = op.inputs
        return None, None, ops["Write"](gradients_of(op, flow), index, gradient, flow)

    @ops["Gather"].gradient
    def gather_grad(op: Any, gradient: Tensor) -> tuple[Any, ...]:
        _, indices, flow = op.inputs
        return None, None, ops["Scatter"](gradients_of(op, flow), indices, gradient, flow)

    @ops["Scatter"].gradient
    def scatter_grad(op: Any, flow: Tensor) -> tuple[Any, ...]:
        _, indices, value, _ = op.inputs
        array = gradients_of(op, flow)
        gathered = ops["Gather"](array, indices, flow, dtype=value.dtype.base_dtype)
        return None, None, gathered, flow

    @ops["Concat"].gradient
    def concat_grad(op: Any, gradient: Tensor, of_lengths: Any) -> tuple[Any, ...]:
        flow = op.inputs[1]
        return None, ops["Split"](gradients_of(op, flow), gradient, op.outputs[1], flow)

    @ops["Split"].gradient
    def split_grad(op: Any, flow: Tensor) -> tuple[Any, ...]:
        value = op.inputs[1]
        joined = ops["Concat"](gradients_of(op, flow), flow, dtype=value.dtype.base_dtype)
        return None, joined[0], None, flow


_FIRST, _SECOND = _define_rows(""), _define_rows("V2")
_hang_gradients(_FIRST, TensorArrayGrad)
_hang_gradients(_SECOND, TensorArrayGradV2)

# --- TensorArrayPack and TensorArrayUnpack --------------------------------------------------------

TensorArrayPack = define_op(
    "TensorArrayPack",
    inputs=("handle: Ref(string)", "flow_in: float"),
    outputs=("value: dtype",),
    attrs=("dtype: type", "element_shape: shape = unknown"),
)
TensorArrayPack.shape_fn(unknown_shapes)


@TensorArrayPack.kernel("CPU")
def _tensor_array_pack_cpu(
    handle: TensorArrayStorage, flow_in: np.ndarray, *, dtype: DType, element_shape: TensorShape
) -> np.ndarray:
    every = np.arange(handle.size(), dtype=np.int32)
    gather = _kernel_of(third.TensorArrayGatherV3)
    return gather(handle, every, flow_in, dtype=dtype, element_shape=element_shape)


TensorArrayPack.without_gradient("TensorFlow gives it no gradient")

TensorArrayUnpack = define_op(
    "TensorArrayUnpack",
    inputs=("handle: Ref(string)", "value: T", "flow_in: float"),
    outputs=("flow_out: float",),
    attrs=("T: type",),
)
TensorArrayUnpack.shape_fn(unknown_shapes)


@TensorArrayUnpack.kernel("CPU")
def _tensor_array_unpack_cpu(
    handle: TensorArrayStorage, value: np.ndarray, flow_in: np.ndarray
) -> np.ndarray:
    if value.ndim == 0:
        raise InvalidArgumentError(
            None, None, "Input value for unpack must be at least a vector", received="a scalar"
        )
    handle.write_many(range(len(value)), [value[row, ...] for row in range(len(value))])
    return _FLOW


TensorArrayUnpack.without_gradient("TensorFlow gives it no gradient")

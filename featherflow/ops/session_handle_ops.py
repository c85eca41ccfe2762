"""Tensors that stay in the session between runs, and the handles that name them.

handle = sess.run(tf.get_session_handle(a * b))
holder, product = tf.get_session_tensor(handle.handle, tf.float32)
sess.run(product + 1, {holder: handle.handle})
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InternalError, InvalidArgumentError
from featherflow.framework.exports import export_v1
from featherflow.framework.op import define_op
from featherflow.framework.op_kernel import OpKernel
from featherflow.framework.resource import ResourceManager
from featherflow.framework.shape_inference import InferenceContext, no_outputs
from featherflow.framework.tensor_shape import SCALAR, UNKNOWN, TensorShape
from featherflow.graph.graph_api import colocate_with, device
from featherflow.graph.tensor import Tensor
from featherflow.ops.placeholder_ops import placeholder

_NO_GRADIENT = "what a handle names came from another run"
_DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"


class _Kept:
    """The tensors that a session keeps, by handle."""

    def __init__(self) -> None:
        self.values: dict[bytes, np.ndarray] = {}
        self.numbers: Iterator[int] = itertools.count()

    @classmethod
    def of(cls, resources: ResourceManager) -> _Kept:
        """Those of the session that has these resources."""
        return resources.lookup_or_create("", "session tensors", cls, cls)

    def get(self, handle: bytes) -> np.ndarray:
        """The tensor.

        Raises:
          InvalidArgumentError: there is none of this name.
        """
        try:
            return self.values[handle]
        except KeyError:
            raise InvalidArgumentError(
                None,
                None,
                f"The tensor with handle '{handle.decode(errors='replace')}' is not in the "
                "session store.",
            ) from None


class TensorHandle:
    """What `sess.run(tf.get_session_handle(t))` returns: the name of a tensor that was kept.

    The tensor is dropped with its handle, unless `get_raw_handle` has been called. A handle may be
    fed in the place of its tensor.

    Attributes:
      handle: the name, as `get_session_tensor` takes it.
      dtype: of the tensor.
    """

    def __init__(self, name: str, kept: _Kept, dtype: DType) -> None:
        self.handle = name
        self.dtype = dtype
        self._kept: _Kept | None = kept
        self._stays = False

    def __bytes__(self) -> bytes:
        return self.handle.encode()

    def __repr__(self) -> str:
        return f"<TensorHandle {self.handle}>"

    def eval(self) -> Any:
        """The tensor's value.

        Raises:
          TypeError: it has been deleted.
        """
        if self._kept is None:
            raise TypeError(f"Persistent tensor {self.handle} may have already been deleted.")
        value = self._kept.get(bytes(self))
        return value[()] if value.ndim == 0 else value.copy()

    def delete(self) -> None:
        """Drops the tensor.

        Raises:
          TypeError: it has been deleted before.
        """
        if self._kept is None:
            raise TypeError(f"Persistent tensor {self.handle} may have already been deleted.")
        kept, self._kept = self._kept, None
        kept.values.pop(bytes(self), None)

    def get_raw_handle(self) -> str:
        """The name; the tensor then stays until it is deleted."""
        self._stays = True
        return self.handle

    def to_numpy_array(self) -> np.ndarray:
        """Refuses, as TensorFlow does: the value is what `eval` gives."""
        raise NotImplementedError(
            "Convert TensorHandle to numpy array is not supported: call its eval()."
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.eval(), dtype)

    def __str__(self) -> str:
        return self.handle

    def __del__(self) -> None:
        if self._kept is not None and not self._stays:
            self._kept.values.pop(bytes(self), None)


# --- GetSessionHandle -----------------------------------------------------------------------------


def _handle_shape(c: InferenceContext) -> TensorShape:
    return SCALAR


def _keep(ctx: Any, node_name: str, value: np.ndarray, dtype: DType) -> TensorHandle:
    kept = _Kept.of(ctx.resources)
    name = f"{node_name};{next(kept.numbers)};{_DEVICE}"
    handle = TensorHandle(name, kept, dtype)
    kept.values[bytes(handle)] = value.copy()
    return handle


GetSessionHandle = define_op(
    "GetSessionHandle",
    inputs=("value: T",),
    outputs=("handle: string",),
    attrs=("T: type",),
    is_stateful=True,
)
GetSessionHandle.shape_fn(_handle_shape)


@GetSessionHandle.kernel("CPU")
class _GetSessionHandleCpu(OpKernel):
    def compute(self, ctx: Any, value: np.ndarray) -> np.ndarray:
        result = np.empty((), object)
        result.fill(_keep(ctx, self.node.name, value, self.node.attrs["T"]))  # as it is
        return result


GetSessionHandle.not_differentiable(_NO_GRADIENT)

GetSessionHandleV2 = define_op(
    "GetSessionHandleV2",
    inputs=("value: T",),
    outputs=("handle: resource",),
    attrs=("T: type",),
    is_stateful=True,
)
GetSessionHandleV2.shape_fn(_handle_shape)


@GetSessionHandleV2.kernel("CPU")
class _GetSessionHandleV2Cpu(OpKernel):
    def compute(self, ctx: Any, value: np.ndarray) -> TensorHandle:
        return _keep(ctx, self.node.name, value, self.node.attrs["T"])


GetSessionHandleV2.not_differentiable(_NO_GRADIENT)


@export_v1("get_session_handle")
def get_session_handle(data: Any, name: str | None = None) -> Tensor:
    """Keeps a tensor in the session.

    Args:
      data: the tensor.
      name: of the node.
    Returns:
      A tensor; running it gives a `TensorHandle`.
    Raises:
      TypeError: `data` is no tensor.
    """
    if not isinstance(data, Tensor):
        raise TypeError("`data` must be of type Tensor.")
    with colocate_with(data):
        return GetSessionHandle(data, name=name)


# --- GetSessionTensor and DeleteSessionTensor -----------------------------------------------------


def _one_handle(handle: np.ndarray) -> bytes:
    if handle.ndim:
        raise InvalidArgumentError(
            None, None, "handle must be a scalar", received=f"shape {list(handle.shape)}"
        )
    return bytes(handle[()])


GetSessionTensor = define_op(
    "GetSessionTensor",
    inputs=("handle: string",),
    outputs=("value: dtype",),
    attrs=("dtype: type",),
    is_stateful=True,
)


@GetSessionTensor.shape_fn
def _get_session_tensor_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(0, 0)
    return UNKNOWN


@GetSessionTensor.kernel("CPU")
def _get_session_tensor_cpu(ctx: Any, handle: np.ndarray, *, dtype: DType) -> np.ndarray:
    value = _Kept.of(ctx.resources).get(_one_handle(handle))
    if value.dtype != dtype.numpy_dtype:
        raise InternalError(
            None,
            None,
            "The tensor that was kept has another dtype",
            received=str(value.dtype),
            expected=dtype.name,
        )
    return value.copy()


GetSessionTensor.not_differentiable(_NO_GRADIENT)


@export_v1("get_session_tensor")
def get_session_tensor(handle: Any, dtype: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Gets a tensor that was kept.

    Args:
      handle: the name of one such tensor, which tells its device.
      dtype: of the tensor.
      name: of the node.
    Returns:
      A placeholder for the name of any such tensor, and the tensor.
    """
    with device(_device_of(handle)):
        holder = placeholder(dtypes.string)
        return holder, GetSessionTensor(holder, dtype=dtype, name=name)


def _device_of(handle: Any) -> str:
    text = handle.decode() if isinstance(handle, bytes) else str(handle)
    return text.rpartition(";")[2]


DeleteSessionTensor = define_op("DeleteSessionTensor", inputs=("handle: string",), is_stateful=True)


@DeleteSessionTensor.shape_fn
def _delete_session_tensor_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(0, 0)
    return no_outputs(c)


@DeleteSessionTensor.kernel("CPU")
def _delete_session_tensor_cpu(ctx: Any, handle: np.ndarray) -> None:
    kept, name = _Kept.of(ctx.resources), _one_handle(handle)
    kept.get(name)
    kept.values.pop(name, None)


DeleteSessionTensor.not_differentiable("it has no outputs")


@export_v1("delete_session_tensor")
def delete_session_tensor(handle: Any, name: str | None = None) -> tuple[Tensor, Any]:
    """Drops a tensor that was kept.

    Args:
      handle: the name of one such tensor, which tells its device.
      name: of the node.
    Returns:
      A placeholder for the name of any such tensor, and the operation.
    """
    with device(_device_of(handle)):
        holder = placeholder(dtypes.string)
        return holder, DeleteSessionTensor(holder, name=name)

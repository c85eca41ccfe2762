"""Ops whose output is their input: for names, order and copies, and to stop gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, unchanged_shape
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor

# --- Identity -------------------------------------------------------------------------------------

Identity = define_op(
    "Identity", inputs=("input: T",), outputs=("output: T",), attrs=("T: type",), aliases=True
)
Identity.shape_fn(unchanged_shape)


@Identity.kernel("CPU")
def _identity_cpu(input: Any) -> Any:
    return input


@Identity.partial_shape
def _identity_partial_shape(tensor: Tensor, as_shape: Any) -> TensorShape:
    return as_shape(tensor.op.inputs[0])


@Identity.gradient
def _identity_grad(op: Any, grad: Tensor) -> Tensor:
    return grad


@export("identity")
def identity(input: Any, name: str | None = None) -> Any:
    """The values of `input` under another name, and maybe on another device.

    Args:
      input: a tensor, variable or composite such as IndexedSlices.
      name: of the node.
    Returns:
      The same kind of value as `input`.
    """
    if isinstance(input, SparseTensor):
        return SparseTensor(
            Identity(input.indices), Identity(input.values), Identity(input.dense_shape)
        )
    if isinstance(input, IndexedSlices):
        dense_shape = input.dense_shape
        return IndexedSlices(
            Identity(input.values, name=name),
            Identity(input.indices, name=name),
            None if dense_shape is None else Identity(dense_shape, name=name),
        )
    return Identity(input, name=name)


# --- RefIdentity ----------------------------------------------------------------------------------

RefIdentity = define_op(
    "RefIdentity",
    inputs=("input: Ref(T)",),
    outputs=("output: Ref(T)",),
    attrs=("T: type",),
    allows_uninitialized_input=True,
)
RefIdentity.shape_fn(unchanged_shape)


@RefIdentity.kernel("CPU")
def _ref_identity_cpu(input: Any) -> Any:
    return input


@RefIdentity.gradient
def _ref_identity_grad(op: Any, grad: Tensor) -> Tensor:
    return grad


# --- IdentityN ------------------------------------------------------------------------------------

IdentityN = define_op(
    "IdentityN", inputs=("input: T",), outputs=("output: T",), attrs=("T: list(type) >= 1",)
)


@IdentityN.shape_fn
def _identity_n_shape(c: InferenceContext) -> list[TensorShape]:
    return c.shapes


@IdentityN.kernel("CPU")
def _identity_n_cpu(*input: Any) -> Sequence[Any]:
    # Copies: `aliases` speaks of one output only.
    return [item.copy() if isinstance(item, np.ndarray) else item for item in input]


@IdentityN.gradient
def _identity_n_grad(op: Any, *grads: Tensor) -> Sequence[Tensor]:
    return grads


@export("identity_n")
def identity_n(input: Any, name: str | None = None) -> list[Tensor]:
    """The values of several tensors; one gradient function can be given to all of them together.

    Args:
      input: tensors of any dtypes.
      name: of the node.
    Returns:
      A list of tensors.
    """
    return IdentityN(input, name=name)


# --- Snapshot, DeepCopy, GuaranteeConst -----------------------------------------------------------

Snapshot = define_op("Snapshot", inputs=("input: T",), outputs=("output: T",), attrs=("T: type",))
Snapshot.shape_fn(unchanged_shape)


@Snapshot.kernel("CPU")
def _snapshot_cpu(input: np.ndarray) -> np.ndarray:
    return input.copy()


Snapshot.without_gradient("TensorFlow gives it no gradient")

DeepCopy = define_op(
    "DeepCopy", inputs=("x: T",), outputs=("y: T",), attrs=("T: type",), is_stateful=True
)
DeepCopy.shape_fn(unchanged_shape)


@DeepCopy.kernel("CPU")
def _deep_copy_cpu(x: np.ndarray) -> np.ndarray:
    return x.copy()


DeepCopy.without_gradient("TensorFlow gives it no gradient")

GuaranteeConst = define_op(
    "GuaranteeConst",
    inputs=("input: T",),
    outputs=("output: T",),
    attrs=("T: type",),
    is_stateful=True,
    aliases=True,
)
GuaranteeConst.shape_fn(unchanged_shape)


@GuaranteeConst.kernel("CPU")
def _guarantee_const_cpu(input: np.ndarray) -> np.ndarray:
    return input


GuaranteeConst.without_gradient("it stands for a constant")


@export("guarantee_const")
def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """`input`, which the caller promises never to change between runs.

    Args:
      input: a tensor.
      name: of the node.
    Returns:
      A tensor of the same values.
    """
    return GuaranteeConst(input, name=name)


# --- EnsureShape ----------------------------------------------------------------------------------

EnsureShape = define_op(
    "EnsureShape",
    inputs=("input: T",),
    outputs=("output: T",),
    attrs=("shape: shape", "T: type"),
    aliases=True,
)


@EnsureShape.shape_fn
def _ensure_shape_shape(c: InferenceContext) -> TensorShape:
    return c.merge(c.attrs["shape"], c.shapes[0])


@EnsureShape.kernel("CPU")
def _ensure_shape_cpu(input: np.ndarray, *, shape: TensorShape) -> np.ndarray:
    if not shape.is_compatible_with(input.shape):
        raise InvalidArgumentError(
            None,
            None,
            "The shape of the tensor is not compatible with the expected one",
            received=f"shape {list(input.shape)}",
            expected=f"shape {shape}",
        )
    return input


@EnsureShape.gradient
def _ensure_shape_grad(op: Any, grad: Tensor) -> Tensor:
    return grad


@export("ensure_shape")
def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """`x`, whose shape is checked in each run.

    Unlike `Tensor.set_shape`, which only states what is known.

    Args:
      x: a tensor.
      shape: a shape, None where any size will do.
      name: of the node.
    Returns:
      A tensor of the same values, whose static shape is merged with `shape`.
    Raises:
      ValueError: the static shape is not compatible with `shape`.
      InvalidArgumentError: the shape in a run is not.
    """
    return EnsureShape(x, shape=TensorShape(shape), name=name)


# --- PreventGradient ------------------------------------------------------------------------------

PreventGradient = define_op(
    "PreventGradient",
    inputs=("input: T",),
    outputs=("output: T",),
    attrs=("T: type", "message: string = ''"),
    aliases=True,
)
PreventGradient.shape_fn(unchanged_shape)


@PreventGradient.kernel("CPU")
def _prevent_gradient_cpu(input: np.ndarray) -> np.ndarray:
    return input


@PreventGradient.gradient
def _prevent_gradient_grad(op: Any, grad: Tensor) -> Tensor:
    raise LookupError(f"Gradient explicitly disabled. Reason: {op.attrs['message']}")


# --- StopGradient ---------------------------------------------------------------------------------

StopGradient = define_op(
    "StopGradient", inputs=("input: T",), outputs=("output: T",), attrs=("T: type",), aliases=True
)
StopGradient.shape_fn(unchanged_shape)


@StopGradient.kernel("CPU")
def _stop_gradient_cpu(input: np.ndarray) -> np.ndarray:
    return input


@Identity.compile_rule
@StopGradient.compile_rule
@PreventGradient.compile_rule
@Snapshot.compile_rule
def _identity_compile(c: Any, input: Any) -> Any:
    return input


StopGradient.not_differentiable("it stands for a constant")


@export("stop_gradient")
def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """`input`, which gradients treat as a constant.

    Args:
      input: a tensor.
      name: of the node.
    Returns:
      A tensor of the same values.
    """
    return StopGradient(input, name=name)

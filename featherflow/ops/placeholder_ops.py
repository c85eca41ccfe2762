"""Placeholders: tensors whose values are fed to each run."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export_v1
from featherflow.framework.op import define_op
from featherflow.framework.op_kernel import OpKernel
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor

# --- Placeholder ----------------------------------------------------------------------------------

Placeholder = define_op(
    "Placeholder",
    outputs=("output: dtype",),
    attrs=("dtype: type", "shape: shape = unknown"),
    foldable=False,
)
# GraphDefs older than version 23 hold it.
PlaceholderV2 = define_op(
    "PlaceholderV2",
    outputs=("output: dtype",),
    attrs=("dtype: type", "shape: shape"),
    foldable=False,
)


# Up to this version a Placeholder had no way to say "any shape", and said "scalar".
_LAST_VERSION_WITHOUT_UNKNOWN = 21


@Placeholder.shape_fn
def _placeholder_shape(c: InferenceContext) -> TensorShape:
    shape = c.attrs["shape"]
    if not shape._dims and c.graph_def_version <= _LAST_VERSION_WITHOUT_UNKNOWN:
        return UNKNOWN
    return shape


@PlaceholderV2.shape_fn
def _placeholder_v2_shape(c: InferenceContext) -> TensorShape:
    return c.attrs["shape"]


@Placeholder.kernel("CPU")
@PlaceholderV2.kernel("CPU")
class _PlaceholderCpu(OpKernel):
    """Runs only where the placeholder was not fed."""

    def compute(self, ctx: Any) -> np.ndarray:
        attrs = self.node.attrs
        raise InvalidArgumentError(
            None,
            None,
            f"You must feed a value for placeholder tensor '{self.node.name}' with dtype "
            f"{attrs['dtype'].name} and shape {attrs['shape']}",
            remedy="Pass feed_dict={tensor: value} to Session.run.",
        )


Placeholder.without_gradient("it has no inputs")
PlaceholderV2.without_gradient("it has no inputs")


@export_v1("placeholder")
def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor whose value is given with each run: `sess.run(…, feed_dict={x: value})`.

    Args:
      dtype: of the values.
      shape: of the values, None where a dimension may vary; None for any shape.
      name: of the node.
    Returns:
      A tensor that must be fed.
    """
    return Placeholder(dtype=dtypes.as_dtype(dtype), shape=TensorShape(shape), name=name)


# --- PlaceholderWithDefault -----------------------------------------------------------------------

PlaceholderWithDefault = define_op(
    "PlaceholderWithDefault",
    inputs=("input: dtype",),
    outputs=("output: dtype",),
    attrs=("dtype: type", "shape: shape"),
    aliases=True,
    foldable=False,
)


@PlaceholderWithDefault.shape_fn
def _placeholder_with_default_shape(c: InferenceContext) -> TensorShape:
    # Not the merged shape: a value that is fed has only `shape` to keep to.
    c.merge(c.shapes[0], c.attrs["shape"])
    return c.attrs["shape"]


@PlaceholderWithDefault.kernel("CPU")
def _placeholder_with_default_cpu(input: np.ndarray) -> np.ndarray:
    return input


@PlaceholderWithDefault.gradient
def _placeholder_with_default_grad(op: Any, grad: Tensor) -> Tensor:
    return grad


@export_v1("placeholder_with_default")
def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """A tensor that is `input` unless another value is fed.

    Args:
      input: the default, a value or tensor.
      shape: of the values, None where a dimension may vary; None for any shape.
      name: of the node.
    Returns:
      A tensor that may be fed.
    """
    return PlaceholderWithDefault(input, shape=TensorShape(shape), name=name)

"""tf.ConditionalAccumulator: a gradient made of those of several workers."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape, as_shape
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.accumulator_ops import (
    ResourceAccumulatorApplyGradient,
    ResourceAccumulatorNumAccumulated,
    ResourceAccumulatorSetGlobalStep,
    ResourceAccumulatorTakeGradient,
    ResourceConditionalAccumulator,
)
from featherflow.ops.cast_ops import cast


@export_v1("ConditionalAccumulatorBase")
class ConditionalAccumulatorBase:
    """What accumulators of gradients have in common: a handle, a count, a global step.

    Args:
      dtype: of the gradients.
      shape: of the gradients, as far as it is known.
      accumulator_ref: the handle.
    """

    def __init__(self, dtype: Any, shape: Any, accumulator_ref: Tensor) -> None:
        self._dtype = dtypes.as_dtype(dtype)
        self._shape: TensorShape = UNKNOWN if shape is None else as_shape(shape)
        self._accumulator_ref = accumulator_ref

    @property
    def accumulator_ref(self) -> Tensor:
        """The handle."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        """The name of the handle's node."""
        return self._accumulator_ref.op.name

    @property
    def dtype(self) -> DType:
        """Of the gradients."""
        return self._dtype

    def num_accumulated(self, name: str | None = None) -> Tensor:
        """How many gradients there are, an int32 scalar."""
        name = f"{self.name}_NumAccumulated" if name is None else name
        return ResourceAccumulatorNumAccumulated(self._accumulator_ref, name=name)

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Operation:
        """From now on, gradients whose local step is below `new_global_step` are dropped."""
        step = cast(convert_to_tensor(new_global_step), dtypes.int64)
        return ResourceAccumulatorSetGlobalStep(self._accumulator_ref, step, name=name)


@export_v1("ConditionalAccumulator")
class ConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of dense gradients.

    A gradient counts if its local step is not below the accumulator's global step, which
    `take_grad` raises by one: what workers computed from older variables is dropped.

    Args:
      dtype: of the gradients.
      shape: of the gradients, as far as it is known.
      shared_name: makes it one with others of this name in the session.
      name: of the node.
      reduction_type: "MEAN" or "SUM", what is taken.

    >>> import featherflow as tf
    >>> accumulator = tf.ConditionalAccumulator(tf.float32, [2])
    >>> apply = [accumulator.apply_grad([1.0, 2.0]), accumulator.apply_grad([3.0, 6.0])]
    >>> with tf.Session() as sess:
    ...     _ = sess.run(apply)
    ...     sess.run(accumulator.take_grad(2)).tolist()
    [2.0, 4.0]
    """

    def __init__(
        self,
        dtype: Any,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        handle = ResourceConditionalAccumulator(
            dtype=dtypes.as_dtype(dtype),
            shape=UNKNOWN if shape is None else as_shape(shape),
            shared_name=shared_name or "",
            reduction_type=reduction_type,
            name=name,
        )
        super().__init__(dtype, shape, handle)

    def apply_grad(self, grad: Any, local_step: Any = 0, name: str | None = None) -> Operation:
        """Adds a gradient, unless `local_step` is below the accumulator's global step.

        Raises:
          ValueError: `grad` has not the accumulator's shape.
        """
        gradient = convert_to_tensor(grad, self._dtype)
        gradient.shape.assert_is_compatible_with(self._shape)
        step = cast(convert_to_tensor(local_step), dtypes.int64)
        return ResourceAccumulatorApplyGradient(self._accumulator_ref, step, gradient, name=name)

    def take_grad(self, num_required: Any, name: str | None = None) -> Tensor:
        """The mean, or the sum, of at least `num_required` gradients; waits until they are there.

        Raises:
          InvalidArgumentError: `num_required` is not positive.
        """
        taken = ResourceAccumulatorTakeGradient(
            self._accumulator_ref, num_required, dtype=self._dtype, name=name
        )
        taken.set_shape(self._shape)
        return taken

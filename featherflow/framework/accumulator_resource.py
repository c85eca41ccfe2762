"""AccumulatorResource: gradients of one step, summed up until enough of them are there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.tensor_shape import TensorShape
from featherflow.framework.waiting_room import WAIT, WaitingRoom


class AccumulatorResource:
    """An accumulator of a session.

    Args:
      name: for messages.
      dtype, shape: of the gradients, as far as the shape is known.
      is_mean: whether what is taken is a mean rather than a sum.
    """

    def __init__(self, name: str, dtype: DType, shape: TensorShape, is_mean: bool) -> None:
        self.name = name
        self.dtype = dtype
        self.shape = shape
        self.is_mean = is_mean
        self.room = WaitingRoom()
        self.count = 0
        self._global_step = 0
        self._sum: np.ndarray | None = None

    def check_dtype(self, dtype: DType) -> None:
        """Raises InvalidArgumentError unless gradients are of this dtype."""
        if dtype is not self.dtype:
            raise InvalidArgumentError(
                None,
                None,
                f"Type mismatch: accumulator '{self.name}' holds gradients of another dtype",
                received=dtype.name,
                expected=self.dtype.name,
            )

    def apply(self, gradient: np.ndarray, local_step: int) -> Callable[[], None]:
        """Adds a gradient; one that was computed before the global step is dropped."""
        if not self.shape.is_compatible_with(TensorShape(gradient.shape)):
            raise InvalidArgumentError(
                None,
                None,
                f"Shape mismatch: accumulator '{self.name}'",
                received=f"a gradient of shape {list(gradient.shape)}",
                expected=f"{self.shape}",
            )

        def add() -> None:
            if local_step < self._global_step:
                return
            if self._sum is not None and self._sum.shape != gradient.shape:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Gradients of accumulator '{self.name}' have different shapes",
                    received=f"{list(gradient.shape)} after {list(self._sum.shape)}",
                )
            self._sum = gradient.copy() if self._sum is None else self._sum + gradient
            self.count += 1

        return add

    def take(self, num_required: int) -> Callable[[], object]:
        """Takes the mean, or the sum, of at least `num_required` gradients, and starts anew."""
        if num_required <= 0:
            raise InvalidArgumentError(
                None, None, "Argument num_required must be positive", received=num_required
            )

        def leave() -> object:
            if self._sum is None or self.count < num_required:
                return WAIT
            total, count = self._sum, self.count
            self._sum, self.count = None, 0
            self._global_step += 1
            return (total / count).astype(total.dtype) if self.is_mean else total

        return leave

    def set_global_step(self, step: int) -> Callable[[], None]:
        """From now on, gradients computed before `step` are dropped."""

        def change() -> None:
            self._global_step = step

        return change

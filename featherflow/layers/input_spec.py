"""InputSpec: what a layer asks of the dtype, rank and sizes of an input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor


@export_v1("layers.InputSpec")
class InputSpec:
    """Conditions on one input; None puts none.

    Args:
      dtype: of the elements.
      shape: the static shape, None for sizes that are free; it also fixes the rank.
      ndim: the rank.
      max_ndim, min_ndim: its bounds.
      axes: axis → the size it must have.
      allow_last_axis_squeeze: a last dimension of 1 may be missing, or be one too many.
      name: of the input.
      optional: whether it may be left out.
    Raises:
      ValueError: `shape` and an axis of `axes` do not fit together.
    """

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[int, int | None] | None = None,
        allow_last_axis_squeeze: bool = False,
        name: str | None = None,
        optional: bool = False,
    ) -> None:
        self.dtype: DType | None = None if dtype is None else as_dtype(dtype)
        self.shape = None if shape is None else tuple(TensorShape(shape).as_list())
        self.ndim = ndim if self.shape is None else len(self.shape)
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.axes = {int(axis): size for axis, size in (axes or {}).items()}
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        self.name = name
        self.optional = optional
        largest = (self.ndim or self.max_ndim or 0) - 1
        if self.axes and (self.ndim or self.max_ndim) and max(self.axes) > largest:
            raise ValueError(
                f"Axis {max(self.axes)} is greater than the maximum allowed value: {largest}"
            )

    def __repr__(self) -> str:
        fields = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
        given = [f"{field}={getattr(self, field)}" for field in fields if getattr(self, field)]
        return f"InputSpec({', '.join(given)})"

    def problem_with(self, shape: TensorShape, dtype: DType) -> str | None:
        """Which condition an input does not meet, in words; None if it meets all."""
        rank = shape.rank
        if self.dtype is not None and dtype.base_dtype is not self.dtype:
            return f"expected dtype={self.dtype.name}, found dtype={dtype.name}"
        if rank is None:
            return None
        if self.ndim is not None and rank not in self._ranks(shape):
            return f"expected ndim={self.ndim}, found ndim={rank}"
        if self.max_ndim is not None and rank > self.max_ndim:
            return f"expected max_ndim={self.max_ndim}, found ndim={rank}"
        if self.min_ndim is not None and rank < self.min_ndim:
            return f"expected min_ndim={self.min_ndim}, found ndim={rank}"
        return self._size_problem(shape.as_list())

    def _ranks(self, shape: TensorShape) -> set[int | None]:
        if not (self.allow_last_axis_squeeze and self.ndim and shape.rank):
            return {self.ndim}
        longer = {self.ndim + 1} if shape.as_list()[-1] == 1 else set()
        shorter = {self.ndim - 1} if self.shape and self.shape[-1] == 1 else set()
        return {self.ndim} | longer | shorter

    def _size_problem(self, sizes: Sequence[int | None]) -> str | None:
        for axis, wanted in self.axes.items():
            if wanted is not None and sizes[axis] not in (wanted, None):
                return (
                    f"expected axis {axis} of input shape to have value {wanted}, but received "
                    f"input with shape {tuple(sizes)}"
                )
        if self.shape is None or len(self.shape) != len(sizes):
            return None
        for wanted, size in zip(self.shape, sizes):
            if wanted is not None and size is not None and wanted != size:
                return f"expected shape={self.shape}, found shape={tuple(sizes)}"
        return None


def check_inputs(specs: Any, inputs: list[Tensor], layer_name: str) -> None:
    """Checks the inputs of a layer against an InputSpec, or one for each.

    Raises:
      ValueError: there are too many or too few, or one does not meet its conditions.
    """
    if not specs:
        return
    wanted = list(specs) if isinstance(specs, (list, tuple)) else [specs]
    if len(inputs) != len(wanted):
        raise ValueError(
            f'Layer "{layer_name}" expects {len(wanted)} input(s), but it received {len(inputs)} '
            f"input tensors. Inputs received: {inputs}"
        )
    for index, (tensor, spec) in enumerate(zip(inputs, wanted)):
        problem = spec and spec.problem_with(tensor.shape, tensor.dtype)
        if problem:
            raise ValueError(
                f'Input {index} of layer "{layer_name}" is incompatible with the layer: {problem}. '
                f"Full shape received: {tensor.shape}"
            )

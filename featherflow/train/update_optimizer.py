"""UpdateOptimizer: base of optimisers whose update of a variable is one op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.indexed_slices_ops import IndexedSlices
from featherflow.ops.variable_base import Variable
from featherflow.train.optimizer import Optimizer, apply_op


class UpdateOptimizer(Optimizer):
    """An optimiser that is `ApplyX` for dense gradients, `SparseApplyX` for gradients of some rows.

    A subclass names its slots, and gives the numbers that the op takes in `_hyperparameters`.
    """

    #: The op, after "Apply".
    _update_name: str
    #: The slots, in the op's order.
    _cell_names: tuple[str, ...] = ()
    #: Whether the op takes the gradient before the numbers.
    _gradient_first: ClassVar[bool] = False
    #: The numbers as tensors, by name, once the optimiser is prepared.
    _tensors: dict[str, Tensor]

    def _hyperparameters(self) -> dict[str, Any]:
        """Numbers, tensors or functions by the name of their nodes, in the op's order."""
        raise NotImplementedError(type(self).__name__)

    def _prepare(self) -> None:
        self._tensors = {
            name: convert_to_tensor(self._call_if_callable(value), name=name)
            for name, value in self._hyperparameters().items()
        }

    def _numbers_for(self, var: Variable) -> list[Any]:
        """The numbers that the op takes, in the variable's type."""
        dtype = var.dtype.base_dtype
        return [cast(tensor, dtype) for tensor in self._tensors.values()]

    def _apply(self, prefix: str, var: Variable, gradient: Sequence[Tensor]) -> Any:
        slots = [self.get_slot(var, name) for name in self._cell_names]
        numbers = self._numbers_for(var)
        values = [*gradient, *numbers] if self._gradient_first else [*numbers, *gradient]
        cells: list[Any] = [var, *slots]
        name = f"{prefix}{self._update_name}"
        return apply_op(name, cells, *values, use_locking=self._use_locking)

    def _apply_dense(self, grad: Tensor, var: Variable) -> Any:
        return self._apply("Apply", var, [grad])

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Any:
        return self._apply("SparseApply", var, [grad.values, grad.indices])

"""Gradient descent, plain and with momentum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.framework.op import get_op
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.indexed_slices_ops import IndexedSlices
from featherflow.ops.variable_base import Variable
from featherflow.train.optimizer import Optimizer, apply_op


@export_v1("train.GradientDescentOptimizer")
class GradientDescentOptimizer(Optimizer):
    """w ← w − η · g

    Args:
      learning_rate: η; a number, tensor or function.
      use_locking: accepted.
      name: of the scope of the update nodes.
    """

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._learning_rate_tensor: Tensor | None = None

    def _prepare(self) -> None:
        learning_rate = self._call_if_callable(self._learning_rate)
        self._learning_rate_tensor = convert_to_tensor(learning_rate, name="learning_rate")

    def _rate_for(self, dtype: Any) -> Tensor:
        return cast(self._learning_rate_tensor, dtype.base_dtype)

    def _apply_dense(self, grad: Tensor, var: Variable) -> Any:
        return apply_op(
            "ApplyGradientDescent",
            [var],
            self._rate_for(var.dtype),
            grad,
            use_locking=self._use_locking,
        )

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Variable) -> Any:
        # Subtraction adds repeated rows up by itself.
        delta = IndexedSlices(
            grad.values * self._rate_for(var.dtype), grad.indices, grad.dense_shape
        )
        return var.scatter_sub(delta, use_locking=self._use_locking)  # type: ignore[attr-defined]

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: Variable, indices: Tensor
    ) -> Any:
        updates = -grad * self._rate_for(handle.dtype)
        return get_op("ResourceScatterAdd")(handle.handle, indices, updates)  # type: ignore


@export_v1("train.MomentumOptimizer")
class MomentumOptimizer(Optimizer):
    """a ← μ · a + g;  w ← w − η · a, or with Nesterov's momentum w ← w − η · (g + μ · a)

    Args:
      learning_rate: η; a number, tensor or function.
      momentum: μ; a number, tensor or function.
      use_locking: accepted.
      name: of the scope of the update nodes.
      use_nesterov: whether to look ahead. Sutskever et al. 2013.
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            self._zeros_slot(var, "momentum", self._name)

    def _prepare(self) -> None:
        learning_rate = self._call_if_callable(self._learning_rate)
        self._learning_rate_tensor = convert_to_tensor(learning_rate, name="learning_rate")
        momentum = self._call_if_callable(self._momentum)
        self._momentum_tensor = convert_to_tensor(momentum, name="momentum")

    def _arguments(self, var: Variable) -> tuple[list[Variable], Tensor, Tensor]:
        slot = self.get_slot(var, "momentum")
        assert slot is not None
        dtype = var.dtype.base_dtype
        rate = cast(self._learning_rate_tensor, dtype)
        return [var, slot], rate, cast(self._momentum_tensor, dtype)

    def _apply_dense(self, grad: Tensor, var: Variable) -> Any:
        cells, rate, momentum = self._arguments(var)
        return apply_op(
            "ApplyMomentum",
            cells,
            rate,
            grad,
            momentum,
            use_locking=self._use_locking,
            use_nesterov=self._use_nesterov,
        )

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Any:
        cells, rate, momentum = self._arguments(var)
        return apply_op(
            "SparseApplyMomentum",
            cells,
            rate,
            grad.values,
            grad.indices,
            momentum,
            use_locking=self._use_locking,
            use_nesterov=self._use_nesterov,
        )

"""Adam."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.framework.op import get_op
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.exponential_ops import sqrt
from featherflow.ops.grouping_ops import group
from featherflow.ops.indexed_slices_ops import IndexedSlices
from featherflow.ops.resource_variables import ResourceVariable
from featherflow.ops.variable_base import Variable
from featherflow.train.optimizer import Optimizer, apply_op


@export_v1("train.AdamOptimizer")
class AdamOptimizer(Optimizer):
    """m ← β₁ m + (1 − β₁) g;  v ← β₂ v + (1 − β₂) g²;  w ← w − ηₜ m / (√v + ε)

    with ηₜ = η √(1 − β₂ᵗ) / (1 − β₁ᵗ). Kingma & Ba 2015; ε is their ε̂ of section 2.

    Args:
      learning_rate: η; a number, tensor or function.
      beta1, beta2: decay of the first and second moment.
      epsilon: ε.
      use_locking: accepted.
      name: of the scope of the update nodes.
      use_own_namescope_for_non_slot_vars: puts beta1_power and beta2_power below `name`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon
        prefix = f"{name}/" if use_own_namescope_for_non_slot_vars else ""
        self._power_names = f"{prefix}beta1_power", f"{prefix}beta2_power"

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        graph = get_default_graph()
        first, second = self._power_names
        return (
            self._get_non_slot_variable(first, graph),
            self._get_non_slot_variable(second, graph),
        )

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        first = min(var_list, key=lambda var: var.name)
        for name, beta in zip(self._power_names, (self._beta1, self._beta2)):
            initial_value = self._call_if_callable(beta)
            self._create_non_slot_variable(initial_value, name, first)
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _prepare(self) -> None:
        values = {
            "learning_rate": self._lr,
            "beta1": self._beta1,
            "beta2": self._beta2,
            "epsilon": self._epsilon,
        }
        self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t = (
            convert_to_tensor(self._call_if_callable(value), name=name)
            for name, value in values.items()
        )

    def _slots_of(self, var: Variable) -> tuple[Variable, Variable]:
        first, second = self.get_slot(var, "m"), self.get_slot(var, "v")
        assert first is not None and second is not None
        return first, second

    def _apply_dense(self, grad: Tensor, var: Variable) -> Any:
        dtype = var.dtype.base_dtype
        beta1_power, beta2_power = self._get_beta_accumulators()
        return apply_op(
            "ApplyAdam",
            [var, *self._slots_of(var)],
            cast(beta1_power, dtype),
            cast(beta2_power, dtype),
            cast(self._lr_t, dtype),
            cast(self._beta1_t, dtype),
            cast(self._beta2_t, dtype),
            cast(self._epsilon_t, dtype),
            grad,
            use_locking=self._use_locking,
        )

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Operation:
        """Moments of all rows decay; only the rows of the gradient gain from it."""
        dtype = var.dtype.base_dtype
        beta1_power, beta2_power = (cast(power, dtype) for power in self._get_beta_accumulators())
        beta1, beta2 = cast(self._beta1_t, dtype), cast(self._beta2_t, dtype)
        rate = cast(self._lr_t, dtype) * sqrt(1 - beta2_power) / (1 - beta1_power)
        first, second = self._slots_of(var)
        graph = get_default_graph()

        scaled = grad.values * (1 - beta1)
        decayed = first.assign(first * beta1, use_locking=self._use_locking)  # type: ignore
        with graph.control_dependencies([decayed]):
            first_t = self._scatter_add(first, grad.indices, scaled)
        scaled = (grad.values * grad.values) * (1 - beta2)
        decayed = second.assign(second * beta2, use_locking=self._use_locking)  # type: ignore
        with graph.control_dependencies([decayed]):
            second_t = self._scatter_add(second, grad.indices, scaled)

        root = sqrt(second_t)
        update = var.assign_sub(  # type: ignore[attr-defined]
            rate * first_t / (root + cast(self._epsilon_t, dtype)), use_locking=self._use_locking
        )
        return group(update, first_t, second_t)

    def _scatter_add(self, slot: Any, indices: Any, values: Tensor) -> Any:
        if not isinstance(slot, ResourceVariable):
            delta = IndexedSlices(values, indices)
            return slot.scatter_add(delta, use_locking=self._use_locking)
        added = get_op("ResourceScatterAdd")(slot.handle, indices, values)
        with get_default_graph().control_dependencies([added]):
            return slot.value()

    def _finish(self, update_ops: list[Any], name_scope: str) -> Operation:
        """Moves βᵗ on after all updates have read it."""
        graph = get_default_graph()
        beta1_power, beta2_power = self._get_beta_accumulators()
        with graph.control_dependencies(update_ops), graph.colocate_with(beta1_power.op):
            update_1 = beta1_power.assign(
                beta1_power * self._beta1_t, use_locking=self._use_locking
            )
            update_2 = beta2_power.assign(
                beta2_power * self._beta2_t, use_locking=self._use_locking
            )
        return group(*update_ops, update_1, update_2, name=name_scope)

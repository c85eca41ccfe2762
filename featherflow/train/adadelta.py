"""Adadelta."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.ops.variable_base import Variable
from featherflow.train.update_optimizer import UpdateOptimizer


@export_v1("train.AdadeltaOptimizer")
class AdadeltaOptimizer(UpdateOptimizer):
    """a ← ρ a + (1 − ρ) g²;  u = √(b + ε) / √(a + ε) · g;  w ← w − η u;  b ← ρ b + (1 − ρ) u²

    Zeiler 2012, algorithm 1, which has η = 1.

    Args:
      learning_rate: η; a number, tensor or function.
      rho: ρ, the decay.
      epsilon: ε.
      use_locking: accepted.
      name: of the scope of the update nodes.
    """

    _update_name = "Adadelta"
    _cell_names = ("accum", "accum_update")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            for slot in self._cell_names:
                self._zeros_slot(var, slot, self._name)

    def _hyperparameters(self) -> dict[str, Any]:
        return {"lr": self._lr, "rho": self._rho, "epsilon": self._epsilon}

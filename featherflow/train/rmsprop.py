"""RMSProp, plain and centred."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.ops.fill_ops import ones_like
from featherflow.ops.init_ops import Ones
from featherflow.ops.variable_base import Variable
from featherflow.train.update_optimizer import UpdateOptimizer


@export_v1("train.RMSPropOptimizer")
class RMSPropOptimizer(UpdateOptimizer):
    """s ← ρ s + (1 − ρ) g²;  m ← μ m + η g / √(s + ε);  w ← w − m

    Tieleman & Hinton 2012. Centred, the root is of the variance s − ḡ², where ḡ is a moving average
    of the gradient. Graves 2013.

    Args:
      learning_rate: η; a number, tensor or function.
      decay: ρ.
      momentum: μ.
      epsilon: ε.
      use_locking: accepted.
      centered: whether the variance is taken.
      name: of the scope of the update nodes.
    """

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered
        self._update_name = "CenteredRMSProp" if centered else "RMSProp"
        self._cell_names = ("mg", "rms", "momentum") if centered else ("rms", "momentum")

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            shape = var.get_shape()
            if shape.is_fully_defined():
                ones: Any = Ones(dtype=var.dtype.base_dtype)
            else:
                ones = ones_like(var)
            self._get_or_make_slot_with_initializer(
                var, ones, shape, var.dtype.base_dtype, "rms", self._name
            )
            if self._centered:
                self._zeros_slot(var, "mg", self._name)
            self._zeros_slot(var, "momentum", self._name)

    def _hyperparameters(self) -> dict[str, Any]:
        return {
            "learning_rate": self._learning_rate,
            "decay": self._decay,
            "momentum": self._momentum,
            "epsilon": self._epsilon,
        }

"""Descent and Adagrad with proximal steps, which take penalties of weights exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.graph.default_graph import get_default_graph
from featherflow.ops.constant_ops import constant
from featherflow.ops.variable_base import Variable
from featherflow.train.adagrad import require_positive
from featherflow.train.update_optimizer import UpdateOptimizer


class _ProximalOptimizer(UpdateOptimizer):
    """An optimiser with a rate and the penalties l₁ |w| + ½ l₂ w²."""

    def __init__(self, rate: Any, l1: Any, l2: Any, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = rate
        self._l1_regularization_strength = l1
        self._l2_regularization_strength = l2

    def _hyperparameters(self) -> dict[str, Any]:
        return {
            "learning_rate": self._learning_rate,
            "l1_regularization_strength": self._l1_regularization_strength,
            "l2_regularization_strength": self._l2_regularization_strength,
        }


@export_v1("train.ProximalGradientDescentOptimizer")
class ProximalGradientDescentOptimizer(_ProximalOptimizer):
    """w' = w − η g;  w ← sign(w') max(|w'| − η l₁, 0) / (1 + η l₂)

    Duchi & Singer 2009.

    Args:
      learning_rate: η; a number, tensor or function.
      l1_regularization_strength: l₁, 0 or more.
      l2_regularization_strength: l₂, 0 or more.
      use_locking: accepted.
      name: of the scope of the update nodes.
    """

    _update_name = "ProximalGradientDescent"

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(
            learning_rate,
            l1_regularization_strength,
            l2_regularization_strength,
            use_locking,
            name,
        )


@export_v1("train.ProximalAdagradOptimizer")
class ProximalAdagradOptimizer(_ProximalOptimizer):
    """a ← a + g², then a proximal step of size η / √a

    Duchi, Hazan & Singer 2011.

    Args:
      learning_rate: η, above 0; a number, tensor or function.
      initial_accumulator_value: a at first, above 0.
      l1_regularization_strength: l₁, 0 or more.
      l2_regularization_strength: l₂, 0 or more.
      use_locking: accepted.
      name: of the scope of the update nodes.
    Raises:
      ValueError: the initial value is not positive.
    """

    _update_name = "ProximalAdagrad"
    _cell_names = ("accumulator",)

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: Any = 0.0,
        l2_regularization_strength: Any = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        require_positive("initial_accumulator_value", initial_accumulator_value)
        super().__init__(
            learning_rate,
            l1_regularization_strength,
            l2_regularization_strength,
            use_locking,
            name,
        )
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            dtype = var.dtype.base_dtype
            with get_default_graph().colocate_with(var.op):
                value = constant(
                    self._initial_accumulator_value, shape=var.get_shape(), dtype=dtype
                )
            self._get_or_make_slot(var, value, "accumulator", self._name)

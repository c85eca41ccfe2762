"""FTRL-Proximal: follow the regularised leader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import ones
from featherflow.ops.variable_base import Variable
from featherflow.train.update_optimizer import UpdateOptimizer


@export_v1("train.FtrlOptimizer")
class FtrlOptimizer(UpdateOptimizer):
    """n' = n + g²;  z ← z + g − (n'⁻ᵖ − n⁻ᵖ) / η · w;  n ← n'

    then w ← (clip(z, −l₁, l₁) − z) / (n⁻ᵖ / η + 2 l₂).

    McMahan et al. 2013, algorithm 1, with l₂ + β / 2η for l₂. Weights are exactly 0 where |z| ≤ l₁.

    Args:
      learning_rate: η; a number or tensor.
      learning_rate_power: p, 0 or less.
      initial_accumulator_value: n at first, 0 or more.
      l1_regularization_strength: l₁, 0 or more.
      l2_regularization_strength: l₂, 0 or more.
      use_locking: accepted.
      name: of the scope of the update nodes.
      accum_name, linear_name: of the slots n and z; None for `name`.
      l2_shrinkage_regularization_strength: l₂ₛ, 0 or more: z gains 2 l₂ₛ w too.
      beta: β; None for 0.
    Raises:
      ValueError: a number has the wrong sign.
    """

    _cell_names = ("accum", "linear")
    _gradient_first = True

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        if learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power:f} needs to be negative or zero"
            )
        for number, value in {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }.items():
            if value < 0.0:
                raise ValueError(f"{number} {value:f} needs to be positive or zero")
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self._beta = 0.0 if beta is None else beta
        self._accum_name = accum_name
        self._linear_name = linear_name
        shrinks = l2_shrinkage_regularization_strength > 0.0
        self._update_name = "FtrlV2" if shrinks else "Ftrl"

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        def initial(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
            return ones(shape, dtype) * self._initial_accumulator_value

        for var in var_list:
            dtype, name = var.dtype.base_dtype, self._accum_name or self._name
            self._get_or_make_slot_with_initializer(
                var, initial, var.get_shape(), dtype, "accum", name
            )
            self._zeros_slot(var, "linear", self._linear_name or self._name)

    def _prepare(self) -> None:
        def tensor(value: Any, name: str) -> Any:
            return convert_to_tensor(value, name=name)

        rate, l2 = self._learning_rate, self._l2_regularization_strength
        tensors = {
            "learning_rate": tensor(rate, "learning_rate"),
            "l1": tensor(self._l1_regularization_strength, "l1_regularization_strength"),
            "l2": l2 + self._beta / (2.0 * maximum(rate, 1e-36)),
        }
        tensor(self._beta, "beta")  # TensorFlow's graph has it, though nothing takes it
        shrinkage = tensor(
            self._l2_shrinkage_regularization_strength, "l2_shrinkage_regularization_strength"
        )
        if self._update_name == "FtrlV2":
            tensors["l2_shrinkage"] = shrinkage
        tensors["power"] = tensor(self._learning_rate_power, "learning_rate_power")
        self._tensors = tensors

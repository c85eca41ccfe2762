"""Adagrad, plain and by dual averaging."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.graph.default_graph import get_default_graph
from featherflow.ops.cast_ops import cast
from featherflow.ops.constant_ops import constant
from featherflow.ops.fill_ops import Fill
from featherflow.ops.identity_ops import identity
from featherflow.ops.init_ops import Constant
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.variable_base import Variable
from featherflow.train.update_optimizer import UpdateOptimizer


@export_v1("train.AdagradOptimizer")
class AdagradOptimizer(UpdateOptimizer):
    """a ← a + g²;  w ← w − η g / √a

    Duchi, Hazan & Singer 2011.

    Args:
      learning_rate: η; a number, tensor or function.
      initial_accumulator_value: a at first, above 0.
      use_locking: accepted.
      name: of the scope of the update nodes.
    Raises:
      ValueError: the initial value is not positive.
    """

    _update_name = "Adagrad"
    _cell_names = ("accumulator",)

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        require_positive("initial_accumulator_value", initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            dtype, shape = var.dtype.base_dtype, var.get_shape()
            if shape.is_fully_defined():
                initializer: Any = Constant(self._initial_accumulator_value, dtype=dtype)
            else:
                initializer = self._fill_like(var)
            self._get_or_make_slot_with_initializer(
                var, initializer, shape, dtype, "accumulator", self._name
            )

    def _fill_like(self, var: Variable) -> Any:
        def initializer() -> Any:
            values = Fill(shape_of(var), self._initial_accumulator_value)
            return cast(values, var.dtype.base_dtype)

        return initializer

    def _hyperparameters(self) -> dict[str, Any]:
        return {"learning_rate": self._learning_rate}


@export_v1("train.AdagradDAOptimizer")
class AdagradDAOptimizer(UpdateOptimizer):
    """s ← s + g;  a ← a + g²;  w ← −η sign(s) max(|s| − t l₁, 0) / (t η l₂ + √a): dual averaging

    Duchi, Hazan & Singer 2011, with the sums since the start in place of the last step: weights are
    exactly 0 where l₁ outweighs the gradients.

    Args:
      learning_rate: η; a number, tensor or function.
      global_step: a tensor or variable that counts the steps, t − 1.
      initial_gradient_squared_accumulator_value: a at first, above 0.
      l1_regularization_strength: l₁, 0 or more.
      l2_regularization_strength: l₂, 0 or more.
      use_locking: accepted.
      name: of the scope of the update nodes.
    Raises:
      ValueError: the initial value is not positive.
    """

    _update_name = "AdagradDA"
    _cell_names = ("gradient_accumulator", "gradient_squared_accumulator")
    _gradient_first = True

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        require_positive(
            "initial_gradient_squared_accumulator_value", initial_gradient_squared_accumulator_value
        )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_squares = initial_gradient_squared_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._global_step = global_step

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            dtype, shape = var.dtype.base_dtype, var.get_shape()
            with get_default_graph().colocate_with(var.op):
                sums = constant(0.0, shape=shape, dtype=dtype)
                squares = constant(self._initial_squares, shape=shape, dtype=dtype)
            self._get_or_make_slot(var, sums, "gradient_accumulator", self._name)
            self._get_or_make_slot(var, squares, "gradient_squared_accumulator", self._name)

    def _hyperparameters(self) -> dict[str, Any]:
        return {"learning_rate": self._learning_rate}

    def _prepare(self) -> None:
        super()._prepare()
        with get_default_graph().colocate_with(self._tensors["learning_rate"].op):
            self._step = identity(self._global_step) + 1

    def _numbers_for(self, var: Variable) -> list[Any]:
        dtype = var.dtype.base_dtype
        step = cast(identity(self._step), dtypes.int64)
        numbers = [
            cast(self._tensors["learning_rate"], dtype),
            cast(self._l1_regularization_strength, dtype),
            cast(self._l2_regularization_strength, dtype),
        ]
        return [*numbers, step]


def require_positive(name: str, value: float) -> None:
    """Raises ValueError unless the value is above 0."""
    if value <= 0.0:
        raise ValueError(f"{name} must be positive: {value}")

"""Exponential moving averages of variables and tensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import GraphKeys, name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.exponential_ops import pow
from featherflow.ops.extremum_ops import minimum
from featherflow.ops.grouping_ops import group
from featherflow.ops.init_ops import Zeros
from featherflow.ops.ref_variable_ops import assign_add, assign_sub
from featherflow.ops.variable_base import Variable
from featherflow.ops.variable_scope import get_variable, variable_scope
from featherflow.ops.variables import (
    global_variables,
    moving_average_variables,
    trainable_variables,
)
from featherflow.train.slot_creator import create_slot, create_zeros_slot

_AVERAGED = (dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64)


def assign_moving_average(
    variable: Variable, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Any:
    """variable ← variable − (1 − decay) · (variable − value)

    Args:
      variable: the average; 0 at first where `zero_debias` is set.
      value: of the variable's shape and dtype.
      decay: a number or scalar tensor near 1.
      zero_debias: whether to divide by 1 − decayᵗ, so that the average does not lean to the 0 it
        starts from. Kingma & Ba 2015, section 3. Two variables more keep what that takes.
      name: of the node.
    Returns:
      The variable after the assignment.
    """
    with name_scope(name, "AssignMovingAvg", [variable, value, decay]) as scope:
        weight = convert_to_tensor(1.0 - decay, name="decay")
        weight = cast(weight, variable.dtype.base_dtype)
        if zero_debias:
            return _assign_debiased(variable, value, weight, scope)
        delta = (variable - value) * weight  # type: ignore[operator]
        return assign_sub(variable, delta, name=scope)


def _assign_debiased(average: Any, value: Any, weight: Any, scope: str) -> Any:
    graph = get_default_graph()
    with (
        variable_scope(average.name[: -len(":0")], values=[average, value, weight]),
        graph.colocate_with(average.op),
    ):
        own = {"dtype": average.dtype.base_dtype, "initializer": Zeros(), "trainable": False}
        biased = get_variable("biased", shape=average.get_shape(), **own)
        count = get_variable("local_step", shape=[], **own)
    with name_scope(scope):
        new_biased = assign_sub(biased, (biased - value) * weight)
        new_count = assign_add(count, 1)
        share = 1 - pow(1.0 - weight, new_count)
        return average.assign(new_biased / share, name=scope)


@export("train.ExponentialMovingAverage")
class ExponentialMovingAverage:
    """Keeps averages that follow variables or tensors: avg ← decay · avg + (1 − decay) · value.

    Evaluating a model with the averages of its weights often gives better results than with the
    weights themselves.

    Args:
      decay: a number near 1 such as 0.999, or a scalar tensor.
      num_updates: a count, as the global step: the decay is at most (1 + n) / (10 + n), so that
        averages follow faster at first.
      zero_debias: whether averages of tensors, which start at 0, are corrected for that.
      name: of the slots, and of the nodes.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     weight = tf.Variable(1.0, use_resource=True)
    ...     averages = tf.train.ExponentialMovingAverage(0.75)
    ...     follow = averages.apply([weight])
    ...     sess.run(tf.global_variables_initializer())
    ...     sess.run(weight.assign(3.0).op)
    ...     sess.run(follow)
    ...     float(sess.run(averages.average(weight)))
    1.5
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[Any, Variable] = {}

    @property
    def name(self) -> str:
        """The name of the slots."""
        return self._name

    def apply(self, var_list: Iterable[Any] | None = None) -> Operation:
        """An Operation that updates the averages, made here where they are not yet.

        Args:
          var_list: variables, whose averages start at their values, or tensors, whose averages
            start at 0; None takes the trainable variables.
        Raises:
          TypeError: one is not floating.
        """
        followed = trainable_variables() if var_list is None else list(var_list)
        for item in followed:
            self._make_average(item)
        with name_scope(self._name) as scope:
            decay = self._current_decay()
            updates = [
                assign_moving_average(
                    self._averages[_key(item)],
                    item,
                    decay,
                    self._zero_debias and not isinstance(item, Variable),
                )
                for item in followed
            ]
            return group(*updates, name=scope)

    def _make_average(self, item: Any) -> None:
        if item.dtype.base_dtype not in _AVERAGED:
            raise TypeError(f"The variables must be half, float, or double: {item.name}")
        if _key(item) in self._averages:
            return
        with get_default_graph().control_dependencies(None):
            if isinstance(item, Variable):
                with get_default_graph().device(item.device):
                    start = item.initialized_value()  # type: ignore[attr-defined]
                average = create_slot(item, start, self._name)
                item.graph.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, item)
            else:
                average = create_zeros_slot(item, self._name)
        self._averages[_key(item)] = average

    def _current_decay(self) -> Tensor:
        decay = convert_to_tensor(self._decay, dtype=dtypes.float32, name="decay")
        if self._num_updates is None:
            return decay
        count: Any = cast(self._num_updates, dtypes.float32, name="num_updates")
        return minimum(decay, (1.0 + count) / (10.0 + count))

    def average(self, var: Any) -> Variable | None:
        """The variable that holds the average of `var`, or None."""
        return self._averages.get(_key(var))

    def average_name(self, var: Any) -> str:
        """The name of that variable's node, or the name it would get."""
        if _key(var) in self._averages:
            return self._averages[_key(var)].op.name
        name = f"{var.op.name}/{self._name}"
        return get_default_graph().unique_name(name, mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Any]:
        """What a Saver is given to load averages into the variables they are of.

        Args:
          moving_avg_variables: variables with averages; None takes the trainable ones and those
            that averages are kept of.
        Returns:
          Names in the checkpoint → variables: the average's name for each of these, and its own
          for every other global variable.
        """
        if moving_avg_variables is None:
            moving_avg_variables = trainable_variables() + moving_average_variables()
        averaged = list(dict.fromkeys(moving_avg_variables))
        names = {self.average_name(variable): variable for variable in averaged}
        own_names = {variable.name for variable in averaged}
        for variable in global_variables():
            if variable.name not in own_names:
                names.setdefault(variable.op.name, variable)
        return names


def _key(item: Any) -> Any:
    """Variables and tensors by identity: `==` makes nodes."""
    return item.ref()

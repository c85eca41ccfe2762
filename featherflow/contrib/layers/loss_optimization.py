"""optimize_loss: a training step in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import GraphKeys
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.clip_norm_ops import clip_by_global_norm
from featherflow.ops.grouping_ops import with_dependencies
from featherflow.ops.init_ops import Constant
from featherflow.ops.random_ops import truncated_normal
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.variable_base import Variable
from featherflow.ops.variable_scope import get_variable, variable_scope
from featherflow.ops.variables import trainable_variables
from featherflow.train.adagrad import AdagradOptimizer
from featherflow.train.adam import AdamOptimizer
from featherflow.train.ftrl import FtrlOptimizer
from featherflow.train.gradient_descent import GradientDescentOptimizer, MomentumOptimizer
from featherflow.train.optimizer import Optimizer
from featherflow.train.rmsprop import RMSPropOptimizer
from featherflow.train.training_step import get_global_step

OPTIMIZER_CLS_NAMES: dict[str, Callable[..., Optimizer]] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "Momentum": lambda learning_rate: MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}
_GradientsAndVariables = list[tuple[Any, Any]]


@export_v1("contrib.layers.optimize_loss", "contrib.slim.optimize_loss")
def optimize_loss(
    loss: Any,
    global_step: Any,
    learning_rate: Any,
    optimizer: Any,
    gradient_noise_scale: float | None = None,
    gradient_multipliers: Mapping[Any, Any] | None = None,
    clip_gradients: Any = None,
    learning_rate_decay_fn: Callable[..., Any] | None = None,
    update_ops: Any = None,
    variables: Sequence[Any] | None = None,
    name: str | None = None,
    summaries: Any = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> Tensor:
    """The loss; when it is run, the variables have taken a step that makes it smaller.

    Args:
      loss: a scalar.
      global_step: counts the steps; None takes the graph's, if there is one.
      learning_rate: a number or scalar tensor; None where the optimiser knows its own.
      optimizer: the name of one ("SGD", "Adam", "Momentum", …), its class, an instance, or a
        function of the learning rate that makes one.
      gradient_noise_scale: the scale of noise that is added to the gradients.
      gradient_multipliers: variable or its name → what its gradient is multiplied with.
      clip_gradients: a number that bounds the norm of all gradients together, or a function of
        (gradient, variable) pairs.
      learning_rate_decay_fn: a function of the learning rate and the step.
      update_ops: operations to run before; None takes the collection UPDATE_OPS.
      variables: to train; None takes the trainable ones.
      name: of the scope; None takes "OptimizeLoss".
      summaries: accepted for compatibility: no summaries are made.
      colocate_gradients_with_ops: see `tf.gradients`.
      increment_global_step: whether to count the step.
    Raises:
      ValueError: an argument has none of the forms above, or no variable gets a gradient.
    """
    loss = convert_to_tensor(loss)
    step = get_global_step() if global_step is None else global_step
    with variable_scope(name, "OptimizeLoss", [loss, step]):
        if update_ops is None:
            update_ops = list(
                dict.fromkeys(get_default_graph().get_collection(GraphKeys.UPDATE_OPS))
            )
        if update_ops:
            loss = with_dependencies(list(dict.fromkeys(update_ops)), loss)
        rate = _learning_rate(learning_rate, learning_rate_decay_fn, step)
        chosen = _optimizer(optimizer, rate)
        wanted = trainable_variables() if variables is None else variables
        pairs = chosen.compute_gradients(
            loss, list(wanted), colocate_gradients_with_ops=colocate_gradients_with_ops
        )
        if gradient_noise_scale is not None:
            pairs = _with_noise(pairs, gradient_noise_scale)
        if gradient_multipliers is not None:
            pairs = _multiplied(pairs, gradient_multipliers)
        pairs = _clipped(pairs, clip_gradients)
        counter = step if increment_global_step else None
        update = chosen.apply_gradients(pairs, global_step=counter, name="train")
        return with_dependencies([update], loss)


def _learning_rate(given: Any, decay: Callable[..., Any] | None, step: Any) -> Any:
    if given is None:
        return None
    if isinstance(given, float):
        rate: Any = get_variable("learning_rate", [], trainable=False, initializer=Constant(given))
    elif isinstance(given, Tensor) and given.shape.rank == 0:
        rate = given
    else:
        raise ValueError(f"Invalid learning_rate: {given!r}: a float or a scalar tensor.")
    if decay is None:
        return rate
    if step is None:
        raise ValueError("global_step is required for learning_rate_decay_fn.")
    return decay(rate, step)


def _optimizer(given: Any, rate: Any) -> Optimizer:
    if isinstance(given, str):
        if given not in OPTIMIZER_CLS_NAMES:
            raise ValueError(
                f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], you "
                f"provided {given}."
            )
        given = OPTIMIZER_CLS_NAMES[given]
    if isinstance(given, Optimizer):
        return given
    if not callable(given):
        raise ValueError(f"Unrecognized optimizer: {given!r}")
    if rate is None and isinstance(given, type):
        raise ValueError("Learning rate is None, but should be specified if optimizer is a class.")
    made = given(rate) if rate is not None else given()
    if not isinstance(made, Optimizer):
        raise ValueError(
            f"Unrecognized optimizer: function should return a subclass of Optimizer. Got {made!r}"
        )
    return made


def _with_noise(pairs: _GradientsAndVariables, scale: float) -> _GradientsAndVariables:
    """The gradients plus truncated normal noise."""
    result = []
    for gradient, variable in pairs:
        if gradient is not None:
            values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
            noise = truncated_normal(shape_of(values)) * scale  # type: ignore[operator]
            gradient = _replaced(gradient, values + cast(noise, values.dtype))
        result.append((gradient, variable))
    return result


def _multiplied(
    pairs: _GradientsAndVariables, multipliers: Mapping[Any, Any]
) -> _GradientsAndVariables:
    """The gradients of some variables, which the mapping names, times numbers."""
    by_name = {
        key.op.name if isinstance(key, Variable) else key: value
        for key, value in multipliers.items()
    }
    result = []
    for gradient, variable in pairs:
        factor = by_name.get(variable.op.name, by_name.get(variable.name))
        if gradient is not None and factor is not None:
            values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
            gradient = _replaced(gradient, values * cast(convert_to_tensor(factor), values.dtype))
        result.append((gradient, variable))
    return result


def _replaced(gradient: Any, values: Tensor) -> Any:
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return values


def _clipped(pairs: _GradientsAndVariables, clip: Any) -> _GradientsAndVariables:
    if clip is None:
        return pairs
    if callable(clip):
        clipped_pairs: Any = clip(pairs)
        return list(clipped_pairs)
    if not isinstance(clip, (int, float)):
        raise ValueError(f"Unknown type {type(clip)} for clip_gradients")
    gradients, variables = zip(*pairs)
    clipped, _ = clip_by_global_norm(list(gradients), clip)
    return list(zip(clipped, variables))

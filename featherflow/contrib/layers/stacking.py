"""repeat and stack: several layers of one kind on top of each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.ops.variable_scope import variable_scope


def _name_of(layer: Callable[..., Any]) -> str:
    return getattr(layer, "__name__", None) or layer.func.__name__


@export_v1("contrib.layers.repeat", "contrib.slim.repeat")
def repeat(
    inputs: Any, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """layer(… layer(inputs) …), `repetitions` times, each with variables of its own.

    Args:
      inputs: of the first layer.
      repetitions: how many layers.
      layer: the function of one.
      *args: of each layer, after its inputs.
      **kwargs: of each layer; `scope` names the scope of all, in which each has one of its own.

    >>> import featherflow as tf
    >>> slim = tf.contrib.slim
    >>> y = slim.repeat(tf.ones([2, 3]), 2, slim.fully_connected, 4, scope="fc")
    >>> [v.op.name for v in slim.get_model_variables()][::2]
    ['fc/fc_1/weights', 'fc/fc_2/weights']
    """
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Repeat", [inputs]):
        outputs = inputs
        name = _name_of(layer) if scope is None else scope
        for index in range(repetitions):
            outputs = layer(outputs, *args, scope=f"{name}_{index + 1}", **kwargs)
        return outputs


@export_v1("contrib.layers.stack", "contrib.slim.stack")
def stack(inputs: Any, layer: Callable[..., Any], stack_args: Sequence[Any], **kwargs: Any) -> Any:
    """layer(… layer(inputs, stack_args[0]), stack_args[1] …)

    Args:
      inputs: of the first layer.
      layer: the function of one.
      stack_args: what each layer takes after its inputs: one value, or a list of several.
      **kwargs: of each layer; `scope` names the scope of all.
    Raises:
      ValueError: `stack_args` is no list.
    """
    scope = kwargs.pop("scope", None)
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError("stack_args need to be a list or tuple")
    with variable_scope(scope, "Stack", [inputs]):
        outputs = inputs
        name = _name_of(layer) if scope is None else scope
        for index, given in enumerate(stack_args, 1):
            own = given if isinstance(given, (list, tuple)) else [given]
            outputs = layer(outputs, *own, scope=f"{name}_{index}", **kwargs)
        return outputs

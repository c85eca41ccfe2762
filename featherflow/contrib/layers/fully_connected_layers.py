"""fully_connected, and the layers that it is called by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from featherflow.contrib.framework.argument_scopes import add_arg_scope
from featherflow.contrib.layers.initializers import xavier_initializer
from featherflow.contrib.layers.layer_variables import (
    Activation,
    Collections,
    activated,
    collected,
    layer_variable,
    normalized,
)
from featherflow.framework.exports import export_v1, export_value
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.ops.activation_ops import relu as relu_activation
from featherflow.ops.activation_ops import relu6 as relu6_activation
from featherflow.ops.bias_ops import bias_add
from featherflow.ops.init_ops import Zeros
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.tensordot_ops import tensordot
from featherflow.ops.variable_scope import variable_scope

XAVIER, ZEROS = xavier_initializer(), Zeros()


@export_v1("contrib.layers.fully_connected", "contrib.slim.fully_connected")
@add_arg_scope
def fully_connected(
    inputs: Any,
    num_outputs: int,
    activation_fn: Activation | None = relu_activation,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: Mapping[str, Any] | None = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Collections = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """activation(inputs · weights + biases), along the last dimension.

    Args:
      inputs: `[…, inputs]`, of at least two dimensions.
      num_outputs: the number of outputs.
      activation_fn: a function of the result; None leaves it linear.
      normalizer_fn, normalizer_params: a function such as `batch_norm` in the place of the biases,
        and its arguments.
      weights_initializer, biases_initializer: of the variables `weights` and `biases`; no biases
        where the latter is None.
      weights_regularizer, biases_regularizer: make losses of them.
      reuse: whether to share the variables of an earlier layer; `scope` must be given.
      variables_collections: names of collections for the variables, or a dictionary of these.
      outputs_collections: names of collections for the output.
      trainable: whether optimisers change the variables.
      scope: a variable scope or its name; None takes "fully_connected", made unique.
    Returns:
      `[…, num_outputs]`
    Raises:
      ValueError: `num_outputs` is no integer, or sizes are not known.

    >>> import featherflow as tf
    >>> y = tf.contrib.layers.fully_connected(tf.ones([2, 3]), 4)
    >>> [v.name for v in tf.contrib.framework.get_model_variables()]
    ['fully_connected/weights:0', 'fully_connected/biases:0']
    """
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs type should be one of int, got {type(num_outputs)}.")
    inputs = convert_to_tensor(inputs)
    with variable_scope(scope, "fully_connected", [inputs], reuse=reuse):
        rank = inputs.shape.rank
        size = inputs.shape.as_list()[-1] if rank else None
        if rank is None or rank < 2 or size is None:
            raise ValueError(
                "inputs must have at least two dimensions, the last of known size, received "
                f"{inputs.shape}."
            )
        weights = layer_variable(
            "weights",
            [size, num_outputs],
            inputs,
            variables_collections,
            weights_initializer,
            weights_regularizer,
            trainable,
        )
        if rank == 2:
            outputs = matmul(inputs, weights)
        else:
            outputs = tensordot(inputs, weights, [[rank - 1], [0]])
        if normalizer_fn is not None:
            outputs = normalized(outputs, normalizer_fn, normalizer_params)
        elif biases_initializer is not None:
            biases = layer_variable(
                "biases",
                [num_outputs],
                inputs,
                variables_collections,
                biases_initializer,
                biases_regularizer,
                trainable,
            )
            outputs = bias_add(outputs, biases)
        return collected(activated(outputs, activation_fn), outputs_collections)


relu = partial(fully_connected, activation_fn=relu_activation)
relu6 = partial(fully_connected, activation_fn=relu6_activation)
linear = partial(fully_connected, activation_fn=None)
for _name in ("relu", "relu6", "linear"):
    export_value(__name__, _name, f"contrib.layers.{_name}", v1_only=True)

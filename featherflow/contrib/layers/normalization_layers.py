"""batch_norm, layer_norm and unit_norm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from featherflow.contrib.framework.argument_scopes import add_arg_scope
from featherflow.contrib.framework.framework_variables import GLOBAL, MODEL
from featherflow.contrib.layers.fully_connected_layers import ZEROS
from featherflow.contrib.layers.layer_variables import (
    Activation,
    Collections,
    activated,
    collected,
    is_channels_first,
    layer_variable,
)
from featherflow.framework.dtypes import float16
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import GraphKeys, control_dependencies
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.layers.batch_normalization_layer import BatchNormalization
from featherflow.layers.default_initializers import ONES
from featherflow.ops.arithmetic_ops import square
from featherflow.ops.exponential_ops import sqrt
from featherflow.ops.identity_ops import identity
from featherflow.ops.moments_ops import moments
from featherflow.ops.normalization_ops import batch_normalization
from featherflow.ops.pack_ops import stack
from featherflow.ops.reduction_ops import reduce_sum
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.tile_ops import tile
from featherflow.ops.variable_scope import variable_scope


class _Normalization(BatchNormalization):
    """A layer that leaves it to its caller where its updates go."""

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Keeps an update."""
        self._updates.append(updates if isinstance(updates, Operation) else updates.op)


@export_v1("contrib.layers.batch_norm", "contrib.slim.batch_norm")
@add_arg_scope
def batch_norm(
    inputs: Any,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Activation | None = None,
    param_initializers: Mapping[str, Any] | None = None,
    param_regularizers: Mapping[str, Any] | None = None,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    is_training: Any = True,
    reuse: Any = None,
    variables_collections: Collections = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    batch_weights: Any = None,
    fused: bool | None = None,
    data_format: str = "NHWC",
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_decay: float = 0.99,
    adjustment: Any = None,
) -> Any:
    """activation(γ (x − mean) / √(variance + ε) + β), per channel. Ioffe & Szegedy 2015.

    Args:
      inputs: of at least two dimensions, the channels known.
      decay: of the moving averages.
      center, scale: whether there are the variables `beta` and `gamma`.
      epsilon: keeps the divisor from 0.
      activation_fn: a function of the result.
      param_initializers, param_regularizers: by "beta", "gamma", "moving_mean" and
        "moving_variance".
      updates_collections: where the operations go that update the averages; None runs them before
        the output is used.
      is_training: a bool or scalar tensor: whether to use the batch's statistics, or the averages.
      fused: whether to use one op for all; None does so for images.
      data_format: "NHWC" or "NCHW".
      scope: a variable scope or its name; None takes "BatchNorm", made unique.
      renorm, renorm_clipping, renorm_decay, adjustment: see `tf.layers.BatchNormalization`.
      batch_weights, zero_debias_moving_mean: of variants that are not offered.
      reuse, variables_collections, outputs_collections, trainable: see `fully_connected`.
    Raises:
      ValueError: a variant is asked for that is not offered, or the shape is not known.
    """
    if batch_weights is not None or zero_debias_moving_mean:
        raise ValueError("batch_weights and zero_debias_moving_mean are not offered.")
    inputs = convert_to_tensor(inputs)
    initial, regular = param_initializers or {}, param_regularizers or {}
    getter = _into_collections(variables_collections)
    with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse, custom_getter=getter) as opened:
        layer = _Normalization(
            1 if is_channels_first(data_format) else -1,
            decay,
            epsilon,
            center,
            scale,
            beta_initializer=initial.get("beta", ZEROS),
            gamma_initializer=initial.get("gamma", ONES),
            moving_mean_initializer=initial.get("moving_mean", ZEROS),
            moving_variance_initializer=initial.get("moving_variance", ONES),
            beta_regularizer=regular.get("beta"),
            gamma_regularizer=regular.get("gamma"),
            renorm=renorm,
            renorm_clipping=renorm_clipping,
            renorm_momentum=renorm_decay,
            adjustment=adjustment,
            fused=fused,
            trainable=trainable,
            name=opened.name,
            _scope=opened,
            _reuse=reuse,
        )
        outputs = layer(inputs, training=is_training)
        if updates_collections is None:
            with control_dependencies(layer.updates):
                outputs = identity(outputs)
        else:
            for update in layer.updates:
                get_default_graph().add_to_collections(updates_collections, update)
        return collected(activated(outputs, activation_fn), outputs_collections)


def _into_collections(collections: Collections) -> Any:
    """A getter of variables that adds them to the model's, and to further collections."""

    def get(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        own: Any = collections
        if isinstance(collections, Mapping):
            own = collections.get(name.rpartition("/")[2])
        names = [*(kwargs.get("collections") or [GLOBAL]), MODEL, *(own or ())]
        return getter(name, *args, **{**kwargs, "collections": list(dict.fromkeys(names))})

    return get


@export_v1("contrib.layers.layer_norm", "contrib.slim.layer_norm")
@add_arg_scope
def layer_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    activation_fn: Activation | None = None,
    reuse: Any = None,
    variables_collections: Collections = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: Any = None,
) -> Any:
    """activation(γ (x − mean) / √variance + β), the statistics of each example. Ba et al. 2016.

    Args:
      inputs: of known rank.
      center, scale: whether there are the variables `beta` and `gamma`.
      begin_norm_axis: statistics are over this axis and those after it.
      begin_params_axis: `beta` and `gamma` have this axis and those after it.
      scope: a variable scope or its name; None takes "LayerNorm", made unique.
      activation_fn, reuse, variables_collections, outputs_collections, trainable: see
        `fully_connected`.
    Raises:
      ValueError: an axis does not exist, or a size of the parameters is not known.
    """
    inputs = convert_to_tensor(inputs)
    with variable_scope(scope, "LayerNorm", [inputs], reuse=reuse):
        rank = inputs.shape.rank
        if rank is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        first = begin_norm_axis + rank if begin_norm_axis < 0 else begin_norm_axis
        if begin_params_axis >= rank or first >= rank:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({first}) must be "
                f"< rank(inputs) ({rank})"
            )
        shape = inputs.shape[begin_params_axis:]
        if not shape.is_fully_defined():
            raise ValueError(f"Inputs {inputs.name}: shape {shape} is not fully defined.")

        def parameter(name: str, initializer: Any) -> Any:
            return layer_variable(
                name,
                shape,
                inputs,
                variables_collections,
                initializer,
                trainable=trainable,
            )

        beta = parameter("beta", ZEROS) if center else None
        gamma = parameter("gamma", ONES) if scale else None
        mean, variance = moments(inputs, list(range(first, rank)), keep_dims=True)
        epsilon = 1e-3 if inputs.dtype.base_dtype is float16 else 1e-12
        outputs = batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
        outputs.set_shape(inputs.shape)
        return collected(activated(outputs, activation_fn), outputs_collections)


@export_v1("contrib.layers.unit_norm", "contrib.slim.unit_norm")
@add_arg_scope
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: str | None = None) -> Tensor:
    """x / (√Σ x² + ε), along one dimension.

    Args:
      inputs: of known rank.
      dim: the dimension.
      epsilon: keeps the divisor from 0.
      scope: a variable scope or its name.
    Raises:
      ValueError: the rank is not known, or the dimension does not exist.
    """
    with variable_scope(scope, "UnitNorm", [inputs]):
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if not rank:
            raise ValueError("The input rank must be known.")
        if not 0 <= dim < rank:
            raise ValueError("dim must be positive but smaller than the input rank.")
        length = sqrt(epsilon + reduce_sum(square(inputs), dim, True))
        sizes: Any = shape_of(inputs)
        times = stack([sizes[axis] if axis == dim else 1 for axis in range(rank)])
        result = inputs / tile(length, times)  # type: ignore[operator]
        result.set_shape(inputs.shape)
        return result

"""Pooling, dropout, flatten and softmax, as functions that know arg_scope."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.contrib.framework.argument_scopes import add_arg_scope
from featherflow.contrib.layers.layer_variables import collected, is_channels_first
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.layers.core_layers import Dropout, Flatten
from featherflow.layers.window_arguments import per_dimension, windowed
from featherflow.ops.avg_pool_ops import avg_pool
from featherflow.ops.max_pool_ops import max_pool
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.softmax_ops import softmax as softmax_of_rows
from featherflow.ops.variable_scope import variable_scope


def _pooled(
    pool: Callable[..., Tensor],
    scope_name: str,
    inputs: Any,
    kernel_size: Any,
    stride: Any,
    padding: str,
    data_format: str,
    outputs_collections: Any,
    scope: str | None,
) -> Any:
    layout = "channels_first" if is_channels_first(data_format) else "channels_last"
    with name_scope(scope, scope_name, [inputs]):
        outputs = pool(
            convert_to_tensor(inputs),
            windowed(layout, per_dimension(kernel_size, 2, "kernel_size")),
            windowed(layout, per_dimension(stride, 2, "stride")),
            padding.upper(),
            data_format=data_format,
        )
        return collected(outputs, outputs_collections)


@export_v1("contrib.layers.max_pool2d", "contrib.slim.max_pool2d")
@add_arg_scope
def max_pool2d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Any:
    """The largest value of each window of images.

    Args:
      inputs: `[batch, height, width, channels]`, or as `data_format` says.
      kernel_size, stride: one integer, or two.
      padding: "VALID" or "SAME".
      data_format: "NHWC" or "NCHW".
      outputs_collections: names of collections for the output.
      scope: the name scope.
    """
    arguments = (inputs, kernel_size, stride, padding, data_format, outputs_collections, scope)
    return _pooled(max_pool, "MaxPool2D", *arguments)


@export_v1("contrib.layers.avg_pool2d", "contrib.slim.avg_pool2d")
@add_arg_scope
def avg_pool2d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Any:
    """The mean of each window of images; the arguments are those of `max_pool2d`."""
    arguments = (inputs, kernel_size, stride, padding, data_format, outputs_collections, scope)
    return _pooled(avg_pool, "AvgPool2D", *arguments)


@export_v1("contrib.layers.dropout", "contrib.slim.dropout")
@add_arg_scope
def dropout(
    inputs: Any,
    keep_prob: Any = 0.5,
    noise_shape: Any = None,
    is_training: Any = True,
    outputs_collections: Any = None,
    scope: Any = None,
    seed: int | None = None,
) -> Any:
    """A share `keep_prob` of the inputs, scaled up, and 0 for the others, while training.

    Args:
      inputs: a float tensor.
      keep_prob: the probability that an element is kept.
      noise_shape: see `tf.nn.dropout`.
      is_training: a bool or scalar tensor.
      outputs_collections: names of collections for the output.
      scope: a variable scope or its name; None takes "Dropout".
      seed: of the random op.
    """
    with variable_scope(scope, "Dropout", [inputs]) as opened:
        layer = Dropout(1 - keep_prob, noise_shape, seed, _scope=opened)
        return collected(layer(inputs, training=is_training), outputs_collections)


@export_v1("contrib.layers.flatten", "contrib.slim.flatten")
@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: str | None = None) -> Any:
    """`[batch, …]` → `[batch, product of the other sizes]`

    Args:
      inputs: of at least one dimension.
      outputs_collections: names of collections for the output.
      scope: the name scope.
    """
    with name_scope(scope, "Flatten", [inputs]):
        layer = Flatten()
        return collected(layer.call(convert_to_tensor(inputs)), outputs_collections)


@export_v1("contrib.layers.softmax", "contrib.slim.softmax")
@add_arg_scope
def softmax(logits: Any, scope: str | None = None) -> Tensor:
    """The softmax along the last dimension of logits of any rank.

    Args:
      logits: `[…, classes]`; the number of classes must be known.
      scope: a variable scope or its name.
    """
    with variable_scope(scope, "softmax", [logits]):
        logits = convert_to_tensor(logits)
        classes = logits.shape.as_list()[-1]
        predictions = softmax_of_rows(reshape(logits, [-1, classes]))
        predictions = reshape(predictions, shape_of(logits))
        predictions.set_shape(logits.shape)
        return predictions

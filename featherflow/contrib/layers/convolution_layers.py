"""Convolutions of one, two and three dimensions, separable ones, and transposed ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from featherflow.contrib.framework.argument_scopes import add_arg_scope
from featherflow.contrib.layers.fully_connected_layers import XAVIER, ZEROS
from featherflow.contrib.layers.layer_variables import (
    Activation,
    Collections,
    activated,
    collected,
    is_channels_first,
    layer_variable,
    normalized,
)
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.tensor import Tensor
from featherflow.layers.conv_transpose_layers import Conv2DTranspose
from featherflow.layers.window_arguments import op_layout, per_dimension, windowed
from featherflow.ops.activation_ops import relu
from featherflow.ops.bias_ops import bias_add
from featherflow.ops.convolution_ops import convolution_v2
from featherflow.ops.depthwise_conv_ops import depthwise_conv2d
from featherflow.ops.depthwise_conv_ops import separable_conv2d as separable
from featherflow.ops.variable_scope import variable_scope

_DEFAULT_SCOPE = "Conv"


@export_v1("contrib.layers.convolution", "contrib.slim.convolution")
@add_arg_scope
def convolution(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
    activation_fn: Activation | None = relu,
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
    conv_dims: int | None = None,
) -> Any:
    """activation(inputs ∗ weights + biases), over one, two or three spatial dimensions.

    Args:
      inputs: `[batch, …, channels]`, or channels first, as `data_format` says.
      num_outputs: the number of output channels.
      kernel_size, stride, rate: one integer for each dimension, or one for all. Strides and rates
        cannot both differ from 1.
      padding: "SAME" or "VALID".
      data_format: "NWC", "NCW", "NHWC", "NCHW", "NDHWC" or "NCDHW"; None has channels last.
      conv_dims: the number of spatial dimensions that there must be.
      scope: a variable scope or its name; None takes "Conv", made unique.
      activation_fn, normalizer_fn, normalizer_params, weights_initializer, weights_regularizer,
        biases_initializer, biases_regularizer, reuse, variables_collections, outputs_collections,
        trainable: see `fully_connected`.
    Returns:
      `[batch, …, num_outputs]`
    Raises:
      ValueError: the rank does not fit, or the number of channels is not known.
    """
    inputs = convert_to_tensor(inputs)
    with variable_scope(scope, _DEFAULT_SCOPE, [inputs], reuse=reuse):
        dims = _spatial_dims(inputs, conv_dims)
        first = is_channels_first(data_format)
        layout = op_layout("channels_first" if first else "channels_last", dims)
        weights = layer_variable(
            "weights",
            [
                *per_dimension(kernel_size, dims, "kernel_size"),
                _channels(inputs, first),
                num_outputs,
            ],
            inputs,
            variables_collections,
            weights_initializer,
            weights_regularizer,
            trainable,
        )
        outputs = convolution_v2(
            inputs,
            weights,
            list(per_dimension(stride, dims, "stride")),
            padding.upper(),
            layout,
            list(per_dimension(rate, dims, "rate")),
            name=f"Conv{dims}D" if dims != 2 else "Conv2D",
        )
        outputs = _finished(
            outputs,
            inputs,
            num_outputs,
            layout if dims == 2 else None,
            (normalizer_fn, normalizer_params),
            (biases_initializer, biases_regularizer, variables_collections, trainable),
        )
        return collected(activated(outputs, activation_fn), outputs_collections)


def _spatial_dims(inputs: Tensor, wanted: int | None) -> int:
    rank = inputs.shape.rank
    if rank is None or rank - 2 not in (1, 2, 3) or wanted not in (None, rank - 2):
        expected = "3, 4 or 5" if wanted is None else str(wanted + 2)
        raise ValueError(f"Convolution expects input with rank {expected}, got {rank}")
    return rank - 2


def _channels(inputs: Tensor, first: bool) -> int:
    channels = inputs.shape.as_list()[1 if first else -1]
    if channels is None:
        raise ValueError(f"The number of channels must be known, received {inputs.shape}.")
    return channels


def _finished(
    outputs: Tensor,
    inputs: Tensor,
    num_outputs: int,
    layout: str | None,
    normalizer: tuple[Any, Any],
    bias: tuple[Any, Any, Collections, bool],
) -> Any:
    """The outputs normalised, or with biases added, or as they are."""
    if normalizer[0] is not None:
        return normalized(outputs, *normalizer)
    initializer, regularizer, collections, trainable = bias
    if initializer is None:
        return outputs
    biases = layer_variable(
        "biases", [num_outputs], inputs, collections, initializer, regularizer, trainable
    )
    return bias_add(outputs, biases, data_format=layout)


def _kernel(
    name: str,
    shape: list[int],
    inputs: Tensor,
    initializer: Any,
    collections: Collections,
    regularizer: Any,
    trainable: bool,
) -> Any:
    """The weights of one of the convolutions that a separable one consists of."""
    return layer_variable(
        name, shape, inputs, collections, initializer, regularizer, trainable, kind="weights"
    )


def _of_dims(dims: int, name: str) -> Callable[..., Any]:
    """`convolution` of inputs of `dims` spatial dimensions."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return convolution(*args, conv_dims=dims, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = f"`convolution` of inputs of {dims} spatial dimensions."
    return add_arg_scope(function)


convolution1d = export_v1(
    "contrib.layers.convolution1d",
    "contrib.layers.conv1d",
    "contrib.slim.convolution1d",
    "contrib.slim.conv1d",
)(_of_dims(1, "convolution1d"))
convolution2d = export_v1(
    "contrib.layers.convolution2d",
    "contrib.layers.conv2d",
    "contrib.slim.convolution2d",
    "contrib.slim.conv2d",
)(_of_dims(2, "convolution2d"))
convolution3d = export_v1(
    "contrib.layers.convolution3d",
    "contrib.layers.conv3d",
    "contrib.slim.convolution3d",
    "contrib.slim.conv3d",
)(_of_dims(3, "convolution3d"))


@export_v1(
    "contrib.layers.conv2d_transpose",
    "contrib.layers.convolution2d_transpose",
    "contrib.slim.conv2d_transpose",
    "contrib.slim.convolution2d_transpose",
)
@add_arg_scope
def convolution2d_transpose(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = "NHWC",
    activation_fn: Activation | None = relu,
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
    """activation(transposed convolution + biases) of images.

    Args:
      scope: a variable scope or its name; None takes "Conv2d_transpose", made unique.
      inputs, num_outputs, kernel_size, stride, padding, data_format, activation_fn, normalizer_fn,
        normalizer_params, weights_initializer, weights_regularizer, biases_initializer,
        biases_regularizer, reuse, variables_collections, outputs_collections, trainable: see
        `convolution`.
    """
    inputs = convert_to_tensor(inputs)
    with variable_scope(scope, "Conv2d_transpose", [inputs], reuse=reuse):
        _spatial_dims(inputs, 2)
        first = is_channels_first(data_format)
        layer = Conv2DTranspose(
            num_outputs,
            kernel_size,
            stride,
            padding,
            "channels_first" if first else "channels_last",
            use_bias=False,
        )
        layer.kernel = layer_variable(
            "weights",
            [*layer.kernel_size, num_outputs, _channels(inputs, first)],
            inputs,
            variables_collections,
            weights_initializer,
            weights_regularizer,
            trainable,
        )
        outputs = _finished(
            layer.call(inputs),
            inputs,
            num_outputs,
            "NCHW" if first else "NHWC",
            (normalizer_fn, normalizer_params),
            (biases_initializer, biases_regularizer, variables_collections, trainable),
        )
        return collected(activated(outputs, activation_fn), outputs_collections)


@export_v1(
    "contrib.layers.separable_conv2d",
    "contrib.layers.separable_convolution2d",
    "contrib.slim.separable_conv2d",
    "contrib.slim.separable_convolution2d",
)
@add_arg_scope
def separable_convolution2d(
    inputs: Any,
    num_outputs: int | None,
    kernel_size: Any,
    depth_multiplier: int = 1,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = "NHWC",
    rate: Any = 1,
    activation_fn: Activation | None = relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: Mapping[str, Any] | None = None,
    weights_initializer: Any = XAVIER,
    pointwise_initializer: Any = None,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Collections = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """activation of a convolution of each channel for itself, and one that mixes the channels.

    Args:
      num_outputs: the number of output channels; None leaves out the second convolution.
      depth_multiplier: how many outputs the first makes of each channel.
      weights_initializer: of `depthwise_weights`, `[h, w, channels, depth_multiplier]`.
      pointwise_initializer: of `pointwise_weights`, `[1, 1, channels · depth_multiplier,
        num_outputs]`; None takes the former.
      scope: a variable scope or its name; None takes "SeparableConv2d", made unique.
      inputs, kernel_size, stride, padding, data_format, rate, activation_fn, normalizer_fn,
        normalizer_params, weights_regularizer, biases_initializer, biases_regularizer, reuse,
        variables_collections, outputs_collections, trainable: see `convolution`.
    """
    inputs = convert_to_tensor(inputs)
    with variable_scope(scope, "SeparableConv2d", [inputs], reuse=reuse):
        _spatial_dims(inputs, 2)
        first = is_channels_first(data_format)
        width = _channels(inputs, first) * depth_multiplier
        options = (variables_collections, weights_regularizer, trainable)
        size = per_dimension(kernel_size, 2, "kernel_size")
        depthwise = _kernel(
            "depthwise_weights",
            [*size, _channels(inputs, first), depth_multiplier],
            inputs,
            weights_initializer,
            *options,
        )
        layout = "channels_first" if first else "channels_last"
        window = {
            "strides": windowed(layout, per_dimension(stride, 2, "stride")),
            "padding": padding.upper(),
            "rate": per_dimension(rate, 2, "rate"),
            "data_format": op_layout(layout, 2),
        }
        if num_outputs is None:
            outputs = depthwise_conv2d(inputs, depthwise, **window)
        else:
            initializer = pointwise_initializer or weights_initializer
            shape = [1, 1, width, num_outputs]
            pointwise = _kernel("pointwise_weights", shape, inputs, initializer, *options)
            outputs = separable(inputs, depthwise, pointwise, **window)
        outputs = _finished(
            outputs,
            inputs,
            num_outputs or width,
            "NCHW" if first else "NHWC",
            (normalizer_fn, normalizer_params),
            (biases_initializer, biases_regularizer, variables_collections, trainable),
        )
        return collected(activated(outputs, activation_fn), outputs_collections)

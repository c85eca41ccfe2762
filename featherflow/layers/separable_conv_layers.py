"""SeparableConv1D and SeparableConv2D, as layers and as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.graph.tensor import Tensor
from featherflow.layers.conv_layers import Convolution
from featherflow.layers.default_initializers import ZEROS
from featherflow.layers.layer_function import as_function
from featherflow.layers.window_arguments import op_layout, windowed
from featherflow.ops.bias_ops import bias_add
from featherflow.ops.depthwise_conv_ops import separable_conv2d as separable_convolution
from featherflow.ops.reshape_ops import expand_dims, squeeze


class SeparableConvolution(Convolution):
    """A convolution of each channel for itself, and one of 1 × 1 that mixes the channels.

    Args:
      filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias: see
        `Convolution`. The strides must be equal.
      depth_multiplier: how many outputs the first convolution makes of each channel.
      depthwise_initializer, pointwise_initializer, bias_initializer: of the variables
        `depthwise_kernel` `[*kernel_size, channels, depth_multiplier]`, `pointwise_kernel`
        `[1, …, channels · depth_multiplier, filters]` and `bias` `[filters]`.
      depthwise_regularizer, pointwise_regularizer, bias_regularizer: make losses of them.
      activity_regularizer: makes a loss of the output.
      depthwise_constraint, pointwise_constraint, bias_constraint: applied after each update.
      trainable, name: see `Layer`.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Callable[[Tensor], Tensor] | None = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = depthwise_initializer
        self.pointwise_initializer = pointwise_initializer
        self.depthwise_regularizer = depthwise_regularizer
        self.pointwise_regularizer = pointwise_regularizer
        self.depthwise_constraint = depthwise_constraint
        self.pointwise_constraint = pointwise_constraint
        self.depthwise_kernel: Any = None
        self.pointwise_kernel: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes `depthwise_kernel`, `pointwise_kernel` and `bias`."""
        channels = self.channels_of(input_shape)
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel",
            shape=[*self.kernel_size, channels, self.depth_multiplier],
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
            trainable=True,
        )
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel",
            shape=[*(1,) * self.rank, channels * self.depth_multiplier, self.filters],
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
            trainable=True,
        )
        self.add_bias()
        self.built = True

    def _separably_convolved(
        self, image: Tensor, depthwise: Any, pointwise: Any, rates: tuple[int, ...]
    ) -> Tensor:
        """The convolution of an image by kernels of two spatial dimensions, plus the bias."""
        outputs = separable_convolution(
            image,
            depthwise,
            pointwise,
            strides=windowed(self.data_format, self.strides * (3 - self.rank)),
            padding=self.padding.upper(),
            rate=rates,
            data_format=op_layout(self.data_format, 2),
        )
        if not self.use_bias:
            return outputs
        return bias_add(outputs, self.bias, data_format=op_layout(self.data_format, 2))


@export_v1("layers.SeparableConv1D")
class SeparableConv1D(SeparableConvolution):
    """A separable convolution along `[batch, width, channels]`; see `SeparableConvolution`."""

    rank = 1

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Tensor:
        """The convolution of an image of one row."""
        row = 2 if self.data_format == "channels_first" else 1
        image = expand_dims(inputs, row)
        depthwise = expand_dims(self.depthwise_kernel, 0)
        pointwise = expand_dims(self.pointwise_kernel, 0)
        outputs = self._separably_convolved(image, depthwise, pointwise, (1, *self.dilation_rate))
        return self.activated(squeeze(outputs, [row]))


@export_v1("layers.SeparableConv2D")
class SeparableConv2D(SeparableConvolution):
    """A separable convolution over `[batch, height, width, channels]`; see
    `SeparableConvolution`."""

    rank = 2

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Tensor:
        """`[batch, height, width, channels]` → `[batch, height, width, filters]`."""
        outputs = self._separably_convolved(
            inputs, self.depthwise_kernel, self.pointwise_kernel, self.dilation_rate
        )
        return self.activated(outputs)


separable_conv1d = export_v1("layers.separable_conv1d")(
    as_function(SeparableConv1D, __name__, "separable_conv1d")
)
separable_conv2d = export_v1("layers.separable_conv2d")(
    as_function(SeparableConv2D, __name__, "separable_conv2d")
)

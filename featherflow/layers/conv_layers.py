"""Conv1D, Conv2D and Conv3D, as layers and as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.layers.core_layers import layout_of
from featherflow.layers.default_initializers import ZEROS
from featherflow.layers.input_spec import InputSpec
from featherflow.layers.layer import Layer
from featherflow.layers.layer_function import as_function
from featherflow.layers.window_arguments import op_layout, padding_of, per_dimension
from featherflow.ops.bias_ops import bias_add
from featherflow.ops.convolution_ops import convolution_v2
from featherflow.ops.reshape_ops import reshape

Activation = Callable[[Tensor], Tensor]


class Convolution(Layer):
    """activation(inputs ∗ kernel + bias), over one, two or three spatial dimensions.

    Args:
      filters: the number of output channels.
      kernel_size, strides, dilation_rate: one integer for each dimension, or one for all. Strides
        and dilation cannot both differ from 1.
      padding: "valid" or "same".
      data_format: "channels_last", `[batch, …, channels]`, or "channels_first".
      activation: a function of the result; None leaves it linear.
      use_bias: whether there is a bias.
      kernel_initializer, bias_initializer: of the variables `kernel`
        `[*kernel_size, channels, filters]` and `bias` `[filters]`; None takes the scope's.
      kernel_regularizer, bias_regularizer: make losses of the variables.
      activity_regularizer: makes a loss of the output.
      kernel_constraint, bias_constraint: applied to the variables after each update.
      trainable, name: see `Layer`.
    """

    #: The number of spatial dimensions.
    rank: ClassVar[int]

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        activation: Activation | None = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        rank = self.rank
        self.filters = filters if filters is None else int(filters)
        if self.filters is not None and self.filters <= 0:
            raise ValueError(
                "Invalid value for argument `filters`. Expected a strictly positive value. "
                f"Received filters={filters}."
            )
        self.kernel_size = per_dimension(kernel_size, rank, "kernel_size")
        self.strides = per_dimension(strides, rank, "strides")
        self.dilation_rate = per_dimension(dilation_rate, rank, "dilation_rate")
        self.padding, self.data_format = padding_of(padding), layout_of(data_format)
        self.activation, self.use_bias = activation, use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.input_spec = InputSpec(min_ndim=rank + 2)
        self.kernel: Any = None
        self.bias: Any = None

    @property
    def channel_axis(self) -> int:
        """Where the channels are."""
        return 1 if self.data_format == "channels_first" else -1

    def channels_of(self, input_shape: Any) -> int:
        """The number of channels, which also becomes a condition on further inputs.

        Raises:
          ValueError: it is not known.
        """
        shape = TensorShape(input_shape)
        size = shape.as_list()[self.channel_axis] if shape.rank else None
        if size is None:
            raise ValueError(
                "The channel dimension of the inputs should be defined. The input_shape received "
                f"is {shape}, where axis {self.channel_axis} (0-based) is the channel dimension, "
                "which found to be `None`."
            )
        self.input_spec = InputSpec(min_ndim=self.rank + 2, axes={self.channel_axis: size})
        return size

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` and `bias`.

        Raises:
          ValueError: the number of channels is not known.
        """
        channels = self.channels_of(input_shape)
        self.add_kernel([*self.kernel_size, channels, self.filters])
        self.add_bias()
        self.built = True

    def add_kernel(self, shape: list[int]) -> None:
        """Makes `kernel`."""
        self.kernel = self.add_weight(
            "kernel",
            shape=shape,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            trainable=True,
        )

    def add_bias(self) -> None:
        """Makes `bias`, if there is one."""
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=[self.filters],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
                trainable=True,
            )

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Tensor:
        """`[batch, …, channels]` → `[batch, …, filters]`."""
        outputs = convolution_v2(
            inputs,
            self.kernel,
            list(self.strides),
            self.padding.upper(),
            op_layout(self.data_format, self.rank),
            list(self.dilation_rate),
            name=f"Conv{self.rank}D",
        )
        return self.activated(self.with_bias(outputs))

    def with_bias(self, outputs: Tensor) -> Tensor:
        """The outputs plus the bias, if there is one."""
        if not self.use_bias:
            return outputs
        if self.data_format == "channels_last":
            return bias_add(outputs, self.bias, data_format="NHWC")
        if self.rank == 1:
            return outputs + reshape(self.bias, [1, self.filters, 1])  # type: ignore[operator]
        return bias_add(outputs, self.bias, data_format="NCHW")

    def activated(self, outputs: Tensor) -> Tensor:
        """The activation of the outputs."""
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The static shape of the output."""
        sizes = TensorShape(input_shape).as_list()
        first = 2 if self.data_format == "channels_first" else 1
        spatial = [
            None if size is None else self._output_size(size, axis)
            for axis, size in enumerate(sizes[first : first + self.rank])
        ]
        if first == 2:
            return TensorShape([sizes[0], self.filters, *spatial])
        return TensorShape([sizes[0], *spatial, self.filters])

    def _output_size(self, size: int, axis: int) -> int:
        """How many windows fit along a spatial dimension."""
        if self.padding == "valid":
            size -= (self.kernel_size[axis] - 1) * self.dilation_rate[axis]
        return -(-size // self.strides[axis])


@export_v1("layers.Conv1D")
class Conv1D(Convolution):
    """activation(inputs ∗ kernel + bias) along `[batch, width, channels]`; see `Convolution`."""

    rank = 1


@export_v1("layers.Conv2D")
class Conv2D(Convolution):
    """activation(inputs ∗ kernel + bias) over `[batch, height, width, channels]`; see
    `Convolution`."""

    rank = 2


@export_v1("layers.Conv3D")
class Conv3D(Convolution):
    """activation(inputs ∗ kernel + bias) over `[batch, depth, height, width, channels]`; see
    `Convolution`."""

    rank = 3


conv1d = export_v1("layers.conv1d")(as_function(Conv1D, __name__, "conv1d"))
conv2d = export_v1("layers.conv2d")(as_function(Conv2D, __name__, "conv2d"))
conv3d = export_v1("layers.conv3d")(as_function(Conv3D, __name__, "conv3d"))

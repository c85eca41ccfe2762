"""Conv2DTranspose and Conv3DTranspose, as layers and as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.layers.conv_layers import Convolution
from featherflow.layers.default_initializers import ZEROS
from featherflow.layers.layer_function import as_function
from featherflow.layers.window_arguments import op_layout, windowed
from featherflow.ops.conv3d_ops import conv3d_transpose_v1 as transposed_convolution3d
from featherflow.ops.conv_transpose_ops import conv2d_transpose as transposed_convolution2d
from featherflow.ops.pack_ops import stack
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.transpose_ops import transpose


class TransposedConvolution(Convolution):
    """activation(transposed convolution + bias): as a convolution maps gradients back.

    Args:
      filters, kernel_size, strides, padding, data_format, activation, use_bias: see `Convolution`.
      kernel_initializer, bias_initializer: of the variables `kernel`
        `[*kernel_size, filters, channels]` and `bias` `[filters]`.
      kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint,
        bias_constraint, trainable, name: see `Convolution`.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        activation: Callable[[Tensor], Tensor] | None = None,
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
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            1,
            activation,
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            activity_regularizer,
            kernel_constraint,
            bias_constraint,
            trainable,
            name,
            **kwargs,
        )

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` and `bias`.

        Raises:
          ValueError: the rank is not that of a batch, or the number of channels is not known.
        """
        rank = TensorShape(input_shape).rank
        if rank != self.rank + 2:
            raise ValueError(
                f"Inputs should have rank {self.rank + 2}. Received input_shape={input_shape}."
            )
        channels = self.channels_of(input_shape)
        self.add_kernel([*self.kernel_size, self.filters, channels])
        self.add_bias()
        self.built = True

    def _output_size(self, size: Any, axis: int) -> Any:
        """The size, a number or tensor, that windows one stride apart cover."""
        result = size * self.strides[axis]
        rest = self.kernel_size[axis] - self.strides[axis]
        return result + rest if self.padding == "valid" and rest > 0 else result

    def _output_shape(self, inputs: Tensor, known: bool) -> Tensor:
        """The shape of the output; `known` takes spatial sizes from the static shape."""
        first = 2 if self.data_format == "channels_first" else 1
        dynamic: Any = shape_of(inputs)
        sizes = inputs.shape.as_list()
        batch = dynamic[0]
        spatial = [
            dynamic[first + axis]
            if sizes[first + axis] is None or not known
            else sizes[first + axis]
            for axis in range(self.rank)
        ]
        spatial = [self._output_size(size, axis) for axis, size in enumerate(spatial)]
        if first == 2:
            return stack([batch, self.filters, *spatial])
        return stack([batch, *spatial, self.filters])


@export_v1("layers.Conv2DTranspose")
class Conv2DTranspose(TransposedConvolution):
    """A transposed convolution of `[batch, height, width, channels]`; see
    `TransposedConvolution`."""

    rank = 2

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Tensor:
        """`[batch, height, width, channels]` → `[batch, larger, larger, filters]`."""
        target: Any = self._output_shape(inputs, known=True)
        static = self.compute_output_shape(inputs.shape)
        first = self.data_format == "channels_first"
        if first:  # TensorFlow's CPU kernel takes channels last only
            inputs = transpose(inputs, (0, 2, 3, 1))
            target = stack([target[axis] for axis in (0, 2, 3, 1)])
        outputs = transposed_convolution2d(
            inputs, self.kernel, target, (1, *self.strides, 1), self.padding.upper()
        )
        if first:
            outputs = transpose(outputs, (0, 3, 1, 2))
        outputs.set_shape(static)
        return self.activated(self.with_bias(outputs))


@export_v1("layers.Conv3DTranspose")
class Conv3DTranspose(TransposedConvolution):
    """A transposed convolution of `[batch, depth, height, width, channels]`; see
    `TransposedConvolution`."""

    rank = 3

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Tensor:
        """`[batch, depth, height, width, channels]` → `[batch, larger, …, filters]`."""
        outputs = transposed_convolution3d(
            inputs,
            self.kernel,
            self._output_shape(inputs, known=False),
            windowed(self.data_format, self.strides),
            padding=self.padding.upper(),
            data_format=op_layout(self.data_format, 3),
        )
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        return self.activated(self.with_bias(outputs))


conv2d_transpose = export_v1("layers.conv2d_transpose")(
    as_function(Conv2DTranspose, __name__, "conv2d_transpose")
)
conv3d_transpose = export_v1("layers.conv3d_transpose")(
    as_function(Conv3DTranspose, __name__, "conv3d_transpose")
)

"""Largest values and means of windows of one, two and three dimensions, as layers and functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.layers.core_layers import layout_of
from featherflow.layers.input_spec import InputSpec
from featherflow.layers.layer import Layer
from featherflow.layers.layer_function import as_function
from featherflow.layers.window_arguments import op_layout, padding_of, per_dimension, windowed
from featherflow.ops.avg_pool_ops import avg_pool
from featherflow.ops.max_pool_ops import max_pool
from featherflow.ops.pool3d_ops import avg_pool3d, max_pool3d
from featherflow.ops.reshape_ops import expand_dims, squeeze
from featherflow.ops.transpose_ops import transpose


class Pooling(Layer):
    """One value for each window of each channel.

    Args:
      pool_size, strides: one integer for each spatial dimension, or one for all.
      padding: "valid" or "same".
      data_format: "channels_last", `[batch, …, channels]`, or "channels_first".
      name: of the layer.
    """

    #: The number of spatial dimensions.
    rank: ClassVar[int]
    #: The op that is applied to images or volumes.
    pool: ClassVar[Callable[..., Tensor]]

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        strides = pool_size if strides is None else strides
        self.pool_size = per_dimension(pool_size, self.rank, "pool_size")
        self.strides = per_dimension(strides, self.rank, "strides")
        self.padding, self.data_format = padding_of(padding), layout_of(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Tensor:
        """The value of each window."""
        return self._pooled(inputs, self.data_format)

    def _pooled(self, inputs: Tensor, data_format: str) -> Tensor:
        return type(self).pool(
            inputs,
            ksize=windowed(data_format, self.pool_size),
            strides=windowed(data_format, self.strides),
            padding=self.padding.upper(),
            data_format=op_layout(data_format, max(self.rank, 2)),
        )

    def _pooled_last(self, inputs: Tensor, rank: int) -> Tensor:
        """The value of each window, for channels first by ops that take channels last only."""
        if self.data_format == "channels_last":
            return self._pooled(inputs, "channels_last")
        last = transpose(inputs, (0, *range(2, rank + 2), 1))
        return transpose(self._pooled(last, "channels_last"), (0, rank + 1, *range(1, rank + 1)))

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The static shape of the output."""
        sizes: list[Any] = TensorShape(input_shape).as_list()
        first = 2 if self.data_format == "channels_first" else 1
        for axis, (window, stride) in enumerate(zip(self.pool_size, self.strides), first):
            if sizes[axis] is not None:
                covered = sizes[axis] - (window - 1 if self.padding == "valid" else 0)
                sizes[axis] = -(-covered // stride)
        return TensorShape(sizes)


class _RowPooling(Pooling):
    """Windows along one dimension, as those of images that are one pixel wide."""

    rank = 1

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Tensor:
        """The value of each window."""
        column = 3 if self.data_format == "channels_first" else 2
        return squeeze(self._pooled_last(expand_dims(inputs, column), 2), [column])

    def _pooled(self, inputs: Tensor, data_format: str) -> Tensor:
        return type(self).pool(
            inputs,
            ksize=(1, *self.pool_size, 1, 1),
            strides=(1, *self.strides, 1, 1),
            padding=self.padding.upper(),
            data_format="NHWC",
        )


class _VolumePooling(Pooling):
    """Windows of volumes."""

    rank = 3

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Tensor:
        """The value of each window."""
        return self._pooled_last(inputs, 3)


@export_v1("layers.MaxPooling1D")
class MaxPooling1D(_RowPooling):
    """The largest value of each window along `[batch, width, channels]`; see `Pooling`."""

    pool = staticmethod(max_pool)


@export_v1("layers.MaxPooling2D")
class MaxPooling2D(Pooling):
    """The largest value of each window of `[batch, height, width, channels]`; see `Pooling`."""

    rank = 2
    pool = staticmethod(max_pool)


@export_v1("layers.MaxPooling3D")
class MaxPooling3D(_VolumePooling):
    """The largest value of each window of `[batch, depth, height, width, channels]`; see
    `Pooling`."""

    pool = staticmethod(max_pool3d)


@export_v1("layers.AveragePooling1D")
class AveragePooling1D(_RowPooling):
    """The mean of each window along `[batch, width, channels]`; see `Pooling`."""

    pool = staticmethod(avg_pool)


@export_v1("layers.AveragePooling2D")
class AveragePooling2D(Pooling):
    """The mean of each window of `[batch, height, width, channels]`; see `Pooling`."""

    rank = 2
    pool = staticmethod(avg_pool)


@export_v1("layers.AveragePooling3D")
class AveragePooling3D(_VolumePooling):
    """The mean of each window of `[batch, depth, height, width, channels]`; see `Pooling`."""

    pool = staticmethod(avg_pool3d)


def _function(layer_class: type[Pooling], name: str) -> Callable[..., Any]:
    return export_v1(f"layers.{name}")(as_function(layer_class, __name__, name))


max_pooling1d = _function(MaxPooling1D, "max_pooling1d")
max_pooling2d = _function(MaxPooling2D, "max_pooling2d")
max_pooling3d = _function(MaxPooling3D, "max_pooling3d")
average_pooling1d = _function(AveragePooling1D, "average_pooling1d")
average_pooling2d = _function(AveragePooling2D, "average_pooling2d")
average_pooling3d = _function(AveragePooling3D, "average_pooling3d")

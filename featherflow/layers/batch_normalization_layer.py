"""BatchNormalization, as a layer and as a function. Ioffe & Szegedy 2015."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework.dtypes import DType, bfloat16, float16, float32
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.layers.batch_normalization_variants import (
    Renormalization,
    adjusted,
    composed,
    follow,
    pieces_of,
)
from featherflow.layers.default_initializers import ONES, ZEROS
from featherflow.layers.input_spec import InputSpec
from featherflow.layers.layer import Layer
from featherflow.layers.training_mode import known_value, smart_cond
from featherflow.ops.batch_norm_ops import fused_batch_norm
from featherflow.ops.cast_ops import cast
from featherflow.ops.constant_ops import constant
from featherflow.ops.moments_ops import moments
from featherflow.ops.normalization_ops import batch_normalization as normalized
from featherflow.ops.reduction_ops import reduce_mean
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.variable_base import VariableAggregation, VariableSynchronization


@export_v1("layers.BatchNormalization")
class BatchNormalization(Layer):
    """γ (x − mean) / √(variance + ε) + β, per channel.

    While training the statistics are those of the batch, and moving averages of them are kept,
    which are used otherwise. The operations that update the averages are in the collection
    UPDATE_OPS; run them with each training step.

    Args:
      axis: of the channels; a list keeps statistics for each combination of several axes.
      momentum: of the moving averages.
      epsilon: keeps the divisor from 0.
      center, scale: whether there are the variables `beta` and `gamma`.
      beta_initializer, gamma_initializer, moving_mean_initializer, moving_variance_initializer: of
        the variables.
      beta_regularizer, gamma_regularizer: make losses of them.
      beta_constraint, gamma_constraint: applied to them after each update.
      renorm: whether the batch's statistics are corrected towards the moving averages, by what the
        gradient does not see. Ioffe 2017.
      renorm_clipping: bounds of the correction, "rmin" ≤ r ≤ "rmax" and |d| ≤ "dmax".
      renorm_momentum: of the averages that the correction goes by.
      fused: whether to use one op for all; None does so for images.
      trainable, name: see `Layer`.
      virtual_batch_size: the batch is normalised in pieces of this size.
      adjustment: a function of the shape of the inputs that gives a factor and a summand for the
        normalised values, while training.
    """

    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = ZEROS,
        gamma_initializer: Any = ONES,
        moving_mean_initializer: Any = ZEROS,
        moving_variance_initializer: Any = ONES,
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: dict[str, Any] | None = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Callable[[Tensor], tuple[Any, Any]] | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, **kwargs)
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else [int(axis)]
        self.momentum, self.epsilon = momentum, epsilon
        self.center, self.scale = center, scale
        self.beta_initializer, self.gamma_initializer = beta_initializer, gamma_initializer
        self.moving_mean_initializer = moving_mean_initializer
        self.moving_variance_initializer = moving_variance_initializer
        self.beta_regularizer, self.gamma_regularizer = beta_regularizer, gamma_regularizer
        self.beta_constraint, self.gamma_constraint = beta_constraint, gamma_constraint
        self.fused = fused
        self.virtual_batch_size, self.adjustment = virtual_batch_size, adjustment
        self.renormalization = None
        if renorm:
            self.renormalization = Renormalization(
                dict(renorm_clipping or {}), renorm_momentum, epsilon
            )
        self._check_variants()
        self.gamma: Any = None
        self.beta: Any = None
        self.moving_mean: Any = None
        self.moving_variance: Any = None

    def _check_variants(self) -> None:
        if self.virtual_batch_size is not None and self.adjustment is not None:
            raise ValueError("When using `virtual_batch_size`, adjustment cannot be specified")
        if self.fused and self._is_variant:
            raise ValueError(
                "Passing fused=True is not supported with renorm, virtual_batch_size or adjustment."
            )

    @property
    def _is_variant(self) -> bool:
        """Whether elementary ops are needed."""
        options = (self.renormalization, self.virtual_batch_size, self.adjustment)
        return any(option is not None for option in options)

    # --- variables --------------------------------------------------------------------------------

    def build(self, input_shape: Any) -> None:
        """Makes the variables.

        Raises:
          ValueError: the rank or a size along the axes is not known, or an axis does not exist.
        """
        shape = TensorShape(input_shape)
        rank = shape.rank
        if not rank:
            raise ValueError(f"Input has undefined rank. Received: input_shape={shape}.")
        self.axis = _checked_axes(self.axis, rank)
        sizes = shape.as_list()
        channels = {axis: sizes[axis] for axis in self.axis}
        for axis, size in channels.items():
            if size is None:
                raise ValueError(
                    "Input has undefined `axis` dimension. Received input with shape "
                    f"{tuple(sizes)}. Axis value: {axis}"
                )
        if self.fused is None:
            self.fused = self._can_be_fused(rank)
        if self.fused and self.axis not in ([1], [rank - 1]):
            raise ValueError(
                "Unsupported axis. The use of `fused=True` is only possible with `axis=1` or the "
                f"last one. Received: axis={self.axis}"
            )
        self.input_spec = InputSpec(ndim=rank, axes=channels)
        self._make_variables(self._parameter_shape(channels, rank))
        self.built = True

    def _can_be_fused(self, rank: int) -> bool:
        return rank == 4 and self.axis in ([1], [3]) and not self._is_variant

    def _parameter_shape(self, channels: dict[int, int], rank: int) -> list[int]:
        """`[channels]`; for several axes, and pieces of a batch, a shape that broadcasts."""
        if len(channels) == 1 and self.virtual_batch_size is None:
            return list(channels.values())
        sizes = [channels.get(axis, 1) for axis in range(rank)]
        if self.virtual_batch_size is not None:
            sizes.insert(1, 1)
            self.axis = [axis + 1 for axis in self.axis]
        return sizes

    @property
    def _parameter_dtype(self) -> DType:
        dtype = self._cast_dtype()
        return float32 if dtype in (float16, bfloat16) else dtype

    def _make_variables(self, shape: list[int]) -> None:
        if self.scale:
            self.gamma = self._parameter("gamma", shape)
        if self.center:
            self.beta = self._parameter("beta", shape)
        self.moving_mean = self._average("moving_mean", shape, self.moving_mean_initializer)
        initializer = self.moving_variance_initializer
        self.moving_variance = self._average("moving_variance", shape, initializer)
        if self.renormalization is not None:
            self.renormalization.make_variables(
                self._average, shape, self.moving_mean_initializer, initializer
            )

    def _parameter(self, name: str, shape: list[int]) -> Any:
        return self.add_weight(
            name,
            shape=shape,
            dtype=self._parameter_dtype,
            initializer=getattr(self, f"{name}_initializer"),
            regularizer=getattr(self, f"{name}_regularizer"),
            constraint=getattr(self, f"{name}_constraint"),
            trainable=True,
        )

    def _average(self, name: str, shape: list[int], initializer: Any) -> Any:
        return self.add_weight(
            name,
            shape=shape,
            dtype=self._parameter_dtype,
            initializer=initializer,
            trainable=False,
            synchronization=VariableSynchronization.ON_READ,
            aggregation=VariableAggregation.MEAN,
        )

    # --- computing --------------------------------------------------------------------------------

    def call(self, inputs: Any, training: Any = False, **kwargs: Any) -> Tensor:
        """The normalised inputs; `training` is a bool or a scalar tensor."""
        if self.fused:
            return self._fused(inputs, training)
        if self.virtual_batch_size is None:
            return self._normalized(inputs, training)
        pieces, whole = pieces_of(inputs, self.virtual_batch_size)
        result = reshape(self._normalized(pieces, training), whole)
        result.set_shape(inputs.shape)
        return result

    def _normalized(self, inputs: Tensor, training: Any) -> Tensor:
        """The inputs normalised by elementary ops."""
        scale, offset = self._broadcast(self.gamma, inputs), self._broadcast(self.beta, inputs)
        if known_value(training) is False:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            if self.adjustment is not None:
                scale, offset = adjusted(self.adjustment, inputs, training, scale, offset)
            mean, variance, followed, correction = self._statistics(inputs, training)
            if correction is not None:
                factor, summand = (self._broadcast(part, inputs) for part in correction)
                scale, offset = composed(factor, summand, scale, offset)
            self._update_averages(followed, training)
        mean, variance = self._broadcast(mean, inputs), self._broadcast(variance, inputs)
        mean, variance, offset, scale = (
            _as_type(value, inputs.dtype) for value in (mean, variance, offset, scale)
        )
        result = normalized(inputs, mean, variance, offset, scale, self.epsilon)
        result.set_shape(inputs.shape)
        return result

    def _broadcast(self, value: Any, inputs: Tensor) -> Any:
        """A value per channel, in a shape that broadcasts against the inputs."""
        rank = inputs.shape.rank
        if value is None or len(value.shape) == rank or self.axis == [(rank or 0) - 1]:
            return value
        sizes = inputs.shape.as_list()
        return reshape(value, [size if axis in self.axis else 1 for axis, size in enumerate(sizes)])

    def _fused(self, inputs: Tensor, training: Any) -> Tensor:
        """One op for all; it also returns the batch's statistics."""
        layout = "NCHW" if self.axis == [1] else "NHWC"
        size = self.moving_mean.shape.as_list()
        gamma = self.gamma if self.scale else constant(1.0, self._parameter_dtype, size)
        beta = self.beta if self.center else constant(0.0, self._parameter_dtype, size)

        def normalized_by(is_training: bool) -> Any:
            return fused_batch_norm(
                inputs,
                gamma,
                beta,
                mean=self.moving_mean,
                variance=self.moving_variance,
                epsilon=self.epsilon,
                is_training=is_training,
                data_format=layout,
            )

        output, mean, variance = smart_cond(
            training, lambda: normalized_by(True), lambda: normalized_by(False)
        )
        if known_value(training) is not False:
            momentum = smart_cond(training, lambda: constant(self.momentum), lambda: constant(1.0))
            self.add_update(follow(self.moving_mean, mean, momentum))
            self.add_update(follow(self.moving_variance, variance, momentum))
        return output

    def _statistics(self, inputs: Tensor, training: Any) -> tuple[Any, Any, Any, Any]:
        """Of a batch: what it is normalised by, what averages follow, and how it is corrected.

        Returns:
          Mean and variance, the batch's while training, else the averages; the pair that the
          averages follow; a factor and a summand for the normalised values, or None.
        """
        pieces = self.virtual_batch_size is not None
        others = [axis for axis in range(inputs.shape.rank or 0) if axis not in self.axis]
        if pieces:
            others.remove(1)  # each piece has statistics of its own
        mean, variance = moments(inputs, others, keep_dims=pieces or len(self.axis) > 1)
        own_type = self._parameter_dtype
        mean, variance = _as_type(mean, own_type), _as_type(variance, own_type)
        mean = _while_training(training, mean, self.moving_mean)
        variance = _while_training(training, variance, self.moving_variance)
        followed = (mean, variance)
        if pieces:
            followed = (
                reduce_mean(mean, 1, keepdims=True),
                reduce_mean(variance, 1, keepdims=True),
            )
        correction = None
        if self.renormalization is not None:
            correction, followed = self.renormalization.correct(*followed, training)
        return mean, variance, followed, correction

    def _update_averages(self, followed: Any, training: Any) -> None:
        """Adds the operations by which the averages follow a mean and a variance."""
        mean, variance = followed
        self.add_update(
            smart_cond(
                training,
                lambda: follow(self.moving_mean, mean, self.momentum),
                lambda: self.moving_mean,
            )
        )

        def new_variance() -> Any:
            if self.renormalization is None:
                return follow(self.moving_variance, variance, self.momentum)
            return self.renormalization.follow_variance(
                self.moving_variance, variance, self.momentum
            )

        self.add_update(smart_cond(training, new_variance, lambda: self.moving_variance))

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """That of the input."""
        return TensorShape(input_shape)


def _checked_axes(axes: list[int], rank: int) -> list[int]:
    """The axes counted from the front.

    Raises:
      ValueError: one does not exist, or there is one twice.
    """
    positive = [axis + rank if axis < 0 else axis for axis in axes]
    if any(not 0 <= axis < rank for axis in positive):
        raise ValueError(
            f"Invalid value for `axis` argument: it must name dimensions of rank {rank}. "
            f"Received: axis={axes}"
        )
    if len(set(positive)) != len(positive):
        raise ValueError(f"Duplicate axis: {tuple(positive)}")
    return positive


def _as_type(value: Any, dtype: DType) -> Any:
    return value if value is None or value.dtype.base_dtype is dtype else cast(value, dtype)


def _while_training(training: Any, value: Any, average: Any) -> Any:
    return smart_cond(training, lambda: value, lambda: convert_to_tensor(average))


@export_v1("layers.batch_normalization")
def batch_normalization(
    inputs: Any,
    axis: Any = -1,
    momentum: float = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Any = ZEROS,
    gamma_initializer: Any = ONES,
    moving_mean_initializer: Any = ZEROS,
    moving_variance_initializer: Any = ONES,
    beta_regularizer: Any = None,
    gamma_regularizer: Any = None,
    beta_constraint: Any = None,
    gamma_constraint: Any = None,
    training: Any = False,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
    renorm: bool = False,
    renorm_clipping: dict[str, Any] | None = None,
    renorm_momentum: float = 0.99,
    fused: bool | None = None,
    virtual_batch_size: int | None = None,
    adjustment: Any = None,
) -> Tensor:
    """γ (x − mean) / √(variance + ε) + β, per channel, with variables of a new layer.

    Args:
      inputs: a float tensor of known rank.
      training: a bool or scalar tensor: whether to use the batch's statistics, or averages. The
        operations that update the averages are in the collection UPDATE_OPS.
      name: of the variable scope.
      reuse: whether to share the variables of an earlier layer of that name.
      axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer,
        moving_mean_initializer, moving_variance_initializer, beta_regularizer, gamma_regularizer,
        beta_constraint, gamma_constraint, trainable, renorm, renorm_clipping, renorm_momentum,
        fused, virtual_batch_size, adjustment: see `BatchNormalization`.
    Returns:
      A tensor like the inputs.

    >>> import featherflow as tf
    >>> y = tf.layers.batch_normalization(tf.zeros([8, 3]), training=True)
    >>> len(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
    2
    """
    layer = BatchNormalization(
        axis,
        momentum,
        epsilon,
        center,
        scale,
        beta_initializer,
        gamma_initializer,
        moving_mean_initializer,
        moving_variance_initializer,
        beta_regularizer,
        gamma_regularizer,
        beta_constraint,
        gamma_constraint,
        renorm,
        renorm_clipping,
        renorm_momentum,
        fused,
        trainable,
        virtual_batch_size,
        adjustment,
        name,
        _reuse=reuse,
        _scope=name,
    )
    return layer(inputs, training=training)

"""Dense, Dropout and Flatten, as layers and as functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.layers.default_initializers import ZEROS
from featherflow.layers.input_spec import InputSpec
from featherflow.layers.layer import Layer, last_size
from featherflow.layers.training_mode import smart_cond
from featherflow.ops.bias_ops import bias_add
from featherflow.ops.constant_ops import constant
from featherflow.ops.dropout_ops import dropout_v2
from featherflow.ops.identity_ops import identity
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.reshape_ops import expand_dims, reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.tensordot_ops import tensordot
from featherflow.ops.transpose_ops import transpose

Activation = Callable[[Tensor], Tensor]


@export_v1("layers.Dense")
class Dense(Layer):
    """activation(inputs · kernel + bias), along the last dimension.

    Args:
      units: the number of outputs.
      activation: a function of the result; None leaves it linear.
      use_bias: whether there is a bias.
      kernel_initializer, bias_initializer: of the variables `kernel` `[inputs, units]` and `bias`
        `[units]`; None takes the scope's.
      kernel_regularizer, bias_regularizer: make losses of the variables.
      activity_regularizer: makes a loss of the output.
      kernel_constraint, bias_constraint: applied to the variables after each update.
      trainable, name: see `Layer`.
    """

    def __init__(
        self,
        units: int,
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
        self.units = int(units)
        if self.units < 0:
            raise ValueError(
                f"Received an invalid value for `units`, expected a positive integer. Received: "
                f"units={units}"
            )
        self.activation = activation
        self.use_bias = use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.input_spec = InputSpec(min_ndim=2)
        self.kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` and `bias`.

        Raises:
          TypeError: the inputs are not floating.
          ValueError: the last dimension is not known.
        """
        dtype = self._cast_dtype()
        if not (dtype.is_floating or dtype.is_complex):
            raise TypeError(
                "A Dense layer can only be built with a floating-point dtype. Received: "
                f"dtype={dtype.name}"
            )
        size = last_size(input_shape, "a Dense layer")
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
        self.kernel = self.add_weight(
            "kernel",
            shape=[size, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=[self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Tensor:
        """`[…, inputs]` → `[…, units]`."""
        rank = inputs.shape.rank
        if rank in (2, None):
            outputs = matmul(inputs, self.kernel)
        else:
            outputs = tensordot(inputs, self.kernel, [[rank - 1], [0]])
        if self.use_bias:
            outputs = bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """`[…, inputs]` → `[…, units]`."""
        last_size(input_shape, "a Dense layer")
        return TensorShape(input_shape)[:-1].concatenate(self.units)


@export_v1("layers.dense")
def dense(
    inputs: Any,
    units: int,
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
    reuse: Any = None,
) -> Tensor:
    """activation(inputs · kernel + bias), with variables of a new `Dense` layer.

    Args:
      inputs: `[…, inputs]`, of a float dtype and at least two dimensions.
      units, activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
        bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint, trainable: see
        `Dense`.
      name: of the variable scope.
      reuse: whether to share the variables of an earlier layer of that name.
    Returns:
      `[…, units]`

    >>> import featherflow as tf
    >>> tf.layers.dense(tf.ones([2, 3]), 4, activation=tf.nn.relu).name
    'dense/Relu:0'
    """
    layer = Dense(
        units,
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
        _scope=name,
        _reuse=reuse,
    )
    return layer(inputs)


@export_v1("layers.Dropout")
class Dropout(Layer):
    """Zeros a share of the inputs at random while training, and scales up the others.

    Args:
      rate: the probability of 0.
      noise_shape: see `tf.nn.dropout`; None in the place of a size takes the input's.
      seed: of the random op.
      name: of the layer.
    """

    def __init__(
        self,
        rate: Any = 0.5,
        noise_shape: Sequence[int | None] | None = None,
        seed: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: Any = False, **kwargs: Any) -> Any:
        """The inputs, with dropout where `training`, a bool or a scalar tensor, says so."""

        def dropped() -> Tensor:
            return dropout_v2(inputs, self.rate, self._noise_shape(inputs), self.seed)

        return smart_cond(training, dropped, lambda: identity(inputs))

    def _noise_shape(self, inputs: Tensor) -> Any:
        if self.noise_shape is None:
            return None
        sizes: Any = shape_of(inputs)
        return convert_to_tensor(
            [sizes[index] if size is None else size for index, size in enumerate(self.noise_shape)]
        )

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """That of the input."""
        return TensorShape(input_shape)


@export_v1("layers.dropout")
def dropout(
    inputs: Any,
    rate: Any = 0.5,
    noise_shape: Sequence[int | None] | None = None,
    seed: int | None = None,
    training: Any = False,
    name: str | None = None,
) -> Any:
    """The inputs, a share of them zeroed where `training`, a bool or a scalar tensor, says so.

    The other arguments are those of `Dropout`.

    >>> import featherflow as tf
    >>> tf.layers.dropout(tf.ones([2]), training=False).op.type
    'Identity'
    """
    return Dropout(rate, noise_shape, seed, name)(inputs, training=training)


@export_v1("layers.Flatten")
class Flatten(Layer):
    """`[batch, …]` → `[batch, product of the other sizes]`.

    Args:
      data_format: "channels_first" moves the channels, axis 1, to the end before.
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = layout_of(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def build(self, input_shape: Any) -> None:
        """Makes nothing; the rank may be unknown."""
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Tensor:
        """`[batch, …]` → `[batch, product of the other sizes]`."""
        rank = inputs.shape.rank
        if self.data_format == "channels_first" and rank is not None and rank > 1:
            inputs = transpose(inputs, [0, *range(2, rank), 1])
        if rank == 1:
            return expand_dims(inputs, 1)
        sizes = None if rank is None else inputs.shape.as_list()
        if sizes is not None and all(size is not None for size in sizes[1:]):
            flat = constant([-1 if sizes[0] is None else sizes[0], math.prod(sizes[1:])])
            return reshape(inputs, flat)
        dynamic: Any = shape_of(inputs)
        result = reshape(inputs, [dynamic[0], -1])
        result.set_shape(self.compute_output_shape(inputs.shape))
        return result

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """`[batch, …]` → `[batch, product of the other sizes]`."""
        shape = TensorShape(input_shape)
        if shape.rank is None:
            return TensorShape([None, None])
        first, *rest = shape.as_list()
        known = all(size is not None for size in rest)
        return TensorShape([first, math.prod(rest) if known else None])


@export_v1("layers.flatten")
def flatten(inputs: Any, name: str | None = None, data_format: str = "channels_last") -> Tensor:
    """`[batch, …]` → `[batch, product of the other sizes]`; see `Flatten`.

    >>> import featherflow as tf
    >>> tf.layers.flatten(tf.zeros([2, 3, 4])).shape.as_list()
    [2, 12]
    """
    return Flatten(name=name, data_format=data_format)(inputs)


def layout_of(data_format: str | None) -> str:
    """ "channels_last" or "channels_first", in small letters.

    Raises:
      ValueError: it is neither.
    """
    layout = (data_format or "channels_last").lower()
    if layout not in ("channels_first", "channels_last"):
        raise ValueError(
            'The `data_format` argument must be one of "channels_first", "channels_last". '
            f"Received: {data_format}"
        )
    return layout

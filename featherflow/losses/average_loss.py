"""tf.nn.compute_average_loss: losses of examples averaged over the whole batch."""

from __future__ import annotations

from typing import Any

from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import multiply
from featherflow.ops.cast_ops import cast
from featherflow.ops.confusion_matrix_ops import remove_squeezable_dimensions
from featherflow.ops.division_ops import divide_no_nan
from featherflow.ops.rank_assertions import assert_scalar
from featherflow.ops.shape_ops import shape
from featherflow.ops.sign_assertions import assert_non_negative
from featherflow.ops.sum_ops import reduce_sum
from featherflow.ops.type_assertions import assert_integer

#: The number of copies of a model that add up their losses: there is one.
_REPLICAS = 1


@export("nn.compute_average_loss")
def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Tensor:
    """Σ w·l / global_batch_size.

    Args:
      per_example_loss: l, [batch_size, …].
      sample_weight: w, a tensor that broadcasts to the losses; None is 1.
      global_batch_size: the number of examples of all copies of the model, a scalar of integers;
        None takes the size of the first dimension.
    Returns:
      A scalar of the dtype of the losses.
    Raises:
      ValueError: `global_batch_size` is no scalar.
      TypeError: it is no integer.
    """
    losses = convert_to_tensor(per_example_loss)
    dtype = losses.dtype
    if sample_weight is not None:
        weights = convert_to_tensor(sample_weight)
        losses, weights = remove_squeezable_dimensions(losses, weights)
        losses = multiply(cast(losses, dtype), cast(weights, dtype))
    if global_batch_size is None:
        sizes: Any = shape(losses)
        global_batch_size = sizes[0] * _REPLICAS
    assert_scalar(global_batch_size)
    assert_integer(global_batch_size)
    assert_non_negative(global_batch_size, message="global_batch_size must be non-negative.")
    total = reduce_sum(losses)
    return divide_no_nan(total, cast(global_batch_size, dtype))


@export("nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """Σ of a loss of variables, divided by the number of copies of the model that add it."""
    return reduce_sum(regularization_loss) / float(_REPLICAS)

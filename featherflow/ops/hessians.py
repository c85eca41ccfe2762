"""tf.hessians: the matrices of second derivatives."""

from __future__ import annotations

from typing import Any

from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.tensor import Tensor
from featherflow.ops.core_array_ops import concat
from featherflow.ops.gradient_aggregation import as_dense
from featherflow.ops.gradients import gradients
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import size
from featherflow.ops.tensor_array import TensorArray
from featherflow.ops.while_loop import while_loop


@export_v1("hessians")
def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
) -> list[Tensor]:
    """`result[k][i…, j…] = ∂²(Σ ys) / ∂xs[k][i…] ∂xs[k][j…]` for each x.

    Args:
      ys: a tensor or a list of tensors, whose elements are summed.
      xs: a tensor or a list of tensors.
      name: accepted for compatibility.
      colocate_gradients_with_ops, gate_gradients, aggregation_method: see `tf.gradients`.
    Returns:
      A list with a tensor for each x; it has the shape of x twice: `[*x.shape, *x.shape]`.
    Raises:
      ValueError: the ys do not depend on an x.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.constant([1.0, 2.0])
    ...     print(session.run(tf.hessians(tf.reduce_sum(x * x * x), x))[0])
    [[ 6.  0.]
     [ 0. 12.]]
    """
    sources = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    options = {
        "colocate_gradients_with_ops": colocate_gradients_with_ops,
        "gate_gradients": gate_gradients,
        "aggregation_method": aggregation_method,
    }
    slopes = gradients(ys, sources, **options)
    result = []
    for index, (slope, x) in enumerate(zip(slopes, sources)):
        if slope is None:
            raise ValueError(f"None values not supported: the ys do not depend on xs[{index}].")
        result.append(_hessian(as_dense(slope), convert_to_tensor(x), x, options))
    return result


@export("hessians")
def hessians_v2(
    ys: Any,
    xs: Any,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    name: str = "hessians",
) -> list[Tensor]:
    """`tf.compat.v1.hessians`, with gradients placed with the nodes that they differentiate."""
    return hessians(ys, xs, name, True, gate_gradients, aggregation_method)


def _hessian(slope: Tensor, x: Tensor, source: Any, options: dict[str, Any]) -> Tensor:
    """The gradients of the elements of a gradient, one after the other in a loop."""
    elements: Any = reshape(slope, [-1])
    count: Any = size(x)
    _, rows = while_loop(
        lambda index, _: index < count,
        lambda index, rows: (
            index + 1,
            rows.write(index, as_dense(gradients(elements[index], source, **options)[0])),
        ),
        [0, TensorArray(x.dtype.base_dtype, count)],
    )
    shape = shape_of(x)
    return reshape(rows.stack(), concat([shape, shape], 0))

"""tf.math.polyval: a polynomial at a point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.fill_ops import zeros_like


@export("math.polyval")
def polyval(coeffs: Sequence[Any], x: Any, name: str | None = None) -> Tensor:
    """c₀·xⁿ + … + cₙ₋₁·x + cₙ by Horner's rule.

    Args:
      coeffs: a list of tensors, that of the highest power first; none gives 0.
      x: a tensor.
      name: of the scope of the nodes.
    Returns:
      A tensor of the shape that `x` and the coefficients broadcast to.
    Raises:
      ValueError: `coeffs` is no list.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.math.polyval([2.0, 0.0, 1.0], 3.0)))
    19.0
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    with name_scope(name, "polyval", [*coeffs, x]) as scope:
        x = convert_to_tensor(x, name="x")
        if not coeffs:
            return zeros_like(x, name=scope)
        terms = [
            convert_to_tensor(coefficient, name=f"coeff_{i}")
            for i, coefficient in enumerate(coeffs)
        ]
        total = terms[0]
        for term in terms[1:]:
            total = term + total * x
        return total

"""x·W + b: the layers that are made of a matrix product and a bias."""

from __future__ import annotations

from typing import Any

from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.activation_ops import Relu
from featherflow.ops.bias_ops import bias_add
from featherflow.ops.matmul_ops import MatMul


@export_v1("nn.xw_plus_b")
def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """x·W + b.

    Args:
      x: [N, I].
      weights: W, [I, O].
      biases: b, [O].
      name: of the node.
    Returns:
      [N, O].
    """
    with op_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
        return bias_add(*_product_and_bias(x, weights, biases), name=scope)


@export_v1("nn.relu_layer")
def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """max(x·W + b, 0); arguments as for `xw_plus_b`."""
    with op_scope(name, "relu_layer", [x, weights, biases]) as scope:
        return Relu(bias_add(*_product_and_bias(x, weights, biases)), name=scope)


def _product_and_bias(x: Any, weights: Any, biases: Any) -> tuple[Tensor, Tensor]:
    x = convert_to_tensor(x, name="x")
    weights = convert_to_tensor(weights, name="weights")
    biases = convert_to_tensor(biases, name="biases")
    return MatMul(x, weights), biases

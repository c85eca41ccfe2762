"""Where, and `tf.where` with one and with three arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.select_ops import Select, SelectV2
from featherflow.ops.type_groups import NUMBERS

# --- Where ----------------------------------------------------------------------------------------

Where = define_op(
    "Where",
    inputs=("input: T",),
    outputs=("index: int64",),
    attrs=(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
        "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, bool} = bool",
    ),
)


@Where.shape_fn
def _where_shape(c: InferenceContext) -> TensorShape:
    return TensorShape._of((None, c.shapes[0].rank))


@Where.kernel("CPU", T=(*NUMBERS, dtypes.bool))
def _where_cpu(input: np.ndarray) -> np.ndarray:
    if input.ndim == 0:
        raise InvalidArgumentError(None, None, "Where takes at least one dimension")
    return np.ascontiguousarray(np.argwhere(input), dtype=np.int64)


Where.without_gradient("places are integers")


@export_v1("where")
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """`x` where `condition` holds, `y` elsewhere; without them, the places where it holds.

    Args:
      condition: a bool tensor (without `x` and `y`, also numbers: they hold where not 0).
      x: of the shape of `condition`; or `condition` is a vector that chooses rows of it.
      y: of the shape and dtype of `x`.
      name: of the node.
    Returns:
      A tensor like `x`; without `x` and `y`, int64 indices [number of places, rank], in row-major
      order.
    Raises:
      ValueError: only one of `x` and `y` is given.
    """
    if x is None and y is None:
        with name_scope(name, "Where", [condition]) as scope:
            condition = convert_to_tensor(condition, preferred_dtype=dtypes.bool, name="condition")
            return Where(condition, name=scope)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return Select(condition, x, y, name=name)


@export("where")
@export_v1("where_v2")
def where_v2(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """`where`, of which `condition`, `x` and `y` broadcast."""
    if x is None and y is None:
        return where(condition, name=name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return SelectV2(condition, x, y, name=name)

"""Functions of TF1 that newer ones stand beside: arg_max, arg_min, floor_div, partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1
from featherflow.graph.tensor import Tensor
from featherflow.ops.arg_extremum_ops import ArgMax, ArgMin
from featherflow.ops.division_ops import FloorDiv
from featherflow.ops.variable_scope import get_variable, variable_scope


@export_v1("arg_max")
def arg_max(
    input: Any, dimension: Any, output_type: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """`tf.argmax` along a dimension that must be given."""
    return ArgMax(input, dimension, output_type=output_type, name=name)


@export_v1("arg_min")
def arg_min(
    input: Any, dimension: Any, output_type: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """`tf.argmin` along a dimension that must be given."""
    return ArgMin(input, dimension, output_type=output_type, name=name)


@export_v1("floor_div")
def floor_div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """⌊x / y⌋, elementwise; `x // y` is the same."""
    return FloorDiv(x, y, name=name)


@export_v1("create_partitioned_variables")
def create_partitioned_variables(
    shape: Sequence[int],
    slicing: Sequence[int],
    initializer: Any,
    dtype: Any = dtypes.float32,
    trainable: bool = True,
    collections: Any = None,
    name: str | None = None,
    reuse: Any = None,
) -> list[Any]:
    """The parts of a variable that is split along one dimension.

    Args:
      shape: of the whole.
      slicing: the number of parts along each dimension; more than 1 along one at most.
      initializer: an initializer, or the initial value of the whole.
      dtype: of its elements.
      trainable: whether optimisers change it.
      collections: names of collections to add it to; None means GLOBAL_VARIABLES.
      name: of the scope of the parts.
      reuse: True takes parts that exist.
    Returns:
      The variables.
    Raises:
      ValueError: the slicing does not fit.
    """
    if len(shape) != len(slicing):
        raise ValueError(
            f"The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: "
            f"{shape}, slicing: {slicing}"
        )
    if len(shape) < 1:
        raise ValueError("A partitioned Variable must have rank at least 1.")
    partitioner = lambda **_: list(slicing)  # noqa: E731
    with variable_scope(name, "PartitionedVariable", reuse=reuse):
        whole = get_variable(
            name=None,  # type: ignore[arg-type]  # the parts are called like the scope
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=trainable,
            partitioner=partitioner,
            collections=collections,
        )
        return list(whole)

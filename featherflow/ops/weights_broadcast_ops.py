"""Weights that broadcast to the values they weigh: a scalar, or of size 1 or equal everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.constant_value import constant_value
from featherflow.graph.graph_api import control_dependencies, name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import multiply
from featherflow.ops.assert_ops import assert_
from featherflow.ops.comparison_ops import equal
from featherflow.ops.cond import cond
from featherflow.ops.core_array_ops import concat
from featherflow.ops.fill_ops import ones_like
from featherflow.ops.grouping_ops import no_op
from featherflow.ops.reshape_ops import expand_dims
from featherflow.ops.set_ops import set_difference
from featherflow.ops.shape_ops import rank, shape, size

_REFUSAL = "weights can not be broadcast to values."


def assert_broadcastable(weights: Any, values: Any) -> Operation:
    """An operation that fails unless `weights` may weigh `values`.

    Args:
      weights: a scalar, or of the rank of `values` with each dimension 1 or as there.
      values: a tensor.
    Returns:
      An Operation.
    Raises:
      ValueError: the shapes are known already not to fit.
      InvalidArgumentError: (in the run) they do not fit.
    """
    with name_scope(None, "assert_broadcastable", (weights, values)) as scope:
        weights, weights_shape, weights_rank = _described("weights", weights)
        values, values_shape, values_rank = _described("values", values)
        static = weights.shape.rank, values.shape.rank
        if None not in static:
            if weights.shape.rank == 0:
                return no_op("static_scalar_check_success")
            _check_ranks(weights, values)
            sizes = constant_value(weights_shape), constant_value(values_shape)
            if sizes[0] is not None and sizes[1] is not None:
                _check_sizes(sizes[0].tolist(), sizes[1].tolist())
                return no_op("static_dims_check_success")
        is_scalar = equal(0, weights_rank, name="is_scalar")
        data = [_REFUSAL, "weights.shape=", weights.name, weights_shape]
        data += ["values.shape=", values.name, values_shape, "is_scalar=", is_scalar]
        is_valid = cond(
            is_scalar,
            lambda: is_scalar,
            lambda: _same_rank_and_sizes(weights_rank, weights_shape, values_rank, values_shape),
            name="is_valid_shape",
        )
        return assert_(is_valid, data, name=scope)


def _described(name: str, value: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The value as a tensor, its shape and its rank, in a scope of its own."""
    with name_scope(None, name, (value,)) as scope:
        tensor = convert_to_tensor(value, name=scope)
        return tensor, shape(tensor, name="shape"), rank(tensor, name="rank")


def _check_ranks(weights: Tensor, values: Tensor) -> None:
    if weights.shape.rank != values.shape.rank:
        raise ValueError(
            f"{_REFUSAL} values.rank={values.shape.rank}. weights.rank={weights.shape.rank}. "
            f"values.shape={values.shape}. weights.shape={weights.shape}."
        )


def _check_sizes(weights: Sequence[int], values: Sequence[int]) -> None:
    for index, (weight_size, value_size) in enumerate(zip(weights, values)):
        if weight_size not in (1, value_size):
            raise ValueError(
                f"{_REFUSAL} Mismatch at dim {index}. values.shape={values}, "
                f"weights.shape={weights}."
            )


def _same_rank_and_sizes(
    weights_rank: Tensor, weights_shape: Tensor, values_rank: Tensor, values_shape: Tensor
) -> Tensor:
    operands = (weights_rank, weights_shape, values_rank, values_shape)
    with name_scope(None, "has_valid_nonscalar_shape", operands) as scope:
        is_same_rank = equal(values_rank, weights_rank, name="is_same_rank")
        return cond(
            is_same_rank,
            lambda: _has_no_other_sizes(weights_shape, values_shape),
            lambda: is_same_rank,
            name=scope,
        )


def _has_no_other_sizes(weights_shape: Tensor, values_shape: Tensor) -> Tensor:
    """Whether each size of the weights is 1 or that of the values."""
    with name_scope(None, "has_invalid_dims", (weights_shape, values_shape)) as scope:
        column = expand_dims(values_shape, -1)
        allowed = concat((column, ones_like(column)), axis=1)
        others = set_difference(expand_dims(weights_shape, -1), allowed)
        return equal(0, size(others.values, name="num_invalid_dims"), name=scope)


def broadcast_weights(weights: Any, values: Any) -> Tensor:
    """`weights` in the shape of `values`.

    Args:
      weights: as `assert_broadcastable` allows.
      values: a tensor.
    Returns:
      A tensor of the dtype of `weights`.
    Raises:
      ValueError: the shapes are known already not to fit.
      InvalidArgumentError: (in the run) they do not fit.
    """
    with name_scope(None, "broadcast_weights", (weights, values)) as scope:
        values = convert_to_tensor(values, name="values")
        weights = convert_to_tensor(weights, name="weights")
        shapes = weights.shape, values.shape
        if all(item.is_fully_defined() for item in shapes) and shapes[0] == shapes[1]:
            return weights
        with control_dependencies((assert_broadcastable(weights, values),)):
            ones = ones_like(values, dtype=weights.dtype.base_dtype)
            return multiply(weights, ones, name=scope)

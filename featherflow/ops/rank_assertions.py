"""Assertions about the rank of a tensor."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.constant_value import constant_value
from featherflow.graph.graph_api import name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.ops.assert_ops import assert_
from featherflow.ops.comparison_assertions import message_prefix
from featherflow.ops.comparison_ops import equal, greater_equal, logical_or
from featherflow.ops.grouping_ops import no_op, with_dependencies
from featherflow.ops.shape_ops import rank as rank_of
from featherflow.ops.shape_ops import shape
from featherflow.ops.type_assertions import assert_type


def _as_tensor(x: Any) -> Any:
    return x if isinstance(x, SparseTensor) else convert_to_tensor(x, name="x")


def _name_of(x: Any) -> str:
    return x.name if isinstance(x, Tensor) else ""


def _known_ranks(ranks: Sequence[Tensor]) -> list[int | None]:
    """The values of ranks, None where they are not known yet.

    Raises:
      TypeError: they are not of int32.
      ValueError: they are known not to be scalars.
    """
    known: list[int | None] = []
    for rank in ranks:
        assert_type(rank, dtypes.int32)
        value = constant_value(rank)
        if value is not None and value.ndim:
            raise ValueError("Rank must be a scalar.")
        known.append(None if value is None else int(value))
    return known


def _scalars_checked(condition: Tensor, ranks: Sequence[Tensor], known: list[int | None]) -> Tensor:
    """The condition, behind checks that the ranks that are not known are scalars."""
    checks = [
        assert_rank(rank, 0, data=["Rank must be a scalar. Received rank: ", rank])
        for rank, value in zip(ranks, known)
        if value is None
    ]
    return with_dependencies(checks, condition) if checks else condition


def _assert_one_rank(
    x: Any,
    rank: Tensor,
    holds: Callable[[int, int], bool],
    compare: Callable[[Any, Any], Tensor],
    told: str,
    data: Sequence[Any],
    summarize: int | None,
) -> Operation:
    known = _known_ranks([rank])
    actual = x.shape.rank
    if known[0] is not None and actual is not None:
        if not holds(actual, known[0]):
            raise ValueError(f"{told} {known[0]}.  Received rank {actual}, shape {x.shape}")
        return no_op("static_checks_determined_all_ok")
    condition = _scalars_checked(compare(rank_of(x), rank), [rank], known)
    return assert_(condition, data, summarize=summarize)


@export_v1("debugging.assert_rank", "assert_rank")
def assert_rank(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless `x` has `rank` dimensions.

    Args:
      x: a tensor or SparseTensor.
      rank: a scalar of int32.
      data: tensors to print on failure; None prints the ranks and the shape.
      summarize: the number of elements to print of each.
      message: what the error says first.
      name: of the scope of the nodes.
    Returns:
      An Operation.
    Raises:
      ValueError: it is known already not to hold.
      InvalidArgumentError: (in the run) it does not hold.

    >>> import featherflow as tf
    >>> tf.assert_rank(tf.zeros([2, 3]), 1)
    Traceback (most recent call last):
    ValueError: ...must have rank 1.  Received rank 2, shape (2, 3)
    """
    with name_scope(name, "assert_rank", (x, rank, *(data or ()))):
        x, rank = _as_tensor(x), convert_to_tensor(rank, name="rank")
        prefix, told = message_prefix(message), f"Tensor {_name_of(x)} must have rank"
        if data is None:
            data = [prefix, told, rank, "Received shape: ", shape(x)]
        return _assert_one_rank(
            x, rank, lambda a, b: a == b, equal, f"{prefix}{told}", data, summarize
        )


@export("debugging.assert_rank", "assert_rank")
def assert_rank_v2(
    x: Any, rank: Any, message: str | None = None, name: str | None = None
) -> Operation:
    """`tf.compat.v1.assert_rank` with TF2's order of arguments."""
    return assert_rank(x, rank, message=message, name=name)


@export_v1("debugging.assert_rank_at_least", "assert_rank_at_least")
def assert_rank_at_least(
    x: Any,
    rank: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Fails unless `x` has `rank` or more dimensions; as `assert_rank` otherwise."""
    with name_scope(name, "assert_rank_at_least", (x, rank, *(data or ()))):
        x, rank = _as_tensor(x), convert_to_tensor(rank, name="rank")
        prefix, told = message_prefix(message), f"Tensor {_name_of(x)} must have rank at least"
        if data is None:
            data = [prefix, told, rank, "Received shape: ", shape(x)]
        return _assert_one_rank(
            x, rank, lambda a, b: a >= b, greater_equal, f"{prefix}{told}", data, summarize
        )


@export("debugging.assert_rank_at_least")
def assert_rank_at_least_v2(
    x: Any, rank: Any, message: str | None = None, name: str | None = None
) -> Operation:
    """`tf.compat.v1.assert_rank_at_least` with TF2's order of arguments."""
    return assert_rank_at_least(x, rank, message=message, name=name)


@export_v1("debugging.assert_rank_in", "assert_rank_in")
def assert_rank_in(
    x: Any,
    ranks: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Fails unless the rank of `x` is one of `ranks`, int32 scalars; as `assert_rank` otherwise."""
    with name_scope(name, "assert_rank_in", (x, *ranks, *(data or ()))):
        x = _as_tensor(x)
        ranks = [convert_to_tensor(rank, name="rank") for rank in ranks]
        prefix, told = message_prefix(message), f"Tensor {_name_of(x)} must have rank in"
        if data is None:
            data = [prefix, told, *ranks, "Received shape: ", shape(x)]
        known = _known_ranks(ranks)
        actual = x.shape.rank
        if actual is not None and None not in known:
            if actual not in known:
                raise ValueError(
                    f"{prefix}{told} {tuple(known)}.  Received rank {actual}, shape {x.shape}"
                )
            return no_op("static_checks_determined_all_ok")
        actual = rank_of(x)
        conditions = [equal(rank, actual) for rank in ranks]
        condition = _scalars_checked(functools.reduce(logical_or, conditions), ranks, known)
        return assert_(condition, data, summarize=summarize)


@export("debugging.assert_rank_in")
def assert_rank_in_v2(
    x: Any, ranks: Any, message: str | None = None, name: str | None = None
) -> Operation:
    """`tf.compat.v1.assert_rank_in` with TF2's order of arguments."""
    return assert_rank_in(x, ranks, message=message, name=name)


@export_v1("debugging.assert_scalar", "assert_scalar")
def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> Tensor:
    """`tensor`, which must be known to be a scalar.

    Args:
      tensor: a tensor.
      name: of the node, where one is made.
      message: what the error says first.
    Returns:
      The tensor.
    Raises:
      ValueError: it is no scalar, or its shape is not known yet.
    """
    with name_scope(name, "assert_scalar", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name=scope)
        if tensor.shape.rank != 0:
            raise ValueError(
                f"{message_prefix(message)}Expected scalar shape for {tensor.name}, saw shape: "
                f"{tensor.shape}."
            )
        return tensor


@export("debugging.assert_scalar")
def assert_scalar_v2(tensor: Any, message: str | None = None, name: str | None = None) -> None:
    """`tf.compat.v1.assert_scalar` with TF2's order of arguments; it returns nothing."""
    assert_scalar(tensor, name=name, message=message)

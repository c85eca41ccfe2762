"""Several batch dimensions at once, for ops that know one: reshape, the op, reshape back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import as_shape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.core_array_ops import concat
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape


def squeeze_batch_dims(
    input: Any, apply: Callable[[Tensor], Tensor], inner_rank: int, name: str | None = None
) -> Tensor:
    """`apply(input)`, with all but the last `inner_rank` dimensions made one.

    Args:
      input: a tensor of known rank.
      apply: the op, for tensors of rank `inner_rank` + 1.
      inner_rank: how many dimensions are the op's own.
      name: of the scope of the nodes.
    Returns:
      The op's output, with the batch dimensions of `input`.
    """
    with op_scope(name, "squeeze_batch_dims", [input]):
        input = convert_to_tensor(input, name="input")
        inner = _static_or_not(input, slice(-inner_rank, None))
        batch = _static_or_not(input, slice(None, -inner_rank))
        flat = [-1, *inner] if isinstance(inner, list) else concat([[-1], inner], axis=-1)
        output = apply(reshape(input, flat))
        output_inner = _static_or_not(output, slice(-inner_rank, None))
        result = reshape(output, concat([batch, output_inner], axis=-1))
        result.set_shape(input.shape[:-inner_rank].concatenate(output.shape[-inner_rank:]))
        return result


def _static_or_not(tensor: Tensor, part: slice) -> Any:
    """A part of the shape: a list where it is known, else a tensor."""
    static = tensor.shape[part]
    if static.is_fully_defined():
        return static.as_list()
    dynamic: Any = shape(tensor)
    return dynamic[part]


def known_rank(value: Any) -> int | None:
    """The rank of what will be a tensor, where it is known: of arrays, tensors, lists of them."""
    if isinstance(value, (list, tuple)):
        inner = known_rank(value[0]) if value else 0
        return None if inner is None else inner + 1
    return as_shape(getattr(value, "shape", ())).rank

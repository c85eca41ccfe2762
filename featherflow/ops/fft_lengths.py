"""Lengths of Fourier transforms: what they are by default, and padding of inputs up to them."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.constant_value import constant_value, constant_value_as_shape
from featherflow.graph.tensor import Tensor
from featherflow.kernels.fourier import half_size
from featherflow.ops.constant_ops import constant
from featherflow.ops.core_array_ops import Pad, concat
from featherflow.ops.extremum_ops import maximum
from featherflow.ops.fill_ops import zeros, zeros_like
from featherflow.ops.pack_ops import stack, unstack
from featherflow.ops.padding_ops import pad
from featherflow.ops.shape_ops import rank as rank_of
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.strided_slice_ops import get_item


def known_sizes(dims: TensorShape | None) -> Any:
    """All sizes of `dims`, a list, if they are known, else None."""
    return dims.as_list() if dims is not None and dims.is_fully_defined() else None


def innermost(values: Tensor, rank: int) -> TensorShape | None:
    """The static sizes of the last `rank` dimensions; None if their number is unknown.

    Raises:
      ValueError: there are fewer.
    """
    dims = values.shape
    if dims.ndims is None:
        return None
    if dims.ndims < rank:
        raise ValueError(f"Shape {dims} must have rank at least {rank}")
    return dims[dims.ndims - rank :]


def given_lengths(fft_length: Any) -> Tensor:
    """`fft_length` as a tensor: a vector of sizes."""
    lengths = convert_to_tensor(fft_length, dtypes.int32)
    if lengths.shape.ndims == 0:
        raise ValueError(f"fft_length must be a vector of sizes, received the scalar {fft_length}.")
    return lengths


def real_lengths(values: Tensor, rank: int) -> Tensor:
    """The lengths of a transform of real numbers: the sizes of the last dimensions."""
    sizes = known_sizes(innermost(values, rank))
    if sizes is not None:
        return constant(sizes, dtypes.int32)
    dynamic: Any = shape_of(values)
    return get_item(dynamic, slice(-rank, None))


def inverse_real_lengths(values: Tensor, rank: int) -> Tensor:
    """The lengths of the real numbers behind a transform: the last one is 2 · (size − 1)."""
    sizes = known_sizes(innermost(values, rank))
    if sizes is not None:
        return constant([*sizes[:-1], max(0, 2 * (sizes[-1] - 1))], dtypes.int32)
    dynamic: Any = shape_of(values)
    outer: Any
    *outer, last = unstack(get_item(dynamic, slice(-rank, None)), num=rank)
    return stack([*outer, maximum(0, 2 * (last - 1))])


def static_length(lengths: Tensor) -> Any:
    """The value of `lengths` where it is known, else the tensor."""
    value = constant_value(lengths)
    return lengths if value is None else value


def padded(values: Tensor, rank: int, lengths: Tensor, is_spectrum: bool) -> Tensor:
    """`values` with zeros after the last `rank` dimensions, up to what a transform needs.

    Args:
      lengths: of the transform; `is_spectrum` says that `values` are the halves that tell it.
    """
    wanted = constant_value_as_shape(lengths)
    sizes = innermost(values, rank)
    if values.shape.ndims is not None and 0 in values.shape.as_list():
        return values  # nothing to transform, however long
    if sizes is not None and sizes.is_fully_defined() and wanted.is_fully_defined():
        return _padded_to_known(values, known_sizes(sizes), known_sizes(wanted), is_spectrum)
    batch_rank: Any = rank_of(values)
    dynamic: Any = shape_of(values)
    present = get_item(dynamic, slice(-rank, None))
    nothing = zeros([maximum(0, batch_rank - rank)], dtypes.int32)
    needed: Any = lengths
    if is_spectrum:
        outer = get_item(lengths, slice(None, -1))
        last: Any = get_item(lengths, slice(-1, None))
        needed = concat([outer, last // 2 + 1], 0)
    missing = maximum(0, needed - present)
    after = concat([nothing, missing], 0)
    return Pad(values, stack([zeros_like(after), after], axis=1), name="Pad")


def _padded_to_known(values: Tensor, sizes: Any, lengths: Any, is_spectrum: bool) -> Tensor:
    if is_spectrum:
        lengths = [*lengths[:-1], half_size(lengths[-1])]
    missing = [max(0, length - size) for length, size in zip(lengths, sizes, strict=True)]
    if not any(missing):
        return values
    outer = (values.shape.ndims or 0) - len(missing)
    return pad(values, [[0, 0]] * outer + [[0, count] for count in missing])

"""StringSplit and StringSplitV2: the parts of strings as the rows of sparse tensors."""

from __future__ import annotations

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.kernels import string_splits

_SPARSE_SHAPES = (TensorShape((None, 2)), TensorShape((None,)), TensorShape((2,)))


def _split_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(0, 1)
    c.with_rank(1, 0)
    return list(_SPARSE_SHAPES)


def _check_ranks(strings: np.ndarray, separator: np.ndarray) -> None:
    if strings.ndim != 1 or separator.ndim:
        raise InvalidArgumentError(
            None,
            None,
            "input must be a vector, and what splits it a scalar",
            received=f"shapes {list(strings.shape)} and {list(separator.shape)}",
        )


# --- StringSplit ----------------------------------------------------------------------------------

StringSplit = define_op(
    "StringSplit",
    inputs=("input: string", "delimiter: string"),
    outputs=("indices: int64", "values: string", "shape: int64"),
    attrs=("skip_empty: bool = true",),
)
StringSplit.shape_fn(_split_shape)


@StringSplit.kernel("CPU")
def _string_split_cpu(
    input: np.ndarray, delimiter: np.ndarray, *, skip_empty: bool
) -> tuple[np.ndarray, ...]:
    _check_ranks(input, delimiter)
    split = string_splits.splitter_at_bytes(delimiter.item(), skip_empty)
    return string_splits.split_rows(input, split)


StringSplit.not_differentiable("strings are not numbers")


# --- StringSplitV2 --------------------------------------------------------------------------------

StringSplitV2 = define_op(
    "StringSplitV2",
    inputs=("input: string", "sep: string"),
    outputs=("indices: int64", "values: string", "shape: int64"),
    attrs=("maxsplit: int = -1",),
)
StringSplitV2.shape_fn(_split_shape)


@StringSplitV2.kernel("CPU")
def _string_split_v2_cpu(
    input: np.ndarray, sep: np.ndarray, *, maxsplit: int
) -> tuple[np.ndarray, ...]:
    _check_ranks(input, sep)
    split = string_splits.splitter_at_text(sep.item(), maxsplit)
    return string_splits.split_rows(input, split)


StringSplitV2.without_gradient("strings are not numbers")

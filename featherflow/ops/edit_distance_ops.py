"""EditDistance: Levenshtein distances between the rows of two sparse tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InternalError, InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from featherflow.graph.tensor import Tensor
from featherflow.kernels.allocation import check_allocation
from featherflow.kernels.edit_distances import error_rate
from featherflow.kernels.index_groups import check_parts, groups_of, merged
from featherflow.ops.sparse_shapes import parts_shapes

EditDistance = define_op(
    "EditDistance",
    inputs=(
        "hypothesis_indices: int64",
        "hypothesis_values: T",
        "hypothesis_shape: int64",
        "truth_indices: int64",
        "truth_values: T",
        "truth_shape: int64",
    ),
    outputs=("output: float",),
    attrs=("normalize: bool = true", "T: type"),
)


@EditDistance.shape_fn
def _edit_distance_shape(c: InferenceContext) -> TensorShape:
    parts_shapes(c, 0)
    parts_shapes(c, 3)
    hypothesis, truth = c.constant(2), c.constant(5)
    if hypothesis is None or truth is None:
        return UNKNOWN
    if len(hypothesis) != len(truth):
        c.fail(
            "Num elements of hypothesis_shape does not match truth_shape: "
            f"{len(hypothesis)} vs. {len(truth)}"
        )
    if len(hypothesis) < 2:
        c.fail(
            "Input Hypothesis SparseTensors must have rank at least 2, but hypothesis_shape rank "
            f"is: {len(hypothesis)}"
        )
    return TensorShape(np.maximum(hypothesis, truth)[:-1].tolist())


@EditDistance.kernel(
    "CPU",
    T=(
        *(dtypes.string, dtypes.bool, dtypes.complex64, dtypes.complex128),
        *(dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64),
        *(dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64),
        *(dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64),
    ),
)
def _edit_distance_cpu(
    hypothesis_indices: np.ndarray,
    hypothesis_values: np.ndarray,
    hypothesis_shape: np.ndarray,
    truth_indices: np.ndarray,
    truth_values: np.ndarray,
    truth_shape: np.ndarray,
    *,
    normalize: bool,
) -> np.ndarray:
    check_parts(hypothesis_indices, hypothesis_values, hypothesis_shape)
    check_parts(truth_indices, truth_values, truth_shape)
    result = _rows_of(hypothesis_shape, truth_shape)
    pairs = merged(
        groups_of(hypothesis_indices, hypothesis_values), groups_of(truth_indices, truth_values)
    )
    nothing = hypothesis_values[:0]
    for row, guess, truth in pairs:
        if not all(0 <= index < size for index, size in zip(row, result.shape)):
            raise InternalError(
                None,
                None,
                "An index is outside of the output",
                received=list(row),
                expected=f"less than {list(result.shape)}",
            )
        result[row] = error_rate(
            nothing if guess is None else guess, nothing if truth is None else truth, normalize
        )
    return result


def _rows_of(hypothesis_shape: np.ndarray, truth_shape: np.ndarray) -> np.ndarray:
    """An output of zeros, for the rows that have nothing in either tensor."""
    if len(hypothesis_shape) != len(truth_shape):
        raise InvalidArgumentError(
            None,
            None,
            "The ranks of hypothesis and truth differ",
            received=f"shapes {hypothesis_shape.tolist()} and {truth_shape.tolist()}",
        )
    shape = np.maximum(hypothesis_shape, truth_shape)[:-1].tolist()
    if not math.prod(shape):
        raise InvalidArgumentError(None, None, f"Got output shape {shape} which has 0 elements")
    check_allocation(shape, np.dtype(np.float32))
    return np.zeros(shape, np.float32)


EditDistance.not_differentiable("distances are whole numbers")


@export("edit_distance")
def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance"
) -> Tensor:
    """The least number of insertions, deletions and substitutions that make each row the other.

    Args:
      hypothesis: a SparseTensor, [..., items].
      truth: a SparseTensor of the same rank and type.
      normalize: divides by the number of items of `truth`; infinite where it has none.
      name: of the node.
    Returns:
      float32, [...].
    Raises:
      TypeError: an argument is no SparseTensor.

    See: Wagner & Fischer 1974.

    >>> import featherflow as tf
    >>> words = [tf.string_split([text], "") for text in ("kitten", "sitting")]
    >>> with tf.Session() as sess:
    ...     sess.run(tf.edit_distance(*words, normalize=False)).tolist()
    [3.0]
    """
    sparse = []
    for role, value in (("Hypothesis", hypothesis), ("Truth", truth)):
        if isinstance(value, SparseTensorValue):
            value = SparseTensor.from_value(value)
        if not isinstance(value, SparseTensor):
            raise TypeError(f"{role} must be a SparseTensor.")
        sparse.append(value)
    parts = [part for item in sparse for part in (item.indices, item.values, item.dense_shape)]
    return EditDistance(*parts, normalize=normalize, name=name)

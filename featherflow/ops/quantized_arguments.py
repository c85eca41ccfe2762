"""What ops on quantised tensors share: the scalars of their ranges, and the kernels' arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import SCALAR, TensorShape

#: The quantised types, as contracts list them.
QUANTIZED = "{qint8, quint8, qint32, qint16, quint16}"
NO_GRADIENT = "TensorFlow gives it no gradient"
QINT8, QUINT8, QINT32 = dtypes.qint8, dtypes.quint8, dtypes.qint32


def check_scalar_inputs(c: InferenceContext, first: int) -> None:
    """Refuses inputs from `first` on that are no scalars."""
    for index in range(first, len(c.shapes)):
        c.with_rank(index, 0)


def with_scalar_range(output: TensorShape) -> list[TensorShape]:
    """The shapes of a quantised output and of its range."""
    return [output, SCALAR, SCALAR]


def scalars(names: str, *values: np.ndarray) -> list[np.ndarray]:
    """Ranges as arrays of rank 0.

    Args:
      names: of the inputs, in one string.

    Raises:
      InvalidArgumentError: one has several elements, or none.
    """
    for name, value in zip(names.split(), values):
        if value.ndim:
            raise InvalidArgumentError(
                None, None, f"{name} must be a scalar", received=f"shape {list(value.shape)}"
            )
    return list(values)


def bounds_of(names: str, *values: np.ndarray) -> Any:
    """The scalars as a tuple, checked as `scalars` does."""
    return tuple(scalars(names, *values))


def range_of(low: float, high: float) -> Any:
    """A range as the two outputs that state it."""
    return np.array(low, np.float32), np.array(high, np.float32)

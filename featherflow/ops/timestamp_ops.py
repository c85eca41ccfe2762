"""Timestamp: the time of day, in the run."""

from __future__ import annotations

import time

import numpy as np

from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import scalar_shape
from featherflow.graph.tensor import Tensor

Timestamp = define_op("Timestamp", outputs=("ts: double",), is_stateful=True)
Timestamp.shape_fn(scalar_shape)


@Timestamp.kernel("CPU")
def _timestamp_cpu() -> np.ndarray:
    return np.array(time.time())


Timestamp.not_differentiable("it has no inputs")


@export("timestamp")
def timestamp(name: str | None = None) -> Tensor:
    """The seconds since the beginning of 1970, UTC, when the op runs; a scalar of float64."""
    return Timestamp(name=name)

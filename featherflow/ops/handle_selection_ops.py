"""Handles of resources as elements of tensors: one of several is chosen by an index."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.dtypes import resource
from featherflow.framework.errors import InvalidArgumentError
from featherflow.ops.gather_ops import GatherV2
from featherflow.ops.pack_ops import Pack


@Pack.kernel("CPU", priority=1, T=(resource,))
def _pack_handles_cpu(*values: Any) -> np.ndarray:
    """Scalar handles are the resources themselves, a vector of them is an array of objects."""
    packed = np.empty(len(values), object)
    packed[:] = values
    return packed


@GatherV2.kernel("CPU", priority=1, Tparams=(resource,))
def _gather_handle_cpu(params: np.ndarray, indices: np.ndarray, axis: np.ndarray) -> Any:
    if indices.ndim or not 0 <= indices < len(params):
        raise InvalidArgumentError(
            None,
            None,
            "One handle can be gathered at a time",
            received=f"indices = {indices.tolist()}",
            expected=f"a scalar in [0, {len(params)})",
        )
    return params[int(indices)]

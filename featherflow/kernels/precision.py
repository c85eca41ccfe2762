"""Which dtype arithmetic is done in, where that is not the dtype of the operands."""

from __future__ import annotations

import numpy as np


def compute_dtype(dtype: np.dtype) -> np.dtype:
    """Returns float32 for floats narrower than that (float16, bfloat16, float8 …), else `dtype`.

    NumPy has no fast loops for narrow floats, and sums of them lose digits at every step.

    >>> compute_dtype(np.dtype(np.float16)), compute_dtype(np.dtype(np.int8))
    (dtype('float32'), dtype('int8'))
    """
    is_narrow_float = dtype.itemsize < 4 and dtype.kind not in "iub"
    return np.dtype(np.float32) if is_narrow_float else dtype

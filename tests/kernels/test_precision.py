"""The dtype that arithmetic is done in."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from featherflow.kernels.precision import compute_dtype


@pytest.mark.parametrize(
    "dtype", [np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn]
)
def test_narrow_floats_widen(dtype: type) -> None:
    assert compute_dtype(np.dtype(dtype)) == np.float32


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.int8, np.uint16, bool])
def test_others_stay(dtype: type) -> None:
    assert compute_dtype(np.dtype(dtype)) == dtype

"""Deterministic input arrays for the cases: small, and the same on every machine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .storage import numpy_dtype

FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128")
REAL = (*FLOATS, *INTEGERS)
ALL_DTYPES = (*REAL, "bool", "string", *COMPLEX)


def normal(*shape: int, dtype: str = "float32", seed: int = 0) -> np.ndarray:
    """Standard normal values rounded to three decimals; complex dtypes get both parts."""
    random = np.random.RandomState(1000 + seed)
    values = np.round(random.standard_normal(shape), 3)
    if dtype.startswith("complex"):
        values = values + 1j * np.round(random.standard_normal(shape), 3)
    return np.asarray(values).astype(numpy_dtype(dtype))


def uniform(
    low: float, high: float, shape: Sequence[int], dtype: str = "float32", seed: int = 0
) -> np.ndarray:
    """Values spread uniformly over [low, high), rounded to three decimals."""
    random = np.random.RandomState(2000 + seed)
    return np.asarray(np.round(random.uniform(low, high, shape), 3)).astype(numpy_dtype(dtype))


def integers(
    low: int, high: int, shape: Sequence[int], dtype: str = "int32", seed: int = 0
) -> np.ndarray:
    """Integers of [low, high)."""
    random = np.random.RandomState(3000 + seed)
    return np.asarray(random.randint(low, high, shape, dtype=np.int64)).astype(numpy_dtype(dtype))


def booleans(*shape: int, seed: int = 0) -> np.ndarray:
    """Fair coin flips."""
    return np.random.RandomState(4000 + seed).randint(0, 2, shape).astype(bool)


def sample(dtype: str, *shape: int, seed: int = 0) -> np.ndarray:
    """Values that suit any dtype: normal floats, integers around zero (or from zero), flips."""
    if dtype == "bool":
        return booleans(*shape, seed=seed)
    if dtype == "string":
        words = integers(97, 123, (*shape, 3), seed=seed).reshape(-1, 3)
        flat = np.empty(len(words), object)
        flat[:] = [bytes(letters.tolist()) for letters in words]
        return flat.reshape(shape)
    if "int" in dtype:
        return integers(0 if dtype.startswith("u") else -9, 10, shape, dtype, seed)
    return normal(*shape, dtype=dtype, seed=seed)

"""Logarithm, sine and cosine: the bits of the C library, recorded."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest

from featherflow.kernels import float32_libm

from .test_random_values import RECORD

UNIFORMS = np.arange(97, 1 << 23, 97) * 2.0**-23
ANGLES = (2 * np.pi * UNIFORMS).astype(np.float32)


@pytest.fixture(scope="module")
def recorded() -> dict[str, str]:
    record = json.loads(RECORD.read_text())
    (hashes,) = (row for name, row in record.items() if name.startswith("libm"))
    return hashes


def digest(values: np.ndarray) -> str:
    return hashlib.sha256(values.tobytes()).hexdigest()


def test_logarithm_has_the_bits_of_libm(recorded: dict[str, str]) -> None:
    assert digest(float32_libm.log(UNIFORMS.astype(np.float32))) == recorded["logf"]


def test_sine_and_cosine_have_the_bits_of_libm(recorded: dict[str, str]) -> None:
    sine, cosine = float32_libm.sine_and_cosine(ANGLES)
    assert digest(sine) == recorded["sinf"]
    assert digest(cosine) == recorded["cosf"]


def test_within_one_unit_in_the_last_place_of_float64() -> None:
    uniforms = UNIFORMS.astype(np.float32)
    sine, cosine = float32_libm.sine_and_cosine(ANGLES)
    for found, exact in [
        (float32_libm.log(uniforms), np.log(uniforms.astype(np.float64))),
        (sine, np.sin(ANGLES.astype(np.float64))),
        (cosine, np.cos(ANGLES.astype(np.float64))),
    ]:
        assert (np.abs(found - exact) <= np.spacing(np.abs(found))).all()


def test_exact_points() -> None:
    assert float32_libm.log(np.ones(1, np.float32)) == 0
    sine, cosine = float32_libm.sine_and_cosine(np.zeros(1, np.float32))
    assert (sine, cosine) == (0, 1)


def test_logarithm_of_other_magnitudes() -> None:
    values = np.float32(2.0) ** np.arange(-126, 128, dtype=np.float32)
    exact = np.log(values.astype(np.float64))
    np.testing.assert_allclose(float32_libm.log(values), exact, rtol=1.2e-7)

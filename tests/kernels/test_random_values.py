"""Distributions: the bits of TensorFlow over several runs, and their moments."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import differential
import ml_dtypes
import numpy as np
import pytest

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels import random_values
from featherflow.kernels.philox import PhiloxGenerator, PhiloxStream

RECORD = Path(differential.__file__).parent / "random_kernels.json"
DTYPES = {
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
}
FUNCTIONS = {
    "uniform": random_values.random_uniform,
    "normal": random_values.random_normal,
    "truncated": random_values.truncated_normal,
}
STREAM = PhiloxStream(key=1, counter=2)


@cache
def recorded() -> dict[str, Any]:
    return json.loads(RECORD.read_text())


def assert_rows(rows: list[dict[str, Any]], draw: Callable[[PhiloxGenerator, int], np.ndarray]):
    """Repeats recorded runs: each row's generator draws again and again."""
    assert rows
    for row in rows:
        generator = PhiloxGenerator(*row["seed"])
        for number, expected in enumerate(row["runs"]):
            values = draw(generator, row["size"])
            comparable = values.astype(np.float64) if values.dtype.kind not in "iu" else values
            assert comparable.tolist() == expected, (row["size"], row["seed"], number)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_runs_have_the_bits_of_tensorflow(name: str, dtype: str) -> None:
    def draw(generator: PhiloxGenerator, size: int) -> np.ndarray:
        values = FUNCTIONS[name](generator.reserve_for_outputs(size), size, DTYPES[dtype])
        assert values.dtype == DTYPES[dtype]
        assert values.shape == (size,)
        return values

    assert_rows(recorded()[f"{name} {dtype}"]["short"], draw)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_sample_of_a_million_draws(name: str, dtype: str) -> None:
    """Every 9973rd of a million: elements are found without drawing those before them."""
    row = recorded()[f"{name} {dtype}"]["long"]
    generator = PhiloxGenerator(7, 11)
    generator.reserve_for_outputs(row["size"])
    stream = generator.reserve(0)
    per_counter = 2 if dtype == "float64" else 4
    spacing = per_counter * 64 if name == "truncated" else 1
    for number, expected in enumerate(row["sparse"]):
        group, place = divmod(number * 9973, per_counter)
        values = FUNCTIONS[name](stream.skip(group * spacing), per_counter, DTYPES[dtype])
        assert float(values[place]) == expected


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_million_draws(name: str, dtype: str) -> None:
    row = recorded()[f"{name} {dtype}"]["long"]
    generator = PhiloxGenerator(7, 11)
    generator.reserve_for_outputs(row["size"])
    values = FUNCTIONS[name](generator.reserve(0), row["size"], DTYPES[dtype])
    if dtype in ("float16", "bfloat16"):
        values = values.astype(np.float32)
    assert hashlib.sha256(values.tobytes()).hexdigest() == row["sha256"]


@pytest.mark.parametrize("number", (0, 1))
@pytest.mark.parametrize("dtype", ("int32", "int64"))
def test_integers_have_the_bits_of_tensorflow(dtype: str, number: int) -> None:
    row = recorded()[f"integers {dtype} {number}"]

    def draw(generator: PhiloxGenerator, size: int) -> np.ndarray:
        stream = generator.reserve_for_outputs(size)
        return random_values.random_uniform_int(stream, size, *row["bounds"], np.dtype(dtype))

    assert_rows(row["short"], draw)


@pytest.mark.parametrize("bounds", [(5, 5), (5, 3)])
def test_integers_of_an_empty_range(bounds: tuple[int, int]) -> None:
    with pytest.raises(InvalidArgumentError, match="minval < maxval"):
        random_values.random_uniform_int(STREAM, 3, *bounds, np.dtype(np.int32))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_stretches_change_nothing(monkeypatch: pytest.MonkeyPatch, name: str, dtype: str) -> None:
    whole = FUNCTIONS[name](STREAM, 101, DTYPES[dtype])
    monkeypatch.setattr(random_values, "_STRETCH", 7)
    again = FUNCTIONS[name](STREAM, 101, DTYPES[dtype])
    assert whole.tobytes() == again.tobytes()


@pytest.mark.parametrize(
    ("name", "mean", "variance"),
    [("uniform", 0.5, 1 / 12), ("normal", 0.0, 1.0), ("truncated", 0.0, 0.7737)],
)
@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_moments(name: str, dtype: str, mean: float, variance: float) -> None:
    """Five standard errors of 20,000 draws."""
    values = FUNCTIONS[name](STREAM, 20_000, DTYPES[dtype]).astype(np.float64)
    assert values.mean() == pytest.approx(mean, abs=5 * (variance / 20_000) ** 0.5)
    assert values.var() == pytest.approx(variance, abs=5 * variance * (2 / 20_000) ** 0.5)


def test_bits_cover_the_whole_range() -> None:
    for dtype in (np.int32, np.uint32, np.int64, np.uint64):
        values = random_values.random_bits(STREAM, 4000, np.dtype(dtype))
        assert values.dtype == dtype
        limits = np.iinfo(dtype)
        span = float(limits.max) - float(limits.min)
        assert (values.max() - float(limits.min)) / span > 0.99
        assert (values.min() - float(limits.min)) / span < 0.01

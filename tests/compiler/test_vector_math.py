"""Transcendental functions against long doubles, in units in the last place, on each CPU level."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from compiler.kernel_runner import guarded, guarded_copy, host_levels, run_kernel
from featherflow.compiler.elementwise import Elementwise
from featherflow.compiler.target import Target

LEVELS = pytest.mark.parametrize("target", host_levels(), ids=lambda target: target.name)
Reference = Callable[..., np.ndarray]

_erf = np.vectorize(math.erf, otypes=[np.longdouble])
REFERENCES: dict[str, Reference] = {
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softplus": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
    "erf": lambda x: _erf(x.astype(np.float64)),
    "sin": np.sin,
    "cos": np.cos,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "pow": np.power,
}
SINGLE_ONLY = ("erf", "pow")
CASES = [
    (name, dtype)
    for name in REFERENCES
    for dtype in ("float32", "float64")
    if dtype == "float32" or name not in SINGLE_ONLY
]
EDGES = [0.0, -0.0, math.inf, -math.inf, math.nan, 1, -1, 0.5, -0.5, 2, -2, 3, 1e-30, 1e30]


def arguments(name: str, dtype: str, count: int, rng: np.random.Generator) -> np.ndarray:
    """All exponents evenly, the usual ranges, denormals, and the edges."""
    bits = np.uint32 if dtype == "float32" else np.uint64
    wild = rng.integers(0, np.iinfo(bits).max, count, bits).view(dtype)
    scales = rng.choice([0.01, 0.3, 1, 5, 30, 100, 700], count)
    tame = (rng.standard_normal(count) * scales).astype(dtype)
    tiny = rng.integers(0, 1000, 50).astype(bits).view(dtype)
    x = np.concatenate([wild, tame, tiny, -tiny, np.array(EDGES, dtype)])
    if name in ("sin", "cos") and dtype == "float64":
        x = np.where(np.abs(x) < 2.0**20, x, (rng.random(x.size) * 2.0**20).astype(dtype))
    return x


def power_arguments(bases: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    """Bases with exponents of all kinds, some whole; the edges with each other."""
    exponents = rng.permutation(bases)
    is_whole = (rng.random(bases.size) < 0.3) & (np.abs(exponents) < 1e6)
    exponents[is_whole] = np.rint(exponents[is_whole])
    edges = np.array(EDGES, bases.dtype)
    return [
        np.concatenate([bases, np.repeat(edges, edges.size)]),
        np.concatenate([exponents, np.tile(edges, edges.size)]),
    ]


def distance(found: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """How many numbers of the format lie between the result and the exact one, rounded."""
    dtype = found.dtype
    rounded = exact.astype(dtype)
    bits = np.int32 if dtype == np.float32 else np.int64

    def ordered(x: np.ndarray) -> np.ndarray:
        plain = x.view(bits)
        return np.where(plain < 0, np.iinfo(bits).min - plain, plain)

    far = np.abs(ordered(found).astype(np.longdouble) - ordered(rounded).astype(np.longdouble))
    both_nan = np.isnan(found) & np.isnan(rounded)
    far = np.where(np.isnan(found) != np.isnan(rounded), np.inf, np.where(both_nan, 0, far))
    opposite = (found == 0) & (rounded == 0) & (np.signbit(found) != np.signbit(rounded))
    return np.where(opposite, np.inf, far)


def evaluate(name: str, dtype: str, target: Target, *arrays: np.ndarray) -> np.ndarray:
    spec = Elementwise(
        ((dtype, "c"),) * len(arrays),
        ((dtype, "c"),),
        ((name, *range(len(arrays))),),
        (len(arrays),),
    )
    result = guarded(arrays[0].size, dtype)
    given = {f"in{place}": guarded_copy(array) for place, array in enumerate(arrays)}
    run_kernel(spec, {**given, "out0": result, "n0": result.size}, target)
    return np.asarray(result)


@LEVELS
@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_within_two_units_in_the_last_place(
    name: str, dtype: str, target: Target, pytestconfig: pytest.Config
) -> None:
    rng = np.random.default_rng(len(name))
    count = 1_000_000 if pytestconfig.getoption("--all") else 4_000
    given = [arguments(name, dtype, count, rng)]
    if name == "pow":
        given = power_arguments(given[0], rng)
    found = evaluate(name, dtype, target, *given)
    with np.errstate(all="ignore"):
        exact = REFERENCES[name](*(x.astype(np.longdouble) for x in given))
        far = distance(found, exact)
    worst = int(np.argmax(far))
    assert far[worst] <= 2, f"{[x[worst] for x in given]} → {found[worst]}, not {exact[worst]}"


@LEVELS
@pytest.mark.parametrize("name", ["sin", "cos"])
def test_double_angles_stay_angles(name: str, target: Target) -> None:
    """Beyond 2⁵⁰ digits are lost, but no result leaves [−1, 1]; ∞ has none."""
    x = np.array([1e18, -1e100, 1e300, np.inf, -np.inf, np.nan])
    found = evaluate(name, "float64", target, x)
    assert (np.abs(found[:3]) <= 1).all()
    assert np.isnan(found[3:]).all()

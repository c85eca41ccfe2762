"""Records random streams: ``python tests/differential/record_random.py``.

Needs TensorFlow in the interpreter that runs it. Each op runs several times in one session on one
thread, so that the file pins what a run draws and where in its stream the next run starts. Short
runs are stored whole; of a million draws the file has the hash of all and every 9973rd. The C
library's functions that normals depend on are recorded too.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

RECORD = Path(__file__).parent / "random_kernels.json"
RUNS = 3
LONG = 1_000_000
SPARSE = 9973
SEEDS = [(7, 11), (0, 5), (-3, 2**40 + 1)]
FLOATS = ("float16", "bfloat16", "float32", "float64")
raw = tf.raw_ops


def runs(build: Callable[[], Any], number: int = RUNS) -> list[np.ndarray]:
    """What an op returns in each of several runs."""
    config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1)
    with tf.Graph().as_default() as graph:
        output = build()
        if output.dtype in (tf.float16, tf.bfloat16):
            output = tf.cast(output, tf.float32)
        with tf.compat.v1.Session(graph=graph, config=config) as session:
            return [session.run(output) for _ in range(number)]


def short(op: Callable, sizes: list[int], **attrs: Any) -> list[dict[str, Any]]:
    """Rows of a few draws, for several sizes and seeds."""
    rows = []
    for size in sizes:
        for seed, seed2 in SEEDS if size == sizes[-1] else SEEDS[:1]:
            values = runs(lambda s=seed, t=seed2, n=size: op(n, seed=s, seed2=t, **attrs))
            rows.append({"size": size, "seed": [seed, seed2], "runs": [v.tolist() for v in values]})
    return rows


def long(op: Callable, **attrs: Any) -> dict[str, Any]:
    """The second of two long runs."""
    _, values = runs(lambda: op(LONG, seed=7, seed2=11, **attrs), 2)
    digest = hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()
    return {"size": LONG, "sha256": digest, "sparse": values[::SPARSE].tolist()}


def uniform(size: int, **attrs: Any) -> tf.Tensor:
    return raw.RandomUniform(shape=[size], **attrs)


def normal(size: int, **attrs: Any) -> tf.Tensor:
    return raw.RandomStandardNormal(shape=[size], **attrs)


def truncated(size: int, **attrs: Any) -> tf.Tensor:
    return raw.TruncatedNormal(shape=[size], **attrs)


def integers(size: int, *, dtype: str, bounds: tuple[int, int], **attrs: Any) -> tf.Tensor:
    low, high = (tf.constant(bound, dtype) for bound in bounds)
    return raw.RandomUniformInt(shape=[size], minval=low, maxval=high, **attrs)


def shuffle(size: int, **attrs: Any) -> tf.Tensor:
    return raw.RandomShuffle(value=tf.range(size), **attrs)


def multinomial(size: int, *, logits: list[list[float]], dtype: str, **attrs: Any) -> tf.Tensor:
    return raw.Multinomial(logits=tf.constant(logits, dtype), num_samples=size, **attrs)


def gamma(size: int, *, alpha: list[float], dtype: str, **attrs: Any) -> tf.Tensor:
    return raw.RandomGamma(shape=[size], alpha=tf.constant(alpha, dtype), **attrs)


def poisson(size: int, *, rate: list[float], dtype: str, **attrs: Any) -> tf.Tensor:
    rates = tf.constant(rate, tf.float64)
    return raw.RandomPoissonV2(shape=[size], rate=rates, dtype=dtype, **attrs)


def rejections() -> dict[str, Any]:
    """Gamma and Poisson variates."""
    record: dict[str, Any] = {}
    alpha = [0.25, 1.0, 1.5, 20.0, 0.0]
    for dtype in ("float16", "float32", "float64"):
        rows = short(gamma, [0, 1, 12], alpha=alpha, dtype=dtype)
        record[f"gamma {dtype}"] = {"alpha": alpha, "short": rows}
    rate = [0.0, 0.5, 9.5, 10.0, 100.0, -1.0]
    for dtype in ("int32", "int64", "float16", "float32", "float64"):
        rows = short(poisson, [0, 1, 12], rate=rate, dtype=dtype)
        record[f"poisson {dtype}"] = {"rate": rate, "short": rows}
    return record


#: Mean, deviation, lower and upper bound, such that each method of rejection is met.
BOUNDS = {
    "normal": (0.0, 1.0, -0.5, 2.0),
    "uniform": (0.0, 2.0, -0.5, 1.0),
    "exponential": (1.0, 2.0, 9.0, np.inf),
    "turned_around": (3.0, 1.0, -np.inf, 0.0),
    "reach": (0.0, 1.0, -1.0, 1.31),
    "no_reach": (0.0, 1.0, -1.0, 1.3),
    "per_batch": ([0.0, 1.0, 2.0], [1.0, 2.0, 0.25], [0.0, 0.0, 2.5], 5.0),
    "one_each": ([0.0], [1.0], [0.0], [5.0]),
}


def between_bounds() -> dict[str, Any]:
    """Normal variates between bounds, for batches of 4 elements and for scalars."""
    record: dict[str, Any] = {}
    for dtype in ("float16", "float32", "float64"):
        for name, bounds in BOUNDS.items():
            names = ("means", "stdevs", "minvals", "maxvals")
            named = dict(zip(names, (np.array(bound, dtype) for bound in bounds)))
            values = runs(
                lambda n=named: raw.ParameterizedTruncatedNormal(
                    shape=[3, 4], seed=7, seed2=11, **n
                )
            )
            row = {"bounds": [np.asarray(b).astype(str).tolist() for b in bounds]}
            record[f"bounds {name} {dtype}"] = row | {"runs": [v.tolist() for v in values]}
    return record


def distributions() -> dict[str, Any]:
    """Everything recorded, by op and dtype."""
    record: dict[str, Any] = {}
    for name, op in {"uniform": uniform, "normal": normal, "truncated": truncated}.items():
        for dtype in FLOATS:
            record[f"{name} {dtype}"] = {
                "short": short(op, [0, 1, 2, 3, 5, 18], dtype=dtype),
                "long": long(op, dtype=dtype),
            }
    for dtype, bounds in {
        "int32": [(-3, 10), (-(2**31), 2**31 - 1)],
        "int64": [(-3, 10**12), (-(2**63), 2**63 - 1)],
    }.items():
        for number, pair in enumerate(bounds):
            rows = short(integers, [1, 3, 9], dtype=dtype, bounds=pair)
            record[f"integers {dtype} {number}"] = {"bounds": pair, "short": rows}
    record["shuffle"] = {"short": short(shuffle, [0, 1, 2, 4, 5, 6, 10, 100])}
    logits = np.round(np.random.RandomState(0).standard_normal((3, 6)) * 2, 3)
    logits[1, 2], logits[2, 0] = -np.inf, np.nan
    for dtype in FLOATS:
        rows = short(multinomial, [0, 1, 3, 8], logits=logits.tolist(), dtype=dtype)
        record[f"multinomial {dtype}"] = {
            "logits": [list(map(str, r)) for r in logits],
            "short": rows,
        }
    stateless = [(1, 2), (-5, 7), (2**40, 3)]
    for seeds in stateless:
        op = raw.StatelessRandomUniform(shape=[6], seed=tf.constant(seeds, tf.int64))
        with tf.compat.v1.Session() as session:
            record[f"stateless {seeds[0]} {seeds[1]}"] = session.run(op).tolist()
    return record


def libm() -> dict[str, str]:
    """Hashes of what the C library's float32 functions return at each 97th uniform."""
    library = ctypes.CDLL("libm.so.6")
    uniforms = np.arange(97, 1 << 23, 97) * 2.0**-23
    arguments = {"logf": uniforms, "sinf": 2 * np.pi * uniforms, "cosf": 2 * np.pi * uniforms}
    hashes = {}
    for name, values in arguments.items():
        function = getattr(library, name)
        function.restype, function.argtypes = ctypes.c_float, [ctypes.c_float]
        results = np.fromiter(map(function, values.astype(np.float32).tolist()), np.float32)
        hashes[name] = hashlib.sha256(results.tobytes()).hexdigest()
    return hashes


def main() -> None:
    tf.compat.v1.disable_v2_behavior()
    lines = [f'"tensorflow": {json.dumps(tf.__version__)}']
    lines.append(f'"libm {os.confstr("CS_GNU_LIBC_VERSION")}": {json.dumps(libm())}')
    for name, row in (distributions() | rejections() | between_bounds()).items():
        lines.append(f"{json.dumps(name)}: {json.dumps(row, separators=(',', ':'))}")
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="ascii")
    print(f"{RECORD.stat().st_size} bytes")


if __name__ == "__main__":
    main()

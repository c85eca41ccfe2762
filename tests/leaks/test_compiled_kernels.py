"""What compiled kernels take is given back: mapped images, arenas, packed weights.

The programs run in processes of their own: `test_compiled_kernels.py NAME COUNT FOLDER`.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import featherflow as tf
from featherflow.compiler.compile_service import CompileService
from featherflow.compiler.elementwise import Elementwise
from featherflow.compiler.image_cache import ImageCache
from featherflow.compiler.target import host_target

#: Growth allowed after the warm-up: the noise of the allocator.
ALLOWED_MB = 3.0
ALLOWED_MAPS = 4
KERNELS, ALL_KERNELS = 100, 5_000
CYCLES = 30
LIMIT = 1800.0

State = tuple[float, int, int]
#: Works in a number of cycles, which may use a folder.
Program = Callable[[int, Path], Iterator[None]]


def state_now() -> State:
    """The resident set in MB, the mappings of this process, and how many of them are images."""
    gc.collect()
    with contextlib.suppress(AttributeError):  # not every libc can give free memory back
        ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as file:
        resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    with open("/proc/self/maps") as file:
        maps = file.read().splitlines()
    images = [line for line in maps if ".ffimage" in line or "memfd:featherflow" in line]
    return resident, len(maps), len(images)


def medium_model() -> tuple[tf.Tensor, tf.Tensor]:
    """Convolutions and products with about 6 MB of weights, which are packed once more."""
    rng = np.random.default_rng(0)

    def draw(*shape: int) -> tf.Tensor:
        return tf.constant(rng.normal(scale=0.1, size=shape).astype(np.float32))

    x = tf.placeholder(tf.float32, [None, 32, 32, 3])
    y = tf.nn.relu(tf.nn.conv2d(x, draw(3, 3, 3, 32), strides=1, padding="SAME"))
    y = tf.nn.relu(tf.nn.conv2d(y, draw(3, 3, 32, 64), strides=2, padding="SAME"))
    y = tf.reshape(tf.nn.max_pool2d(y, 2, 2, "SAME"), [-1, 4096])
    return x, tf.nn.softmax(tf.matmul(tf.nn.relu(tf.matmul(y, draw(4096, 350))), draw(350, 10)))


def run_medium_model(is_closed: bool) -> None:
    with tf.Graph().as_default():
        x, y = medium_model()
        session = tf.Session()
        for batch in (1, 2):
            session.run(y, {x: np.ones((batch, 32, 32, 3), np.float32)})
        plans: Any = session._session._plans  # type: ignore[attr-defined]
        assert [len(prepared.compiled.ready) for prepared in plans.values()] == [2]
        if is_closed:
            session.close()
            assert not plans


def closed_sessions(count: int, folder: Path) -> Iterator[None]:
    for _ in range(count):
        run_medium_model(is_closed=True)
        yield


def dropped_sessions(count: int, folder: Path) -> Iterator[None]:
    for _ in range(count):
        run_medium_model(is_closed=False)
        yield


def new_sessions_of_one_graph(count: int, folder: Path) -> Iterator[None]:
    with tf.Graph().as_default() as graph:
        x, y = medium_model()
    for _ in range(count):
        with tf.Session(graph=graph) as session:
            session.run(y, {x: np.ones((1, 32, 32, 3), np.float32)})
        yield


def changing_shapes(count: int, folder: Path) -> Iterator[None]:
    """Of one session: it keeps some specialised plans, and drops the oldest."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, None])
        y = tf.reduce_sum(tf.exp(x) * x, 1)
        session = tf.Session()
    for cycle in range(count):
        for rows in range(20 * cycle, 20 * cycle + 20):
            session.run(y, {x: np.ones((rows + 1, 64), np.float32)})
        yield


def scaling(number: int) -> Elementwise:
    """A cheap kernel, unlike those of other numbers."""
    steps = (("constant", "float32", number + 0.5), ("mul", 0, 1))
    return Elementwise((("float32", "c"),), (("float32", "c"),), steps, (2,))


def compiled_kernels(count: int, folder: Path) -> Iterator[None]:
    """Each is dropped before the next."""
    service = CompileService(ImageCache(folder))
    for number in range(count):
        job = service.request(scaling(number).text(), host_target())
        assert job.wait(60) and job.image is not None, job.error
        del job
        yield
    assert service.stats().compiled == count
    service.close()


def cached_kernels(count: int, folder: Path) -> Iterator[None]:
    """Many jobs at a time, dropped together: nearly all are cached, and one fails."""
    service = CompileService(ImageCache(folder))
    for _ in range(count):
        texts = [scaling(number).text() for number in range(10)]
        jobs = [service.request(text, host_target()) for text in (*texts, "no such kernel()")]
        assert all(job.wait(60) for job in jobs)
        assert [job.image is None for job in jobs] == [False] * 10 + [True]
        del jobs
        yield
    service.close()


PROGRAMS: tuple[Program, ...] = (
    closed_sessions,
    dropped_sessions,
    new_sessions_of_one_graph,
    changing_shapes,
    compiled_kernels,
    cached_kernels,
)


def main() -> None:
    """Prints the state after a third of the cycles, and at the end."""
    name, count, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    program = next(p for p in PROGRAMS if p.__name__ == name)
    states = []
    for index, _ in enumerate(program(count, folder)):
        if index in (count // 3, count - 1):
            states.append(state_now())
    print(json.dumps(states))


def grown(program: Program, count: int, folder: Path) -> State:
    """By how much the state of a program grows."""
    done = subprocess.run(
        [sys.executable, __file__, program.__name__, str(count), str(folder / "cache")],
        env={
            **os.environ,
            "FEATHERFLOW_CACHE_DIR": str(folder / "cache"),
            "FEATHERFLOW_COMPILE": "2",
            "FEATHERFLOW_NUM_THREADS": "2",
        },
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert done.returncode == 0, done.stderr
    before, after = json.loads(done.stdout)
    return after[0] - before[0], after[1] - before[1], after[2] - before[2]


def check(growth: State) -> None:
    megabytes, maps, images = growth
    assert megabytes <= ALLOWED_MB
    assert maps <= ALLOWED_MAPS
    assert images <= 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [closed_sessions, dropped_sessions, new_sessions_of_one_graph, changing_shapes],
)
def test_sessions(program: Program, tmp_path: Path) -> None:
    check(grown(program, CYCLES, tmp_path))


@pytest.mark.slow
@pytest.mark.timeout(LIMIT)
@pytest.mark.parametrize("program", [compiled_kernels, cached_kernels])
def test_kernels(program: Program, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    count = ALL_KERNELS if pytestconfig.getoption("--all") else KERNELS
    check(grown(program, count, tmp_path))


if __name__ == "__main__":
    main()

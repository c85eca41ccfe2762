"""A compiled model beside a process that never stops: `busy_neighbour.py [FROZEN.pb INPUT OUTPUT]`.

The neighbour holds the first of the cores that this process may use. Prints one JSON object:
milliseconds of a run, the median and the longest, on one thread alone and on two threads, each
without and with the neighbour. Without arguments the model is a small convolutional network.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

os.environ["FEATHERFLOW_COMPILE"] = "2"

import numpy as np

import featherflow as tf

RUNS = 300
WARM_UP = 20
DEFAULT_SIZE = 224
NEIGHBOUR = "print(flush=True)\nwhile True: pass"

Run = Callable[[], object]


def small_network() -> tuple[tf.Graph, tf.Tensor, tf.Tensor]:
    """Four convolutions and a classifier, of images of 64 x 64."""
    rng = np.random.default_rng(0)

    def draw(*shape: int) -> tf.Tensor:
        return tf.constant(rng.normal(scale=0.1, size=shape).astype(np.float32))

    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [1, 64, 64, 3])
        y, channels = x, 3
        for filters, strides in ((32, 1), (64, 2), (64, 1), (128, 2)):
            kernel = draw(3, 3, channels, filters)
            y = tf.nn.relu(tf.nn.conv2d(y, kernel, strides=strides, padding="SAME") + draw(filters))
            channels = filters
        y = tf.nn.softmax(tf.matmul(tf.reduce_mean(y, [1, 2]), draw(channels, 10)))
    return graph, x, y


def frozen_model(path: str, source: str, result: str) -> tuple[tf.Graph, tf.Tensor, tf.Tensor]:
    """The model of a file, and its tensors of these names."""
    definition = tf.GraphDef()
    with open(path, "rb") as file:
        definition.ParseFromString(file.read())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
    return graph, graph.get_tensor_by_name(source), graph.get_tensor_by_name(result)


def image_for(x: tf.Tensor) -> np.ndarray:
    """A value of the tensor's shape: one image of the usual size, where it does not say."""
    sizes = x.shape.as_list() if x.shape.ndims is not None else [1, DEFAULT_SIZE, DEFAULT_SIZE, 3]
    shape = [size or (DEFAULT_SIZE if axis else 1) for axis, size in enumerate(sizes)]
    return np.random.default_rng(1).normal(size=shape).astype(x.dtype.as_numpy_dtype)


def runner(graph: tf.Graph, x: tf.Tensor, y: tf.Tensor, threads: int) -> Run:
    """Runs the model on some threads; its kernels are compiled."""
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    session = tf.Session(graph=graph, config=config)
    run = session.make_callable(y, [x])
    image = image_for(x)
    for _ in range(WARM_UP):
        run(image)
    return lambda: run(image)


def milliseconds(run: Run) -> dict[str, float]:
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    return {"median": round(statistics.median(times), 3), "longest": round(max(times), 3)}


def start_neighbour(core: int) -> subprocess.Popen[bytes]:
    """A busy process on one core; it is busy already."""
    process = subprocess.Popen([sys.executable, "-c", NEIGHBOUR], stdout=subprocess.PIPE)
    os.sched_setaffinity(process.pid, {core})
    assert process.stdout is not None
    process.stdout.readline()
    return process


def main() -> None:
    model = frozen_model(*sys.argv[1:4]) if len(sys.argv) > 1 else small_network()
    runs = {"one thread": runner(*model, threads=1), "two threads": runner(*model, threads=2)}
    cores = sorted(os.sched_getaffinity(0))
    results = {f"{name}, no neighbour": milliseconds(run) for name, run in runs.items()}
    neighbour = start_neighbour(cores[0])
    try:
        for name, run in runs.items():
            results[f"{name}, busy neighbour"] = milliseconds(run)
    finally:
        neighbour.kill()
        neighbour.wait()
    print(json.dumps({"cores": len(cores), **results}, indent=1))


if __name__ == "__main__":
    main()

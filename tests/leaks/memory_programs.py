"""Programs whose memory must stay flat; run one in a process of its own: `memory_programs.py NAME`.

Prints the resident set in MB after a warm-up and at the end.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable

import numpy as np

import featherflow as tf

WARM_UP = 0.3


def resident_mb() -> float:
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def network():
    x = tf.placeholder(tf.float32, [None, None, None, 3])
    w = tf.Variable(tf.truncated_normal([3, 3, 3, 8], stddev=0.1))
    return x, tf.reduce_mean(tf.nn.relu(tf.nn.conv2d(x, w, strides=1, padding="SAME")))


def runs_of_one_session() -> tuple[int, Callable[[int], None]]:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4])
        y = tf.reduce_sum(tf.sin(x) * x + 1.0)
        sess = tf.Session()
    value = np.ones(4, np.float32)
    return 20_000, lambda index: sess.run(y, {x: value})


def sessions() -> tuple[int, Callable[[int], None]]:
    with tf.Graph().as_default() as graph:
        x, y = network()
        init = tf.global_variables_initializer()
    image = np.ones((1, 8, 8, 3), np.float32)

    def step(index: int) -> None:
        with tf.Session(graph=graph) as sess:
            sess.run(init)
            sess.run(y, {x: image})

    return 2_000, step


def changing_image_sizes() -> tuple[int, Callable[[int], None]]:
    with tf.Graph().as_default():
        x, y = network()
        sess = tf.Session()
        sess.run(tf.global_variables_initializer())
    rng = np.random.RandomState(0)

    def step(index: int) -> None:
        height, width = rng.randint(4, 40, 2)
        sess.run(y, {x: np.ones((1, height, width, 3), np.float32)})

    return 5_000, step


def graphs() -> tuple[int, Callable[[int], None]]:
    def step(index: int) -> None:
        with tf.Graph().as_default(), tf.Session() as sess:
            x, y = network()
            for _ in range(40):
                y = tf.sqrt(tf.abs(y) + 1.0)
            sess.run(tf.global_variables_initializer())
            sess.run(y, {x: np.ones((1, 8, 8, 3), np.float32)})

    return 500, step


def closed_loops() -> tuple[int, Callable[[int], None]]:
    """Sessions that run a while_loop with a TensorArray, and are dropped without being closed."""

    def step(index: int) -> None:
        with tf.Graph().as_default():
            _, result = tf.while_loop(
                lambda i, a: i < 5, lambda i, a: (i + 1, a * 1.5), [0, tf.ones([64])]
            )
            tf.Session().run(result)

    return 200, step


PROGRAMS = (runs_of_one_session, sessions, changing_image_sizes, graphs, closed_loops)


def main() -> None:
    steps, step = next(p for p in PROGRAMS if p.__name__ == sys.argv[1])()
    for index in range(int(steps * WARM_UP)):
        step(index)
    before = resident_mb()
    for index in range(steps):
        step(index)
    print(before, resident_mb())


if __name__ == "__main__":
    main()

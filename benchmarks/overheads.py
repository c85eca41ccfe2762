"""What the machinery costs, on either library: `overheads.py featherflow`, or `tensorflow`.

Prints one JSON object: microseconds unless the name says otherwise. Each figure is the median of
several rounds. `np_add_four_floats` is NumPy's own `np.add` in the same process: the unit in which
overheads are also given, so that figures of different machines can be compared.
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import sys
import time
from collections.abc import Callable

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
ROUNDS = 7


def median_us(function: Callable[[], object], calls: int) -> float:
    """Microseconds a call: the median of `ROUNDS` rounds of `calls` calls."""
    function()
    rounds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        rounds.append((time.perf_counter() - start) / calls * 1e6)
    return statistics.median(rounds)


def one_add(tf, np) -> float:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4])
        y = x + 1.0
        sess = tf.Session()
    value = np.ones(4, np.float32)
    return median_us(lambda: sess.run(y, {x: value}), 2000)


def chain_per_op(tf, np) -> float:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4])
        y = x
        for index in range(1000):
            y = tf.sin(y) if index % 2 else y * x
        sess = tf.Session()
    value = np.ones(4, np.float32)
    return median_us(lambda: sess.run(y, {x: value}), 20) / 1000


def graph_building_per_op(tf, np) -> float:
    def build() -> None:
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [4, 4])
            y = x
            for _ in range(2000):
                y = tf.add(y, x)

    return median_us(build, 1) / 2000


def ten_of_30000_nodes(tf, np) -> float:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4])
        y = wanted = x
        for index in range(30000):
            y = tf.add(y, x)
            if index == 9:
                wanted = y
        sess = tf.Session()
    value = np.ones(4, np.float32)
    return median_us(lambda: sess.run(wanted, {x: value}), 500)


def ten_of_10_nodes(tf, np) -> float:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4])
        y = x
        for _ in range(10):
            y = tf.add(y, x)
        sess = tf.Session()
    value = np.ones(4, np.float32)
    return median_us(lambda: sess.run(y, {x: value}), 500)


def first_run_of_5000_nodes_ms(tf, np) -> float:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4])
        y = x
        for index in range(5000):
            y = tf.sin(y) if index % 2 else y * x
        start = time.perf_counter()
        tf.Session().run(y, {x: np.ones(4, np.float32)})
        return (time.perf_counter() - start) * 1e3


def while_loop_per_iteration(tf, np) -> float:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4])
        _, result = tf.while_loop(
            lambda i, a: i < 1000, lambda i, a: (i + 1, a * 1.0001 + 0.5), [tf.constant(0), x]
        )
        sess = tf.Session()
    value = np.ones(4, np.float32)
    return median_us(lambda: sess.run(result, {x: value}), 3) / 1000


def digits_step_ms(tf, np) -> float:
    """A training step of the example's network, batch 50."""
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [None, 8, 8, 1])
        t = tf.placeholder(tf.int32, [None])

        def variable(shape):
            return tf.Variable(tf.truncated_normal(shape, stddev=0.1))

        conv = tf.nn.conv2d(x, variable([5, 5, 1, 32]), strides=[1, 1, 1, 1], padding="SAME")
        hidden = tf.nn.relu(tf.nn.bias_add(conv, variable([32])))
        pooled = tf.nn.max_pool(hidden, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
        logits = tf.matmul(tf.reshape(pooled, [-1, 512]), variable([512, 10])) + variable([10])
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=t, logits=logits)
        )
        train = tf.train.AdamOptimizer(0.01).minimize(loss)
        sess = tf.Session()
        sess.run(tf.global_variables_initializer())
    rng = np.random.RandomState(0)
    feeds = {x: rng.rand(50, 8, 8, 1).astype(np.float32), t: rng.randint(0, 10, 50).astype("i4")}
    return median_us(lambda: sess.run(train, feeds), 20) / 1e3


CASES = (
    one_add,
    chain_per_op,
    graph_building_per_op,
    ten_of_10_nodes,
    ten_of_30000_nodes,
    first_run_of_5000_nodes_ms,
    while_loop_per_iteration,
    digits_step_ms,
)


def main() -> None:
    library, *wanted = sys.argv[1:]
    import numpy as np

    start = time.perf_counter()
    tf = importlib.import_module(library)
    results = {"import_ms": (time.perf_counter() - start) * 1e3}
    if library == "tensorflow":
        tf = tf.compat.v1
        tf.disable_v2_behavior()
    four = np.ones(4, np.float32)
    results["np_add_four_floats"] = median_us(lambda: np.add(four, four), 20000)
    for case in CASES:
        if not wanted or case.__name__ in wanted:
            results[case.__name__] = case(tf, np)
    print(json.dumps(results))


if __name__ == "__main__":
    main()

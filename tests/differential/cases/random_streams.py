"""Random operations: the same bits as TensorFlow for every kind of seed, run after run.

Where only the graph's seed is set, an operation's own seed is the number of operations the graph
holds at that moment; these cases also pin how many nodes each function adds.
"""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import integers, normal

SEEDS = {
    "graph_seed": (87654321, None),
    "op_seed": (None, 1234),
    "both_seeds": (87654321, 1234),
    "zero_graph_seed": (0, None),
    "zero_seeds": (0, 0),
    "large_op_seed": (None, 2**31 - 1),
}
FUNCTIONS = {
    "random_uniform": lambda tf, seed: tf.random_uniform([3, 3], seed=seed),
    "random_uniform_range": lambda tf, seed: tf.random_uniform([5], -2.0, 3.0, seed=seed),
    "random_uniform_float64": lambda tf, seed: tf.random_uniform([5], dtype=tf.float64, seed=seed),
    "random_uniform_float16": lambda tf, seed: tf.random_uniform([9], dtype=tf.float16, seed=seed),
    "random_uniform_bfloat16": lambda tf, seed: tf.random_uniform(
        [9], dtype=tf.bfloat16, seed=seed
    ),
    "random_uniform_int32": lambda tf, seed: tf.random_uniform([9], -5, 50, tf.int32, seed=seed),
    "random_uniform_int64": lambda tf, seed: tf.random_uniform([9], 10, 2**40, tf.int64, seed=seed),
    "random_normal": lambda tf, seed: tf.random_normal([3, 3], seed=seed),
    "random_normal_scaled": lambda tf, seed: tf.random_normal([5], 10.0, 0.5, seed=seed),
    "random_normal_float64": lambda tf, seed: tf.random_normal([5], dtype=tf.float64, seed=seed),
    "random_normal_float16": lambda tf, seed: tf.random_normal([9], dtype=tf.float16, seed=seed),
    "random_normal_bfloat16": lambda tf, seed: tf.random_normal([9], dtype=tf.bfloat16, seed=seed),
    "truncated_normal": lambda tf, seed: tf.truncated_normal([3, 7], seed=seed),
    "truncated_normal_float64": lambda tf, seed: tf.truncated_normal(
        [9], dtype=tf.float64, seed=seed
    ),
    "truncated_normal_scaled": lambda tf, seed: tf.truncated_normal([6], 1.0, 0.1, seed=seed),
}
EXACT = {"tolerance": 0.0, "reason": "a random stream is the same bits or another stream"}


def _stream_program(function, graph_seed, op_seed):
    def program(tf):
        if graph_seed is not None:
            tf.set_random_seed(graph_seed)
        return Case(function(tf, op_seed), runs=3, **EXACT)

    return program


for _name, _function in FUNCTIONS.items():
    for _seeds, (_graph_seed, _op_seed) in SEEDS.items():
        if _seeds in ("graph_seed", "op_seed") or _name in ("random_uniform", "random_normal"):
            case(f"{_name}_{_seeds}")(_stream_program(_function, _graph_seed, _op_seed))


@case
def several_operations_share_a_graph_seed(tf):
    tf.set_random_seed(42)
    first = tf.random_uniform([2])
    second = tf.random_normal([2, 2])
    tf.constant(1.0)
    third = tf.random_uniform([2])
    return Case([first, second, third, tf.random_uniform([2], seed=7)], runs=2, **EXACT)


@case
def seed_set_again_later(tf):
    tf.set_random_seed(1)
    first = tf.random_uniform([2])
    tf.set_random_seed(2)
    return Case([first, tf.random_uniform([2])], runs=2, **EXACT)


@case
def same_op_seed_twice(tf):
    return Case([tf.random_uniform([3], seed=5), tf.random_uniform([3], seed=5)], runs=2, **EXACT)


@case
def seeds_stored_in_the_node(tf):
    tf.set_random_seed(42)
    tensors = [tf.random_uniform([2]), tf.random_normal([2]), tf.random_normal([2], seed=9)]
    everything = tf.get_default_graph().get_operations()
    operations = [operation for operation in everything if "Random" in operation.type]
    fetches = {
        "tensors": tensors,
        "names": [operation.name for operation in operations],
        "seeds": [operation.get_attr("seed") for operation in operations],
        "seeds2": [operation.get_attr("seed2") for operation in operations],
        "count": len(everything),
    }
    return Case(fetches, **EXACT)


@case
def names_of_nodes(tf):
    tf.set_random_seed(3)
    tf.random_uniform([2], 0, 5, tf.int32)
    tf.random_normal([2], name="gauss")
    tf.truncated_normal([2])
    tf.random_shuffle([1, 2])
    tf.multinomial([[0.0, 1.0]], 2)
    return [operation.name for operation in tf.get_default_graph().get_operations()]


@case
def odd_sizes(tf):
    sizes = ([], [0], [1], [4], [5], [257], [2, 0, 3])
    results = {"uniform": [tf.random_uniform(size, seed=1) for size in sizes]}
    results["normal"] = [tf.random_normal(size, seed=1) for size in sizes]
    results["integers"] = [
        tf.random_uniform(size, maxval=9, dtype=tf.int32, seed=1) for size in sizes
    ]
    return Case(results, runs=2, **EXACT)


@case
def long_streams(tf):
    streams = {
        "uniform": tf.random_uniform([3000], seed=3),
        "normal": tf.random_normal([3000], seed=3),
        "truncated": tf.truncated_normal([3000], seed=3),
    }
    return Case({name: stream[::97] for name, stream in streams.items()}, runs=2, **EXACT)


@case
def fed_shapes(tf):
    shape = tf.placeholder(tf.int32, [None])
    fetches = [
        tf.random_uniform(shape, seed=4),
        tf.random_normal(shape, seed=4),
        tf.truncated_normal(tf.cast(shape, tf.int64), seed=4),
        tf.random_uniform([shape[0], 2], seed=4),
    ]
    return Case(fetches, {shape: [2, 3]}, runs=2, **EXACT)


@case
def random_shuffle(tf):
    tf.set_random_seed(11)
    fetches = [
        tf.random_shuffle(tf.range(10)),
        tf.random_shuffle(tf.constant(integers(0, 99, (4, 2))), seed=3),
        tf.random_shuffle(tf.zeros([0])),
        tf.random_shuffle(tf.constant(["a", "b", "c"]), seed=1),
    ]
    return Case(fetches, runs=3, **EXACT)


@case
def multinomial(tf):
    logits = tf.constant(normal(2, 4))
    fetches = [
        tf.multinomial(logits, 6, seed=3),
        tf.random.categorical(logits, 5, seed=4),
        tf.multinomial(logits, 4, seed=3, output_dtype=tf.int32),
        tf.multinomial(tf.zeros([1, 3]), 0, seed=1),
    ]
    return Case(fetches, runs=2, **EXACT)


@case
def random_gamma(tf):
    fetches = [
        tf.random_gamma([5], 2.0, seed=3),
        tf.random_gamma([3], [0.5, 1.5], beta=2.0, seed=4),
        tf.random_gamma([4], 0.3, dtype=tf.float64, seed=5),
    ]
    return Case(fetches, runs=2, tolerance=1e-6, reason="the rejection test calls log and pow")


@case
def random_poisson(tf):
    fetches = [tf.random_poisson(3.0, [6], seed=3), tf.random_poisson([0.5, 20.0], [4], seed=4)]
    return Case(fetches, runs=2, **EXACT)


@case
def random_crop(tf):
    values = tf.constant(integers(0, 99, (6, 5)))
    return Case(tf.random_crop(values, [2, 3], seed=8), runs=3, **EXACT)


@case
def dropout(tf):
    tf.set_random_seed(21)
    values = tf.ones([4, 5])
    keep = tf.placeholder(tf.float32, [])
    fetches = [
        tf.nn.dropout(values, 0.5),
        tf.nn.dropout(values, 0.8, seed=5),
        tf.nn.dropout(values, rate=0.3, seed=6),
        tf.nn.dropout(values, 0.5, noise_shape=[4, 1], seed=7),
        tf.nn.dropout(values, 1.0),
        tf.nn.dropout(values, keep_prob=keep, seed=8),
        tf.nn.dropout(tf.ones([3], tf.float64), rate=0.25, seed=9),
        tf.nn.dropout(values, rate=0.0),
    ]
    return Case(fetches, {keep: 0.6}, runs=2)


@case
def initializers(tf):
    tf.set_random_seed(31)
    shape = [3, 4]
    makers = {
        "uniform": tf.random_uniform_initializer(-0.1, 0.1),
        "uniform_seeded": tf.random_uniform_initializer(seed=3),
        "normal": tf.random_normal_initializer(0.0, 2.0),
        "truncated": tf.truncated_normal_initializer(stddev=0.1, seed=4),
        "glorot_uniform": tf.glorot_uniform_initializer(),
        "glorot_normal": tf.glorot_normal_initializer(seed=5),
        "variance_scaling": tf.variance_scaling_initializer(2.0, "fan_out", "uniform"),
        "scaling_fan_avg": tf.variance_scaling_initializer(mode="fan_avg", seed=6),
        "uniform_unit": tf.uniform_unit_scaling_initializer(1.5),
        "he_normal": tf.initializers.he_normal(),
        "lecun_uniform": tf.initializers.lecun_uniform(),
    }
    fetches = {name: maker(shape) for name, maker in makers.items()}
    fetches["filters"] = tf.glorot_uniform_initializer(seed=7)([2, 2, 3, 2])
    return Case(fetches, tolerance=1e-6, reason="a stream scaled by a computed deviation")


@case
def initial_values_of_variables(tf):
    tf.set_random_seed(41)
    first = tf.get_variable("first", [2, 3])
    second = tf.Variable(tf.truncated_normal([3], stddev=0.1))
    third = tf.get_variable("third", [2], initializer=tf.random_normal_initializer())
    fetches = [first, second, third]
    return Case(
        fetches,
        setup=[tf.global_variables_initializer()],
        tolerance=1e-6,
        reason="a stream scaled by a computed deviation",
    )


@case
def stateless(tf):
    seed = [1, 2]
    fetches = {
        "uniform": tf.random.stateless_uniform([5], seed),
        "range": tf.random.stateless_uniform([3], seed, -1.0, 1.0),
        "double": tf.random.stateless_uniform([3], seed, dtype=tf.float64),
        "integers": tf.random.stateless_uniform([5], seed, 0, 10, tf.int32),
        "full_integers": tf.random.stateless_uniform([3], seed, None, None, tf.int32),
        "normal": tf.random.stateless_normal([5], seed),
        "truncated": tf.random.stateless_truncated_normal([5], tf.constant(seed, tf.int64)),
        "raw": tf.raw_ops.StatelessRandomUniform(shape=[4], seed=seed),
        "raw_normal": tf.raw_ops.StatelessRandomNormal(shape=[4], seed=seed),
    }
    return Case(fetches, runs=2, **EXACT)


@case
def raw_attributes(tf):
    fetches = [
        tf.raw_ops.RandomUniform(shape=[3], dtype=tf.float32, seed=1, seed2=2),
        tf.raw_ops.RandomStandardNormal(shape=[3], dtype=tf.float32, seed=1, seed2=2),
        tf.raw_ops.TruncatedNormal(shape=[3], dtype=tf.float32, seed=1, seed2=2),
        tf.raw_ops.RandomUniformInt(shape=[3], minval=0, maxval=100, seed=1, seed2=2),
        tf.raw_ops.ParameterizedTruncatedNormal(
            shape=[1, 6], means=0.0, stdevs=1.0, minvals=-0.5, maxvals=2.0, seed=1, seed2=2
        ),
    ]
    return Case(fetches, runs=2, **EXACT)


@case
def unseeded_streams_differ(tf):
    tensor = tf.random_uniform([4])
    other = tf.random_uniform([4])
    return [tf.reduce_all(tf.not_equal(tensor, other)), tensor.op.get_attr("seed")]


error_cases(
    uniform_integers_without_limit=lambda tf: tf.random_uniform([2], dtype=tf.int32),
    uniform_empty_range=lambda tf: tf.random_uniform([2], 5, 5, tf.int32),
    uniform_of_strings=lambda tf: tf.random_uniform([2], dtype=tf.string),
    negative_shape=lambda tf: tf.random_uniform([-1]),
    matrix_shape=lambda tf: tf.random_uniform([[1]]),
    float_shape=lambda tf: tf.random_normal([2.5]),
    normal_of_integers=lambda tf: tf.random_normal([2], dtype=tf.int32),
    crop_too_large=lambda tf: tf.random_crop(tf.zeros([2]), [3]),
    multinomial_of_vector=lambda tf: tf.multinomial([0.0, 1.0], 2),
    dropout_rate_out_of_range=lambda tf: tf.nn.dropout(tf.ones([2]), rate=1.5),
    fed_negative_shape=lambda tf: Case(
        tf.random_uniform(shape := tf.placeholder(tf.int32)), {shape: np.array([-2])}
    ),
)

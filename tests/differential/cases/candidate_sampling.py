"""Candidate samplers: the same classes as TensorFlow from the same seeds, and losses over them."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import integers, normal

RANGED = ("uniform", "log_uniform", "learned_unigram")
SEEDS = {"one": (None, 3), "graph": (7, None), "both": (11, 12)}


def _sampler_program(kind, unique, seeds):
    graph_seed, seed = seeds

    def program(tf):
        if graph_seed is not None:
            tf.set_random_seed(graph_seed)
        classes = tf.constant(integers(0, 20, (3, 2), "int64"))
        sampler = getattr(tf.nn, f"{kind}_candidate_sampler")
        return Case(list(sampler(classes, 2, 9, unique, 20, seed=seed)), runs=3)

    return program


for _kind in RANGED:
    for _unique in (False, True):
        for _name, _seeds in SEEDS.items():
            _label = f"{_kind}_{'unique' if _unique else 'any'}_{_name}"
            case(_label)(_sampler_program(_kind, _unique, _seeds))

WEIGHTS = [1.0, 2.0, 3.0, 4.0, 1.0, 9.0]
FIXED = {
    "plain": {"range_max": 6},
    "distorted": {"range_max": 6, "distortion": 0.5},
    "reserved": {"range_max": 8, "num_reserved_ids": 2},
    "first_shard": {"range_max": 3, "num_shards": 2},
    "second_shard": {"range_max": 3, "num_shards": 2, "shard": 1},
    "reserved_shard": {"range_max": 4, "num_reserved_ids": 2, "num_shards": 2},
}


def _fixed_program(attrs, unique):
    def program(tf):
        classes = tf.constant([[0], [2]], tf.int64)
        result = tf.nn.fixed_unigram_candidate_sampler(
            classes, 1, 3 if unique else 12, unique, unigrams=WEIGHTS, seed=5, **attrs
        )
        return Case(list(result), runs=2)

    return program


for _name, _attrs in FIXED.items():
    case(f"fixed_{_name}")(_fixed_program(_attrs, False))
    case(f"fixed_{_name}_unique")(_fixed_program(_attrs, True))


@case
def everything(tf):
    classes = tf.constant([[0, 4], [3, 1]], tf.int64)
    return [
        list(tf.nn.all_candidate_sampler(classes, 2, 5, True)),
        list(tf.nn.all_candidate_sampler(classes, 2, 5, False, seed=3)),
    ]


@case
def thread_unsafe(tf):
    sampler = tf.raw_ops.ThreadUnsafeUnigramCandidateSampler
    result = sampler(
        true_classes=[[0], [3]],
        num_true=1,
        num_sampled=5,
        unique=True,
        range_max=10,
        seed=1,
        seed2=2,
    )
    return Case(list(result), runs=3)


@case
def as_many_as_there_are(tf):
    classes = tf.constant([[5]], tf.int64)
    return [
        list(tf.nn.uniform_candidate_sampler(classes, 1, 6, True, 6, seed=1)),
        list(tf.nn.log_uniform_candidate_sampler(classes, 1, 6, True, 6, seed=1)),
        list(tf.nn.learned_unigram_candidate_sampler(classes, 1, 6, True, 6, seed=1)),
    ]


@case
def large_range(tf):
    classes = tf.constant([[5], [10**9]], tf.int64)
    return [
        list(tf.nn.uniform_candidate_sampler(classes, 1, 6, True, 2**40, seed=1)),
        list(tf.nn.log_uniform_candidate_sampler(classes, 1, 6, True, 2**31, seed=1)),
    ]


@case
def no_examples(tf):
    nothing = tf.zeros([0, 1], tf.int64)
    return [
        list(tf.nn.uniform_candidate_sampler(nothing, 1, 3, True, 6, seed=1)),
        list(tf.nn.compute_accidental_hits(nothing, [1, 2], 1)),
        list(
            tf.nn.compute_accidental_hits(tf.constant([[1]], tf.int64), tf.zeros([0], tf.int64), 1)
        ),
    ]


@case
def accidental_hits(tf):
    classes = tf.constant([[1, 5], [3, 3], [7, 2]], tf.int64)
    return [
        list(tf.nn.compute_accidental_hits(classes, tf.constant([3, 1, 3, 7], tf.int64), 2)),
        list(tf.nn.compute_accidental_hits(classes, tf.constant([9], tf.int64), 2)),
    ]


@case
def static_shapes(tf):
    partly, unknown = tf.placeholder(tf.int64, [4, None]), tf.placeholder(tf.int64)
    tensors = [
        *tf.nn.uniform_candidate_sampler(partly, 2, 3, True, 6),
        *tf.nn.learned_unigram_candidate_sampler(unknown, 2, 3, True, 6),
        *tf.nn.compute_accidental_hits(unknown, unknown, 2),
    ]
    return [str(tensor.shape) for tensor in tensors]


@case
def spellings(tf):
    names = ("all", "fixed_unigram", "learned_unigram", "log_uniform", "uniform")
    classes = tf.constant([[0]], tf.int64)
    for name in names[2:]:
        getattr(tf.random, f"{name}_candidate_sampler")(classes, 1, 2, True, 4)
    tf.random.all_candidate_sampler(classes, 1, 2, True)
    tf.random.fixed_unigram_candidate_sampler(classes, 1, 2, True, 2, unigrams=[1.0, 2.0])
    return [operation.name for operation in tf.get_default_graph().get_operations()]


def _loss_program(name, **attrs):
    def program(tf):
        weights, biases = tf.constant(normal(12, 3)), tf.constant(normal(12, seed=1))
        inputs = tf.constant(normal(2, 3, seed=2))
        labels = tf.constant([[4, 1], [7, 2]], tf.int64)
        function = getattr(tf.nn, name)
        tf.set_random_seed(5)
        drawn = function(weights, biases, labels, inputs, 4, 12, num_true=2, **attrs)
        operations = [operation.name for operation in tf.get_default_graph().get_operations()]
        given = function(
            weights,
            biases,
            labels,
            inputs,
            3,
            12,
            num_true=2,
            sampled_values=(
                tf.constant([1, 5, 8], tf.int64),
                tf.constant([[0.3, 0.1], [0.2, 0.4]]),
                tf.constant([0.5, 0.3, 0.2]),
            ),
            **attrs,
        )
        gradients = tf.gradients(given, [weights, biases, inputs])
        dense = [tf.convert_to_tensor(gradient) for gradient in gradients]
        return {"drawn": drawn, "given": given, "gradients": dense, "names": operations}

    return program


for _name in ("sampled_softmax_loss", "nce_loss"):
    case(_name)(_loss_program(_name))
    case(f"{_name}_with_hits")(_loss_program(_name, remove_accidental_hits=False))
    case(f"{_name}_without_hits")(_loss_program(_name, remove_accidental_hits=True))
    case(f"{_name}_by_ranges")(_loss_program(_name, partition_strategy="div"))


@case
def losses_of_parts_and_other_dtypes(tf):
    parts = [tf.constant(normal(4, 3, seed=seed)) for seed in range(3)]
    biases = tf.constant(normal(12, seed=9))
    inputs = tf.placeholder(tf.float32, [None, 3])
    labels = tf.placeholder(tf.int32, [None, 1])
    losses = [
        tf.nn.sampled_softmax_loss(parts, biases, labels, inputs, 4, 12, seed=3),
        tf.nn.nce_loss(parts, biases, labels, inputs, 4, 12, partition_strategy="div"),
    ]
    tf.set_random_seed(1)
    feeds = {inputs: normal(2, 3, seed=5), labels: np.int32([[4], [11]])}
    return Case([losses[0], tf.shape(losses[1])], feeds, runs=2)


def _uniform(tf, classes=((0,), (3,)), num_true=1, samples=3, unique=True, size=6):
    classes = tf.constant(classes, tf.int64)
    return tf.nn.uniform_candidate_sampler(classes, num_true, samples, unique, size)[0]


error_cases(
    more_than_there_are=lambda tf: _uniform(tf, samples=7),
    other_columns=lambda tf: _uniform(tf, num_true=2),
    no_such_class=lambda tf: _uniform(tf, classes=((9,), (0,))),
    negative_class=lambda tf: _uniform(tf, classes=((-2,), (0,))),
    vector_of_classes=lambda tf: _uniform(tf, classes=(0, 3)),
    no_samples=lambda tf: _uniform(tf, samples=0),
    no_range=lambda tf: _uniform(tf, size=0),
    log_uniform_class=lambda tf: tf.nn.log_uniform_candidate_sampler(
        tf.constant([[7]], tf.int64), 1, 2, False, 5
    )[0],
    every_class=lambda tf: tf.nn.all_candidate_sampler(tf.constant([[7]], tf.int64), 1, 5, False)[
        0
    ],
    fixed_without_weights=lambda tf: tf.nn.fixed_unigram_candidate_sampler(
        tf.constant([[0]], tf.int64), 1, 2, False, 5
    )[0],
    fixed_count=lambda tf: tf.nn.fixed_unigram_candidate_sampler(
        tf.constant([[0]], tf.int64), 1, 2, False, 5, unigrams=WEIGHTS
    )[0],
    fixed_missing_file=lambda tf: tf.nn.fixed_unigram_candidate_sampler(
        tf.constant([[0]], tf.int64), 1, 2, False, 5, vocab_file="/no/such/file"
    )[0],
    fixed_both=lambda tf: tf.nn.fixed_unigram_candidate_sampler(
        tf.constant([[0]], tf.int64), 1, 2, False, 6, vocab_file="/no/file", unigrams=WEIGHTS
    )[0],
    fixed_shard=lambda tf: tf.nn.fixed_unigram_candidate_sampler(
        tf.constant([[0]], tf.int64), 1, 2, False, 6, unigrams=WEIGHTS, num_shards=2, shard=3
    )[0],
    hits_columns=lambda tf: tf.nn.compute_accidental_hits(
        tf.constant([[1, 2]], tf.int64), tf.constant([1], tf.int64), 1
    ),
    hits_of_matrix=lambda tf: tf.nn.compute_accidental_hits(
        tf.constant([[1, 2]], tf.int64), tf.constant([[1]], tf.int64), 2
    ),
)

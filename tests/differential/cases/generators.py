"""Random streams: stateless draws that reject, streams kept in variables, tf.random.Generator."""

from __future__ import annotations

import numpy as np

from ..case import Case, Script, case, error_cases
from ..inputs import integers

EXACT = {"tolerance": 0.0, "reason": "a random stream is the same bits or another stream"}
CLOSE = {"tolerance": 1e-6, "reason": "the rejection test calls log and pow"}
SEEDS = ([1, 2], [-5, 7], [2**31 - 1, -(2**31)])


def _stateless_program(draw, exact=True):
    def program(tf):
        fetches = [draw(tf, seed) for seed in SEEDS]
        fetches.append(draw(tf, tf.constant([2**40, -(2**50)], tf.int64)))
        return Case(fetches, runs=2, **(EXACT if exact else CLOSE))

    return program


STATELESS = {
    "gamma": lambda tf, seed: tf.random.stateless_gamma([4, 3], seed, [0.5, 1.0, 7.0]),
    "gamma_rate": lambda tf, seed: tf.random.stateless_gamma(
        [4, 2, 3], seed, [0.5, 1.0, 7.0], [[2.0], [0.1]]
    ),
    "gamma_double": lambda tf, seed: tf.random.stateless_gamma([5], seed, 2.0, dtype=tf.float64),
    "poisson": lambda tf, seed: tf.random.stateless_poisson([4, 3], seed, [0.5, 9.0, 70.0]),
    "poisson_half": lambda tf, seed: tf.random.stateless_poisson([6], seed, 3.0, tf.float16),
    "poisson_double": lambda tf, seed: tf.random.stateless_poisson(
        [6], seed, np.float64(30.0), tf.float64
    ),
    "binomial": lambda tf, seed: tf.random.stateless_binomial(
        [6, 3], seed, [100.0, 1000.0, 60.0], [0.3, 0.9, 0.5]
    ),
    "binomial_edges": lambda tf, seed: tf.random.stateless_binomial(
        [2, 4], seed, [40.0, 40.0, 0.0, 40.0], [0.0, 1.0, 0.5, 0.25], tf.float64
    ),
    "truncated": lambda tf, seed: tf.random.stateless_parameterized_truncated_normal(
        [5, 3], seed, [0.0, 1.0, -3.0], 1.5, -1.0, [1.0, 3.0, 9.0]
    ),
    "truncated_scalar": lambda tf, seed: tf.random.stateless_parameterized_truncated_normal(
        [250], seed
    )[::9],
    "truncated_rows": lambda tf, seed: tf.random.stateless_parameterized_truncated_normal(
        [2, 3], seed, [0.0, 1.0, 2.0], 1.0, [[-1.0], [0.0]], 3.0
    ),
    "shuffle": lambda tf, seed: tf.random.experimental.stateless_shuffle(tf.range(17), seed),
    "shuffle_rows": lambda tf, seed: tf.random.experimental.stateless_shuffle(
        tf.constant(integers(0, 9, (5, 2))), seed
    ),
    "shuffle_strings": lambda tf, seed: tf.random.experimental.stateless_shuffle(
        ["a", "b", "c", "d"], seed
    ),
    "split": lambda tf, seed: tf.random.split(seed, 3),
    "fold_in": lambda tf, seed: tf.random.fold_in(seed, 7),
    "fold_in_long": lambda tf, seed: tf.random.fold_in(seed, tf.constant(7, tf.int64)),
}
for _name, _draw in STATELESS.items():
    _exact = not _name.startswith(("gamma", "truncated"))
    case(f"stateless_{_name}")(_stateless_program(_draw, _exact))


@case
def stateless_empty(tf):
    return [
        tf.random.stateless_gamma([0, 2], [1, 2], [1.0, 2.0]),
        tf.random.stateless_poisson([0], [1, 2], 2.0),
        tf.random.stateless_binomial([0], [1, 2], 20.0, 0.5),
        tf.random.stateless_parameterized_truncated_normal([0], [1, 2]),
        tf.random.experimental.stateless_shuffle(tf.zeros([0, 2]), [1, 2]),
        tf.random.experimental.stateless_shuffle([3], [1, 2]),
    ]


@case
def stateless_older_ops(tf):
    raw = tf.raw_ops
    return Case(
        [
            raw.StatelessRandomGammaV2(shape=[3, 2], seed=[1, 2], alpha=[0.5, 2.0]),
            raw.StatelessRandomPoisson(shape=[3], seed=[1, 2], lam=4, dtype=tf.int64),
            raw.StatelessRandomBinomial(shape=[3], seed=[1, 2], counts=90.0, probs=0.5),
        ],
        **CLOSE,
    )


@case
def stateless_gradients(tf):
    alpha, beta = tf.constant([0.5, 2.0]), tf.constant(1.5)
    gamma = tf.random.stateless_gamma([3, 2], [1, 2], alpha, beta)
    mean, deviation = tf.constant([0.5, 1.0]), tf.constant(1.2)
    low, high = tf.constant(-1.0), tf.constant([2.0, 3.0])
    normal = tf.random.stateless_parameterized_truncated_normal(
        [3, 2], [1, 2], mean, deviation, low, high
    )
    fetches = [
        tf.gradients(gamma, [alpha, beta]),
        tf.gradients(normal, [mean, deviation, low, high]),
    ]
    return Case(fetches, tolerance=1e-4, reason="quantiles of float32 lose digits to differences")


@case
def stateless_shapes(tf):
    sizes = tf.placeholder(tf.int32, [2])
    tensors = [
        tf.random.stateless_gamma(sizes, [1, 2], [1.0]),
        tf.random.stateless_poisson(sizes, [1, 2], [1.0]),
        tf.random.stateless_binomial([4], [1, 2], [1.0], [0.5]),
        tf.random.experimental.stateless_shuffle(tf.placeholder(tf.float32, [2, None]), [1, 2]),
        tf.random.split([1, 2], 5),
    ]
    return [str(tensor.shape) for tensor in tensors]


@case
def stateless_names(tf):
    tf.random.stateless_gamma([3, 2], [1, 2], [0.5, 2.0], beta=2.0)
    tf.random.stateless_poisson([3], [1, 2], 0.5)
    tf.random.stateless_binomial([3], [1, 2], 5.0, 0.5)
    tf.random.stateless_parameterized_truncated_normal([3], [1, 2])
    tf.random.experimental.stateless_shuffle([3, 2], [1, 2])
    tf.random.fold_in([1, 2], 7)
    tf.random.split([1, 2])
    return [operation.name for operation in tf.get_default_graph().get_operations()]


# --- streams in variables -------------------------------------------------------------------------


def _state(tf, words=(5, 6, 7)):
    return tf.get_variable("state", initializer=tf.constant(words, tf.int64) + 0, use_resource=True)


def _stateful_program(name, attrs):
    def program(tf):
        state = _state(tf)
        drawn = getattr(tf.raw_ops, name)(
            resource=state.handle, algorithm=1, shape=[5], **attrs(tf)
        )
        with tf.control_dependencies([drawn]):
            after = state.read_value()
        return Case([drawn, after], setup=[state.initializer], runs=3, **EXACT)

    return program


STATEFUL = {
    "uniform": ("StatefulUniform", lambda tf: {}),
    "uniform_double": ("StatefulUniform", lambda tf: {"dtype": tf.float64}),
    "uniform_half": ("StatefulUniform", lambda tf: {"dtype": tf.float16}),
    "uniform_bfloat16": ("StatefulUniform", lambda tf: {"dtype": tf.bfloat16}),
    "normal": ("StatefulStandardNormalV2", lambda tf: {}),
    "normal_double": ("StatefulStandardNormalV2", lambda tf: {"dtype": tf.float64}),
    "truncated": ("StatefulTruncatedNormal", lambda tf: {}),
    "full_long": ("StatefulUniformFullInt", lambda tf: {}),
    "full_int": ("StatefulUniformFullInt", lambda tf: {"dtype": tf.int32}),
    "range_long": (
        "StatefulUniformInt",
        lambda tf: {"minval": np.int64(0), "maxval": np.int64(2**40)},
    ),
}
for _name, (_op, _attrs) in STATEFUL.items():
    case(f"stateful_{_name}")(_stateful_program(_op, _attrs))


@case
def skipping(tf):
    def body(session):
        found = []
        for words in ((5, 6, 7), (-1, 6, 7), (2**63 - 1, -1, 0)):
            with tf.variable_scope(f"s{len(found)}"):
                state = _state(tf, words)
            session.run(state.initializer)
            for delta in (1, 10, -3, 2**60):
                session.run(tf.raw_ops.RngSkip(resource=state.handle, algorithm=1, delta=delta))
                found.append(session.run(state.value()).tolist())
                unsigned = np.uint64(delta % 2**64)
                before = tf.raw_ops.RngReadAndSkip(resource=state.handle, alg=1, delta=unsigned)
                found.append(session.run(before).tolist())
        return found

    return Script(body)


# --- Generator ------------------------------------------------------------------------------------


@case
def generator_draws(tf):
    generator = tf.random.Generator.from_seed(7)
    shape = tf.placeholder(tf.int32, [None])
    fetches = [
        generator.normal([2, 3]),
    ]
    for draw in (
        lambda: generator.normal(shape, 1.0, 2.0),
        lambda: generator.uniform([3]),
        lambda: generator.uniform([3], -1.0, 2.0, tf.float64),
        lambda: generator.uniform([3], 0, 10, tf.int32),
        lambda: generator.uniform([2], None, None, tf.int64),
        lambda: generator.uniform_full_int([2]),
        lambda: generator.truncated_normal([3]),
        lambda: generator.make_seeds(2),
        lambda: generator.skip(5),
    ):
        with tf.control_dependencies([fetches[-1]]):
            fetches.append(draw())
    setup = [tf.global_variables_initializer()]
    return Case(fetches, {shape: [3]}, setup=setup, runs=2, **EXACT)


@case
def generator_states(tf):
    make = tf.random.Generator
    generators = [
        make.from_seed(7),
        make.from_seed(2**70 + 5),
        make.from_seed(7, alg="philox"),
        make.from_state([1, 2, 3], "philox"),
        make.from_key_counter(1234, [5, 6], "philox"),
        make(state=[4, 5, 6], alg=1),
        make.from_seed([1, 2]),
    ]
    fetches = [generator.state.read_value() for generator in generators]
    fetches += [
        tf.random.create_rng_state(7, "philox"),
        tf.random.create_rng_state([1, 2], "philox"),
        tf.random.create_rng_state(tf.constant([1, 2, 3, 4, 5]), 1),
        [generator.algorithm for generator in generators],
        generators[0].key,
    ]
    return Case(fetches, setup=[tf.global_variables_initializer()])


@case
def generator_copies(tf):
    first = tf.random.Generator.from_seed(7)
    second = tf.random.Generator(copy_from=first)
    return Case(
        [first.uniform([3]), second.uniform([3])],
        setup=[first.state.initializer, second.state.initializer],
        **EXACT,
    )


@case
def generator_resets(tf):
    def body(session):
        generator = tf.random.Generator.from_seed(7)
        drawn = generator.uniform([2])
        session.run(generator.state.initializer)
        first = session.run(drawn).tolist()
        session.run(generator.state.assign([1, 2, 3]))
        return [first, session.run(drawn).tolist(), session.run(generator.state.value()).tolist()]

    return Script(body)


@case
def generator_variables(tf):
    generator = tf.random.Generator.from_seed(7)
    generator.normal([2])
    tf.random.Generator.from_state([1, 2, 3], "philox")
    return {
        "global": [variable.name for variable in tf.global_variables()],
        "trainable": [variable.name for variable in tf.trainable_variables()],
        "names": [operation.name for operation in tf.get_default_graph().get_operations()],
        "algorithms": [(one.name, one.value) for one in tf.random.Algorithm],
    }


@case
def generator_binomial(tf):
    generator = tf.random.Generator.from_seed(7)
    drawn = generator.binomial([4, 2], [100.0, 400.0], [0.3, 0.4])
    return Case([drawn, str(drawn.shape)], setup=[generator.state.initializer])


@case
def system_integers(tf):
    drawn = tf.raw_ops.NonDeterministicInts(shape=[2, 3])
    return [drawn.dtype.name, str(drawn.shape), tf.shape(drawn)]


def _stateful(tf, name="StatefulUniform", words=(5, 6, 7), **changes):
    state = _state(tf, words)
    arguments = {"resource": state.handle, "algorithm": 1, "shape": [2], **changes}
    return Case(getattr(tf.raw_ops, name)(**arguments), setup=[state.initializer])


error_cases(
    poisson_shape=lambda tf: tf.random.stateless_poisson([3], [1, 2], [1.0, 2.0]),
    gamma_shape=lambda tf: tf.random.stateless_gamma([3], [1, 2], [1.0, 2.0]),
    gamma_seed=lambda tf: tf.random.stateless_gamma([3], [1, 2, 3], 1.0),
    binomial_shape=lambda tf: tf.random.stateless_binomial([3], [1, 2], [1.0, 2.0], 0.5),
    truncated_bounds=lambda tf: tf.random.stateless_parameterized_truncated_normal(
        [2], [1, 2], 0.0, 1.0, 1.0, -1.0
    ),
    truncated_deviation=lambda tf: tf.random.stateless_parameterized_truncated_normal(
        [2], [1, 2], 0.0, -1.0
    ),
    shuffle_seed=lambda tf: tf.random.experimental.stateless_shuffle([1, 2], [1]),
    stateful_short_state=lambda tf: _stateful(tf, words=(1, 2)),
    stateful_threefry=lambda tf: _stateful(tf, algorithm=2),
    stateful_algorithm=lambda tf: _stateful(tf, algorithm=9),
    stateful_vector_algorithm=lambda tf: _stateful(tf, algorithm=[1]),
    stateful_negative=lambda tf: _stateful(tf, shape=[-1]),
    stateful_scalar_shape=lambda tf: _stateful(tf, shape=3),
    stateful_empty_range=lambda tf: _stateful(tf, "StatefulUniformInt", minval=5, maxval=5),
    stateful_vector_bound=lambda tf: _stateful(tf, "StatefulUniformInt", minval=[5], maxval=9),
    generator_without_state=lambda tf: tf.random.Generator(),
    generator_short_state=lambda tf: tf.random.Generator(state=[1, 2], alg="philox"),
    generator_algorithm=lambda tf: tf.random.Generator.from_seed(1, alg="mersenne"),
    generator_bound=lambda tf: tf.random.Generator.from_seed(1).uniform([2], dtype=tf.int32),
    uninitialized_generator=lambda tf: tf.random.Generator.from_seed(1).uniform([2]),
)

"""Random ops: streams that go on, seeds, shapes, distributions and gradients.

That the streams are TensorFlow's, bit for bit, is for `tests/differential` to say.
"""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf

raw = tf.raw_ops


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches, feeds=None, times=1):
    with tf.Session() as session:
        values = [session.run(fetches, feeds) for _ in range(times)]
    return values[0] if times == 1 else values


DRAWS = {
    "uniform": lambda **kwargs: tf.random_uniform([50], **kwargs),
    "integers": lambda **kwargs: tf.random_uniform([50], 0, 1000, tf.int32, **kwargs),
    "normal": lambda **kwargs: tf.random_normal([50], **kwargs),
    "truncated": lambda **kwargs: tf.truncated_normal([50], **kwargs),
    "gamma": lambda **kwargs: tf.random_gamma([50], 2.0, **kwargs),
    "poisson": lambda **kwargs: tf.random_poisson(300.0, [50], **kwargs),
    "shuffle": lambda **kwargs: tf.random_shuffle(np.arange(50), **kwargs),
    "classes": lambda **kwargs: tf.multinomial(np.zeros([1, 100], np.float32), 50, **kwargs),
    "bounded": lambda seed: raw.ParameterizedTruncatedNormal(
        shape=[1, 50], means=0.0, stdevs=1.0, minvals=-1.0, maxvals=3.0, seed=seed, seed2=5
    ),
    "old_poisson": lambda seed: raw.RandomPoisson(shape=[50], rate=300.0, seed=seed, seed2=5),
}


@pytest.mark.parametrize("name", DRAWS)
def test_streams_go_on_and_start_anew_in_each_session(name):
    drawn = DRAWS[name](seed=3)
    first, second = run(drawn, times=2)
    assert (first != second).any()
    np.testing.assert_array_equal(run(drawn), first)
    assert drawn.shape.is_compatible_with(first.shape)


def test_ops_of_one_graph_seed_differ():
    tf.set_random_seed(1)
    first, second = run([tf.random_uniform([9]), tf.random_uniform([9])])
    assert (first != second).any()


def test_distributions():
    tf.set_random_seed(5)
    count = 20000
    values = run(
        {
            "uniform": tf.random_uniform([count], 2.0, 4.0),
            "normal": tf.random_normal([count], 5.0, 2.0),
            "truncated": tf.truncated_normal([count]),
            "gamma": tf.random_gamma([count], 3.0, 2.0),
            "small": tf.random_gamma([count], 0.2),
            "poisson": tf.random_poisson(4.0, [count]),
            "large": tf.random_poisson(50.0, [count]),
        }
    )
    moments = {
        "uniform": (3, 1 / 3),
        "normal": (5, 4),
        "truncated": (0, 0.7741),
        "gamma": (1.5, 0.75),
        "small": (0.2, 0.2),
        "poisson": (4, 4),
        "large": (50, 50),
    }
    for name, (mean, variance) in moments.items():
        error = 5 * np.sqrt(variance / count)
        assert abs(values[name].mean() - mean) < error, name
        assert values[name].var() == pytest.approx(variance, rel=0.1), name


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: tf.random_gamma([5, 2], [1.0, 2.0, 3.0]), [5, 2, 3]),
        (lambda: tf.random_gamma([5], [1.0, 2.0], [[1.0], [2.0], [3.0]]), [5, 3, 2]),
        (lambda: tf.random_poisson([1.0, 2.0], [5], tf.int64), [5, 2]),
        (lambda: tf.random_gamma([0], [1.0, 2.0]), [0, 2]),
        (lambda: tf.random_poisson([], [4]), [4, 0]),
    ],
)
def test_draws_come_for_each_parameter(make, expected):
    drawn = make()
    assert drawn.shape.as_list() == expected
    assert list(run(drawn).shape) == expected


def test_gamma_variates_move_with_their_parameters():
    """The reparameterised gradient of the mean is the gradient of the mean, α / β."""
    alpha, beta = tf.constant([0.4, 1.0, 6.0], tf.float64), tf.constant(2.0, tf.float64)
    mean = tf.reduce_mean(tf.random_gamma([20000], alpha, beta, tf.float64, seed=1), 0)
    by_alpha, by_beta = run(tf.gradients(mean, [alpha, beta]))
    np.testing.assert_allclose(by_alpha, 0.5, rtol=0.05)
    assert by_beta == pytest.approx(-7.4 / 4, rel=0.05)


def test_slope_of_gamma_variates():
    """P(α, x) stays as α moves: against differences of the distribution function."""
    alpha = np.array([0.3, 1.0, 2.0, 5.0, 40.0])
    sample = np.array([0.1, 0.7, 3.0, 4.0, 45.0])
    slope, up, down, wide, narrow = run(
        [
            raw.RandomGammaGrad(alpha=alpha, sample=sample),
            tf.math.igamma(alpha + 1e-5, sample),
            tf.math.igamma(alpha - 1e-5, sample),
            tf.math.igamma(alpha, sample + 1e-5),
            tf.math.igamma(alpha, sample - 1e-5),
        ]
    )
    np.testing.assert_allclose(slope, -(up - down) / (wide - narrow), rtol=1e-6)


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.random_gamma([-1], 1.0),
        lambda: tf.random_poisson(np.nan, [2]),
        lambda: tf.random_poisson(1e10, [2], tf.int32),
        lambda: raw.ParameterizedTruncatedNormal(
            shape=[2], means=0.0, stdevs=1.0, minvals=2.0, maxvals=1.0
        ),
    ],
)
def test_wrong_parameters_are_refused(make):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        run(make())


def test_crops():
    values = np.arange(30).reshape(6, 5)
    crop = tf.random_crop(values, [2, 3], seed=8)
    assert crop.shape.as_list() == [2, 3]
    places = set()
    for block in run(crop, times=20):
        row, column = divmod(int(block[0, 0]), 5)
        np.testing.assert_array_equal(block, values[row : row + 2, column : column + 3])
        places.add((row, column))
    assert len(places) > 5
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Need value.shape >= size"):
        run(tf.random_crop(values, [7, 3]))


# --- without state --------------------------------------------------------------------------------

STATELESS = {
    "uniform": lambda seed: tf.random.stateless_uniform([40], seed),
    "integers": lambda seed: tf.random.stateless_uniform([40], seed, 0, 999, tf.int32),
    "all_integers": lambda seed: tf.random.stateless_uniform([40], seed, None, None, tf.uint64),
    "normal": lambda seed: tf.random.stateless_normal([40], seed),
    "truncated": lambda seed: tf.random.stateless_truncated_normal([40], seed),
    "classes": lambda seed: tf.random.stateless_categorical(np.zeros([2, 99], "f"), 40, seed),
    "old_uniform": lambda seed: raw.StatelessRandomUniform(shape=[40], seed=seed),
    "old_normal": lambda seed: raw.StatelessRandomNormal(shape=[40], seed=seed),
    "old_truncated": lambda seed: raw.StatelessTruncatedNormal(shape=[40], seed=seed),
    "old_all_integers": lambda seed: raw.StatelessRandomUniformFullInt(shape=[40], seed=seed),
    "old_integers": lambda seed: raw.StatelessRandomUniformInt(
        shape=[40], seed=seed, minval=0, maxval=999
    ),
}


@pytest.mark.parametrize("name", STATELESS)
def test_seeds_alone_decide(name):
    seed = tf.placeholder(tf.int64, [2])
    drawn = STATELESS[name](seed)
    first, again = run(drawn, {seed: [1, 2]}, times=2)
    np.testing.assert_array_equal(first, again)
    for other in ([1, 3], [2, 2], [-1, 2]):
        assert (run(drawn, {seed: other}) != first).any()
    assert drawn.shape.is_compatible_with(first.shape)


@pytest.mark.parametrize("name", ["uniform", "normal", "truncated"])
def test_old_and_new_ops_draw_alike(name):
    new, old = run([STATELESS[name]([1, 2]), STATELESS[f"old_{name}"]([1, 2])])
    np.testing.assert_array_equal(new, old)


def test_keys_are_made_of_seeds():
    key, counter, algorithm = raw.StatelessRandomGetKeyCounterAlg(seed=[1, 2])
    pair = raw.StatelessRandomGetKeyCounter(seed=[1, 2])
    values = run([key, counter, algorithm, *pair, raw.StatelessRandomGetAlg()])
    np.testing.assert_array_equal(values[0], values[3])
    np.testing.assert_array_equal(values[1], values[4])
    assert values[2] == values[5] == 1
    assert [tensor.shape.as_list() for tensor in (key, counter, algorithm)] == [[1], [2], []]
    drawn = raw.StatelessRandomUniformV2(shape=[40], key=key, counter=counter, alg=algorithm)
    np.testing.assert_array_equal(*run([drawn, STATELESS["uniform"]([1, 2])]))


def test_bounds_and_scales():
    drawn = run(
        [
            tf.random.stateless_uniform([999], [1, 2], -3.0, 5.0),
            tf.random.stateless_uniform([999], [1, 2], -3, 5, tf.int64),
            tf.random.stateless_normal([9999], [1, 2], 7.0, 0.5),
            tf.random.stateless_truncated_normal([999], [1, 2], 7.0, 0.5),
        ]
    )
    assert -3 <= drawn[0].min() < -2.8
    assert 4.8 < drawn[0].max() < 5
    assert set(drawn[1].tolist()) == set(range(-3, 5))
    assert drawn[2].mean() == pytest.approx(7, abs=0.02)
    assert abs(drawn[3] - 7).max() < 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tf.random.stateless_normal([2], [1, 2, 3]), "Dimensions must be equal"),
        (lambda: tf.random.stateless_normal([2], [1, 2], alg="dice"), "algorithm 'dice'"),
        (lambda: tf.random.stateless_uniform([2], [1, 2], 1, None, tf.int32), "both None or both"),
        (lambda: tf.random.stateless_uniform([2], [1, 2], dtype=tf.string), "string"),
    ],
)
def test_wrong_seeds_and_algorithms_are_refused(make, words):
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=words):
        run(make())


def test_threefry_is_for_xla_only():
    with pytest.raises(tf.errors.UnimplementedError, match="ThreeFry"):
        run(tf.random.stateless_normal([2], [1, 2], alg="threefry"))

"""tf.contrib.crf against sums over all tag sequences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import featherflow as tf

BATCH, TIME, TAGS = 4, 4, 3
LENGTHS = [4, 2, 1, 0]


@pytest.fixture
def random() -> np.random.RandomState:
    return np.random.RandomState(3)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def score_of(potentials: np.ndarray, transitions: np.ndarray, tags: tuple[int, ...]) -> float:
    unary = sum(potentials[step, tag] for step, tag in enumerate(tags))
    return unary + sum(transitions[pair] for pair in itertools.pairwise(tags))


def all_scores(potentials: np.ndarray, transitions: np.ndarray, length: int) -> dict:
    sequences = itertools.product(range(TAGS), repeat=length)
    return {tags: score_of(potentials, transitions, tags) for tags in sequences}


def test_scores_and_likelihood_sum_over_all_sequences(random) -> None:
    potentials = random.normal(size=(BATCH, TIME, TAGS)).astype(np.float32)
    transitions = random.normal(size=(TAGS, TAGS)).astype(np.float32)
    tags = random.randint(0, TAGS, (BATCH, TIME))
    crf = tf.contrib.crf
    score = crf.crf_sequence_score(tf.constant(potentials), tags, LENGTHS, tf.constant(transitions))
    norm = crf.crf_log_norm(tf.constant(potentials), LENGTHS, tf.constant(transitions))
    likelihood, used = crf.crf_log_likelihood(
        tf.constant(potentials), tags, LENGTHS, tf.constant(transitions)
    )
    with tf.Session() as sess:
        scores, norms, likelihoods, parameters = sess.run([score, norm, likelihood, used])
    np.testing.assert_array_equal(parameters, transitions)
    for index, length in enumerate(LENGTHS):
        possible = all_scores(potentials[index], transitions, length)
        wanted = possible[tuple(tags[index, :length])]
        total = np.log(np.sum(np.exp(list(possible.values())))) if length else 0.0
        assert scores[index] == pytest.approx(wanted, abs=1e-5)
        assert norms[index] == pytest.approx(total, abs=1e-5)
        assert likelihoods[index] == pytest.approx(wanted - total, abs=1e-5)


def test_the_best_sequence_is_found(random) -> None:
    potentials = random.normal(size=(BATCH, TIME, TAGS)).astype(np.float32)
    transitions = random.normal(size=(TAGS, TAGS)).astype(np.float32)
    tags, score = tf.contrib.crf.crf_decode(
        tf.constant(potentials), tf.constant(transitions), tf.constant(LENGTHS)
    )
    with tf.Session() as sess:
        found, best = sess.run([tags, score])
    assert found.dtype == np.int32 and tags.shape.as_list() == [BATCH, TIME]
    for index, length in enumerate(LENGTHS[:3]):
        possible = all_scores(potentials[index], transitions, length)
        wanted = max(possible, key=possible.get)
        assert tuple(found[index, :length]) == wanted and not found[index, length:].any()
        assert best[index] == pytest.approx(possible[wanted], abs=1e-5)
        alone, alone_score = tf.contrib.crf.viterbi_decode(potentials[index, :length], transitions)
        assert tuple(alone) == wanted and alone_score == pytest.approx(best[index], abs=1e-5)


def test_one_step_and_fed_shapes(random) -> None:
    inputs = tf.placeholder(tf.float32, [None, None, TAGS])
    lengths = tf.placeholder(tf.int32, [None])
    transitions = random.normal(size=(TAGS, TAGS)).astype(np.float32)
    tags, score = tf.contrib.crf.crf_decode(inputs, tf.constant(transitions), lengths)
    norm = tf.contrib.crf.crf_log_norm(inputs, lengths, tf.constant(transitions))
    potentials = random.normal(size=(2, 1, TAGS)).astype(np.float32)
    with tf.Session() as sess:
        found, best, total = sess.run([tags, score, norm], {inputs: potentials, lengths: [1, 1]})
    np.testing.assert_array_equal(found, potentials.argmax(-1))
    np.testing.assert_allclose(best, potentials.max(-1)[:, 0], rtol=1e-6)
    np.testing.assert_allclose(total, np.log(np.exp(potentials[:, 0]).sum(-1)), rtol=1e-5)


def test_several_allowed_tags(random) -> None:
    potentials = random.normal(size=(1, 3, TAGS)).astype(np.float32)
    transitions = random.normal(size=(TAGS, TAGS)).astype(np.float32)
    allowed = np.array([[[1, 1, 0], [0, 1, 1], [1, 0, 1]]], bool)
    score = tf.contrib.crf.crf_multitag_sequence_score(
        tf.constant(potentials), tf.constant(allowed), [3], tf.constant(transitions)
    )
    wanted = [
        value
        for tags, value in all_scores(potentials[0], transitions, 3).items()
        if all(allowed[0, step, tag] for step, tag in enumerate(tags))
    ]
    with tf.Session() as sess:
        assert sess.run(score)[0] == pytest.approx(np.log(np.exp(wanted).sum()), abs=1e-5)


def test_training_learns_the_tags(random) -> None:
    inputs = random.normal(size=(1, 6, 4)).astype(np.float32)
    tags = np.array([[0, 1, 2, 0, 1, 2]])
    potentials = tf.layers.dense(tf.constant(inputs), TAGS)
    likelihood, transitions = tf.contrib.crf.crf_log_likelihood(potentials, tags, [6])
    decoded, _ = tf.contrib.crf.crf_decode(potentials, transitions, [6])
    loss = tf.reduce_mean(-likelihood)
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    assert transitions.name == "transitions:0"
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        first = sess.run(loss)
        for _ in range(30):
            sess.run(train)
        assert sess.run(loss) < 0.2 * first
        np.testing.assert_array_equal(sess.run(decoded), tags)

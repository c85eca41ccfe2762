"""Compiled steps give what the NumPy plan gives: values, errors, effects, whoever runs them."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import featherflow as tf
from compiler.step_cases import FAMILIES, draw_step
from compiler.step_values import (
    Drawn,
    Step,
    assert_same_bits,
    assert_values,
    open_session,
    run_step,
)
from featherflow.runtime import compiled_step

_SAMPLE = 120
_ALL = 4000


@pytest.fixture(autouse=True)
def empty_graph() -> None:
    tf.reset_default_graph()


def compiled_session() -> Any:
    return open_session(tf.get_default_graph(), compiled=True)


def clusters_of(session: Any) -> int:
    """How many clusters the compiled plans of a session have."""
    steps = [prepared.compiled for prepared in session._session._plans.values()]
    plans = [plan for step in steps if step is not None for plan in step.ready.values()]
    return sum(step.node.definition.name == "_Cluster" for plan in plans for step in plan.steps)


def check_both(step: Step) -> None:
    expected, actual = run_step(step, compiled=False), run_step(step, compiled=True)
    for value, one, other in zip(step.fetches, expected, actual):
        assert one.shape == value.shape
        assert_values(other, one, value.error, value.tensor.name)


# --- drawn steps ----------------------------------------------------------------------------------


def test_drawn_steps(pytestconfig: pytest.Config) -> None:
    for seed in range(_ALL if pytestconfig.getoption("--all") else _SAMPLE):
        try:
            check_both(draw_step(seed))
        except Exception as error:
            raise AssertionError(f"draw_step({seed})") from error


@pytest.mark.parametrize("kind", sorted(FAMILIES))
def test_each_family_compiles(kind: str) -> None:
    """Draws of each family have clusters: the tests here test something."""
    counts = []
    for seed in range(10_000, 10_006):
        step = draw_step(seed, (kind,))
        check_both(step)
        with open_session(step.graph, compiled=True) as session:
            for initializer in step.initializers:
                session.run(initializer)
            session.run([value.tensor for value in step.fetches], step.feeds)
            counts.append(clusters_of(session))
    assert sum(count > 0 for count in counts) >= 3, counts


@pytest.mark.parametrize("kinds", [("images",), ("products", "reductions"), ("smooth", "moves")])
def test_bits_do_not_depend_on_run_or_threads(kinds: tuple[str, ...]) -> None:
    for seed in range(20_000, 20_004):
        step = draw_step(seed, kinds)
        alone = run_step(step, compiled=True, threads=1, times=3)
        for threads in (2, 3):
            for one, other in zip(alone, run_step(step, True, threads, times=2)):
                assert_same_bits(other, one)


def test_bits_of_large_steps_do_not_depend_on_threads() -> None:
    rng = np.random.default_rng(3)
    x = tf.placeholder(tf.float32, [3, 34, 31, 24])
    weights = tf.constant(rng.normal(size=(3, 3, 24, 70)).astype(np.float32))
    y = tf.nn.relu(tf.nn.conv2d(x, weights, strides=1, padding="SAME"))
    flat = tf.reshape(tf.nn.avg_pool(y, 2, 2, "VALID"), [3 * 17, 15 * 70])
    matrix = tf.constant(rng.normal(size=(15 * 70, 130)).astype(np.float32))
    logits = tf.matmul(flat, matrix)
    fetches = [tf.nn.softmax(logits), tf.reduce_sum(y, [0, 1]), tf.reduce_mean(y, [3])]
    step = Step(tf.get_default_graph(), {x: rng.normal(size=(3, 34, 31, 24)).astype(np.float32)})
    step.fetches = [Drawn(fetch, tuple(fetch.shape.as_list()), 2e-4) for fetch in fetches]
    check_both(step)
    alone = run_step(step, compiled=True, threads=1)
    for threads in (2, 3):
        for one, other in zip(alone, run_step(step, True, threads, times=3)):
            assert_same_bits(other, one)


# --- shapes of feeds ------------------------------------------------------------------------------


def test_batches_of_several_sizes() -> None:
    rng = np.random.default_rng(0)
    x = tf.placeholder(tf.float32, [None, 12])
    weights = tf.constant(rng.normal(size=(12, 20)).astype(np.float32))
    hidden = tf.tanh(tf.matmul(x, weights))
    y = tf.nn.softmax(hidden) / tf.cast(tf.shape(x)[0], tf.float32)
    with compiled_session() as session, open_session(session.graph, compiled=False) as plain:
        for batch in (1, 7, 2, 64, 7, 0, 1):
            given = rng.normal(size=(batch, 12)).astype(np.float32)
            feeds = {x: given}
            assert_values(session.run(y, feeds), plain.run(y, feeds), 1e-5, str(batch))
        assert clusters_of(session) >= 5


def test_more_shapes_than_are_kept() -> None:
    x = tf.placeholder(tf.float32, [None])
    y = x * 3.0 + 1.0
    with compiled_session() as session:
        for size in (*range(1, 45), *range(1, 5)):
            np.testing.assert_array_equal(session.run(y, {x: np.ones(size)}), np.full(size, 4.0))


def of_images(y: Any, count: Any) -> dict[str, Any]:
    """What may come after a model for images of shape [6, 5, 8]; not all keeps images apart."""
    real = tf.cast(count, tf.float32)
    flat = tf.reshape(y, [count, -1])
    return {
        "softmax": tf.nn.softmax(flat),
        "pixels": tf.reshape(y, [-1, 8]),
        "pack": tf.stack([y, y * 2.0], 1),
        "by the number of images": y / real,
        "by as many channels": y * tf.range(8.0) * real,
        "from the number of images on": y[:, :, tf.minimum(count, 4) :],
        "padded by the number of images": tf.pad(y, [[0, 0], [count, 0], [0, 0], [0, 0]]),
        "other axis": tf.transpose(y, [1, 0, 2, 3]),
        "reversed": y[::-1],
        "turned": tf.concat([y[1:], y[:1]], 0),
        "from the first": y - y[:1],
        "halves": tf.reduce_max(tf.reshape(y, [2, -1, 8]), 0),
        "over images": tf.nn.softmax(flat, axis=0),
        "all by all": tf.matmul(flat, flat, transpose_b=True),
        "twice": tf.tile(y, [2, 1, 1, 1]),
    }


def test_images_run_one_by_one_only_where_they_are_apart(monkeypatch: Any) -> None:
    monkeypatch.setattr(compiled_step, "pays_alone", lambda *args: True)
    rng = np.random.default_rng(2)
    x = tf.placeholder(tf.float32, [None, 6, 5, 3])
    weights = tf.constant(rng.normal(size=(3, 3, 3, 8)).astype(np.float32))
    y = tf.nn.relu(tf.nn.conv2d(x, weights, 1, "SAME"))
    batched = 0
    for name, fetch in of_images(y, tf.shape(x)[0]).items():
        for count in (4, 2):
            feeds = {x: rng.normal(size=(count, 6, 5, 3)).astype(np.float32)}
            with open_session(x.graph, compiled=False) as session:
                expected = session.run(fetch, feeds)
            with open_session(x.graph, compiled=True, threads=2) as session:
                assert_values(session.run(fetch, feeds), expected, 1e-5, name)
                steps = [prepared.compiled for prepared in session._session._plans.values()]
                attempts = [item for step in steps for item in step.attempts.values()]
                batched += any(attempt.batch is not None for attempt in attempts)
    assert batched >= 6


def test_what_would_be_thousands_of_calls_runs_numpy_kernels() -> None:
    rng = np.random.default_rng(4)
    x = tf.placeholder(tf.float32, [2, 2, 2, 2, 40, 40])
    turned = tf.transpose(x, [4, 5, 3, 2, 1, 0]) * 2.0
    matrices = tf.placeholder(tf.float32, [3000, 2, 3])
    products = tf.matmul(matrices, matrices, transpose_b=True) + 1.0
    feeds = {
        x: rng.normal(size=(2, 2, 2, 2, 40, 40)).astype(np.float32),
        matrices: rng.normal(size=(3000, 2, 3)).astype(np.float32),
    }
    for fetch in (turned, products):
        with open_session(x.graph, compiled=False) as session:
            expected = session.run(fetch, feeds)
        with compiled_session() as session:
            assert_values(session.run(fetch, feeds), expected, 1e-5)


# --- what is fetched ------------------------------------------------------------------------------


def test_values_on_the_way_are_fetched_with_what_comes_of_them() -> None:
    x = tf.placeholder(tf.float32, [4, 6])
    doubled = x * 2.0
    turned = tf.transpose(doubled)
    rows = tf.unstack(turned)
    total = tf.reduce_sum(turned + 1.0, 1)
    given = np.arange(24, dtype=np.float32).reshape(4, 6)
    with compiled_session() as session:
        fetches = [doubled, turned, tf.reshape(doubled, [-1]), *rows, total, doubled]
        results = session.run(fetches, {x: given})
        assert clusters_of(session) == 1
    expected = [given * 2, given.T * 2, given.ravel() * 2, *(given.T * 2), (given * 2 + 1).sum(0)]
    for result, wanted in zip(results, [*expected, given * 2]):
        np.testing.assert_array_equal(result, wanted)


def test_fetches_own_their_memory() -> None:
    x = tf.placeholder(tf.float32, [3, 4])
    y = x + 1.0
    fetches = [y, tf.reshape(y, [12]), tf.transpose(y), y[1:], y, tf.identity(x), tf.squeeze(x)]
    with compiled_session() as session:
        given = np.zeros((3, 4), np.float32)
        first = session.run(fetches, {x: given})
        for result in first:
            assert result.flags.writeable and not np.shares_memory(result, given)
            result[...] = np.nan
            others = [other for other in first if other is not result]
            assert not any(np.shares_memory(result, other) for other in others)
        second = session.run(fetches, {x: given})
    for result in second:
        assert not np.isnan(result).any()


def test_a_fetched_value_is_fed() -> None:
    x = tf.placeholder(tf.float32, [3])
    middle = tf.exp(x)
    y = tf.identity(middle * 2.0)
    given = np.array([1, 2, 3], np.float32)
    with compiled_session() as session:
        results = session.run([middle, y], {middle: given})
        given[:] = 0
        for result, wanted in zip(results, ([1, 2, 3], [2, 4, 6])):
            np.testing.assert_array_equal(result, wanted)
        session.run([middle, y], {x: given})
        np.testing.assert_array_equal(session.run([y], {x: given})[0], [2, 2, 2])


def test_outputs_of_one_run_stay_when_the_next_writes() -> None:
    x = tf.placeholder(tf.float32, [64, 64])
    y = tf.matmul(tf.tanh(x), tf.constant(np.eye(64, dtype=np.float32)))
    with compiled_session() as session:
        kept = [session.run(y, {x: np.full((64, 64), n, np.float32)}) for n in range(5)]
    for n, result in enumerate(kept):
        np.testing.assert_allclose(result, np.full((64, 64), np.tanh(n)), rtol=1e-5)


# --- state and order ------------------------------------------------------------------------------


@pytest.mark.parametrize("use_resource", [False, True])
def test_variables_change_between_runs(use_resource: bool) -> None:
    variable = tf.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=use_resource)
    x = tf.placeholder(tf.float32, [2, 2])
    y = tf.matmul(x, variable) * 2.0 + variable
    more = tf.assign_add(variable, tf.ones([2, 2]))
    with compiled_session() as session:
        session.run(tf.global_variables_initializer())
        value = np.array([[1, 2], [3, 4]], np.float32)
        for _ in range(3):
            np.testing.assert_array_equal(session.run(y, {x: np.eye(2)}), value * 3)
            session.run(more)
            value = value + 1
        assert clusters_of(session)


@pytest.mark.parametrize("use_resource", [False, True])
def test_training_is_the_same(use_resource: bool) -> None:
    rng = np.random.default_rng(1)
    x = tf.placeholder(tf.float32, [None, 3])
    with tf.variable_scope("model", use_resource=use_resource):
        first = tf.get_variable("first", [3, 8], initializer=tf.constant_initializer(0.1))
        second = tf.get_variable("second", [8, 1], initializer=tf.constant_initializer(0.2))
    loss = tf.reduce_mean(tf.square(tf.matmul(tf.tanh(tf.matmul(x, first)), second) - 1.0))
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    batches = rng.normal(size=(6, 5, 3)).astype(np.float32)
    losses = []
    for compiled in (True, False):
        with open_session(tf.get_default_graph(), compiled) as session:
            session.run(tf.global_variables_initializer())
            runs = [session.run([loss, train], {x: batch})[0] for batch in batches]
            losses.append([*runs, *session.run([first, second])])
            assert compiled == bool(clusters_of(session))
    for one, other in zip(*losses):
        np.testing.assert_allclose(one, other, rtol=1e-5)
    assert losses[0][5] != losses[0][0]


def test_control_edges_hold() -> None:
    count = tf.Variable(0.0, use_resource=False)
    x = tf.placeholder(tf.float32, [2])
    y = tf.exp(x)
    with tf.control_dependencies([y]):
        counted = tf.assign_add(count, 1.0)
    with tf.control_dependencies([counted]):
        z = y * 2.0 + count
    read_before = count * 10.0
    with tf.control_dependencies([read_before]):
        then = tf.assign_add(count, 1.0)
    with compiled_session() as session:
        session.run(count.initializer)
        for n in (1, 2, 3):
            np.testing.assert_array_equal(session.run(z, {x: [0, 0]}), [2 + n, 2 + n])
        assert session.run([read_before, then]) == [30.0, 4.0]


def test_what_is_only_waited_for_runs() -> None:
    x = tf.placeholder(tf.float32, [2])
    checked = tf.check_numerics(x, "not a number")
    with tf.control_dependencies([checked]):
        y = tf.zeros([2]) + tf.exp(x) * 0.0
    with tf.control_dependencies([tf.assert_less(x, 5.0)]):
        z = x + 1.0
    with compiled_session() as session:
        np.testing.assert_array_equal(session.run(y, {x: [1, 2]}), [0, 0])
        np.testing.assert_array_equal(session.run(z, {x: [1, 2]}), [2, 3])
        with pytest.raises(tf.errors.InvalidArgumentError, match="not a number"):
            session.run(y, {x: [1, np.nan]})
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(z, {x: [1, 9]})


def test_ref_variables_are_read_before_they_change() -> None:
    """The value of a ref variable is its memory: what reads it stays before what changes it."""
    variable = tf.Variable([1.0, 2.0], use_resource=False)
    seen = tf.tanh(tf.cast(tf.py_func(lambda: np.float32(1), [], tf.float32), tf.float32))
    seen.set_shape([])
    y = variable.read_value() * 2.0 + seen * 0.0
    with tf.control_dependencies([y]):
        change = tf.assign(variable, variable * 5.0 + seen * 0.0)
    z = change * 1.0
    with compiled_session() as session:
        session.run(variable.initializer)
        results = session.run([y, z])
    np.testing.assert_array_equal(results[0], [2, 4])
    np.testing.assert_array_equal(results[1], [5, 10])


# --- values that are not as the graph says --------------------------------------------------------


def test_a_variable_of_another_shape() -> None:
    variable = tf.Variable(np.ones((2, 3), np.float32), use_resource=False)
    y = tf.exp(variable * 0.0) + 1.0
    grow = tf.assign(variable, np.ones((4, 3), np.float32), validate_shape=False)
    with compiled_session() as session:
        session.run(variable.initializer)
        assert session.run(y).shape == (2, 3)
        session.run(grow.op)
        np.testing.assert_array_equal(session.run(y), np.full((4, 3), 2.0))


def test_a_shape_that_was_promised_and_is_not_so() -> None:
    for size in (1, 3, 9):
        value = tf.py_func(lambda n=size: np.ones(n, np.float32), [], tf.float32)
        value.set_shape([3])
        with open_session(tf.get_default_graph(), compiled=True) as session:
            np.testing.assert_array_equal(session.run(value * 2.0 + 1.0), np.full(size, 3.0))


# --- errors ---------------------------------------------------------------------------------------


def failing_steps() -> dict[str, tuple[Any, dict[Any, Any]]]:
    """Steps whose shapes do not fit, as only the run can know."""
    x = tf.placeholder(tf.float32)
    y = tf.placeholder(tf.float32)
    axes = tf.placeholder(tf.int32)
    pair = np.ones((2, 3)), np.ones((2, 3))
    bias, image = np.ones((2, 3)), np.ones((1, 4, 4, 3))
    twice = tf.exp(x) * 2.0
    return {
        "add": (twice + y, {x: np.ones(3), y: np.ones(4)}),
        "matmul": (tf.matmul(twice, y), {x: pair[0], y: pair[1]}),
        "matmul of rank 3": (tf.raw_ops.MatMul(a=twice, b=y), {x: np.ones((2, 2, 2)), y: pair[1]}),
        "bias": (tf.nn.bias_add(twice, y), {x: bias, y: bias}),
        "concat": (tf.concat([twice, y], 1), {x: np.ones((2, 3)), y: np.ones((3, 3))}),
        "pack": (tf.stack([twice, y]), {x: np.ones(2), y: np.ones(3)}),
        "reshape": (tf.reshape(twice, [7]), {x: np.ones(6)}),
        "split": (tf.split(twice, 2, 0), {x: np.ones(5)}),
        "squeeze": (tf.squeeze(twice, [0]), {x: np.ones((2, 1))}),
        "pad": (tf.pad(twice, [[1, 1]]), {x: np.ones((2, 2))}),
        "softmax": (tf.raw_ops.Softmax(logits=twice), {x: np.float32(1)}),
        "sum": (tf.reduce_sum(twice, axes), {x: np.ones(2), axes: 3}),
        "transpose": (tf.transpose(twice, [0, 0]), {x: np.ones((2, 2))}),
        "convolution": (tf.nn.conv2d(twice, y, 1, "SAME"), {x: image, y: np.ones((1, 1, 2, 4))}),
        "slice": (tf.slice(twice, [1], [5]), {x: np.ones(3)}),
        "room": (tf.tile(twice, [2**30, 2**30]), {x: np.ones((1, 1))}),
        "einsum": (tf.einsum("ab,bc->ac", twice, y), {x: pair[0], y: pair[1]}),
        "add_n": (tf.add_n([twice, y]), {x: np.ones(1), y: np.ones(3)}),
        "broadcast": (tf.broadcast_to(twice, [4]), {x: np.ones(3)}),
        "select": (tf.where_v2(twice > 0, twice, y), {x: np.ones(3), y: np.ones(2)}),
    }


FAILING = sorted(failing_steps())


@pytest.mark.parametrize("name", FAILING)
def test_errors_are_the_same(name: str) -> None:
    fetch, feeds = failing_steps()[name]
    texts = []
    for compiled in (False, True):
        with (
            open_session(tf.get_default_graph(), compiled) as session,
            pytest.raises(tf.errors.OpError) as caught,
        ):
            session.run(fetch, feeds)
        error = caught.value
        assert error.op is not None
        texts.append((type(error), error.op.name, str(error)))
    assert texts[0] == texts[1]


def test_a_run_after_an_error_is_fine() -> None:
    x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
    z = tf.tanh(x) + y
    with compiled_session() as session:
        for _ in range(3):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(z, {x: np.ones(3), y: np.ones(2)})
            np.testing.assert_allclose(
                session.run(z, {x: np.zeros(3), y: np.ones(3)}), np.ones(3), rtol=1e-6
            )


# --- threads --------------------------------------------------------------------------------------


def test_threads_share_a_session() -> None:
    rng = np.random.default_rng(5)
    x = tf.placeholder(tf.float32, [None, 40])
    weights = tf.constant(rng.normal(size=(40, 96)).astype(np.float32))
    hidden = tf.nn.relu(tf.matmul(x, weights))
    y = [tf.nn.softmax(hidden), tf.reduce_sum(hidden, 0)]
    given = [rng.normal(size=(1 + n % 5, 40)).astype(np.float32) for n in range(40)]
    with open_session(tf.get_default_graph(), compiled=False) as plain:
        expected = [plain.run(y, {x: item}) for item in given]
    barrier = threading.Barrier(4)
    with open_session(tf.get_default_graph(), compiled=True, threads=2) as session:

        def work(first: int) -> list[tuple[int, list[np.ndarray]]]:
            barrier.wait(30)
            order = [(first * 10 + n) % 40 for n in range(40)]
            return [(n, session.run(y, {x: given[n]})) for n in order]

        with ThreadPoolExecutor(4) as pool:
            results = [item for found in pool.map(work, range(4)) for item in found]
    assert len(results) == 160
    first: dict[int, list[np.ndarray]] = {}
    for n, values in results:
        for value, wanted, again in zip(values, expected[n], first.setdefault(n, values)):
            assert_values(value, wanted, 1e-5)
            assert_same_bits(value, again)

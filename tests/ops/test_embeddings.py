"""Embeddings: look-ups in tables of one and of several parts, and combinations of rows."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf

TABLE = np.arange(14, dtype=np.float32).reshape(7, 2) + 1
IDS = [[0, 6, 3], [2, 2, 5]]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def parts_of(strategy, count):
    if strategy == "mod":
        return [TABLE[part::count] for part in range(count)]
    return np.array_split(TABLE, count)


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("strategy", ["mod", "div"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_rows_are_found_in_any_number_of_parts(strategy, count, use_resource):
    parts = [
        tf.get_variable(f"part{i}", initializer=rows, use_resource=use_resource)
        for i, rows in enumerate(parts_of(strategy, count))
    ]
    found = tf.nn.embedding_lookup(parts, IDS, strategy)
    assert found.shape.as_list() == [2, 3, 2]
    np.testing.assert_array_equal(run(found), TABLE[IDS])


def test_partitioned_variables_are_tables():
    table = tf.get_variable("table", initializer=TABLE, partitioner=tf.fixed_size_partitioner(3))
    np.testing.assert_array_equal(run(tf.nn.embedding_lookup(table, IDS, "div")), TABLE[IDS])


def test_sizes_may_come_from_the_run():
    tables = [tf.placeholder(tf.float32) for _ in range(2)]
    ids = tf.placeholder(tf.int64)
    found = tf.nn.embedding_lookup(tables, ids, "div")
    with tf.Session() as session:
        value = session.run(found, {tables[0]: TABLE[:4], tables[1]: TABLE[4:], ids: IDS})
    np.testing.assert_array_equal(value, TABLE[IDS])


@pytest.mark.parametrize("use_resource", [False, True])
def test_only_rows_that_are_looked_up_have_a_gradient(use_resource):
    table = tf.get_variable("table", initializer=TABLE, use_resource=use_resource)
    (grad,) = tf.gradients(tf.nn.embedding_lookup(table, IDS) * 3.0, table)
    assert isinstance(grad, tf.IndexedSlices)
    expected = np.zeros_like(TABLE)
    np.add.at(expected, np.ravel(IDS), 3)
    np.testing.assert_array_equal(run(tf.convert_to_tensor(grad)), expected)


@pytest.mark.parametrize("count", [1, 2])
def test_long_rows_are_scaled_down(count):
    found = run(tf.nn.embedding_lookup(parts_of("mod", count), [0, 6], max_norm=5.0))
    np.testing.assert_array_equal(found[0], TABLE[0])
    assert np.linalg.norm(found[1]) == pytest.approx(5)


def test_ids_out_of_range_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="7"):
        run(tf.nn.embedding_lookup(tf.constant(TABLE), [7]))


@pytest.mark.parametrize(
    ("params", "strategy", "words"),
    [
        (None, "mod", "params must be specified"),
        ([], "mod", "at least one param"),
        ([TABLE, TABLE], "random", "partition strategy: 'random'"),
    ],
)
def test_tables_that_are_none_are_refused(params, strategy, words):
    with pytest.raises(ValueError, match=words):
        tf.nn.embedding_lookup(params, [0], strategy)


# --- combinations ---------------------------------------------------------------------------------

PLACES = [[0, 0], [0, 3], [1, 1], [3, 0]]
SPARSE_IDS = [4, 1, 2, 2]
WEIGHTS = [1.0, 0.5, 3.0, 2.0]


def combined(combiner, weights):
    """Row by row, by the definition; nothing for example 2, which has no ids."""
    result = np.zeros((4, 2))
    for example in (0, 1, 3):
        mine = [i for i, (row, _) in enumerate(PLACES) if row == example]
        w = np.array(weights)[mine]
        scale = {"sum": 1, "mean": w.sum(), "sqrtn": np.sqrt((w**2).sum())}[combiner]
        result[example] = w @ TABLE[np.array(SPARSE_IDS)[mine]] / scale
    return result


@pytest.mark.parametrize("dtype", [tf.float32, tf.float16])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_rows_of_an_example_are_combined(combiner, weighted, dtype):
    ids = tf.SparseTensor(PLACES, tf.constant(SPARSE_IDS, tf.int64), [4, 4])
    weights = tf.SparseTensor(PLACES, WEIGHTS, [4, 4]) if weighted else None
    table = tf.constant(TABLE, dtype)
    found = tf.nn.embedding_lookup_sparse(table, ids, weights, combiner=combiner)
    assert found.dtype is dtype
    expected = combined(combiner, WEIGHTS if weighted else [1.0] * 4)
    np.testing.assert_allclose(run(found), expected, rtol=1e-6 if dtype is tf.float32 else 1e-2)


def test_gradients_of_combinations_are_sparse():
    table = tf.get_variable("table", initializer=TABLE)
    ids = tf.SparseTensor(PLACES, tf.constant(SPARSE_IDS, tf.int64), [4, 4])
    (grad,) = tf.gradients(tf.nn.embedding_lookup_sparse(table, ids, None, combiner="sum"), table)
    assert isinstance(grad, tf.IndexedSlices)
    counts = np.bincount(SPARSE_IDS, minlength=7)
    np.testing.assert_array_equal(run(tf.convert_to_tensor(grad)), np.outer(counts, [1, 1]))


def test_wrong_combinations_are_refused():
    ids = tf.SparseTensor(PLACES, tf.constant(SPARSE_IDS, tf.int64), [4, 4])
    with pytest.raises(ValueError, match=r"combiner.*'product'"):
        tf.nn.embedding_lookup_sparse(TABLE, ids, None, combiner="product")
    with pytest.raises(TypeError, match="sp_ids must be SparseTensor"):
        tf.nn.embedding_lookup_sparse(TABLE, [1], None)
    with pytest.raises(TypeError, match="sp_weights"):
        tf.nn.embedding_lookup_sparse(TABLE, ids, [1.0])

"""Lookup tables: what sessions and steps share, and what threads do to them at the same time."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import featherflow as tf
from featherflow.compat import v2


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def static(keys=("a", "b"), values=(1, 2)) -> tf.lookup.StaticHashTable:
    initializer = tf.lookup.KeyValueTensorInitializer(list(keys), list(values))
    return tf.lookup.StaticHashTable(initializer, -1)


def test_each_session_has_its_own_content() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    insert = table.insert(["a"], [1])
    with tf.Session() as first, tf.Session() as second:
        first.run(insert)
        assert first.run(table.size()) == 1
        assert second.run(table.size()) == 0


def test_steps_with_other_fetches_share_a_table_without_a_name() -> None:
    handle = tf.raw_ops.MutableHashTableV2(key_dtype=tf.string, value_dtype=tf.int64)
    insert = tf.raw_ops.LookupTableInsertV2(
        table_handle=handle, keys=["a"], values=np.array([1], np.int64)
    )
    size = tf.raw_ops.LookupTableSizeV2(table_handle=handle)
    with tf.Session() as session:
        session.run(insert)
        assert session.run(size) == 1


def test_anonymous_tables_are_new_in_every_step() -> None:
    handle = tf.raw_ops.AnonymousMutableHashTable(key_dtype=tf.string, value_dtype=tf.int64)
    insert = tf.raw_ops.LookupTableInsertV2(
        table_handle=handle, keys=["a"], values=np.array([1], np.int64)
    )
    with tf.control_dependencies([insert]):
        size = tf.raw_ops.LookupTableSizeV2(table_handle=handle)
    with tf.Session() as session:
        assert [session.run(size) for _ in range(2)] == [1, 1]


def test_a_table_survives_a_graph_def(graph: tf.Graph) -> None:
    table = static()
    found = table.lookup(tf.constant(["b", "c"]))
    definition = graph.as_graph_def()
    with tf.Graph().as_default() as other:
        tf.import_graph_def(definition, name="")
        with tf.Session(graph=other) as session:
            session.run(other.get_operation_by_name(table.initializer.name))
            assert session.run(found.name).tolist() == [2, -1]


def test_an_uninitialized_table_says_what_to_do() -> None:
    found = static().lookup(tf.constant(["a"]))
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.FailedPreconditionError, match="tables_initializer"),
    ):
        session.run(found)


def test_a_saveable_restores_what_it_saved() -> None:
    source = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="source")
    target = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="target")
    insert = source.insert(["a", "b"], [1, 2])
    saveables = tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)
    assert [spec.name for spec in saveables[0].specs] == ["source-keys", "source-values"]
    restore = saveables[1].restore([spec.tensor for spec in saveables[0].specs], None)
    with tf.Session() as session:
        session.run(insert)
        session.run(restore)
        assert session.run(target.lookup(["a", "b", "c"])).tolist() == [1, 2, -1]


def test_a_dense_table_restores_its_buckets() -> None:
    tables = [
        tf.lookup.experimental.DenseHashTable(
            tf.int64, tf.int64, -1, 0, -1, initial_num_buckets=4, name=name
        )
        for name in ("source", "target")
    ]
    source, target = tables
    insert, remove = source.insert([1, 2, 3], [5, 6, 7]), source.remove(tf.constant([2], tf.int64))
    restore = tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)[1].restore(source.export(), None)
    with tf.Session() as session:
        for step in (insert, remove, restore):
            session.run(step)
        assert session.run(target.size()) == 2
        assert session.run(target.lookup([1, 2, 3])).tolist() == [5, -1, 7]


def test_the_tables_of_tf2_fill_themselves_with_those_of_tf1() -> None:
    table = v2.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a"], [1]), default_value=0
    )
    assert not hasattr(table, "initializer")
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        assert session.run(table.lookup(tf.constant(["a", "b"]))).tolist() == [1, 0]


def test_threads_insert_at_the_same_time() -> None:
    table = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.int64, -1, 0, -1, initial_num_buckets=4
    )
    keys = tf.placeholder(tf.int64, [None])
    insert, size = table.insert(keys, keys), table.size()

    def work(session: tf.Session, first: int) -> None:
        for start in range(first, first + 100, 10):
            session.run(insert, {keys: np.arange(start, start + 10)})

    with tf.Session() as session:
        threads = [
            threading.Thread(target=work, args=(session, first)) for first in (1, 101, 201, 51)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert session.run(size) == 300
        assert session.run(table.lookup([1, 150, 300])).tolist() == [1, 150, 300]

"""Input pipelines of queues: producers, batches in order and shuffled, runners and coordinators."""

from __future__ import annotations

import numpy as np

from . import runs


def _drained(tf, fetches, *, count=None, ordered=True):
    """Steps that run the runners, and take `count` results, or all there are."""
    init = [tf.global_variables_initializer(), tf.local_variables_initializer()]

    def steps(session):
        session.run(init)
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        results = []
        try:
            while count is None or len(results) < count:
                results.append(session.run(fetches))
        except tf.errors.OutOfRangeError:
            results.append("end")
        coordinator.request_stop()
        coordinator.join(threads)
        return {"results": results if ordered else sorted(np.ravel(results).tolist())}

    return steps


@runs
def strings_in_order(tf):
    """Names for two epochs."""
    queue = tf.train.string_input_producer(["a", "b", "c"], num_epochs=2, shuffle=False)
    name = queue.dequeue()
    return {"name": name, "queue": queue.queue_ref, "steps": _drained(tf, name)}


@runs
def shuffled_strings(tf):
    """Names in an order of a seed."""
    queue = tf.train.string_input_producer(["a", "b", "c", "d"], num_epochs=1, seed=3)
    name = queue.dequeue()
    return {"name": name, "steps": _drained(tf, name)}


@runs
def ranges(tf):
    """Numbers without end."""
    queue = tf.train.range_input_producer(3, shuffle=False, capacity=10, name="numbers")
    number = queue.dequeue()
    return {"number": number, "steps": _drained(tf, number, count=7)}


@runs
def slices(tf):
    """The same rows of two tensors."""
    rows = tf.train.slice_input_producer(
        [tf.constant([[1, 2], [3, 4], [5, 6]]), tf.constant([1.0, 2.0, 3.0])],
        num_epochs=2,
        seed=1,
    )
    return {"rows": rows, "steps": _drained(tf, rows)}


def producer_of_rows(tf):
    """input_producer with a shape given and a summary."""
    rows = tf.placeholder(tf.float32)
    rows.set_shape([None, None])
    queue = tf.train.input_producer(rows, element_shape=[2], summary_name="rows", capacity=5)
    return {"row": queue.dequeue()}


@runs
def limited_epochs(tf):
    """A tensor that comes to an end."""
    x = tf.train.limit_epochs(tf.constant([1.0, 2.0]), 3)
    return {"x": x, "steps": _drained(tf, x)}


@runs
def batches(tf):
    """Pairs by list, the last one smaller."""
    number = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([number, number * 10], 2, allow_smaller_final_batch=True)
    return {"batch": batch, "steps": _drained(tf, batch)}


@runs
def batches_by_name(tf):
    """Parts by name, only whole batches."""
    number = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
    parts = {"b": number, "a": tf.stack([tf.to_float(number), 1.0])}
    batch = tf.train.batch(parts, 2, name="pairs")
    return {"batch": batch, "steps": _drained(tf, batch)}


def batches_of_one_part(tf):
    """One part gives a tensor; one name a dict."""
    number = tf.train.range_input_producer(4, shuffle=False).dequeue()
    batch = tf.train.batch([number], 2)
    named = tf.train.batch({"x": number + 1}, 2)
    return {"batch": batch, "named": named}


@runs
def padded_batches(tf):
    """Rows of several lengths, filled up."""
    number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([tf.range(number), number], 2, dynamic_pad=True)
    return {"batch": batch, "steps": _drained(tf, batch)}


@runs
def batches_of_many(tf):
    """Several examples in one tensor."""
    number = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
    rows = tf.stack([number, number + 10, number + 20])
    batch = tf.train.batch([rows], 4, enqueue_many=True, allow_smaller_final_batch=True)
    return {"batch": batch, "steps": _drained(tf, batch)}


@runs
def kept_examples(tf):
    """Only even numbers."""
    number = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.maybe_batch([number], tf.equal(number % 2, 0), 2)
    return {"batch": batch, "steps": _drained(tf, batch)}


def kept_rows(tf):
    """Rows by a vector; all; none."""
    number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    rows = tf.stack([number, number + 10])
    keep = tf.stack([True, number > 1])
    batch = tf.train.maybe_batch([rows], keep, 2, enqueue_many=True)
    every = tf.train.maybe_batch([rows], True, 2, enqueue_many=True)
    none = tf.train.maybe_batch([rows], False, 2, enqueue_many=True)
    return {"batches": [batch, every, none]}


@runs
def joined_batches(tf):
    """Two sources, in any order."""
    sources = [tf.train.range_input_producer(4, num_epochs=1).dequeue() for _ in range(2)]
    batch = tf.train.batch_join([[sources[0]], [sources[1] + 100]], 4)
    return {"batch": batch, "steps": _drained(tf, batch, count=2, ordered=False)}


def maybe_joined_batches(tf):
    """Two sources of names and shapes."""
    sources = [{"x": tf.placeholder(tf.float32, [None, 3])} for _ in range(2)]
    keep = tf.placeholder(tf.bool, [])
    batch = tf.train.maybe_batch_join(sources, keep, 3, enqueue_many=True, shapes=[[3]])
    return {"batch": batch}


@runs
def shuffled_batches(tf):
    """All examples, in any order."""
    number = tf.train.range_input_producer(8, num_epochs=1).dequeue()
    batch = tf.train.shuffle_batch([number], 4, capacity=20, min_after_dequeue=3, seed=7)
    return {"batch": batch, "steps": _drained(tf, batch, count=2, ordered=False)}


def other_shuffled_batches(tf):
    """The other shuffling functions."""
    x, keep = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.bool, [])
    many = tf.placeholder(tf.bool, [3])
    return {
        "threads": tf.train.shuffle_batch([x], 2, 30, 10, num_threads=3, shared_name="shared"),
        "maybe": tf.train.maybe_shuffle_batch([x], 2, 30, 10, keep),
        "rows": tf.train.maybe_shuffle_batch([x], 2, 30, 10, many, enqueue_many=True),
        "join": tf.train.shuffle_batch_join([[x], [x + 1.0]], 2, 30, 10, seed=2, name="joined"),
        "maybe_join": tf.train.maybe_shuffle_batch_join([[x], [x]], 2, 30, 10, keep),
        "final": tf.train.shuffle_batch([x], 2, 30, 10, allow_smaller_final_batch=True),
    }


@runs
def sparse_batches(tf):
    """SparseTensors wait as handles."""
    number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    wide = tf.cast(number, tf.int64)
    sparse = tf.SparseTensor(tf.reshape(wide, [1, 1]), tf.reshape(number, [1]), [5])
    batch = tf.train.batch([sparse, number], 2)
    return {"batch": batch, "steps": _drained(tf, [batch[0].indices, batch[0].values, batch[1]])}

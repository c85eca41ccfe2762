"""Queues, barriers of threads, lookup tables, metrics and datasets of TF1 programs."""

from __future__ import annotations

from ..case import Case, Script, case, error_case
from ..inputs import normal


def _drained(tf, queue, values):
    enqueue, dequeue, size = queue.enqueue_many([values]), queue.dequeue(), queue.size()

    def body(session):
        session.run(enqueue)
        before = session.run(size)
        results = [session.run(dequeue) for _ in range(3)]
        return [before, results, session.run(size)]

    return Script(body)


@case
def fifo_queue(tf):
    return _drained(tf, tf.FIFOQueue(10, [tf.float32], shapes=[[]]), [1.0, 2.0, 3.0, 4.0])


@case
def priority_queue(tf):
    queue = tf.PriorityQueue(10, [tf.string], shapes=[[]])
    enqueue = queue.enqueue_many([tf.constant([3, 1, 2], tf.int64), ["c", "a", "b"]])
    dequeue = queue.dequeue_many(3)
    return Script(lambda session: [session.run(enqueue), session.run(dequeue)][1])


@case
def random_shuffle_queue(tf):
    queue = tf.RandomShuffleQueue(20, 0, [tf.int32], shapes=[[]], seed=3)
    enqueue, dequeue = queue.enqueue_many([tf.range(8)]), queue.dequeue_many(8)

    def body(session):
        session.run(enqueue)
        return sorted(session.run(dequeue).tolist())

    return Script(body)


@case
def padding_queue(tf):
    queue = tf.PaddingFIFOQueue(10, [tf.int32], shapes=[[None]])
    enqueues = [queue.enqueue([values]) for values in ([1], [2, 3, 4], [5, 6])]
    return Case(queue.dequeue_many(3), setup=enqueues)


@case
def queue_with_several_components(tf):
    queue = tf.FIFOQueue(5, [tf.int32, tf.string], [[2], []], names=["numbers", "word"])
    enqueue = queue.enqueue({"numbers": [1, 2], "word": "a"})
    fetched = queue.dequeue()
    return Case([fetched, queue.name, queue.queue_ref.dtype.name], setup=[enqueue])


@case
def queue_dequeue_up_to_after_close(tf):
    queue = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    enqueue = queue.enqueue_many([[1, 2, 3]])
    return Case([queue.dequeue_up_to(5), queue.is_closed()], setup=[enqueue, queue.close()])


@case
def coordinator_and_runners(tf):
    queue = tf.FIFOQueue(4, [tf.int32], shapes=[[]])
    counter = tf.Variable(0, use_resource=True)  # a queue may hold a reference, not a value
    runner = tf.train.QueueRunner(queue, [queue.enqueue(tf.assign_add(counter, 1))])
    tf.train.add_queue_runner(runner)
    dequeue = queue.dequeue_many(6)

    def body(session):
        session.run(tf.global_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        values = session.run(dequeue)
        coordinator.request_stop()
        session.run(queue.close(cancel_pending_enqueues=True))
        coordinator.join(threads)
        return [values, len(threads)]

    return Script(body)


@case
def input_producers_and_batches(tf):
    values = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([values, values * 10], 2, num_threads=1)

    def body(session):
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        results = [session.run(batch) for _ in range(2)]
        coordinator.request_stop()
        coordinator.join(threads)
        return results

    return Script(body)


@case
def hash_tables(tf):
    keys, values = tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)
    fetches = [table.lookup(tf.constant(["b", "z", "a"])), table.size()]
    return Case(fetches, setup=[tf.tables_initializer()])


@case
def mutable_hash_table(tf):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    insert = table.insert(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64))
    remove = table.remove(tf.constant(["a"]))
    found = table.lookup(tf.constant(["a", "b", "c"]))

    def body(session):
        session.run(insert)
        first = session.run([found, table.size()])
        session.run(remove)
        return [first, session.run([found, table.size()])]

    return Script(body)


@case
def metrics(tf):
    labels, predictions = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.int64, [None])
    pairs = {
        "accuracy": tf.metrics.accuracy(labels, predictions),
        "precision": tf.metrics.precision(labels, predictions),
        "recall": tf.metrics.recall(labels, predictions),
        "mean": tf.metrics.mean(tf.to_float(labels)),
        "squared": tf.metrics.mean_squared_error(tf.to_float(labels), tf.to_float(predictions)),
        "auc": tf.metrics.auc(labels, tf.to_float(predictions) * 0.8),
        "iou": tf.metrics.mean_iou(labels, predictions, 2),
    }

    def body(session):
        session.run(tf.local_variables_initializer())
        batches = [([1, 0, 1], [1, 1, 0]), ([0, 1], [0, 1])]
        updates = {name: update for name, (_, update) in pairs.items()}
        for truth, guess in batches:
            session.run(updates, {labels: truth, predictions: guess})
        return session.run({name: value for name, (value, _) in pairs.items()})

    return Script(body)


@case
def datasets_and_iterators(tf):
    dataset = tf.data.Dataset.from_tensor_slices(normal(5, 2)).map(lambda row: row * 2.0)
    iterator = tf.data.make_one_shot_iterator(dataset.batch(2).repeat(2))
    batch = iterator.get_next()

    def body(session):
        results = []
        while True:
            try:
                results.append(session.run(batch))
            except tf.errors.OutOfRangeError:
                return results

    return Script(body)


@case
def initializable_iterator(tf):
    size = tf.placeholder(tf.int64, [])
    dataset = tf.data.Dataset.range(size).filter(lambda n: n % 2 < 1).shuffle(10, seed=1)
    iterator = tf.data.make_initializable_iterator(dataset)
    value = iterator.get_next()

    def body(session):
        session.run(iterator.initializer, {size: 5})
        return sorted(int(session.run(value)) for _ in range(3))

    return Script(body)


@error_case
def iterator_ends(tf):
    iterator = tf.data.make_one_shot_iterator(tf.data.Dataset.range(1))
    value = iterator.get_next()
    return Script(lambda session: [session.run(value), session.run(value)])


@error_case
def iterator_not_initialized(tf):
    return tf.data.make_initializable_iterator(tf.data.Dataset.range(1)).get_next()


@error_case
def dequeue_from_a_closed_queue(tf):
    queue = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    return Case(queue.dequeue(), setup=[queue.close()])


@error_case
def enqueue_into_a_closed_queue(tf):
    queue = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    return Case(queue.enqueue([1]), setup=[queue.close()])


@error_case
def enqueue_another_shape(tf):
    return tf.FIFOQueue(10, [tf.int32], shapes=[[2]]).enqueue([[1, 2, 3]])


@error_case
def enqueue_another_dtype(tf):
    return tf.FIFOQueue(10, [tf.int32]).enqueue([tf.constant(1.0)])


@error_case
def dequeue_many_without_shapes(tf):
    return tf.FIFOQueue(10, [tf.int32]).dequeue_many(2)


@error_case
def table_not_initialized(tf):
    initializer = tf.lookup.KeyValueTensorInitializer(tf.constant(["a"]), tf.constant([1]))
    return tf.lookup.StaticHashTable(initializer, -1).lookup(tf.constant(["a"]))


@error_case
def table_with_duplicate_keys(tf):
    initializer = tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "a"]), tf.constant([1, 2]))
    table = tf.lookup.StaticHashTable(initializer, -1)
    return Case(table.size(), setup=[tf.tables_initializer()])

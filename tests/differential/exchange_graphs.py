"""Small graphs of all families of ops, to be exchanged with TensorFlow as GraphDefs.

Each takes `tf` and returns what is fetched, in order. Placeholders are fed by `exchange.py`.
Those marked `@tensorflow_builds` use what only TensorFlow can build, functions above all; what
TensorFlow wrote is read here, run, and written again.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .inputs import integers, normal, uniform

Program = Callable[[Any], Any]


def tensorflow_builds(program: Program) -> Program:
    """Marks a program that uses what only TensorFlow can build."""
    program.tensorflow_only = True
    return program


def graphs() -> Iterator[tuple[str, Program]]:
    """The name and function of each graph, in the order of this file."""
    for name, function in globals().items():
        own = inspect.isfunction(function) and function.__module__ == __name__
        if own and not name.startswith("_") and name not in ("tensorflow_builds", "graphs"):
            yield name, function


# --- arithmetic -----------------------------------------------------------------------------------


def arithmetic(tf):
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    y = tf.placeholder(tf.float32, [3], name="y")
    safe = tf.abs(y) + 0.5
    return [x + y, x - y, x * y, x / safe, x % safe, x // safe, -x, tf.pow(safe, x), tf.square(x)]


def functions_of_one_number(tf):
    x = tf.constant(uniform(0.1, 0.9, [8]))
    names = "exp log sin cos tan asin acos atan sinh cosh tanh sqrt rsqrt erf lgamma sigmoid"
    return [getattr(tf, name)(x) for name in names.split()] + [tf.floor(x * 7), tf.round(x * 9)]


def comparisons(tf):
    x, y = tf.constant(integers(0, 4, [6])), tf.constant(integers(0, 4, [6], seed=1))
    less = tf.less(x, y)
    return [less, tf.equal(x, y), tf.logical_or(less, x > 2), tf.where(less, x, y), tf.where(less)]


def dtypes_of_constants(tf):
    names = "float16 bfloat16 float64 int8 int16 int64 uint8 uint16 uint32 uint64 complex64"
    constants = [tf.constant([0, 1, 2], dtype=getattr(tf, name)) for name in names.split()]
    constants.append(tf.constant([True, False]))
    return [
        *constants,
        tf.constant([b"a\x00\xff", "ü".encode()]),
        tf.zeros([3, 0]),
        tf.fill([2, 2], 7),
    ]


def casts(tf):
    x = tf.constant(normal(6) * 3)
    narrow = [tf.cast(x, dtype) for dtype in (tf.int32, tf.float16, tf.bool, tf.complex64)]
    return [*narrow, tf.bitcast(x, tf.int32), tf.saturate_cast(x * 99, tf.int8)]


def complex_numbers(tf):
    z = tf.complex(tf.constant(normal(4)), tf.constant(normal(4, seed=1)))
    return [z * z, tf.conj(z), tf.real(z), tf.imag(z), tf.abs(z), tf.exp(z)]


def reductions(tf):
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    names = "sum mean max min prod logsumexp"
    some = [getattr(tf, f"reduce_{name}") for name in names.split()]
    return [reduce(x, 1) for reduce in some] + [
        tf.reduce_any(x > 0, 0, keepdims=True),
        tf.argmax(x, 1),
        tf.cumsum(x, 1, reverse=True),
        tf.norm(x),
    ]


# --- arrays ---------------------------------------------------------------------------------------


def slices(tf):
    x = tf.constant(np.arange(60, dtype=np.int32).reshape(3, 4, 5))
    begin = tf.placeholder_with_default([0, 1, 1], [3], name="begin")
    return [x[1], x[..., -1], x[::2, 1:3, ::-1], x[:, tf.newaxis], tf.slice(x, begin, [-1, 2, 2])]


def joining(tf):
    x, y = tf.constant(normal(2, 3)), tf.constant(normal(2, 3, seed=1))
    return [
        tf.concat([x, y], 1),
        tf.stack([x, y], 1),
        *tf.unstack(x, axis=1),
        *tf.split(x, [1, 2], 1),
        tf.tile(x, [1, 2]),
    ]


def shaping(tf):
    x = tf.placeholder(tf.float32, [None, 3, 2], name="x")
    return [
        tf.reshape(x, [-1, 2]),
        tf.transpose(x, [2, 0, 1]),
        tf.squeeze(tf.expand_dims(x, 1), [1]),
        tf.pad(x, [[0, 1], [1, 0], [0, 0]], constant_values=3.0),
        tf.reverse(x, [1]),
        tf.shape(x),
        tf.rank(x),
        tf.size(x),
    ]


def gathering(tf):
    x, index = tf.constant(normal(5, 2)), tf.constant([4, 0, 4])
    return [
        tf.gather(x, index),
        tf.gather_nd(x, [[1, 1], [3, 0]]),
        tf.scatter_nd([[1], [3]], [[1.0], [2.0]], [4, 1]),
        tf.one_hot(index, 5),
        tf.nn.embedding_lookup(x, index),
    ]


def segments_and_sets(tf):
    x, ids = tf.constant(normal(4, 2)), tf.constant([0, 0, 1, 2])
    values, indices = tf.nn.top_k(tf.constant(normal(6)), 3)
    unique, places = tf.unique([3, 1, 3, 2])
    return [
        tf.segment_sum(x, ids),
        tf.unsorted_segment_max(x, ids, 4),
        values,
        indices,
        unique,
        places,
        tf.boolean_mask(x, [True, False, True, True]),
    ]


# --- linear algebra and networks ------------------------------------------------------------------


def products(tf):
    x, y = tf.placeholder(tf.float32, [2, 3], name="x"), tf.constant(normal(4, 3))
    batch = tf.constant(normal(2, 3, 4))
    return [
        tf.matmul(x, y, transpose_b=True),
        tf.matmul(batch, batch, adjoint_a=True),
        tf.tensordot(x, y, [[1], [1]]),
        tf.einsum("ij,kj->ik", x, y),
    ]


def convolutions(tf):
    image = tf.placeholder(tf.float32, [1, 6, 6, 2], name="image")
    kernel = tf.constant(normal(3, 3, 2, 4))
    convolved = tf.nn.conv2d(image, kernel, strides=[1, 2, 2, 1], padding="SAME")
    rectified = tf.nn.relu(tf.nn.bias_add(convolved, tf.constant(normal(4))))
    window, strides = [1, 2, 2, 1], [1, 1, 1, 1]
    return [
        rectified,
        tf.nn.max_pool(rectified, window, strides, "VALID"),
        tf.nn.avg_pool(rectified, window, strides, "SAME"),
        tf.nn.depthwise_conv2d(image, tf.constant(normal(2, 2, 2, 1)), strides, "VALID"),
        tf.nn.conv2d_transpose(convolved, kernel, [1, 6, 6, 2], [1, 2, 2, 1]),
    ]


def normalizations(tf):
    x = tf.placeholder(tf.float32, [2, 2, 2, 3], name="x")
    scale, offset = tf.constant([1.0, 2.0, 0.5]), tf.constant([0.0, 1.0, -1.0])
    normal_batch, mean, variance = tf.nn.fused_batch_norm(x, scale, offset)
    return [normal_batch, mean, variance, tf.nn.lrn(x, 1), tf.nn.l2_normalize(x, -1)]


def losses(tf):
    logits = tf.placeholder(tf.float32, [4, 3], name="logits")
    labels = tf.constant([0, 2, 1, 1])
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    loss = tf.reduce_mean(each)
    both = tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.one_hot(labels, 3), logits=logits)
    return [tf.nn.softmax(logits), tf.nn.log_softmax(logits), loss, both, tf.nn.l2_loss(logits)]


def gradients_of_a_network(tf):
    x = tf.placeholder(tf.float32, [1, 5, 5, 1], name="x")
    kernel = tf.constant(normal(3, 3, 1, 2))
    weights = tf.constant(normal(18, 3))
    hidden = tf.reshape(tf.nn.elu(tf.nn.conv2d(x, kernel, [1, 1, 1, 1], "VALID")), [1, 18])
    loss = tf.reduce_sum(tf.nn.log_softmax(tf.matmul(hidden, weights))[:, 0])
    return [loss, *tf.gradients(loss, [x, kernel, weights])]


def random_numbers(tf):
    tf.set_random_seed(7)
    return [
        tf.random_normal([3], seed=1),
        tf.random_uniform([2, 2], -1.0, 1.0, seed=2),
        tf.truncated_normal([4], seed=3),
        tf.random_uniform([5], 0, 100, tf.int32, seed=4),
        tf.random_shuffle(tf.range(6), seed=5),
    ]


# --- control flow ---------------------------------------------------------------------------------


def branches(tf):
    x = tf.placeholder(tf.float32, [], name="x")
    inner = tf.cond(x > 0.5, lambda: x * 2.0, lambda: tf.cond(x > 0.0, lambda: x, lambda: -x))
    chosen = tf.case([(x > 10.0, lambda: tf.constant(1))], default=lambda: tf.constant(2))
    return [inner, chosen, *tf.gradients(inner, [x])]


def loops(tf):
    x = tf.placeholder(tf.float32, [3], name="x")

    def body(i, total):
        grown = tf.while_loop(lambda j, t: j < i, lambda j, t: [j + 1, t * 1.5 + x], [0, total])[1]
        return [i + 1, grown + tf.cast(i, tf.float32)]

    count, total = tf.while_loop(lambda i, total: i < 4, body, [0, x])
    return [count, total, *tf.gradients(total, [x])]


def arrays_in_loops(tf):
    x = tf.placeholder(tf.float32, [4, 2], name="x")
    states = tf.scan(lambda total, row: total * 0.5 + row, x)
    return [states, tf.map_fn(lambda row: row * row, x), *tf.gradients(states, [x])]


def control_dependencies(tf):
    x = tf.placeholder(tf.float32, [2], name="x")
    below = tf.Assert(tf.reduce_all(x < 1e6), [x], name="below")
    with tf.control_dependencies([below, tf.no_op(name="first"), x.op]):
        checked = tf.identity(x, name="checked")
    return [checked, tf.tuple([x, checked * 2.0])]


def failing_assertion(tf):
    x = tf.constant([1.0, 2.0])
    with tf.control_dependencies([tf.Assert(tf.reduce_all(x > 1.5), [x], name="above")]):
        return [tf.identity(x), tf.check_numerics(x / 0.0, "not finite"), tf.gather(x, [5])]


# --- state ----------------------------------------------------------------------------------------


def variables_by_reference(tf):
    variable = tf.Variable([1.0, 2.0, 3.0], name="v", use_resource=False)
    return [
        variable,
        tf.assign_add(variable, [1.0, 1.0, 1.0]),
        tf.scatter_update(variable, [0], [9.0]),
        tf.assign(variable, variable * 2.0).op,
        variable,
    ]


def variables_by_handle(tf):
    with tf.variable_scope("scope", use_resource=True):
        variable = tf.get_variable("v", initializer=[1.0, 2.0, 3.0])
    rows = tf.gather(variable, [2, 0])
    return [rows, variable.assign_sub([1.0, 1.0, 1.0]), tf.is_variable_initialized(variable), rows]


def training(tf):
    x = tf.placeholder(tf.float32, [4, 3], name="x")
    weights = tf.get_variable("w", [3, 2], initializer=tf.random_normal_initializer(seed=1))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) - 1.0))
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
    return [loss, train, train, loss, weights, step]


def queues(tf):
    queue = tf.FIFOQueue(4, [tf.float32, tf.string], shapes=[[], []])
    shuffled = tf.RandomShuffleQueue(9, 0, [tf.int32], shapes=[[]], seed=3)
    return [
        queue.enqueue_many([[1.0, 2.0, 3.0], ["a", "b", "c"]]),
        queue.size(),
        queue.dequeue(),
        queue.close(),
        queue.dequeue_up_to(5),
        queue.dequeue(),
        shuffled.enqueue_many([tf.range(6)]),
        shuffled.dequeue_many(6),
    ]


# --- what only TensorFlow builds ------------------------------------------------------------------


@tensorflow_builds
def calls(tf):
    @tf.function
    def square_sum(x, y):
        return x * x + y * y, x - y

    @tf.function
    def outer(x):
        first, second = square_sum(x, x + 1.0)
        return tf.sqrt(first) + second

    x = tf.placeholder(tf.float32, [3], name="x")
    return [outer(x), *square_sum(x, 2.0)]


@tensorflow_builds
def calls_with_state(tf):
    variable = tf.Variable([1.0, 2.0], use_resource=True, name="v")

    @tf.function
    def add(x):
        variable.assign_add(x)
        return variable + 0.0

    x = tf.placeholder(tf.float32, [2], name="x")
    return [variable, add(x), add(x * 2.0), variable]


@tensorflow_builds
def functional_branches(tf):
    @tf.function
    def choose(x):
        inner = tf.cond(x > 0.5, lambda: x * 2.0, lambda: x - 1.0)
        index = tf.cast(x * 0.0, tf.int32) + 1
        return inner, tf.switch_case(index, [lambda: x, lambda: x * x, lambda: -x])

    return list(choose(tf.placeholder(tf.float32, [], name="x")))


@tensorflow_builds
def functional_loops(tf):
    @tf.function
    def count(limit, x):
        def body(i, total):
            grown = tf.cond(i % 2 > 0, lambda: total + x, lambda: total * 1.5)
            return i + 1, grown

        return tf.while_loop(lambda i, total: i < limit, body, [0, x])

    x = tf.placeholder(tf.float32, [2], name="x")
    results = list(count(tf.constant(5), x))
    return [*results, *tf.gradients(results[1], [x])]


@tensorflow_builds
def functional_control_flow_of_the_graph(tf):
    tf.enable_control_flow_v2()
    try:
        x = tf.placeholder(tf.float32, [3], name="x")
        kept = tf.cond(tf.reduce_sum(x) > 0.0, lambda: x + 1.0, lambda: x - 1.0)
        loop = tf.while_loop(lambda i, t: i < 3, lambda i, t: [i + 1, t * kept], [0, kept])
        return [kept, *loop, *tf.gradients(loop[1], [x])]
    finally:
        tf.disable_control_flow_v2()


@tensorflow_builds
def gradients_of_a_call(tf):
    @tf.function
    def cubed(x):
        return x * x * x

    x = tf.placeholder(tf.float32, [3], name="x")
    (first,) = tf.gradients(cubed(x), [x])
    return [first, *tf.gradients(first, [x])]

"""``tf.gradients`` itself: arguments, paths, sparse gradients, registration, control flow."""

from __future__ import annotations

import numpy as np

from ..case import Case, Script, case, error_case, error_cases
from ..inputs import normal, uniform


@case
def several_outputs_are_summed(tf):
    x, w = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    y, z = x * w, tf.square(x)
    return {
        "one": tf.gradients(y, x),
        "both": tf.gradients([y, z], [x, w]),
        "weighted": tf.gradients([y, z], [x, w], grad_ys=[None, tf.constant([1.0, 10.0])]),
        "list_of_one": tf.gradients([y], [w]),
        "itself": tf.gradients(x, x),
        "repeated": tf.gradients(y, [x, x]),
    }


@case
def unconnected(tf):
    x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
    z = x * 2.0
    return {
        "none": tf.gradients(z, [x, y]),
        "zero": tf.gradients(z, [x, y], unconnected_gradients="zero"),
        "enum": tf.gradients(z, [y], unconnected_gradients=tf.UnconnectedGradients.ZERO),
    }


@case
def stop_gradients(tf):
    a = tf.constant(1.0)
    b = a * 2.0
    total = a + b
    x = tf.constant([2.0])
    return {
        "plain": tf.gradients(total, [a, b]),
        "stopped": tf.gradients(total, [a, b], stop_gradients=[a, b]),
        "op": tf.gradients(x * tf.stop_gradient(x * x), x),
    }


@case
def gradients_of_intermediate_tensors(tf):
    x = tf.constant([1.0, 2.0])
    y = tf.square(x)
    z = tf.reduce_sum(tf.exp(y) * x)
    return tf.gradients(z, [x, y, z])


@case
def many_uses_accumulate(tf):
    x = tf.constant([1.0, 2.0])
    y = x * x + x * 3.0 + tf.sin(x) * x
    for _ in range(3):
        y = y + x * y
    return {
        "default": tf.gradients(y, x),
        "tree": tf.gradients(y, x, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE),
        "accumulate": tf.gradients(
            y, x, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_ACCUMULATE_N
        ),
    }


@case
def of_variables(tf):
    plain = tf.Variable([1.0, 2.0])
    resource = tf.Variable([3.0, 4.0], use_resource=True)
    loss = tf.reduce_sum(tf.square(plain) * resource + resource)
    fetches = tf.gradients(loss, [plain, resource])
    return Case(fetches, setup=[tf.global_variables_initializer()])


@case
def sparse_gradients(tf):
    plain = tf.Variable(normal(4, 2))
    resource = tf.Variable(normal(4, 2), use_resource=True)
    ids = tf.placeholder(tf.int32, [None])
    once = tf.gradients(tf.square(tf.gather(plain, ids)), plain)[0]
    twice = tf.gradients(tf.gather(plain, ids) + tf.gather(plain, [0, 1]), plain)[0]
    mixed = tf.gradients(tf.reduce_sum(tf.gather(plain, ids)) + tf.reduce_sum(plain), plain)[0]
    looked = tf.gradients(tf.nn.embedding_lookup(resource, ids), resource)[0]
    fetches = {
        "once": once,
        "twice": twice,
        "mixed": mixed,
        "resource": looked,
        "dense": tf.convert_to_tensor(once),
        "scaled": once.values * 2.0,
        "static": [once.values.shape.as_list(), once.dtype.name, type(once).__name__],
    }
    return Case(fetches, {ids: [2, 2]}, setup=[tf.global_variables_initializer()])


@case
def hessians(tf):
    x = tf.constant(uniform(0.5, 2.0, (3,)))
    y = tf.reduce_sum(x**3) + x[0] * x[1] * x[2]
    return tf.hessians(y, x)


@case
def third_order(tf):
    x = tf.constant(2.0, tf.float64)
    y, orders = x**5 + tf.exp(-x), []
    for _ in range(4):
        (y,) = tf.gradients(y, x)
        orders.append(y)
    return orders


@case
def overridden_and_custom(tf):
    @tf.RegisterGradient(f"Flipped{id(tf.get_default_graph())}")
    def flipped(op, grad):
        return -grad * op.inputs[0]

    @tf.custom_gradient
    def clipped(x):
        return tf.square(x), lambda upstream: tf.clip_by_value(upstream * 2.0 * x, -1.0, 1.0)

    x = tf.constant([1.0, 2.0])
    graph = tf.get_default_graph()
    with graph.gradient_override_map({"Identity": f"Flipped{id(graph)}"}):
        y = tf.identity(x)
    return [tf.gradients(y, x), tf.gradients(tf.identity(x), x), tf.gradients(clipped(x) * 3.0, x)]


@case
def names_and_devices(tf):
    x = tf.constant([1.0, 2.0], name="x")
    with tf.name_scope("loss"):
        y = tf.reduce_sum(tf.square(x) * 2.0)
    (gradient,) = tf.gradients(y, x)
    (named,) = tf.gradients(y, x, name="mine")
    return [gradient.name, named.name]


@case
def through_cond(tf):
    x, predicate = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.bool, [])
    w = tf.constant([3.0, 4.0])
    y = tf.cond(predicate, lambda: x * w, lambda: tf.square(x))
    nested = tf.cond(
        predicate, lambda: tf.cond(x[0] > 1.0, lambda: x**3, lambda: x), lambda: tf.zeros([2])
    )
    fetches = [tf.gradients(y, [x, w]), tf.gradients(nested, x)]

    def body(session):
        return [session.run(fetches, {x: [1.5, 2.0], predicate: flag}) for flag in (True, False)]

    return Script(body)


@case
def through_while(tf):
    x, w = tf.constant([1.0, 2.0]), tf.constant([1.1, 0.9])
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * w + x), [0, x])
    return tf.gradients(y, [x, w])


@case
def through_fed_while(tf):
    count, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [])
    _, y = tf.while_loop(lambda i, y: i < count, lambda i, y: (i + 1, tf.sin(y) * x), [0, x])
    gradient = tf.gradients(y, x)[0]

    def body(session):
        return [session.run([y, gradient], {count: n, x: 1.5}) for n in (0, 1, 4)]

    return Script(body)


@case
def through_nested_while(tf):
    x = tf.constant(1.2)

    def outer(i, y):
        _, inner = tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * x), [0, y])
        return i + 1, inner + y

    _, y = tf.while_loop(lambda i, y: i < 4, outer, [0, x])
    return [y, tf.gradients(y, x)]


@case
def through_while_with_cond(tf):
    x = tf.constant(1.5)

    def body(i, y):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: y * x, lambda: y + x)

    _, y = tf.while_loop(lambda i, y: i < 5, body, [0, x])
    return [y, tf.gradients(y, x)]


@case
def through_while_with_matrices(tf):
    w, x = tf.Variable(normal(3, 3) * 0.5), tf.constant(normal(2, 3, seed=1))
    _, y = tf.while_loop(lambda i, h: i < 4, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w))), [0, x])
    loss = tf.reduce_mean(tf.square(y))
    return Case([loss, tf.gradients(loss, [w, x])], setup=[tf.global_variables_initializer()])


@case
def through_map_scan_and_fold(tf):
    x, w = tf.constant(normal(4, 2)), tf.constant([0.5, 1.5])
    return {
        "map": tf.gradients(tf.map_fn(lambda row: tf.square(row) * w, x), [x, w]),
        "scan": tf.gradients(tf.scan(lambda a, row: a * w + row, x), [x, w]),
        "foldl": tf.gradients(tf.foldl(lambda a, row: a * row, x), x),
    }


@case
def through_py_func(tf):
    x = tf.constant([1.0, 2.0])
    y = tf.py_func(lambda values: values * 2.0, [x], tf.float32)
    return [y, tf.gradients(y, x)]


@case
def small_network(tf):
    x = tf.constant(normal(2, 6, 6, 1))
    filters = tf.Variable(normal(3, 3, 1, 2, seed=1) * 0.5)
    bias = tf.Variable(tf.zeros([2]))
    weights = tf.Variable(normal(18, 3, seed=2) * 0.1)
    hidden = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, filters, [1, 1, 1, 1], "SAME"), bias))
    pooled = tf.nn.max_pool(hidden, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    logits = tf.matmul(tf.reshape(pooled, [2, -1]), weights)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 2], logits=logits)
    )
    fetches = [loss, *tf.gradients(loss, [filters, bias, weights])]
    return Case(fetches, setup=[tf.global_variables_initializer()])


@case
def gradient_checker(tf):
    x = tf.constant(normal(2, 3))
    y = tf.tanh(x) * 2.0

    def body(session):
        theoretical, numeric = tf.test.compute_gradient(x, [2, 3], y, [2, 3], normal(2, 3))
        return [theoretical, bool(np.allclose(theoretical, numeric, atol=1e-2))]

    return Script(body)


@error_case
def gradient_registered_twice(tf):
    name = f"Twice{id(tf.get_default_graph())}"
    tf.RegisterGradient(name)(lambda op, grad: grad)
    tf.RegisterGradient(name)(lambda op, grad: grad)


@error_case
def gradient_function_returns_too_few(tf):
    name = f"TooFew{id(tf.get_default_graph())}"
    tf.RegisterGradient(name)(lambda op, grad: grad)
    x, y = tf.constant(1.0), tf.constant(2.0)
    with tf.get_default_graph().gradient_override_map({"Mul": name}):
        z = tf.multiply(x, y)
    return tf.gradients(z, [x, y])


error_cases(
    grad_ys_count=lambda tf: tf.gradients(
        [x := tf.constant(1.0)], [x], grad_ys=[tf.constant(1.0), tf.constant(2.0)]
    ),
    grad_ys_shape=lambda tf: tf.gradients(
        tf.square(x := tf.constant([1.0, 2.0])), x, grad_ys=tf.constant([1.0, 2.0, 3.0])
    ),
    unknown_unconnected_value=lambda tf: tf.gradients(
        x := tf.constant(1.0), x, unconnected_gradients="nonsense"
    ),
)

"""Programs of order and effects: control dependencies, groups, Print, Assert, py_func."""

from __future__ import annotations

import numpy as np

from . import runs


def ordered_updates(tf):
    """control_dependencies on ops, tensors and variables, nested, cleared and reset."""
    counter = tf.Variable(0, name="counter")
    x = tf.placeholder(tf.float32, [], name="x")
    checked = tf.identity(x, name="checked")
    increment = tf.assign_add(counter, 1, name="increment")
    with tf.control_dependencies([increment, checked]):
        first = tf.add(x, 1.0, name="first")
        with tf.control_dependencies([first]):
            second = tf.multiply(first, 2.0, name="second")
            third = tf.constant(3.0, name="third")
        with tf.control_dependencies(None):
            free = tf.constant(4.0, name="free")
            copied = tf.identity(free, name="copied")
        with tf.get_default_graph().control_dependencies([counter]):
            fourth = tf.no_op(name="fourth")
    return {"points": [first, second, third, free, copied, fourth]}


def grouped_updates(tf):
    """group and tuple, on one device and on several, empty, and nested lists."""
    a = tf.Variable(1.0, name="a")
    with tf.device("/cpu:0"):
        b = tf.Variable(2.0, name="b")
    first = tf.assign(a, 3.0)
    second = tf.assign(b, 4.0)
    return {
        "same": tf.group(first, tf.assign_add(a, 1.0), name="same"),
        "devices": tf.group(first, second, name="devices"),
        "nested": tf.group([first, [second]]),
        "empty": tf.group(),
        "gated": tf.tuple([first, second, None][:2], control_inputs=[tf.no_op("gate")]),
        "named": tf.tuple([a + b, a - b], name="pair"),
    }


def printing(tf):
    """Print passes its input through and prints others; print is an op of its own."""
    x = tf.constant([1.0, 2.0], name="x")
    printed = tf.Print(x, [x, tf.shape(x)], message="x: ", first_n=3, summarize=5)
    operation = tf.print("values", x, summarize=2)
    with tf.control_dependencies([operation]):
        after = tf.identity(printed, name="after")
    return {"printed": printed, "operation": operation, "after": after}


def asserting(tf):
    """Assert and the assert functions, which are free where the answer is static."""
    x = tf.placeholder(tf.int32, [None], name="x")
    checks = [
        tf.Assert(tf.reduce_all(x > 0), [x], summarize=4, name="positive"),
        tf.assert_equal(x, 3, message="three"),
        tf.assert_less(x, tf.constant([5])),
        tf.assert_non_negative(x),
        tf.assert_rank(x, 1),
        tf.assert_rank_at_least(tf.ones([2, 2]), 1),
        tf.assert_greater_equal(tf.constant(2), 1),
    ]
    with tf.control_dependencies(checks):
        safe = tf.identity(x, name="safe")
    finite = tf.check_numerics(tf.cast(safe, tf.float32), "not finite")
    return {"checks": checks, "safe": safe, "finite": finite}


@runs
def python_functions(tf):
    """py_func with one and several results, stateless, and without a result."""
    x = tf.placeholder(tf.float32, [None], name="x")
    single = tf.py_func(lambda values: values * 2, [x], tf.float32)
    single.set_shape(x.get_shape())
    several = tf.py_func(
        lambda values: (values.sum(), np.int64(len(values))), [x], [tf.float32, tf.int64]
    )
    pure = tf.py_func(np.sort, [x], tf.float32, stateful=False, name="sorted")
    nothing = tf.py_func(lambda values: None, [x], [], name="observe")
    points = [single, several, pure]

    def steps(session):
        return {"results": session.run(points, {x: [3.0, 1.0, 2.0]})}

    return {"points": points, "nothing": nothing, "steps": steps}


def stop_and_override(tf):
    """stop_gradient, prevented gradients, and overrides of the gradient and kernel of ops."""
    graph = tf.get_default_graph()
    x = tf.constant([1.0, -1.0], name="x")
    stopped = tf.stop_gradient(x)
    with graph.gradient_override_map({"Identity": "ReverseIdentity", "Relu": "GuidedRelu"}):
        overridden = tf.identity(x, name="overridden")
        guided = tf.nn.relu(overridden)
        plain = tf.tanh(guided)
    after = tf.identity(plain)
    return {"points": [stopped, overridden, guided, plain, after]}

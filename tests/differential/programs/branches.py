"""Programs of conditionals: cond, case, switch and merge, nested, with state and gradients."""

from __future__ import annotations

from . import runs


@runs
def cond_forms(tf):
    """cond over captured tensors, with nests as results, and over constants."""
    pred = tf.placeholder(tf.bool, [], name="pred")
    x = tf.constant(3.0, name="x")
    y = tf.constant(4.0, name="y")
    simple = tf.cond(pred, lambda: x + y, lambda: x * y)
    pair = tf.cond(pred, lambda: [x, y], lambda: [y, x], name="swap")
    nested = tf.cond(
        pred, lambda: {"sum": x + y, "parts": (x, y)}, lambda: {"sum": x - y, "parts": (y, x)}
    )
    constant = tf.cond(x < y, lambda: tf.constant(1), lambda: tf.constant(2))
    same = tf.cond(pred, lambda: x, lambda: x, strict=True)
    points = [simple, pair, nested, constant, same]

    def steps(session):
        return {str(value): session.run(points, {pred: value}) for value in (True, False)}

    return {"points": points, "steps": steps}


def cond_nested(tf):
    """A cond within a branch of another, both capturing outer tensors."""
    outer = tf.placeholder(tf.bool, [], name="outer")
    inner = tf.placeholder(tf.bool, [], name="inner")
    x = tf.placeholder(tf.float32, [2], name="x")

    def positive():
        doubled = x * 2.0
        return tf.cond(inner, lambda: doubled + x, lambda: doubled - x)

    result = tf.cond(outer, positive, lambda: tf.zeros([2]))
    return {"result": tf.identity(result, name="result")}


@runs
def cond_with_state(tf):
    """Branches that assign to variables and carry control dependencies."""
    counter = tf.Variable(0, name="counter")
    gain = tf.get_variable("gain", [], initializer=tf.ones_initializer())
    pred = tf.placeholder(tf.bool, [], name="pred")

    def count():
        with tf.control_dependencies([tf.assign_add(counter, 1)]):
            return tf.identity(gain)

    value = tf.cond(pred, count, lambda: gain * 0.5)
    operation = tf.cond(pred, lambda: tf.group(tf.assign(gain, 2.0)), tf.no_op)
    init = tf.global_variables_initializer()

    def steps(session):
        session.run(init)
        values = [session.run(value, {pred: flag}) for flag in (True, True, False)]
        session.run(operation, {pred: True})
        return {"values": values, "counter": session.run(counter), "gain": session.run(gain)}

    return {"value": value, "operation": operation, "init": init, "steps": steps}


@runs
def case_forms(tf):
    """case with a default, as a dict, exclusive, and without a default."""
    x = tf.placeholder(tf.int32, [], name="x")
    listed = tf.case(
        [(tf.less(x, 0), lambda: tf.constant(-1)), (tf.equal(x, 0), lambda: tf.constant(0))],
        default=lambda: tf.constant(1),
        name="sign",
    )
    exclusive = tf.case(
        [(x < 0, lambda: x * 10), (x > 5, lambda: x * 100)], default=lambda: x, exclusive=True
    )
    without = tf.case([(tf.greater_equal(x, 0), lambda: x + 1), (tf.less(x, 0), lambda: x - 1)])

    def steps(session):
        return {str(v): session.run([listed, exclusive, without], {x: v}) for v in (-2, 0, 9)}

    return {"points": [listed, exclusive, without], "steps": steps}


def smart_piecewise_schedule(tf):
    """A learning-rate schedule by hand with cond and by the ready-made piecewise constant."""
    step = tf.train.get_or_create_global_step()
    by_hand = tf.cond(
        step < 100,
        lambda: tf.constant(0.1),
        lambda: tf.cond(step < 200, lambda: tf.constant(0.01), lambda: tf.constant(0.001)),
        name="rate",
    )
    ready = tf.train.piecewise_constant(step, [100, 200], [0.1, 0.01, 0.001])
    decayed = tf.train.exponential_decay(0.1, step, 1000, 0.96, staircase=True)
    return {"by_hand": by_hand, "ready": ready, "decayed": decayed}

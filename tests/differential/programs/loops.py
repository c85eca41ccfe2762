"""Programs of loops: while_loop in its forms, TensorArray loops, map_fn, scan."""

from __future__ import annotations

from . import runs


@runs
def while_forms(tf):
    """A counting loop; several variables; a maximum of iterations; a nest as state."""
    limit = tf.constant(10, name="limit")
    count = tf.while_loop(lambda i: i < limit, lambda i: i + 1, [tf.constant(0)])
    index, total = tf.while_loop(
        lambda i, s: tf.less(i, 5), lambda i, s: (i + 1, s + tf.cast(i, tf.float32)), (0, 0.0)
    )
    bounded = tf.while_loop(lambda i: True, lambda i: i * 2, [1], maximum_iterations=4)
    state = {"a": tf.constant(1.0), "b": (tf.constant(2.0), tf.constant([3.0]))}
    nested = tf.while_loop(
        lambda s: s["a"] < 20.0,
        lambda s: [{"a": s["a"] + s["b"][0], "b": (s["b"][0] * 1.5, s["b"][1])}],
        [state],
        parallel_iterations=1,
        back_prop=False,
        name="dictionary",
    )
    points = {"count": count, "total": [index, total], "bounded": bounded, "nested": nested}

    def steps(session):
        return session.run(points)

    return {**points, "steps": steps}


@runs
def while_with_invariants(tf):
    """A loop whose state grows, under shape invariants."""
    start = tf.ones([1, 2])
    index = tf.constant(0)
    _, grown = tf.while_loop(
        lambda i, m: i < 3,
        lambda i, m: [i + 1, tf.concat([m, m], axis=0)],
        loop_vars=[index, start],
        shape_invariants=[index.get_shape(), tf.TensorShape([None, 2])],
    )

    def steps(session):
        return {"grown": session.run(grown)}

    return {"grown": grown, "shape": grown.shape, "steps": steps}


@runs
def while_nested(tf):
    """A loop in a loop, with tensors captured from both frames, and a cond inside."""
    size = tf.placeholder(tf.int32, [], name="size")
    scale = tf.constant(2, name="scale")

    def inner(row, total):
        def add(column, accumulated):
            addend = tf.cond(row > column, lambda: row * scale, lambda: column)
            return column + 1, accumulated + addend

        _, accumulated = tf.while_loop(
            lambda column, _: column < size, add, [tf.constant(0), total], name="columns"
        )
        return row + 1, accumulated

    _, total = tf.while_loop(
        lambda row, _: row < size, inner, [0, 0], parallel_iterations=4, name="rows"
    )

    def steps(session):
        return {"totals": [session.run(total, {size: n}) for n in (0, 1, 4)]}

    return {"total": total, "steps": steps}


@runs
def while_with_variables(tf):
    """Newton's method reading one variable and updating another in the loop."""
    target = tf.get_variable("target", initializer=2.0)
    calls = tf.Variable(0, trainable=False, name="calls")

    def refine(guess, _):
        with tf.control_dependencies([tf.assign_add(calls, 1)]):
            better = 0.5 * (guess + target / guess)
        return better, tf.abs(better - guess)

    root, change = tf.while_loop(
        lambda guess, change: change > 1e-4, refine, [tf.constant(1.0), tf.constant(1.0)]
    )
    init = tf.global_variables_initializer()

    def steps(session):
        session.run(init)
        return {"root": session.run(root), "calls": session.run(calls)}

    return {"root": root, "change": change, "init": init, "steps": steps}


@runs
def tensor_array_forms(tf):
    """TensorArrays outside of loops: write, read, stack, unstack, gather, scatter, concat."""
    array = tf.TensorArray(tf.float32, size=3, clear_after_read=False)
    array = array.write(0, [1.0, 2.0]).write(1, [3.0, 4.0]).write(2, [5.0, 6.0])
    unstacked = tf.TensorArray(tf.int32, 3, name="unstacked").unstack([7, 8, 9])
    dynamic = tf.TensorArray(tf.float32, size=0, dynamic_size=True, infer_shape=False)
    dynamic = dynamic.write(0, [1.0]).write(1, [2.0, 3.0])
    scattered = tf.TensorArray(tf.float32, 4, element_shape=[2]).scatter([3, 1], tf.ones([2, 2]))
    split = tf.TensorArray(tf.float32, 2, infer_shape=False).split(tf.range(5.0), lengths=[2, 3])
    points = {
        "read": array.read(1),
        "stacked": array.stack(),
        "gathered": array.gather([2, 0]),
        "unstacked": unstacked.read(0),
        "joined": dynamic.concat(),
        "scattered": scattered.read(3),
        "split": split.read(1),
        "size": dynamic.size(),
        "identity": array.identity().read(0),
    }

    def steps(session):
        return session.run(points)

    return {**points, "steps": steps}


@runs
def tensor_array_loop(tf):
    """A recurrent network over time by while_loop and TensorArrays, as dynamic_rnn does."""
    inputs = tf.placeholder(tf.float32, [None, None, 3], name="inputs")
    time_major = tf.transpose(inputs, [1, 0, 2])
    length = tf.shape(time_major)[0]
    batch = tf.shape(time_major)[1]
    kernel = tf.get_variable("kernel", [5, 2], initializer=tf.constant_initializer(0.1))
    source = tf.TensorArray(tf.float32, size=length, name="inputs").unstack(time_major)
    target = tf.TensorArray(tf.float32, size=length, name="outputs")

    def step(time, state, outputs):
        joined = tf.concat([source.read(time), state], axis=1)
        new_state = tf.tanh(tf.matmul(joined, kernel))
        new_state.set_shape([None, 2])
        return time + 1, new_state, outputs.write(time, new_state)

    _, final, outputs = tf.while_loop(
        cond=lambda time, *_: time < length,
        body=step,
        loop_vars=(tf.constant(0, name="time"), tf.zeros([batch, 2]), target),
        swap_memory=True,
    )
    result = tf.transpose(outputs.stack(), [1, 0, 2])
    init = tf.global_variables_initializer()

    def steps(session):
        session.run(init)
        fed = {inputs: [[[1, 2, 3], [4, 5, 6]], [[0, 0, 1], [1, 0, 0]]]}
        return dict(zip(("result", "final"), session.run([result, final], fed)))

    return {"result": result, "final": final, "steps": steps}


@runs
def functional_loops(tf):
    """map_fn, foldl, foldr and scan over tensors and nests."""
    elements = tf.constant([1.0, 2.0, 3.0])
    points = {
        "mapped": tf.map_fn(lambda x: x * x, elements),
        "mapped_pair": tf.map_fn(
            lambda pair: pair[0] * pair[1], (elements, elements), dtype=tf.float32
        ),
        "mapped_nest": tf.map_fn(lambda x: (x, x > 1.5), elements, dtype=(tf.float32, tf.bool)),
        "folded": tf.foldl(lambda a, x: a + x, elements),
        "folded_right": tf.foldr(lambda a, x: a - x, elements, initializer=10.0),
        "scanned": tf.scan(lambda a, x: a * x, elements),
        "scanned_from": tf.scan(
            lambda a, x: a + x, elements, initializer=0.5, reverse=True, name="backward"
        ),
    }

    def steps(session):
        return session.run(points)

    return {**points, "steps": steps}


@runs
def loop_gradients(tf):
    """Gradients through a while_loop and a cond; the forward graph is what is compared."""
    x = tf.placeholder(tf.float32, [], name="x")
    _, power = tf.while_loop(
        lambda i, p: i < 3, lambda i, p: (i + 1, p * x), [tf.constant(0), tf.constant(1.0)]
    )
    branch = tf.cond(x > 0.0, lambda: tf.square(power), lambda: power)
    (slope,) = tf.gradients(power, [x])
    (second,) = tf.gradients(branch, [x], name="gradients_through_cond")

    def steps(session):
        return {str(v): session.run([power, slope, branch, second], {x: v}) for v in (2.0, -1.0)}

    return {"power": power, "branch": branch, "steps": steps}

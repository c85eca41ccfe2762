"""Programs of variables: assignment, scatter, moving averages, resources, collections."""

from __future__ import annotations

from . import runs


@runs
def assignments(tf):
    """assign, assign_add and assign_sub by function and by method, chained by dependencies."""
    value = tf.Variable([1.0, 2.0], name="value")
    counter = tf.Variable(0, trainable=False, name="counter", dtype=tf.int64)
    doubled = tf.assign(value, value * 2.0)
    with tf.control_dependencies([doubled]):
        read = value.read_value()
    moved = value.assign_add([0.5, 0.5])
    back = value.assign_sub(tf.ones([2]), use_locking=True)
    counted = tf.assign_add(counter, 1, use_locking=True, name="count")
    up = counter.count_up_to(3)
    init = tf.global_variables_initializer()

    def steps(session):
        session.run(init)
        values = [session.run(point) for point in (read, moved, back, counted, up)]
        return {"values": values, "value": session.run(value), "counter": session.run(counter)}

    return {"points": [doubled, read, moved, back, counted, up], "init": init, "steps": steps}


@runs
def scattered_updates(tf):
    """Scatter updates of rows, of single elements, and with repeated indices."""
    table = tf.Variable(tf.zeros([4, 2]), name="table")
    updates = [
        tf.scatter_update(table, [0, 2], [[1.0, 1.0], [2.0, 2.0]]),
        tf.scatter_add(table, [1, 1], tf.ones([2, 2])),
        tf.scatter_sub(table, 3, [0.5, 0.5]),
        tf.scatter_mul(table, [0], [[2.0, 3.0]]),
        tf.scatter_nd_update(table, [[3, 1]], [9.0]),
        tf.scatter_nd_add(table, [[3]], [[1.0, 1.0]]),
        table.scatter_sub(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([2]))),
    ]
    init = tf.global_variables_initializer()

    def steps(session):
        session.run(init)
        for update in updates:
            session.run(update)
        return {"table": session.run(table)}

    return {"updates": updates, "steps": steps}


@runs
def moving_average_by_hand(tf):
    """A shadow variable that follows a value by assign_sub, with bias correction."""
    value = tf.placeholder(tf.float32, [3], name="value")
    decay = tf.constant(0.9, name="decay")
    shadow = tf.get_variable(
        "shadow", [3], initializer=tf.zeros_initializer(), trainable=False,
        collections=[tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.MOVING_AVERAGE_VARIABLES],
    )  # fmt: skip
    steps_taken = tf.get_variable("steps", [], initializer=tf.zeros_initializer(), trainable=False)
    with tf.name_scope("average"):
        update = tf.assign_sub(shadow, (shadow - value) * (1.0 - decay))
        count = tf.assign_add(steps_taken, 1.0)
        with tf.control_dependencies([update, count]):
            corrected = shadow / (1.0 - tf.pow(decay, steps_taken))
    init = tf.global_variables_initializer()

    def steps(session):
        session.run(init)
        first = session.run(corrected, {value: [1.0, 2.0, 3.0]})
        return {"first": first, "second": session.run(corrected, {value: [0.0, 2.0, 6.0]})}

    return {"corrected": corrected, "init": init, "steps": steps}


def exponential_moving_average(tf):
    """The ready-made moving average over variables and tensors."""
    weights = tf.Variable([1.0, 2.0], name="weights")
    loss = tf.reduce_sum(tf.square(weights), name="loss")
    step = tf.train.get_or_create_global_step()
    average = tf.train.ExponentialMovingAverage(0.99, num_updates=step)
    apply = average.apply([weights, loss])
    shadow = average.average(weights)
    names = [average.average_name(weights), average.average_name(loss)]
    restored = sorted(average.variables_to_restore())
    return {"apply": apply, "shadow": shadow, "names": names, "restored": restored}


@runs
def resource_variables(tf):
    """Variables of `use_resource=True`: handles, reads, assignment, scatter, slices."""
    with tf.variable_scope("resource", use_resource=True):
        weights = tf.get_variable("weights", [3, 2], initializer=tf.ones_initializer())
        made = tf.Variable(2.0, name="made", use_resource=True)
    product = tf.matmul(tf.ones([1, 3]), weights) * made
    updates = [
        tf.assign(made, 3.0),
        made.assign_add(1.0),
        tf.assign_sub(weights, tf.ones([3, 2])),
        tf.scatter_update(weights, [0], [[5.0, 5.0]]),
        weights.scatter_add(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]))),
    ]
    rows = [weights[0], tf.gather(weights, [2, 0]), tf.nn.embedding_lookup(weights, [1])]
    init = tf.global_variables_initializer()

    def steps(session):
        session.run(init)
        before = session.run(product)
        for update in updates:
            session.run(update)
        return {"before": before, "weights": session.run(weights), "made": session.run(made)}

    return {
        "product": product,
        "updates": updates,
        "rows": rows,
        "ready": made.is_initialized(),
        "init": init,
        "steps": steps,
    }


def collections_and_kinds(tf):
    """Local, model and untrained variables, and collections of one's own."""
    weights = tf.get_variable("weights", [2], initializer=tf.zeros_initializer())
    local = tf.get_variable(
        "local", [], initializer=tf.zeros_initializer(), collections=[tf.GraphKeys.LOCAL_VARIABLES]
    )
    tf.Variable(1.0, name="hidden", collections=[])
    tf.add_to_collection("activations", weights + 1.0)
    tf.add_to_collections(["activations", "extra"], local * 2.0)
    with tf.name_scope("activations"):
        tf.add_to_collection("activations", tf.identity(weights, name="copy"))
    graph = tf.get_default_graph()
    graph.get_collection_ref("settings").extend([1, "two"])
    scoped = tf.get_collection("activations", scope="activations")
    return {
        "inits": [
            tf.global_variables_initializer(),
            tf.local_variables_initializer(),
            tf.variables_initializer([weights], name="just_weights"),
            tf.variables_initializer([]),
        ],
        "report": tf.report_uninitialized_variables(),
        "scoped": scoped,
        "trainable": [variable.name for variable in tf.trainable_variables()],
        "locals": [variable.name for variable in tf.local_variables()],
    }


def variable_operators(tf):
    """Variables in arithmetic, slicing, conversion, comparison and as operands of constants."""
    matrix = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="matrix")
    scalar = tf.get_variable("scalar", initializer=2)
    return {
        "arithmetic": [matrix + 1.0, 1.0 - matrix, matrix * matrix, -matrix, matrix @ matrix],
        "slices": [matrix[0], matrix[:, 1], matrix[..., tf.newaxis]],
        "assigned": matrix[0].assign([9.0, 9.0]),
        "converted": [
            tf.convert_to_tensor(scalar),
            tf.identity(matrix),
            tf.cast(scalar, tf.float32),
        ],
        "compared": [scalar > 1, tf.equal(scalar, 2)],
        "parts": [matrix.value(), matrix.read_value(), matrix.initial_value, matrix.initializer],
        "facts": [matrix.name, matrix.dtype.name, matrix.shape, matrix.op.type, matrix.trainable],
    }

"""Programs of training: the three optimizers, global steps, clipping, slots, gradients."""

from __future__ import annotations

from . import runs


def _linear_model(tf):
    """A linear model with a mean squared loss over fixed data."""
    inputs = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], name="inputs")
    targets = tf.constant([[1.0], [2.0], [3.0]], name="targets")
    weights = tf.get_variable("weights", [2, 1], initializer=tf.constant_initializer(0.1))
    bias = tf.get_variable("bias", [1], initializer=tf.zeros_initializer())
    predictions = tf.matmul(inputs, weights) + bias
    return tf.reduce_mean(tf.square(predictions - targets), name="loss")


def _train(tf, train_op, loss, count=3):
    """Returns the steps that train and report the loss and every variable."""
    init = tf.global_variables_initializer()

    def steps(session):
        session.run(init)
        losses = []
        for _ in range(count):
            session.run(train_op)
            losses.append(session.run(loss))
        values = {v.op.name: session.run(v) for v in tf.global_variables()}
        return {"losses": losses, **values}

    return steps


@runs
def gradient_descent(tf):
    """minimize with a global step."""
    loss = _linear_model(tf)
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.GradientDescentOptimizer(0.01)
    train_op = optimizer.minimize(loss, global_step=step)
    return {"train_op": train_op, "optimizer": optimizer, "steps": _train(tf, train_op, loss)}


@runs
def momentum(tf):
    """Momentum, plain and Nesterov, with a decayed rate, under a name scope."""
    loss = _linear_model(tf)
    step = tf.Variable(0, trainable=False, name="step")
    rate = tf.train.exponential_decay(0.05, step, 2, 0.5, staircase=True)
    with tf.name_scope("train"):
        plain = tf.train.MomentumOptimizer(rate, 0.9)
        train_plain = plain.minimize(loss, global_step=step)
    nesterov = tf.train.MomentumOptimizer(0.01, momentum=0.5, use_nesterov=True, name="Nesterov")
    train_nesterov = nesterov.minimize(loss, var_list=tf.trainable_variables()[:1])
    return {
        "train_ops": [train_plain, train_nesterov],
        "optimizers": [plain, nesterov],
        "steps": _train(tf, train_plain, loss),
    }


@runs
def adam(tf):
    """Adam with its beta accumulators and both slots."""
    loss = _linear_model(tf)
    optimizer = tf.train.AdamOptimizer(learning_rate=0.1, beta1=0.8, epsilon=1e-6)
    train_op = optimizer.minimize(loss, name="train")
    return {"train_op": train_op, "optimizer": optimizer, "steps": _train(tf, train_op, loss)}


@runs
def adam_over_resources(tf):
    """The same over resource variables inside a variable scope."""
    with tf.variable_scope("model", use_resource=True):
        loss = _linear_model(tf)
    step = tf.train.create_global_step()
    optimizer = tf.train.AdamOptimizer(0.1)
    train_op = optimizer.minimize(loss, global_step=step)
    return {"train_op": train_op, "optimizer": optimizer, "steps": _train(tf, train_op, loss)}


@runs
def clipped_gradients(tf):
    """compute_gradients, clipping by global norm by hand, apply_gradients."""
    loss = _linear_model(tf)
    optimizer = tf.train.GradientDescentOptimizer(tf.placeholder_with_default(0.1, [], "rate"))
    pairs = optimizer.compute_gradients(loss)
    gradients, variables = zip(*pairs)
    clipped, norm = tf.clip_by_global_norm(gradients, 1.0, name="clip")
    step = tf.train.get_or_create_global_step()
    train_op = optimizer.apply_gradients(zip(clipped, variables), global_step=step, name="apply")
    return {"train_op": train_op, "norm": norm, "steps": _train(tf, train_op, loss)}


def updates_before_training(tf):
    """UPDATE_OPS run before the step, several losses, gated gradients, frozen variables."""
    loss = _linear_model(tf)
    frozen = tf.get_variable("frozen", [], initializer=tf.ones_initializer(), trainable=False)
    counted = tf.assign_add(frozen, 1.0)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, counted)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        total = loss + 0.5 * tf.nn.l2_loss(tf.trainable_variables()[0])
        optimizer = tf.train.AdamOptimizer(0.01)
        train_op = optimizer.minimize(total, gate_gradients=optimizer.GATE_GRAPH)
    return {"train_op": train_op, "optimizer": optimizer}


@runs
def embedding_training(tf):
    """Sparse gradients of an embedding table under each optimizer."""
    table = tf.get_variable("table", [5, 2], initializer=tf.ones_initializer())
    rows = tf.nn.embedding_lookup(table, [1, 1, 3])
    loss = tf.reduce_sum(tf.square(rows), name="loss")
    optimizers = [
        tf.train.GradientDescentOptimizer(0.1),
        tf.train.MomentumOptimizer(0.1, 0.9),
        tf.train.AdamOptimizer(0.1),
    ]
    train_ops = [optimizer.minimize(loss) for optimizer in optimizers]
    return {
        "train_ops": train_ops,
        "optimizers": optimizers,
        "steps": _train(tf, train_ops[0], loss),
    }


@runs
def gradients_by_hand(tf):
    """tf.gradients with several targets, given output gradients, stops and unconnected inputs."""
    x = tf.get_variable("x", initializer=[1.0, 2.0])
    y = tf.constant([3.0, 4.0], name="y")
    unrelated = tf.constant(1.0, name="unrelated")
    product = tf.multiply(x, y, name="product")
    total = tf.reduce_sum(product, name="total")
    (by_x,) = tf.gradients(total, [x])
    several = tf.gradients([product, total], [x, y], grad_ys=[tf.ones([2]), tf.constant(2.0)])
    stopped = tf.gradients(tf.square(product), [x], stop_gradients=[y], name="gradients_stopped")
    missing = tf.gradients(total, [unrelated])
    updated = tf.assign(x, x - 0.1 * by_x)
    points = {"several": several, "stopped": stopped, "updated": updated}
    init = tf.global_variables_initializer()

    def steps(session):
        session.run(init)
        return {name: session.run(point) for name, point in points.items()}

    return {**points, "facts": [missing == [None]], "steps": steps}


def classifier_training(tf):
    """A small classifier end to end: placeholders, dropout, loss, accuracy, Adam, saver-less."""
    tf.set_random_seed(0)
    images = tf.placeholder(tf.float32, [None, 16], name="images")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    keep_prob = tf.placeholder_with_default(1.0, shape=[], name="keep_prob")
    with tf.variable_scope("hidden"):
        kernel = tf.get_variable("kernel", [16, 8], initializer=tf.glorot_uniform_initializer())
        bias = tf.get_variable("bias", [8], initializer=tf.zeros_initializer())
        hidden = tf.nn.dropout(tf.nn.relu(tf.matmul(images, kernel) + bias), keep_prob)
    with tf.variable_scope("output"):
        kernel = tf.get_variable("kernel", [8, 3], initializer=tf.glorot_uniform_initializer())
        logits = tf.matmul(hidden, kernel, name="logits")
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    loss = tf.reduce_mean(losses, name="loss")
    accuracy = tf.reduce_mean(tf.to_float(tf.equal(tf.argmax(logits, 1), labels)), name="accuracy")
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.AdamOptimizer(1e-2)
    train_op = optimizer.minimize(loss, global_step=step)
    return {"train_op": train_op, "optimizer": optimizer, "accuracy": accuracy}

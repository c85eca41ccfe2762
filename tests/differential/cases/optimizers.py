"""Optimisers: a few steps of each, what they add to the graph, and their schedules."""

from __future__ import annotations

from ..case import Case, Script, case, error_cases
from ..inputs import normal

OPTIMIZERS = {
    "gradient_descent": lambda tf: tf.train.GradientDescentOptimizer(0.1),
    "gradient_descent_tensor": lambda tf: tf.train.GradientDescentOptimizer(tf.constant(0.2)),
    "momentum": lambda tf: tf.train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda tf: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adam": lambda tf: tf.train.AdamOptimizer(0.1),
    "adam_options": lambda tf: tf.train.AdamOptimizer(0.05, beta1=0.5, beta2=0.9, epsilon=1e-3),
    "adagrad": lambda tf: tf.train.AdagradOptimizer(0.1, initial_accumulator_value=0.2),
    "adadelta": lambda tf: tf.train.AdadeltaOptimizer(1.0, rho=0.9, epsilon=1e-2),
    "rmsprop": lambda tf: tf.train.RMSPropOptimizer(0.01, decay=0.8, momentum=0.5),
    "rmsprop_centered": lambda tf: tf.train.RMSPropOptimizer(0.01, centered=True),
    "ftrl": lambda tf: tf.train.FtrlOptimizer(
        0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.1
    ),
    "proximal_descent": lambda tf: tf.train.ProximalGradientDescentOptimizer(
        0.1, l1_regularization_strength=0.05
    ),
    "proximal_adagrad": lambda tf: tf.train.ProximalAdagradOptimizer(0.1),
    "adagrad_da": lambda tf: tf.train.AdagradDAOptimizer(0.1, tf.train.get_or_create_global_step()),
}
DRIFT = "rounding errors grow over the steps"


def _dense_program(make, use_resource):
    def program(tf):
        w = tf.Variable([[1.0], [-2.0]], name="w", use_resource=use_resource)
        b = tf.Variable(0.5, name="b", use_resource=use_resource)
        x, y = tf.constant(normal(5, 2)), tf.constant(normal(5, 1, seed=1))
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
        train = make(tf).minimize(loss, global_step=tf.train.get_or_create_global_step())

        def body(session):
            session.run(tf.global_variables_initializer())
            for _ in range(4):
                session.run(train)
            names = [variable.name for variable in tf.global_variables()]
            return {"values": session.run([loss, w, b]), "variables": names}

        return Script(body)

    return program


def _sparse_program(make, use_resource):
    def program(tf):
        table = tf.Variable(normal(4, 2), use_resource=use_resource)
        loss = tf.reduce_sum(tf.square(tf.gather(table, [2, 0, 2]) - 1.0))
        train = make(tf).minimize(loss, global_step=tf.train.get_or_create_global_step())

        def body(session):
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(train)
            return session.run([loss, table])

        return Script(body)

    return program


for _name, _make in OPTIMIZERS.items():
    case(f"{_name}_ref")(_dense_program(_make, False))
    case(f"{_name}_resource")(_dense_program(_make, True))
    if _name not in ("gradient_descent_tensor", "adam_options"):
        case(f"{_name}_sparse_ref")(_sparse_program(_make, False))
        case(f"{_name}_sparse_resource")(_sparse_program(_make, True))


@case
def compute_and_apply_gradients(tf):
    w, _unused = tf.Variable([1.0, 2.0], name="w"), tf.Variable(1.0, name="unused")
    frozen = tf.Variable(3.0, trainable=False, name="frozen")
    loss = tf.reduce_sum(tf.square(w)) * frozen
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    pairs = optimizer.compute_gradients(loss)
    clipped = [(tf.clip_by_norm(g, 1.0), v) for g, v in pairs if g is not None]
    step = tf.Variable(0, trainable=False, name="step")
    train = optimizer.apply_gradients(clipped, global_step=step, name="update")

    def body(session):
        session.run(tf.global_variables_initializer())
        session.run([train, train])
        return {
            "values": session.run([w, step]),
            "gradients": [g is None for g, _ in pairs],
            "variables": [v.name for _, v in pairs],
            "operation": [train.name, train.type],
            "name": optimizer.get_name(),
        }

    return Script(body)


@case
def slots(tf):
    w = tf.Variable([1.0, 2.0], name="w")
    optimizer = tf.train.AdamOptimizer(0.1, name="Mine")
    train = optimizer.minimize(tf.reduce_sum(w * w), var_list=[w])
    names = sorted(optimizer.get_slot_names())
    fetches = {name: optimizer.get_slot(w, name) for name in names}
    fetches["names"] = [fetches[name].name for name in names]
    fetches["all"] = [variable.name for variable in optimizer.variables()]
    fetches["missing"] = optimizer.get_slot(w, "nothing")
    return Case(fetches, setup=[tf.global_variables_initializer(), train, train])


@case
def fed_learning_rate(tf):
    w, rate = tf.Variable([1.0, 2.0]), tf.placeholder(tf.float32, [])
    train = tf.train.GradientDescentOptimizer(rate).minimize(tf.reduce_sum(w**2))

    def body(session):
        session.run(tf.global_variables_initializer())
        for value in (0.1, 0.2):
            session.run(train, {rate: value})
        return session.run(w)

    return Script(body)


@case
def loss_from_a_function_of_grad_loss(tf):
    w = tf.Variable([1.0, 2.0])
    train = tf.train.GradientDescentOptimizer(1.0).minimize(
        w * 2.0, grad_loss=tf.constant([1.0, 0.5])
    )
    return Case(w, setup=[tf.global_variables_initializer(), train])


@case
def gates(tf):
    w = tf.Variable([2.0])
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    trains = [
        optimizer.minimize(w**2, gate_gradients=gate)
        for gate in (optimizer.GATE_NONE, optimizer.GATE_OP, optimizer.GATE_GRAPH)
    ]
    return Case(w, setup=[tf.global_variables_initializer(), *trains])


SCHEDULES = {
    "exponential": lambda tf, step: tf.train.exponential_decay(0.1, step, 10, 0.5),
    "staircase": lambda tf, step: tf.train.exponential_decay(0.1, step, 10, 0.5, staircase=True),
    "piecewise": lambda tf, step: tf.train.piecewise_constant(step, [5, 20], [1.0, 0.5, 0.1]),
    "polynomial": lambda tf, step: tf.train.polynomial_decay(0.1, step, 30, 0.01, power=2.0),
    "polynomial_cycle": lambda tf, step: tf.train.polynomial_decay(0.1, step, 10, cycle=True),
    "inverse_time": lambda tf, step: tf.train.inverse_time_decay(0.1, step, 10, 0.5),
    "natural_exp": lambda tf, step: tf.train.natural_exp_decay(0.1, step, 10, 0.5),
    "cosine": lambda tf, step: tf.train.cosine_decay(0.1, step, 30, alpha=0.1),
    "cosine_restarts": lambda tf, step: tf.train.cosine_decay_restarts(0.1, step, 10),
    "linear_cosine": lambda tf, step: tf.train.linear_cosine_decay(0.1, step, 30),
}


def _schedule_program(make):
    def program(tf):
        step = tf.placeholder(tf.int32, [])
        rate = make(tf, step)
        return Script(lambda session: [session.run(rate, {step: n}) for n in (0, 5, 6, 25, 100)])

    return program


for _name, _make in SCHEDULES.items():
    case(f"schedule_{_name}")(_schedule_program(_make))


@case
def exponential_moving_average(tf):
    w = tf.Variable([1.0, 2.0], name="w")
    average = tf.train.ExponentialMovingAverage(0.9)
    with tf.control_dependencies([tf.assign_add(w, [1.0, 1.0])]):
        update = average.apply([w])
    shadow = average.average(w)

    def body(session):
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(update)
        return [session.run(shadow), shadow.name, average.average_name(w)]

    return Script(body)


@case
def moving_average_of_tensors_and_steps(tf):
    x, step = tf.placeholder(tf.float32, []), tf.Variable(3, trainable=False)
    average = tf.train.ExponentialMovingAverage(0.9, num_updates=step, zero_debias=True)
    total = x * 2.0
    update = average.apply([total])

    def body(session):
        session.run(tf.global_variables_initializer())
        for value in (1.0, 2.0, 3.0):
            session.run(update, {x: value})
        return session.run(average.average(total))

    return Script(body)


@case
def raw_training_operations(tf):
    w = tf.Variable([1.0, 2.0], use_resource=False)
    m, v = tf.Variable([0.1, 0.2], use_resource=False), tf.Variable([0.3, 0.4], use_resource=False)
    grad = tf.constant([0.5, -0.5])
    raw = tf.raw_ops
    applied = raw.ApplyAdam(
        var=w,
        m=m,
        v=v,
        beta1_power=0.9,
        beta2_power=0.99,
        lr=0.1,
        beta1=0.9,
        beta2=0.99,
        epsilon=1e-8,
        grad=grad,
        use_nesterov=True,
    )
    descended = raw.ApplyGradientDescent(var=v, alpha=0.1, delta=grad)
    with tf.control_dependencies([applied]):
        moved = raw.ApplyMomentum(
            var=w, accum=m, lr=0.1, grad=grad, momentum=0.9, use_nesterov=True, use_locking=True
        )
    return Case(
        [moved, applied.dtype.name, descended.op.type], setup=[tf.global_variables_initializer()]
    )


error_cases(
    nothing_to_train=lambda tf: tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0)),
    no_gradients=lambda tf: (
        tf.Variable(1.0),
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0)),
    ),
    apply_nothing=lambda tf: tf.train.GradientDescentOptimizer(0.1).apply_gradients([]),
    apply_only_none=lambda tf: tf.train.GradientDescentOptimizer(0.1).apply_gradients(
        [(None, tf.Variable(1.0))]
    ),
    apply_to_a_tensor=lambda tf: tf.train.GradientDescentOptimizer(0.1).apply_gradients(
        [(tf.constant(1.0), tf.constant(1.0))]
    ),
    integer_loss=lambda tf: tf.train.GradientDescentOptimizer(0.1).minimize(
        tf.cast(tf.Variable(1.0), tf.int32)
    ),
    piecewise_lengths=lambda tf: tf.train.piecewise_constant(tf.constant(1), [5], [1.0]),
    decay_without_step=lambda tf: tf.train.exponential_decay(0.1, None, 10, 0.5),
)

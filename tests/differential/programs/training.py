"""Programs of training with each optimizer: refs and resources, all rows and some, other types."""

from __future__ import annotations

import numpy as np

from . import runs

STEPS = 12


def _variables(tf, dtype):
    """A matrix and a table, each as a ref variable and as a resource."""
    start = np.array([[1.0, -2.0], [0.5, 0.25], [-0.75, 3.0]])
    return {
        f"{name}_{kind}": tf.get_variable(
            f"{name}_{kind}", initializer=tf.constant(start, dtype), use_resource=kind == "resource"
        )
        for name in ("matrix", "table")
        for kind in ("ref", "resource")
    }


def _loss(tf, variables):
    """Uses all of the matrices, and two rows of the tables, one of them twice."""
    parts = []
    for name, variable in variables.items():
        value = tf.gather(variable, [2, 0, 2]) if name.startswith("table") else variable
        parts.append(tf.reduce_sum(tf.square(value - 0.5)))
    return tf.add_n(parts, name="loss")


def _trained(tf, make, dtype=None):
    variables = _variables(tf, dtype or tf.float32)
    loss = _loss(tf, variables)
    optimizer = make(tf)
    step = tf.train.get_or_create_global_step()
    train_op = optimizer.minimize(loss, global_step=step)
    slots = {
        f"{name}/{slot}": optimizer.get_slot(variable, slot)
        for name, variable in variables.items()
        for slot in optimizer.get_slot_names()
    }
    init = tf.global_variables_initializer()

    def steps(session):
        session.run(init)
        losses = []
        for _ in range(STEPS):
            losses.append(session.run([loss, train_op])[0])
        return {"losses": losses, **session.run({**variables, **slots}), "step": session.run(step)}

    return {"train_op": train_op, "optimizer": optimizer, "slots": slots, "steps": steps}


@runs
def descending(tf):
    """Plain descent."""
    return _trained(tf, lambda tf: tf.train.GradientDescentOptimizer(0.1))


@runs
def rolling(tf):
    """Momentum."""
    return _trained(tf, lambda tf: tf.train.MomentumOptimizer(0.05, 0.8))


@runs
def looking_ahead(tf):
    """Nesterov's momentum over doubles."""
    optimizer = tf.train.MomentumOptimizer(0.05, 0.8, use_nesterov=True, use_locking=True)
    return _trained(tf, lambda tf: optimizer, tf.float64)


@runs
def moments(tf):
    """Adam."""
    return _trained(tf, lambda tf: tf.train.AdamOptimizer(0.1))


@runs
def adagrad(tf):
    """Adagrad."""
    return _trained(tf, lambda tf: tf.train.AdagradOptimizer(0.3))


@runs
def adagrad_of_doubles(tf):
    """Adagrad over doubles, with its own start and name."""
    optimizer = tf.train.AdagradOptimizer(0.3, 0.2, use_locking=True, name="Mine")
    return _trained(tf, lambda tf: optimizer, tf.float64)


@runs
def adagrad_by_dual_averaging(tf):
    """AdagradDA, which sets weights to zero."""

    def make(tf):
        step = tf.train.get_or_create_global_step()
        return tf.train.AdagradDAOptimizer(0.3, step, 0.2, 0.01, 0.1)

    return _trained(tf, make)


@runs
def adadelta(tf):
    """Adadelta."""
    return _trained(tf, lambda tf: tf.train.AdadeltaOptimizer(1.0, rho=0.9, epsilon=1e-2))


@runs
def rmsprop(tf):
    """RMSProp with momentum."""
    return _trained(tf, lambda tf: tf.train.RMSPropOptimizer(0.02, decay=0.8, momentum=0.5))


@runs
def rmsprop_centered(tf):
    """RMSProp by variances, over doubles."""
    optimizer = tf.train.RMSPropOptimizer(0.02, epsilon=0.1, centered=True)
    return _trained(tf, lambda tf: optimizer, tf.float64)


@runs
def ftrl(tf):
    """FTRL with both penalties."""
    optimizer = tf.train.FtrlOptimizer(
        0.2, l1_regularization_strength=0.05, l2_regularization_strength=0.1
    )
    return _trained(tf, lambda tf: optimizer)


@runs
def ftrl_with_shrinkage(tf):
    """FTRL with another power, shrinkage, beta and names of its slots."""
    optimizer = tf.train.FtrlOptimizer(
        tf.constant(0.2),
        learning_rate_power=-0.6,
        initial_accumulator_value=0.3,
        accum_name="squares",
        linear_name="sums",
        l2_shrinkage_regularization_strength=0.02,
        beta=0.4,
    )
    return _trained(tf, lambda tf: optimizer)


@runs
def proximal_descent(tf):
    """Proximal descent."""
    optimizer = tf.train.ProximalGradientDescentOptimizer(0.1, 0.05, 0.2)
    return _trained(tf, lambda tf: optimizer)


@runs
def proximal_adagrad(tf):
    """Proximal Adagrad."""
    optimizer = tf.train.ProximalAdagradOptimizer(0.3, 0.2, 0.05, 0.2)
    return _trained(tf, lambda tf: optimizer)


@runs
def rates_from_functions(tf):
    """Numbers given as functions and tensors, a decayed rate among them."""
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.1, step, 3, 0.5)
    optimizer = tf.train.RMSPropOptimizer(
        lambda: rate, decay=tf.constant(0.7), momentum=lambda: 0.1, name="Decayed"
    )
    return _trained(tf, lambda tf: optimizer)


def unknown_shapes(tf):
    """Slots of variables whose shapes are not known."""
    start = tf.placeholder_with_default([[1.0, 2.0]], None)
    w = tf.Variable(start, validate_shape=False, use_resource=False, name="w")
    optimizers = [
        tf.train.AdagradOptimizer(0.1),
        tf.train.RMSPropOptimizer(0.1),
        tf.train.MomentumOptimizer(0.1, 0.9),
    ]
    train_ops = [optimizer.minimize(tf.reduce_sum(w * w)) for optimizer in optimizers]
    return {"train_ops": train_ops, "optimizers": optimizers}

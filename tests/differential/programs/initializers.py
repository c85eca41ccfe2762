"""Programs about initializers: each kind, with its options, seeds and dtypes."""

from __future__ import annotations

import numpy as np

from . import runs


def constant_initializers(tf):
    """Zeros, ones and constants, of several dtypes and forms of value."""
    table = np.arange(6, dtype=np.float32).reshape(2, 3)
    variables = [
        tf.get_variable("zeros", [2, 3], initializer=tf.zeros_initializer()),
        tf.get_variable("ones", [2], initializer=tf.ones_initializer(dtype=tf.float32)),
        tf.get_variable("flags", [2], tf.bool, initializer=tf.zeros_initializer()),
        tf.get_variable("counts", [3], tf.int64, initializer=tf.zeros_initializer()),
        tf.get_variable("number", [2, 2], initializer=tf.constant_initializer(0.1)),
        tf.get_variable("array", [2, 3], initializer=tf.constant_initializer(table)),
        tf.get_variable("integers", [3], tf.int32, tf.constant_initializer([1, 2, 3])),
        tf.get_variable("default_float", [4]),
        tf.get_variable("default_int", [2], tf.int32),
        tf.get_variable("scalar", [], initializer=tf.constant_initializer(-1.5)),
    ]
    return {"init": tf.global_variables_initializer(), "variables": variables}


@runs
def random_initializers(tf):
    """The three plain distributions, seeded by graph and by op."""
    tf.set_random_seed(42)
    variables = [
        tf.get_variable("uniform", [2, 2], initializer=tf.random_uniform_initializer(-1.0, 1.0)),
        tf.get_variable("normal", [2, 2], initializer=tf.random_normal_initializer(0.0, 0.02)),
        tf.get_variable(
            "truncated", [3, 3], initializer=tf.truncated_normal_initializer(stddev=0.1, seed=7)
        ),
        tf.get_variable(
            "integers", [4], tf.int32, tf.random_uniform_initializer(0, 10, seed=3, dtype=tf.int32)
        ),
        tf.get_variable("double", [2], tf.float64, tf.random_normal_initializer(seed=1)),
    ]
    init = tf.global_variables_initializer()

    def steps(session):
        session.run(init)
        return {variable.op.name: session.run(variable) for variable in variables}

    return {"init": init, "variables": variables, "steps": steps}


def scaling_initializers(tf):
    """Variance scaling in each of its modes and distributions."""
    tf.set_random_seed(1)
    variables = []
    for mode in ("fan_in", "fan_out", "fan_avg"):
        for distribution in ("uniform", "truncated_normal", "untruncated_normal"):
            initializer = tf.variance_scaling_initializer(
                scale=2.0, mode=mode, distribution=distribution
            )
            variables.append(
                tf.get_variable(f"{mode}_{distribution}", [3, 3, 2, 4], initializer=initializer)
            )
    unit = tf.uniform_unit_scaling_initializer(factor=1.43, seed=5)
    variables.append(tf.get_variable("unit", [4, 2], initializer=unit))
    return {"variables": variables}


@runs
def glorot_he_lecun(tf):
    """Glorot, He and LeCun initializers for dense and convolution kernels."""
    tf.set_random_seed(3)
    initializers = {
        "glorot_uniform": tf.glorot_uniform_initializer(seed=1),
        "glorot_normal": tf.glorot_normal_initializer(seed=2),
        "he_normal": tf.initializers.he_normal(seed=3),
        "he_uniform": tf.initializers.he_uniform(seed=4),
        "lecun_normal": tf.initializers.lecun_normal(seed=5),
        "lecun_uniform": tf.initializers.lecun_uniform(seed=6),
    }
    variables = []
    for name, initializer in initializers.items():
        variables.append(tf.get_variable(f"{name}_dense", [8, 4], initializer=initializer))
        variables.append(tf.get_variable(f"{name}_bias", [4], initializer=initializer))
        variables.append(tf.get_variable(f"{name}_conv", [3, 3, 2, 4], initializer=initializer))
    init = tf.global_variables_initializer()

    def steps(session):
        session.run(init)
        return {variable.op.name: session.run(variable) for variable in variables}

    return {"init": init, "steps": steps}


def structured_initializers(tf):
    """Identity and orthogonal matrices, square, tall, wide and of higher rank."""
    identity = tf.initializers.identity(gain=2.0)
    orthogonal = tf.orthogonal_initializer(gain=0.5, seed=4)
    variables = [
        tf.get_variable("square", [3, 3], initializer=identity),
        tf.get_variable("wide_identity", [2, 4], initializer=identity),
        tf.get_variable("tall", [4, 2], initializer=orthogonal),
        tf.get_variable("wide", [2, 4], initializer=orthogonal),
        tf.get_variable("kernel", [2, 2, 2, 3], initializer=orthogonal),
    ]
    return {"variables": variables}


def random_tensors(tf):
    """Random tensors used directly, with shapes known, partly known and computed."""
    tf.set_random_seed(9)
    batch = tf.placeholder(tf.int32, [], name="batch")
    points = {
        "uniform": tf.random_uniform([2, 3]),
        "bounds": tf.random_uniform([2], minval=-2.0, maxval=3.0, seed=1),
        "integers": tf.random_uniform([3], maxval=5, dtype=tf.int64),
        "normal": tf.random_normal([2, 2], mean=1.0, stddev=0.5, seed=2),
        "truncated": tf.truncated_normal([4], stddev=2.0),
        "computed": tf.random_normal(tf.stack([batch, 3])),
        "shuffled": tf.random_shuffle(tf.range(5), seed=3),
        "drawn": tf.multinomial(tf.zeros([1, 4]), 6, seed=4),
        "gamma": tf.random_gamma([2], alpha=1.5, seed=5),
    }
    return {**points, "shape": points["computed"].shape}

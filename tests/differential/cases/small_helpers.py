"""Small public functions that make few nodes or none: names, versions, devices, overrides."""

from __future__ import annotations

import numpy as np

from ..case import Case, Script, case, error_case
from ..inputs import normal


@case
def polynomials(tf):
    x = tf.constant(normal(3))
    return [
        tf.math.polyval([1.0, -2.0, 3.0], x),
        tf.math.polyval([x, 2.0], 3.0),
        tf.math.polyval([5.0], x),
        tf.math.polyval([], x),
        tf.gradients(tf.math.polyval([1.0, -2.0, 3.0], x), x)[0],
        tf.math.polyval([1, 2], tf.constant([1, 2])),
    ]


@case
def average_losses(tf):
    losses = tf.constant([1.0, 2.0, 6.0])
    unknown = tf.placeholder_with_default([1.0, 3.0], None)
    return [
        tf.nn.compute_average_loss(losses),
        tf.nn.compute_average_loss(losses, global_batch_size=12),
        tf.nn.compute_average_loss(losses, sample_weight=[1.0, 0.0, 2.0]),
        tf.nn.compute_average_loss(unknown),
        tf.nn.compute_average_loss(tf.reshape(losses, [3, 1]), sample_weight=[1.0, 0.0, 2.0]),
        tf.nn.scale_regularization_loss([1.0, 2.0]),
    ]


@case
def older_functions(tf):
    x = tf.constant(normal(2, 3))
    return [
        tf.arg_max(x, 1),
        tf.arg_min(x, dimension=0, output_type=tf.int32),
        tf.floor_div([7, -7], 2),
        tf.floor_div([7.5, -7.5], 2.0),
    ]


@case
def partitioned_variables(tf):
    initial = np.arange(8, dtype=np.float32).reshape(4, 2)
    parts = tf.create_partitioned_variables([4, 2], [2, 1], tf.constant_initializer(1.5))
    named = tf.create_partitioned_variables(
        [4, 2], [1, 2], lambda shape, dtype, partition_info: tf.ones(shape), name="named"
    )
    whole = tf.create_partitioned_variables([4, 2], [1, 1], tf.constant(initial), name="whole")
    names = [variable.name for variable in (*parts, *named, *whole)]
    return Case([names, parts, named, whole], setup=[tf.global_variables_initializer()])


@case
def overridden_gradients(tf):
    x = tf.constant([0.4, 1.6, -0.7])
    passed = tf.grad_pass_through(tf.round)(x)
    again = tf.recompute_grad(lambda a: tf.sin(a) * a)(x)
    return {
        "passed": [passed, tf.gradients(passed * 2.0, x)[0]],
        "again": [again, tf.gradients(again, x)[0]],
    }


@case
def decorated_functions(tf):
    @tf.numpy_function(Tout=tf.float32)
    def added(x, y):
        return x + y

    return [added(tf.constant(1.0), tf.constant([2.0])), added([1.0], [3.0])]


@case
def scopes_left(tf):
    with tf.name_scope("a"):
        one = tf.constant(1)
        with tf.control_dependencies([one]), tf.init_scope():
            two = tf.constant(2)

    def branch():
        with tf.init_scope():
            return tf.identity(two, name="outside")

    chosen = tf.cond(tf.equal(one, 1), branch, lambda: one)
    return [two.name, [item.name for item in two.op.control_inputs], chosen]


@case
def kinds_of_tensors(tf):
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([1]))
    return [
        tf.convert_to_tensor_or_indexed_slices(slices) is slices,
        tf.convert_to_tensor_or_indexed_slices([1.0, 2.0]),
        tf.convert_to_tensor_or_indexed_slices(1, tf.float64),
        tf.is_symbolic_tensor(tf.constant(1)),
        tf.is_symbolic_tensor(1),
        tf.get_logger().name,
    ]


@case
def devices_and_versions(tf):
    return [
        [tuple(device) for device in tf.config.list_physical_devices("CPU")],
        [tuple(device) for device in tf.config.list_logical_devices("CPU")],
        [tuple(device) for device in tf.config.list_physical_devices("GPU")],
        [tuple(device) for device in tf.config.experimental.get_visible_devices("CPU")],
        tf.version.GRAPH_DEF_VERSION,
        tf.GRAPH_DEF_VERSION_MIN_CONSUMER,
        dict(tf.sysconfig.get_build_info()),
        tf.compat.forward_compatible(2020, 1, 1),
        tf.compat.forward_compatible(2099, 1, 1),
        tf.dimension_at_index(tf.TensorShape([2, 3]), 1).value,
        tf.dimension_value(tf.Dimension(4)),
    ]


@case
def horizons(tf):
    with tf.compat.forward_compatibility_horizon(2099, 1, 2):
        inside = tf.compat.forward_compatible(2099, 1, 1)
    return [inside, tf.compat.forward_compatible(2099, 1, 1)]


@case
def times(tf):
    stamp = tf.timestamp(name="now")
    ordered = Script(lambda session: [bool(session.run(stamp) <= session.run(stamp)), stamp.name])
    return ordered


ERRORS = {
    "polynomial": lambda tf: tf.math.polyval((1.0, 2.0), 1.0),
    "slicing": lambda tf: tf.create_partitioned_variables([4, 2], [2, 2], tf.zeros_initializer()),
    "slicing_length": lambda tf: tf.create_partitioned_variables(
        [4, 2], [2], tf.zeros_initializer()
    ),
    "slicing_scalar": lambda tf: tf.create_partitioned_variables([], [], tf.zeros_initializer()),
    "batch_size": lambda tf: tf.nn.compute_average_loss([1.0], global_batch_size=1.5),
    "batch_size_vector": lambda tf: tf.nn.compute_average_loss([1.0], global_batch_size=[1]),
    "batch_size_negative": lambda tf: tf.nn.compute_average_loss([1.0], global_batch_size=-1),
    "function_without_inputs": lambda tf: tf.numpy_function(lambda x: x, Tout=tf.float32),
    "function_without_types": lambda tf: tf.numpy_function(lambda x: x, [1.0]),
    "decorator_with_inputs": lambda tf: tf.numpy_function(inp=[1.0], Tout=tf.float32),
    "slices_dtype": lambda tf: tf.convert_to_tensor_or_indexed_slices(
        tf.IndexedSlices(tf.constant([1.0]), tf.constant([1])), tf.int32
    ),
    "arg_max_of_text": lambda tf: tf.arg_max(["a"], 0),
    "arg_max_dimension": lambda tf: tf.arg_max([1.0], 1),
}
for _name, _program in ERRORS.items():
    error_case(f"error_{_name}")(_program)

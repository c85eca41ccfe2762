"""Variables, by reference and as resources: creation, reads, updates, and what goes wrong."""

from __future__ import annotations

import numpy as np

from ..case import Case, Script, case, error_cases
from ..inputs import normal

UPDATES = {
    "assign": lambda tf, v: tf.assign(v, [10.0, 20.0, 30.0]),
    "assign_add": lambda tf, v: tf.assign_add(v, [1.0, 2.0, 3.0]),
    "assign_sub": lambda tf, v: tf.assign_sub(v, [0.5, 0.5, 0.5]),
    "method_assign": lambda tf, v: v.assign([7.0, 8.0, 9.0]),
    "method_assign_add": lambda tf, v: v.assign_add(tf.ones([3])),
    "method_assign_sub": lambda tf, v: v.assign_sub([1.0, 0.0, 1.0]),
    "scatter_update": lambda tf, v: tf.scatter_update(v, [0, 2], [5.0, 6.0]),
    "scatter_add": lambda tf, v: tf.scatter_add(v, [0, 0], [1.0, 2.0]),
    "scatter_sub": lambda tf, v: tf.scatter_sub(v, [1], [4.0]),
    "scatter_mul": lambda tf, v: tf.scatter_mul(v, [1, 2], [2.0, 3.0]),
    "scatter_div": lambda tf, v: tf.scatter_div(v, [1], [2.0]),
    "scatter_min": lambda tf, v: tf.scatter_min(v, [0, 1], [0.0, 9.0]),
    "scatter_max": lambda tf, v: tf.scatter_max(v, [0, 1], [0.0, 9.0]),
    "scatter_scalar": lambda tf, v: tf.scatter_update(v, [0, 1], 0.5),
    "scatter_nd_update": lambda tf, v: tf.scatter_nd_update(v, [[2], [0]], [8.0, 9.0]),
    "scatter_nd_add": lambda tf, v: tf.scatter_nd_add(v, [[2], [2]], [1.0, 1.0]),
    "scatter_nd_sub": lambda tf, v: tf.scatter_nd_sub(v, [[0]], [1.0]),
    "slices_add": lambda tf, v: v.scatter_add(
        tf.IndexedSlices(tf.constant([1.0]), tf.constant([1]))
    ),
    "slice_assign": lambda tf, v: v[1:].assign([4.0, 5.0]),
}


def _update_program(update, use_resource):
    def program(tf):
        variable = tf.Variable([1.0, 2.0, 3.0], use_resource=use_resource)
        updated = update(tf, variable)

        def body(session):
            session.run(tf.global_variables_initializer())
            first = session.run(updated)
            session.run(updated)
            return {"updated": first, "variable": session.run(variable)}

        return Script(body)

    return program


for _name, _update in UPDATES.items():
    case(f"{_name}_ref")(_update_program(_update, False))
    case(f"{_name}_resource")(_update_program(_update, True))


def _facts_program(use_resource):
    def program(tf):
        variable = tf.Variable([[1, 2]], name="v", use_resource=use_resource)
        initializer = tf.global_variables_initializer()
        fetches = {
            "value": variable,
            "read": variable.read_value(),
            "plus": variable + 1,
            "index": variable[0, 1],
            "identity": tf.identity(variable),
            "initialized": tf.is_variable_initialized(variable),
            "initial_value": variable.initial_value,
            "name": variable.name,
            "type": variable.op.type,
            "trainable": variable in tf.trainable_variables(),
            "shape": variable.get_shape().as_list(),
            "dtype": variable.dtype.name,
            "base_dtype": variable.dtype.base_dtype.name,
        }
        if not use_resource:  # TensorFlow does not implement it for resources
            fetches["initialized_value"] = variable.initialized_value()
        return Case(fetches, setup=[initializer])

    return program


case("facts_ref")(_facts_program(False))
case("facts_resource")(_facts_program(True))


@case
def dtypes(tf):
    values = {
        "float16": [1.5],
        "float64": [1.5],
        "int64": [2**40],
        "bool": [True],
        "string": ["a", "b"],
        "complex64": [1j],
        "uint8": [255],
    }
    variables = {
        f"{dtype}_{kind}": tf.Variable(tf.constant(value, dtype), use_resource=kind == "resource")
        for dtype, value in values.items()
        for kind in ("ref", "resource")
    }
    return Case(variables, setup=[tf.global_variables_initializer()])


@case
def increments_over_runs(tf):
    counter, total = tf.Variable(0), tf.Variable(0.0, use_resource=True)
    fetches = [tf.assign_add(counter, 1), tf.assign_add(total, 0.5)]
    return Case(fetches, setup=[tf.global_variables_initializer()], runs=4)


@case
def initial_value_from_another_variable(tf):
    first = tf.Variable(tf.random_uniform([3], seed=1))
    second = tf.Variable(first.initialized_value() * 2)
    third = tf.Variable(lambda: tf.ones([2]) * 3)
    return Case(
        [first, second, third],
        setup=[tf.global_variables_initializer()],
        tolerance=0.0,
        reason="a random stream is the same bits or another stream",
    )


@case
def initialized_again_restores(tf):
    variable = tf.Variable([1, 2])
    change = variable.assign([5, 6])

    def body(session):
        session.run(variable.initializer)
        session.run(change)
        changed = session.run(variable)
        session.run(variable.initializer)
        return [changed, session.run(variable)]

    return Script(body)


@case
def assign_another_shape(tf):
    variable = tf.Variable([1.0, 2.0], validate_shape=False, use_resource=False)
    changed = tf.assign(variable, [[1.0, 2.0, 3.0]], validate_shape=False)
    return Case([variable, changed], setup=[variable.initializer, changed.op])


@case
def control_dependencies_order_updates(tf):
    variable = tf.Variable(1, use_resource=True)
    with tf.control_dependencies([tf.assign_add(variable, 10)]):
        added = variable.read_value()
        with tf.control_dependencies([added]):
            multiplied = tf.assign(variable, variable.read_value() * 2)
    return Case([added, multiplied], setup=[tf.global_variables_initializer()], runs=3)


@case
def load_and_eval(tf):
    variable = tf.Variable([1.0, 2.0])

    def body(session):
        session.run(variable.initializer)
        variable.load([3.0, 4.0], session)
        return [variable.eval(session), session.run(variable * 2)]

    return Script(body)


@case
def uninitialized_names(tf):
    first, second = tf.Variable(1, name="first"), tf.Variable(2, name="second", use_resource=True)
    report = tf.report_uninitialized_variables()

    def body(session):
        before = session.run(report)
        session.run(first.initializer)
        middle = session.run(report)
        session.run(second.initializer)
        return [before, middle, session.run(report)]

    return Script(body)


@case
def feeding_a_variable(tf):
    plain, resource = tf.Variable([1.0]), tf.Variable([1.0], use_resource=True)
    product = plain * 2.0
    other = resource.value() * 2.0
    return Case(
        [product, other],
        {plain: [5.0], resource.value(): [1.0]},
        setup=[tf.global_variables_initializer()],
    )


@case
def variable_operators(tf):
    variable = tf.Variable(normal(2, 2))
    other = tf.constant(normal(2, 2, seed=1))
    results = [variable + other, other - variable, -variable, variable @ other, variable**2]
    results += [variable / 2.0, 1.0 - variable, variable > 0.0, abs(variable), variable[0]]
    return Case(results, setup=[tf.global_variables_initializer()])


@case
def raw_resource_operations(tf):
    handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2], shared_name="mine")
    write = tf.raw_ops.AssignVariableOp(resource=handle, value=tf.constant([1.0, 2.0]))
    with tf.control_dependencies([write]):
        read = tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)
        ready = tf.raw_ops.VarIsInitializedOp(resource=handle)
        shape = tf.raw_ops.VariableShape(input=handle)
    return [read, ready, shape, handle.dtype.name]


@case
def raw_reference_operations(tf):
    state = tf.raw_ops.VariableV2(shape=[2], dtype=tf.int32)
    written = tf.assign(state, [1, 2])
    with tf.control_dependencies([written]):
        ready = tf.raw_ops.IsVariableInitialized(ref=state)
        copy = tf.identity(state)
        added = tf.raw_ops.AssignAdd(ref=state, value=[10, 10])
    with tf.control_dependencies([added, copy]):
        again = tf.raw_ops.Assign(ref=state, value=[7, 8], use_locking=False)
    return [ready, again, written.dtype.name, copy.dtype.name]


@case
def count_up_to(tf):
    variable = tf.Variable(0, use_resource=False)
    counted = tf.count_up_to(variable, 3)
    return Case(counted, setup=[variable.initializer], runs=3)


@case
def get_or_create_global_step(tf):
    step = tf.train.get_or_create_global_step()
    same = tf.train.get_or_create_global_step()
    increment = tf.assign_add(step, 1)
    fetches = [increment, step.name, step.dtype.name, same is step]
    return Case(fetches, setup=[tf.global_variables_initializer()], runs=2)


def _uninitialized(tf, use_resource):
    return tf.Variable([1.0, 2.0], use_resource=use_resource)


error_cases(
    read_uninitialized_ref=lambda tf: _uninitialized(tf, False),
    read_uninitialized_resource=lambda tf: _uninitialized(tf, True),
    add_to_uninitialized_ref=lambda tf: tf.assign_add(_uninitialized(tf, False), [1.0, 1.0]),
    add_to_uninitialized_resource=lambda tf: tf.assign_add(_uninitialized(tf, True), [1.0, 1.0]),
    scatter_to_uninitialized=lambda tf: tf.scatter_add(_uninitialized(tf, False), [0], [1.0]),
    assign_other_shape=lambda tf: tf.assign(_uninitialized(tf, False), [1.0, 2.0, 3.0]),
    assign_other_shape_resource=lambda tf: tf.assign(_uninitialized(tf, True), [1.0, 2.0, 3.0]),
    assign_other_dtype=lambda tf: tf.assign(_uninitialized(tf, False), tf.constant([1, 2])),
    assign_to_a_tensor=lambda tf: tf.assign(tf.zeros([2]), tf.ones([2])),
    assign_fed_shape=lambda tf: Case(
        tf.assign(_uninitialized(tf, False), value := tf.placeholder(tf.float32)),
        {value: np.zeros(3)},
    ),
    scatter_out_of_range=lambda tf: Case(
        tf.scatter_update(v := _uninitialized(tf, False), [2], [1.0]), setup=[v.initializer]
    ),
    scatter_out_of_range_resource=lambda tf: Case(
        tf.scatter_update(v := _uninitialized(tf, True), [2], [1.0]), setup=[v.initializer]
    ),
    scatter_shapes=lambda tf: tf.scatter_update(_uninitialized(tf, False), [0, 1], [1.0]),
    count_past_the_limit=lambda tf: Case(
        tf.count_up_to(v := tf.Variable(3, use_resource=False), 3), setup=[v.initializer]
    ),
    unknown_initial_shape=lambda tf: tf.Variable(tf.placeholder(tf.float32)),
    no_initial_value=lambda tf: tf.Variable(None),
    iterate=lambda tf: list(tf.Variable([1, 2])),
)

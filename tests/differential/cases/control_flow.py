"""Conditionals, loops and control dependencies."""

from __future__ import annotations

import numpy as np

from ..case import Case, Script, case, error_cases
from ..inputs import normal


def _both_ways(build):
    """A program whose fetches run once with a true and once with a false predicate."""

    def program(tf):
        predicate = tf.placeholder(tf.bool, [])
        fetches = build(tf, predicate)
        return Script(
            lambda session: [
                session.run(fetches, {predicate: True}),
                session.run(fetches, {predicate: False}),
            ]
        )

    return program


def _cond_of_tensors(tf, predicate):
    x = tf.constant([1.0, 2.0])
    return tf.cond(predicate, lambda: x + 1.0, lambda: x * 10.0)


def _cond_of_structures(tf, predicate):
    x = tf.constant(3)
    return [
        tf.cond(predicate, lambda: (x, x + 1), lambda: (x * 2, x - 1)),
        tf.cond(predicate, lambda: {"a": x, "b": [x]}, lambda: {"a": -x, "b": [x + 5]}),
        tf.cond(predicate, lambda: [x], lambda: [x + 1]),
        tf.cond(predicate, lambda: [x], lambda: [x + 1], strict=True),
    ]


def _cond_of_other_shapes(tf, predicate):
    return tf.cond(predicate, lambda: tf.zeros([2]), lambda: tf.ones([3, 1]))


def _cond_nested(tf, predicate):
    x = tf.constant(4.0)
    return tf.cond(
        predicate,
        lambda: tf.cond(x > 2.0, lambda: x, lambda: -x),
        lambda: tf.cond(x > 5.0, lambda: x + 1.0, lambda: x + 2.0),
    )


def _cond_captures_outer_tensors(tf, predicate):
    x, y = tf.constant(1.0) + 1.0, tf.constant([1.0, 2.0]) * 2.0
    return tf.cond(predicate, lambda: tf.reduce_sum(y) + x, lambda: tf.reduce_max(y))


def _cond_of_constants(tf, predicate):
    return tf.cond(predicate, lambda: tf.constant(1), lambda: tf.constant(2))


def _cond_of_python_values(tf, predicate):
    return tf.cond(predicate, lambda: 1, lambda: 2)


def _cond_passes_tensors_through(tf, predicate):
    x, y = tf.constant(5), tf.constant(6)
    return tf.cond(predicate, lambda: x, lambda: y)


def _cond_old_keywords(tf, predicate):
    return tf.cond(predicate, fn1=lambda: tf.constant(1), fn2=lambda: tf.constant(2))


for _build in (
    _cond_of_tensors,
    _cond_of_structures,
    _cond_of_other_shapes,
    _cond_nested,
    _cond_captures_outer_tensors,
    _cond_of_constants,
    _cond_of_python_values,
    _cond_passes_tensors_through,
    _cond_old_keywords,
):
    case(_build.__name__.removeprefix("_"))(_both_ways(_build))


@case
def cond_static_facts(tf):
    predicate = tf.placeholder_with_default(True, [])
    same = tf.cond(predicate, lambda: tf.zeros([2]), lambda: tf.ones([2]))
    partial = tf.cond(predicate, lambda: tf.zeros([2, 3]), lambda: tf.ones([4, 3]))
    other = tf.cond(predicate, lambda: tf.zeros([2]), lambda: tf.ones([2, 1]))
    return [same, partial, other, same.op.type, same.name]


@case
def cond_runs_one_branch_only(tf):
    counter = tf.Variable(0, use_resource=True)
    predicate = tf.placeholder(tf.bool, [])
    chosen = tf.cond(
        predicate, lambda: tf.assign_add(counter, 1), lambda: tf.assign_add(counter, 100)
    )

    def body(session):
        session.run(counter.initializer)
        for value in (True, True, False):
            session.run(chosen, {predicate: value})
        return session.run(counter)

    return Script(body)


@case
def cond_runs_outer_operations_always(tf):
    counter = tf.Variable(0, use_resource=True)
    predicate = tf.placeholder(tf.bool, [])
    added = tf.assign_add(counter, 1)
    chosen = tf.cond(predicate, lambda: tf.identity(added), lambda: tf.constant(-1))

    def body(session):
        session.run(counter.initializer)
        results = [session.run(chosen, {predicate: value}) for value in (True, False)]
        return [*results, session.run(counter)]

    return Script(body)


@case
def cond_of_operations(tf):
    counter = tf.Variable(0, use_resource=True)
    predicate = tf.placeholder_with_default(True, [])
    operation = tf.cond(predicate, lambda: tf.assign_add(counter, 1).op, tf.no_op)
    return Case([operation, counter.name], setup=[counter.initializer, operation])


@case
def smart_cond_and_case(tf):
    x, y = tf.placeholder(tf.float32, []), tf.constant(2.0)
    branches = [(x < 1.0, lambda: y), (x < 5.0, lambda: y * 10.0)]
    fetches = [
        tf.case(branches, default=lambda: y * 100.0),
        tf.case(branches, default=lambda: -y, exclusive=False),
        tf.case(
            {x < 1.0: lambda: y, x > 7.0: lambda: y * 3.0}, default=lambda: y * 4.0, exclusive=True
        ),
        tf.switch_case(tf.cast(x, tf.int32), [lambda: y, lambda: y + 1.0], lambda: y + 2.0),
        tf.switch_case(tf.cast(x, tf.int32), {1: lambda: y, 0: lambda: y + 1.0}, lambda: y + 2.0),
    ]
    return Script(lambda session: [session.run(fetches, {x: value}) for value in (0.0, 3.0, 9.0)])


@case
def switch_and_merge(tf):
    predicate = tf.placeholder(tf.bool, [])
    value = tf.constant([1.0, 2.0])
    output_false, output_true = tf.raw_ops.Switch(data=value, pred=predicate)
    merged = tf.raw_ops.Merge(inputs=[output_false * 2.0, output_true * 3.0])
    fetches = [merged.output, merged.value_index]
    return Script(
        lambda session: [session.run(fetches, {predicate: flag}) for flag in (True, False)]
    )


@case
def while_counts(tf):
    return tf.while_loop(lambda i: i < 10, lambda i: i + 3, [tf.constant(0)])


@case
def while_of_several_variables(tf):
    i, total, product = tf.constant(0), tf.constant(0.0), tf.constant([1.0, 2.0])
    return tf.while_loop(
        lambda i, total, product: i < 5,
        lambda i, total, product: (i + 1, total + tf.to_float(i), product * 1.5),
        [i, total, product],
    )


@case
def while_of_structures(tf):
    state = {"i": tf.constant(0), "pair": (tf.constant(1.0), [tf.constant(2.0)])}

    def body(state):
        first, (second,) = state["pair"]
        return [{"i": state["i"] + 1, "pair": (second, [first + second])}]

    return tf.while_loop(lambda state: state["i"] < 6, body, [state])


@case
def while_never_runs(tf):
    return tf.while_loop(lambda i: i < 0, lambda i: i + 1, [tf.constant(5)])


@case
def while_nested(tf):
    def outer(i, total):
        _, inner = tf.while_loop(
            lambda j, subtotal: j < i, lambda j, subtotal: (j + 1, subtotal + j), [0, total]
        )
        return i + 1, inner

    return tf.while_loop(lambda i, total: i < 5, outer, [tf.constant(0), tf.constant(0)])


@case
def while_with_cond_inside(tf):
    def body(i, total):
        step = tf.cond(tf.equal(i % 2, 0), lambda: i, lambda: -i)
        return i + 1, total + step

    return tf.while_loop(lambda i, total: i < 7, body, [tf.constant(0), tf.constant(0)])


@case
def while_inside_cond(tf):
    predicate = tf.placeholder(tf.bool, [])
    result = tf.cond(
        predicate,
        lambda: tf.while_loop(lambda i: i < 10, lambda i: i + 1, [tf.constant(0)]),
        lambda: tf.constant(-1),
    )
    return Script(
        lambda session: [session.run(result, {predicate: flag}) for flag in (True, False)]
    )


@case
def while_captures_outer_tensors(tf):
    limit, step = tf.placeholder(tf.int32, []), tf.constant(normal(2, 2)) * 2.0
    result = tf.while_loop(
        lambda i, x: i < limit, lambda i, x: (i + 1, tf.matmul(x, step)), [0, tf.eye(2)]
    )
    return Case(result, {limit: 3})


@case
def while_shape_invariants(tf):
    start, free = tf.ones([1, 2]), tf.ones([1])
    result = tf.while_loop(
        lambda i, x, y: i < 3,
        lambda i, x, y: (i + 1, tf.concat([x, x], 0), tf.concat([y, y], 0)),
        [tf.constant(0), start, free],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2]), tf.TensorShape(None)],
    )
    return [result, result[1].op.type]


@case
def while_options(tf):
    common = (lambda i, x: i < 20, lambda i, x: [i + 1, x + tf.to_float(i)], [0, 0.0])
    return [
        tf.while_loop(*common, parallel_iterations=1),
        tf.while_loop(*common, back_prop=False),
        tf.while_loop(*common, maximum_iterations=4),
        tf.while_loop(lambda i: True, lambda i: i + 1, [tf.constant(0)], maximum_iterations=7),
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], return_same_structure=True),
    ]


@case
def while_updates_variables(tf):
    counter = tf.Variable(0, use_resource=True)

    def body(i):
        with tf.control_dependencies([tf.assign_add(counter, i)]):
            return i + 1

    loop = tf.while_loop(lambda i: i < 5, body, [tf.constant(0)])
    return Script(
        lambda session: [session.run(loop), session.run(counter)], setup=[counter.initializer]
    )


@case
def while_keeps_invariants(tf):
    x = tf.constant(normal(3))
    i, same, changed = tf.while_loop(
        lambda i, same, changed: i < 3,
        lambda i, same, changed: (i + 1, same, changed + same),
        [tf.constant(0), x, tf.zeros([3])],
    )
    return [i, same, changed, i.op.type, changed.name]


@case
def collatz(tf):
    start = tf.placeholder(tf.int32, [])
    steps = tf.while_loop(
        lambda n, count: n > 1,
        lambda n, count: (tf.where(tf.equal(n % 2, 0), n // 2, 3 * n + 1), count + 1),
        [start, 0],
    )
    return Script(lambda session: [session.run(steps, {start: n}) for n in (1, 6, 27)])


@case
def control_dependencies(tf):
    counter = tf.Variable(0, use_resource=True)
    with tf.control_dependencies([tf.assign(counter, 5)]):
        first = tf.identity(counter.read_value())
        operation = tf.no_op(name="nothing")
    with tf.control_dependencies([first]), tf.control_dependencies(None):
        free = tf.constant(1)
    grouped = tf.group(first, operation, name="together")
    tupled = tf.tuple([first, tf.constant(2)], control_inputs=[operation])
    return [
        first,
        tupled,
        grouped,
        [item.name for item in operation.control_inputs],
        [item.name for item in free.op.control_inputs],
        [item.name for item in grouped.control_inputs],
        grouped.type,
    ]


@case
def with_dependencies_on_failing_operation(tf):
    value = tf.placeholder(tf.float32, [])
    with tf.control_dependencies([tf.Assert(value > 0.0, [value])]):
        checked = tf.sqrt(value)
    return Case(checked, {value: 4.0})


@case
def map_and_fold(tf):
    values = tf.constant(normal(4, 2))
    partial = tf.placeholder(tf.float32, [None, 2])
    fetches = {
        "map": tf.map_fn(lambda x: x * 2.0, values),
        "map_dtype": tf.map_fn(lambda x: tf.reduce_sum(x) > 0.0, values, dtype=tf.bool),
        "map_pair": tf.map_fn(
            lambda pair: pair[0] - pair[1], (values, values + 1.0), dtype=tf.float32
        ),
        "map_partial": tf.map_fn(lambda x: x + 1.0, partial),
        "foldl": tf.foldl(lambda a, x: a * 0.5 + x, values),
        "foldr": tf.foldr(lambda a, x: a * 0.5 + x, values, initializer=tf.zeros([2])),
        "scan": tf.scan(lambda a, x: a + x, values),
        "scan_init": tf.scan(lambda a, x: a * x, values, initializer=tf.ones([2])),
        "scan_reverse": tf.scan(lambda a, x: a + x, values, reverse=True),
    }
    return Case(fetches, {partial: normal(3, 2)})


error_cases(
    cond_of_other_dtypes=lambda tf: tf.cond(
        tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(1.0)
    ),
    cond_of_other_structures=lambda tf: tf.cond(
        tf.constant(True), lambda: (tf.constant(1), tf.constant(2)), lambda: tf.constant(1)
    ),
    cond_of_python_predicate=lambda tf: tf.cond(
        True, lambda: tf.constant(1), lambda: tf.constant(2)
    ),
    cond_without_function=lambda tf: tf.cond(tf.constant(True), tf.constant(1), tf.constant(2)),
    cond_of_vector=lambda tf: tf.cond(
        tf.constant([True, False]), lambda: tf.constant(1), lambda: tf.constant(2)
    ),
    while_changes_dtype=lambda tf: tf.while_loop(lambda i: i < 3, lambda i: tf.to_float(i), [0]),
    while_changes_shape=lambda tf: tf.while_loop(
        lambda x: tf.size(x) < 5, lambda x: tf.concat([x, x], 0), [tf.ones([1])]
    ),
    while_changes_structure=lambda tf: tf.while_loop(lambda i: i < 3, lambda i: (i, i), [0]),
    while_without_variables=lambda tf: tf.while_loop(lambda: False, lambda: (), []),
    while_condition_is_not_boolean=lambda tf: tf.while_loop(lambda i: i, lambda i: i + 1, [0]),
    while_condition_is_a_vector=lambda tf: tf.while_loop(
        lambda i: tf.constant([True, False]), lambda i: i + 1, [0]
    ),
    case_exclusive_but_two_hold=lambda tf: tf.case(
        [(tf.constant(True), lambda: tf.constant(1)), (tf.constant(True), lambda: tf.constant(2))],
        default=lambda: tf.constant(3),
        exclusive=True,
    ),
    use_a_tensor_of_a_loop_outside=lambda tf: _leaked(tf),
    python_if_on_a_tensor=lambda tf: 1 if tf.constant(1) > 0 else 2,
    python_while_on_a_tensor=lambda tf: [1 for _ in range(tf.constant(3))],
    fed_predicate_of_other_shape=lambda tf: Case(
        tf.cond(p := tf.placeholder(tf.bool), lambda: tf.constant(1), lambda: tf.constant(2)),
        {p: np.array([True, False])},
    ),
)


def _leaked(tf):
    inner = []
    tf.while_loop(lambda i: i < 3, lambda i: inner.append(i * 2) or i + 1, [tf.constant(0)])
    return inner[0] + 1

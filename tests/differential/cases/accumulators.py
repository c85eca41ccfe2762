"""Conditional accumulators: what is counted, dropped, averaged and refused."""

from __future__ import annotations

import numpy as np

from ..case import Script, case, error_cases


def _accumulator(tf, **kwargs):
    return tf.ConditionalAccumulator(tf.float32, shape=[2], **kwargs)


def _taking(reduction):
    def program(tf):
        accumulator = _accumulator(tf, reduction_type=reduction)
        applied = [accumulator.apply_grad([1.0, 2.0]), accumulator.apply_grad([3.0, 5.0])]
        count, taken = accumulator.num_accumulated(), accumulator.take_grad(2)

        def body(session):
            before = session.run(count)
            session.run(applied)
            return [before, session.run(count), session.run(taken), session.run(count)]

        return Script(body)

    return program


for _reduction in ("MEAN", "SUM"):
    case(f"taking_{_reduction.lower()}")(_taking(_reduction))


@case
def old_gradients_are_dropped(tf):
    accumulator = _accumulator(tf)
    first, second = (accumulator.apply_grad([1.0, 1.0], local_step=step) for step in (0, 1))
    count, taken = accumulator.num_accumulated(), accumulator.take_grad(1)

    def body(session):
        session.run(first)
        session.run(taken)
        counts = []
        for step in (first, second, first):
            session.run(step)
            counts.append(int(session.run(count)))
        return counts

    return Script(body)


@case
def global_step_is_set(tf):
    accumulator = _accumulator(tf)
    step = accumulator.set_global_step(5)
    applied = [accumulator.apply_grad([1.0, 1.0], local_step=local) for local in (4, 5, 6)]
    count = accumulator.num_accumulated()

    def body(session):
        session.run(step)
        session.run(applied)
        return session.run(count)

    return Script(body)


@case
def names_and_shapes(tf):
    accumulator = _accumulator(tf, name="gradients")
    applied, taken = accumulator.apply_grad([1.0, 2.0]), accumulator.take_grad(1)
    count, step = accumulator.num_accumulated(), accumulator.set_global_step(3)
    names = [node.name for node in (applied, taken.op, count.op, step)]
    shapes = [taken.shape.as_list(), count.shape.as_list()]
    return Script(lambda session: [accumulator.name, names, shapes, accumulator.dtype.name])


@case
def shared_by_name(tf):
    one, other = (_accumulator(tf, shared_name="shared") for _ in range(2))
    applied, count = one.apply_grad([1.0, 2.0]), other.num_accumulated()

    def body(session):
        session.run([one.accumulator_ref.op, other.accumulator_ref.op])
        session.run(applied)
        return session.run(count)

    return Script(body)


@case
def a_name_is_no_shared_name(tf):
    """A node's own name does not make it one with what is shared under that name."""
    one, other = _accumulator(tf, name="x"), _accumulator(tf, name="y", shared_name="x")
    applied, counts = one.apply_grad([1.0, 2.0]), [one.num_accumulated(), other.num_accumulated()]

    def body(session):
        session.run(applied)
        return session.run(counts)

    return Script(body)


def _of_dtype(name):
    def program(tf):
        accumulator = tf.ConditionalAccumulator(getattr(tf, name))
        values = np.array([1, 2]), np.array([4, 8])
        dtype = getattr(tf, name)
        applied = [accumulator.apply_grad(tf.constant(item, dtype)) for item in values]
        taken = tf.cast(accumulator.take_grad(2), tf.float64)

        def body(session):
            session.run(applied)
            return session.run(taken)

        return Script(body)

    return program


for _name in ("float16", "float32", "float64"):
    case(f"mean_{_name}")(_of_dtype(_name))


error_cases(
    wrong_static_shape=lambda tf: _accumulator(tf).apply_grad([1.0, 2.0, 3.0]),
    wrong_dtype=lambda tf: _accumulator(tf).apply_grad(tf.constant([1, 2])),
    wrong_reduction=lambda tf: _accumulator(tf, reduction_type="PRODUCT"),
    wrong_element_type=lambda tf: tf.ConditionalAccumulator(tf.string),
    integers=lambda tf: tf.ConditionalAccumulator(tf.int32).num_accumulated(),
    brief_floats=lambda tf: tf.ConditionalAccumulator(tf.bfloat16).num_accumulated(),
    complex_numbers=lambda tf: tf.ConditionalAccumulator(tf.complex64).num_accumulated(),
    none_required=lambda tf: _accumulator(tf).take_grad(0),
)

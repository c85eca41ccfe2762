"""Tensors that a session keeps between runs."""

from __future__ import annotations

from ..case import Case, Script, case, error_cases
from ..inputs import normal


def _round_trip(make):
    def program(tf):
        kept = tf.get_session_handle(make(tf))
        dtype = kept.op.inputs[0].dtype

        def body(session):
            handle = session.run(kept)
            holder, tensor = tf.get_session_tensor(handle.handle, dtype)
            return [
                session.run(tensor, {holder: handle.handle}),
                handle.eval(),
                str(tensor.shape),
                tensor.dtype.name,
            ]

        return Script(body)

    return program


VALUES = {
    "floats": lambda tf: tf.constant(normal(2, 3)) + 1.0,
    "scalar": lambda tf: tf.constant(3) * 2,
    "strings": lambda tf: tf.constant(["a", "bc"]),
    "booleans": lambda tf: tf.constant([True, False]),
    "nothing": lambda tf: tf.zeros([0, 2]),
}
for _name, _make in VALUES.items():
    case(f"round_trip_{_name}")(_round_trip(_make))


@case
def several_at_once(tf):
    first, second = tf.get_session_handle(tf.constant(1.0)), tf.get_session_handle(tf.constant(2.0))

    def body(session):
        handles = session.run([first, second])
        holder, tensor = tf.get_session_tensor(handles[0].handle, tf.float32)
        return [float(session.run(tensor, {holder: handle.handle})) for handle in handles]

    return Script(body)


@case
def fed_in_the_place_of_a_tensor(tf):
    kept = tf.get_session_handle(tf.constant(normal(3)))
    place = tf.placeholder(tf.float32)
    doubled = place * 2.0

    def body(session):
        handle = session.run(kept)
        return session.run(doubled, {place: handle})

    return Script(body)


@case
def kept_in_a_loop(tf):
    value = tf.placeholder(tf.float32, [])
    start = tf.get_session_handle(tf.constant(1.0))

    def body(session):
        handle = session.run(start)
        step = tf.get_session_handle(value * 3.0)
        for _ in range(4):
            handle = session.run(step, {value: handle})
        return float(handle.eval())

    return Script(body)


@case
def nodes(tf):
    kept = tf.get_session_handle(tf.constant(1.0), name="kept")

    def body(session):
        handle = session.run(kept)
        tf.get_session_tensor(handle.handle, tf.float32)
        other, deletion = tf.delete_session_tensor(handle.get_raw_handle())
        session.run(deletion, {other: handle.handle})
        operations = tf.get_default_graph().get_operations()
        return [(operation.name, operation.type) for operation in operations]

    return Script(body)


def _missing(session, tf, use):
    handle = session.run(tf.get_session_handle(tf.constant(1.0)))
    other, deletion = tf.delete_session_tensor(handle.get_raw_handle())
    session.run(deletion, {other: handle.handle})
    return use(handle, other, deletion)


def _read_deleted(tf):
    def body(session):
        def use(handle, other, deletion):
            holder, tensor = tf.get_session_tensor(handle.handle, tf.float32)
            return session.run(tensor, {holder: handle.handle})

        return _missing(session, tf, use)

    return Script(body)


def _delete_twice(tf):
    def body(session):
        return _missing(
            session,
            tf,
            lambda handle, other, deletion: session.run(deletion, {other: handle.handle}),
        )

    return Script(body)


def _other_dtype(tf):
    kept = tf.get_session_handle(tf.constant(1.0))

    def body(session):
        handle = session.run(kept)
        holder, tensor = tf.get_session_tensor(handle.handle, tf.int32)
        return session.run(tensor, {holder: handle.handle})

    return Script(body)


error_cases(
    read_deleted=_read_deleted,
    delete_twice=_delete_twice,
    other_dtype=_other_dtype,
    no_tensor=lambda tf: tf.get_session_handle(3.0),
    vector_of_handles=lambda tf: tf.raw_ops.GetSessionTensor(
        handle=tf.placeholder(tf.string, [1]), dtype=tf.float32
    ),
    unknown_handle=lambda tf: Case(
        tf.raw_ops.GetSessionTensor(handle="no such handle", dtype=tf.float32)
    ),
)

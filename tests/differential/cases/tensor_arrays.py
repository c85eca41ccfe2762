"""TensorArray: writing, reading, stacking, splitting, use in loops, gradients and misuse."""

from __future__ import annotations

from ..case import Case, case, error_case, error_cases
from ..inputs import normal


def _kept(tf, size, dtype="float32", **arguments):
    """An array whose elements may be read again; by default a read clears them."""
    return tf.TensorArray(dtype, size, clear_after_read=False, **arguments)


@case
def write_and_read(tf):
    array = _kept(tf, 3)
    array = array.write(0, [1.0, 2.0]).write(2, [5.0, 6.0]).write(1, [3.0, 4.0])
    return [array.read(1), array.stack(), array.size()]


@case
def unstack_and_stack(tf):
    values = tf.constant(normal(3, 2))
    array = _kept(tf, size=3).unstack(values)
    return {
        "stack": array.stack(),
        "gather": array.gather([2, 0]),
        "read": array.read(1),
        "concat": tf.TensorArray(tf.float32, 3).unstack(values).concat(),
    }


@case
def scatter_split_and_concat(tf):
    scattered = _kept(tf, 4, tf.int32).scatter([3, 1, 0, 2], [[30], [10], [0], [20]])
    pieces = _kept(tf, 3, tf.int32, infer_shape=False).split([1, 2, 3, 4, 5, 6], [1, 3, 2])
    return [scattered.stack(), pieces.read(1), pieces.concat(), scattered.concat()]


@case
def dynamic_size(tf):
    array = tf.TensorArray(tf.int32, 0, dynamic_size=True)
    array = array.write(2, 7).write(0, 5).write(1, 6).write(4, 9).write(3, 8)
    return [array.size(), array.stack()]


@case
def reads_may_repeat_when_not_cleared(tf):
    array = tf.TensorArray(tf.float32, 2, clear_after_read=False).unstack([1.0, 2.0])
    first = array.read(0)
    with tf.control_dependencies([first]):
        return [first, array.read(0)]


@case
def empty(tf):
    array = tf.TensorArray(tf.float32, 0, element_shape=[2])
    return [array.stack(), array.size()]


@case
def unwritten_elements_are_zeros(tf):
    return [_kept(tf, 2).write(1, 1.0).read(0), _kept(tf, 3).write(1, [1.0, 2.0]).stack()]


@case
def static_shapes(tf):
    fed = tf.placeholder(tf.float32, [None, 3])
    inferred = _kept(tf, tf.shape(fed)[0]).unstack(fed)
    declared = tf.TensorArray(tf.float32, 1, element_shape=[None, 2]).write(0, normal(1, 2))
    unknown = tf.TensorArray(tf.float32, 1, infer_shape=False).write(0, [1.0])
    fetches = [inferred.read(0), inferred.stack(), declared.read(0), unknown.read(0)]
    return Case(fetches, {fed: normal(2, 3)})


@case
def dtypes(tf):
    values = {"int64": [1, 2], "bool": [True, False], "string": ["a", "b"], "complex64": [1j, 2]}
    return {
        dtype: tf.TensorArray(dtype, 2).unstack(tf.constant(value, dtype)).stack()
        for dtype, value in values.items()
    }


@case
def in_a_loop(tf):
    def body(i, array):
        return i + 1, array.write(i, tf.to_float(i) * 2.0)

    _, array = tf.while_loop(
        lambda i, array: i < 5, body, [tf.constant(0), tf.TensorArray(tf.float32, 5)]
    )
    return [array.stack(), array.size()]


@case
def read_and_write_in_a_loop(tf):
    count = tf.placeholder(tf.int32, [])
    array = tf.TensorArray(tf.int32, count, dynamic_size=True, clear_after_read=False)
    array = array.write(0, 1).write(1, 1)
    _, array = tf.while_loop(
        lambda i, array: i < count,
        lambda i, array: (i + 1, array.write(i, array.read(i - 1) + array.read(i - 2))),
        [2, array],
    )
    return Case(array.stack(), {count: 8})


@case
def recurrent_cell(tf):
    inputs, weights = tf.constant(normal(4, 2, 3)), tf.constant(normal(5, 2, seed=1))
    steps = tf.TensorArray(tf.float32, 4).unstack(inputs)

    def body(i, state, outputs):
        state = tf.tanh(tf.matmul(tf.concat([steps.read(i), state], 1), weights))
        return i + 1, state, outputs.write(i, state)

    start = [tf.constant(0), tf.zeros([2, 2]), _kept(tf, 4)]
    _, state, outputs = tf.while_loop(lambda i, state, outputs: i < 4, body, start)
    loss = tf.reduce_sum(tf.square(outputs.stack()))
    return [state, outputs.stack(), tf.gradients(loss, [inputs, weights])]


@case
def gradients_of_operations(tf):
    values = tf.constant(normal(3, 2))
    weights = tf.constant(normal(3, 2, seed=1))
    stacked = tf.TensorArray(tf.float32, 3).unstack(values).stack()
    gathered = tf.TensorArray(tf.float32, 3).unstack(values).gather([2, 0])
    concatenated = tf.TensorArray(tf.float32, 3).unstack(values).concat()
    written = tf.TensorArray(tf.float32, 2).write(0, values[0]).write(1, values[1] * 2.0).stack()
    split = tf.TensorArray(tf.float32, 2, infer_shape=False).split(values, [1, 2]).concat()
    return [
        tf.gradients(stacked * weights, values),
        tf.gradients(gathered * weights[:2], values),
        tf.gradients(tf.square(concatenated), values),
        tf.gradients(written * weights[:2], values),
        tf.gradients(split * weights, values),
    ]


@case
def gradient_accumulates_over_reads(tf):
    values = tf.constant([1.0, 2.0, 3.0])
    array = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack(values)
    return tf.gradients(array.read(0) * array.read(0) + array.read(2), values)


@case
def facts(tf):
    array = tf.TensorArray(tf.float32, 2, tensor_array_name="mine")
    return [
        array.dtype.name,
        array.handle.dtype.name,
        array.flow.dtype.name,
        array.identity().write(0, 1.0).flow.dtype.name,
        array.handle.op.type,
    ]


@error_case
def write_twice(tf):
    array = tf.TensorArray(tf.float32, 2).write(0, 1.0)
    return array.write(0, 2.0).flow


@error_case
def read_twice_after_clearing(tf):
    array = tf.TensorArray(tf.float32, 2, clear_after_read=True).unstack([1.0, 2.0])
    with tf.control_dependencies([array.read(0)]):
        return array.read(0)


error_cases(
    read_out_of_range=lambda tf: tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0]).read(2),
    write_out_of_range=lambda tf: tf.TensorArray(tf.float32, 2).write(2, 1.0).flow,
    write_other_dtype=lambda tf: tf.TensorArray(tf.float32, 2).write(0, tf.constant(1)).flow,
    write_other_shape=lambda tf: tf.TensorArray(tf.float32, 2).write(0, [1.0]).write(1, [1.0, 2.0]),
    write_other_than_element_shape=lambda tf: tf.TensorArray(
        tf.float32, 2, element_shape=[2]
    ).write(0, [1.0]),
    unstack_more_than_size=lambda tf: tf.TensorArray(tf.float32, 1).unstack([1.0, 2.0]).flow,
    split_lengths=lambda tf: tf.TensorArray(tf.float32, 2).split([1.0, 2.0, 3.0], [1, 1]).flow,
    element_shape_conflict=lambda tf: tf.TensorArray(tf.float32, 2, element_shape=[None, 3]).write(
        0, tf.zeros([2, 2])
    ),
)

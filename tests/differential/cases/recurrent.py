"""Recurrent networks through ``dynamic_rnn`` and its relatives, with a cell of one's own."""

from __future__ import annotations

from ..case import Case, case, error_cases
from ..inputs import normal


class Cell:
    """The least a recurrent cell has to be; one matrix, no bias."""

    output_size = state_size = 3

    def __init__(self, tf, name="cell"):
        self.tf, self.name = tf, name

    def zero_state(self, batch_size, dtype):
        return self.tf.zeros([batch_size, self.state_size], dtype)

    def __call__(self, inputs, state, scope=None):
        with self.tf.variable_scope(self.name, reuse=self.tf.AUTO_REUSE):
            weights = self.tf.get_variable("weights", initializer=normal(5, 3, seed=4) * 0.5)
        state = self.tf.tanh(self.tf.matmul(self.tf.concat([inputs, state], 1), weights))
        return state * 2.0, state


def _initialized(tf, fetches, feeds=None):
    return Case(fetches, feeds or {}, setup=[tf.global_variables_initializer()])


@case
def dynamic_rnn(tf):
    inputs = tf.constant(normal(2, 4, 2))
    outputs, state = tf.nn.dynamic_rnn(Cell(tf), inputs, dtype=tf.float32)
    return _initialized(tf, [outputs, state, [v.name for v in tf.trainable_variables()]])


@case
def dynamic_rnn_with_lengths(tf):
    inputs, start = tf.constant(normal(3, 4, 2)), tf.constant(normal(3, 3, seed=1))
    outputs, state = tf.nn.dynamic_rnn(
        Cell(tf), inputs, sequence_length=[2, 4, 0], initial_state=start
    )
    return _initialized(tf, [outputs, state])


@case
def dynamic_rnn_time_major_and_fed(tf):
    inputs = tf.placeholder(tf.float32, [None, None, 2])
    outputs, state = tf.nn.dynamic_rnn(
        Cell(tf), inputs, dtype=tf.float32, time_major=True, swap_memory=True
    )
    return _initialized(tf, [outputs, state], {inputs: normal(3, 2, 2)})


@case
def dynamic_rnn_gradients(tf):
    inputs = tf.constant(normal(2, 3, 2))
    outputs, _ = tf.nn.dynamic_rnn(Cell(tf), inputs, [3, 1], dtype=tf.float32)
    loss = tf.reduce_sum(tf.square(outputs))
    return _initialized(tf, tf.gradients(loss, [inputs, *tf.trainable_variables()]))


@case
def static_rnn(tf):
    inputs = tf.unstack(tf.constant(normal(3, 2, 2)))
    outputs, state = tf.nn.static_rnn(Cell(tf), inputs, dtype=tf.float32)
    lengths, last = tf.nn.static_rnn(
        Cell(tf), inputs, dtype=tf.float32, sequence_length=[1, 3], scope="again"
    )
    return _initialized(tf, [outputs, state, lengths, last])


@case
def bidirectional(tf):
    inputs = tf.constant(normal(2, 3, 2))
    outputs, states = tf.nn.bidirectional_dynamic_rnn(
        Cell(tf, "forward"), Cell(tf, "backward"), inputs, [2, 3], dtype=tf.float32
    )
    return _initialized(tf, [outputs, states, [v.name for v in tf.trainable_variables()]])


@case
def raw_rnn(tf):
    inputs = tf.TensorArray(tf.float32, 3).unstack(tf.constant(normal(3, 2, 2)))
    cell = Cell(tf)

    def step(time, output, state, loop_state):
        finished = time >= tf.constant([2, 3])
        following = tf.cond(
            tf.reduce_all(finished), lambda: tf.zeros([2, 2]), lambda: inputs.read(time)
        )
        if output is None:
            return finished, following, cell.zero_state(2, tf.float32), None, None
        return finished, following, state, output, None

    outputs, state, _ = tf.nn.raw_rnn(cell, step)
    return _initialized(tf, [outputs.stack(), state])


error_cases(
    no_dtype_and_no_state=lambda tf: tf.nn.dynamic_rnn(Cell(tf), tf.zeros([2, 3, 2])),
    not_a_cell=lambda tf: tf.nn.dynamic_rnn(lambda x, s: (x, s), tf.zeros([2, 3, 2])),
    lengths_of_other_rank=lambda tf: tf.nn.dynamic_rnn(
        Cell(tf), tf.zeros([2, 3, 2]), sequence_length=[[1, 2]], dtype=tf.float32
    ),
    static_inputs_are_not_a_list=lambda tf: tf.nn.static_rnn(
        Cell(tf), tf.zeros([3, 2, 2]), dtype=tf.float32
    ),
    static_inputs_are_empty=lambda tf: tf.nn.static_rnn(Cell(tf), [], dtype=tf.float32),
)

"""Loops over sequences with the cells of tf.nn.rnn_cell: values, static shapes, nodes, gradients.

TensorFlow offers these cells where the package tf_keras is installed and the environment has
TF_USE_LEGACY_KERAS=1.
"""

from __future__ import annotations

from ..case import Case, case, error_cases
from ..inputs import normal
from ..node_names import node_names


def _lstm(tf, units=5):
    return tf.nn.rnn_cell.BasicLSTMCell(units)


def _gru(tf, units=5):
    return tf.nn.rnn_cell.GRUCell(units)


def _case(name, build, nodes=True):
    """A case of what `build` returns, of the variables, and of the nodes."""

    @case(name)
    def program(tf):
        tf.set_random_seed(3)
        result = build(tf)
        feeds = {}
        if isinstance(result, Case):
            result, feeds = result.fetches, result.feeds
        fetches = [result, [v.name for v in tf.global_variables()]]
        if nodes:
            fetches.append(node_names(tf))
        return Case(fetches, feeds, setup=[tf.global_variables_initializer()])


def _inputs(tf, *shape, seed=0):
    return tf.constant(normal(*shape, seed=seed))


def _dynamic(tf, cell, *shape, **options):
    return tf.nn.dynamic_rnn(cell, _inputs(tf, *shape), dtype=tf.float32, **options)


_case("dynamic", lambda tf: _dynamic(tf, _lstm(tf), 2, 4, 3))
_case("dynamic_lengths", lambda tf: _dynamic(tf, _lstm(tf), 3, 4, 3, sequence_length=[2, 4, 0]))
_case("dynamic_time_major", lambda tf: _dynamic(tf, _gru(tf), 4, 2, 3, time_major=True))
_case(
    "dynamic_options",
    lambda tf: _dynamic(
        tf, _gru(tf), 2, 4, 3, parallel_iterations=1, swap_memory=True, scope="other"
    ),
)
_case("dynamic_no_steps", lambda tf: _dynamic(tf, _gru(tf), 2, 0, 3), nodes=False)
_case(
    "dynamic_initial_state",
    lambda tf: tf.nn.dynamic_rnn(
        _gru(tf), _inputs(tf, 2, 4, 3), initial_state=_inputs(tf, 2, 5, seed=1)
    ),
)
_case(
    "dynamic_float64",
    lambda tf: tf.nn.dynamic_rnn(
        _lstm(tf), tf.constant(normal(2, 4, 3, dtype="float64")), dtype=tf.float64
    ),
)


@case
def dynamic_fed(tf):
    tf.set_random_seed(3)
    inputs = tf.placeholder(tf.float32, [None, None, 3])
    lengths = tf.placeholder(tf.int64, [None])
    outputs, state = tf.nn.dynamic_rnn(_lstm(tf), inputs, lengths, dtype=tf.float32)
    return Case(
        [outputs, state, node_names(tf)],
        {inputs: normal(2, 5, 3), lengths: [5, 3]},
        setup=[tf.global_variables_initializer()],
    )


@case
def dynamic_of_other_lengths(tf):
    inputs = tf.placeholder_with_default(normal(2, 5, 3), [None, None, 3])
    lengths = tf.placeholder_with_default([5, 3, 1], [None])
    outputs, _ = tf.nn.dynamic_rnn(_gru(tf), inputs, lengths, dtype=tf.float32)
    return Case(outputs.shape.as_list(), setup=[tf.global_variables_initializer()])


def _deep(tf):
    cells = tf.nn.rnn_cell
    layers = [
        cells.DropoutWrapper(cells.BasicLSTMCell(size), output_keep_prob=0.5, seed=size)
        for size in (4, 3)
    ]
    cell = cells.MultiRNNCell(layers)
    # With more iterations at once, the order in which TensorFlow draws their numbers varies.
    return _dynamic(tf, cell, 2, 4, 3, sequence_length=[3, 4], parallel_iterations=1)


_case("dynamic_deep_with_dropout", _deep)


def _residual(tf):
    cells = tf.nn.rnn_cell
    layers = [cells.ResidualWrapper(cells.LSTMCell(3, use_peepholes=True)) for _ in range(2)]
    return _dynamic(tf, cells.MultiRNNCell(layers), 2, 4, 3)


_case("dynamic_residual", _residual)


def _gradients(tf):
    inputs = _inputs(tf, 2, 4, 3)
    outputs, state = tf.nn.dynamic_rnn(
        tf.nn.rnn_cell.MultiRNNCell([_lstm(tf, 4), _gru(tf, 3)]), inputs, [4, 2], dtype=tf.float32
    )
    loss = tf.reduce_sum(tf.square(outputs)) + tf.reduce_sum(state[0].c)
    return [loss, tf.gradients(loss, [inputs, *tf.trainable_variables()])]


_case("dynamic_gradients", _gradients, nodes=False)


def _shared(tf):
    results = []
    for reuse in (None, True):
        with tf.variable_scope("model", reuse=reuse):
            results.append(_dynamic(tf, _lstm(tf), 2, 3, 3)[1].h)
    return results


_case("dynamic_shared", _shared)


def _nested(tf):
    class Pair(tf.nn.rnn_cell.RNNCell):
        state_size = (3, 2)
        output_size = (3, tf.TensorShape([2, 2]))

        def call(self, inputs, state):
            first, second = inputs
            square = tf.reshape(tf.concat([second, second], 1), [-1, 2, 2])
            return (state[0] + first, square), (state[0] + first, state[1] + second)

    inputs = (_inputs(tf, 2, 4, 3), _inputs(tf, 2, 4, 2, seed=1))
    return tf.nn.dynamic_rnn(Pair(), inputs, sequence_length=[1, 4], dtype=tf.float32)


_case("dynamic_nested", _nested)
_case(
    "bidirectional",
    lambda tf: tf.nn.bidirectional_dynamic_rnn(
        _lstm(tf), _gru(tf, 4), _inputs(tf, 2, 4, 3), dtype=tf.float32
    ),
)
_case(
    "bidirectional_lengths",
    lambda tf: tf.nn.bidirectional_dynamic_rnn(
        _lstm(tf),
        _lstm(tf, 4),
        _inputs(tf, 4, 2, 3),
        sequence_length=[2, 4],
        dtype=tf.float32,
        time_major=True,
    ),
)
_case(
    "bidirectional_initial_states",
    lambda tf: tf.nn.bidirectional_dynamic_rnn(
        _gru(tf),
        _gru(tf),
        _inputs(tf, 2, 4, 3),
        initial_state_fw=_inputs(tf, 2, 5, seed=1),
        initial_state_bw=_inputs(tf, 2, 5, seed=2),
        scope="both",
    ),
)


def _steps(tf, count=3, batch=2):
    return [_inputs(tf, batch, 3, seed=step) for step in range(count)]


_case("static", lambda tf: tf.nn.static_rnn(_lstm(tf), _steps(tf), dtype=tf.float32))
_case(
    "static_lengths",
    lambda tf: tf.nn.static_rnn(
        _lstm(tf), _steps(tf), dtype=tf.float32, sequence_length=[1, 2], scope="named"
    ),
)
_case(
    "static_initial_state",
    lambda tf: tf.nn.static_rnn(_gru(tf), _steps(tf), initial_state=_inputs(tf, 2, 5, seed=9)),
)
_case(
    "static_bidirectional",
    lambda tf: tf.nn.static_bidirectional_rnn(_lstm(tf), _gru(tf, 4), _steps(tf), dtype=tf.float32),
)
_case(
    "static_bidirectional_lengths",
    lambda tf: tf.nn.static_bidirectional_rnn(
        _gru(tf), _gru(tf, 4), _steps(tf), dtype=tf.float32, sequence_length=[1, 3]
    ),
)


def _static_fed(tf):
    steps = [tf.placeholder(tf.float32, [None, 3]) for _ in range(2)]
    lengths = tf.placeholder(tf.int32, [None])
    result = tf.nn.static_rnn(_gru(tf), steps, dtype=tf.float32, sequence_length=lengths)
    feeds = {step: normal(2, 3, seed=index) for index, step in enumerate(steps)}
    return Case(result, {**feeds, lengths: [1, 2]})


_case("static_fed", _static_fed)


def _static_gradients(tf):
    steps = _steps(tf)
    outputs, _ = tf.nn.static_rnn(_lstm(tf), steps, dtype=tf.float32, sequence_length=[1, 3])
    loss = tf.add_n([tf.reduce_sum(tf.square(output)) for output in outputs])
    return tf.gradients(loss, [*steps, *tf.trainable_variables()])


_case("static_gradients", _static_gradients, nodes=False)


class _Saver:
    def __init__(self, tf):
        self.tf = tf

    def state(self, name):
        return self.tf.fill([2, 4], 0.5, name=f"first_{name}")

    def save_state(self, name, value):
        return self.tf.identity(value, name=f"save_{name}")


_case(
    "state_saving",
    lambda tf: tf.nn.static_state_saving_rnn(_gru(tf, 4), _steps(tf), _Saver(tf), "state"),
)
_case(
    "state_saving_tuple",
    lambda tf: tf.nn.static_state_saving_rnn(
        _lstm(tf, 4), _steps(tf), _Saver(tf), ("c", "h"), sequence_length=[1, 2]
    ),
)


def _raw(tf, emit):
    cell = _lstm(tf)
    inputs = tf.TensorArray(tf.float32, 4).unstack(_inputs(tf, 4, 2, 3))

    def step(time, output, state, loop_state):
        finished = time >= tf.constant([2, 4])
        following = tf.cond(
            tf.reduce_all(finished), lambda: tf.zeros([2, 3]), lambda: inputs.read(time)
        )
        if output is None:
            first = (tf.zeros([5]), tf.zeros([], tf.int32)) if emit else None
            start = tf.constant(7) if emit else None
            return finished, following, cell.zero_state(2, tf.float32), first, start
        if not emit:
            return finished, following, state, output, None
        put_out = (output * 2.0, tf.to_int32(output[:, 0] * 100.0))
        return finished, following, state, put_out, loop_state + 1

    arrays, state, loop_state = tf.nn.raw_rnn(cell, step)
    if emit:
        return [[array.stack() for array in arrays], state, loop_state]
    return [arrays.stack(), state, loop_state]


_case("raw", lambda tf: _raw(tf, emit=False))
_case("raw_emitting", lambda tf: _raw(tf, emit=True))

error_cases(
    no_dtype=lambda tf: tf.nn.dynamic_rnn(_gru(tf), tf.zeros([2, 4, 3])),
    not_a_cell=lambda tf: tf.nn.dynamic_rnn(3, tf.zeros([2, 4, 3]), dtype=tf.float32),
    inputs_of_two_dimensions=lambda tf: tf.nn.dynamic_rnn(
        _gru(tf), tf.zeros([2, 4]), dtype=tf.float32
    ),
    inputs_of_one_dimension=lambda tf: tf.nn.dynamic_rnn(_gru(tf), tf.zeros([2]), dtype=tf.float32),
    inputs_of_unknown_size=lambda tf: tf.nn.dynamic_rnn(
        _gru(tf), tf.placeholder(tf.float32, [2, 4, None]), dtype=tf.float32
    ),
    inputs_of_different_times=lambda tf: tf.nn.dynamic_rnn(
        _gru(tf), (tf.zeros([2, 4, 3]), tf.zeros([2, 5, 3])), dtype=tf.float32
    ),
    inputs_of_different_batches=lambda tf: tf.nn.dynamic_rnn(
        _gru(tf), (tf.zeros([2, 4, 3]), tf.zeros([3, 4, 3])), dtype=tf.float32
    ),
    lengths_of_a_matrix=lambda tf: _dynamic(tf, _gru(tf), 2, 4, 3, sequence_length=[[1, 2]]),
    lengths_too_few=lambda tf: Case(
        _dynamic(tf, _gru(tf), 2, 4, 3, sequence_length=[1]),
        setup=[tf.global_variables_initializer()],
    ),
    state_of_another_size=lambda tf: tf.nn.dynamic_rnn(
        _gru(tf), tf.zeros([2, 4, 3]), initial_state=tf.zeros([2, 4])
    ),
    twice_without_reuse=lambda tf: [_dynamic(tf, _gru(tf), 2, 4, 3) for _ in range(2)],
    static_inputs_are_a_tensor=lambda tf: tf.nn.static_rnn(
        _gru(tf), tf.zeros([3, 2, 3]), dtype=tf.float32
    ),
    static_inputs_are_empty=lambda tf: tf.nn.static_rnn(_gru(tf), [], dtype=tf.float32),
    static_without_dtype=lambda tf: tf.nn.static_rnn(_gru(tf), [tf.zeros([2, 3])]),
    static_of_unknown_size=lambda tf: tf.nn.static_rnn(
        _gru(tf), [tf.placeholder(tf.float32, [2, None])], dtype=tf.float32
    ),
    static_of_different_batches=lambda tf: tf.nn.static_rnn(
        _gru(tf), [tf.zeros([2, 3]), tf.zeros([3, 3])], dtype=tf.float32
    ),
    saving_under_too_few_names=lambda tf: tf.nn.static_state_saving_rnn(
        _lstm(tf, 4), [tf.zeros([2, 3])], _Saver(tf), ("c",)
    ),
    saving_under_one_name=lambda tf: tf.nn.static_state_saving_rnn(
        _lstm(tf, 4), [tf.zeros([2, 3])], _Saver(tf), "c"
    ),
    raw_without_function=lambda tf: tf.nn.raw_rnn(_gru(tf), 3),
    bidirectional_of_one_cell=lambda tf: tf.nn.bidirectional_dynamic_rnn(
        _gru(tf), None, tf.zeros([2, 4, 3]), dtype=tf.float32
    ),
)

"""Cells of tf.nn.rnn_cell: values, variables, nodes, gradients and refusals.

TensorFlow offers these classes where the package tf_keras is installed and the environment has
TF_USE_LEGACY_KERAS=1.
"""

from __future__ import annotations

from ..case import Case, case, error_cases
from ..inputs import normal
from ..node_names import node_names


def _variables(tf):
    return [[v.name, v.shape.as_list()] for v in tf.global_variables()]


def _steps(tf, cell, steps=2, dtype="float32", gradients=False):
    """Two steps of a cell from random initial weights, whose seeds depend on the nodes so far."""
    tf.set_random_seed(11)
    state = cell.zero_state(2, getattr(tf, dtype))
    inputs = [tf.constant(normal(2, 3, seed=step, dtype=dtype)) for step in range(steps)]
    outputs = []
    for item in inputs:
        output, state = cell(item, state)
        outputs.append(output)
    fetches = [outputs, state, _variables(tf), str(cell.state_size), cell.output_size]
    if gradients:
        loss = tf.reduce_sum(tf.square(tf.concat(outputs, 1)))
        fetches.append(tf.gradients(loss, [*inputs, *tf.trainable_variables()]))
    return Case(fetches, setup=[tf.global_variables_initializer()])


def _cell(name, make, nodes=False, **options):
    @case(name)
    def program(tf):
        result = _steps(tf, make(tf.nn.rnn_cell, tf), **options)
        return Case([result.fetches, node_names(tf)], setup=result.setup) if nodes else result


_cell("basic_rnn", lambda c, tf: c.BasicRNNCell(5), nodes=True, gradients=True)
_cell("basic_rnn_relu", lambda c, tf: c.BasicRNNCell(5, activation=tf.nn.relu, name="other"))
_cell("basic_lstm", lambda c, tf: c.BasicLSTMCell(5), nodes=True, gradients=True)
_cell("basic_lstm_forget", lambda c, tf: c.BasicLSTMCell(5, forget_bias=0.3, activation="relu"))
_cell("basic_lstm_joined", lambda c, tf: c.BasicLSTMCell(5, state_is_tuple=False), nodes=True)
_cell("basic_lstm_float64", lambda c, tf: c.BasicLSTMCell(3), dtype="float64", gradients=True)
_cell("lstm", lambda c, tf: c.LSTMCell(5), nodes=True, gradients=True)
_cell(
    "lstm_peepholes",
    lambda c, tf: c.LSTMCell(
        5, use_peepholes=True, cell_clip=0.3, initializer=tf.random_uniform_initializer(-1, 1)
    ),
    nodes=True,
    gradients=True,
)
_cell(
    "lstm_projection",
    lambda c, tf: c.LSTMCell(5, num_proj=2, proj_clip=0.1, use_peepholes=True),
    nodes=True,
    gradients=True,
)
_cell(
    "lstm_shards",
    lambda c, tf: c.LSTMCell(6, num_proj=2, num_unit_shards=2, num_proj_shards=3),
    nodes=True,
)
_cell("lstm_joined", lambda c, tf: c.LSTMCell(5, num_proj=2, state_is_tuple=False), nodes=True)
_cell("lstm_options", lambda c, tf: c.LSTMCell(5, forget_bias=0.5, activation=tf.nn.softsign))
_cell("gru", lambda c, tf: c.GRUCell(5), nodes=True, gradients=True)
_cell(
    "gru_initializers",
    lambda c, tf: c.GRUCell(
        5,
        activation=tf.nn.relu,
        kernel_initializer=tf.orthogonal_initializer(seed=1),
        bias_initializer=tf.zeros_initializer(),
    ),
)
_cell("gru_float64", lambda c, tf: c.GRUCell(3, dtype=tf.float64), dtype="float64")
_cell(
    "multi",
    lambda c, tf: c.MultiRNNCell([c.BasicLSTMCell(5), c.GRUCell(4), c.BasicRNNCell(2)]),
    nodes=True,
    gradients=True,
)
_cell(
    "multi_joined",
    lambda c, tf: c.MultiRNNCell(
        [c.BasicLSTMCell(5, state_is_tuple=False), c.GRUCell(4)], state_is_tuple=False
    ),
    nodes=True,
)
_cell(
    "dropout",
    lambda c, tf: c.DropoutWrapper(c.BasicLSTMCell(5), 0.5, 0.6, 0.7, seed=3),
    nodes=True,
    gradients=True,
)
_cell("dropout_of_outputs", lambda c, tf: c.DropoutWrapper(c.GRUCell(5), output_keep_prob=0.4))
_cell(
    "dropout_tensor",
    lambda c, tf: c.DropoutWrapper(
        c.GRUCell(5), output_keep_prob=tf.placeholder_with_default(0.5, []), seed=1
    ),
    nodes=True,
)
_cell(
    "dropout_variational",
    lambda c, tf: c.DropoutWrapper(
        c.BasicLSTMCell(5),
        input_keep_prob=0.5,
        output_keep_prob=0.6,
        state_keep_prob=0.7,
        variational_recurrent=True,
        input_size=3,
        dtype=tf.float32,
        seed=5,
    ),
    nodes=True,
)
_cell(
    "dropout_filter_all",
    lambda c, tf: c.DropoutWrapper(
        c.BasicLSTMCell(5), state_keep_prob=0.7, dropout_state_filter_visitor=lambda s: True
    ),
)
_cell(
    "dropout_filter_nest",
    lambda c, tf: c.DropoutWrapper(
        c.MultiRNNCell([c.BasicLSTMCell(5), c.GRUCell(4)]), state_keep_prob=0.7, seed=2
    ),
)
_cell("residual", lambda c, tf: c.ResidualWrapper(c.GRUCell(3)), nodes=True, gradients=True)
_cell(
    "residual_function",
    lambda c, tf: c.ResidualWrapper(c.GRUCell(3), residual_fn=lambda i, o: i * 2.0 + o),
)
_cell("device", lambda c, tf: c.DeviceWrapper(c.GRUCell(3), "/cpu:0"), nodes=True)
_cell(
    "wrapped_twice",
    lambda c, tf: c.ResidualWrapper(
        c.DropoutWrapper(c.MultiRNNCell([c.BasicLSTMCell(3)] * 1), output_keep_prob=0.5, seed=4)
    ),
)


@case
def scopes(tf):
    cells, x = tf.nn.rnn_cell, tf.ones([2, 3])
    first = cells.BasicLSTMCell(3, name="first")
    with tf.variable_scope("a"):
        first(x, first.zero_state(2, tf.float32))
    with tf.variable_scope("b"):
        first(x, first.zero_state(2, tf.float32))
    second = cells.GRUCell(3)
    second(x, second.zero_state(2, tf.float32), scope="named")
    second(x, second.zero_state(2, tf.float32), scope="named")
    for reuse in (None, True):
        third = cells.BasicRNNCell(3, reuse=reuse)
        third(x, third.zero_state(2, tf.float32))
    for reuse in (None, True):
        with tf.variable_scope("shared", reuse=reuse):
            fourth = cells.LSTMCell(3)
            fourth(x, fourth.zero_state(2, tf.float32))
    return [_variables(tf), node_names(tf), [v.name for v in first.variables], first.built]


@case
def scope_defaults(tf):
    with tf.variable_scope(
        "scope",
        initializer=tf.constant_initializer(0.2),
        regularizer=lambda w: tf.reduce_sum(tf.square(w)),
        dtype=tf.float32,
    ):
        cell = tf.nn.rnn_cell.BasicLSTMCell(3)
        output, state = cell(tf.constant(normal(2, 3)), cell.zero_state(2, tf.float32))
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    return Case(
        [output, state, [loss.name for loss in losses]],
        setup=[tf.global_variables_initializer()],
    )


@case
def own_cells(tf):
    class Own(tf.nn.rnn_cell.RNNCell):
        output_size = state_size = 3

        def call(self, inputs, state):
            weights = tf.get_variable("weights", [5, 3], initializer=tf.ones_initializer())
            state = tf.tanh(tf.matmul(tf.concat([inputs, state], 1), weights))
            return state * 2.0, state

    cell = Own()
    state = cell.zero_state(2, tf.float32)
    output, state = cell(tf.constant(normal(2, 2)), state)
    output, state = cell(tf.constant(normal(2, 2)), state)
    return Case(
        [output, state, node_names(tf), [v.name for v in cell.trainable_variables]],
        setup=[tf.global_variables_initializer()],
    )


@case
def zero_states(tf):
    cells = tf.nn.rnn_cell
    batch = tf.placeholder_with_default(3, [])
    multi = cells.MultiRNNCell([cells.BasicLSTMCell(2), cells.GRUCell(4)])
    return [
        multi.zero_state(batch, tf.float32),
        multi.zero_state(2, tf.float64),
        cells.LSTMCell(3, num_proj=2).zero_state(batch, tf.float32),
        cells.GRUCell(2).get_initial_state(batch_size=2, dtype=tf.float32),
        node_names(tf),
    ]


@case
def state_tuples(tf):
    state = tf.nn.rnn_cell.LSTMStateTuple(tf.zeros([2]), tf.ones([2]))
    return [state.c, state.h, state.dtype.name, list(state._fields), isinstance(state, tuple)]


def _applied(tf, cell, inputs, state=None):
    return cell(inputs, cell.zero_state(2, tf.float32) if state is None else state)


error_cases(
    state_of_another_form=lambda tf: _applied(
        tf, tf.nn.rnn_cell.BasicLSTMCell(3), tf.zeros([2, 3]), tf.zeros([2, 3])
    ),
    inputs_of_unknown_size=lambda tf: _applied(
        tf, tf.nn.rnn_cell.GRUCell(3), tf.placeholder(tf.float32, [2, None])
    ),
    inputs_of_another_rank=lambda tf: _applied(tf, tf.nn.rnn_cell.GRUCell(3), tf.zeros([2, 3, 4])),
    inputs_of_another_size=lambda tf: [
        _applied(tf, cell := tf.nn.rnn_cell.GRUCell(3), tf.zeros([2, 3])),
        _applied(tf, cell, tf.zeros([2, 4])),
    ],
    state_of_another_size=lambda tf: _applied(
        tf, tf.nn.rnn_cell.GRUCell(3), tf.zeros([2, 3]), tf.zeros([2, 4])
    ),
    no_cells=lambda tf: tf.nn.rnn_cell.MultiRNNCell([]),
    cells_are_not_a_list=lambda tf: tf.nn.rnn_cell.MultiRNNCell(tf.nn.rnn_cell.GRUCell(3)),
    tuples_in_a_joined_state=lambda tf: tf.nn.rnn_cell.MultiRNNCell(
        [tf.nn.rnn_cell.BasicLSTMCell(3)], state_is_tuple=False
    ),
    probability_above_one=lambda tf: tf.nn.rnn_cell.DropoutWrapper(
        tf.nn.rnn_cell.GRUCell(3), input_keep_prob=1.5
    ),
    dropout_of_no_cell=lambda tf: tf.nn.rnn_cell.DropoutWrapper(3),
    variational_without_dtype=lambda tf: tf.nn.rnn_cell.DropoutWrapper(
        tf.nn.rnn_cell.GRUCell(3), variational_recurrent=True, input_keep_prob=0.5
    ),
    variational_without_size=lambda tf: tf.nn.rnn_cell.DropoutWrapper(
        tf.nn.rnn_cell.GRUCell(3),
        variational_recurrent=True,
        input_keep_prob=0.5,
        dtype=tf.float32,
    ),
    residual_of_other_shapes=lambda tf: _applied(
        tf, tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.GRUCell(4)), tf.zeros([2, 3])
    ),
    two_cells_of_one_name=lambda tf: [
        _applied(tf, tf.nn.rnn_cell.GRUCell(3), tf.zeros([2, 3])) and None,
        tf.get_variable_scope().reuse_variables(),
        _applied(tf, tf.nn.rnn_cell.GRUCell(4), tf.zeros([2, 3])),
    ],
    visitor_is_not_callable=lambda tf: tf.nn.rnn_cell.DropoutWrapper(
        tf.nn.rnn_cell.GRUCell(3), dropout_state_filter_visitor=3
    ),
    initial_state_without_batch_size=lambda tf: tf.nn.rnn_cell.GRUCell(3).get_initial_state(),
)

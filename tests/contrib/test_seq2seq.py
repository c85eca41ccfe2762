"""tf.contrib.seq2seq against NumPy: decoders, attention, beam search, loss."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import featherflow as tf

seq2seq = tf.contrib.seq2seq


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        yield


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.RandomState(seed).normal(size=shape).astype(np.float32)


def run(fetches, feeds=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feeds)


def softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


class Counting(tf.nn.rnn_cell.RNNCell):
    """Logits that prefer the token after the one fed."""

    state_size = 1
    output_size = 5

    def call(self, inputs, state):
        return tf.one_hot(tf.cast(inputs[:, 0], tf.int32) + 1, 5) * 3.0, state + 1.0


def test_training_equals_dynamic_rnn() -> None:
    inputs = tf.constant(normal(3, 4, 2))
    cell = tf.nn.rnn_cell.GRUCell(5)
    helper = seq2seq.TrainingHelper(inputs, [4, 2, 3])
    decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(3, tf.float32))
    decoded, state, lengths = seq2seq.dynamic_decode(decoder, impute_finished=True)
    outputs, last = tf.nn.dynamic_rnn(cell, inputs, [4, 2, 3], dtype=tf.float32)
    assert decoded.rnn_output.shape.as_list() == [3, None, 5]
    assert cell.variables[0].op.name == "decoder/gru_cell/gates/kernel"
    got, got_state, got_lengths, wanted, wanted_state = run(
        [decoded, state, lengths, outputs, last]
    )
    np.testing.assert_allclose(got.rnn_output, wanted, rtol=1e-5)
    np.testing.assert_allclose(got_state, wanted_state, rtol=1e-5)
    assert got_lengths.tolist() == [4, 2, 3]
    np.testing.assert_array_equal(got.sample_id[0], wanted[0].argmax(-1))


def test_output_layer_and_time_major() -> None:
    inputs = tf.constant(normal(4, 3, 2))
    cell = tf.nn.rnn_cell.GRUCell(5)
    helper = seq2seq.TrainingHelper(inputs, [4, 2, 3], time_major=True)
    layer = tf.layers.Dense(7, use_bias=False)
    decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(3, tf.float32), layer)
    decoded, _, _ = seq2seq.dynamic_decode(decoder, output_time_major=True, maximum_iterations=2)
    assert decoded.rnn_output.shape.as_list() == [None, 3, 7]
    assert layer.kernel.op.name == "decoder/dense/kernel"
    assert run(decoded).rnn_output.shape == (2, 3, 7)
    for wrong in ((3, helper, None), (cell, 3, None), (cell, helper, None, 3)):
        with pytest.raises(TypeError):
            seq2seq.BasicDecoder(*wrong)
    with pytest.raises(TypeError):
        seq2seq.dynamic_decode(3)


def test_greedy_decoding_stops_at_the_end_token() -> None:
    embedding = tf.constant(np.arange(6, dtype=np.float32)[:, np.newaxis])
    helper = seq2seq.GreedyEmbeddingHelper(embedding, [0, 2], 4)
    decoder = seq2seq.BasicDecoder(Counting(), helper, tf.zeros([2, 1]))
    outputs, state, lengths = seq2seq.dynamic_decode(decoder, impute_finished=True)
    got, last, steps = run([outputs, state, lengths])
    assert got.sample_id.tolist() == [[1, 2, 3, 4], [3, 4, 0, 0]]
    assert steps.tolist() == [4, 2] and last.ravel().tolist() == [4.0, 2.0]
    limited = seq2seq.dynamic_decode(decoder, maximum_iterations=2, scope="again")
    assert run(limited[2]).tolist() == [2, 2]
    with pytest.raises(ValueError):
        seq2seq.GreedyEmbeddingHelper(embedding, 0, 4)


def test_sampled_decoding() -> None:
    embedding = tf.constant(np.arange(6, dtype=np.float32)[:, np.newaxis])
    helper = seq2seq.SampleEmbeddingHelper(embedding, [0], 4, softmax_temperature=0.01, seed=3)
    decoder = seq2seq.BasicDecoder(Counting(), helper, tf.zeros([1, 1]))
    assert run(seq2seq.dynamic_decode(decoder)[0]).sample_id.tolist() == [[1, 2, 3, 4]]


def test_inference_and_custom_helpers() -> None:
    inference = seq2seq.InferenceHelper(
        sample_fn=lambda outputs: outputs * 2.0,
        sample_shape=[3],
        sample_dtype=tf.float32,
        start_inputs=tf.ones([2, 3]),
        end_fn=lambda sample: tf.fill([2], False),
    )
    cell = tf.nn.rnn_cell.GRUCell(3)
    decoder = seq2seq.BasicDecoder(cell, inference, cell.zero_state(2, tf.float32))
    got = run(seq2seq.dynamic_decode(decoder, maximum_iterations=3)[0])
    np.testing.assert_allclose(got.sample_id, got.rnn_output * 2)
    custom = seq2seq.CustomHelper(
        initialize_fn=lambda: (tf.fill([2], False), tf.zeros([2, 3])),
        sample_fn=lambda time, outputs, state: tf.fill([2], time),
        next_inputs_fn=lambda time, outputs, state, sample_ids: (
            tf.fill([2], time >= 2),
            outputs,
            state,
        ),
    )
    custom.initialize()
    decoder = seq2seq.BasicDecoder(cell, custom, cell.zero_state(2, tf.float32))
    assert run(seq2seq.dynamic_decode(decoder, scope="b")[0]).sample_id.tolist() == [[0, 1, 2]] * 2


@pytest.mark.parametrize("kind", ["luong", "scaled", "bahdanau", "normed"])
def test_attention(kind: str) -> None:
    memory, query = normal(2, 4, 3), normal(2, 5, seed=1)
    lengths = [4, 2]
    if kind in ("luong", "scaled"):
        mechanism = seq2seq.LuongAttention(5, tf.constant(memory), lengths, scale=kind == "scaled")
    else:
        normalize = kind == "normed"
        mechanism = seq2seq.BahdanauAttention(5, tf.constant(memory), lengths, normalize)
    state = mechanism.initial_state(2, tf.float32)
    alignments, _ = mechanism(tf.constant(query), state)
    assert alignments.shape.as_list() == [2, 4]
    names = [v.op.name for v in tf.global_variables()]
    got, *values = run([alignments, *tf.global_variables()])
    weights = dict(zip(names, values))
    masked = memory * (np.arange(4) < np.array(lengths)[:, np.newaxis])[..., np.newaxis]
    keys = masked @ weights["memory_layer/kernel"]
    if kind in ("luong", "scaled"):
        score = np.einsum("bpu,bu->bp", keys, query)
    else:
        v = weights["bahdanau_attention/attention_v"]
        hidden = keys + (query @ weights["bahdanau_attention/query_layer/kernel"])[:, np.newaxis]
        if kind == "normed":
            v = v / np.linalg.norm(v) * np.sqrt(1 / 5)
        score = np.tanh(hidden) @ v
    score[1, 2:] = -np.inf
    np.testing.assert_allclose(got, softmax(score), rtol=1e-4, atol=1e-6)


def test_luong_refuses_other_sizes() -> None:
    mechanism = seq2seq.LuongAttention(4, tf.zeros([2, 3, 5]))
    with pytest.raises(ValueError):
        mechanism(tf.zeros([2, 5]), mechanism.initial_state(2, tf.float32))
    with pytest.raises(ValueError):
        seq2seq.LuongAttention(4, tf.zeros([2, 3]))


def test_attention_wrapper() -> None:
    memory, inputs = normal(2, 4, 3), normal(2, 6, seed=1)
    mechanism = seq2seq.LuongAttention(5, tf.constant(memory))
    cell = seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.GRUCell(5), mechanism, attention_layer_size=7, alignment_history=True
    )
    assert cell.output_size == 7
    state = cell.zero_state(2, tf.float32)
    output, state = cell(tf.constant(inputs), state)
    output, state = cell(tf.constant(inputs), state)
    names = [v.op.name for v in tf.global_variables()]
    assert "attention_wrapper/attention_layer/kernel" in names
    assert "attention_wrapper/gru_cell/gates/kernel" in names
    history = state.alignment_history.stack()
    got = run(
        [
            *(output, state.attention, state.alignments, history, state.time, state.cell_state),
            *tf.global_variables(),
        ]
    )
    weights = dict(zip(names, got[6:]))
    np.testing.assert_array_equal(got[0], got[1])
    np.testing.assert_array_equal(got[3][1], got[2])
    assert got[4] == 2 and got[3].shape == (2, 2, 4)
    keys = memory @ weights["memory_layer/kernel"]
    alignments = softmax(np.einsum("bpu,bu->bp", keys, got[5]))
    np.testing.assert_allclose(got[2], alignments, rtol=1e-4)
    context = np.einsum("bp,bps->bs", alignments, memory)
    wanted = np.hstack([got[5], context]) @ weights["attention_wrapper/attention_layer/kernel"]
    np.testing.assert_allclose(got[0], wanted, rtol=1e-4, atol=1e-5)


def test_attention_wrapper_of_two_mechanisms_in_a_decoder() -> None:
    memories = [tf.constant(normal(2, size, 3, seed=size)) for size in (4, 5)]
    mechanisms = [
        seq2seq.BahdanauAttention(6, memories[0], [4, 1]),
        seq2seq.LuongAttention(5, memories[1]),
    ]
    cell = seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.LSTMCell(5), mechanisms, [3, 4], output_attention=False
    )
    helper = seq2seq.TrainingHelper(tf.constant(normal(2, 3, 2)), [3, 3])
    decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
    outputs, state, _ = seq2seq.dynamic_decode(decoder)
    loss = tf.reduce_sum(tf.square(outputs.rnn_output))
    gradients = tf.gradients(loss, tf.trainable_variables())
    assert all(gradient is not None for gradient in gradients)
    got, last = run([outputs, state])
    assert got.rnn_output.shape == (2, 3, 5) and last.attention.shape == (2, 7)
    for alignments in last.alignments:
        np.testing.assert_allclose(alignments.sum(1), 1, rtol=1e-5)
    np.testing.assert_array_equal(last.alignments[0][1], [1, 0, 0, 0])


def test_attention_state_is_cloned() -> None:
    mechanism = seq2seq.LuongAttention(5, tf.zeros([2, 4, 3]))
    cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(5), mechanism)
    state = cell.zero_state(2, tf.float32)
    clone = state.clone(cell_state=tf.placeholder(tf.float32))
    assert clone.cell_state.shape.as_list() == [2, 5] and clone.attention is state.attention
    with pytest.raises(TypeError):
        seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(5), 3)
    with pytest.raises(ValueError):
        seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(5), [mechanism], [1, 2])


def test_tile_batch() -> None:
    x = normal(2, 3)
    first, second = run(seq2seq.tile_batch((tf.constant(x), tf.constant([1, 2])), 3))
    np.testing.assert_array_equal(first, np.repeat(x, 3, 0))
    assert second.tolist() == [1, 1, 1, 2, 2, 2]


class Markov(tf.nn.rnn_cell.RNNCell):
    """Logits that depend on the token fed alone."""

    state_size = 1

    def __init__(self, table: np.ndarray) -> None:
        super().__init__()
        self.table = table

    @property
    def output_size(self):
        return len(self.table)

    def call(self, inputs, state):
        return tf.matmul(inputs, tf.constant(self.table)), state + inputs[:, :1]


@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_beam_search_finds_the_likeliest_sequences(penalty: float) -> None:
    vocabulary, steps, end, width = 4, 3, 3, 64
    table = normal(vocabulary, vocabulary, seed=5) * 2
    decoder = seq2seq.BeamSearchDecoder(
        Markov(table),
        lambda ids: tf.one_hot(ids, vocabulary),
        [0, 1],
        end,
        tf.zeros([2 * width, 1]),
        width,
        length_penalty_weight=penalty,
    )
    outputs, state, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=steps)
    ids, scores, log_probs = run(
        [outputs.predicted_ids, outputs.beam_search_decoder_output.scores, state.log_probs]
    )
    logs = np.log(softmax(table))
    for example, start in enumerate((0, 1)):
        possible = {}
        for tokens in itertools.product(range(vocabulary), repeat=steps):
            if end in tokens:
                tokens = (*tokens[: tokens.index(end)], *[end] * (steps - tokens.index(end)))
            length = tokens.index(end) if end in tokens else steps
            path = [start, *tokens[: length + 1]]
            total = sum(logs[pair] for pair in itertools.pairwise(path))
            possible[tokens] = total / ((5 + length) / 6) ** penalty
        best = sorted(possible, key=possible.get, reverse=True)[:5]
        found = [tuple(ids[example, :, beam]) for beam in range(5)]
        assert found == best
        wanted = [possible[tokens] for tokens in best]
        np.testing.assert_allclose(scores[example, -1, :5], wanted, rtol=1e-4)
        if not penalty:
            np.testing.assert_allclose(log_probs[example, :5], wanted, rtol=1e-4)


def test_beam_search_with_attention_and_deep_cells() -> None:
    width, batch = 3, 2
    memory = seq2seq.tile_batch(tf.constant(normal(batch, 4, 3)), width)
    cells = [tf.nn.rnn_cell.LSTMCell(5), tf.nn.rnn_cell.GRUCell(5)]
    cell = seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.MultiRNNCell(cells), seq2seq.LuongAttention(5, memory), 6
    )
    decoder = seq2seq.BeamSearchDecoder(
        cell,
        tf.constant(normal(7, 2)),
        [1, 2],
        0,
        cell.zero_state(batch * width, tf.float32),
        width,
        tf.layers.Dense(7),
        length_penalty_weight=0.6,
    )
    outputs, state, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=5)
    got, last, steps = run([outputs, state, lengths])
    assert got.predicted_ids.shape[0] == batch and got.predicted_ids.shape[2] == width
    assert last.cell_state.attention.shape == (batch * width, 6)
    assert steps.shape == (batch, width) and steps.max() <= 5
    scores = got.beam_search_decoder_output.scores
    assert (np.diff(scores, axis=2) <= 1e-6).all()


def test_a_narrow_beam_ends() -> None:
    embedding = tf.constant(np.arange(6, dtype=np.float32)[:, np.newaxis])
    decoder = seq2seq.BeamSearchDecoder(
        Counting(), embedding, [0, 2], 4, tf.zeros([4, 1]), 2, output_layer=None
    )
    outputs, _, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=8)
    ids, steps = run([outputs.predicted_ids, lengths])
    assert ids[0, :4, 0].tolist() == [1, 2, 3, 4] and ids[1, :4, 0].tolist() == [3, 4, 4, 4]
    assert steps.shape == (2, 2)
    with pytest.raises(ValueError):
        seq2seq.BeamSearchDecoder(
            Counting(), embedding, [0], 4, tf.zeros([2, 1]), 2, coverage_penalty_weight=0.1
        )


def test_sequence_loss() -> None:
    logits, targets = normal(2, 3, 4), np.array([[0, 1, 2], [3, 2, 1]])
    weights = np.array([[1, 1, 0.5], [1, 0, 0]], np.float32)
    losses = -np.log(softmax(logits))[np.arange(2)[:, np.newaxis], np.arange(3), targets] * weights

    def loss(**options):
        return seq2seq.sequence_loss(
            tf.constant(logits), tf.constant(targets), tf.constant(weights), **options
        )

    none = {"average_across_timesteps": False, "average_across_batch": False}
    fetched = run(
        [
            loss(),
            loss(average_across_timesteps=False),
            loss(average_across_batch=False),
            loss(**none),
            loss(**none, sum_over_timesteps=True, sum_over_batch=True),
            loss(**none, sum_over_batch=True),
        ]
    )
    with np.errstate(all="ignore"):
        wanted = [
            losses.sum() / weights.sum(),
            losses.sum(0) / weights.sum(0),
            losses.sum(1) / weights.sum(1),
            losses,
            losses.sum() / np.count_nonzero(weights),
            losses.sum(0) / np.count_nonzero(weights, 0),
        ]
    for value, expected in zip(fetched, wanted):
        np.testing.assert_allclose(value, expected, rtol=1e-4)
    with pytest.raises(ValueError):
        loss(sum_over_timesteps=True)
    with pytest.raises(ValueError):
        seq2seq.sequence_loss(tf.zeros([2, 3]), tf.zeros([2, 3], tf.int32), tf.zeros([2, 3]))

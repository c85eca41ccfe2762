"""Trained from the same seed, the character LSTM goes TensorFlow's way."""

from __future__ import annotations

import json

import numpy as np
import pytest

import featherflow as tf
from differential.record_lstm_text import RECORD, TEXT, load_example, train

#: Sums are rounded in another order than TensorFlow's; the difference grows with the steps.
MAX_LOSS_DIFFERENCE = 1e-3


@pytest.mark.slow
def test_same_weights_and_same_losses() -> None:
    recorded = json.loads(RECORD.read_text())
    trained = train(tf)
    assert trained["weights"] == recorded["weights"]
    difference = np.abs(np.subtract(trained["losses"], recorded["losses"]))
    assert difference.max() <= MAX_LOSS_DIFFERENCE
    assert trained["losses"][-1] < 0.6 * trained["losses"][0]


def test_it_writes_on_from_a_fed_state() -> None:
    example = load_example(tf)
    text, characters = example.read_text(TEXT)
    with tf.Graph().as_default(), example.open_session() as sess:
        network = example.build(len(characters))
        sess.run(tf.global_variables_initializer())
        start = text[:5].tolist()
        written = example.write(sess, network, start, 4)
        again = example.write(sess, network, start, 4)
        whole = sess.run(network["probabilities"], {network["inputs"]: [written[:-1]]})
        state, first = sess.run(
            [network["last_state"], network["probabilities"]], {network["inputs"]: [start]}
        )
        feeds = {network["inputs"]: [written[5:-1]]}
        for layer, values in zip(network["first_state"], state):
            feeds[layer.c], feeds[layer.h] = values.c, values.h
        rest = sess.run(network["probabilities"], feeds)
    assert written == again and written[:5] == start and len(written) == 9
    np.testing.assert_allclose(np.concatenate([first, rest]), whole, rtol=1e-5)

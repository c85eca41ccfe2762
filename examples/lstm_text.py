"""A TF1 program: a character LSTM learns to write like a text, by default this project's README.

    python examples/lstm_text.py                     trains for 400 steps, some seconds
    python examples/lstm_text.py --text FILE --steps 1000

Written as a TensorFlow 1 user writes it; under TensorFlow itself it runs with
`import tensorflow.compat.v1 as tf` and `tf.disable_v2_behavior()` in place of the import below.
"""

import argparse
import os
import re
import sys

import numpy as np

import featherflow as tf

FOLDER = os.path.dirname(os.path.abspath(__file__))
README = os.path.join(FOLDER, os.pardir, "README.md")
UNITS = 64
LAYERS = 2
BATCH = 16
STEPS = 24
LEARNING_RATE = 0.01
MAX_NORM = 1.0
SEED = 11


def read_text(path):
    """The text as indices into the list of its characters, and that list; its drawings left out."""
    with open(path, encoding="utf-8") as file:
        text = re.sub("[─-╿►]|  +", "", file.read())
    characters = sorted(set(text))
    index = {character: place for place, character in enumerate(characters)}
    return np.array([index[character] for character in text], np.int32), characters


def build(vocabulary):
    """The network, its loss and its training step, as a dictionary."""
    tf.set_random_seed(SEED)
    inputs = tf.placeholder(tf.int32, [None, None], name="inputs")
    targets = tf.placeholder(tf.int32, [None, None], name="targets")

    cell = tf.nn.rnn_cell.MultiRNNCell(
        [tf.nn.rnn_cell.BasicLSTMCell(UNITS, name=f"layer_{index}") for index in range(LAYERS)]
    )
    first_state = cell.zero_state(tf.shape(inputs)[0], tf.float32)
    outputs, last_state = tf.nn.dynamic_rnn(
        cell, tf.one_hot(inputs, vocabulary), initial_state=first_state
    )
    with tf.variable_scope("softmax"):
        weights = tf.get_variable("weights", [UNITS, vocabulary])
        biases = tf.get_variable("biases", [vocabulary], initializer=tf.zeros_initializer())
        logits = tf.matmul(tf.reshape(outputs, [-1, UNITS]), weights) + biases

    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.reshape(targets, [-1]), logits=logits
        ),
        name="loss",
    )
    variables = tf.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), MAX_NORM)
    train = tf.train.AdamOptimizer(LEARNING_RATE).apply_gradients(
        list(zip(gradients, variables)), name="train"
    )
    return {
        "inputs": inputs,
        "targets": targets,
        "first_state": first_state,
        "last_state": last_state,
        "probabilities": tf.nn.softmax(logits, name="probabilities"),
        "loss": loss,
        "train": train,
    }


def open_session():
    """A session on one thread: the matrices are too small to share among more."""
    return tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1))


def batches(text, count):
    """`count` times random pieces of the text, and the same one character later."""
    random = np.random.RandomState(SEED)
    for _ in range(count):
        starts = random.randint(0, len(text) - STEPS - 1, BATCH)
        pieces = np.stack([text[start : start + STEPS + 1] for start in starts])
        yield pieces[:, :-1], pieces[:, 1:]


def losses_of(sess, network, text, count):
    """Trains, and yields the loss of each step."""
    for inputs, targets in batches(text, count):
        feeds = {network["inputs"]: inputs, network["targets"]: targets}
        loss, _ = sess.run([network["loss"], network["train"]], feed_dict=feeds)
        yield float(loss)


def write(sess, network, start, length, temperature=0.5):
    """Goes on from the characters of `start`, one at a time; returns their indices."""
    random = np.random.RandomState(SEED)
    written = list(start)
    feeds = {network["inputs"]: [written]}
    for _ in range(length):
        # Feeding the state continues where the last run stopped.
        state, probabilities = sess.run([network["last_state"], network["probabilities"]], feeds)
        powers = probabilities[-1].astype(np.float64) ** (1.0 / temperature)
        written.append(int(random.choice(len(powers), p=powers / powers.sum())))
        feeds = {network["inputs"]: [written[-1:]]}
        for layer, values in zip(network["first_state"], state):
            feeds[layer.c], feeds[layer.h] = values.c, values.h
    return written


def curve(losses, rows=8, columns=60):
    """The losses as a picture of text."""
    size = -(-len(losses) // columns)
    means = [np.mean(losses[place : place + size]) for place in range(0, len(losses), size)]
    low, high = min(means), max(means)
    height = max(high - low, 1e-9)
    lines = []
    for row in range(rows, 0, -1):
        level = low + height * (row - 1) / rows
        marks = "".join("█" if mean >= level else " " for mean in means)
        lines.append(f"{level:6.2f} │{marks}")
    return "\n".join(lines) + "\n       └" + "─" * len(means)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", default=README, help="a text file")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--length", type=int, default=300, help="characters to write")
    options = parser.parse_args()

    text, characters = read_text(options.text)
    network = build(len(characters))
    with open_session() as sess:
        sess.run(tf.global_variables_initializer())
        losses = []
        for loss in losses_of(sess, network, text, options.steps):
            losses.append(loss)
            if sys.stdout.isatty():
                print(f"\rstep {len(losses)}/{options.steps}  loss {loss:.4f}", end="", flush=True)
        print(
            f"\rloss {losses[0]:.4f} → {losses[-1]:.4f} in {len(losses)} steps of {BATCH} pieces\n"
        )
        print(curve(losses))
        written = write(sess, network, text[:20].tolist(), options.length)
        print("\n" + "".join(characters[place] for place in written))


if __name__ == "__main__":
    main()

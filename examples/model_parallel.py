"""Model parallelism: one network, its halves on two devices, trained at the same time.

    python examples/model_parallel.py                        trains; compares with one device
    python examples/model_parallel.py --trace trace.json     and writes a Chrome trace of one step

Each of two towers sees the whole image and computes half of the features; the logits are the sum of
both. `tf.device` alone decides where a tower and its variables live: the runtime cuts the step in
two, puts Send and Recv between, and runs both parts at once.
"""

import argparse
import os
import sys

import numpy as np

import featherflow as tf

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "digits.npz")
BATCH = 256
HIDDEN = 1024
STEPS = 40
SEED = 7


def load_digits():
    """Images [n, 64] in [0, 1], and labels [n]."""
    with np.load(DATA) as data:
        images = data["images"].reshape(-1, 64).astype(np.float32) / 16.0
        return images, data["labels"].astype(np.int32)


def tower(images, name):
    """Half of the features: two wide layers, and their part of the logits."""
    with tf.variable_scope(name):
        first = tf.get_variable("first", [64, HIDDEN])
        second = tf.get_variable("second", [HIDDEN, HIDDEN])
        last = tf.get_variable("last", [HIDDEN, 10])
        hidden = tf.nn.relu(tf.matmul(images, first))
        hidden = tf.nn.relu(tf.matmul(hidden, second))
        return tf.matmul(hidden, last)


def build(devices):
    """The network with its towers on the devices named."""
    tf.set_random_seed(SEED)
    images = tf.placeholder(tf.float32, [None, 64], name="images")
    labels = tf.placeholder(tf.int32, [None], name="labels")
    parts = []
    for index, device in enumerate(devices):
        with tf.device(device):
            parts.append(tower(images, f"tower_{index}"))
    with tf.device(devices[0]):
        logits = tf.add_n(parts)
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        )
    optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
    # Gradients are computed where the ops are that they are of.
    train = optimizer.minimize(loss, colocate_gradients_with_ops=True)
    return images, labels, loss, train


def train(devices, trace=None):
    """Losses of all steps; with `trace`, a Chrome trace of the last one is written there."""
    pixels, digits = load_digits()
    config = tf.ConfigProto(device_count={"CPU": 2})
    losses = []
    with tf.Graph().as_default():
        images, labels, loss, step = build(devices)
        with tf.Session(config=config) as sess:
            sess.run(tf.global_variables_initializer())
            for index in range(STEPS):
                chosen = np.arange(index * BATCH, (index + 1) * BATCH) % len(pixels)
                feeds = {images: pixels[chosen], labels: digits[chosen]}
                losses.append(sess.run([loss, step], feeds)[0])
            if trace:
                write_trace(sess, [loss, step], feeds, trace)
    return losses


def write_trace(sess, fetches, feeds, path):
    """One traced step, for chrome://tracing."""
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    sess.run(fetches, feeds, options=options, run_metadata=metadata)
    timeline = tf.timeline.Timeline(metadata.step_stats)
    with open(path, "w") as file:
        file.write(timeline.generate_chrome_trace_format())
    print(f"trace of one step: {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trace", help="write a Chrome trace of one step here")
    options = parser.parse_args()
    split = train(["/cpu:0", "/cpu:1"], options.trace)
    whole = train(["/cpu:0", "/cpu:0"])
    print(f"two devices: loss {split[0]:.4f} → {split[-1]:.4f}")
    print(f"one device:  loss {whole[0]:.4f} → {whole[-1]:.4f}")
    difference = max(abs(a - b) for a, b in zip(split, whole))
    print(f"largest difference of a loss: {difference:g}")
    return 0 if difference < 1e-5 and split[-1] < 0.5 * split[0] else 1


if __name__ == "__main__":
    sys.exit(main())

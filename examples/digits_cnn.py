"""A TF1 program: a convolutional network learns to read handwritten digits.

    python examples/digits_cnn.py               trains for 15 epochs, about ten seconds
    python examples/digits_cnn.py --epochs 2

Written as a TensorFlow 1 user writes it; under TensorFlow itself it runs with
`import tensorflow.compat.v1 as tf` and `tf.disable_v2_behavior()` in place of the import below.
"""

import argparse
import os
import sys
import time

import numpy as np

import featherflow as tf

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "digits.npz")
BATCH = 50
HELD_BACK = 360
SEED = 20


def load_digits():
    """(training images, labels), (held-back images, labels); images are [n, 8, 8, 1] in [0, 1]."""
    with np.load(DATA) as data:
        images = data["images"].astype(np.float32)[..., np.newaxis] / 16.0
        labels = data["labels"].astype(np.int32)
    order = np.random.RandomState(0).permutation(len(images))
    images, labels = images[order], labels[order]
    return (images[HELD_BACK:], labels[HELD_BACK:]), (images[:HELD_BACK], labels[:HELD_BACK])


def weights(shape, name):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1), name=name)


def biases(size, name):
    return tf.Variable(tf.constant(0.1, shape=[size]), name=name)


def build():
    """The network, its loss and its training step."""
    tf.set_random_seed(SEED)
    images = tf.placeholder(tf.float32, [None, 8, 8, 1], name="images")
    labels = tf.placeholder(tf.int32, [None], name="labels")

    with tf.name_scope("conv"):
        filter = weights([5, 5, 1, 32], "filter")
        conv = tf.nn.conv2d(images, filter, strides=[1, 1, 1, 1], padding="SAME")
        hidden = tf.nn.relu(tf.nn.bias_add(conv, biases(32, "bias")))
        pooled = tf.nn.max_pool(hidden, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    with tf.name_scope("dense"):
        flat = tf.reshape(pooled, [-1, 4 * 4 * 32])
        logits = tf.matmul(flat, weights([4 * 4 * 32, 10], "weights")) + biases(10, "bias")

    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits), name="loss"
    )
    train = tf.train.AdamOptimizer(0.01).minimize(loss, name="train")
    right = tf.equal(tf.cast(tf.argmax(logits, 1), tf.int32), labels)
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32), name="accuracy")
    return images, labels, loss, train, accuracy, conv


def batches(images, labels, epoch):
    order = np.random.RandomState(epoch).permutation(len(images))
    for start in range(0, len(images) - BATCH + 1, BATCH):
        chosen = order[start : start + BATCH]
        yield images[chosen], labels[chosen]


def progress(epoch, epochs, done, total, loss):
    """A bar that redraws itself on a terminal, and stays silent in a file."""
    if sys.stdout.isatty():
        bar = "█" * (24 * done // total)
        print(f"\repoch {epoch:2}/{epochs}  {bar:<24}  loss {loss:.4f}", end="", flush=True)


def train(epochs):
    (images, labels), held_back = load_digits()
    image_feed, label_feed, loss, step, accuracy, conv = build()
    total = len(images) // BATCH
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        start = time.perf_counter()
        for epoch in range(1, epochs + 1):
            for done, (batch, batch_labels) in enumerate(batches(images, labels, epoch), 1):
                _, value = sess.run(
                    [step, loss], feed_dict={image_feed: batch, label_feed: batch_labels}
                )
                progress(epoch, epochs, done, total, value)
            right = sess.run(accuracy, {image_feed: held_back[0], label_feed: held_back[1]})
            print(
                f"\repoch {epoch:2}/{epochs}  loss {value:.4f}  held back {right:6.2%}" + " " * 16
            )
        seconds = time.perf_counter() - start
        print(f"\n{epochs} epochs in {seconds:.1f} s; {right:.2%} of {HELD_BACK} digits never seen")
        show_where_it_ran(sess, conv, {image_feed: held_back[0][:1]})
    return float(right)


def show_where_it_ran(sess, conv, feeds):
    """The last page: where did the convolution execute?"""
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    sess.run(conv, feed_dict=feeds, options=options, run_metadata=metadata)
    print(f"\nWhere did {conv.op.name} execute?")
    for device in metadata.step_stats.dev_stats:
        for node in device.node_stats:
            if node.node_name == conv.op.name:
                print(f"  device   {device.device}")
                print(f"  node     {node.timeline_label}")
                print(f"  time     {node.op_end_rel_micros - node.op_start_rel_micros} µs")
    print("  and any op: featherflow explain conv2d")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=15)
    return 0 if train(parser.parse_args().epochs) > 0.97 else 1


if __name__ == "__main__":
    sys.exit(main())

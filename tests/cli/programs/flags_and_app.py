from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import tensorflow.compat.v1 as tf

flags = tf.app.flags
flags.DEFINE_string("data_dir", "/tmp/data", "Where the data is.")
flags.DEFINE_integer("batch_size", 128, "Batch size.")
flags.DEFINE_float("learning_rate", 0.01, "Initial learning rate.")
flags.DEFINE_boolean("fake_data", False, "Use fake data.")
flags.DEFINE_bool("verbose", True, "Say more.")
flags.DEFINE_enum("mode", "train", ["train", "eval"], "What to do.")
flags.DEFINE_list("layers", ["64", "32"], "Sizes of layers.")
FLAGS = flags.FLAGS


def main(unused_argv):
    print(FLAGS.data_dir, FLAGS.batch_size, FLAGS.learning_rate)
    print(FLAGS.fake_data, FLAGS.verbose, FLAGS.mode, FLAGS.layers)
    print(unused_argv[1:])


if __name__ == "__main__":
    tf.app.run()

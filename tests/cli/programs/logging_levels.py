import logging
import sys

import tensorflow.compat.v1 as tf
from tensorflow.python.platform import tf_logging

tf.disable_v2_behavior()
logger = logging.getLogger("tensorflow")
for handler in list(logger.handlers):
    logger.removeHandler(handler)
logger.addHandler(logging.StreamHandler(sys.stdout))
logger.propagate = False

tf.logging.set_verbosity(tf.logging.INFO)
tf.logging.info("Step %d: loss = %.2f", 10, 0.5)
tf.logging.debug("not shown")
tf.logging.warn("careful")
tf_logging.warning("from the inner module")
tf.logging.set_verbosity(tf.logging.ERROR)
tf.logging.warning("not shown")
tf.logging.error("shown")
tf.logging.set_verbosity(tf.logging.DEBUG)
for i in range(6):
    tf.logging.log_every_n(tf.logging.INFO, "every %d", 3, i)
print(tf.logging.get_verbosity() == tf.logging.DEBUG, tf.logging.FATAL)

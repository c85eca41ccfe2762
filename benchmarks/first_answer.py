"""A fresh process to its first answer: `first_answer.py featherflow`, or `tensorflow`.

The program is that of whoever asks where `tf.nn.conv2d` executes. Prints milliseconds: NumPy's own
import, and all that comes after it.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
start = time.perf_counter()
import numpy as np  # noqa: E402

after_numpy = time.perf_counter()
tf = importlib.import_module(sys.argv[1])
if sys.argv[1] == "tensorflow":
    tf = tf.compat.v1
    tf.disable_v2_behavior()
input = tf.placeholder(tf.float32)
filter = tf.Variable(tf.truncated_normal([5, 5, 3, 32], stddev=0.1))
conv = tf.nn.conv2d(input, filter, strides=[1, 1, 1, 1], padding="SAME")
sess = tf.Session()
sess.run(tf.global_variables_initializer())
result = sess.run(conv, feed_dict={input: np.ones((1, 28, 28, 3))})
end = time.perf_counter()
assert result.shape == (1, 28, 28, 32)
print(json.dumps({"numpy_ms": (after_numpy - start) * 1e3, "answer_ms": (end - after_numpy) * 1e3}))

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.ops import script_ops
from tensorflow.python.util import compat

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None])
doubled = tf.py_func(lambda v: (v * 2).astype(np.float32), [x], tf.float32)
names = script_ops.py_func(lambda v: np.array(["n%d" % i for i in v], object), [[1, 2]], tf.string)
with tf.Session() as sess:
    print(sess.run(doubled, {x: [1.0, 2.5]}))
    print([compat.as_text(n) for n in sess.run(names)])
print(tf.compat.as_bytes("é"), tf.compat.as_str(b"abc"))

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

n = tf.placeholder(tf.int32, shape=(), name="n")
i, total = tf.while_loop(
    lambda i, s: tf.less(i, n),
    lambda i, s: (i + 1, s + i * i),
    [tf.constant(0), tf.constant(0)],
)
sign = tf.cond(tf.greater(n, 3), lambda: tf.constant("big"), lambda: tf.constant("small"))
case = tf.case(
    {tf.less(n, 2): lambda: tf.constant(1.0), tf.greater(n, 100): lambda: tf.constant(2.0)},
    default=lambda: tf.constant(-1.0),
    exclusive=True,
)

array = tf.TensorArray(tf.float32, size=4)
_, array = tf.while_loop(
    lambda k, a: k < 4,
    lambda k, a: (k + 1, a.write(k, tf.cast(k, tf.float32) * 0.5)),
    [0, array],
)
stacked = array.stack()
x = tf.constant(2.0)
power = tf.while_loop(lambda j, p: j < 3, lambda j, p: (j + 1, p * x), [0, tf.constant(1.0)])[1]
(gradient,) = tf.gradients(power, x)
squares = tf.map_fn(lambda v: v * v, np.array([1, 2, 3]))

with tf.Session() as sess:
    print(sess.run([i, total, sign], {n: 5}))
    print(sess.run([sign, case], {n: 2}))
    print(sess.run(stacked))
    print(sess.run([power, gradient]))
    print(sess.run(squares))

"""The import that the migration guide recommends, get_variable and Adam."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

x = tf.placeholder(tf.float32, shape=[None, 2])
y = tf.placeholder(tf.float32, shape=[None, 1])


def dense(inputs, units, name, activation=None):
    with tf.variable_scope(name):
        w = tf.get_variable(
            "w",
            [inputs.get_shape()[1].value, units],
            initializer=tf.random_normal_initializer(stddev=1.0, seed=3),
        )
        b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
        out = tf.matmul(inputs, w) + b
        return activation(out) if activation is not None else out


hidden = dense(x, 8, "hidden", tf.nn.tanh)
logits = dense(hidden, 1, "out")
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
global_step = tf.Variable(0, trainable=False, name="global_step")
train_op = tf.train.AdamOptimizer(learning_rate=0.05).minimize(loss, global_step=global_step)

data = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32)
target = np.array([[0], [1], [1], [0]], np.float32)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(300):
        _, value = sess.run([train_op, loss], {x: data, y: target})
    print([v.name for v in tf.trainable_variables()])
    print("step", sess.run(global_step), "learned", value < 0.05)
    print(np.round(sess.run(tf.sigmoid(logits), {x: data})).astype(int).tolist())

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

rng = np.random.RandomState(0)
train_x = rng.rand(32).astype(np.float32)
train_y = 3.0 * train_x + 1.0

X = tf.placeholder("float", name="X")
Y = tf.placeholder("float", name="Y")
W = tf.Variable(0.0, name="weight")
b = tf.Variable(0.0, name="bias")

pred = tf.add(tf.multiply(X, W), b)
cost = tf.reduce_mean(tf.pow(pred - Y, 2)) / 2.0
optimizer = tf.train.GradientDescentOptimizer(0.5).minimize(cost)
init = tf.global_variables_initializer()

with tf.Session() as sess:
    sess.run(init)
    for epoch in range(400):
        sess.run(optimizer, feed_dict={X: train_x, Y: train_y})
        if epoch % 100 == 0:
            c = sess.run(cost, feed_dict={X: train_x, Y: train_y})
            print("Epoch: %04d" % (epoch + 1), "cost={:.4f}".format(c))
    print("Optimization Finished!", "W=%.2f" % sess.run(W), "b=%.2f" % sess.run(b))

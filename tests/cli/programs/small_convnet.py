import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(1)


def weight_variable(shape):
    initial = tf.truncated_normal(shape, stddev=0.1, seed=7)
    return tf.Variable(initial)


def bias_variable(shape):
    return tf.Variable(tf.constant(0.1, shape=shape))


def conv2d(x, W):
    return tf.nn.conv2d(x, W, strides=[1, 1, 1, 1], padding="SAME")


def max_pool_2x2(x):
    return tf.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


x = tf.placeholder(tf.float32, [None, 64])
y_ = tf.placeholder(tf.float32, [None, 3])
keep_prob = tf.placeholder(tf.float32)
image = tf.reshape(x, [-1, 8, 8, 1])
h_conv1 = tf.nn.relu(conv2d(image, weight_variable([3, 3, 1, 4])) + bias_variable([4]))
h_pool1 = max_pool_2x2(h_conv1)
flat = tf.reshape(h_pool1, [-1, 4 * 4 * 4])
h_drop = tf.nn.dropout(flat, keep_prob)
y = tf.matmul(h_drop, weight_variable([64, 3])) + bias_variable([3])
cross_entropy = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y_, logits=y))
train_step = tf.train.MomentumOptimizer(0.05, 0.9).minimize(cross_entropy)
correct = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

images = np.zeros([30, 8, 8], np.float32)
labels = np.arange(30) % 3
for i, label in enumerate(labels):
    images[i, :, 2 * label] = 1.0
onehot = np.eye(3, dtype=np.float32)[labels]
sess = tf.InteractiveSession()
sess.run(tf.global_variables_initializer())
for i in range(80):
    train_step.run(feed_dict={x: images.reshape(30, 64), y_: onehot, keep_prob: 0.9})
print(h_pool1.get_shape().as_list(), y.shape.as_list())
print("accuracy", accuracy.eval({x: images.reshape(30, 64), y_: onehot, keep_prob: 1.0}))
sess.close()

"""An optimizer of one's own on the base class of the inner module, and gradients by hand."""

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.ops import control_flow_ops, math_ops, state_ops
from tensorflow.python.training import optimizer

tf.disable_v2_behavior()


class SignDescent(optimizer.Optimizer):
    def __init__(self, learning_rate=0.1, use_locking=False, name="SignDescent"):
        super(SignDescent, self).__init__(use_locking, name)
        self._lr = learning_rate

    def _apply_dense(self, grad, var):
        return state_ops.assign_sub(var, self._lr * math_ops.sign(grad)).op

    def _resource_apply_dense(self, grad, var):
        return state_ops.assign_sub(var, self._lr * math_ops.sign(grad)).op

    def _finish(self, update_ops, name_scope):
        return control_flow_ops.group(*update_ops, name=name_scope)


v = tf.get_variable("v", initializer=tf.constant([1.0, -2.0]))
loss = tf.reduce_sum(tf.square(v))
sgd = tf.train.GradientDescentOptimizer(0.1)
clipped = [(tf.clip_by_value(g, -1.0, 1.0), var) for g, var in sgd.compute_gradients(loss)]
apply_clipped = sgd.apply_gradients(clipped)
sign_step = SignDescent().minimize(loss)
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    sess.run(apply_clipped)
    print(np.round(v.eval(), 3))
    for _ in range(5):
        sess.run(sign_step)
    print(np.round(sess.run(v), 3))

"""Guided back-propagation, as it is written everywhere: inner modules and a replaced gradient."""

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops
from tensorflow.python.ops import array_ops
from tensorflow.python.ops import gen_nn_ops
from tensorflow.python.ops import gradients
from tensorflow.python.ops import nn

tf.compat.v1.disable_v2_behavior()


@ops.RegisterGradient("GuidedRelu")
def _GuidedReluGrad(op, grad):
    return array_ops.where(
        0.0 < grad,
        gen_nn_ops.relu_grad(grad, op.outputs[0]),
        array_ops.zeros(grad.get_shape()),
    )


graph = ops.Graph()
with graph.as_default(), graph.gradient_override_map({"Relu": "GuidedRelu"}):
    x = tf.constant([-1.0, 2.0, 3.0, -4.0])
    y = nn.relu(x)
    weights = tf.constant([1.0, -1.0, 2.0, 2.0])
    (guided,) = gradients.gradients(y * weights, [x])
with graph.as_default():
    z = nn.relu(x)
    (plain,) = gradients.gradients(z * weights, [x])
with tf.compat.v1.Session(graph=graph) as sess:
    print(sess.run(guided), sess.run(plain))
print(isinstance(x, ops.Tensor), isinstance(x.op, ops.Operation), guided.op.type)

"""A recurrent cell from TensorFlow's inner modules, as papers' code has it."""

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.framework import constant_op
from tensorflow.python.framework import dtypes
from tensorflow.python.framework import tensor_shape
from tensorflow.python.ops import array_ops
from tensorflow.python.ops import control_flow_ops
from tensorflow.python.ops import init_ops
from tensorflow.python.ops import math_ops
from tensorflow.python.ops import variable_scope as vs
from tensorflow.python.util import nest

tf.disable_v2_behavior()


class MinimalGatedCell(object):
    def __init__(self, units):
        self.units = units
        self.output_size = tensor_shape.TensorShape([units])

    def __call__(self, inputs, state, scope=None):
        with vs.variable_scope(scope or "mgu", reuse=tf.AUTO_REUSE):
            size = inputs.get_shape().as_list()[1] + self.units
            kernel = vs.get_variable(
                "kernel", [size, self.units], initializer=init_ops.constant_initializer(0.1)
            )
            gate = math_ops.sigmoid(math_ops.matmul(array_ops.concat([inputs, state], 1), kernel))
            new = math_ops.tanh(
                math_ops.matmul(array_ops.concat([inputs, gate * state], 1), kernel)
            )
            new_state = (1 - gate) * state + gate * new
            return new_state, new_state


steps = array_ops.placeholder(dtypes.float32, [3, 2, 4])
cell = MinimalGatedCell(5)
state = array_ops.zeros([2, 5], dtypes.float32)
outputs = []
for step in array_ops.unstack(steps):
    output, state = cell(step, state)
    outputs.append(output)
last = control_flow_ops.group(*outputs)
print([v.name for v in vs.variable_scope and tf.global_variables()])
print(cell.output_size, nest.flatten({"a": [1, (2, 3)], "b": 4}))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    values = sess.run(outputs, {steps: np.ones([3, 2, 4], np.float32)})
    print(np.round(values[-1][0], 4))
    print(sess.run(last, {steps: np.ones([3, 2, 4], np.float32)}))
print(constant_op.constant([1, 2]).dtype == dtypes.int32)

import tensorflow.compat.v1 as tf
from tensorflow.python.framework import errors_impl
from tensorflow.python.framework.errors import InvalidArgumentError, OpError

tf.disable_v2_behavior()
tf.reset_default_graph()
with tf.name_scope("model"):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    w = tf.Variable(tf.ones([2, 1]), name="w")
with tf.name_scope("model"):
    y = tf.identity(x, name="x")
print(x.name, y.name, w.op.name)
print(tf.get_default_graph().get_tensor_by_name("model/x:0") is x)
tf.add_to_collection("outputs", y)
print(tf.get_collection("outputs")[0].op.type)
try:
    tf.matmul(x, w)
except ValueError as e:
    print("ValueError", "must be equal" in str(e))
sess = tf.Session()
try:
    sess.run(w)
except tf.errors.FailedPreconditionError as e:
    print(type(e).__name__, e.error_code)
shape = tf.placeholder(tf.int32, [None])
try:
    sess.run(tf.reshape(tf.zeros([4]), shape), {shape: [3]})
except InvalidArgumentError as e:
    print(type(e).__name__, isinstance(e, OpError), e.error_code, e.op.type)
try:
    sess.run(y)
except errors_impl.InvalidArgumentError as e:
    print("fed?", "model/x" in e.message)
try:
    sess.run("nothing:0")
except ValueError as e:
    print("ValueError", "nothing" in str(e))
sess.close()

import tensorflow as tf
from tensorflow.python.client import device_lib

print(int(tf.__version__.split(".")[0]) >= 2, hasattr(tf, "compat"), hasattr(tf.compat, "v1"))
if tf.__version__[0] == "2":
    tf = tf.compat.v1
    tf.disable_v2_behavior()
print(tf.executing_eagerly())
cpus = [d.name for d in device_lib.list_local_devices() if d.device_type == "CPU"]
print(cpus)
with tf.device("/device:CPU:0"):
    a = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[2, 3], name="a")
    b = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=[3, 2], name="b")
c = tf.matmul(a, b)
sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
print(sess.run(c))
print(a.op.device, c.op.device == "")

import os
import tempfile

import tensorflow.compat.v1 as tf
from tensorflow.python.framework import graph_util
from tensorflow.python.platform import gfile

tf.disable_v2_behavior()
folder = os.path.join(tempfile.mkdtemp(), "export", "1")
if not tf.gfile.Exists(folder):
    tf.gfile.MakeDirs(folder)

with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, [None, 2], name="input")
    w = tf.get_variable("w", initializer=[[1.0], [2.0]], use_resource=False)
    y = tf.matmul(x, w, name="output")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        frozen = graph_util.convert_variables_to_constants(sess, graph.as_graph_def(), ["output"])
with tf.gfile.GFile(os.path.join(folder, "frozen.pb"), "wb") as f:
    f.write(frozen.SerializeToString())
with gfile.Open(os.path.join(folder, "notes.txt"), "w") as f:
    f.write("first line\nsecond line\n")
print(sorted(tf.gfile.ListDirectory(folder)))
print([os.path.basename(p) for p in tf.gfile.Glob(os.path.join(folder, "*.txt"))])

graph_def = tf.GraphDef()
with gfile.FastGFile(os.path.join(folder, "frozen.pb"), "rb") as f:
    graph_def.ParseFromString(f.read())
with tf.Graph().as_default():
    (output,) = tf.import_graph_def(graph_def, return_elements=["output:0"], name="model")
    with tf.Session() as sess:
        print(sess.run(output, feed_dict={"model/input:0": [[10.0, 1.0]]}))
print(sorted(set(node.op for node in graph_def.node)))
with gfile.Open(os.path.join(folder, "notes.txt")) as f:
    print([line.strip() for line in f])
tf.gfile.DeleteRecursively(folder)
print(tf.gfile.IsDirectory(folder))
try:
    tf.gfile.Stat(folder)
except tf.errors.NotFoundError as e:
    print("NotFoundError", e.error_code)

"""Configuration and tracing by way of the inner modules and the protocol buffers."""

from tensorflow.core.framework import graph_pb2
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.client import session
from tensorflow.python.client import timeline
from tensorflow.python.framework import ops
from tensorflow.python.ops import math_ops
import json
import tensorflow as tf

tf.compat.v1.disable_v2_behavior()
with ops.Graph().as_default() as g:
    with ops.device("/cpu:0"):
        a = tf.compat.v1.placeholder(tf.float32, [1, 2], name="a")
        b = math_ops.matmul(a, a, transpose_b=True, name="b")

config = config_pb2.ConfigProto(
    allow_soft_placement=True, intra_op_parallelism_threads=1, inter_op_parallelism_threads=1
)
config.gpu_options.allow_growth = True
options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
metadata = config_pb2.RunMetadata()
with session.Session(config=config, graph=g) as sess:
    print(sess.run(b, {a: [[1.0, 2.0]]}, options=options, run_metadata=metadata))
    print([d.device_type for d in sess.list_devices()])
trace = json.loads(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format())
print(any(event.get("name", "").endswith("MatMul") for event in trace["traceEvents"]))
copy = graph_pb2.GraphDef()
copy.CopyFrom(g.as_graph_def())
print([(node.name, node.op, node.device) for node in copy.node])

"""``tf.Graph`` and ``tf.Operation``: look-ups, attributes, devices, GraphDefs, imports."""

from __future__ import annotations

import numpy as np

from ..case import Case, Script, case, error_case, error_cases
from ..inputs import normal


@case
def look_ups(tf):
    x = tf.constant([1.0, 2.0], name="x")
    y = tf.square(x, name="y")
    graph = tf.get_default_graph()
    return [
        graph.get_tensor_by_name("x:0") is x,
        graph.get_operation_by_name("y") is y.op,
        graph.as_graph_element("y").name,
        graph.as_graph_element("y:0") is y,
        [operation.name for operation in graph.get_operations()],
        graph.is_feedable(x),
        graph.is_fetchable(y),
        graph.finalized,
        graph.seed,
        len(graph.as_graph_def().node),
    ]


@case
def operations(tf):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.matmul(x, tf.ones([3, 2]), name="y")
    first, second = tf.split(y, 2, 1, name="parts")
    operation = y.op
    return [
        operation.type,
        operation.name,
        [tensor.name for tensor in operation.inputs],
        [tensor.name for tensor in operation.outputs],
        operation.get_attr("transpose_a"),
        operation.get_attr("T").name,
        [tensor.name for tensor in first.op.outputs],
        second.value_index,
        [consumer.name for consumer in y.consumers()],
        first.op is second.op,
        operation.device,
        str(x.op.get_attr("shape").dim[1].size),
        x.op.get_attr("dtype").name,
        operation.graph is tf.get_default_graph(),
    ]


@case
def text_of_tensors(tf):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    with tf.name_scope("scope"):
        y = tf.add(x, 1.0, name="y")
    return [
        str(x),
        repr(x),
        str(y),
        y.op.name,
        str(tf.placeholder(tf.int64)),
        repr(y.op),
        str(tf.float32),
        repr(tf.TensorShape([None, 2])),
        str(tf.TensorShape(None)),
    ]


@case
def graph_def_of_a_small_graph(tf):
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.constant([[1.0], [2.0]], name="w")
    with tf.control_dependencies([w]), tf.device("/cpu:0"):
        y = tf.matmul(x, w, transpose_b=False, name="y")
    tf.nn.relu(y, name="z")
    nodes = tf.get_default_graph().as_graph_def().node
    return [
        [node.name, node.op, list(node.input), node.device, sorted(node.attr)] for node in nodes
    ]


@case
def import_graph_def(tf):
    with tf.Graph().as_default() as source:
        x = tf.placeholder(tf.float32, [2], name="x")
        tf.add(x, tf.constant([1.0, 2.0], name="c"), name="y")
    definition = source.as_graph_def()
    (first,) = tf.import_graph_def(definition, return_elements=["y:0"])
    replaced, operation = tf.import_graph_def(
        definition, {"x": tf.constant([5.0, 5.0])}, ["y:0", "c"], name="again"
    )
    tf.import_graph_def(definition, name="")
    fetches = [
        replaced,
        first.name,
        operation.name,
        [item.name for item in tf.get_default_graph().get_operations()],
    ]
    return Case(fetches)


@case
def devices_and_colocation(tf):
    with tf.device("/cpu:0"):
        x = tf.constant(1)
        with tf.device("/job:worker/task:1"):
            y = tf.constant(2)
        with tf.device(None):
            z = tf.constant(3)
    with tf.device(lambda operation: "/device:CPU:1" if operation.type == "Const" else ""):
        chosen, other = tf.constant(4), tf.no_op()
    with tf.colocate_with(x):
        near = tf.constant(5)
    return [
        [item.device for item in (x, y, z, chosen, other, near)],
        [group.decode() for group in near.op.colocation_groups()],
        [group.decode() for group in x.op.colocation_groups()],
    ]


@case
def attributes_and_kernel_labels(tf):
    graph = tf.get_default_graph()
    x = tf.constant(1.0)
    with graph._attr_scope({"_note": tf.AttrValue(s=b"kept"), "_count": tf.AttrValue(i=3)}):
        y = tf.identity(x)
    with tf.control_dependencies([x]):
        z = tf.constant(2)
    return [
        y.op.get_attr("_note").decode(),
        y.op.get_attr("_count"),
        [c.name for c in z.op.control_inputs],
    ]


@case
def nested_graphs(tf):
    outer = tf.get_default_graph()
    with tf.Graph().as_default() as inner:
        x = tf.constant(1)
        with outer.as_default():
            y = tf.constant(2)
    return [x.graph is inner, y.graph is outer, y, len(inner.get_operations())]


@case
def sparse_tensors(tf):
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])
    other = tf.SparseTensor([[0, 1], [1, 1]], [10.0, 20.0], [3, 2])
    return {
        "dense": tf.sparse_tensor_to_dense(sparse),
        "default": tf.sparse_tensor_to_dense(sparse, -1.0),
        "to_dense": tf.sparse_to_dense([[0], [2]], [4], [5, 6], 1),
        "add": tf.sparse_add(sparse, other),
        "reorder": tf.sparse_reorder(tf.SparseTensor([[2, 0], [0, 1]], [2.0, 1.0], [3, 2])),
        "transpose": tf.sparse_transpose(sparse),
        "reshape": tf.sparse_reshape(sparse, [2, 3]),
        "concat": tf.sparse_concat(0, [sparse, other]),
        "slice": tf.sparse_slice(sparse, [0, 0], [2, 2]),
        "reduce": tf.sparse_reduce_sum(sparse, 1),
        "retain": tf.sparse_retain(sparse, [True, False]),
        "softmax": tf.sparse_softmax(sparse),
        "empty_rows": list(tf.sparse_fill_empty_rows(sparse, 0.5)[:1]),
        "shape": sparse.get_shape().as_list(),
        "times": sparse * tf.constant([[2.0, 3.0]]),
    }


@case
def dtypes(tf):
    names = "float16 float32 float64 bfloat16 int8 uint8 int32 int64 bool string complex64 resource"
    types = [tf.as_dtype(name) for name in names.split()]
    return [
        [dtype.name for dtype in types],
        [dtype.as_datatype_enum for dtype in types],
        [dtype.is_floating for dtype in types],
        [dtype.is_integer for dtype in types],
        [dtype.size for dtype in types],
        [str(dtype) for dtype in types],
        [tf.as_dtype(value).name for value in (np.float32, float, np.int64, bool, "float", 3)],
        [float(tf.float16.max), int(tf.int8.min), int(tf.uint16.max), float(tf.float32.max)],
        tf.float32 == "float32",
        tf.int32 != tf.int64,
        tf.float32.real_dtype.name,
        tf.complex64.real_dtype.name,
        tf.quint8.is_quantized,
    ]


@case
def device_specs(tf):
    spec = tf.DeviceSpec(job="worker", task=3, device_type="CPU", device_index=1)
    parsed = tf.DeviceSpec.from_string("/job:ps/replica:1/gpu:0")
    return [
        spec.to_string(),
        parsed.job,
        parsed.replica,
        parsed.task,
        parsed.device_type,
        parsed.device_index,
        tf.DeviceSpec().to_string(),
    ]


@case
def meta_graph_round_trip(tf):
    w = tf.Variable(normal(2), name="w")
    tf.add_to_collection("outputs", tf.multiply(w, 2.0, name="y"))
    meta = tf.train.export_meta_graph()

    def body(session):
        with tf.Graph().as_default(), tf.Session() as other:
            tf.train.import_meta_graph(meta)
            other.run(tf.global_variables_initializer())
            (output,) = tf.get_collection("outputs")
            names = [variable.name for variable in tf.trainable_variables()]
            return [other.run(output), output.name, names]

    return Script(body)


@case
def freeze_constants(tf):
    w = tf.Variable(normal(2), name="w")
    tf.multiply(w, 2.0, name="y")

    def body(session):
        session.run(tf.global_variables_initializer())
        frozen = tf.graph_util.convert_variables_to_constants(
            session, session.graph.as_graph_def(), ["y"]
        )
        with tf.Graph().as_default(), tf.Session() as other:
            (output,) = tf.import_graph_def(frozen, return_elements=["y:0"])
            return [other.run(output), sorted(node.op for node in frozen.node)]

    return Script(body)


@error_case
def tensor_does_not_exist(tf):
    tf.constant(1, name="x")
    return tf.get_default_graph().get_tensor_by_name("y:0")


@error_case
def output_does_not_exist(tf):
    tf.constant(1, name="x")
    return tf.get_default_graph().get_tensor_by_name("x:1")


@error_case
def import_unknown_operation(tf):
    definition = tf.GraphDef()
    definition.node.add(name="a", op="NoSuchOp")
    tf.import_graph_def(definition)


@error_case
def import_missing_input(tf):
    definition = tf.GraphDef()
    node = definition.node.add(name="a", op="Identity", input=["nothing"])
    node.attr["T"].type = tf.float32.as_datatype_enum
    tf.import_graph_def(definition)


@error_case
def import_mapped_input_unused(tf):
    tf.import_graph_def(tf.GraphDef(), {"x:0": tf.constant(1)})


@error_case
def unknown_device_at_run_time(tf):
    with tf.device("/job:nowhere/task:7/cpu:0"):
        return tf.constant(1.0) + 1.0


@error_case
def missing_gpu(tf):
    with tf.device("/device:GPU:7"):
        return tf.constant(1.0)


error_cases(
    operation_does_not_exist=lambda tf: tf.get_default_graph().get_operation_by_name("nothing"),
    name_is_an_operation=lambda tf: tf.get_default_graph().get_tensor_by_name(
        tf.constant(1, name="x").op.name
    ),
    name_is_a_tensor=lambda tf: tf.get_default_graph().get_operation_by_name(tf.constant(1).name),
    attribute_does_not_exist=lambda tf: tf.constant(1).op.get_attr("nothing"),
    bad_device=lambda tf: tf.device("/bad:device:spec:").__enter__() or tf.constant(1),
    unknown_dtype=lambda tf: tf.as_dtype("float99"),
    raw_operation_without_arguments=lambda tf: tf.raw_ops.Add(),
    raw_operation_positional=lambda tf: tf.raw_ops.Add(1, 2),
    raw_attribute_of_other_type=lambda tf: tf.raw_ops.MatMul(
        a=tf.zeros([1, 1]), b=tf.zeros([1, 1]), transpose_a="yes"
    ),
    sparse_shapes=lambda tf: tf.SparseTensor([[0, 1]], [1.0, 2.0], [3, 2]),
    dimension_of_unknown_shape=lambda tf: tf.placeholder(tf.float32).shape.as_list(),
    merge_of_other_shapes=lambda tf: tf.TensorShape([2]).merge_with([3]),
)

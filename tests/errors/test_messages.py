"""Wrong programs, and the whole message of each: op, node, line, received, expected, remedy.

A program is what its function does in a graph of its own. `{here}` stands for the line of the
program that made the node, and must lie inside the function.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import featherflow as tf
from featherflow.framework.op import define_op, unregister_op

Program = Callable[[], Any]
PROGRAMS: list[tuple[Program, type[Exception], str]] = []


def wrong(error: type[Exception], message: str) -> Callable[[Program], Program]:
    """Registers a program, the class of its error and its message."""

    def register(program: Program) -> Program:
        PROGRAMS.append((program, error, message))
        return program

    return register


def run(fetches: Any, feeds: Any = None, init: bool = False) -> Any:
    with tf.Session() as sess:
        if init:
            sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feeds)


@wrong(
    ValueError,
    "MatMul 'MatMul': Dimensions must be equal, but are 3 and 2. Received a (2, 3), b (2,"
    " 3). Created at {here}",
)
def matmul_inner():
    tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))


@wrong(
    ValueError,
    "Conv2D 'Conv2D': Depth of input (3) is not a multiple of input depth of filter (2). "
    "Received input (1, 5, 5, 3), filter (3, 3, 2, 4); expected filter [KH, KW, 3, K], or"
    " a divisor of 3 for groups. Created at {here}",
)
def conv_channels():
    tf.nn.conv2d(tf.ones([1, 5, 5, 3]), tf.ones([3, 3, 2, 4]), strides=1, padding="SAME")


@wrong(
    ValueError,
    "Conv2D 'Conv2D': Shape must be rank 4 but is rank 3. Received input of shape (5, 5, "
    "3); expected rank 4. Created at {here}",
)
def conv_rank():
    tf.nn.conv2d(tf.ones([5, 5, 3]), tf.ones([3, 3, 3, 4]), strides=1, padding="SAME")


@wrong(
    ValueError,
    "Conv2D: value 'HALF' for attr 'padding' is not in the list of allowed values: "
    "'SAME', 'VALID', 'EXPLICIT'.",
)
def conv_padding():
    tf.nn.conv2d(tf.ones([1, 5, 5, 3]), tf.ones([3, 3, 3, 4]), strides=1, padding="HALF")


@wrong(
    tf.errors.InvalidArgumentError,
    "Conv2D 'layer1': input depth must be evenly divisible by filter depth. Received 2 "
    "channels of input and 3 of filter. Created at {here}",
)
def conv_runtime():
    x = tf.placeholder(tf.float32)
    run(
        tf.nn.conv2d(x, tf.ones([3, 3, 3, 4]), strides=1, padding="SAME", name="layer1"),
        {x: np.ones((1, 5, 5, 2))},
    )


@wrong(
    TypeError,
    "Input 'y' of 'AddV2' Op has type int32 that does not match type float32 of argument "
    "'x'. Received <tf.Tensor 'Const:0' shape=(2,) dtype=int32>; cast it with tf.cast.",
)
def add_dtypes():
    tf.ones([2]) + tf.constant([1, 2])


@wrong(
    ValueError,
    "AddV2 'add': Dimensions must be equal, but are 2 and 3. Received x (2,), y (3,); "
    "expected shapes that broadcast: equal dimensions, or one of them 1. Created at "
    "{here}",
)
def add_shapes():
    tf.ones([2]) + tf.ones([3])


@wrong(
    tf.errors.InvalidArgumentError,
    "AddV2 'sum': Incompatible shapes. Received (2,) and (3,); expected shapes that "
    "broadcast: equal dimensions, or one of them 1. Created at {here}",
)
def add_runtime():
    x = tf.placeholder(tf.float32)
    run(tf.add(x, tf.ones([3]), name="sum"), {x: np.ones(2)})


@wrong(
    ValueError,
    "Reshape 'Reshape': Cannot reshape a tensor of shape (6,) to shape (4, 2) (8 "
    "elements). Received tensor (6,), shape (2,). Created at {here}",
)
def reshape_size():
    tf.reshape(tf.ones([6]), [4, 2])


@wrong(
    tf.errors.InvalidArgumentError,
    "Reshape 'Reshape': The numbers of elements differ. Received tensor of shape [6], "
    "shape [4, 2]. Created at {here}",
)
def reshape_runtime():
    x = tf.placeholder(tf.int32)
    run(tf.reshape(tf.ones([6]), x), {x: [4, 2]})


@wrong(
    ValueError,
    "ConcatV2 'concat': Shapes must be equal rank, but are 2 and 1. Received values[0] "
    "(2, 2), values[1] (2,), axis (). Created at {here}",
)
def concat_rank():
    tf.concat([tf.ones([2, 2]), tf.ones([2])], 0)


@wrong(
    ValueError,
    "ConcatV2 'concat': Dimensions must be equal, but are 2 and 3. Received values[0] (2,"
    " 2), values[1] (3, 3), axis (). Created at {here}",
)
def concat_dims():
    tf.concat([tf.ones([2, 2]), tf.ones([3, 3])], 0)


@wrong(
    tf.errors.InvalidArgumentError,
    "GatherV2 'rows': indices[0] = 5 is not in [0, 3). Created at {here}",
)
def gather_range():
    run(tf.gather(tf.ones([3]), [5], name="rows"))


@wrong(
    tf.errors.InvalidArgumentError,
    "ScatterUpdate 'ScatterUpdate': indices[0] = 7 is not in [0, 2). Created at {here}",
)
def scatter_range():
    v = tf.Variable([1.0, 2.0], name="v")
    run(tf.scatter_update(v, [7], [1.0]), init=True)


@wrong(
    tf.errors.InvalidArgumentError,
    "FloorDiv 'floordiv': Integer division by zero. Expected no zero in the divisor. "
    "Created at {here}",
)
def int_div():
    run(tf.constant([1, 2]) // tf.constant([0, 1]))


@wrong(
    tf.errors.InvalidArgumentError,
    "Placeholder 'images': You must feed a value for placeholder tensor 'images' with "
    "dtype float32 and shape (?, 3). Pass feed_dict={tensor: value} to Session.run. "
    "Created at {here}",
)
def not_fed():
    x = tf.placeholder(tf.float32, [None, 3], name="images")
    run(x * 2.0)


@wrong(
    ValueError,
    "Cannot feed value of shape (2, 4) for Tensor images:0, which has shape (?, 3)",
)
def feed_shape():
    x = tf.placeholder(tf.float32, [None, 3], name="images")
    run(x * 2.0, {x: np.ones((2, 4))})


@wrong(
    ValueError,
    "Cannot feed value of type list for Tensor 'ids:0' of type int32: invalid literal for"
    " int() with base 10: 'a'. Received ['a'].",
)
def feed_dtype():
    x = tf.placeholder(tf.int32, name="ids")
    run(x * 2, {x: ["a"]})


@wrong(
    TypeError,
    "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include "
    "Python scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, the"
    " tensor object was <tf.Tensor 'ones:0' shape=(2,) dtype=float32>, fed to 'images:0'.",
)
def feed_tensor():
    x = tf.placeholder(tf.float32, name="images")
    run(x * 2.0, {x: tf.ones([2])})


@wrong(
    TypeError,
    "Cannot interpret feed_dict key as Tensor: The name 'nope:0' refers to an operation "
    "'nope' not in the graph.",
)
def feed_key():
    run(tf.ones([1]), {"nope:0": 1})


@wrong(
    TypeError,
    "Cannot interpret feed_dict key as Tensor: Can not convert a Operation into a Tensor.",
)
def feed_op():
    x = tf.placeholder(tf.float32, name="images")
    run(x * 2.0, {x.op: 1.0})


@wrong(
    ValueError,
    "Argument `fetch` = ones:0 cannot be interpreted as a Tensor. (The name 'ones:0' "
    "refers to an operation 'ones' not in the graph. Names that end alike: a/ones.)",
)
def fetch_name():
    tf.ones([1], name="a/ones")
    run("ones:0")


@wrong(
    TypeError,
    'Argument `fetch` = None has invalid type "NoneType". Cannot be None',
)
def fetch_none():
    tf.ones([1])
    run(None)


@wrong(
    TypeError,
    'Argument `fetch` = 1 has invalid type "int" must be a string or Tensor. (Can not '
    "convert a int into a Tensor or Operation.)",
)
def fetch_int():
    tf.ones([1])
    run([1])


@wrong(
    ValueError,
    'Argument `fetch` = Tensor("ones:0", shape=(1,), dtype=float32) cannot be interpreted'
    " as a Tensor. (Tensor <tf.Tensor 'ones:0' shape=(1,) dtype=float32> is not an "
    "element of this graph.)",
)
def fetch_other_graph():
    t = tf.ones([1])
    with tf.Graph().as_default():
        tf.ones([1])
        run(t)


@wrong(
    tf.errors.FailedPreconditionError,
    "Identity 'weights/read': Attempting to use uninitialized value weights. Run its "
    "initializer first: sess.run(tf.global_variables_initializer()). Created at {here}",
)
def uninitialized():
    v = tf.Variable([1.0], name="weights")
    run(v + 1.0)


@wrong(
    tf.errors.FailedPreconditionError,
    "ReadVariableOp 'ReadVariableOp': Could not find variable weights. This could mean "
    "that the variable has been deleted, or that it is uninitialized. Run its initializer"
    " first: sess.run(tf.global_variables_initializer()). Created at {here}",
)
def uninitialized_resource():
    v = tf.Variable([1.0], name="weights", use_resource=True)
    run(v + 1.0)


@wrong(
    RuntimeError,
    "Attempted to use a closed Session.",
)
def closed():
    s = tf.Session()
    t = tf.ones([1])
    s.close()
    s.run(t)


@wrong(
    ValueError,
    "Assign 'Assign': Dimensions must be equal, but are 2 and 3. Received ref (2,), value"
    " (3,). Created at {here}",
)
def assign_shape():
    v = tf.Variable([1.0, 2.0], name="v")
    v.assign([1.0, 2.0, 3.0])


@wrong(
    tf.errors.OperatorNotAllowedInGraphError,
    "Using tensor 'Const:0' as a Python bool is not allowed: it has no value until it is "
    "run. Use `if t is not None:` to test that it exists, tf.cond or tf.logical_and to "
    "branch on its value.",
)
def bool_tensor():
    if tf.constant(True):
        pass


@wrong(
    tf.errors.OperatorNotAllowedInGraphError,
    "Iterating over symbolic tensor 'x:0' of shape (3,) is not allowed: it has no value "
    "until it is run. Use tf.unstack(…, num=…), tf.map_fn or tf.while_loop.",
)
def iterate():
    list(tf.placeholder(tf.float32, [3], name="x"))


@wrong(
    TypeError,
    "Expected string, but got 1 of type 'int'.",
)
def convert_mixed():
    tf.constant([1, "a"])


@wrong(
    ValueError,
    "Can't convert non-rectangular Python sequence to Tensor: [[1, 2], [3]]",
)
def ragged():
    tf.constant([[1, 2], [3]])


@wrong(
    TypeError,
    "Expected int32, but got 1.5 of type 'float'.",
)
def constant_type():
    tf.constant(1.5, dtype=tf.int32)


@wrong(
    ValueError,
    "AddV2 'Add': input <tf.Tensor 'a:0' shape=(1,) dtype=float32> is of another graph. "
    "Build both in one graph, or move the value with sess.run and tf.constant.",
)
def two_graphs():
    a = tf.ones([1], name="a")
    with tf.Graph().as_default():
        tf.add(tf.ones([1]), a)


@wrong(
    ValueError,
    "Variable w already exists, disallowed. Did you mean to set reuse=True or "
    "reuse=tf.AUTO_REUSE in VarScope? Originally defined at {here}",
)
def get_variable_twice():
    tf.get_variable("w", [1])
    tf.get_variable("w", [1])


@wrong(
    ValueError,
    "Variable s/w does not exist, or was not created with tf.get_variable(). Did you mean"
    " to set reuse=tf.AUTO_REUSE in VarScope?",
)
def get_variable_missing():
    with tf.variable_scope("s", reuse=True):
        tf.get_variable("w", [1])


@wrong(
    ValueError,
    "Cannot run eval() without a session: no default session is registered. Use `with "
    "sess.as_default():` or pass one, `eval(session=sess)`.",
)
def no_session():
    tf.ones([1]).eval()


@wrong(
    tf.errors.NotFoundError,
    "No session factory registered for the given session options: {target: "
    '"grpc://localhost:2222"}. Registered factories are {direct}. direct refused: it '
    'serves target "" only. Use target "" for a session in this process, or register a '
    "factory for the target before making the session.",
)
def target():
    tf.Session("grpc://localhost:2222")


@wrong(
    tf.errors.InvalidArgumentError,
    "Const 't': Cannot assign a device for operation t: {{node t}} was explicitly "
    "assigned to /device:GPU:0 but available devices are [ "
    "/job:localhost/replica:0/task:0/device:CPU:0 ]. Make sure the device specification "
    "refers to a valid device. Set allow_soft_placement=True in tf.ConfigProto to take "
    "what there is. Created at {here}",
)
def device():
    with tf.device("/gpu:0"):
        t = tf.ones([1], name="t") + 1.0
    run(t)


@wrong(
    ValueError,
    "Unknown attribute 'fpu' is encountered while parsing the device spec: '/fpu:0x'. "
    "Parts are job:NAME, replica:N, task:N, device:TYPE:N, cpu:N and gpu:N.",
)
def device_string():
    with tf.device("/fpu:0x"):
        tf.ones([1])


@wrong(
    TypeError,
    "MatMul: value passed has DataType bool for attr 'T', which is not in the list of "
    "allowed values: bfloat16, float16, float32, float64, int32, int64, uint8, uint16, "
    "uint32, uint64, complex64, complex128.",
)
def no_kernel():
    run(tf.raw_ops.MatMul(a=tf.constant([[True]]), b=tf.constant([[True]])))


@wrong(
    LookupError,
    "No gradient is defined for operation 'NoGrad' (op type: NoGrad). Register one with "
    "@tf.RegisterGradient('NoGrad'), or put a tf.stop_gradient behind the operation to "
    "treat it as a constant.",
)
def gradient_missing():
    op = define_op("NoGrad", inputs=("x: float",), outputs=("y: float",))
    op.shape_fn(lambda c: c.shapes[0])
    x = tf.ones([1])
    try:
        tf.gradients(op(x), [x])
    finally:
        unregister_op("NoGrad")


@wrong(
    RuntimeError,
    "Graph is finalized and cannot be modified.",
)
def finalized():
    g = tf.get_default_graph()
    g.finalize()
    tf.ones([1])


@wrong(
    tf.errors.NotFoundError,
    "Op type not registered 'FancyOp' (node 'a'), 'OtherOp' (node 'b'). Register an op "
    "with tf.register_op before the graph is imported, or cut its nodes off with "
    "tf.graph_util.extract_sub_graph.",
)
def import_unknown():
    gd = tf.GraphDef()
    gd.node.add(name="a", op="FancyOp")
    gd.node.add(name="b", op="OtherOp")
    tf.import_graph_def(gd, name="")


@wrong(
    ValueError,
    "Node 'a' (Identity): Unknown input node 'nope'",
)
def import_missing_input():
    gd = tf.GraphDef()
    n = gd.node.add(name="a", op="Identity")
    n.input.append("nope")
    n.attr["T"].type = 1
    tf.import_graph_def(gd, name="")


@wrong(
    tf.errors.InvalidArgumentError,
    "CheckNumerics 'check': loss went bad : Tensor had NaN values. Created at {here}",
)
def check_numerics():
    x = tf.placeholder(tf.float32, name="x")
    run(tf.check_numerics(tf.log(x), "loss went bad", name="check"), {x: [-1.0]})


@wrong(
    tf.errors.InvalidArgumentError,
    "Assert 'positive/AssertGuard/Assert': assertion failed: [x must be positive] [-1]. "
    "Created at {here}",
)
def assert_false():
    x = tf.placeholder(tf.float32, [], name="x")
    with tf.control_dependencies([tf.Assert(x > 0, ["x must be positive", x], name="positive")]):
        t = tf.identity(x)
    run(t, {x: -1.0})


@wrong(
    tf.errors.InvalidArgumentError,
    "SparseSoftmaxCrossEntropyWithLogits "
    "'SparseSoftmaxCrossEntropyWithLogits/SparseSoftmaxCrossEntropyWithLogits': Received "
    "a label value of 3 which is outside the valid range of [0, 3). Received labels [3]. "
    "Created at {here}",
)
def label_range():
    x = tf.placeholder(tf.int32, [None])
    run(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=x, logits=tf.ones([1, 3])), {x: [3]})


@wrong(
    TypeError,
    "Relu has no input or attr 'slope'; inputs: features; attrs: T.",
)
def attr_unknown():
    tf.raw_ops.Relu(features=tf.ones([1]), slope=1)


@wrong(
    TypeError,
    "MatMul: missing input 'b'.",
)
def input_missing():
    tf.raw_ops.MatMul(a=tf.ones([1, 1]))


@wrong(
    ValueError,
    "'my op' is not a valid node name: it must start with a letter, digit or '.', and go "
    "on with letters, digits and any of _ . \\ / > -",
)
def bad_name():
    tf.ones([1]) + 0
    tf.identity(tf.ones([1]), name="my op")


@wrong(
    tf.errors.UnknownError,
    "PyFunc 'callback': KeyError: 'lost'. Created at {here}",
)
def pyfunc_raises():

    def broken(x):
        raise KeyError("lost")

    run(tf.py_func(broken, [tf.ones([1])], tf.float32, name="callback"))


@wrong(
    ValueError,
    "StridedSlice 'strided_slice': slice index 5 of dimension 0 out of bounds. Received "
    "input (3,), begin (1,), end (1,), strides (1,). Created at {here}",
)
def strided_index():
    tf.ones([3])[5]


@wrong(
    ValueError,
    "Squeeze 'Squeeze': Can not squeeze dim[0], expected a dimension of 1, got 2. "
    "Received input of shape [2, 3]. Created at {here}",
)
def squeeze():
    tf.squeeze(tf.ones([2, 3]), [0])


@wrong(
    ValueError,
    "Sum 'Sum': Invalid reduction dimension 3 for input with 1 dimensions. Received input"
    " (2,), reduction_indices (). Created at {here}",
)
def axis():
    tf.reduce_sum(tf.ones([2]), axis=3)


@wrong(
    ValueError,
    "No gradients provided for any variable, check your graph for ops that do not support"
    " gradients, between variables [\"<tf.Variable 'Variable:0' shape=() "
    'dtype=float32_ref>"] and loss Tensor("add:0", shape=(), dtype=float32).',
)
def no_gradients():
    tf.Variable(1.0)
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0) + 0.0)


@wrong(
    ValueError,
    "Invalid type int32 for mul:0, expected: ['bfloat16', 'float16', 'float32', 'float64'].",
)
def optimizer_int():
    v = tf.Variable(1, name="count")
    tf.train.GradientDescentOptimizer(0.1).minimize(v * 2)


@wrong(
    ValueError,
    "Shapes (2, 3) and (3, 2) are not compatible",
)
def set_shape():
    tf.placeholder(tf.float32, [2, 3], name="x").set_shape([3, 2])


@wrong(
    AttributeError,
    "module 'featherflow' has no attribute 'placeholdr'. Did you mean placeholder, "
    "sparse_placeholder?",
)
def typo():
    return tf.placeholdr


@wrong(
    tf.errors.InvalidArgumentError,
    "Expected 1 values for feed_list, received 0",
)
def feed_too_few():
    x = tf.placeholder(tf.float32, [2], name="x")
    tf.Session().make_callable(x * 2.0, [x])()


@wrong(
    TypeError,
    "feed_dict must be a dictionary, received list: [1].",
)
def optional_feed_dict():
    run(tf.ones([1]), [1])


@wrong(
    ValueError,
    "Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received float32 "
    "from 'true_fn' and int32 from 'false_fn'.",
)
def cond_types():
    tf.cond(tf.placeholder(tf.bool, []), lambda: tf.ones([1]), lambda: tf.constant([1]))


@wrong(
    ValueError,
    "Input tensor 'ones:0' enters the loop with shape (1,), but has shape (2,) after one "
    "iteration. To allow the shape to vary across iterations, use the `shape_invariants` "
    "argument of tf.while_loop to specify a less-specific shape.",
)
def while_shape():
    tf.while_loop(lambda x: True, lambda x: tf.concat([x, x], 0), [tf.ones([1])])


@pytest.mark.parametrize(
    ("program", "error", "message"), PROGRAMS, ids=lambda value: getattr(value, "__name__", "")
)
def test_message(program: Program, error: type[Exception], message: str) -> None:
    with tf.Graph().as_default(), pytest.raises(error) as caught:
        program()
    text = str(caught.value)
    here = rf"{re.escape(__file__)}:(\d+)( in \w+\(\))?"
    first = program.__code__.co_firstlineno
    for line, _ in re.findall(here, text):
        assert first < int(line) < first + 20
    assert re.sub(here, "{here}", text) == message

"""Programs about sessions: placeholders, feeds and fetches of every form, initialisation."""

from __future__ import annotations

import collections

import numpy as np

from . import runs

Pair = collections.namedtuple("Pair", ["left", "right"])


def placeholder_forms(tf):
    """Placeholders of every kind of shape and dtype, and placeholders with defaults."""
    return {
        "shapes": [
            tf.placeholder(tf.float32),
            tf.placeholder(tf.float32, []),
            tf.placeholder(tf.float32, [None, 3], name="images"),
            tf.placeholder(tf.float32, shape=(2, 3), name="images"),
            tf.placeholder(tf.int32, tf.TensorShape([None])),
        ],
        "dtypes": [tf.placeholder(t) for t in ("float64", np.int64, tf.string, tf.bool, float)],
        "defaults": [
            tf.placeholder_with_default(3.0, []),
            tf.placeholder_with_default([[1, 2]], [None, 2], name="pairs"),
            tf.placeholder_with_default(tf.zeros([4]), None),
        ],
    }


@runs
def fetch_nests(tf):
    """Fetches as tensors, ops, names, lists, dicts, named tuples, and repeated."""
    a = tf.constant(1.0, name="a")
    b = tf.constant([2, 3], name="b")
    total = tf.add(a, 1.0, name="total")
    nothing = tf.no_op(name="nothing")

    def steps(session):
        return {
            "single": session.run(a),
            "list": session.run([a, b, a]),
            "tuple": session.run((a, (b, total))),
            "dict": session.run({"x": a, "y": [b, {"z": total}]}),
            "named": session.run(Pair(left=a, right=[b, total])),
            "names": session.run(["total:0", "b:0"]),
            "operation": session.run([nothing, a]),
            "empty": session.run([]),
        }

    return {"a": a, "nest": {"x": [b, total]}, "pair": Pair(a, nothing), "steps": steps}


@runs
def feed_forms(tf):
    """Feeds by tensor and by name, of lists, arrays and scalars; feeding what is computed."""
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    flag = tf.placeholder_with_default(False, [], name="flag")
    doubled = tf.multiply(x, 2.0, name="doubled")
    result = tf.where(flag, tf.reduce_sum(doubled), tf.reduce_max(doubled), name="result")

    def steps(session):
        rows = [[1.0, 2.0], [3.0, 4.0]]
        return {
            "list": session.run(result, {x: rows}),
            "array": session.run(result, feed_dict={x: np.array(rows), flag: True}),
            "name": session.run("result:0", {"x:0": rows, "flag:0": np.bool_(True)}),
            "middle": session.run(result, {doubled: [[9.0, 1.0]]}),
            "empty": session.run(doubled, {x: np.zeros([0, 2])}),
            "evaluated": doubled.eval({x: rows}, session=session),
        }

    return {"result": result, "steps": steps}


@runs
def initialization_order(tf):
    """Variables that depend on others, initialised in order, in parts, and by eval."""
    first = tf.Variable(tf.ones([2]), name="first")
    second = tf.Variable(first.initialized_value() * 3.0, name="second")
    third = tf.get_variable("third", initializer=second.initialized_value() + 1.0)
    local = tf.Variable(7, name="local", collections=["local_variables"], trainable=False)
    all_init = tf.global_variables_initializer()
    local_init = tf.local_variables_initializer()
    ready = [tf.is_variable_initialized(variable) for variable in (first, third)]

    def steps(session):
        before = session.run(ready)
        session.run(first.initializer)
        between = session.run(ready)
        session.run([all_init, local_init])
        values = session.run([first, second, third, local])
        return {"before": before, "between": between, "after": session.run(ready), "values": values}

    return {"init": [all_init, local_init], "ready": ready, "steps": steps}


def graphs_and_finding(tf):
    """Finding tensors, ops and collections by name, and graph-level facts."""
    graph = tf.get_default_graph()
    with tf.name_scope("scope"):
        x = tf.placeholder(tf.float32, [2], name="x")
        y = tf.nn.relu(x, name="y")
    element = graph.as_graph_element("scope/y")
    tensor = graph.as_graph_element("scope/x:0", allow_operation=False)
    names = [operation.name for operation in graph.get_operations()]
    consumers = [operation.name for operation in x.consumers()]
    facts = [y.op.inputs[0] is x, y.op.type, tensor is x, graph.is_feedable(x), y.value_index]
    graph.prevent_feeding(y)
    return {
        "element": element,
        "names": names,
        "consumers": consumers,
        "facts": [*facts, graph.is_feedable(y), graph.is_fetchable(y), element is y.op],
    }

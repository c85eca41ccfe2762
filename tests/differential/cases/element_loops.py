"""map_fn, foldl, foldr and scan: values, static shapes, nodes, gradients and refusals."""

from __future__ import annotations

from ..case import Case, case, error_cases
from ..inputs import integers, normal
from ..node_names import node_names

VALUES = normal(4, 2)


def _with_nodes(name, build):
    """A case of the tensors that `build` makes, and of the names of all nodes."""
    case(name)(lambda tf: [build(tf, tf.constant(VALUES)), node_names(tf)])


_with_nodes("map", lambda tf, x: tf.map_fn(lambda row: row * 2.0, x))
_with_nodes("map_name", lambda tf, x: tf.map_fn(lambda row: row * 2.0, x, name="rows"))
_with_nodes("map_to_bool", lambda tf, x: tf.map_fn(lambda r: tf.reduce_sum(r) > 0.0, x, tf.bool))
_with_nodes("map_pair", lambda tf, x: tf.map_fn(lambda p: p[0] * p[1], (x, x), tf.float32))
_with_nodes(
    "map_forms",
    lambda tf, x: tf.map_fn(
        lambda p: {"s": p["a"] - p["b"], "t": (p["a"], 1)},
        {"a": x, "b": x + 1.0},
        dtype={"s": tf.float32, "t": (tf.float32, tf.int32)},
    ),
)
_with_nodes(
    "map_options",
    lambda tf, x: tf.map_fn(
        lambda row: row + 1.0, x, parallel_iterations=3, back_prop=False, swap_memory=True
    ),
)
_with_nodes(
    "map_output_signature",
    lambda tf, x: tf.map_fn(lambda row: tf.to_int32(row), x, fn_output_signature=tf.int32),
)
_with_nodes("map_infer_nothing", lambda tf, x: tf.map_fn(lambda r: r, x, infer_shape=False))
_with_nodes("map_of_map", lambda tf, x: tf.map_fn(lambda row: tf.map_fn(lambda e: e * e, row), x))
_with_nodes("foldl", lambda tf, x: tf.foldl(lambda a, row: a * 0.5 + row, x))
_with_nodes("foldl_start", lambda tf, x: tf.foldl(lambda a, r: a * 0.5 + r, x, tf.ones([2])))
_with_nodes(
    "foldl_pair",
    lambda tf, x: tf.foldl(
        lambda a, row: (a[0] + row, a[1] - row), x, (tf.zeros([2]), tf.zeros([2]))
    ),
)
_with_nodes("foldr", lambda tf, x: tf.foldr(lambda a, row: a * 0.5 + row, x))
_with_nodes("foldr_start", lambda tf, x: tf.foldr(lambda a, r: a * 0.5 + r, x, tf.ones([2])))
_with_nodes("scan", lambda tf, x: tf.scan(lambda a, row: a + row, x))
_with_nodes("scan_start", lambda tf, x: tf.scan(lambda a, row: a * row, x, tf.ones([2])))
_with_nodes("scan_reverse", lambda tf, x: tf.scan(lambda a, row: a + row, x, reverse=True))
_with_nodes(
    "scan_reverse_start",
    lambda tf, x: tf.scan(lambda a, row: a + row, x, tf.ones([2]), reverse=True, infer_shape=False),
)
_with_nodes(
    "scan_forms",
    lambda tf, x: tf.scan(lambda a, row: (a[0] + row, tf.reduce_sum(row)), x, (tf.zeros([2]), 0.0)),
)
_with_nodes(
    "scan_pair_of_elements",
    lambda tf, x: tf.scan(
        lambda a, rows: a + rows[0] * rows[1],
        (x, x),
        initializer=tf.zeros([2]),
        parallel_iterations=2,
        swap_memory=True,
    ),
)


@case
def fed_sizes(tf):
    x = tf.placeholder(tf.float32, [None, 2])
    fetches = [
        tf.map_fn(lambda row: row + 1.0, x),
        tf.foldl(lambda a, row: a * 0.5 + row, x),
        tf.foldr(lambda a, row: a * 0.5 + row, x),
        tf.scan(lambda a, row: a * row, x),
        tf.scan(lambda a, row: a * row, x, reverse=True),
        tf.scan(lambda a, row: a * row, x, tf.ones([2]), reverse=True),
    ]
    return Case([fetches, node_names(tf)], {x: normal(3, 2)})


@case
def fed_without_elements(tf):
    x = tf.placeholder(tf.float32, [None, 2])
    fetches = [
        tf.map_fn(lambda row: row + 1.0, x),
        tf.foldl(lambda a, row: a + row, x, tf.ones([2])),
        tf.foldr(lambda a, row: a + row, x, tf.ones([2])),
    ]
    return Case(fetches, {x: normal(0, 2)})


@case
def variables_are_read_locally(tf):
    def scaled(row):
        return row * tf.get_variable("factor", [2], initializer=tf.ones_initializer())

    with tf.variable_scope("scope", reuse=tf.AUTO_REUSE):
        fetches = [
            tf.map_fn(scaled, tf.constant(VALUES)),
            tf.foldl(lambda a, row: a + scaled(row), tf.constant(VALUES)),
            tf.scan(lambda a, row: a + scaled(row), tf.constant(VALUES)),
        ]
        caching = tf.get_variable_scope().caching_device
    graph = tf.get_default_graph()
    read = graph.get_operation_by_name("scope/factor/read")
    names = [name for name in read.node_def.attr if name == "_class"]
    return Case([fetches, names, caching], setup=[tf.global_variables_initializer()])


@case
def gradients(tf):
    x, start = tf.constant(VALUES), tf.constant(normal(2, seed=1))
    results = [
        tf.map_fn(lambda row: row * row, x),
        tf.foldl(lambda a, row: a * row, x, start),
        tf.foldr(lambda a, row: tf.tanh(a + row), x),
        tf.scan(lambda a, row: a * row + row, x, start),
        tf.scan(lambda a, row: a * row, x, reverse=True),
    ]
    weights = tf.constant(normal(4, 2, seed=2))
    return [
        tf.gradients(result, x, weights if result.shape.rank == 2 else weights[0])
        for result in results
    ]


@case
def integers_and_strings(tf):
    numbers = tf.constant(integers(0, 9, [4]))
    words = tf.constant(["a", "bc", "d"])
    return [
        tf.map_fn(lambda n: n + 1, numbers),
        tf.scan(lambda a, n: a * 2 + n, numbers),
        tf.foldr(lambda a, n: a * 2 + n, numbers, 0),
        tf.map_fn(lambda w: w, words),
    ]


error_cases(
    map_of_scalar=lambda tf: tf.map_fn(lambda x: x, tf.constant(1.0)),
    map_of_nothing=lambda tf: tf.map_fn(lambda x: x, ()),
    map_of_different_lengths=lambda tf: tf.map_fn(
        lambda p: p[0], (tf.zeros([2]), tf.zeros([3])), dtype=tf.float32
    ),
    map_to_another_form=lambda tf: tf.map_fn(lambda x: (x, x), tf.constant(VALUES)),
    map_to_another_dtype=lambda tf: tf.map_fn(lambda x: tf.to_int32(x), tf.constant(VALUES)),
    map_of_different_shapes=lambda tf: tf.map_fn(
        lambda n: tf.zeros([n]), tf.constant([1, 2]), tf.float32
    ),
    fold_to_another_form=lambda tf: tf.foldl(lambda a, x: (a, x), tf.constant(VALUES)),
    fold_to_another_shape=lambda tf: tf.foldl(
        lambda a, x: tf.concat([a, x], 0), tf.constant(VALUES)
    ),
    scan_to_another_form=lambda tf: tf.scan(lambda a, x: (a, x), tf.constant(VALUES)),
    scan_to_another_dtype=lambda tf: tf.scan(lambda a, x: tf.to_int32(a), tf.constant(VALUES)),
)

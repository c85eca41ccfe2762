"""Programs about name scopes: nesting, re-entry, default names, uniqueness of names."""

from __future__ import annotations


def nested_scopes(tf):
    """Scopes nest, and ops of the same kind are numbered within each scope."""
    with tf.name_scope("model"):
        image = tf.placeholder(tf.float32, [None, 4], name="image")
        with tf.name_scope("preprocess"):
            scaled = image / 255.0
            centred = scaled - 0.5
        with tf.name_scope("features"):
            first = tf.nn.relu(centred)
            second = tf.nn.relu(centred + 1.0)
            both = tf.concat([first, second], axis=1)
    return {"image": image, "both": both}


def repeated_scopes(tf):
    """A scope opened twice by name gets a suffix; one re-entered by its value does not."""
    with tf.name_scope("block") as block:
        left = tf.constant(1.0, name="value")
    with tf.name_scope("block"):
        right = tf.constant(2.0, name="value")
    with tf.name_scope(block):
        third = tf.constant(3.0, name="value")
        fourth = tf.constant(4.0, name="value")
    with tf.name_scope("block_1/"):
        fifth = tf.add(left, right, name="total")
    return {"points": [left, right, third, fourth, fifth], "scope": block}


def scope_reset_to_root(tf):
    """`name_scope(None)` and `name_scope("")` leave every scope for a while."""
    with tf.name_scope("outer"):
        inside = tf.zeros([2])
        with tf.name_scope(None):
            at_root = tf.zeros([2])
        with tf.name_scope(""):
            also_root = tf.ones([2])
        again_inside = tf.zeros([2])
    return {"points": [inside, at_root, also_root, again_inside]}


def default_names(tf):
    """A library function: `name` from the caller, a default name, and tensors as `values`."""

    def squash(tensor, name=None):
        with tf.name_scope(name, "squash", [tensor]) as scope:
            tensor = tf.convert_to_tensor(tensor, name="input")
            return tf.divide(tensor, 1.0 + tf.abs(tensor), name=scope)

    first = squash([1.0, -2.0])
    second = squash(first)
    third = squash(second, name="final_squash")
    with tf.name_scope("tower"):
        fourth = squash(third)
        fifth = squash(fourth)
    return {"points": [first, second, third, fourth, fifth]}


def op_names_collide(tf):
    """Explicit names that are taken get suffixes, also when case alone differs."""
    first = tf.constant(1, name="value")
    second = tf.constant(2, name="value")
    third = tf.constant(3, name="Value")
    fourth = tf.constant(4, name="value_1")
    fifth = tf.add_n([first, second, third, fourth], name="value")
    sixth = tf.identity(fifth, name="value_1")
    return {"points": [first, second, third, fourth, fifth, sixth]}


def unique_names(tf):
    """`Graph.unique_name` takes names, and only looks at them with `mark_as_used=False`."""
    graph = tf.get_default_graph()
    looked_at = graph.unique_name("layer", mark_as_used=False)
    taken = graph.unique_name("layer")
    with tf.name_scope("layer"):
        tensor = tf.constant(1.0)
    with graph.name_scope("layer") as scope:
        other = tf.constant(2.0, name="inner")
        inner = graph.unique_name("inner")
    return {
        "points": [tensor, other],
        "names": [looked_at, taken, scope, inner, graph.get_name_scope()],
    }


def imported_twice(tf):
    """A function that builds a sub-network is called three times under one scope name."""

    def network(inputs):
        with tf.name_scope("network"):
            hidden = tf.tanh(tf.matmul(inputs, tf.ones([3, 2]), name="projection"))
            return tf.reduce_sum(hidden, axis=-1, name="score")

    inputs = tf.placeholder_with_default(tf.ones([1, 3]), shape=[None, 3], name="inputs")
    scores = [network(inputs * factor) for factor in (1.0, 2.0, 3.0)]
    ensemble = tf.add_n(scores, name="ensemble")
    found = tf.get_default_graph().get_tensor_by_name("network_1/score:0")
    producer = tf.get_default_graph().get_operation_by_name("network_2/projection")
    return {"scores": scores, "ensemble": ensemble, "found": found, "producer": producer}

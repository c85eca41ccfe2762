"""Programs about variable scopes: get_variable, reuse, defaults of the scope, uniqueness."""

from __future__ import annotations


def shared_weights(tf):
    """Two branches share one layer by `reuse=True`."""

    def layer(inputs, reuse):
        with tf.variable_scope("shared", reuse=reuse):
            weights = tf.get_variable("weights", [3, 2], initializer=tf.ones_initializer())
            bias = tf.get_variable("bias", [2], initializer=tf.zeros_initializer())
            return tf.matmul(inputs, weights) + bias

    left = layer(tf.ones([1, 3]), reuse=False)
    right = layer(tf.zeros([1, 3]), reuse=True)
    return {"left": left, "right": right}


def auto_reuse(tf):
    """`AUTO_REUSE` creates a variable the first time and finds it afterwards."""

    def embed(inputs):
        with tf.variable_scope("embed", reuse=tf.AUTO_REUSE):
            table = tf.get_variable("table", [5, 2], initializer=tf.zeros_initializer())
            with tf.variable_scope("inner"):
                gain = tf.get_variable("gain", [], initializer=tf.ones_initializer())
        return tf.nn.embedding_lookup(table, inputs) * gain

    first = embed([0, 1])
    second = embed([4])
    return {"first": first, "second": second, "same": [v.name for v in tf.global_variables()]}


def reuse_variables_in_scope(tf):
    """`scope.reuse_variables()` turns the rest of a scope into reuse."""
    with tf.variable_scope("tower") as scope:
        first = tf.get_variable("gain", [2], initializer=tf.ones_initializer())
        scope.reuse_variables()
        second = tf.get_variable("gain", [2])
        total = tf.add(first, second, name="total")
    with tf.variable_scope(scope):
        third = tf.get_variable("gain")
        product = third * total
    facts = [first is second, second is third, scope.name, scope.original_name_scope, scope.reuse]
    return {"points": [total, product], "facts": facts}


def scope_defaults(tf):
    """Initializer, regularizer, dtype and trainability come from the scope where not given."""
    with tf.variable_scope(
        "network",
        initializer=tf.constant_initializer(0.25),
        regularizer=lambda weights: 0.01 * tf.nn.l2_loss(weights, name="penalty"),
    ):
        kernel = tf.get_variable("kernel", [2, 2])
        with tf.variable_scope("head", initializer=tf.zeros_initializer()):
            bias = tf.get_variable("bias", [2], regularizer=None)
            scale = tf.get_variable("scale", [2], initializer=tf.ones_initializer())
        with tf.variable_scope("wide", dtype=tf.float64):
            wide = tf.get_variable("wide", [3])
        frozen = tf.get_variable("frozen", [2], trainable=False)
    penalties = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    total = tf.add_n([tf.cast(penalty, tf.float32) for penalty in penalties])
    return {"variables": [kernel, bias, scale, wide, frozen], "penalty": total}


def default_names_uniquified(tf):
    """`default_name` gives each call its own scope; a given name does not."""

    def dense(inputs, units, name=None):
        with tf.variable_scope(name, default_name="dense", values=[inputs]):
            kernel = tf.get_variable(
                "kernel", [inputs.shape[-1], units], initializer=tf.zeros_initializer()
            )
            return tf.matmul(inputs, kernel)

    hidden = tf.ones([2, 4])
    for units in (3, 3, 2):
        hidden = dense(hidden, units)
    named = dense(hidden, 5, name="logits")
    with tf.variable_scope("decoder"):
        inner = dense(named, 2)
        inner = dense(inner, 2)
    return {"named": named, "inner": inner}


def mixed_with_name_scopes(tf):
    """Name scopes name ops but not variables of get_variable; Variable follows them."""
    with tf.name_scope("outer"):
        with tf.variable_scope("vars"):
            got = tf.get_variable("got", [2], initializer=tf.zeros_initializer())
            made = tf.Variable(tf.ones([2]), name="made")
            with tf.name_scope("inner"):
                deep = tf.get_variable("deep", initializer=[1.0, 2.0])
                total = tf.add_n([got, made, deep], name="total")
        with tf.variable_scope("vars", reuse=True):
            again = tf.get_variable("got") * 2.0
    return {"total": total, "again": again}


def scope_objects(tf):
    """Scopes are passed as objects, re-entered elsewhere, and without a new name scope."""
    with tf.variable_scope("first") as first:
        tf.get_variable("a", [1], initializer=tf.zeros_initializer())
    with tf.variable_scope("second"):
        with tf.variable_scope(first):
            inside = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
            moved = inside + 1.0
        back = tf.get_variable("c", [1], initializer=tf.zeros_initializer())
    again = tf.variable_scope(first, auxiliary_name_scope=False)
    with again, tf.name_scope(first.original_name_scope):
        final = tf.multiply(moved, back, name="final")
    with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
        root = tf.get_variable("root", [1], initializer=tf.ones_initializer())
    return {"points": [moved, final, root.initializer], "names": [first.name, inside.name]}


def custom_getters(tf):
    """A custom getter wraps get_variable; getters of nested scopes compose."""

    def scaled(getter, name, *args, **kwargs):
        return tf.multiply(getter(name, *args, **kwargs), 0.5, name=name.split("/")[-1] + "_half")

    def prefixed(getter, name, *args, **kwargs):
        return getter(name + "_raw", *args, **kwargs)

    with tf.variable_scope("plain", custom_getter=prefixed):
        plain = tf.get_variable("kernel", [2], initializer=tf.ones_initializer())
        with tf.variable_scope("halved", custom_getter=scaled):
            halved = tf.get_variable("kernel", [2], initializer=tf.ones_initializer())
    return {"plain": plain, "halved": halved}


def partitioned_variables(tf):
    """A partitioner splits variables; conversion to a tensor concatenates the slices."""
    with tf.variable_scope("big", partitioner=tf.fixed_size_partitioner(3, axis=0)):
        table = tf.get_variable("table", [7, 2], initializer=tf.ones_initializer())
    sums = tf.reduce_sum(tf.convert_to_tensor(table), axis=0)
    with tf.variable_scope("big", reuse=True, partitioner=tf.fixed_size_partitioner(3)):
        again = tf.identity(tf.get_variable("table", [7, 2]))
    columns = tf.get_variable(
        "columns",
        [2, 4],
        partitioner=tf.fixed_size_partitioner(2, axis=1),
        initializer=tf.zeros_initializer(),
    )
    slices = [piece.name for piece in list(table) + list(columns)]
    return {"sums": sums, "again": again, "slices": slices, "shape": table.get_shape()}


def initial_values_and_shapes(tf):
    """Initial values given as tensors, arrays or functions, and shapes left to them."""
    from_list = tf.get_variable("from_list", initializer=[[1, 2], [3, 4]])
    from_tensor = tf.get_variable("from_tensor", initializer=tf.fill([2, 2], 0.5))
    from_function = tf.Variable(lambda: tf.ones([3]) * 2.0, name="from_function")
    unchecked = tf.Variable([1.0, 2.0], validate_shape=False, name="unchecked")
    converted = tf.Variable(3, dtype=tf.float32, name="converted", trainable=False)
    dependent = tf.Variable(from_tensor.initialized_value() * 2.0, name="dependent")
    resized = tf.assign(unchecked, [1.0, 2.0, 3.0], validate_shape=False)
    return {
        "variables": [from_list, from_tensor, from_function, unchecked, converted, dependent],
        "resized": resized,
        "shapes": [unchecked.shape, resized.shape],
    }

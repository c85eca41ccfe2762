"""``get_variable``, variable and name scopes, collections, and the names they give."""

from __future__ import annotations

from ..case import Case, case, error_case, error_cases


@case
def names_of_scopes(tf):
    with tf.variable_scope("outer"):
        first = tf.get_variable("w", [2])
        with tf.variable_scope("inner"):
            second = tf.get_variable("w", [2])
            tensor = tf.constant(1.0, name="c")
    with tf.name_scope("outer"):
        third = tf.get_variable("w", [2])
        plain = tf.Variable(1.0, name="v")
        other = tf.constant(1.0, name="c")
    return [item.name for item in (first, second, tensor, third, plain, other)]


@case
def reuse_returns_the_same_variable(tf):
    with tf.variable_scope("s"):
        first = tf.get_variable("w", [2, 3])
    with tf.variable_scope("s", reuse=True):
        second = tf.get_variable("w", [2, 3])
    with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
        third = tf.get_variable("w")
        fourth = tf.get_variable("b", [1])
    with tf.variable_scope("s") as scope:
        scope.reuse_variables()
        fifth = tf.get_variable("w")
    return [
        first is second,
        first is third,
        fourth.name,
        fifth is first,
        len(tf.global_variables()),
    ]


@case
def default_names_are_made_unique(tf):
    names = []
    for _ in range(3):
        with tf.variable_scope(None, default_name="layer"):
            names.append(tf.get_variable("w", [1]).name)
    with tf.variable_scope("layer") as scope:
        names += [scope.name, scope.original_name_scope, tf.constant(1).name]
    with tf.variable_scope(scope):
        names += [tf.get_variable("other", [1]).name, tf.constant(1).name]
    with tf.variable_scope(scope, auxiliary_name_scope=False):
        names.append(tf.constant(1).name)
    return names


@case
def initializers_of_a_scope(tf):
    with tf.variable_scope("s", initializer=tf.constant_initializer(3.0)):
        inherited = tf.get_variable("a", [2])
        own = tf.get_variable("b", [2], initializer=tf.ones_initializer())
        with tf.variable_scope("t", initializer=tf.zeros_initializer()):
            inner = tf.get_variable("c", [2])
    given = tf.get_variable("d", initializer=[1, 2, 3])
    return Case([inherited, own, inner, given], setup=[tf.global_variables_initializer()])


@case
def constant_initializers(tf):
    make = tf.get_variable
    variables = [
        make("zeros", [2], initializer=tf.zeros_initializer()),
        make("ones", [2], tf.int32, initializer=tf.ones_initializer()),
        make("constant", [2, 2], initializer=tf.constant_initializer([1.0, 2.0, 3.0, 4.0])),
        make("scalar", [], initializer=tf.constant_initializer(5.0)),
        make("eye", [2, 3], initializer=tf.initializers.identity(2.0)),
        make("class", [2], initializer=tf.ones_initializer),
        make("default_int", [2], tf.int32),
        make("default_bool", [1], tf.bool),
    ]
    return Case(variables, setup=[tf.global_variables_initializer()])


@case
def collections(tf):
    tf.get_variable("a", [1])
    tf.get_variable("b", [1], trainable=False)
    tf.get_variable("c", [1], collections=[tf.GraphKeys.LOCAL_VARIABLES])
    tf.Variable(1, collections=["mine"])
    tf.add_to_collection("things", 3)
    tf.add_to_collections(["things", "more"], 4)
    tf.get_local_variable("d", [1])
    with tf.variable_scope("e"):
        tf.get_variable("f", [1], regularizer=lambda w: tf.reduce_sum(w, name="penalty"))

    def names(variables):
        return [variable.name for variable in variables]

    return {
        "global": names(tf.global_variables()),
        "trainable": names(tf.trainable_variables()),
        "local": names(tf.local_variables()),
        "scoped": names(tf.trainable_variables("e")),
        "mine": names(tf.get_collection("mine")),
        "things": tf.get_collection("things"),
        "regularization": names(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)),
        "losses": names(tf.losses.get_regularization_losses()),
        "keys": sorted(str(key) for key in tf.get_default_graph().get_all_collection_keys()),
        "none": tf.get_collection("nothing"),
    }


@case
def custom_getter_and_regularizer(tf):
    def doubled(getter, *args, **kwargs):
        return getter(*args, **kwargs) * 2.0

    with tf.variable_scope("s", custom_getter=doubled):
        value = tf.get_variable("w", [2], initializer=tf.ones_initializer())
    with tf.variable_scope("r", regularizer=lambda w: 0.5 * tf.reduce_sum(tf.square(w))):
        tf.get_variable("w", [2], initializer=tf.constant_initializer(3.0))
    penalty = tf.losses.get_regularization_loss()
    return Case([value, penalty], setup=[tf.global_variables_initializer()])


@case
def use_resource_of_a_scope(tf):
    with tf.variable_scope("s", use_resource=True):
        first = tf.get_variable("w", [2])
    second = tf.get_variable("w", [2])
    return [first.op.type, second.op.type, first.dtype.name, second.dtype.name]


@case
def constraint_dtype_and_partial_shapes(tf):
    with tf.variable_scope("s", dtype=tf.float64):
        first = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
    second = tf.get_variable(
        "v", initializer=tf.constant([[1.0, 2.0]]), validate_shape=False, use_resource=False
    )
    return [first.dtype.base_dtype.name, second.shape.ndims]


@case
def name_scopes_and_unique_names(tf):
    names = [tf.constant(1, name="x").name for _ in range(3)]
    with tf.name_scope("a") as scope:
        names += [scope, tf.constant(1, name="x").name]
    with tf.name_scope("a") as scope:
        names += [scope, tf.constant(1, name="x").name]
    with tf.name_scope("a/"):
        names.append(tf.constant(1, name="x").name)
    with tf.name_scope(None):
        names.append(tf.constant(1, name="x").name)
    with tf.name_scope("b"), tf.name_scope("c"), tf.name_scope(""):
        names.append(tf.constant(1, name="top").name)
    with tf.name_scope(None, "default", [1]) as scope:
        names += [scope, tf.get_default_graph().unique_name("x")]
    with tf.get_default_graph().name_scope("d"):
        names.append(tf.add(1, 2).name)
    names.append(tf.constant(1, name="absolute/").name)
    return names


@case
def default_names_of_operations(tf):
    x, y = tf.placeholder(tf.float32, [2, 2]), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    tensors = [x, y, x + y, x - y, x * y, x / y, x @ y, -x, x[0], x > y, tf.reduce_sum(x)]
    tensors += [
        tf.nn.relu(x),
        tf.nn.softmax(x),
        tf.reshape(x, [4]),
        tf.transpose(x),
        tf.cast(x, tf.int32),
    ]
    tensors += [
        tf.concat([x, y], 0),
        tf.stack([x, y]),
        tf.zeros([2]),
        tf.argmax(x, 1),
        tf.identity(x),
    ]
    tensors += [*tf.split(x, 2), tf.expand_dims(x, 0), tf.where(x > y, x, y), tf.one_hot([1], 2)]
    tensors += [tf.reduce_mean(x), tf.square(x), tf.shape(x), tf.tile(x, [1, 2]), tf.gather(x, [0])]
    return {
        "tensors": [tensor.name for tensor in tensors],
        "graph": [operation.name for operation in tf.get_default_graph().get_operations()],
    }


@case
def template_shares_variables(tf):
    def layer(x):
        return x * tf.get_variable("w", [], initializer=tf.constant_initializer(3.0))

    shared = tf.make_template("layer", layer)
    fetches = [shared(tf.constant(1.0)), shared(tf.constant(2.0)), len(tf.global_variables())]
    return Case(fetches, setup=[tf.global_variables_initializer()])


@error_case
def variable_exists_already(tf):
    tf.get_variable("w", [2])
    return tf.get_variable("w", [2])


@error_case
def reused_variable_has_another_shape(tf):
    tf.get_variable("w", [2])
    with tf.variable_scope("", reuse=True):
        return tf.get_variable("w", [3])


@error_case
def reused_variable_has_another_dtype(tf):
    tf.get_variable("w", [2])
    with tf.variable_scope("", reuse=True):
        return tf.get_variable("w", [2], tf.int32)


@error_case
def reused_variable_does_not_exist(tf):
    with tf.variable_scope("s", reuse=True):
        return tf.get_variable("w", [2])


error_cases(
    shape_missing=lambda tf: tf.get_variable("w"),
    shape_and_constant=lambda tf: tf.get_variable("w", [2], initializer=tf.constant([1.0])),
    bad_name=lambda tf: tf.constant(1, name="a b"),
    bad_scope_name=lambda tf: tf.name_scope("a b").__enter__(),
    slash_in_scope_of_none=lambda tf: tf.variable_scope(None).__enter__(),
    shape_not_known=lambda tf: tf.get_variable("w", [None, 2]),
    string_without_initializer=lambda tf: tf.get_variable("w", [1], tf.string),
)

"""tf.layers: values from seeded weights, names of variables and nodes, losses, updates, refusals.

TensorFlow offers these layers where the package tf_keras is installed and the environment has
TF_USE_LEGACY_KERAS=1.
"""

from __future__ import annotations

from ..case import Case, Script, case, error_cases
from ..inputs import normal
from ..node_names import node_names

COLLECTIONS = ("trainable_variables", "variables", "regularization_losses", "update_ops")


def _collections(tf):
    return {key: [item.name for item in tf.get_collection(key)] for key in COLLECTIONS}


def _case(name, build, nodes=True):
    """A case of what `build` returns, of what is in collections, and of the nodes."""

    @case(name)
    def program(tf):
        tf.set_random_seed(5)
        fetches = [build(tf), _collections(tf)]
        if nodes:
            fetches.append(node_names(tf))
        return Case(fetches, setup=[tf.global_variables_initializer()])


def _x(tf, *shape, dtype="float32"):
    return tf.constant(normal(*shape, dtype=dtype))


def _square(tf):
    return lambda value: tf.reduce_sum(tf.square(value))


# --- dense ----------------------------------------------------------------------------------------

_case(
    "dense",
    lambda tf: [
        tf.layers.dense(_x(tf, 2, 3), 4, activation=tf.nn.relu),
        tf.layers.dense(_x(tf, 2, 3), 5, name="named", use_bias=False),
        tf.layers.dense(_x(tf, 2, 3), 2),
    ],
)
_case(
    "dense_of_more_dimensions",
    lambda tf: [
        tf.layers.dense(_x(tf, 2, 5, 3), 4),
        tf.layers.dense(tf.placeholder_with_default(normal(2, 5, 3), [None, None, 3]), 4),
        tf.layers.dense(tf.placeholder_with_default(normal(2, 5, 3), [None, 5, 3]), 4),
    ],
)
_case("dense_float64", lambda tf: tf.layers.dense(_x(tf, 2, 3, dtype="float64"), 4))
_case("dense_float16", lambda tf: tf.layers.dense(_x(tf, 2, 3, dtype="float16"), 4))
_case("dense_of_an_array", lambda tf: tf.layers.dense(normal(2, 3), 4))
_case(
    "dense_initializers",
    lambda tf: tf.layers.dense(
        _x(tf, 2, 3),
        4,
        tf.nn.tanh,
        kernel_initializer=tf.truncated_normal_initializer(stddev=0.1, seed=1),
        bias_initializer=tf.constant_initializer(0.3),
        kernel_constraint=lambda w: w * 2.0,
        trainable=False,
    ),
)
_case(
    "dense_regularizers",
    lambda tf: (
        [
            tf.layers.dense(
                _x(tf, 2, 3),
                4,
                kernel_regularizer=_square(tf),
                bias_regularizer=_square(tf),
                activity_regularizer=_square(tf),
                name=name,
                reuse=reuse,
            )
            for name, reuse in (("a", None), ("a", True), (None, None))
        ]
        + [tf.losses.get_regularization_loss() if hasattr(tf, "losses") else None]
    ),
)


def _in_scopes(tf):
    x = _x(tf, 2, 3)
    with tf.variable_scope("s"):
        first = tf.layers.dense(x, 4, name="n")
    with tf.variable_scope("s", reuse=True):
        second = tf.layers.dense(x, 4, name="n")
    with tf.name_scope("outer"), tf.variable_scope("t", initializer=tf.ones_initializer()):
        third, fourth = tf.layers.dense(x, 4), tf.layers.dense(x, 4)
    with tf.variable_scope("u", reuse=tf.AUTO_REUSE):
        fifth = tf.layers.dense(x, 4, name="n")
        sixth = tf.layers.dense(x, 4, name="n")
    with tf.variable_scope("v", regularizer=_square(tf)):
        seventh = tf.layers.dense(x, 4)
    return [first, second, third, fourth, fifth, sixth, seventh]


_case("dense_in_scopes", _in_scopes)


def _applied_twice(tf):
    layer = tf.layers.Dense(4)
    results = [layer(_x(tf, 2, 3)), layer(_x(tf, 1, 3)), layer.apply(_x(tf, 4, 3))]
    facts = [layer.scope_name, layer.built, layer.dtype, layer.count_params()]
    names = [v.name for v in layer.trainable_variables + layer.variables + layer.weights]
    return [results, facts, names, layer.units, layer.use_bias]


_case("dense_applied_twice", _applied_twice)


def _dense_gradients(tf):
    x = _x(tf, 2, 3)
    hidden = tf.layers.dense(x, 4, activation=tf.nn.sigmoid)
    loss = tf.reduce_sum(tf.square(tf.layers.dense(hidden, 2)))
    return tf.gradients(loss, [x, *tf.trainable_variables()])


_case("dense_gradients", _dense_gradients, nodes=False)

# --- convolutions ---------------------------------------------------------------------------------

IMAGE = (2, 6, 5, 3)
_case("conv1d", lambda tf: tf.layers.conv1d(_x(tf, 2, 8, 3), 4, 3))
_case(
    "conv1d_options",
    lambda tf: [
        tf.layers.conv1d(_x(tf, 2, 8, 3), 4, 3, strides=2, padding="same", activation=tf.nn.relu),
        tf.layers.conv1d(_x(tf, 2, 8, 3), 4, 3, dilation_rate=2),
    ],
)
_case("conv2d", lambda tf: tf.layers.conv2d(_x(tf, *IMAGE), 4, 3, activation=tf.nn.relu))
_case(
    "conv2d_options",
    lambda tf: [
        tf.layers.conv2d(_x(tf, *IMAGE), 4, [3, 2], 2, "SAME", name="named", use_bias=False),
        tf.layers.conv2d(_x(tf, *IMAGE), 4, (1, 2), (2, 1), "valid"),
        tf.layers.conv2d(_x(tf, *IMAGE), 4, 3, dilation_rate=2, padding="same"),
    ],
)
_case(
    "conv2d_regularizers",
    lambda tf: tf.layers.conv2d(
        _x(tf, *IMAGE), 4, 3, kernel_regularizer=_square(tf), activity_regularizer=_square(tf)
    ),
)
_case("conv3d", lambda tf: tf.layers.conv3d(_x(tf, 1, 4, 5, 4, 2), 3, 2, padding="same"))
_case("separable_conv1d", lambda tf: tf.layers.separable_conv1d(_x(tf, 2, 8, 3), 4, 3))
_case(
    "separable_conv1d_options",
    lambda tf: tf.layers.separable_conv1d(
        _x(tf, 2, 8, 3), 4, 3, strides=2, padding="same", depth_multiplier=2, activation=tf.nn.relu
    ),
)
_case("separable_conv2d", lambda tf: tf.layers.separable_conv2d(_x(tf, *IMAGE), 4, 3))
_case(
    "separable_conv2d_options",
    lambda tf: [
        tf.layers.separable_conv2d(
            _x(tf, *IMAGE), 4, 3, strides=(2, 2), padding="same", depth_multiplier=2, use_bias=False
        ),
        tf.layers.separable_conv2d(
            _x(tf, *IMAGE), 4, 2, dilation_rate=(2, 2), depthwise_regularizer=_square(tf)
        ),
    ],
)
_case(
    "conv2d_transpose",
    lambda tf: [
        tf.layers.conv2d_transpose(_x(tf, *IMAGE), 4, 3, strides=2),
        tf.layers.conv2d_transpose(_x(tf, *IMAGE), 4, (2, 3), padding="same", use_bias=False),
        tf.layers.conv2d_transpose(
            tf.placeholder_with_default(normal(*IMAGE), [None, None, 5, 3]), 4, 3, (2, 1), "same"
        ),
    ],
    nodes=False,
)
_case("conv3d_transpose", lambda tf: tf.layers.conv3d_transpose(_x(tf, 1, 3, 4, 3, 2), 3, 3, 2))


def _conv_gradients(tf):
    x = _x(tf, *IMAGE)
    y = tf.layers.conv2d(x, 4, 3, padding="same", activation=tf.nn.tanh)
    y = tf.layers.separable_conv2d(y, 3, 2)
    y = tf.layers.conv2d_transpose(y, 2, 3, strides=2)
    y = tf.layers.max_pooling2d(y, 2, 2)
    return tf.gradients(tf.reduce_sum(tf.square(y)), [x, *tf.trainable_variables()])


_case("conv_gradients", _conv_gradients, nodes=False)


@case
def channels_first_shapes(tf):
    """The kernels run on other devices only; the graph is the same."""
    x = tf.placeholder(tf.float32, [2, 3, 8, 8])
    row = tf.placeholder(tf.float32, [2, 3, 8])
    results = [
        tf.layers.conv2d(x, 4, 3, data_format="channels_first"),
        tf.layers.separable_conv2d(x, 4, 3, data_format="channels_first"),
        tf.layers.max_pooling2d(x, 2, 2, data_format="channels_first"),
        tf.layers.conv1d(row, 4, 3, data_format="channels_first"),
        tf.layers.batch_normalization(x, axis=1, training=True),
        tf.layers.flatten(x, data_format="channels_first"),
    ]
    return [[result.shape.as_list() for result in results], node_names(tf)]


# --- pooling, dropout, flatten --------------------------------------------------------------------

_case(
    "pooling",
    lambda tf: [
        tf.layers.max_pooling1d(_x(tf, 2, 8, 3), 2, 2),
        tf.layers.average_pooling1d(_x(tf, 2, 8, 3), 3, 1, "same"),
        tf.layers.max_pooling1d(_x(tf, 2, 3, 8), 2, 2, data_format="channels_first"),
        tf.layers.max_pooling2d(_x(tf, *IMAGE), 2, 2),
        tf.layers.average_pooling2d(_x(tf, *IMAGE), [2, 3], (1, 2), padding="same", name="q"),
        tf.layers.max_pooling3d(_x(tf, 1, 4, 4, 4, 2), 2, 2),
        tf.layers.average_pooling3d(_x(tf, 1, 4, 5, 4, 2), [2, 3, 2], 1, padding="same"),
        tf.layers.max_pooling3d(_x(tf, 1, 2, 4, 4, 4), 2, 2, data_format="channels_first"),
    ],
)
_case(
    "dropout",
    lambda tf: [
        tf.layers.dropout(_x(tf, 4, 3)),
        tf.layers.dropout(_x(tf, 4, 3), training=True),
        tf.layers.dropout(_x(tf, 4, 3), 0.3, noise_shape=[None, 1], seed=3, training=True),
        tf.layers.dropout(_x(tf, 4, 3), training=tf.placeholder_with_default(False, [])),
        tf.layers.dropout(_x(tf, 4, 3), seed=2, training=tf.placeholder_with_default(True, [])),
        tf.layers.Dropout(0.4, seed=1)(_x(tf, 4, 3), training=tf.constant(True)),
    ],
)
_case(
    "flatten",
    lambda tf: [
        tf.layers.flatten(_x(tf, 2, 3, 4)),
        tf.layers.flatten(tf.placeholder_with_default(normal(2, 3, 4), [None, 3, 4])),
        tf.layers.flatten(tf.placeholder_with_default(normal(2, 3, 4), [None, None, 4])),
        tf.layers.flatten(_x(tf, 5)),
        tf.layers.flatten(_x(tf, 2, 3, 4, 2), data_format="channels_first"),
        tf.layers.flatten(tf.placeholder_with_default(normal(2, 3, 4), None)),
        tf.layers.Flatten()(_x(tf, 2, 1)),
    ],
)

# --- batch normalisation --------------------------------------------------------------------------


def _normalized(tf, *shape, dtype="float32", **options):
    return tf.layers.batch_normalization(_x(tf, *shape, dtype=dtype) * 2.0 + 1.0, **options)


_case("batch_norm_images", lambda tf: _normalized(tf, *IMAGE, training=True))
_case("batch_norm_images_not_training", lambda tf: _normalized(tf, *IMAGE))
_case("batch_norm_rows", lambda tf: _normalized(tf, 8, 3, training=True, momentum=0.5))
_case("batch_norm_rows_not_training", lambda tf: _normalized(tf, 8, 3, center=False))
_case("batch_norm_no_scale", lambda tf: _normalized(tf, 8, 3, scale=False, training=True))
_case(
    "batch_norm_options",
    lambda tf: _normalized(
        tf,
        *IMAGE,
        training=True,
        fused=False,
        epsilon=0.1,
        beta_initializer=tf.constant_initializer(0.5),
        gamma_initializer=tf.constant_initializer(2.0),
        gamma_regularizer=_square(tf),
        name="named",
        trainable=False,
    ),
)
_case("batch_norm_axis", lambda tf: _normalized(tf, 2, 4, 5, axis=1, training=True))
_case("batch_norm_axes", lambda tf: _normalized(tf, 2, 4, 5, axis=[1, 2], training=True))
_case("batch_norm_float64", lambda tf: _normalized(tf, 8, 3, dtype="float64", training=True))
_case("batch_norm_float16", lambda tf: _normalized(tf, *IMAGE, dtype="float16", training=True))
_case(
    "batch_norm_fed_mode",
    lambda tf: [
        _normalized(tf, *IMAGE, training=tf.placeholder_with_default(value, []))
        for value in (True, False)
    ],
)
_case(
    "batch_norm_rows_fed_mode",
    lambda tf: [
        _normalized(tf, 8, 3, training=tf.placeholder_with_default(value, []))
        for value in (True, False)
    ],
)


def _followed_averages(tf, *shape, **options):
    x, training = tf.placeholder(tf.float32, shape), tf.placeholder(tf.bool, [])
    y = tf.layers.batch_normalization(x, momentum=0.7, training=training, **options)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        step = tf.identity(tf.reduce_sum(y))
    initialize = tf.global_variables_initializer()

    def body(session):
        session.run(initialize)
        for seed in range(3):
            session.run(step, {x: normal(*shape, seed=seed), training: True})
        averages = session.run(tf.global_variables())
        return [averages, session.run(y, {x: normal(*shape), training: False})]

    return Script(body)


case("batch_norm_averages_of_images")(lambda tf: _followed_averages(tf, *IMAGE))
case("batch_norm_averages_of_rows")(lambda tf: _followed_averages(tf, 8, 3))
case("batch_norm_averages_without_fusing")(lambda tf: _followed_averages(tf, *IMAGE, fused=False))


def _batch_norm_gradients(tf, *shape):
    x = _x(tf, *shape)
    y = tf.layers.batch_normalization(x, training=True)
    return tf.gradients(y * tf.constant(normal(*shape, seed=1)), [x, *tf.trainable_variables()])


_case("batch_norm_gradients_of_rows", lambda tf: _batch_norm_gradients(tf, 6, 3), nodes=False)
_case("batch_norm_gradients_of_images", lambda tf: _batch_norm_gradients(tf, *IMAGE), nodes=False)

CLIPPING = {"rmin": 0.5, "rmax": 2.0, "dmax": 0.3}
_case(
    "batch_norm_renorm",
    lambda tf: _normalized(tf, 8, 3, training=True, renorm=True, renorm_clipping=CLIPPING),
)
_case(
    "batch_norm_renorm_of_images",
    lambda tf: _normalized(
        tf, *IMAGE, training=True, renorm=True, renorm_momentum=0.6, scale=False
    ),
)
_case(
    "batch_norm_renorm_fed_mode",
    lambda tf: [
        _normalized(tf, 8, 3, training=tf.placeholder_with_default(value, []), renorm=True)
        for value in (True, False)
    ],
)
case("batch_norm_averages_of_renorm")(
    lambda tf: _followed_averages(tf, 8, 3, renorm=True, renorm_clipping=CLIPPING)
)
_case(
    "batch_norm_in_pieces",
    lambda tf: [
        _normalized(tf, 4, 5, 6, 3, training=True, virtual_batch_size=2),
        _normalized(tf, 4, 3, virtual_batch_size=2),
        _normalized(tf, 4, 3, 5, axis=1, training=True, virtual_batch_size=2),
    ],
)
case("batch_norm_averages_of_pieces")(lambda tf: _followed_averages(tf, 6, 3, virtual_batch_size=3))
_case(
    "batch_norm_adjustment",
    lambda tf: [
        _normalized(
            tf,
            4,
            3,
            training=training,
            adjustment=lambda shape: (tf.fill([shape[0], 1], 2.0), tf.fill([shape[0], 1], 0.5)),
        )
        for training in (True, False, tf.placeholder_with_default(True, []))
    ],
)

# --- own layers -----------------------------------------------------------------------------------


def _own_layer(tf):
    class Scale(tf.layers.Layer):
        def build(self, input_shape):
            size = int(input_shape[-1])
            self.weight = self.add_weight("weight", [size, 2], initializer=None)
            self.offset = self.add_variable(
                "offset", [2], initializer=tf.ones_initializer(), trainable=False
            )
            super().build(input_shape)

        def call(self, inputs, factor=1.0):
            self.add_loss(tf.reduce_sum(inputs))
            return tf.matmul(inputs, self.weight) * factor + self.offset

    first, second = Scale(), Scale(name="named")
    results = [first(_x(tf, 2, 3), factor=2.0), second(_x(tf, 2, 3)), first(_x(tf, 1, 3))]
    names = [
        [v.name for v in first.trainable_variables],
        [v.name for v in first.non_trainable_variables],
        [v.name for v in second.variables],
    ]
    return [results, names, len(first.losses), first.built]


_case("own_layer", _own_layer)


def _input_spec(tf):
    class Plain(tf.layers.Layer):
        def __init__(self):
            super().__init__()
            self.input_spec = tf.layers.InputSpec(ndim=2, axes={-1: 3})

        def call(self, inputs):
            return inputs + 1.0

    return Plain()(_x(tf, 2, 3))


_case("input_spec", _input_spec)


def _wrong_input(tf, *shape):
    layer = tf.layers.Dense(2)
    layer(tf.zeros([2, 3]))
    return layer(tf.zeros(shape))


error_cases(
    dense_without_last_size=lambda tf: tf.layers.dense(tf.placeholder(tf.float32, [2, None]), 3),
    dense_of_unknown_rank=lambda tf: tf.layers.dense(tf.placeholder(tf.float32), 3),
    dense_of_a_scalar=lambda tf: tf.layers.dense(tf.constant(1.0), 3),
    dense_of_a_vector=lambda tf: tf.layers.dense(tf.zeros([3]), 3),
    dense_of_integers=lambda tf: tf.layers.dense(tf.zeros([2, 3], tf.int32), 3),
    dense_of_another_size=lambda tf: _wrong_input(tf, 2, 4),
    dense_of_another_rank=lambda tf: _wrong_input(tf, 3),
    dense_twice_under_one_name=lambda tf: [
        tf.layers.dense(tf.zeros([2, 3]), 4, name="n") for _ in range(2)
    ],
    dense_reuse_of_nothing=lambda tf: tf.layers.dense(tf.zeros([2, 3]), 4, name="n", reuse=True),
    dense_reuse_of_another_size=lambda tf: [
        tf.layers.dense(tf.zeros([2, size]), 4, name="n", reuse=size == 5) for size in (3, 5)
    ],
    dense_unknown_argument=lambda tf: tf.layers.Dense(3, unknown=1),
    scope_name_before_use=lambda tf: tf.layers.Dense(3).scope_name,
    conv2d_of_rows=lambda tf: tf.layers.conv2d(tf.zeros([2, 3]), 3, 3),
    conv2d_without_channels=lambda tf: tf.layers.conv2d(
        tf.placeholder(tf.float32, [2, 8, 8, None]), 3, 3
    ),
    conv2d_kernel_of_three=lambda tf: tf.layers.conv2d(tf.zeros([2, 8, 8, 3]), 3, [3, 3, 3]),
    conv2d_kernel_of_zero=lambda tf: tf.layers.conv2d(tf.zeros([2, 8, 8, 3]), 3, 0),
    conv2d_kernel_too_large=lambda tf: tf.layers.conv2d(tf.zeros([2, 4, 4, 3]), 3, 5),
    conv2d_padding=lambda tf: tf.layers.conv2d(tf.zeros([2, 8, 8, 3]), 3, 3, padding="full"),
    conv2d_layout=lambda tf: tf.layers.conv2d(tf.zeros([2, 8, 8, 3]), 3, 3, data_format="NHWC"),
    conv2d_strides_and_dilation=lambda tf: tf.layers.conv2d(
        tf.zeros([2, 8, 8, 3]), 3, 3, strides=2, dilation_rate=2
    ),
    conv2d_no_filters=lambda tf: tf.layers.conv2d(tf.zeros([2, 8, 8, 3]), 0, 3),
    pooling_of_rows=lambda tf: tf.layers.max_pooling2d(tf.zeros([2, 3]), 2, 2),
    pooling_size=lambda tf: tf.layers.max_pooling2d(tf.zeros([2, 8, 8, 3]), [2, 2, 2], 2),
    dropout_rate=lambda tf: tf.layers.dropout(tf.zeros([2, 3]), 1.5, training=True),
    batch_norm_axis_missing=lambda tf: tf.layers.batch_normalization(tf.zeros([2, 3]), axis=2),
    batch_norm_axis_of_unknown_size=lambda tf: tf.layers.batch_normalization(
        tf.placeholder(tf.float32, [2, None])
    ),
    batch_norm_of_unknown_rank=lambda tf: tf.layers.batch_normalization(tf.placeholder(tf.float32)),
    batch_norm_axis_twice=lambda tf: tf.layers.batch_normalization(tf.zeros([2, 3]), axis=[1, -1]),
    batch_norm_clipping=lambda tf: tf.layers.batch_normalization(
        tf.zeros([4, 3]), renorm=True, renorm_clipping={"other": 1.0}
    ),
    batch_norm_pieces_and_adjustment=lambda tf: tf.layers.batch_normalization(
        tf.zeros([4, 3]), virtual_batch_size=2, adjustment=lambda shape: (1.0, 0.0)
    ),
    flatten_of_a_scalar=lambda tf: tf.layers.flatten(tf.constant(1.0)),
    input_spec_axis=lambda tf: tf.layers.InputSpec(ndim=2, axes={3: 1}),
)

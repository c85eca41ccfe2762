"""Transposed convolutions, and gradients of convolutions and pools."""

from __future__ import annotations

from ..case import Case, case, error_cases
from ..inputs import FLOATS, normal

# name: (image shape, filter shape, strides, padding); TensorFlow's CPU has no gradient of dilated
# or grouped convolutions.
GEOMETRIES = {
    "same": ((2, 5, 5, 3), (3, 3, 3, 4), (1, 1), "SAME"),
    "valid": ((2, 5, 6, 2), (3, 2, 2, 3), (1, 1), "VALID"),
    "stride_same": ((1, 7, 6, 2), (3, 3, 2, 2), (2, 2), "SAME"),
    "stride_valid": ((1, 8, 7, 2), (3, 3, 2, 2), (2, 3), "VALID"),
    "one_by_one": ((1, 4, 4, 3), (1, 1, 3, 2), (1, 1), "SAME"),
    "even_filter": ((1, 5, 5, 1), (2, 4, 1, 2), (1, 1), "SAME"),
    "explicit": ((1, 4, 5, 2), (3, 3, 2, 2), (1, 1), ((1, 2), (0, 1))),
    "explicit_stride": ((1, 5, 5, 2), (3, 3, 2, 2), (2, 2), ((1, 1), (2, 0))),
}


def _geometry(strides, padding):
    if not isinstance(padding, str):
        padding = [[0, 0], *map(list, padding), [0, 0]]
    return {"strides": [1, *strides, 1], "padding": padding}


def _conv2d_program(image, filters, strides, padding):
    def program(tf):
        x, w = tf.constant(normal(*image)), tf.constant(normal(*filters, seed=1))
        y = tf.nn.conv2d(x, w, **_geometry(strides, padding))
        upstream = tf.constant(normal(*y.shape.as_list(), seed=2))
        dx, dw = tf.gradients(y, [x, w], grad_ys=upstream)
        return {"dx": dx, "dw": dw, "types": [dx.op.type, dw.op.type]}

    return program


for _name, _arguments in GEOMETRIES.items():
    case(f"conv2d_{_name}")(_conv2d_program(*_arguments))


@case
def conv2d_dtypes(tf):
    results = {}
    for dtype in FLOATS:
        x = tf.constant(normal(1, 4, 4, 2, dtype=dtype))
        w = tf.constant(normal(2, 2, 2, 2, dtype=dtype, seed=1))
        y = tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME")
        results[dtype] = tf.gradients(y, [x, w])
    return results


@case
def conv2d_backprops_directly(tf):
    x, w = tf.constant(normal(1, 5, 5, 2)), tf.constant(normal(3, 3, 2, 3, seed=1))
    y = tf.constant(normal(1, 5, 5, 3, seed=2))
    size = tf.placeholder(tf.int32, [4])
    fetches = [
        tf.nn.conv2d_backprop_input([1, 5, 5, 2], w, y, [1, 1, 1, 1], "SAME"),
        tf.nn.conv2d_backprop_filter(x, [3, 3, 2, 3], y, [1, 1, 1, 1], "SAME"),
        tf.nn.conv2d_backprop_input(size, w, y, [1, 1, 1, 1], "SAME"),
        tf.nn.conv2d_backprop_filter(x, tf.shape(w), y, [1, 1, 1, 1], "SAME"),
        tf.raw_ops.Conv2DBackpropInput(
            input_sizes=[1, 9, 9, 2], filter=w, out_backprop=y, strides=[1, 2, 2, 1], padding="SAME"
        ),
    ]
    return Case(fetches, {size: [1, 5, 5, 2]})


@case
def conv2d_second_order(tf):
    x, w = tf.constant(normal(1, 4, 4, 1)), tf.constant(normal(2, 2, 1, 2, seed=1))
    y = tf.square(tf.nn.conv2d(x, w, [1, 1, 1, 1], "VALID"))
    (dx,) = tf.gradients(y, [x])
    return tf.gradients(tf.square(dx), [x, w])


@case
def conv2d_transpose(tf):
    x, w = tf.constant(normal(1, 3, 4, 2)), tf.constant(normal(3, 3, 4, 2, seed=1))
    partial, size = tf.placeholder(tf.float32, [None, 3, 4, 2]), tf.placeholder(tf.int32, [4])
    fetches = [
        tf.nn.conv2d_transpose(x, w, [1, 3, 4, 4], [1, 1, 1, 1], "SAME"),
        tf.nn.conv2d_transpose(x, w, [1, 6, 8, 4], [1, 2, 2, 1], "SAME"),
        tf.nn.conv2d_transpose(x, w, [1, 7, 9, 4], [1, 2, 2, 1], "VALID"),
        tf.nn.conv2d_transpose(x, w, [1, 5, 6, 4], strides=1, padding="VALID"),
        tf.nn.conv2d_transpose(x, w, size, [1, 2, 2, 1], "SAME"),
        tf.nn.conv2d_transpose(partial, w, tf.stack([tf.shape(partial)[0], 6, 8, 4]), [1, 2, 2, 1]),
        tf.nn.atrous_conv2d_transpose(x, w, [1, 7, 8, 4], rate=2, padding="VALID"),
    ]
    return Case(fetches, {size: [1, 5, 7, 4], partial: normal(2, 3, 4, 2)})


@case
def conv2d_transpose_gradient(tf):
    x, w = tf.constant(normal(1, 3, 3, 2)), tf.constant(normal(3, 3, 1, 2, seed=1))
    y = tf.nn.conv2d_transpose(x, w, [1, 6, 6, 1], [1, 2, 2, 1], "SAME")
    return tf.gradients(y, [x, w], grad_ys=tf.constant(normal(1, 6, 6, 1, seed=2)))


@case
def other_transposes(tf):
    return [
        tf.nn.conv1d_transpose(
            tf.constant(normal(1, 4, 2)), tf.constant(normal(3, 3, 2)), [1, 8, 3], 2
        ),
        tf.nn.conv3d_transpose(
            tf.constant(normal(1, 2, 2, 2, 2)),
            tf.constant(normal(2, 2, 2, 1, 2)),
            [1, 4, 4, 4, 1],
            [1, 2, 2, 2, 1],
        ),
    ]


@case
def conv1d_and_conv3d(tf):
    x, w = tf.constant(normal(2, 6, 2)), tf.constant(normal(3, 2, 3, seed=1))
    volume, kernel = tf.constant(normal(1, 3, 4, 4, 2)), tf.constant(normal(2, 3, 2, 2, 2, seed=1))
    y = tf.nn.conv1d(x, w, 2, "SAME")
    z = tf.nn.conv3d(volume, kernel, [1, 1, 2, 1, 1], "SAME")
    return {
        "conv1d": tf.gradients(tf.square(y), [x, w]),
        "conv3d": tf.gradients(tf.square(z), [volume, kernel]),
    }


@case
def depthwise(tf):
    results = {}
    for strides, padding in (([1, 1, 1, 1], "SAME"), ([1, 2, 2, 1], "VALID")):
        x, w = tf.constant(normal(2, 5, 5, 3)), tf.constant(normal(3, 3, 3, 2, seed=1))
        y = tf.nn.depthwise_conv2d(x, w, strides, padding)
        upstream = tf.constant(normal(*y.shape.as_list(), seed=2))
        results[padding] = tf.gradients(y, [x, w], grad_ys=upstream)
    return results


@case
def depthwise_dilated_and_separable(tf):
    x, w = tf.constant(normal(1, 6, 6, 2)), tf.constant(normal(3, 3, 2, 1, seed=1))
    pointwise = tf.constant(normal(1, 1, 2, 3, seed=2))
    dilated = tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME", rate=[2, 2])
    separable = tf.nn.separable_conv2d(x, w, pointwise, [1, 1, 1, 1], "SAME")
    return {
        "dilated": tf.gradients(tf.square(dilated), [x, w]),
        "separable": tf.gradients(tf.square(separable), [x, w, pointwise]),
    }


@case
def pools(tf):
    x = tf.constant(normal(2, 5, 5, 2))
    results = {}
    for name in ("max_pool", "avg_pool"):
        for size, stride, padding in (
            (2, 2, "VALID"),
            (3, 2, "SAME"),
            (3, 1, "SAME"),
            (2, 1, "VALID"),
        ):
            window, strides = [1, size, size, 1], [1, stride, stride, 1]
            y = getattr(tf.nn, name)(x, window, strides, padding)
            upstream = tf.constant(normal(*y.shape.as_list(), seed=2))
            key = f"{name}_{size}_{stride}_{padding}"
            results[key] = tf.gradients(y, x, grad_ys=upstream)
    return results


@case
def max_pool_sends_ties_to_one_input(tf):
    x = tf.constant([[[[1.0], [1.0]], [[1.0], [1.0]]]])
    y = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 1, 1, 1], "VALID")
    return tf.gradients(y, x)


@case
def pool_of_argmax_and_volume(tf):
    x, volume = tf.constant(normal(1, 4, 4, 2)), tf.constant(normal(1, 4, 4, 4, 1))
    y, _ = tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    pooled = tf.nn.max_pool3d(volume, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "VALID")
    mean = tf.nn.avg_pool3d(volume, [1, 3, 3, 3, 1], [1, 2, 2, 2, 1], "SAME")
    return [
        tf.gradients(tf.square(y), x),
        tf.gradients(tf.square(pooled), volume),
        tf.gradients(tf.square(mean), volume),
    ]


@case
def max_pool_second_order(tf):
    x = tf.constant(normal(1, 4, 4, 1))
    y = tf.square(tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"))
    (dx,) = tf.gradients(y, x)
    return tf.gradients(tf.square(dx), x)


@case
def dilation2d_gradients(tf):
    x, kernel = tf.constant(normal(1, 4, 4, 2)), tf.constant(normal(2, 2, 2, seed=1))
    y = tf.nn.dilation2d(x, kernel, [1, 1, 1, 1], [1, 1, 1, 1], "SAME")
    return tf.gradients(tf.square(y), [x, kernel])


error_cases(
    transpose_channels=lambda tf: tf.nn.conv2d_transpose(
        tf.zeros([1, 3, 3, 2]), tf.zeros([3, 3, 1, 3]), [1, 6, 6, 1], [1, 2, 2, 1], "SAME"
    ),
    transpose_output_size=lambda tf: tf.nn.conv2d_transpose(
        tf.zeros([1, 3, 3, 2]), tf.zeros([3, 3, 1, 2]), [1, 9, 9, 1], [1, 2, 2, 1], "SAME"
    ),
    transpose_output_channels=lambda tf: tf.nn.conv2d_transpose(
        tf.zeros([1, 3, 3, 2]), tf.zeros([3, 3, 1, 2]), [1, 6, 6, 5], [1, 2, 2, 1], "SAME"
    ),
    backprop_filter_shape=lambda tf: tf.nn.conv2d_backprop_filter(
        tf.zeros([1, 5, 5, 2]), [3, 3, 2, 4], tf.zeros([1, 5, 5, 3]), [1, 1, 1, 1], "SAME"
    ),
)

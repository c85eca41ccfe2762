"""Batch normalisation, moments, bias, L2 and local response normalisation."""

from __future__ import annotations

from ..case import Case, case, error_cases
from ..inputs import normal, uniform

ONE_PASS = "the variance of few values in one pass differs in the last digits"


def _channels(tf, count):
    scale, offset = tf.constant(normal(count, seed=1)), tf.constant(normal(count, seed=2))
    mean = tf.constant(normal(count, seed=3))
    return scale, offset, mean, tf.constant(uniform(0.1, 2.0, (count,)))


@case
def fused_training(tf):
    x = tf.constant(normal(3, 4, 5, 2))
    scale, offset, _, _ = _channels(tf, 2)
    return {
        "default": list(tf.nn.fused_batch_norm(x, scale, offset)),
        "epsilon": list(tf.nn.fused_batch_norm(x, scale, offset, epsilon=0.1)),
        "v1": list(_raw(tf, "FusedBatchNorm", x, scale, offset)),
        "v2": list(_raw(tf, "FusedBatchNormV2", x, scale, offset)),
        "v3": list(_raw(tf, "FusedBatchNormV3", x, scale, offset)),
    }


def _raw(tf, name, x, scale, offset):
    """The outputs but the last reserve space, whose size depends on the build of the kernels."""
    empty = tf.constant([], tf.float32)
    operation = getattr(tf.raw_ops, name)
    return operation(x=x, scale=scale, offset=offset, mean=empty, variance=empty)[:5]


@case
def fused_inference(tf):
    x = tf.constant(normal(2, 3, 3, 2))
    scale, offset, mean, variance = _channels(tf, 2)
    outputs = tf.nn.fused_batch_norm(x, scale, offset, mean, variance, is_training=False)
    small = tf.nn.fused_batch_norm(
        x, scale, offset, mean, variance, epsilon=1e-5, is_training=False
    )
    return {"y": outputs[0], "count": len(outputs), "small_epsilon": small[0]}


@case
def fused_running_average(tf):
    x = tf.constant(normal(2, 3, 3, 2))
    scale, offset, mean, variance = _channels(tf, 2)
    return list(
        tf.nn.fused_batch_norm(x, scale, offset, mean, variance, exponential_avg_factor=0.3)
    )


@case
def fused_half_inputs(tf):
    scale, offset, _, _ = _channels(tf, 2)
    return {
        dtype: list(
            tf.nn.fused_batch_norm(tf.constant(normal(2, 3, 3, 2, dtype=dtype)), scale, offset)
        )
        for dtype in ("float16", "bfloat16")
    }


@case
def fused_one_value_per_channel(tf):
    scale, offset, _, _ = _channels(tf, 3)
    return list(tf.nn.fused_batch_norm(tf.constant(normal(1, 1, 1, 3)), scale, offset))


@case
def fused_static_shapes(tf):
    x = tf.placeholder(tf.float32, [None, 4, None, 2])
    scale, offset, mean, variance = _channels(tf, 2)
    training = tf.nn.fused_batch_norm(x, scale, offset)
    inference = tf.nn.fused_batch_norm(x, scale, offset, mean, variance, is_training=False)
    return Case([*training, inference[0]], {x: normal(2, 4, 3, 2)})


def _fused_gradient_program(training, data_format):
    def program(tf):
        shape = (2, 3, 4, 3) if data_format == "NHWC" else (2, 3, 3, 4)
        x = tf.constant(normal(*shape))
        scale, offset, mean, variance = _channels(tf, 3)
        statistics = {} if training else {"mean": mean, "variance": variance}
        y, _, _ = tf.nn.fused_batch_norm(
            x, scale, offset, is_training=training, data_format=data_format, **statistics
        )
        sources = [x, scale, offset] if training else [x, scale, offset, mean, variance]
        upstream = tf.constant(normal(*shape, seed=5))
        return Case(tf.gradients(y, sources, grad_ys=upstream), tolerance=1e-4, reason=ONE_PASS)

    return program


for _training in (True, False):
    for _format in ("NHWC", "NCHW"):
        _mode = "training" if _training else "inference"
        case(f"fused_gradient_{_mode}_{_format.lower()}")(
            _fused_gradient_program(_training, _format)
        )


@case
def fused_second_order(tf):
    x = tf.constant(normal(2, 2, 2, 2))
    scale, offset, _, _ = _channels(tf, 2)
    y, _, _ = tf.nn.fused_batch_norm(x, scale, offset)
    (dx,) = tf.gradients(y**3, x)
    return Case(tf.gradients(dx**2, [x, scale]), tolerance=1e-3, reason=ONE_PASS)


@case
def batch_normalization(tf):
    x = tf.constant(normal(4, 3))
    scale, offset, mean, variance = _channels(tf, 3)
    return [
        tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3),
        tf.nn.batch_normalization(x, mean, variance, None, scale, 1e-3),
        tf.nn.batch_normalization(x, mean, variance, offset, None, 1e-3),
        tf.nn.batch_normalization(x, mean, variance, None, None, variance_epsilon=0.1),
        tf.nn.batch_norm_with_global_normalization(
            tf.constant(normal(1, 2, 2, 3)), mean, variance, offset, scale, 1e-3, True
        ),
    ]


@case
def moments(tf):
    x = tf.constant(normal(3, 4, 5))
    return {
        "all": list(tf.nn.moments(x, [0, 1, 2])),
        "first": list(tf.nn.moments(x, axes=[0])),
        "kept": list(tf.nn.moments(x, [0, 1], keep_dims=True)),
        "keepdims": list(tf.nn.moments(x, [-1], keepdims=True)),
        "half": list(tf.nn.moments(tf.cast(x, tf.float16), [0, 1])),
        "weighted": list(tf.nn.weighted_moments(x, [0], tf.constant([[[1.0]], [[2.0]], [[0.5]]]))),
        "sufficient": list(tf.nn.sufficient_statistics(x, [0, 1]))[:3],
        "normalized": list(
            tf.nn.normalize_moments(tf.constant(10.0), tf.constant([5.0]), tf.constant([9.0]), None)
        ),
    }


@case
def bias_add(tf):
    bias = tf.constant(normal(3, seed=1))
    partial = tf.placeholder(tf.float32, [None, None])
    fetches = {
        "matrix": tf.nn.bias_add(tf.constant(normal(2, 3)), bias),
        "image": tf.nn.bias_add(tf.constant(normal(2, 2, 2, 3)), bias, data_format="NHWC"),
        "partial": tf.nn.bias_add(partial, bias),
        "empty": tf.nn.bias_add(tf.zeros([0, 3]), bias),
        "v1": tf.raw_ops.BiasAddV1(value=tf.constant(normal(2, 3)), bias=bias),
        "grad": tf.raw_ops.BiasAddGrad(out_backprop=tf.constant(normal(2, 2, 3))),
        "grad_nchw": tf.raw_ops.BiasAddGrad(
            out_backprop=tf.constant(normal(2, 3, 2, 2)), data_format="NCHW"
        ),
    }
    for dtype in ("float16", "bfloat16", "float64", "int32", "int64", "uint8"):
        fetches[dtype] = tf.nn.bias_add(
            tf.constant([[1, 2], [3, 4]], dtype), tf.constant([1, 2], dtype)
        )
    return Case(fetches, {partial: normal(2, 3)})


@case
def l2_normalize(tf):
    x = tf.constant(normal(3, 4))
    return [
        tf.nn.l2_normalize(x, 1),
        tf.nn.l2_normalize(x, dim=0),
        tf.nn.l2_normalize(x, [0, 1], epsilon=100.0),
        tf.nn.l2_normalize(tf.zeros([2, 2]), -1),
        tf.gradients(tf.nn.l2_normalize(x, 1)[0], x)[0],
    ]


@case
def local_response_normalization(tf):
    x = tf.constant(normal(1, 2, 2, 7))
    y = tf.nn.lrn(x, 2, bias=1.0, alpha=0.5, beta=0.75)
    return [
        tf.nn.lrn(x),
        tf.nn.local_response_normalization(x, depth_radius=1, bias=2.0, alpha=1e-2, beta=0.5),
        y,
        tf.gradients(tf.square(y), x)[0],
        tf.nn.lrn(tf.cast(x, tf.float16), 2),
    ]


@case
def clipping(tf):
    x, y = tf.constant(normal(3, 2)), tf.constant(normal(4, seed=1))
    clipped, total = tf.clip_by_global_norm([x, None, y], 1.0)
    loose, _ = tf.clip_by_global_norm([x, y], 1000.0)
    slices = tf.IndexedSlices(x, tf.constant([0, 2, 1]))
    return {
        "value": tf.clip_by_value(x, -0.5, 0.5),
        "value_tensors": tf.clip_by_value(x, tf.constant([-1.0, 0.0]), tf.constant([0.5, 1.0])),
        "value_int": tf.clip_by_value([1, 5, 9], 2, 6),
        "value_slices": tf.clip_by_value(slices, -0.1, 0.1),
        "norm": tf.clip_by_norm(x, 1.0),
        "norm_axes": tf.clip_by_norm(x, 0.5, axes=[1]),
        "norm_zero": tf.clip_by_norm(tf.zeros([2]), 1.0),
        "average_norm": tf.clip_by_average_norm(x, 0.1),
        "global": clipped,
        "global_norm": total,
        "loose": loose,
        "norm_of_list": tf.global_norm([x, None, y, slices]),
        "gradient": tf.gradients(tf.clip_by_value(x, -0.5, 0.5), x)[0],
    }


def _fused(tf, shape, count, **arguments):
    return tf.nn.fused_batch_norm(
        tf.zeros(shape), tf.zeros([count]), tf.zeros([count]), **arguments
    )


error_cases(
    fused_rank=lambda tf: _fused(tf, [2, 2, 3], 3)[0],
    fused_channels=lambda tf: _fused(tf, [2, 2, 2, 3], 2)[0],
    fused_format=lambda tf: _fused(tf, [2, 2, 2, 3], 3, data_format="CHWN")[0],
    fused_inference_without_statistics=lambda tf: _fused(tf, [2, 2, 2, 3], 3, is_training=False)[0],
    fused_of_doubles=lambda tf: tf.nn.fused_batch_norm(
        tf.zeros([1, 2, 2, 3], tf.float64), tf.zeros([3]), tf.zeros([3])
    )[0],
    bias_length=lambda tf: tf.nn.bias_add(tf.zeros([2, 3]), tf.zeros([2])),
    bias_rank=lambda tf: tf.nn.bias_add(tf.zeros([2, 3]), tf.zeros([1, 3])),
    bias_of_vector=lambda tf: tf.nn.bias_add(tf.zeros([3]), tf.zeros([3])),
    bias_dtype=lambda tf: tf.nn.bias_add(tf.zeros([2, 3]), tf.zeros([3], tf.float64)),
    lrn_rank=lambda tf: tf.nn.lrn(tf.zeros([2, 3])),
    lrn_of_doubles=lambda tf: tf.nn.lrn(tf.zeros([1, 1, 1, 2], tf.float64)),
    clip_shapes=lambda tf: tf.clip_by_value(tf.zeros([2]), tf.zeros([3]), 1.0),
    clip_a_tensor_globally=lambda tf: tf.clip_by_global_norm(tf.zeros([2]), 1.0)[1],
)

"""Fractional pools: the same regions as TensorFlow from the same seeds, and their gradients."""

from __future__ import annotations

from ..case import Case, case, error_cases
from ..inputs import integers, normal

SEEDS = {"both": (1, 2), "second": (0, 9), "large": (2**40, -3)}
RATIOS = ((1.44, 1.73), (2.5, 1.1), (1.0, 2.0))


def image(tf, dtype, seed=0):
    if dtype.startswith("float"):
        return tf.constant(normal(1, 11, 9, 2, dtype=dtype, seed=seed))
    return tf.constant(integers(-40, 40, (1, 11, 9, 2), dtype, seed))


def _pool_program(function, dtype, pseudo_random, overlapping):
    def program(tf):
        value = image(tf, dtype)
        results = {}
        for name, (seed, seed2) in SEEDS.items():
            for rows, columns in RATIOS:
                results[f"{name}_{rows}_{columns}"] = list(
                    getattr(tf.nn, function)(
                        value,
                        [1.0, rows, columns, 1.0],
                        pseudo_random,
                        overlapping,
                        deterministic=True,
                        seed=seed,
                        seed2=seed2,
                    )
                )
        return results

    return program


for _function in ("fractional_max_pool", "fractional_avg_pool"):
    for _dtype in ("float32", "float64", "int32", "int64"):
        for _pseudo in (False, True):
            for _overlapping in (False, True):
                _name = f"{_function}_{_dtype}"
                _name += "_pseudo" * _pseudo + "_overlapping" * _overlapping
                case(_name)(_pool_program(_function, _dtype, _pseudo, _overlapping))


def _gradient_program(dtype, overlapping):
    def program(tf):
        value = image(tf, dtype)
        rows, columns = [0, 2, 3, 5, 8, 11], [0, 3, 4, 9]
        gradient = tf.constant(normal(1, 5, 3, 2, dtype=dtype, seed=1))
        if not value.dtype.is_floating:
            gradient = tf.constant(integers(-99, 99, (1, 5, 3, 2), dtype, 1))
        along_max = tf.raw_ops.FractionalMaxPoolGrad(
            orig_input=value,
            orig_output=gradient,
            out_backprop=gradient,
            row_pooling_sequence=rows,
            col_pooling_sequence=columns,
            overlapping=overlapping,
        )
        along_mean = tf.raw_ops.FractionalAvgPoolGrad(
            orig_input_tensor_shape=[1, 11, 9, 2],
            out_backprop=gradient,
            row_pooling_sequence=rows,
            col_pooling_sequence=columns,
            overlapping=overlapping,
        )
        if value.dtype.is_floating:
            return {"mean": along_mean}
        return {"mean": along_mean, "max_shape": str(along_max.shape)}

    return program


for _dtype in ("float32", "float64", "int32", "int64"):
    case(f"mean_gradient_{_dtype}")(_gradient_program(_dtype, False))
    case(f"mean_gradient_{_dtype}_overlapping")(_gradient_program(_dtype, True))


def _through_program(function, overlapping):
    def program(tf):
        value = image(tf, "float64")
        fed = tf.placeholder(tf.float64, [None, None, 9, 2])
        fetches = []
        # TensorFlow's gradient of a mean needs a known shape.
        for source in (value, fed) if "max" in function else (value,):
            pooled = getattr(tf.nn, function)(
                source, [1.0, 1.6, 1.3, 1.0], True, overlapping, deterministic=True, seed=4
            )
            weights = tf.constant(normal(1, 6, 6, 2, dtype="float64", seed=3))
            fetches.append(tf.gradients(pooled.output * weights, source))
        return Case(fetches, {fed: normal(1, 11, 9, 2, dtype="float64", seed=5)})

    return program


for _function in ("fractional_max_pool", "fractional_avg_pool"):
    case(f"{_function}_gradient")(_through_program(_function, False))
    case(f"{_function}_gradient_overlapping")(_through_program(_function, True))


@case
def gradient_of_equal_values(tf):
    value = tf.constant(integers(0, 2, (1, 9, 8, 1), "int64").astype("float64"))
    pooled = tf.nn.fractional_max_pool(
        value, [1.0, 1.6, 1.3, 1.0], overlapping=True, deterministic=True, seed=4
    )
    return tf.gradients(pooled.output, value)


@case
def static_shapes_and_attributes(tf):
    partly = tf.placeholder(tf.float32, [None, None, 9, 2])
    unknown = tf.placeholder(tf.float32)
    sizes = tf.placeholder(tf.int64, [4])
    pooled = tf.nn.fractional_max_pool(partly, [1.0, 1.5, 1.4, 1.0], seed=3)
    results = [
        *pooled,
        *tf.nn.fractional_avg_pool(unknown, [1.0, 1.5, 1.4, 1.0]),
        tf.raw_ops.FractionalAvgPoolGrad(
            orig_input_tensor_shape=sizes,
            out_backprop=unknown,
            row_pooling_sequence=[0, 1],
            col_pooling_sequence=[0, 1],
        ),
    ]
    names = ("deterministic", "seed", "seed2")
    attributes = [pooled.output.op.get_attr(name) for name in names]
    return [[str(tensor.shape) for tensor in results], attributes, pooled.output.op.name]


def _sizes(tf, **changes):
    arguments = {
        "orig_input_tensor_shape": [1, 4, 4, 1],
        "out_backprop": tf.ones([1, 2, 2, 1]),
        "row_pooling_sequence": [0, 2, 4],
        "col_pooling_sequence": [0, 2, 4],
    }
    return tf.raw_ops.FractionalAvgPoolGrad(**{**arguments, **changes})


error_cases(
    ratio_below_one=lambda tf: tf.nn.fractional_max_pool(
        tf.zeros([1, 4, 4, 1]), [1.0, 0.5, 1.0, 1.0]
    ),
    ratio_of_batch=lambda tf: (
        tf.nn.fractional_max_pool(tf.zeros([4, 4, 4, 1]), [2.0, 1.5, 1.5, 1.0]).output
    ),
    ratio_of_channels=lambda tf: (
        tf.nn.fractional_avg_pool(tf.zeros([4, 4, 4, 4]), [1.0, 1.5, 1.5, 2.0]).output
    ),
    three_ratios=lambda tf: tf.nn.fractional_avg_pool(tf.zeros([1, 4, 4, 1]), [1.0, 1.5, 1.5]),
    five_ratios=lambda tf: tf.nn.fractional_avg_pool(
        tf.zeros([1, 4, 4, 1]), [1.0, 1.5, 1.5, 1.0, 1.0]
    ),
    ratio_above_size=lambda tf: (
        tf.nn.fractional_max_pool(tf.zeros([1, 4, 4, 1]), [1.0, 9.0, 1.0, 1.0]).output
    ),
    seed_without_determinism=lambda tf: (
        tf.nn.fractional_max_pool(tf.zeros([1, 4, 4, 1]), [1.0, 1.5, 1.5, 1.0], seed=3).output
    ),
    three_dimensions=lambda tf: tf.nn.fractional_max_pool(
        tf.zeros([4, 4, 1]), [1.0, 1.5, 1.5, 1.0]
    ),
    nothing=lambda tf: (
        tf.nn.fractional_max_pool(tf.zeros([1, 0, 4, 1]), [1.0, 1.5, 1.5, 1.0]).output
    ),
    of_halves=lambda tf: tf.nn.fractional_max_pool(
        tf.zeros([1, 4, 4, 1], tf.float16), [1.0, 1.5, 1.5, 1.0]
    ),
    gradient_sizes=lambda tf: _sizes(tf, orig_input_tensor_shape=[1, 4, 4]),
    gradient_backprop=lambda tf: _sizes(tf, out_backprop=tf.ones([1, 3, 2, 1])),
    gradient_rank=lambda tf: tf.raw_ops.FractionalMaxPoolGrad(
        orig_input=tf.zeros([4]),
        orig_output=tf.zeros([4]),
        out_backprop=tf.zeros([4]),
        row_pooling_sequence=[0],
        col_pooling_sequence=[0],
    ),
)

"""Quantised tensors: fake quantisation, QuantizeV2 and back, and arithmetic on integers of ranges.

Quantised results are compared as the integers that they hold, without tolerance.
"""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import normal, uniform

STORED = {
    "qint8": "int8",
    "quint8": "uint8",
    "qint16": "int16",
    "quint16": "uint16",
    "qint32": "int32",
}
EXACT = {"tolerance": 0.0, "reason": "quantised arithmetic is exact: one step is another integer"}
MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")
RANGES = {
    "about_zero": (-1.0, 2.0),
    "uneven": (-3.3, 0.7),
    "positive": (0.0, 5.0),
    "beyond_zero": (1.0, 3.0),
    "negative": (-3.0, -2.0),
    "point": (0.0, 0.0),
}


def words(dtype, *shape, seed=0):
    """Integers over the whole range of a stored dtype."""
    limits = np.iinfo(dtype)
    random = np.random.RandomState(5000 + seed)
    return random.randint(limits.min, limits.max, shape, dtype=dtype)


def quantized(tf, dtype, *shape, seed=0):
    stored = words(STORED[dtype], *shape, seed=seed)
    return tf.bitcast(tf.constant(stored), getattr(tf, dtype))


def stored(tf, tensors):
    """Fetches for a quantised result with its range."""
    first, *others = tensors
    dtype = getattr(tf, STORED[first.dtype.name])
    return [tf.bitcast(first, dtype), *others, first.dtype.name, first.shape.as_list()]


def exact(fetches, feeds=None):
    return Case(fetches, feeds or {}, **EXACT)


# --- fake quantisation ----------------------------------------------------------------------------

FAKE = {
    "default": {},
    "narrow": {"narrow_range": True},
    "two_bits": {"num_bits": 2},
    "four_bits_narrow": {"num_bits": 4, "narrow_range": True},
    "sixteen_bits": {"num_bits": 16},
}
VALUES = np.concatenate([normal(40) * 4, np.float32([0, -0.0, np.inf, -np.inf, np.nan, 6, -6])])


def _fake_program(levels, low, high):
    def program(tf):
        x = tf.constant(VALUES)
        minimum, maximum = tf.constant(low), tf.constant(high)
        lows, highs = tf.constant([low, low / 2]), tf.constant([high, high * 2])
        pairs = tf.constant(VALUES[:46].reshape(23, 2))
        by_vars = tf.fake_quant_with_min_max_vars(x, minimum, maximum, **levels)
        by_channel = tf.fake_quant_with_min_max_vars_per_channel(pairs, lows, highs, **levels)
        by_args = tf.fake_quant_with_min_max_args(x, low, high, **levels)
        return {
            "args": by_args,
            "vars": by_vars,
            "channels": by_channel,
            "gradients": [
                tf.gradients(by_args * tf.constant(normal(47, seed=3)), x),
                tf.gradients(by_vars * tf.constant(normal(47, seed=3)), [x, minimum, maximum]),
                tf.gradients(by_channel * tf.constant(normal(23, 2, seed=4)), [pairs, lows, highs]),
            ],
        }

    return program


for _name, _levels in FAKE.items():
    for _range, (_low, _high) in {"even": (-6.0, 6.0), "uneven": (-0.7, 3.1)}.items():
        case(f"fake_{_name}_{_range}")(_fake_program(_levels, _low, _high))


@case
def fake_ranges_without_zero(tf):
    x = tf.constant(VALUES)
    return [
        tf.fake_quant_with_min_max_args(x, 1.0, 5.0),
        tf.fake_quant_with_min_max_args(x, -5.0, -1.0),
        tf.fake_quant_with_min_max_vars(x, 0.0, 0.0),
        tf.fake_quant_with_min_max_vars(x, 3.0, -3.0),
        tf.fake_quant_with_min_max_vars(x, np.float32(np.nan), 3.0),
        tf.fake_quant_with_min_max_vars_per_channel([[1.0, -2.0]], [0.0, -3.0], [0.0, -4.0]),
        tf.fake_quant_with_min_max_vars_gradient(x, x, 0.0, 0.0)[0],
    ]


@case
def fake_shapes(tf):
    unknown = tf.placeholder(tf.float32)
    partly = tf.placeholder(tf.float32, [2, None])
    channels = tf.fake_quant_with_min_max_vars_per_channel
    gradient = tf.fake_quant_with_min_max_vars_per_channel_gradient
    bound = tf.placeholder(tf.float32, [3])
    tensors = [
        channels(unknown, bound, unknown),
        channels(partly, bound, unknown),
        *gradient(unknown, unknown, bound, unknown),
        *gradient(partly, tf.placeholder(tf.float32, [None, 5]), unknown, unknown),
        *tf.fake_quant_with_min_max_vars_gradient(partly, unknown, unknown, unknown),
    ]
    return [str(tensor.shape) for tensor in tensors]


@case
def fake_empty(tf):
    nothing = tf.zeros([0, 2])
    low, high = tf.constant([-1.0, -1.0]), tf.constant([1.0, 1.0])
    channels = tf.fake_quant_with_min_max_vars_per_channel(nothing, low, high)
    return [
        tf.fake_quant_with_min_max_args(nothing),
        tf.fake_quant_with_min_max_vars(nothing, -1.0, 1.0),
        channels,
        tf.gradients(channels, [nothing, low, high]),
    ]


@case
def fake_names(tf):
    x = tf.zeros([2])
    tf.fake_quant_with_min_max_args(x)
    tf.quantization.fake_quant_with_min_max_vars(x, -1.0, 1.0, name="mine")
    tf.quantization.fake_quant_with_min_max_vars_per_channel(x, [0.0, 0.0], [1.0, 1.0])
    return [operation.name for operation in tf.get_default_graph().get_operations()]


FED = np.zeros([2, 3], np.float32)
error_cases(
    fake_args_order=lambda tf: tf.fake_quant_with_min_max_args([1.0], 1.0, 1.0),
    fake_bits_few=lambda tf: tf.fake_quant_with_min_max_vars([1.0], 0.0, 1.0, num_bits=1),
    fake_bits_many=lambda tf: tf.fake_quant_with_min_max_args([1.0], num_bits=17),
    fake_vector_min=lambda tf: tf.fake_quant_with_min_max_vars([1.0], [0.0], 1.0),
    fake_channel_count=lambda tf: tf.fake_quant_with_min_max_vars_per_channel(FED, [0.0], [1.0]),
    fake_channel_scalar=lambda tf: tf.fake_quant_with_min_max_vars_per_channel(FED, 0.0, 1.0),
    fake_channel_of_scalar=lambda tf: tf.fake_quant_with_min_max_vars_per_channel(
        1.0, [0.0], [1.0]
    ),
    fake_gradient_sizes=lambda tf: tf.fake_quant_with_min_max_args_gradient([1.0], [1.0, 2.0]),
    fake_gradient_shapes=lambda tf: tf.fake_quant_with_min_max_vars_gradient(
        [1.0], [1.0, 2.0], 0.0, 1.0
    ),
    fake_gradient_rank=lambda tf: tf.fake_quant_with_min_max_vars_per_channel_gradient(
        tf.zeros([1, 1, 1, 1, 2]), tf.zeros([1, 1, 1, 1, 2]), [0.0, 0.0], [1.0, 1.0]
    ),
    fake_of_double=lambda tf: tf.fake_quant_with_min_max_args(tf.zeros([2], tf.float64)),
    fake_fed_range=lambda tf: Case(
        tf.fake_quant_with_min_max_vars([1.0], low := tf.placeholder(tf.float32), 1.0),
        {low: [1.0, 2.0]},
    ),
    fake_fed_channels=lambda tf: Case(
        tf.fake_quant_with_min_max_vars_per_channel(
            FED, low := tf.placeholder(tf.float32), [1.0, 1.0, 1.0]
        ),
        {low: [1.0, 2.0]},
    ),
)

# --- QuantizeAndDequantize ------------------------------------------------------------------------


def _both_ways_program(dtype, given, **attrs):
    def program(tf):
        x = tf.constant(normal(5, 8).astype(dtype) * 2)
        low, high = tf.constant(-1.3, x.dtype), tf.constant(0.7, x.dtype)
        second = tf.quantization.quantize_and_dequantize(x, low, high, range_given=given, **attrs)
        fourth = tf.quantization.quantize_and_dequantize_v2(
            x, low, high, range_given=given, **attrs
        )
        return {
            "values": [second, fourth],
            "gradients": [
                tf.gradients(second, x),
                tf.gradients(fourth * tf.constant(normal(5, 8).astype(dtype)), [x, low, high]),
            ],
        }

    return program


for _dtype in ("float32", "float64"):
    for _given in (True, False):
        _where = f"both_ways_{_dtype}_{'given' if _given else 'found'}"
        case(f"{_where}_plain")(_both_ways_program(_dtype, _given))
        case(f"{_where}_unsigned")(_both_ways_program(_dtype, _given, signed_input=False))
        case(f"{_where}_narrow")(_both_ways_program(_dtype, _given, narrow_range=True, num_bits=3))
        case(f"{_where}_half_up")(_both_ways_program(_dtype, _given, round_mode="HALF_UP"))
        case(f"{_where}_wide")(_both_ways_program(_dtype, _given, num_bits=24))


@case
def both_ways_along_an_axis(tf):
    x = tf.constant(normal(3, 4, 2))
    lows, highs = [-1.0, 0.0, -0.3], [1.0, 0.5, 0.0]
    functions = (
        tf.quantization.quantize_and_dequantize,
        tf.quantization.quantize_and_dequantize_v2,
    )
    fetches = []
    for function in functions:
        fetches.append(function(x, [0.0] * 4, [0.0] * 4, axis=1))
        fetches.append(function(x, [0.0] * 2, [0.0] * 2, axis=-1, signed_input=False))
    third = tf.raw_ops.QuantizeAndDequantizeV3(
        input=x, input_min=lows, input_max=highs, num_bits=6, axis=0
    )
    gradient = tf.raw_ops.QuantizeAndDequantizeV4Grad(
        gradients=x, input=x, input_min=lows, input_max=highs, axis=0
    )
    return [fetches, third, gradient]


@case
def both_ways_third_version(tf):
    x = tf.constant(normal(9))
    bits = tf.placeholder(tf.int32, [])
    third = tf.raw_ops.QuantizeAndDequantizeV3
    return Case(
        [
            third(input=x, input_min=-1.0, input_max=2.0, num_bits=bits),
            third(input=x, input_min=0.0, input_max=0.0, num_bits=bits, range_given=False),
            third(input=x, input_min=[-1.0] * 9, input_max=[2.0] * 9, num_bits=bits, axis=0),
            tf.gradients(third(input=x, input_min=-1.0, input_max=2.0, num_bits=bits), x),
        ],
        {bits: 4},
    )


@case
def both_ways_odd_ranges(tf):
    x = tf.constant([-2.1, -1.0, -0.5, -0.3, 0.0, 0.126, 0.5, 0.99, 1.7])
    both = tf.quantization.quantize_and_dequantize
    return [
        both(x, 1.0, 2.0, range_given=True),
        both(x, -2.0, -1.0, range_given=True),
        both(x, 0.0, 0.0, num_bits=2),
        both(x, 0.0, 0.0, num_bits=1, signed_input=False),
        both(tf.zeros([3]), 0.0, 0.0),
        both(tf.zeros([0]), 0.0, 0.0),
        both([np.nan, 1.0, -3.0], 0.0, 0.0),
    ]


@case
def both_ways_shapes(tf):
    partly, unknown = tf.placeholder(tf.float32, [3, None]), tf.placeholder(tf.float32)
    gradient = tf.raw_ops.QuantizeAndDequantizeV4Grad(
        gradients=partly, input=unknown, input_min=unknown, input_max=unknown, axis=1
    )
    return [
        str(tf.quantization.quantize_and_dequantize_v2(partly, unknown, unknown).shape),
        [str(tensor.shape) for tensor in gradient],
    ]


error_cases(
    both_ways_bits_none=lambda tf: tf.quantization.quantize_and_dequantize(
        [1.0], 0.0, 0.0, num_bits=0
    ),
    both_ways_bits_many=lambda tf: tf.quantization.quantize_and_dequantize_v2(
        [1.0], 0.0, 0.0, num_bits=62
    ),
    both_ways_range=lambda tf: tf.quantization.quantize_and_dequantize(
        [1.0], 1.0, -1.0, range_given=True
    ),
    both_ways_range_nan=lambda tf: tf.quantization.quantize_and_dequantize(
        [1.0], np.float32(np.nan), -1.0, range_given=True
    ),
    both_ways_vector_range=lambda tf: tf.quantization.quantize_and_dequantize([1.0], [0.0], 0.0),
    both_ways_scalar_of_axis=lambda tf: tf.quantization.quantize_and_dequantize_v2(
        [1.0], 0.0, 0.0, axis=0
    ),
    both_ways_axis_size=lambda tf: tf.quantization.quantize_and_dequantize_v2(
        [1.0], [0.0, 1.0], [1.0, 2.0], axis=0
    ),
    both_ways_axis_rank=lambda tf: tf.quantization.quantize_and_dequantize_v2(
        [1.0], [0.0], [1.0], axis=1
    ),
    both_ways_of_integers=lambda tf: tf.quantization.quantize_and_dequantize([1], 0, 1),
    both_ways_bits_vector=lambda tf: tf.raw_ops.QuantizeAndDequantizeV3(
        input=[1.0], input_min=0.0, input_max=1.0, num_bits=[8]
    ),
    both_ways_round_mode=lambda tf: tf.quantization.quantize_and_dequantize(
        [1.0], 0.0, 0.0, round_mode="DOWN"
    ),
    both_ways_axis_of_unknown=lambda tf: tf.quantization.quantize_and_dequantize(
        tf.placeholder(tf.float32), [0.0], [1.0], axis=-1
    ),
)

# --- QuantizeV2 and Dequantize --------------------------------------------------------------------


def _quantize_program(dtype, mode):
    def program(tf):
        x = tf.constant(normal(60) * 2)
        wanted = getattr(tf, dtype)
        results = {}
        for name, (low, high) in RANGES.items():
            # With a denormal range TensorFlow flushes.
            if mode == "SCALED" and high < 0 and dtype.startswith("qu"):
                continue
            results[name] = stored(tf, tf.quantize(x, low, high, wanted, mode=mode))
        return exact(results)

    return program


def _dequantize_program(dtype, mode):
    def program(tf):
        q = quantized(tf, dtype, 60)
        results = {
            name: tf.dequantize(q, low, high, mode=mode) for name, (low, high) in RANGES.items()
        }
        results["reversed"] = tf.dequantize(q, 2.0, 1.0, mode=mode)
        if mode == "MIN_COMBINED":
            results["bfloat16"] = tf.dequantize(q, -1.0, 2.0, mode=mode, dtype=tf.bfloat16)
        return exact(results)

    return program


for _dtype in STORED:
    for _mode in MODES:
        case(f"quantize_{_dtype}_{_mode.lower()}")(_quantize_program(_dtype, _mode))
        case(f"dequantize_{_dtype}_{_mode.lower()}")(_dequantize_program(_dtype, _mode))


@case
def quantize_attributes(tf):
    x = tf.constant(normal(40))
    results = []
    for dtype in (tf.qint8, tf.qint16, tf.quint8):
        for narrow in (False, True):
            for rounding in ("HALF_TO_EVEN", "HALF_AWAY_FROM_ZERO"):
                results.append(
                    stored(
                        tf,
                        tf.quantize(x, -1.2, 0.9, dtype, "SCALED", rounding, narrow_range=narrow),
                    )
                )
    for least in (0.0, 0.01, 1.0):
        for mode in ("MIN_COMBINED", "MIN_FIRST"):
            results.append(
                stored(tf, tf.quantize(x, 0.0, 0.2, tf.quint8, mode, ensure_minimum_range=least))
            )
    return exact(results)


@case
def quantize_along_an_axis(tf):
    x = tf.constant(normal(2, 3, 4))
    lows, highs = tf.constant([-1.0, 0.0, -0.5]), tf.constant([1.0, 3.0, 0.0])
    results = []
    for mode in ("MIN_COMBINED", "SCALED"):
        for axis in (1, -2):
            result = tf.quantize(x, lows, highs, tf.qint8, mode, axis=axis)
            results.append(stored(tf, result))
            results.append(tf.dequantize(*result, mode=mode, axis=axis))
    return exact(results)


@case
def quantize_second_spelling(tf):
    x = tf.constant([-1.0, 0.2, 2.0])
    tf.quantize_v2(x, -1.0, 2.0, tf.quint8)
    result = tf.quantize_v2(x, -1.0, 2.0, tf.qint8, "SCALED", "mine")
    return [
        stored(tf, result),
        tf.quantization.dequantize(*result, mode="SCALED", narrow_range=True),
        [operation.name for operation in tf.get_default_graph().get_operations()],
    ]


@case
def quantize_shapes(tf):
    float_of = lambda shape: tf.placeholder(tf.float32, shape)  # noqa: E731
    tensors = [
        *tf.quantize(float_of([3, 4]), float_of(None), float_of(None), tf.quint8),
        *tf.quantize(float_of([3, 4]), float_of(None), float_of(None), tf.quint8, axis=1),
        *tf.quantize(float_of([3, None]), float_of([2]), float_of([2]), tf.quint8, axis=1),
        *tf.quantize(float_of(None), float_of([None]), float_of(None), tf.quint8, axis=1),
        tf.dequantize(tf.placeholder(tf.quint8, [3, None]), float_of([2]), float_of(None), axis=1),
    ]
    return [str(tensor.shape) for tensor in tensors]


@case
def quantize_nothing(tf):
    nothing = tf.quantize(tf.zeros([0, 2]), 0.0, 1.0, tf.quint8)
    return [stored(tf, nothing), tf.dequantize(*nothing)]


error_cases(
    quantize_range=lambda tf: tf.bitcast(tf.quantize([1.0], 2.0, 1.0, tf.quint8).output, tf.uint8),
    quantize_round_mode=lambda tf: tf.bitcast(
        tf.quantize([1.0], 0.0, 1.0, tf.quint8, round_mode="HALF_TO_EVEN").output, tf.uint8
    ),
    quantize_first_along_axis=lambda tf: tf.bitcast(
        tf.quantize([1.0, 2.0], [0.0, 0.0], [1.0, 1.0], tf.quint8, "MIN_FIRST", axis=0).output,
        tf.uint8,
    ),
    dequantize_first_along_axis=lambda tf: tf.dequantize(
        quantized(tf, "quint8", 2), [0.0, 0.0], [1.0, 1.0], "MIN_FIRST", axis=0
    ),
    quantize_vector_range=lambda tf: tf.quantize([1.0], [0.0], 1.0, tf.quint8),
    quantize_axis_below=lambda tf: tf.quantize(tf.ones([1]), 0.0, 1.0, tf.quint8, axis=-3),
    quantize_axis_rank=lambda tf: tf.quantize([1.0], [0.0], [1.0], tf.quint8, axis=3),
    quantize_axis_size=lambda tf: tf.quantize([1.0], [0.0, 0.0], [1.0, 1.0], tf.quint8, axis=0),
    quantize_to_int=lambda tf: tf.quantize([1.0], 0.0, 1.0, tf.uint8),
    quantize_mode=lambda tf: tf.quantize([1.0], 0.0, 1.0, tf.quint8, "FAST"),
    quantize_double=lambda tf: tf.quantize(tf.zeros([1], tf.float64), 0.0, 1.0, tf.quint8),
    dequantize_axis_of_unknown=lambda tf: tf.dequantize(
        tf.placeholder(tf.quint8), [0.0], [1.0], axis=1
    ),
    dequantize_floats=lambda tf: tf.dequantize([1.0], 0.0, 1.0),
    dequantize_first_to_bfloat16=lambda tf: tf.dequantize(
        quantized(tf, "quint8", 1), 0.0, 1.0, "MIN_FIRST", dtype=tf.bfloat16
    ),
    dequantize_to_double=lambda tf: tf.dequantize(
        quantized(tf, "quint8", 1), 0.0, 1.0, dtype=tf.float64
    ),
    quantize_fed_range=lambda tf: Case(
        tf.bitcast(
            tf.quantize(
                [1.0, 2.0], low := tf.placeholder(tf.float32), [1.0, 1.0], tf.quint8, axis=0
            ).output,
            tf.uint8,
        ),
        {low: [0.0]},
    ),
)


@case
def quantize_uniform_values(tf):
    x = tf.constant(uniform(-3, 3, (4, 5)))
    result = tf.quantize(x, tf.reduce_min(x), tf.reduce_max(x), tf.quint8, "MIN_FIRST")
    return exact([stored(tf, result), tf.dequantize(*result, mode="MIN_FIRST")])

"""Constants, their conversion to tensors, and casts."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import REAL, sample


@case
def python_scalars(tf):
    return [tf.constant(value) for value in (1, -(2**31), 2.5, True, "text", b"\x00\xff", 1 + 2j)]


@case
def numpy_scalars_keep_their_dtype(tf):
    types = (
        np.float16,
        np.float64,
        np.int8,
        np.int64,
        np.uint16,
        np.uint64,
        np.bool_,
        np.complex64,
    )
    return [tf.constant(kind(1)) for kind in types]


@case
def nested_lists(tf):
    return [
        tf.constant([[1, 2], [3, 4]]),
        tf.constant([1, 2.5]),
        tf.constant([[True], [False]]),
        tf.constant([["a", "bc"], ["", "d\x00"]]),
        tf.constant([1, 2, 3], dtype=tf.float64),
        tf.constant((1.0, 2.0)),
    ]


@case
def empty_lists(tf):
    return [tf.constant([]), tf.constant([[], []]), tf.constant([], dtype=tf.int32)]


@case
def shape_argument_repeats_the_last_value(tf):
    return [
        tf.constant(7, shape=[2, 3]),
        tf.constant([1, 2, 3, 4], shape=[2, 2]),
        tf.constant([1.0, 2.0], shape=[5]),
        tf.constant(0, shape=[0, 3]),
        tf.constant(True, shape=[]),
    ]


@case
def unicode_text_becomes_utf8(tf):
    return tf.constant(["grün", "日本", "\U0001f600"])


@case
def half_precision_constants(tf):
    values = [0.1, 1e-8, 65504.0, 70000.0, -1.5]
    return [
        tf.constant(values, dtype=tf.bfloat16),
        tf.constant([0.1, 1e-8, 65504.0, -1.5], dtype=tf.float16),
    ]


@case
def convert_to_tensor(tf):
    return [
        tf.convert_to_tensor([1, 2]),
        tf.convert_to_tensor([1, 2], dtype=tf.float32),
        tf.convert_to_tensor([1, 2], preferred_dtype=tf.float64),
        tf.convert_to_tensor([1.5], preferred_dtype=tf.int32),
        tf.convert_to_tensor(np.arange(3)),
        tf.convert_to_tensor([tf.constant(1), 2, tf.constant(3)]),
        tf.convert_to_tensor([[tf.constant(1.0), 2.0], [3.0, tf.constant(4.0)]]),
        tf.convert_to_tensor(tf.TensorShape([2, 3])),
    ]


@case
def zeros_and_ones(tf):
    dtypes = (tf.float32, tf.bfloat16, tf.int32, tf.uint8, tf.bool, tf.string, tf.complex64)
    return {
        "zeros": [tf.zeros([2, 2], dtype) for dtype in dtypes],
        "ones": [tf.ones([2], dtype) for dtype in dtypes if dtype != tf.string],
        "empty": tf.zeros([0, 3]),
        "scalar": tf.ones([]),
        "tensor_shape": tf.zeros(tf.constant([2, 1])),
        "long_shape": tf.zeros(tf.constant([2, 1], tf.int64), tf.int32),
    }


@case
def zeros_like_and_ones_like(tf):
    known, fed = tf.constant(sample("int32", 2, 3)), tf.placeholder(tf.float32, [None, 2])
    fetches = [
        tf.zeros_like(known),
        tf.ones_like(known, dtype=tf.float32),
        tf.zeros_like(fed),
        tf.ones_like(fed, optimize=False),
        tf.zeros_like(tf.constant(["a", "b"])),
        tf.ones_like(tf.constant([True, False])),
        tf.zeros_like(fed, dtype=tf.bool),
    ]
    return Case(fetches, {fed: np.ones([3, 2])})


@case
def fill(tf):
    size = tf.placeholder(tf.int32, [2])
    fetches = [
        tf.fill([2, 3], 9),
        tf.fill([], "x"),
        tf.fill([0], True),
        tf.fill(size, 1.5),
        tf.fill(tf.constant([2], tf.int64), tf.constant(3, tf.uint16)),
    ]
    return Case(fetches, {size: [1, 2]})


def _cast_program(source):
    def program(tf):
        values = tf.constant(np.abs(sample(source, 7) * 3), dtype=source)
        targets = [*REAL, "bool", "complex64", "complex128"]
        return {target: tf.cast(values, target) for target in targets}

    return program


for _dtype in (*REAL, "bool"):
    case(f"cast_{_dtype}")(
        _cast_program(_dtype)
        if _dtype != "bool"
        else lambda tf: [tf.cast([True, False], dtype) for dtype in (*REAL, "complex64")]
    )


@case
def cast_negative_floats_truncates_towards_zero(tf):
    values = tf.constant([-1.9, -0.5, 0.5, 1.9, 100.7])
    return [tf.cast(values, dtype) for dtype in ("int8", "int16", "int32", "int64", "float64")]


@case
def cast_between_integers_wraps(tf):
    values = tf.constant([-1, 255, 256, -129, 65536, 2**31 - 1])
    return [
        tf.cast(values, dtype)
        for dtype in ("int8", "uint8", "int16", "uint16", "int64", "uint32", "uint64")
    ]


@case
def cast_non_finite_floats(tf):
    values = tf.constant([np.nan, np.inf, -np.inf, 1e39, -0.0], dtype=tf.float64)
    return [tf.cast(values, dtype) for dtype in ("float32", "float16", "bfloat16", "bool")]


@case
def cast_rounds_to_nearest_even(tf):
    values = tf.constant([1.00390625, 1.01171875, 2049.0, 2051.0, 1e-7, 65519.0, 65520.0])
    return [tf.cast(values, tf.bfloat16), tf.cast(values, tf.float16)]


@case
def cast_complex_drops_the_imaginary_part(tf):
    values = tf.constant([1.5 - 2j, -3 + 0.5j], tf.complex64)
    return [tf.cast(values, dtype) for dtype in ("float32", "float64", "complex128", "int32")]


@case
def cast_helpers(tf):
    values = tf.constant([1, 2])
    return [
        tf.to_float(values),
        tf.to_double(values),
        tf.to_int32([1.7]),
        tf.to_int64([1.7]),
        tf.to_bfloat16([1.7]),
        tf.cast(values, tf.int32).name,
        tf.cast(values, tf.float32, name="chosen").name,
    ]


@case
def saturate_cast(tf):
    floats = tf.constant([-1e10, -129.0, -1.0, 0.0, 127.5, 256.0, 1e10])
    integers = tf.constant([-(2**31), -129, 0, 127, 300, 2**31 - 1])
    return {
        "floats": [tf.saturate_cast(floats, dtype) for dtype in ("int8", "uint8", "int16")],
        "integers": [tf.saturate_cast(integers, dtype) for dtype in ("int8", "uint8", "uint16")],
    }


@case
def bitcast(tf):
    return [
        tf.bitcast(tf.constant([1.0, -2.0]), tf.int32),
        tf.bitcast(tf.constant([1.0, -2.0]), tf.uint8),
        tf.bitcast(tf.constant([[1, 0, 0, 0]], tf.uint8), tf.int32),
        tf.bitcast(tf.constant([1 + 2j], tf.complex64), tf.float32),
        tf.bitcast(tf.constant(1.5, tf.bfloat16), tf.uint16),
    ]


@case
def is_tensor_and_constant_value(tf):
    folded = tf.constant([2, 3]) * 2
    return [
        tf.is_tensor(folded),
        tf.is_tensor(3),
        tf.get_static_value(tf.constant([1, 2])).tolist(),
        tf.get_static_value(tf.shape(tf.zeros([2, 5]))).tolist(),
        tf.get_static_value(tf.placeholder(tf.float32)),
    ]


@case
def guarantee_const_and_identity(tf):
    value = tf.constant([1, 2])
    return [
        tf.identity(value),
        tf.identity([1.0, 2.0]),
        tf.guarantee_const(value),
        tf.identity_n([value, tf.constant("s")]),
        tf.stop_gradient(value),
        tf.raw_ops.PreventGradient(input=value, message="no"),
        tf.raw_ops.Snapshot(input=value),
    ]


@case
def complex_parts(tf):
    value = tf.constant(sample("complex64", 2, 2))
    return {
        "complex": tf.complex([1.0, 2.0], [3.0, 4.0]),
        "wide": tf.complex(tf.constant(1.0, tf.float64), tf.constant(2.0, tf.float64)),
        "real": tf.real(value),
        "imag": tf.imag(value),
        "conj": tf.conj(value),
        "angle": tf.angle(value),
        "abs": tf.abs(value),
        "real_of_real": tf.real([1.0]),
        "conj_of_real": tf.conj([1.0]),
    }


error_cases(
    ragged_list=lambda tf: tf.constant([[1, 2], [3]]),
    mixed_types=lambda tf: tf.constant([1, "a"]),
    float_for_int=lambda tf: tf.constant(1.5, dtype=tf.int32),
    text_for_float=lambda tf: tf.constant("a", dtype=tf.float32),
    none_value=lambda tf: tf.constant(None),
    too_many_values=lambda tf: tf.constant([1, 2, 3], shape=[2]),
    tensor_of_other_dtype=lambda tf: tf.convert_to_tensor(tf.constant(1), dtype=tf.float32),
    bitcast_bad_width=lambda tf: tf.bitcast(tf.constant([1, 2, 3], tf.uint8), tf.int32),
    cast_string=lambda tf: tf.cast(tf.constant("1"), tf.float32),
    fill_negative=lambda tf: tf.fill([-1], 0),
    fill_matrix_value=lambda tf: tf.fill([2], [1, 2]),
    bool_of_tensor=lambda tf: bool(tf.constant(True)),
    iterate_tensor=lambda tf: list(tf.constant([1, 2])),
    len_of_tensor=lambda tf: len(tf.constant([1, 2])),
    numpy_of_tensor=lambda tf: np.array(tf.constant([1, 2])),
    float_of_tensor=lambda tf: float(tf.constant(1.0)),
    in_on_tensor=lambda tf: 1 in tf.constant([1, 2]),
)

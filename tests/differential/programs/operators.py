"""Programs of operators on tensors: arithmetic, comparison, logic, indexing, conversion."""

from __future__ import annotations

import numpy as np

from . import runs


def arithmetic_operators(tf):
    """Python's arithmetic operators between tensors, and reflected with numbers."""
    left = tf.placeholder(tf.float32, [2, 3], name="left")
    right = tf.placeholder(tf.float32, [3], name="right")
    return {
        "binary": [left + right, left - right, left * right, left / right],
        "more": [left // right, left % right, left**right],
        "numbers": [left + 1, left - 1.5, left * 2, left / 4, left // 2, left % 3, left**2],
        "reflected": [1 + left, 1 - left, 2 * left, 1 / left, 5 // left, 7 % left, 2.0**left],
        "unary": [-left, abs(left)],
    }


@runs
def integer_operators(tf):
    """Division, modulo and powers of integers, and floor division of negatives."""
    left = tf.constant([7, -7, 8], name="left")
    right = tf.constant([2, 2, -3], name="right")
    points = {
        "true": left / right,
        "floor": left // right,
        "modulo": left % right,
        "power": left**2,
        "negative": -left,
        "magnitude": abs(left),
        "truncated": tf.truncatediv(left, right),
        "old_division": tf.div(left, right),
        "wide": tf.constant([1, 2], tf.int64) / tf.constant([3, 4], tf.int64),
        "small": tf.constant([1, 2], tf.uint8) / tf.constant([3, 4], tf.uint8),
    }

    def steps(session):
        return session.run(points)

    return {**points, "steps": steps}


def comparison_operators(tf):
    """Comparisons by operator and by function; `==` compares identity in TF1."""
    left = tf.constant([1.0, 2.0, 3.0])
    right = tf.constant([3.0, 2.0, 1.0])
    points = {
        "ordered": [left < right, left <= right, left > right, left >= 2.0],
        "reflected": 2.0 > left,  # noqa: SIM300
        "equal": tf.equal(left, right),
        "different": tf.not_equal(left, right),
        "near": tf.math.abs(left - right) < 0.5,
    }
    return {**points, "facts": [left == right, left is not right, left in [right, left]]}


def logical_operators(tf):
    """Logical operators on bool tensors, and bit-wise ones on integers by function."""
    left = tf.constant([True, True, False])
    right = tf.constant([True, False, False])
    bits = tf.constant([1, 2, 12])
    points = {
        "and": left & right,
        "or": left | right,
        "xor": left ^ right,
        "not": ~left,
        "constant": left & True,
        "reflected": False | right,
        "function": tf.logical_xor(left, right),
        "bits": [tf.bitwise.bitwise_and(bits, 6), tf.bitwise.invert(bits)],
        "shifts": tf.bitwise.left_shift(bits, tf.constant([1, 1, 2])),
    }
    return points


def matrix_products(tf):
    """`@`, matmul with transposes, batches, sparse hints, tensordot and einsum."""
    left = tf.placeholder(tf.float32, [None, 3], name="left")
    right = tf.ones([3, 2], name="right")
    batch = tf.placeholder(tf.float32, [4, 2, 3], name="batch")
    points = {
        "operator": left @ right,
        "transposed": tf.matmul(left, left, transpose_b=True, name="gram"),
        "adjoint": tf.matmul(
            tf.ones([2, 3], tf.complex64), tf.ones([2, 3], tf.complex64), adjoint_a=True
        ),
        "sparse": tf.matmul(left, right, b_is_sparse=True),
        "batched": batch @ tf.ones([4, 3, 5]),
        "broadcast": tf.matmul(batch, right),
        "tensordot": tf.tensordot(batch, right, axes=1),
        "tensordot_axes": tf.tensordot(batch, tf.ones([2, 5]), axes=[[1], [0]]),
        "einsum": tf.einsum("bij,jk->bik", batch, right),
        "vector": tf.linalg.matvec(batch, tf.ones([4, 3])),
    }
    return {**points, "shapes": [point.shape for point in points.values()]}


def slicing_operators(tf):
    """Indexing by numbers, slices, ellipsis, newaxis, tensors and masks."""
    matrix = tf.placeholder(tf.float32, [4, 5], name="matrix")
    cube = tf.placeholder(tf.float32, [None, 3, 2], name="cube")
    index = tf.placeholder(tf.int32, [], name="index")
    points = {
        "row": matrix[0],
        "last": matrix[-1],
        "item": matrix[1, 2],
        "rows": matrix[1:3],
        "columns": matrix[:, ::2],
        "reverse": matrix[::-1],
        "new": matrix[:, tf.newaxis, 1:],
        "ellipsis": cube[..., 0],
        "ellipsis_new": cube[0, ..., tf.newaxis],
        "tensor": matrix[index],
        "tensor_range": matrix[index : index + 2, 1],
        "mask": tf.boolean_mask(matrix, [True, False, True, True]),
        "sliced": tf.slice(matrix, [1, 0], [-1, 3]),
        "strided": tf.strided_slice(matrix, [0, 1], [4, 5], [2, 2]),
    }
    return {**points, "shapes": [point.shape for point in points.values()]}


def converting_operands(tf):
    """Numbers, lists, NumPy arrays and NumPy scalars become constants of the tensor's dtype."""
    half = tf.placeholder(tf.float16, [2], name="half")
    double = tf.placeholder(tf.float64, [2], name="double")
    integer = tf.placeholder(tf.int64, [2], name="integer")
    row = np.array([[1.0, 2.0]], np.float64)
    return {
        "half": [half + 1, half * [1.0, 2.0], 3 - half],
        "double": [double + row, row * double, double / np.float64(2)],
        "integer": [integer + 1, integer * np.int64(3), integer // np.array([1, 2])],
        "functions": [tf.add(integer, 5), tf.maximum(half, 0), tf.pow(double, 3), tf.minimum(1, 2)],
        "mixed": tf.stack([1.0, tf.constant(2.0), np.float32(3.0)]),
        "packed": tf.convert_to_tensor([[1, integer[0]], [integer[1], 2]], dtype=tf.int64),
    }


def broadcasting(tf):
    """Shapes broadcast, known and unknown, with scalars, and between ranks."""
    matrix = tf.placeholder(tf.float32, [None, 4], name="matrix")
    column = tf.placeholder(tf.float32, [3, 1], name="column")
    unknown = tf.placeholder(tf.float32, name="unknown")
    points = [
        matrix + column,
        matrix * tf.ones([4]),
        matrix - tf.constant(1.0),
        column / tf.ones([2, 1, 5]),
        unknown + matrix,
        tf.maximum(column, tf.zeros([1, 6])),
        tf.broadcast_to(column, [2, 3, 4]),
        tf.where(matrix > 0.0, matrix, tf.zeros_like(matrix)),
    ]
    return {"points": points, "shapes": [point.shape for point in points]}


def elementwise_functions(tf):
    """The common elementwise functions and their default names."""
    inputs = tf.placeholder(tf.float32, [None, 2], name="inputs")
    names = (
        "exp log sqrt rsqrt square tanh sigmoid sin cos tan abs sign negative reciprocal floor "
        "ceil round erf lgamma log1p expm1 asin atan sinh is_nan is_inf"
    )
    activations = "relu relu6 elu selu softplus softsign softmax log_softmax leaky_relu"
    functions = [getattr(tf.math, name)(inputs) for name in names.split()]
    outputs = [getattr(tf.nn, name)(inputs) for name in activations.split()]
    others = [
        tf.log(inputs),
        tf.to_int32(inputs),
        tf.saturate_cast(inputs, tf.uint8),
        tf.cumsum(inputs, axis=1, exclusive=True),
        tf.atan2(inputs, inputs),
        tf.squared_difference(inputs, 1.0),
        tf.floormod(inputs, 2.0),
        tf.accumulate_n([inputs, inputs]),
    ]
    return {"functions": functions, "outputs": outputs, "others": others}

"""Matrix products and what is built from them, and basic linear algebra."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import integers, normal, sample


def _matmul_program(dtype):
    def program(tf):
        x, y = sample(dtype, 3, 4, seed=1), sample(dtype, 4, 2, seed=2)
        return [
            tf.matmul(tf.constant(x), tf.constant(y)),
            tf.matmul(tf.constant(x.T), tf.constant(y), transpose_a=True),
            tf.matmul(tf.constant(x), tf.constant(y.T), transpose_b=True),
            tf.matmul(tf.constant(x.T), tf.constant(y.T), transpose_a=True, transpose_b=True),
        ]

    return program


MATMUL_DTYPES = [
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "int32",
    "int64",
    "complex64",
    "complex128",
]
for _dtype in MATMUL_DTYPES:
    case(f"matmul_{_dtype}")(_matmul_program(_dtype))


@case
def adjoint(tf):
    x = tf.constant(sample("complex64", 2, 3, seed=1))
    y = tf.constant(sample("complex64", 2, 3, seed=2))
    batch = tf.constant(sample("complex64", 2, 2, 3, seed=3))
    return [
        tf.matmul(x, y, adjoint_a=True),
        tf.matmul(x, y, adjoint_b=True),
        tf.matmul(x, y, transpose_b=True),
        tf.matmul(batch, batch, adjoint_a=True),
        tf.matmul(tf.real(x), tf.real(y), adjoint_b=True),
    ]


def _batch_program(dtype):
    def program(tf):
        x, y = sample(dtype, 2, 1, 3, 4, seed=1), sample(dtype, 5, 4, 2, seed=2)
        swapped = x.swapaxes(-1, -2)
        return [
            tf.matmul(tf.constant(x), tf.constant(y)),
            tf.matmul(tf.constant(swapped), tf.constant(y), transpose_a=True),
            tf.matmul(tf.constant(x[0]), tf.constant(y[:1])),
            tf.matmul(tf.constant(x), tf.constant(y[0])),
        ]

    return program


for _dtype in MATMUL_DTYPES:
    case(f"batch_matmul_{_dtype}")(_batch_program(_dtype))


@case
def op_types_by_rank(tf):
    matrix, stack = tf.zeros([2, 2]), tf.zeros([3, 2, 2])
    unknown = tf.placeholder(tf.float32)
    products = [matrix @ matrix, stack @ stack, matrix @ unknown, stack @ matrix]
    return [product.op.type for product in products]


@case
def matmul_operator(tf):
    x, y = normal(2, 3), normal(3, 2, seed=1)
    return [tf.constant(x) @ y, x @ tf.constant(y)]


@case
def empty_products(tf):
    return [
        tf.matmul(tf.zeros([0, 3]), tf.zeros([3, 2])),
        tf.matmul(tf.zeros([2, 0]), tf.zeros([0, 3])),
        tf.matmul(tf.zeros([2, 3]), tf.zeros([3, 0])),
        tf.matmul(tf.zeros([0, 2, 3]), tf.zeros([0, 3, 2])),
        tf.matmul(tf.zeros([4, 2, 0]), tf.zeros([4, 0, 2])),
    ]


@case
def partial_static_shapes(tf):
    x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [3, None])
    unknown = tf.placeholder(tf.float32)
    stack = tf.placeholder(tf.float32, [None, 2, 3])
    fetches = [
        tf.matmul(x, y),
        tf.matmul(x, unknown),
        tf.matmul(stack, stack, transpose_b=True),
        tf.matmul(stack, y),
    ]
    feeds = {x: normal(2, 3), y: normal(3, 4), unknown: normal(3, 1), stack: normal(2, 2, 3)}
    return Case(fetches, feeds)


@case
def dense_layer(tf):
    inputs, weights = tf.constant(normal(4, 3)), tf.constant(normal(3, 2, seed=1))
    bias = tf.constant(normal(2, seed=2))
    return [tf.nn.xw_plus_b(inputs, weights, bias), tf.nn.relu_layer(inputs, weights, bias)]


@case
def tensordot(tf):
    x, y = tf.constant(normal(2, 3, 4)), tf.constant(normal(4, 3, 5, seed=1))
    vector = tf.constant(normal(3, seed=2))
    return [
        tf.tensordot(x, y, 1),
        tf.tensordot(x, y, [[1], [1]]),
        tf.tensordot(x, y, [[2, 1], [0, 1]]),
        tf.tensordot(vector, vector, 1),
        tf.tensordot(vector, vector, 0),
        tf.tensordot(x, vector, [[1], [0]]),
    ]


@case
def einsum(tf):
    x, y = tf.constant(normal(2, 3)), tf.constant(normal(3, 4, seed=1))
    stack, square = tf.constant(normal(5, 2, 3, seed=2)), tf.constant(normal(3, 3, seed=3))
    return {
        "matmul": tf.einsum("ij,jk->ik", x, y),
        "implicit": tf.einsum("ij,jk", x, y),
        "transpose": tf.einsum("ij->ji", x),
        "sum": tf.einsum("ij->", x),
        "row_sum": tf.einsum("ij->i", x),
        "outer": tf.einsum("i,j->ij", x[0], y[0]),
        "batch": tf.einsum("bij,jk->bik", stack, y),
        "ellipsis": tf.einsum("...ij,jk->...ik", stack, y),
        "trace": tf.einsum("ii->", square),
        "diagonal": tf.einsum("ii->i", square),
        "three": tf.einsum("ij,jk,kl->il", x, square, y),
    }


@case
def diagonals(tf):
    vector, matrix = tf.constant(normal(3)), tf.constant(normal(3, 4, seed=1))
    stack = tf.constant(normal(2, 3, 3, seed=2))
    return {
        "diag": tf.diag(vector),
        "diag_of_matrix": tf.diag(tf.constant(normal(2, 2))),
        "diag_part": tf.diag_part(stack[0]),
        "matrix_diag": tf.matrix_diag(tf.constant(normal(2, 3))),
        "matrix_diag_k": tf.linalg.diag(vector, k=1),
        "matrix_diag_part": tf.matrix_diag_part(matrix),
        "matrix_diag_part_k": tf.linalg.diag_part(matrix, k=(-1, 1), padding_value=9.0),
        "matrix_set_diag": tf.matrix_set_diag(stack, tf.constant(normal(2, 3))),
        "trace": tf.trace(stack),
        "eye": [tf.eye(3), tf.eye(2, 3), tf.eye(2, batch_shape=[2], dtype=tf.int32)],
    }


@case
def band_parts(tf):
    matrix = tf.constant(integers(1, 9, (4, 5)))
    bounds = [(0, 0), (-1, 0), (0, -1), (1, 2), (-1, -1), (2, 1)]
    return [tf.matrix_band_part(matrix, *bound) for bound in bounds]


def _positive(size, seed=0):
    factor = normal(size, size, dtype="float64", seed=seed)
    return factor @ factor.T + size * np.eye(size)


@case
def factorisations_and_solves(tf):
    matrix, right = tf.constant(_positive(4)), tf.constant(normal(4, 2, dtype="float64", seed=3))
    triangle = tf.linalg.band_part(matrix, -1, 0)
    return {
        "cholesky": tf.cholesky(matrix),
        "cholesky_solve": tf.cholesky_solve(tf.cholesky(matrix), right),
        "determinant": tf.matrix_determinant(matrix),
        "logdet": tf.linalg.logdet(matrix),
        "slogdet": list(tf.linalg.slogdet(-matrix)),
        "inverse": tf.matrix_inverse(matrix),
        "inverse_adjoint": tf.matrix_inverse(matrix + triangle, adjoint=True),
        "solve": tf.matrix_solve(matrix, right),
        "triangular": tf.matrix_triangular_solve(triangle, right),
        "triangular_upper": tf.matrix_triangular_solve(triangle, right, adjoint=True),
        "eigenvalues": tf.self_adjoint_eigvals(matrix),
        "singular_values": tf.svd(matrix, compute_uv=False),
        "least_squares": tf.matrix_solve_ls(matrix, right),
        "batch_determinant": tf.matrix_determinant([[[1.0, 2.0], [3.0, 4.0]]] * 2),
        "absolute_qr": [tf.abs(part) for part in tf.qr(matrix)],
    }


@case
def matrix_transposes(tf):
    stack = tf.constant(sample("complex64", 2, 2, 3))
    return [
        tf.matrix_transpose(stack),
        tf.linalg.adjoint(stack),
        tf.matrix_transpose(stack, conjugate=True),
        tf.linalg.matvec(tf.constant(normal(2, 3)), tf.constant(normal(3))),
    ]


@case
def sparse_dense_products(tf):
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [2.0, 3.0], [3, 2])
    dense = tf.constant(normal(2, 2))
    return [
        tf.sparse_tensor_dense_matmul(sparse, dense),
        tf.sparse_tensor_dense_matmul(sparse, tf.constant(normal(3, 2)), adjoint_a=True),
        tf.matmul(tf.constant(normal(2, 3)), tf.sparse_tensor_to_dense(sparse), a_is_sparse=True),
    ]


error_cases(
    inner_dimensions=lambda tf: tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3])),
    vectors=lambda tf: tf.matmul(tf.zeros([3]), tf.zeros([3])),
    mixed_dtypes=lambda tf: tf.matmul(tf.zeros([2, 2]), tf.zeros([2, 2], tf.float64)),
    batch_dimensions=lambda tf: tf.matmul(tf.zeros([2, 3, 3]), tf.zeros([4, 3, 3])),
    transpose_and_adjoint=lambda tf: tf.matmul(
        tf.zeros([2, 2]), tf.zeros([2, 2]), transpose_a=True, adjoint_a=True
    ),
    fed_inner_dimensions=lambda tf: Case(
        tf.matmul(x := tf.placeholder(tf.float32), tf.zeros([2, 2])), {x: np.zeros([2, 3])}
    ),
    fed_vector=lambda tf: Case(
        tf.matmul(x := tf.placeholder(tf.float32), tf.zeros([2, 2])), {x: np.zeros([2])}
    ),
    matmul_of_strings=lambda tf: tf.matmul(tf.constant([["a"]]), tf.constant([["b"]])),
    einsum_unknown_label=lambda tf: tf.einsum("ij->ik", tf.zeros([2, 2])),
    einsum_too_few_operands=lambda tf: tf.einsum("ij,jk->ik", tf.zeros([2, 2])),
    cholesky_of_rectangle=lambda tf: tf.cholesky(tf.zeros([2, 3])),
    inverse_of_singular=lambda tf: tf.matrix_inverse([[1.0, 2.0], [2.0, 4.0]]),
    solve_of_singular=lambda tf: tf.matrix_solve([[1.0, 2.0], [2.0, 4.0]], [[1.0], [1.0]]),
)

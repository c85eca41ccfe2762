"""What rows cannot say of linear algebra: derivatives of functions that are the same for all
choices of sign and phase, functions made of several ops, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import featherflow as tf

from .test_op_properties import check_derivatives


class Composed:
    """A function of one fed tensor, with what `check_derivatives` asks of a built row."""

    def __init__(self, function: Callable[[Any], Any], value: np.ndarray, shape: Any) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            x = tf.placeholder(value.dtype, shape)
            result = function(x)
        self.outputs = list(result) if isinstance(result, (list, tuple)) else [result]
        self.feeds = {x: value}

    def run(self, tensors: Any = None, feeds: Any = None) -> Any:
        with tf.Session(graph=self.graph) as session:
            return session.run(self.outputs if tensors is None else tensors, feeds or self.feeds)


def sample(*shape: int, dtype: str = "float64", seed: int = 5) -> np.ndarray:
    random = np.random.default_rng(seed)
    values = random.uniform(-1, 1, shape)
    if dtype == "complex128":
        values = values + 1j * random.uniform(-1, 1, shape)
    return values.astype(dtype)


def adjoint(x: Any) -> Any:
    return np.conj(np.swapaxes(x, -1, -2))


def run(tensor: Any) -> Any:
    with tf.Session() as session:
        return session.run(tensor)


def gram(x: Any) -> Any:
    """A positive definite matrix."""
    return tf.matmul(x, x, adjoint_b=True) + tf.eye(tf.shape(x)[-1], dtype=x.dtype)


def projections_of_svd(x: Any) -> list[Any]:
    """U Vᴴ and U₀ V₀ᴴ, which are the same for all phases of the vectors."""
    _, u, v = tf.svd(x)
    first = tf.matmul(u[..., :1], v[..., :1], adjoint_b=True)
    return [tf.matmul(u, v, adjoint_b=True), first]


def first_projection_of_eigh(x: Any) -> Any:
    _, v = tf.linalg.eigh(x + tf.linalg.adjoint(x))
    return tf.matmul(v[..., :1], v[..., :1], adjoint_b=True)


def magnitudes_of_eig(x: Any) -> list[Any]:
    """Sums over all vectors, as their order is LAPACK's."""
    e, v = tf.linalg.eig(x)
    squares = tf.real(v * tf.conj(v))
    return [tf.reduce_sum(e * e * e, -1), tf.matmul(squares, squares, transpose_b=True)]


def least_squares_of(fast: bool, rows: int, columns: int) -> Callable[[Any], Any]:
    rhs = sample(rows, 2, seed=8)

    def function(x: Any) -> Any:
        right = tf.cast(rhs, x.dtype) * (1.0 + x[..., :1])
        raw = tf.raw_ops.MatrixSolveLs(
            matrix=x, rhs=right, l2_regularizer=0.3 if fast else 0.0, fast=fast
        )
        return [raw, tf.matrix_solve_ls(x, right, 0.3)] if fast else raw

    return function


DIFFERENTIATED: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "cholesky": (lambda x: tf.cholesky(gram(x)), (2, 3, 3)),
    "cholesky_solve": (lambda x: tf.cholesky_solve(tf.cholesky(gram(x)), x), (2, 3, 3)),
    "logdet": (lambda x: tf.linalg.logdet(gram(x)), (2, 3, 3)),
    "svd_square": (projections_of_svd, (3, 3)),
    "svd_tall": (projections_of_svd, (2, 4, 3)),
    "svd_wide": (projections_of_svd, (2, 3)),
    "eigh": (first_projection_of_eigh, (2, 3, 3)),
    "eig": (magnitudes_of_eig, (3, 3)),
    "expm": (lambda x: tf.linalg.expm(4.0 * x), (2, 3, 3)),
    "pinv_tall": (tf.linalg.pinv, (4, 3)),
    "pinv_wide": (tf.linalg.pinv, (2, 2, 3)),
    "spectral_norm": (lambda x: tf.norm(x, ord=2, axis=[0, 2]), (3, 2, 3)),
    **{
        f"least_squares_{rows}{columns}_{'fast' if fast else 'slow'}": (
            least_squares_of(fast, rows, columns),
            (rows, columns),
        )
        for rows, columns in ((4, 3), (3, 4), (3, 3))
        for fast in (True, False)
    },
}


@pytest.mark.parametrize("name", DIFFERENTIATED)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("static", [True, False], ids=["static", "dynamic"])
def test_gradients(name: str, dtype: str, static: bool) -> None:
    function, shape = DIFFERENTIATED[name]
    value = sample(*shape, dtype=dtype)
    built = Composed(function, value, shape if static else [None] * len(shape))
    check_derivatives(built, built.outputs, list(built.feeds), 1e-6)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["cholesky", "svd_tall", "eigh", "eig", "expm"])
def test_second_gradients(name: str) -> None:
    function, shape = DIFFERENTIATED[name]

    def gradient(x: Any) -> Any:
        result = function(x)
        return tf.gradients([tf.real(y) for y in tf.nest.flatten(result)], x)

    built = Composed(gradient, sample(*shape), shape)
    check_derivatives(built, built.outputs, list(built.feeds), 1e-5)  # type: ignore[arg-type]


# --- values ---------------------------------------------------------------------------------------


def test_cholesky_of_a_matrix_that_is_not_positive_leaves_the_others() -> None:
    stack = np.stack([np.eye(2), -np.eye(2), np.full((2, 2), np.nan)])
    value = run(tf.cholesky(stack))
    np.testing.assert_array_equal(value[0], np.eye(2))
    for broken in value[1:]:
        np.testing.assert_array_equal(broken, [[np.nan, 0], [np.nan, np.nan]])


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_cholesky(dtype: str) -> None:
    matrix = sample(2, 5, 5, dtype="complex128" if "complex" in dtype else "float64")
    matrix = (matrix @ adjoint(matrix) + np.eye(5)).astype(dtype)
    only_lower = np.tril(matrix) + np.triu(np.full_like(matrix, np.nan), 1)
    factor = run(tf.cholesky(only_lower))
    assert factor.dtype == dtype
    np.testing.assert_array_equal(factor, np.tril(factor))
    np.testing.assert_allclose(factor @ adjoint(factor), matrix, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("function", [tf.matrix_inverse, tf.qr])
def test_half_precision(function: Callable[[Any], Any]) -> None:
    matrix = (sample(3, 3) + 2 * np.eye(3)).astype(np.float16)
    values = run(function(matrix))
    expected = np.eye(3) if function is tf.matrix_inverse else matrix
    left, right = (matrix, values) if function is tf.matrix_inverse else values
    assert right.dtype == np.float16
    np.testing.assert_allclose(left.astype(float) @ right.astype(float), expected, atol=5e-3)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("size", [1, 5, 40])
def test_lu(dtype: str, size: int) -> None:
    matrix, right = sample(2, size, size, dtype=dtype), sample(2, size, 3, dtype=dtype)
    packed, order = tf.linalg.lu(matrix)
    back = tf.linalg.lu_reconstruct(packed, order)
    solution = tf.linalg.lu_solve(packed, order, right)
    inverse = tf.linalg.lu_matrix_inverse(packed, order)
    back, solution, inverse = run([back, solution, inverse])
    np.testing.assert_allclose(back, matrix, atol=1e-12)
    np.testing.assert_allclose(matrix @ solution, right, atol=1e-9)
    np.testing.assert_allclose(
        matrix @ inverse, np.broadcast_to(np.eye(size), matrix.shape), atol=1e-9
    )


@pytest.mark.parametrize("size", [17, 64])
def test_large_triangles(size: int) -> None:
    matrix, right = sample(3, size, size) + size * np.eye(size), sample(size, 2)
    for lower, part in ((True, np.tril), (False, np.triu)):
        solution = run(tf.matrix_triangular_solve(matrix, right, lower=lower))
        np.testing.assert_allclose(part(matrix) @ solution, np.stack([right] * 3), atol=1e-12)


def test_triangles_with_zeros_give_infinity() -> None:
    value = run(tf.matrix_triangular_solve([[1.0, 0.0], [2.0, 0.0]], [[1.0], [1.0]]))
    np.testing.assert_array_equal(value, [[1.0], [-np.inf]])


@pytest.mark.parametrize("scale", [0.0, 0.1, 3.0, 50.0])
def test_expm_of_skew_matrices_rotates(scale: float) -> None:
    value = run(tf.linalg.expm([[0.0, scale], [-scale, 0.0]]))
    cosine, sine = np.cos(scale), np.sin(scale)
    np.testing.assert_allclose(value, [[cosine, sine], [-sine, cosine]], atol=2e-5)


def test_expm_scales_each_matrix_of_a_stack_by_itself() -> None:
    value = run(tf.linalg.expm(np.array([[[1e-3]], [[20.0]], [[700.0]]])))
    np.testing.assert_allclose(value.ravel(), np.exp([1e-3, 20, 700]), rtol=1e-11)


def test_expm_undoes_logm() -> None:
    matrix = sample(2, 4, 4, dtype="complex128")
    np.testing.assert_allclose(run(tf.linalg.expm(tf.linalg.logm(matrix))), matrix, atol=1e-10)


def test_functions_of_defective_matrices() -> None:
    jordan = np.array([[1.0, 1.0], [0.0, 1.0]])
    np.testing.assert_allclose(run(tf.linalg.sqrtm(jordan)), [[1, 0.5], [0, 1]], atol=1e-12)
    logarithm = run(tf.linalg.logm(jordan.astype(np.complex128)))
    np.testing.assert_allclose(logarithm, [[0, 1], [0, 0]], atol=1e-12)


def test_real_matrices_without_a_real_root_have_nan() -> None:
    assert np.isnan(run(tf.linalg.sqrtm(-np.eye(2)))).all()
    rotation = [[0.0, 1.0], [-1.0, 0.0]]  # of imaginary eigenvalues, but with a real root
    root = np.sqrt(0.5) * np.array([[1, 1], [-1, 1]])
    np.testing.assert_allclose(run(tf.linalg.sqrtm(rotation)), root, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_pinv_and_rank(dtype: str) -> None:
    matrix = sample(2, 4, 2, dtype=dtype) @ sample(2, 2, 3, dtype=dtype, seed=9)
    inverse, rank = run([tf.linalg.pinv(matrix), tf.linalg.matrix_rank(matrix)])
    np.testing.assert_allclose(inverse, np.linalg.pinv(matrix), atol=1e-12)
    assert rank.tolist() == [2, 2]


@pytest.mark.parametrize("shape", [(3, 2, 4), None])
@pytest.mark.parametrize("axes", [(0, 1), (0, 2), (-1, 0)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_spectral_norm(shape: Any, axes: tuple[int, int], keepdims: bool) -> None:
    value = sample(3, 2, 4)
    built = Composed(lambda x: tf.norm(x, 2, axes, keepdims=keepdims), value, shape)
    expected = np.linalg.norm(value, 2, axes, keepdims=keepdims)
    np.testing.assert_allclose(built.run()[0], expected)


def test_normalize() -> None:
    value = sample(3, 4)
    unit, size = run(tf.linalg.normalize(value, axis=-1))
    np.testing.assert_allclose(size, np.linalg.norm(value, axis=-1, keepdims=True))
    np.testing.assert_allclose(unit * size, value)


def test_singular_values_of_matrices_that_are_not_finite() -> None:
    stack = np.stack([np.eye(2), np.full((2, 2), np.inf)])
    s, u, v = run(tf.svd(stack))
    np.testing.assert_array_equal(s, [[1, 1], [np.nan, np.nan]])
    assert np.isnan(u[1]).all() and np.isnan(v[1]).all() and np.isfinite(u[0]).all()


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 0, 3)])
def test_factors_of_matrices_without_elements(shape: tuple[int, ...], full: bool) -> None:
    empty = np.zeros(shape)
    q, r = run(tf.qr(empty, full_matrices=full))
    expected = shape[-2] if full else 0
    assert q.shape == (*shape[:-1], expected) and r.shape == (*shape[:-2], expected, shape[-1])
    identities = np.broadcast_to(np.eye(expected), (*r.shape[:-1], expected))
    np.testing.assert_allclose(adjoint(q) @ q, identities)


# --- refusals -------------------------------------------------------------------------------------

ONES, RECTANGLE, TALL = np.ones((2, 2)), np.ones((2, 3)), np.ones((4, 2))

REFUSED: dict[str, tuple[str, Callable[[], Any]]] = {
    "singular_inverse": ("not invertible", lambda: tf.matrix_inverse(ONES)),
    "singular_solve": ("not invertible", lambda: tf.matrix_solve(ONES, ONES)),
    "singular_lu": ("not invertible", lambda: tf.linalg.lu(ONES)),
    "nan_inverse": ("not invertible", lambda: tf.matrix_inverse(ONES * np.nan)),
    "deficient": (
        "rank deficient",
        lambda: tf.raw_ops.MatrixSolveLs(matrix=TALL, rhs=TALL, l2_regularizer=0.0),
    ),
    "negative_weight": (
        "l2_regularizer",
        lambda: tf.raw_ops.MatrixSolveLs(matrix=ONES, rhs=ONES, l2_regularizer=-1.0),
    ),
    "eigenvalues_of_nan": ("not successful", lambda: tf.self_adjoint_eigvals(ONES * np.nan)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    message, build = REFUSED[name]
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        run(build())


OF_SQUARES = [
    *(tf.cholesky, tf.matrix_inverse, tf.matrix_determinant, tf.linalg.slogdet),
    *(tf.linalg.lu, tf.self_adjoint_eig, tf.linalg.eig, tf.linalg.sqrtm),
]


@pytest.mark.parametrize("function", OF_SQUARES)
@pytest.mark.parametrize("value", [RECTANGLE, np.ones(2)], ids=["rectangle", "vector"])
def test_only_square_matrices(function: Callable[[Any], Any], value: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"equal|rank"):
        function(value)
    built = Composed(function, value, None)
    with pytest.raises(tf.errors.InvalidArgumentError):
        built.run()


def test_gradients_that_full_matrices_do_not_have() -> None:
    x = tf.placeholder(tf.float64, [4, 2])
    with pytest.raises(NotImplementedError, match="full_matrices"):
        tf.gradients(tf.qr(x, full_matrices=True), x)
    with pytest.raises(NotImplementedError, match="full_matrices"):
        tf.gradients(tf.svd(x, full_matrices=True), x)

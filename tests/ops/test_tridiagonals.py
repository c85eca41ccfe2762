"""The forms in which tridiagonal matrices are given, and singular ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import featherflow as tf

from .cases.tridiagonals import dense

RANDOM = np.random.default_rng(3)
DIAGONALS, RIGHT = RANDOM.uniform(-1, 1, (2, 3, 5)), RANDOM.uniform(-1, 1, (2, 5, 4))
MATRICES = dense(*np.moveaxis(DIAGONALS, 1, 0))
FORMS: dict[str, Any] = {
    "compact": DIAGONALS,
    "sequence": list(np.moveaxis(DIAGONALS, 1, 0)),
    "matrix": MATRICES,
}


def run(tensor: Any) -> Any:
    with tf.Session() as session:
        return session.run(tensor)


@pytest.mark.parametrize("form", FORMS)
def test_products(form: str) -> None:
    value = run(tf.linalg.tridiagonal_matmul(FORMS[form], RIGHT, form))
    np.testing.assert_allclose(value, MATRICES @ RIGHT, atol=1e-14)


@pytest.mark.parametrize("form", FORMS)
def test_solutions(form: str) -> None:
    value = run(tf.linalg.tridiagonal_solve(FORMS[form], RIGHT, form))
    np.testing.assert_allclose(MATRICES @ value, RIGHT, atol=1e-10)


def test_right_sides() -> None:
    vectors = run(tf.linalg.tridiagonal_solve(DIAGONALS, RIGHT[..., 0]))
    np.testing.assert_allclose(vectors, np.linalg.solve(MATRICES, RIGHT)[..., 0], atol=1e-10)
    right = RIGHT * (1 + 2j)
    turned = tf.linalg.tridiagonal_solve(
        DIAGONALS.astype(complex), right.swapaxes(1, 2), transpose_rhs=True, conjugate_rhs=True
    )
    np.testing.assert_allclose(run(turned), np.linalg.solve(MATRICES, right.conj()), atol=1e-10)


def test_pivots_that_are_zero() -> None:
    exchange = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    right = np.array([[2.0], [3.0]])
    np.testing.assert_array_equal(run(tf.linalg.tridiagonal_solve(exchange, right)), right[::-1])
    as_is = tf.linalg.tridiagonal_solve(exchange, right, partial_pivoting=False)
    assert not np.isfinite(run(as_is)).any()
    singular = np.zeros((3, 2))
    assert not np.isfinite(run(tf.linalg.tridiagonal_solve(singular, right))).any()
    perturbed = run(tf.linalg.tridiagonal_solve(singular, right * 1e-10, perturb_singular=True))
    assert np.isfinite(perturbed).all()


def test_refusals() -> None:
    with pytest.raises(ValueError, match="diagonals_format"):
        tf.linalg.tridiagonal_solve(DIAGONALS, RIGHT, "rows")
    with pytest.raises(ValueError, match="partial_pivoting"):
        tf.linalg.tridiagonal_solve(DIAGONALS, RIGHT, partial_pivoting=False, perturb_singular=True)
    fed = tf.placeholder_with_default(DIAGONALS[:, :2], None)
    with pytest.raises(tf.errors.InvalidArgumentError, match="incompatible"):
        run(tf.raw_ops.TridiagonalSolve(diagonals=fed, rhs=RIGHT))

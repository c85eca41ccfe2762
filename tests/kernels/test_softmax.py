"""Softmax and cross entropies against float64 formulas and against TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest
from differential.inputs import normal
from differential.kernel_cases import KernelCase

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels import softmax

from .recorded import assert_recorded, cases_of


@pytest.fixture(autouse=True)
def quiet_nan():
    """The runtime sets this once for a whole step."""
    with np.errstate(all="ignore"):
        yield


@cases_of("Softmax")
def test_softmax_as_tensorflow(case: KernelCase) -> None:
    assert_recorded(case, [softmax.softmax(case.inputs["logits"])])


@cases_of("LogSoftmax")
def test_log_softmax_as_tensorflow(case: KernelCase) -> None:
    assert_recorded(case, [softmax.log_softmax(case.inputs["logits"])])


@cases_of("SoftmaxCrossEntropyWithLogits")
def test_cross_entropy_as_tensorflow(case: KernelCase) -> None:
    assert_recorded(case, softmax.softmax_cross_entropy(*case.inputs.values()))


@cases_of("SparseSoftmaxCrossEntropyWithLogits")
def test_sparse_cross_entropy_as_tensorflow(case: KernelCase) -> None:
    assert_recorded(case, softmax.sparse_softmax_cross_entropy(*case.inputs.values()))


@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4), (0, 3), (2, 0)])
def test_softmax_formula(shape: tuple[int, ...]) -> None:
    logits = normal(*shape, dtype="float64")
    exponents = np.exp(logits)
    expected = exponents / exponents.sum(-1, keepdims=True)
    np.testing.assert_allclose(softmax.softmax(logits), expected)
    np.testing.assert_allclose(softmax.log_softmax(logits), np.log(expected), atol=1e-15)


def test_inputs_are_left_alone() -> None:
    logits, labels = normal(3, 4), np.abs(normal(3, 4, seed=1))
    before = logits.copy(), labels.copy()
    softmax.softmax(logits)
    softmax.log_softmax(logits)
    softmax.softmax_cross_entropy(logits, labels)
    softmax.sparse_softmax_cross_entropy(logits, np.array([0, 1, 2]))
    np.testing.assert_array_equal(logits, before[0])
    np.testing.assert_array_equal(labels, before[1])


def test_cross_entropies_agree() -> None:
    logits, labels = normal(5, 3, dtype="float64"), np.array([0, 2, 1, 1, 0])
    dense = softmax.softmax_cross_entropy(logits, np.eye(3)[labels])
    sparse = softmax.sparse_softmax_cross_entropy(logits, labels)
    for one, other in zip(dense, sparse):
        np.testing.assert_allclose(one, other, rtol=1e-14)


def test_gradient_matches_differences() -> None:
    logits, labels = normal(2, 3, dtype="float64"), np.full((2, 3), 1 / 3)
    _, gradient = softmax.softmax_cross_entropy(logits, labels)
    for index in np.ndindex(2, 3):
        step = np.zeros((2, 3))
        step[index] = 1e-6
        up, _ = softmax.softmax_cross_entropy(logits + step, labels)
        down, _ = softmax.softmax_cross_entropy(logits - step, labels)
        assert (up - down).sum() / 2e-6 == pytest.approx(gradient[index], abs=1e-8)


@pytest.mark.parametrize("label", (-1, 3))
def test_label_out_of_range(label: int) -> None:
    message = f"label value of {label} which is outside the valid range of \\[0, 3\\)"
    with pytest.raises(InvalidArgumentError, match=message):
        softmax.sparse_softmax_cross_entropy(normal(2, 3), np.array([0, label]))


@pytest.mark.parametrize(
    ("features", "labels", "message"),
    [
        ((3,), (1,), "logits must be 2-D"),
        ((2, 3), (2, 1), "labels must be 1-D"),
        ((2, 3), (3,), "same first dimension"),
        ((2, 0), (2,), "at least one class"),
    ],
)
def test_sparse_shapes_that_do_not_fit(features: tuple, labels: tuple, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        softmax.sparse_softmax_cross_entropy(np.zeros(features), np.zeros(labels, np.int64))


@pytest.mark.parametrize(
    ("features", "labels", "message"),
    [((2, 3), (2, 4), "broadcastable"), ((3,), (3,), "2-dimensional")],
)
def test_dense_shapes_that_do_not_fit(features: tuple, labels: tuple, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        softmax.softmax_cross_entropy(np.zeros(features), np.zeros(labels))


def test_scalar_logits() -> None:
    with pytest.raises(InvalidArgumentError, match=">= 1 dimension"):
        softmax.softmax(np.zeros(()))


def test_sparse_without_rows() -> None:
    loss, backprop = softmax.sparse_softmax_cross_entropy(np.zeros((0, 0)), np.zeros(0, np.int64))
    assert loss.shape == (0,)
    assert backprop.shape == (0, 0)

"""The corpus as plain Python and as tf.functions: equal, or refused at the line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import featherflow as tf
from featherflow.framework import nest

from . import arrays_corpus, conditionals_corpus, loops_corpus  # noqa: F401 (they fill CASES)
from .corpus import CASES, Case

pytestmark = pytest.mark.usefixtures("eagerly")

EQUAL = [case for case in CASES if case.refusal is None]
REFUSED = [case for case in CASES if case.refusal is not None]


def test_the_corpus_is_large() -> None:
    assert len(CASES) >= 150
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", EQUAL, ids=lambda case: case.name)
def test_equals_python(case: Case) -> None:
    traced = tf.function(case.function)
    for arguments in case.calls:
        expected = case.function(*arguments)
        found = traced(*[tf.constant(value) for value in arguments])
        assert_equal(found, expected)


def assert_equal(found: Any, expected: Any) -> None:
    leaves, wanted = nest.flatten(found), nest.flatten(expected)
    assert len(leaves) == len(wanted)
    for value, other in zip(leaves, wanted):
        np.testing.assert_allclose(np.asarray(value), np.asarray(other), rtol=1e-5)


@pytest.mark.parametrize("case", EQUAL, ids=lambda case: case.name)
def test_python_values_stay_python(case: Case) -> None:
    """With Python values for arguments nothing is staged, and the result is the same."""
    arguments = case.calls[0]
    if not all(isinstance(value, (int, float)) for value in arguments):
        return
    assert_equal(tf.function(case.function)(*arguments), case.function(*arguments))


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_is_refused(case: Case) -> None:
    traced = tf.function(case.function)
    with pytest.raises((tf.errors.OperatorNotAllowedInGraphError, ValueError, TypeError)) as caught:
        traced(*[tf.constant(value) for value in case.calls[0]])
    text = str(caught.value)
    assert case.refusal is not None and case.refusal in text
    assert f"{case.function.__code__.co_filename}:{case.refused_line}" in text


def test_what_cannot_be_converted_runs_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    class Box:
        def __init__(self) -> None:
            self.__value = 3.0

        def get(self, x: Any) -> Any:
            return self.__value * x

    assert float(tf.function(Box().get)(tf.constant(2.0))) == 6.0
    assert "cannot convert" in caplog.text and f"{__file__}:" in caplog.text


def test_do_not_convert() -> None:
    @tf.autograph.experimental.do_not_convert
    def plain(x: Any) -> Any:
        return 1 if x > 0 else 2

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="Python bool"):
        tf.function(lambda x: plain(x))(tf.constant(1.0))


def test_dynamic_code_runs_as_it_is() -> None:
    names: dict[str, Any] = {}
    exec("def doubled(x):\n    return x * 2", names)
    assert float(tf.function(names["doubled"])(tf.constant(2.0))) == 4.0

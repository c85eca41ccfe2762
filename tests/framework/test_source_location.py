"""Where functions and kernels stand, decorators or not."""

from __future__ import annotations

import functools
import linecache
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import featherflow as tf
from featherflow.framework.op import find_op
from featherflow.framework.source_location import SourceLocation, caller_location, definition_of


def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any) -> Any:
        return function(*args)

    return call


@decorated
@decorated
def decorated_function(x: int) -> int:
    return x


inner = decorated_function.__wrapped__.__wrapped__  # type: ignore[attr-defined]


@functools.total_ordering
class Decorated:
    def __lt__(self, other: object) -> bool:
        return False


def source_of(place: SourceLocation | None) -> str:
    assert place is not None
    return linecache.getline(place.file, place.line).strip()


@pytest.mark.parametrize("value", [decorated_function, partial(inner, 1)])
def test_a_function_is_at_its_def(value: Any) -> None:
    assert source_of(definition_of(value)) == "def decorated_function(x: int) -> int:"


def test_a_class_is_at_its_class() -> None:
    assert source_of(definition_of(Decorated)) == "class Decorated:"


def test_what_python_did_not_write_is_nowhere() -> None:
    assert definition_of(np.add) is None
    assert definition_of(len) is None


def test_the_caller_of_the_caller() -> None:
    def here() -> SourceLocation:
        return caller_location()

    place = here()
    assert source_of(place) == "place = here()"


def test_a_kernel_is_at_its_def_in_errors_explain_and_traces() -> None:
    conv2d = find_op("Conv2D")
    assert conv2d is not None
    (kernel,) = conv2d.kernels
    assert source_of(kernel.location) == "def _conv2d_cpu("
    with tf.Graph().as_default(), tf.Session() as sess:
        image = tf.placeholder(tf.float32, [1, 4, 4, 1])
        conv = tf.nn.conv2d(image, np.ones((2, 2, 1, 1), "f"), 1, "SAME")
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        feeds = {image: np.ones((1, 4, 4, 1))}
        sess.run(conv, feeds, options=options, run_metadata=metadata)
    assert str(kernel.location) in str(metadata)

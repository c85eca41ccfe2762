"""The mode of test runs: tests and doctests are written for graphs where they do not say otherwise.

A module of tests for eager execution asks for the fixture `eagerly`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import featherflow as tf
from featherflow.framework import mode, tensor_shape

mode.choose(mode.Mode.GRAPH)


@pytest.fixture(autouse=True)
def _own_graph(request: pytest.FixtureRequest) -> None:
    """Each doctest starts on an empty default graph, as a program does."""
    if isinstance(request.node, pytest.DoctestItem):
        tf.compat.v1.reset_default_graph()


@pytest.fixture
def eagerly() -> Iterator[None]:
    """Runs a test as a TF2 program: ops run at once, names and shapes are TF2's."""
    chosen = tensor_shape._is_chosen, tensor_shape._v2_behavior
    tensor_shape._is_chosen = False
    mode.choose(mode.Mode.EAGER)
    try:
        yield
    finally:
        tf.random.set_seed(None)
        mode.choose(mode.Mode.GRAPH)
        tensor_shape._is_chosen, tensor_shape._v2_behavior = chosen

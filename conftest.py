"""Doctests start from an empty default graph, in whatever order they run."""

from __future__ import annotations

import pytest

import featherflow as tf


@pytest.fixture(autouse=True)
def empty_default_graph(request: pytest.FixtureRequest) -> None:
    if isinstance(request.node, pytest.DoctestItem):
        tf.reset_default_graph()

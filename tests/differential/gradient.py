"""Fetching gradients with an uneven upstream gradient, so that no weight can be mixed up."""

from __future__ import annotations

from typing import Any

import numpy as np

from .inputs import normal


def weighted_gradients(tf: Any, y: Any, sources: Any) -> Any:
    """``tf.gradients(y, sources)`` under a fixed pseudo-random upstream gradient of y's shape."""
    shape = y.shape.as_list()
    if y.dtype.base_dtype.is_complex:
        upstream = normal(*shape, dtype=y.dtype.base_dtype.name, seed=7)
    else:
        upstream = normal(*shape, seed=7).astype(np.float32)
    return tf.gradients(y, sources, grad_ys=tf.constant(upstream, y.dtype.base_dtype))


def second_order(tf: Any, y: Any, source: Any) -> Any:
    """The gradient of the squared gradient of y³ (y² would leave nothing of a square root)."""
    (first,) = tf.gradients(tf.square(y) * y, source)
    return tf.gradients(tf.square(first), source)

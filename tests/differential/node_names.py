"""The nodes that a program has made so far, for cases that compare names with TensorFlow's."""

from __future__ import annotations

from typing import Any


def node_names(tf: Any) -> list[str]:
    """Name and type of each node in the order of creation, but for the nodes of gradients."""
    operations = tf.get_default_graph().get_operations()
    return [f"{op.name} {op.type}" for op in operations if not op.name.startswith("gradients")]

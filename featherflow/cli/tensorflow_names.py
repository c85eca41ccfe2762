"""Which module stands for each of TensorFlow's: the one table of the import shim.

"alias"    the module itself, under another name
"flat"     any public name, wherever it lives: `array_ops.reshape`, `nn_ops.conv2d`
"space"    the names of one public namespace
"messages" protocol-buffer modules
"""

from __future__ import annotations

from typing import NamedTuple


class Stand(NamedTuple):
    """What stands for a module: a kind of those above, and its target."""

    kind: str
    target: str = ""


_FRAMEWORK = "tensorflow.python.framework"

#: TensorFlow's module → what stands for it; the longest prefix decides.
STANDS: dict[str, Stand] = {
    "tensorflow": Stand("alias", "featherflow"),
    "tensorflow.compat": Stand("alias", "featherflow.compat"),
    "tensorflow.python": Stand("flat"),
    f"{_FRAMEWORK}.dtypes": Stand("alias", "featherflow.framework.dtypes"),
    f"{_FRAMEWORK}.errors": Stand("alias", "featherflow.framework.errors"),
    f"{_FRAMEWORK}.errors_impl": Stand("alias", "featherflow.framework.errors"),
    f"{_FRAMEWORK}.tensor_shape": Stand("alias", "featherflow.framework.tensor_shape"),
    f"{_FRAMEWORK}.device": Stand("alias", "featherflow.framework.device"),
    f"{_FRAMEWORK}.graph_util": Stand("space", "graph_util"),
    "tensorflow.python.training": Stand("space", "train"),
    "tensorflow.python.summary": Stand("space", "summary"),
    "tensorflow.python.saved_model": Stand("space", "saved_model"),
    "tensorflow.python.platform.gfile": Stand("space", "gfile"),
    "tensorflow.python.platform.tf_logging": Stand("space", "logging"),
    "tensorflow.python.platform.flags": Stand("space", "flags"),
    "tensorflow.python.platform.app": Stand("space", "app"),
    "tensorflow.python.platform.test": Stand("space", "test"),
    "tensorflow.python.client.timeline": Stand("alias", "featherflow.runtime.timeline"),
    "tensorflow.python.util.nest": Stand("space", "nest"),
    "tensorflow.python.util.compat": Stand("space", "compat"),
    "tensorflow.core.framework": Stand("messages"),
    "tensorflow.core.protobuf": Stand("messages"),
    "tensorflow.core.util": Stand("messages"),
    "tensorflow.core.example": Stand("messages"),
}

#: Message modules of TensorFlow whose messages we keep in a module of another name.
MESSAGE_MODULES: dict[str, str] = {
    "tensor_shape_pb2": "tensor_pb2",
    "types_pb2": "tensor_pb2",
    "resource_handle_pb2": "tensor_pb2",
    "feature_pb2": "example_pb2",
    "op_def_pb2": "op_def_pb2",
}


def stand_for(module: str) -> Stand | None:
    """What stands for a module of TensorFlow's, by its longest prefix in the table."""
    parts = module.split(".")
    for count in range(len(parts), 0, -1):
        prefix = ".".join(parts[:count])
        stand = STANDS.get(prefix)
        if stand is None:
            continue
        if stand.kind == "alias":
            rest = ".".join([stand.target, *parts[count:]])
            return Stand("alias", rest)
        return stand
    return None

"""States what a graph is (nodes, variables, slots, collections) as text that can be compared.

**What is left out.** How gradients are put together is the business of each library's gradient
functions, so nodes of gradient subgraphs are only counted, and the places that refer to one say
`<gradient>`. A node belongs to a gradient subgraph if a component of its name other than the last
starts with "gradients": `tf.gradients` and the optimizers build in a scope of that name, and the
programs give no other scope such a name. Nodes that apply updates (`Adam/update_w/ApplyAdam`) are
outside of it and are compared. So is everything a gradient adds elsewhere.

The tokens under which `py_func` keeps functions differ from one run of TensorFlow to the next and
are masked. `node:0` and `node` are the same input; TensorFlow writes the former where a loop or a
branch was closed, and we write the latter everywhere.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

GRADIENT = "<gradient>"
_GRADIENT_SCOPE = re.compile(r"(^|/)gradients[^/]*/")
_PRINTED_ELEMENTS = 12
_LIST_FIELDS = ("s", "i", "f", "b", "type", "shape", "tensor", "func")
_MASKED_ATTRS = {"token": "<token>"}


class NodeFacts(NamedTuple):
    """A node as text; `inputs` has the data inputs in order, then the control inputs sorted."""

    name: str
    op: str
    inputs: list[str]
    device: str
    attrs: dict[str, str]
    output_shapes: list[str]


def describe_graph(tf: Any, graph: Any, points: Mapping[str, Any]) -> dict[str, Any]:
    """Returns all facts of a graph whose program returned `points`.

    Args:
        tf: The module that built the graph.
        graph: The graph.
        points: What the program returned, without its steps.
    """
    operations = graph.get_operations()
    compared = [op for op in operations if not is_gradient(op.name)]
    return {
        "nodes": [node_facts(tf, op) for op in compared],
        "gradient_nodes": len(operations) - len(compared),
        "variables": [_variable_facts(variable) for variable in _variables(tf, graph)],
        "collections": {
            str(key): [_item_text(item) for item in graph.get_collection(key)]
            for key in sorted(graph.get_all_collection_keys(), key=str)
        },
        "points": _point_facts(tf, points),
    }


def is_gradient(name: str) -> bool:
    """Whether a node of this name (or a tensor's, or a control input's) is only counted."""
    return _GRADIENT_SCOPE.search(name.lstrip("^")) is not None


# --- nodes ------------------------------------------------------------------------------------


def node_facts(tf: Any, operation: Any) -> NodeFacts:
    """Returns the facts of one operation, read from its NodeDef and its outputs."""
    node = operation.node_def
    inputs = [name.removesuffix(":0") for name in node.input if not name.startswith("^")]
    controls = sorted(name for name in node.input if name.startswith("^"))
    return NodeFacts(
        node.name,
        node.op,
        [GRADIENT if is_gradient(name) else name for name in inputs]
        + [name for name in controls if not is_gradient(name)]
        + [f"^{GRADIENT}"] * any(map(is_gradient, controls)),
        node.device,
        {name: _attr_text(tf, name, node.attr[name]) for name in sorted(node.attr)},
        [_static_shape_text(tensor.shape) for tensor in operation.outputs],
    )


def _attr_text(tf: Any, name: str, value: Any) -> str:
    if name in _MASKED_ATTRS:
        return _MASKED_ATTRS[name]
    field = value.WhichOneof("value")
    if field != "list":
        return _field_text(tf, field, getattr(value, field))
    filled = [name for name in _LIST_FIELDS if len(getattr(value.list, name))]
    items = [_field_text(tf, name, item) for name in filled for item in getattr(value.list, name)]
    return f"[{', '.join(items)}]"


def _field_text(tf: Any, field: str, value: Any) -> str:
    match field:
        case "type":
            return tf.as_dtype(value).name
        case "s":
            return json.dumps(value.decode("latin-1"))
        case "f":
            return str(np.float32(value))
        case "shape":
            sizes = ",".join("?" if dim.size < 0 else str(dim.size) for dim in value.dim)
            return "?" if value.unknown_rank else f"({sizes})"
        case "tensor":
            return _tensor_text(tf.as_dtype(value.dtype).name, tf.make_ndarray(value))
        case "func":
            return value.name
    return str(value)


def _tensor_text(dtype: str, array: np.ndarray) -> str:
    """`float32(2,): 1.0 2.5`, or a hash of the values where there are many."""
    shape = ",".join(map(str, array.shape))
    items = array.reshape(-1)
    if items.size <= _PRINTED_ELEMENTS:
        values = " ".join(repr(item) if array.dtype == object else str(item) for item in items)
        return f"{dtype}({shape}): {values}"
    if array.dtype == object:
        content = b"".join(b"%d:%s" % (len(item), item) for item in items)
    else:
        content = items.tobytes()
    return f"{dtype}({shape}): sha256 {hashlib.sha256(content).hexdigest()[:16]}"


def _static_shape_text(shape: Any) -> str:
    if shape.ndims is None:
        return "?"
    return f"({','.join('?' if size is None else str(size) for size in shape.as_list())})"


# --- variables and collections ------------------------------------------------------------------


def _variables(tf: Any, graph: Any) -> list[Any]:
    keys = (tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.LOCAL_VARIABLES)
    found = [variable for key in keys for variable in graph.get_collection(key)]
    return list({id(variable): variable for variable in found}.values())


def _variable_facts(variable: Any) -> list[str]:
    trainable = "trainable" if variable.trainable else "not trainable"
    return [variable.name, _static_shape_text(variable.shape), variable.dtype.name, trainable]


def _item_text(item: Any) -> str:
    if isinstance(item, (int, float, str)):
        return repr(item)
    name = getattr(item, "name", None)
    if not isinstance(name, str):
        return f"<{type(item).__name__}>"
    return GRADIENT if is_gradient(name) else name


# --- what the program returned --------------------------------------------------------------------


def _point_facts(tf: Any, points: Mapping[str, Any]) -> dict[str, str]:
    return {path: text for name, point in points.items() for path, text in _leaves(tf, point, name)}


def _leaves(tf: Any, point: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(point, tf.IndexedSlices):
        point = {"values": point.values, "indices": point.indices, "rows": point.dense_shape}
    elif isinstance(point, tf.train.Optimizer):
        point = _slots(tf, point)
    if isinstance(point, dict):
        items: Any = point.items()
    elif isinstance(point, (list, tuple)) and not isinstance(point, tf.TensorShape):
        items = enumerate(point)
    else:
        yield path, _leaf_text(tf, point)
        return
    for key, value in items:
        yield from _leaves(tf, value, f"{path}/{key}")


def _slots(tf: Any, optimizer: Any) -> dict[str, Any]:
    """The optimizer's slots: slot name to variable name to the slot variable."""
    slots = {
        slot: {
            variable.op.name: optimizer.get_slot(variable, slot)
            for variable in tf.trainable_variables()
        }
        for slot in optimizer.get_slot_names()
    }
    return {"name": optimizer.get_name(), "slots": slots, "variables": optimizer.variables()}


def _leaf_text(tf: Any, point: Any) -> str:
    if isinstance(point, tf.TensorShape):
        return _static_shape_text(point)
    if isinstance(point, tf.Operation):
        return f"operation {point.name}"
    if hasattr(point, "initializer"):  # variables of either kind: they share no public class
        return f"variable {point.name}"
    if isinstance(point, tf.Tensor):
        return f"tensor {GRADIENT if is_gradient(point.name) else point.name}"
    if isinstance(point, bytes):
        return point.decode()
    return repr(point)

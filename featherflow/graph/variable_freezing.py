"""convert_variables_to_constants: a GraphDef that needs no checkpoint."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from featherflow.framework import attr_value
from featherflow.framework.dtypes import as_dtype, from_numpy
from featherflow.framework.exports import export_v1
from featherflow.graph.graph import Graph
from featherflow.graph.graph_def_error import GraphDefError
from featherflow.graph.subgraph_extraction import emptied, extract_sub_graph, node_name

_REF_VARIABLES = frozenset(("Variable", "VariableV2", "AutoReloadVariable"))
_HANDLES = frozenset(("VarHandleOp",))
#: What a handle may pass through between variable and read.
_PASS_HANDLE_ON = frozenset(
    ("Identity", "Switch", "Enter", "Merge", "NextIteration", "Exit", "RefSwitch", "RefEnter")
)
_FETCHED_AT_ONCE = 64


@export_v1("graph_util.convert_variables_to_constants")
def convert_variables_to_constants(
    sess: Any,
    input_graph_def: Any,
    output_node_names: Iterable[str],
    variable_names_whitelist: Iterable[str] | None = None,
    variable_names_blacklist: Iterable[str] | None = None,
) -> Any:
    """The part of a GraphDef that some nodes need, its variables replaced by their values.

    Args:
      sess: a session in which the variables have their values.
      input_graph_def: a GraphDef message of the session's graph.
      output_node_names: names of the nodes to keep, with what they need.
      variable_names_whitelist: names of the variables to replace; None replaces all.
      variable_names_blacklist: names of variables not to replace.
    Returns:
      A new GraphDef.
    Raises:
      AssertionError: an output node is not there.
      FailedPreconditionError: a variable is not initialized.
      GraphDefError: (a ValueError) a resource variable is used by an op that needs the variable.
    """
    graph_def = extract_sub_graph(input_graph_def, output_node_names)
    chosen = None if variable_names_whitelist is None else set(variable_names_whitelist)
    spared = set(variable_names_blacklist or ())
    variables = [
        node
        for node in graph_def.node
        if node.op in _REF_VARIABLES | _HANDLES
        and (chosen is None or node.name in chosen)
        and node.name not in spared
    ]
    values = _read_variables(sess, variables)
    handles = {node.name: node.attr["dtype"].type for node in variables if node.op in _HANDLES}
    freezer = _Freezer(graph_def, values, handles)
    return freezer.frozen()


def _read_variables(sess: Any, variables: list[Any]) -> dict[str, np.ndarray]:
    """The value of each variable, by name; a few at a time, since all of them may be large."""
    values: dict[str, np.ndarray] = {}
    for start in range(0, len(variables), _FETCHED_AT_ONCE):
        some = variables[start : start + _FETCHED_AT_ONCE]
        fetches = [
            f"{node.name}:0" if node.op in _REF_VARIABLES else _read_of(sess.graph, node.name)
            for node in some
        ]
        for node, value in zip(some, sess.run(fetches)):
            dtype = as_dtype(node.attr["dtype"].type)
            values[node.name] = np.asarray(value, dtype.numpy_dtype)
    return values


def _read_of(graph: Graph, name: str) -> Any:
    """The output of a ReadVariableOp that reads the variable directly."""
    handle = graph.get_tensor_by_name(f"{name}:0")
    for operation in handle.consumers():
        if operation.type == "ReadVariableOp" and operation._get_control_flow_context() is None:
            return operation.outputs[0]
    raise GraphDefError(
        "The variable is never read, so its value is not known",
        node=name,
        op="VarHandleOp",
        remedy="Add tf.identity(variable) to the graph of the session.",
    )


class _Freezer:
    """Rewrites the nodes of a GraphDef whose variables have values.

    Args:
      graph_def: the GraphDef.
      values: value of each variable to replace, by its name.
      handles: dtype number of each resource variable among them.
    """

    def __init__(
        self, graph_def: Any, values: dict[str, np.ndarray], handles: dict[str, int]
    ) -> None:
        self._graph_def = graph_def
        self._values = values
        #: Nodes whose output was a handle and becomes a value: name → dtype number.
        self._dtype_of = self._nodes_behind(handles)

    def _nodes_behind(self, handles: dict[str, int]) -> dict[str, int]:
        """The handles, and the nodes that pass them on."""
        users: dict[str, list[Any]] = {}
        for node in self._graph_def.node:
            for text in node.input:
                if not text.startswith("^"):
                    users.setdefault(node_name(text), []).append(node)
        found = dict(handles)
        pending = list(handles)
        while pending:
            name = pending.pop()
            for user in users.get(name, ()):
                if user.op in _PASS_HANDLE_ON and user.name not in found:
                    found[user.name] = found[name]
                    pending.append(user.name)
        return found

    def frozen(self) -> Any:
        """The GraphDef with constants."""
        result = emptied(self._graph_def)
        for node in self._graph_def.node:
            if node.name in self._values:
                _write_constant(result.node.add(), node.name, self._values[node.name])
                continue
            copy = result.node.add()
            copy.CopyFrom(node)
            sources = [node_name(text) for text in node.input if not text.startswith("^")]
            read = [name for name in sources if name in self._dtype_of]
            if node.name in self._dtype_of:
                copy.attr["T"].type = self._dtype_of[node.name]
            elif node.op == "ReadVariableOp" and read:
                _turn_into_identity(copy, self._dtype_of[read[0]])
            elif node.op == "ResourceGather" and sources[0] in self._dtype_of:
                axis = result.node.add()
                _write_constant(axis, f"{node.name}/axis", np.array(0, np.int32))
                _turn_into_gather(copy, self._dtype_of[sources[0]], axis.name)
            elif read:
                self._refuse_use(node, read[0])
        return result

    def _refuse_use(self, node: Any, variable: str) -> None:
        raise GraphDefError(
            f"It needs the variable '{variable}' itself, which becomes a constant",
            node=node.name,
            op=node.op,
            remedy="Freeze only what inference needs, or name the variable in "
            "variable_names_blacklist.",
        )


def _write_constant(node: Any, name: str, value: np.ndarray) -> None:
    node.name, node.op = name, "Const"
    node.attr["dtype"].type = from_numpy(value.dtype).as_datatype_enum
    attr_value.attr_value_to_proto(value, "tensor", node.attr["value"])


def _turn_into_identity(node: Any, dtype: int) -> None:
    node.op = "Identity"
    _keep_attrs(node, ("_class",))
    node.attr["T"].type = dtype


def _turn_into_gather(node: Any, dtype: int, axis: str) -> None:
    node.op = "GatherV2"
    data = [text for text in node.input if not text.startswith("^")]
    controls = [text for text in node.input if text.startswith("^")]
    node.ClearField("input")
    node.input.extend([*data, axis, *controls])
    _keep_attrs(node, ("_class", "Tindices", "batch_dims"))
    node.attr["Tparams"].type = dtype
    node.attr["Taxis"].type = from_numpy(np.dtype(np.int32)).as_datatype_enum


def _keep_attrs(node: Any, names: tuple[str, ...]) -> None:
    for name in list(node.attr):
        if name not in names:
            del node.attr[name]

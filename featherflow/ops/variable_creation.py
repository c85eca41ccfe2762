"""What making a variable takes, whichever kind it is: initial values and collections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework import dispatch
from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import GraphKeys, name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops import ref_variable_ops
from featherflow.ops.cond import cond
from featherflow.ops.control_flow_primitives import Switch
from featherflow.ops.variable_base import Variable, VariableSynchronization

#: Ops that read a ref variable's storage.
_STORAGE_OPS = ("Variable", "VariableV2")
#: Initial values that hold these take care of uninitialised variables themselves.
_GUARDED_OPS = ("IsVariableInitialized", "VarIsInitializedOp", "ReadVariableOp", "If")


def is_trainable(trainable: bool | None, synchronization: Any) -> bool:
    """Whether a variable is trainable: as asked, else unless it is merged on reads only."""
    if synchronization is VariableSynchronization.ON_READ:
        if trainable:
            raise ValueError(
                "Synchronization value can be set to VariableSynchronization.ON_READ only for "
                "non-trainable variables. You have specified trainable=True and "
                "synchronization=VariableSynchronization.ON_READ."
            )
        return False
    return True if trainable is None else bool(trainable)


def check_initial_value(initial_value: Any, constraint: Any) -> None:
    """Refuses what no variable can be made from."""
    if initial_value is None:
        raise ValueError("initial_value must be specified: a variable needs a value to start from.")
    if constraint is not None and not callable(constraint):
        raise ValueError(f"The constraint must be a callable, received {constraint!r}.")


def call_initializer(
    initial_value: Callable[[], Any], node_name: str, dtype: DType | None
) -> Tensor:
    """The tensor that an initialiser function makes, in the scope "Initializer", placed with the
    variable and outside all control flow and control dependencies."""
    graph = get_default_graph()
    with (
        graph.control_dependencies(None),
        graph._attr_scope({"_class": (f"loc:@{node_name}",)}),
        name_scope("Initializer"),
        graph.device(None),
    ):
        return convert_to_tensor(initial_value(), name="initial_value", dtype=dtype)


def collect(variable: Variable, collections: Any, trainable: bool) -> None:
    """Adds a variable to its collections, and to TRAINABLE_VARIABLES if it is trainable."""
    if dispatch.executing_eagerly():
        return  # nobody would take it out again
    if collections is None:
        collections = [GraphKeys.GLOBAL_VARIABLES]
    if not isinstance(collections, (list, tuple, set)):
        raise ValueError(
            f"collections argument to Variable constructor must be a list, tuple, or set. Got "
            f"{collections!r} of type {type(collections)}"
        )
    names = list(collections)
    if trainable and GraphKeys.TRAINABLE_VARIABLES not in names:
        names.append(GraphKeys.TRAINABLE_VARIABLES)
    variable.graph.add_to_collections(names, variable)


# --- initial values that read other variables -----------------------------------------


def value_or_initial(variable: Variable) -> Tensor:
    """`variable` if it is initialised, else its initial value."""
    return cond(
        ref_variable_ops.is_variable_initialized(variable),
        variable.read_value,
        lambda: variable.initial_value,
    )


def guard_uninitialized(node_name: str, initial_value: Tensor) -> Tensor:
    """`initial_value` made safe to run before the variables it reads are initialised.

    All initialisers run in one step in any order, so a read of another variable is replaced by
    `value_or_initial` of it; nodes in between are copied with "_node_name" appended.
    """
    if not _reads_variables(initial_value):
        return initial_value
    return _guarded(node_name, initial_value, {})


def _reads_variables(tensor: Tensor) -> bool:
    """Whether a ref variable is read below `tensor`, and nothing there guards it yet."""
    pending, seen, found = [tensor.op], set(), False
    while pending:
        operation = pending.pop()
        if operation in seen:
            continue
        seen.add(operation)
        if operation.definition.control_flow == "next_iteration":
            return False  # a loop cannot be copied
        if operation.type in _GUARDED_OPS[1:]:
            return False
        found = found or operation.type in _STORAGE_OPS
        pending.extend(source.op for source in operation._inputs)
    return found


def _guarded(node_name: str, tensor: Tensor, copies: dict[Operation, Any]) -> Tensor:
    operation = tensor.op
    if operation in copies:
        copied = copies[operation]
        return copied.outputs[tensor.value_index] if isinstance(copied, Operation) else copied
    if operation.type in _GUARDED_OPS:
        return tensor
    if operation.type in _STORAGE_OPS:
        variable = _variable_of(tensor)
        guarded = tensor if variable is None else value_or_initial(variable)
        copies[operation] = guarded
        return guarded
    inputs = [_guarded(node_name, source, copies) for source in operation._inputs]
    if all(new is old for new, old in zip(inputs, operation._inputs)):
        return tensor
    graph = operation.graph
    # What stands for the variable is a value, and no longer a reference to it.
    definition = Switch if operation.type == "RefSwitch" else operation.definition
    with graph.control_dependencies(None):
        copy = graph.add_node(
            definition,
            inputs,
            dict(operation.attrs),
            _top_level_name(graph, f"{operation.name}_{node_name}"),
            control_inputs=list(operation.control_inputs),
        )
    copies[operation] = copy
    return copy.outputs[tensor.value_index]


def _top_level_name(graph: Any, name: str) -> str:
    with graph.name_scope(None):
        return graph.unique_name(name)


def _variable_of(tensor: Tensor) -> Variable | None:
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES):
        for variable in tensor.graph.get_collection(key):
            if getattr(variable, "name", None) in (tensor.name, f"{tensor.op.name}:0"):
                return variable
    return None

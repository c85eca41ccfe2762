"""How a call of an op becomes a node: name, inputs as tensors, attributes, static shapes."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from featherflow.framework import dtypes
from featherflow.framework.errors import OpError
from featherflow.framework.op import Op
from featherflow.framework.shape_inference import InferenceContext, ShapeInferenceError
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph import constant_value
from featherflow.graph.op_arguments import (
    arg_length,
    complete_attrs,
    convert_arguments,
    given_types,
    in_groups,
    values_by_position,
)
from featherflow.graph.operation import Operation, creation_site
from featherflow.graph.tensor import Tensor

if TYPE_CHECKING:
    from featherflow.graph.graph import Graph


def build_node(graph: Graph, op: Op, args: tuple, kwargs: dict[str, Any], name: str | None) -> Any:
    """Adds the node that a call `op(*args, **kwargs)` stands for; returns its outputs."""
    values = values_by_position(op, args, kwargs)
    other = _graph_of_inputs(graph, values)
    if other is not None:
        with other.as_default():
            return build_node(other, op, tuple(values), kwargs, name)
    scope = name or op.name.lstrip("_")  # no node's name may start as internal ops' do
    if scope.endswith("/"):
        node_name = scope[:-1]
    else:
        if name is not None:
            graph.check_name(name)
        node_name = graph.unique_name(scope)
    attrs: dict[str, Any] = {}
    if op.op_def.inputs:
        inputs = _convert_inputs(graph, op, node_name, values, kwargs, attrs)
    else:
        inputs = []
    complete_attrs(op, kwargs, attrs)
    refs = [tensor for tensor in inputs if tensor._dtype._is_ref_dtype] if op.takes_ref else ()
    if not refs:
        return outputs_of(graph.add_node(op, inputs, attrs, node_name))
    with ExitStack() as colocation:  # what changes a variable goes where the variable is
        for tensor in refs:
            colocation.enter_context(graph.colocate_with(tensor._op))
        return outputs_of(graph.add_node(op, inputs, attrs, node_name))


def _graph_of_inputs(graph: Graph, values: list[Any]) -> Graph | None:
    """The graph that holds the inputs, where it is not `graph`: ops go where their inputs are.

    Functions take in what they use of other graphs.
    """
    other = None
    for value in values:
        for item in value if value.__class__ is list or value.__class__ is tuple else (value,):
            if item.__class__ is Tensor:
                if item._op.graph is graph:
                    return None
                other = other or item._op.graph
    return None if other is None or graph.building_function else other


# --- inputs ---------------------------------------------------------------------------------------


def _convert_inputs(
    graph: Graph,
    op: Op,
    node_name: str,
    values: list[Any],
    kwargs: dict[str, Any],
    attrs: dict[str, Any],
) -> list[Tensor]:
    """The inputs as a flat list of tensors; the attributes they imply go into `attrs`.

    Constants made on the way are named below the node, `add/y`, as TensorFlow names them.
    """
    attrs.update(given_types(op, kwargs))
    scopes = graph._scopes.names
    outer_scope = scopes.current
    scopes.current = node_name
    try:
        inputs = convert_arguments(op, values, attrs)
    finally:
        scopes.current = outer_scope
    for index, tensor in enumerate(inputs):
        if tensor._op.graph is not graph:
            inputs[index] = graph._take_in(tensor, f"{op.name} '{node_name}'")
    return inputs


# --- outputs --------------------------------------------------------------------------------------


def outputs_of(operation: Operation) -> Any:
    """What a call returns: the only output, a list, a namedtuple of them, or the node itself."""
    if not operation.outputs:
        return operation
    return in_groups(operation.definition, operation.attrs, operation.outputs)


def infer_shapes(operation: Operation) -> list[TensorShape]:
    """The static shapes of a node's outputs.

    Raises:
      ShapeInferenceError: (a ValueError) the op cannot take its inputs; names node and line.
    """
    op = operation.definition
    inputs = operation._inputs
    function = op.shape_function
    if function is None:
        return [UNKNOWN] * sum(arg_length(arg, operation.attrs) for arg in op.op_def.outputs)
    context = InferenceContext(
        op,
        operation.attrs,
        inputs,
        [tensor._shape for tensor in inputs],
        constant_value.constant_value,
        constant_value.constant_value_as_shape,
        operation.graph._producer,
    )
    try:
        shapes = function(context)
    except ShapeInferenceError as error:
        raise _located(operation, context, error) from None
    except OpError as error:
        failure = ShapeInferenceError(
            error.message, error.received, error.expected, error.remedy or ""
        )
        raise _located(operation, context, failure) from None
    return [shapes] if shapes.__class__ is TensorShape else shapes


def _located(
    operation: Operation, context: InferenceContext, error: ShapeInferenceError
) -> ShapeInferenceError:
    """The refusal with op, node, both sides and the user's line in its message."""
    received = error.received or context.received()
    parts = [f"{operation.type} '{operation.name}': {error.message.rstrip('.')}."]
    if received:
        parts.append(
            f"Received {received}" + (f"; expected {error.expected}." if error.expected else ".")
        )
    if error.remedy:
        parts.append(error.remedy)
    site = creation_site(operation)
    if site:
        parts.append(f"Created at {site}")
    return ShapeInferenceError(" ".join(parts), received, error.expected, error.remedy)


def propagate_handle_data(operation: Operation) -> None:
    """Resource handles carry dtype and shape of their value through ops that pass them on."""
    for index, tensor in enumerate(operation.outputs):
        if tensor._dtype is not dtypes.resource or tensor._handle_data is not None:
            continue
        dtype = operation.attrs.get("dtype", dtypes.resource)  # a placeholder's: of the handle
        if "shape" in operation.attrs and dtype is not dtypes.resource:
            tensor._handle_data = (dtype, operation.attrs["shape"])
        elif operation._inputs and (
            operation.definition.aliases or operation.definition.control_flow
        ):
            source = operation._inputs[min(index, len(operation._inputs) - 1)]
            if operation.definition.control_flow in ("switch", "merge"):
                source = operation._inputs[0]
            tensor._handle_data = source._handle_data

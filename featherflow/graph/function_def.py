"""GraphFunction: a function of a graph's library, read from a FunctionDef; its body is a graph."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from featherflow.framework.attr_value import NameAttrList, attr_value_from_proto
from featherflow.framework.detached_contents import content_of
from featherflow.framework.errors import UnimplementedError
from featherflow.framework.op import Op, find_op, op_from_op_def
from featherflow.framework.op_kernel import OpKernel
from featherflow.framework.shape_inference import InferenceContext, unknown_shapes
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.function_body import read_body
from featherflow.graph.graph import Graph
from featherflow.graph.graph_def_error import GraphDefError
from featherflow.graph.op_def_message import op_def_from_message
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor

#: Functions that call functions are looked into so deep for static shapes.
_MAX_SHAPE_DEPTH = 16
#: Longer bodies are not read again to find the static shapes of one call.
_MAX_NODES_READ_AGAIN = 2000


class _ShapeInference(threading.local):
    """The functions whose bodies are being looked into for static shapes, outermost first."""

    def __init__(self) -> None:
        self.entered: list[GraphFunction] = []


_shapes = _ShapeInference()


@dataclass(frozen=True)
class FunctionBody:
    """The body of a function whose attributes have values.

    Attributes:
      graph: its nodes; the arguments are placeholders.
      inputs: the arguments, lists unrolled.
      outputs: the results, lists unrolled.
      control_outputs: nodes that must have run when the function is done.
    """

    graph: Graph
    inputs: list[Tensor]
    outputs: list[Tensor]
    control_outputs: list[Operation] = field(default_factory=list)


class GraphFunction:
    """A function by name: what PartitionedCall and While run, and what a node may call like an op.

    The body becomes a graph when it is first needed. A function whose signature has attributes has
    a body for each value of these.

    Args:
      message: the FunctionDef; copied.
      library: the functions that the body may call, by name; read when the body is made.
      contents: what `detach_contents` took out of the file of the message.
    """

    def __init__(
        self, message: Any, library: Mapping[str, Any], contents: Sequence[memoryview] = ()
    ) -> None:
        self._message = type(message)()
        self._message.CopyFrom(message)
        self._library = library
        self._contents = contents
        self._bodies: dict[NameAttrList, FunctionBody] = {}
        self._shapes: dict[NameAttrList, list[TensorShape]] = {}
        self.name: str = message.signature.name
        #: The function that computes its gradient, or "".
        self.gradient_name = ""

    def __repr__(self) -> str:
        return f"<GraphFunction {self.name}>"

    # --- the body ---------------------------------------------------------------------------------

    def instantiate(self, attrs: Mapping[str, Any] | None = None) -> FunctionBody:
        """The body for values of the function's attributes.

        Raises:
          GraphDefError: (a ValueError) the FunctionDef is damaged, or an attribute is missing.
          NotFoundError: it has ops that are not registered.
        """
        wanted = {name: attrs[name] for name in self._attr_names if attrs and name in attrs}
        key = NameAttrList(self.name, wanted)
        body = self._bodies.get(key)
        if body is None:
            graph, inputs, outputs, controls = read_body(
                self._message, self._library, wanted, self._contents
            )
            body = self._bodies[key] = FunctionBody(graph, inputs, outputs, controls)
        return body

    @property
    def graph(self) -> Graph:
        """The body of a function without attributes."""
        return self.instantiate().graph

    @property
    def inputs(self) -> list[Tensor]:
        """The arguments in `graph`."""
        return self.instantiate().inputs

    @property
    def outputs(self) -> list[Tensor]:
        """The results in `graph`."""
        return self.instantiate().outputs

    @property
    def control_outputs(self) -> list[Operation]:
        """The nodes of `graph` that must have run when the function is done."""
        return self.instantiate().control_outputs

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes of the function itself, such as `_noinline`."""
        return {name: attr_value_from_proto(item) for name, item in self._message.attr.items()}

    @cached_property
    def _attr_names(self) -> tuple[str, ...]:
        return tuple(attr.name for attr in self._message.signature.attr)

    def output_shapes(
        self, attrs: Mapping[str, Any], input_shapes: Sequence[TensorShape]
    ) -> list[TensorShape]:
        """The static shapes of the results for arguments of `input_shapes`."""
        body = self.instantiate(attrs)
        shapes = [tensor.shape for tensor in body.outputs]
        is_known = all(shape.is_fully_defined() for shape in shapes)
        if is_known or len(self._message.node_def) > _MAX_NODES_READ_AGAIN:
            return shapes
        wanted = {name: attrs[name] for name in self._attr_names if name in attrs}
        key = NameAttrList(self.name, {**wanted, "shapes": tuple(input_shapes)})
        found = self._shapes.get(key)
        if found is None:
            _, _, outputs, _ = read_body(
                self._message, self._library, wanted, self._contents, input_shapes
            )
            found = self._shapes[key] = [tensor.shape for tensor in outputs]
        return found

    # --- the function as an op --------------------------------------------------------------------

    @cached_property
    def definition(self) -> Op:
        """The op of nodes that call the function by its name."""
        op_def = op_def_from_message(self._message.signature)
        definition = op_from_op_def(op_def, calls_functions=True)
        definition.shape_fn(self._shapes_of_call)
        definition.kernel("CPU")(FunctionCall)
        return definition

    def _shapes_of_call(self, c: InferenceContext) -> list[TensorShape]:
        """The static shapes of the results; unknown where functions call each other endlessly."""
        entered = _shapes.entered
        if self in entered or len(entered) >= _MAX_SHAPE_DEPTH:  # it calls itself, or goes deep
            return unknown_shapes(c)
        entered.append(self)
        try:
            return self.output_shapes(c.attrs, c.shapes)
        finally:
            entered.pop()

    # --- the function as a message ----------------------------------------------------------------

    def function_def(self) -> Any:
        """The FunctionDef, as it was read."""
        message = type(self._message)()
        message.CopyFrom(self._message)
        if self._contents:
            for node in message.node_def:
                for attr in node.attr.values():
                    if attr.HasField("tensor"):
                        self._restore(attr.tensor)
                    elif attr.HasField("list"):
                        for tensor in attr.list.tensor:
                            self._restore(tensor)
        return message

    def _restore(self, tensor: Any) -> None:
        """Puts a content that was taken out of the message back into it."""
        content = content_of(tensor.version_number, self._contents)
        if content is not None:
            tensor.version_number = 0
            tensor.tensor_content = bytes(content)


class FunctionCall(OpKernel):
    """Runs a function that a node calls by its name."""

    def compute(self, ctx: Any, *inputs: Any) -> Any:
        if ctx.run_function is None:
            raise UnimplementedError(None, None, "Functions cannot be called here")
        outputs = ctx.run_function(NameAttrList(self.node.definition.name, self.node.attrs), inputs)
        args = self.node.definition.op_def.outputs
        return outputs[0] if len(args) == 1 and not args[0].is_list else tuple(outputs)


def functions_of_library(
    library: Any, existing: Mapping[str, Any], contents: Sequence[memoryview] = ()
) -> dict[str, GraphFunction]:
    """The functions of a FunctionDefLibrary that a graph does not have yet, by name.

    Args:
      library: the message.
      existing: the functions of the graph, which those of the library may call.
      contents: what `detach_contents` took out of the file of the message.
    Raises:
      GraphDefError: a name is an op's, or another function's; or a gradient is missing.
    """
    found: dict[str, GraphFunction] = {}
    # The functions of the graph now, and those that this call adds.
    callable_functions = _Library(found, existing)
    for message in library.function:
        name = message.signature.name
        if find_op(name) is not None:
            raise GraphDefError(
                f"Cannot add function '{name}' because an op with the same name already exists."
            )
        known = found.get(name) or existing.get(name)
        if known is None:
            found[name] = GraphFunction(message, callable_functions, contents)
        elif known.function_def() != GraphFunction(message, {}, contents).function_def():
            raise GraphDefError(
                f"Cannot add function '{name}' because a different function with the same name "
                "already exists."
            )
    for gradient in library.gradient:
        for name in (gradient.function_name, gradient.gradient_func):
            if name not in callable_functions:
                raise GraphDefError(f"FunctionDefLibrary missing '{name}' FunctionDef")
        if gradient.function_name in found:
            found[gradient.function_name].gradient_name = gradient.gradient_func
    return found


class _Library(Mapping[str, Any]):
    """The functions of one import in front of those of the graph it goes into."""

    def __init__(self, added: Mapping[str, Any], existing: Mapping[str, Any]) -> None:
        self._added = added
        self._existing = existing

    def __getitem__(self, name: str) -> Any:
        return self._added[name] if name in self._added else self._existing[name]

    def __iter__(self) -> Any:
        return iter({**self._existing, **self._added})

    def __len__(self) -> int:
        return len({**self._existing, **self._added})

"""TracedFunction: a function of a graph's library whose body was built by calling Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from featherflow.framework.op import Op, op_from_op_def
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.func_graph import FuncGraph
from featherflow.graph.function_def import FunctionBody, FunctionCall
from featherflow.graph.function_export import function_def_message, function_op_def
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor


class TracedFunction:
    """A function by name, with what a `GraphFunction` read from a file has.

    Args:
      name: unique in the library.
      graph: the body; its inputs and outputs are those of the function, captures among them.
      attrs: of the function itself, such as `_noinline`.
    """

    def __init__(self, name: str, graph: FuncGraph, attrs: Mapping[str, Any] | None = None) -> None:
        self.name = name
        self.graph = graph
        self.attrs = dict(attrs or {})
        #: The function that computes its gradient, or "".
        self.gradient_name = ""

    def __repr__(self) -> str:
        return f"<TracedFunction {self.name}>"

    @property
    def inputs(self) -> list[Tensor]:
        """The arguments in `graph`."""
        return self.graph.inputs

    @property
    def outputs(self) -> list[Tensor]:
        """The results in `graph`."""
        return self.graph.outputs

    @property
    def control_outputs(self) -> list[Operation]:
        """The nodes of `graph` that must have run when the function is done."""
        return self.graph.control_outputs

    def instantiate(self, attrs: Mapping[str, Any] | None = None) -> FunctionBody:
        """The body; a traced function has no attributes that it depends on."""
        return FunctionBody(self.graph, self.inputs, self.outputs, self.control_outputs)

    def output_shapes(
        self, attrs: Mapping[str, Any], input_shapes: Sequence[TensorShape]
    ) -> list[TensorShape]:
        """The static shapes of the results."""
        return [tensor.shape for tensor in self.outputs]

    @cached_property
    def definition(self) -> Op:
        """The op of nodes that call the function by its name."""
        op_def = function_op_def(self.name, self.graph, self.inputs, self.outputs)
        definition = op_from_op_def(op_def, calls_functions=True)
        definition.shape_fn(self._shapes_of_call)
        definition.kernel("CPU")(FunctionCall)
        return definition

    def _shapes_of_call(self, c: InferenceContext) -> list[TensorShape]:
        return self.output_shapes(c.attrs, c.shapes)

    def function_def(self) -> Any:
        """The function as a FunctionDef message."""
        return function_def_message(
            self.definition.op_def,
            self.graph,
            self.inputs,
            self.outputs,
            self.control_outputs,
            self.attrs,
        )

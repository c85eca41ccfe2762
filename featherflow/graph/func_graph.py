"""FuncGraph: the body of a function while it is built, and what it takes from the graph around."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from featherflow.framework import nest
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InaccessibleTensorError
from featherflow.framework.op import get_op
from featherflow.framework.recording import captured, recorders
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph import Graph
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor

_numbers = itertools.count()
#: Eager tensors of up to so many elements become constants of the functions that use them.
_SMALL_CONSTANT = 128


class FuncGraph(Graph):
    """A graph whose nodes may use tensors of the graph around: each becomes an argument.

    Args:
      name: of the function.
      outer_graph: the graph around; None takes the default graph.

    Attributes:
      inputs: the arguments; those for what is captured come last.
      outputs: the results.
      control_outputs: nodes that must have run when the function is done.
      captures: pairs of a tensor of the graph around, or a value, and the argument for it.
    """

    def __init__(self, name: str, outer_graph: Graph | None = None) -> None:
        super().__init__()
        self.name = name
        self.outer_graph = get_default_graph() if outer_graph is None else outer_graph
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []
        self.control_outputs: list[Operation] = []
        self._captured: dict[int, tuple[Tensor, Tensor]] = {}
        # Functions are called by name from anywhere: one library serves the graphs in each other.
        self._functions = self.outer_graph._functions
        self.seed = self.outer_graph.seed

    @property
    def building_function(self) -> bool:
        return True

    @property
    def graph(self) -> FuncGraph:
        """Itself: it can stand where the body of a function is wanted."""
        return self

    @property
    def external_captures(self) -> list[Tensor]:
        """The captured tensors of the graph around."""
        return [outside for outside, _ in self._captured.values()]

    @property
    def internal_captures(self) -> list[Tensor]:
        """The arguments that stand for them."""
        return [argument for _, argument in self._captured.values()]

    @property
    def captures(self) -> list[tuple[Tensor, Tensor]]:
        """Both, as pairs."""
        return list(self._captured.values())

    def add_input(self, dtype: DType, shape: TensorShape, name: str) -> Tensor:
        """Makes an argument."""
        node_name = self.unique_name(name)
        attrs = {"dtype": dtype.base_dtype, "shape": shape}
        with self.as_default(), self.control_dependencies(None):
            node = self.add_node(get_op("Placeholder"), [], attrs, node_name)
        tensor = node.outputs[0]
        self.inputs.append(tensor)
        return tensor

    def capture(self, tensor: Tensor) -> Tensor:
        """The argument that stands for a tensor of a graph around.

        Raises:
          InaccessibleTensorError: the tensor is of no graph around.
        """
        if tensor._op.graph is self:
            return tensor
        outer = self.outer_graph
        if tensor.__class__ is not Tensor:
            return self._capture_value(tensor)
        if tensor.graph is not outer:
            if not isinstance(outer, FuncGraph):
                raise InaccessibleTensorError(
                    f"{tensor!r} is of a graph that function '{self.name}' is not in: it can only "
                    "use its own tensors, and those of the graphs that it is built in."
                )
            tensor = outer.capture(tensor)
        return self._argument_for(tensor, tensor.op.name.rpartition("/")[2])

    def _capture_value(self, tensor: Tensor) -> Tensor:
        """What stands for an eager tensor: a constant if it is small, else an argument."""
        value = tensor._static_value()
        if value is not None and value.size <= _SMALL_CONSTANT and value.dtype != object:
            return self._as_constant(tensor)
        outer = self.outer_graph
        if isinstance(outer, FuncGraph):
            tensor = outer.capture(tensor)
            if tensor._op.graph is self:
                return tensor
        elif not outer.is_eager:
            tensor = outer._as_constant(tensor)
        return self._argument_for(tensor, "captured")

    def _argument_for(self, tensor: Tensor, name: str) -> Tensor:
        known = self._captured.get(id(tensor))
        if known is None:
            argument = self.add_input(tensor.dtype, tensor.shape, name)
            argument._handle_data = tensor._handle_data
            known = self._captured[id(tensor)] = tensor, argument
        if recorders.active:
            captured(tensor, known[1])
        return known[1]

    def _take_in(self, tensor: Tensor, user: str) -> Tensor:
        return self.capture(tensor)

    @contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """As in any graph; what is outside of the function is done before it is called."""
        if control_inputs is not None:
            operations = [getattr(item, "op", item) for item in control_inputs]
            control_inputs = [item for item in operations if getattr(item, "graph", self) is self]
        with super().control_dependencies(control_inputs):
            yield


def unique_function_name(prefix: str) -> str:
    """A name for a function that no other one has in this process."""
    return f"{re.sub('[^A-Za-z0-9_.]', '_', prefix)}_{next(_numbers)}"


def trace(
    name: str,
    function: Callable[..., Any],
    arguments: Sequence[tuple[DType, TensorShape, str]] = (),
    outer_graph: Graph | None = None,
) -> tuple[FuncGraph, Any]:
    """Calls a Python function in a FuncGraph of its own.

    Args:
      name: of the FuncGraph.
      function: takes the arguments, returns a nest of tensors.
      arguments: dtype, static shape and name of each.
      outer_graph: the graph around; None takes the default graph.
    Returns:
      The FuncGraph, its outputs the leaves of what `function` returned; and that nest.
    """
    graph = FuncGraph(name, outer_graph)
    with graph.as_default():
        parameters = [graph.add_input(*argument) for argument in arguments]
        result = function(*parameters)
        leaves = [
            leaf if leaf is None or isinstance(leaf, Operation) else convert_to_tensor(leaf)
            for leaf in nest.flatten(result, expand_composites=True)
        ]
        graph.outputs = [graph.capture(leaf) for leaf in leaves if isinstance(leaf, Tensor)]
        graph.control_outputs = [leaf for leaf in leaves if isinstance(leaf, Operation)]
    return graph, result

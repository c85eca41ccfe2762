"""ConcreteFunction: one trace of a Python function: a graph that is called like a function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.eager.eager_operation import EagerOperation
from featherflow.eager.execute import as_tensor
from featherflow.framework import dispatch, nest
from featherflow.framework.op import Op, op_from_op_def
from featherflow.framework.op_def import OpDef
from featherflow.framework.recording import paused, record, recorders
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.functions.function_gradient import Backward
from featherflow.functions.function_session import FunctionSession
from featherflow.functions.tracing_graph import TracingGraph
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.function_inlining import inline
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.graph.traced_function import TracedFunction

#: How a call looks to tapes and errors; the name of the function is in its attributes.
CALL: Op = op_from_op_def(OpDef("PartitionedCall", (), (), ()))


class ConcreteFunction:
    """A traced function: it takes tensors, and returns what its Python code returned.

    Attributes:
      graph: the TracingGraph; its inputs are the tensors among the arguments, in order.
      name: of the function.
    """

    def __init__(
        self, graph: TracingGraph, result: Any, structure: Any, parameters: list[str]
    ) -> None:
        self.graph = graph
        self.name = graph.name
        self._structure = structure
        self._parameters = parameters
        self._leaves = nest.flatten(result, expand_composites=True)
        self._result = result
        #: For each leaf of the result the place of its tensor among the outputs, or None.
        self._places: list[int | None] = []
        self.outputs: list[Tensor] = []
        self._take_outputs()
        graph.outputs = self.outputs
        order, graph.order = graph.order, None
        assert order is not None
        graph.control_outputs = order.last_effects()
        self._operations = graph.get_operations()
        self._session = FunctionSession(graph)
        self._step: Any = None
        self._backward: Backward | None = None
        self._is_single = len(self._leaves) == 1 and self._leaves[0] is result
        self._dtypes = [tensor.dtype for tensor in self.outputs]

    def _take_outputs(self) -> None:
        for leaf in self._leaves:
            if not isinstance(leaf, Tensor):
                self._places.append(None)
                continue
            self._places.append(len(self.outputs))
            self.outputs.append(leaf)

    # --- what it is -------------------------------------------------------------------------------

    @property
    def inputs(self) -> list[Tensor]:
        """The placeholders of the graph."""
        return self.graph.inputs

    @property
    def captured_inputs(self) -> list[Any]:
        """The values and handles from outside that the graph holds."""
        return [value for value, _ in self.graph._values_taken_in.values()]

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that the function reads."""
        return tuple(self.graph.variables.values())

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of them that optimisers change."""
        return tuple(item for item in self.variables if item.trainable)

    @property
    def structured_outputs(self) -> Any:
        """The result with symbolic tensors as leaves."""
        return self._result

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the result, in its form."""
        return nest.map_structure(lambda item: getattr(item, "dtype", None), self._result)

    @property
    def output_shapes(self) -> Any:
        """The static shapes of the result, in its form."""
        return nest.map_structure(lambda item: getattr(item, "shape", None), self._result)

    @property
    def function_def(self) -> Any:
        """The function as a FunctionDef message."""
        return TracedFunction(self.name, self.graph).function_def()

    # --- calls ------------------------------------------------------------------------------------

    def call_flat(self, inputs: Sequence[Any]) -> Any:
        """Calls the function with tensors for all placeholders."""
        if not dispatch.executing_eagerly():
            return self._call_in_graph(inputs)
        if recorders.active:
            return self._call_recorded(inputs)
        step = self._step
        if step is None:
            step = self._step = self._session.step(
                self.graph.inputs, self.outputs, self.graph.control_outputs
            )
        values = self._session.call(step, [tensor._value for tensor in inputs])
        if self._is_single:
            return as_tensor(values[0], self._dtypes[0])
        return self._packed([as_tensor(v, dtype) for v, dtype in zip(values, self._dtypes)])

    def _packed(self, tensors: Sequence[Any]) -> Any:
        leaves = [
            leaf if at is None else tensors[at] for leaf, at in zip(self._leaves, self._places)
        ]
        return nest.pack_sequence_as(self._result, leaves, expand_composites=True)

    def _call_recorded(self, inputs: Sequence[Any]) -> Any:
        """A call while tapes listen: what their gradients will need is kept."""
        for variable in self.graph.variables.values():
            for recorder in tuple(recorders.active):
                recorder.variable_accessed(variable)
        if self._backward is None:
            with paused():
                self._backward = Backward(self.graph, self.outputs)
        backward = self._backward
        fetches = [*self.outputs, *backward.kept]
        step = self._session.step(self.graph.inputs, fetches, self.graph.control_outputs)
        values = self._session.call(step, [tensor._value for tensor in inputs])
        outputs = [as_tensor(v, dtype) for v, dtype in zip(values, self._dtypes)]
        kept = values[len(outputs) :]
        sources = [*inputs, *backward.captured]
        operation = EagerOperation(CALL, {"name": self.name}, sources, outputs)
        operation.backward = backward.function_for(self, kept, inputs)
        record(operation, sources, outputs)
        return self._packed(outputs)

    def _call_in_graph(self, inputs: Sequence[Any]) -> Any:
        """A call while a graph is built: its nodes are copied there."""
        graph = get_default_graph()
        taken = [
            tensor if tensor._op.graph is graph else graph._take_in(tensor, self.name)
            for tensor in inputs
        ]
        for variable in self.graph.variables.values():
            for recorder in tuple(recorders.active):
                recorder.variable_accessed(variable)
        body = _Body(self, graph)
        with graph.name_scope(self.name.lstrip("_")):
            found = inline(body, [*taken, *body.captured])
        return self._packed(found)

    def backward_values(
        self, backward: Backward, kept: list[Any], inputs: Sequence[Any], gradients: Sequence[Any]
    ) -> list[Any]:
        """Runs the backward part of the graph; see `Backward`."""
        step = self._session.step(backward.feeds, backward.fetches, ())
        values = [tensor._value for tensor in gradients]
        return self._session.call(step, [*values, *kept])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function with tensors, by position or by the name of the parameter.

        Raises:
          TypeError: there are more or fewer than the trace has, or they have other names.
          ValueError: a dtype or shape is not what it was traced for.
        """
        values = self._by_parameter(args, kwargs)
        inputs = []
        for value, placeholder, name in zip(values, self.graph.inputs, self._parameters):
            handle = getattr(value, "handle", None)
            tensor = (
                handle if placeholder.dtype.name == "resource" and handle is not None else value
            )
            if not isinstance(tensor, Tensor):
                tensor = convert_to_tensor(tensor, dtype=placeholder.dtype)
            if tensor.dtype.base_dtype is not placeholder.dtype.base_dtype or not (
                placeholder.shape.is_compatible_with(tensor.shape)
            ):
                raise ValueError(
                    f"{self.name}: argument '{name}' is a {tensor.dtype.name} tensor of shape "
                    f"{tensor.shape}; the function was traced for {placeholder.dtype.name} of "
                    "shape "
                    f"{placeholder.shape}. Call the tf.function itself, which traces anew."
                )
            inputs.append(tensor)
        return self.call_flat(inputs)

    def _by_parameter(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        flat = nest.flatten(list(args), expand_composites=True)
        known = self._parameters
        tensors = [leaf for leaf in flat if not _is_bound(leaf)]
        if len(tensors) > len(known):
            raise TypeError(
                f"{self.name} takes {len(known)} tensors ({', '.join(known)}), received "
                f"{len(tensors)}."
            )
        values = tensors
        rest = dict(kwargs)
        for name in known[len(values) :]:
            if name not in rest:
                raise TypeError(f"{self.name} is missing the argument '{name}'.")
            values.append(rest.pop(name))
        extra = [name for name, value in rest.items() if not _is_bound(value)]
        if extra:
            raise TypeError(f"{self.name} got unexpected arguments: {', '.join(extra)}.")
        return values

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.name} at {hex(id(self))}>"

    def __str__(self) -> str:
        return self.pretty_printed_signature()

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The name, the tensors that it takes, and those that it returns."""
        lines = [f"{self.name}({', '.join(self._parameters)})"]
        lines += ["  Args:"] * bool(self._parameters)
        for name, tensor in zip(self._parameters, self.graph.inputs):
            lines.append(f"    {name}: {tensor.dtype.name} Tensor, shape={tensor.shape}")
        lines.append("  Returns:")
        for tensor in self.outputs:
            lines.append(f"    {tensor.dtype.name} Tensor, shape={tensor.shape}")
        return "\n".join(lines if verbose else lines[:1])


def _is_bound(leaf: Any) -> bool:
    """Whether an argument is a Python value, which the trace has in it already."""
    return leaf is None or isinstance(leaf, (bool, int, float, complex, str, bytes))


class _Body:
    """The forward part of a function's graph, as `inline` wants a body: captures are inputs too."""

    def __init__(self, function: ConcreteFunction, graph: Any) -> None:
        self.graph = self
        self._operations = function._operations
        pairs = list(function.graph._values_taken_in.values())
        handles = [pair for pair in pairs if pair[0]._static_value() is None]
        self.captured = [graph._take_in(value, function.name) for value, _ in handles]
        self.inputs = [*function.graph.inputs, *[inside for _, inside in handles]]
        self.outputs = function.outputs

    def get_operations(self) -> list[Operation]:
        """The nodes of the forward part."""
        return self._operations

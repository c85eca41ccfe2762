"""How a Python function becomes a ConcreteFunction: it is called once, on placeholders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from featherflow.eager.execute import as_tensor
from featherflow.framework import nest
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.recording import paused, recorders
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.functions.arguments import Arguments, place
from featherflow.functions.concrete_function import ConcreteFunction
from featherflow.functions.function_session import FunctionSession
from featherflow.functions.tracing_graph import TracingGraph
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.func_graph import unique_function_name
from featherflow.graph.graph_api import init_scope
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor


class VariableWatch:
    """Notes the variables that a trace makes: the first trace may, later ones may not."""

    def __init__(self, is_closed: bool = False) -> None:
        self.is_closed = is_closed
        self.made = 0

    def closed(self) -> VariableWatch:
        """From now on no variable may be made."""
        self.is_closed = True
        return self

    def create(self, name: str, next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        """Makes a variable outside of the graph.

        Raises:
          ValueError: it is not the first trace.
        """
        if self.is_closed:
            raise ValueError(
                f"tf.function '{name}' tried to make a tf.Variable in a call that is not its first "
                "(tf.function only supports singleton tf.Variables created on the first call). A "
                "function is traced again for each kind of arguments, and each time it would make "
                "another variable. Make it once: outside of the function, or as `if self.v is None:"
                " "
                "self.v = tf.Variable(…)` in an object, or in a decorator per object."
            )
        initial = kwargs.get("initial_value")
        if isinstance(initial, Tensor) and initial.__class__ is Tensor:
            kwargs["initial_value"] = _value_of(initial, name)
        with init_scope():
            variable = next_creator(**kwargs)
        self.made += 1
        return variable


def _value_of(initial: Tensor, name: str) -> Any:
    """The value of a tensor of the graph that is being traced, for a variable to start with.

    Raises:
      ValueError: it depends on the arguments of the function.
    """
    session = FunctionSession(initial.graph)
    try:
        (value,) = session.call(session.step((), (initial,), ()), [])
    except InvalidArgumentError as error:
        raise ValueError(
            f"tf.function '{name}' makes a tf.Variable whose initial value depends on its "
            "arguments; "
            f"a variable starts with a value of its own. {error}"
        ) from None
    return as_tensor(value, initial.dtype.base_dtype)


def trace(
    function: Any, arguments: Arguments, keys: list[Any], names: list[str], watch: VariableWatch
) -> tuple[ConcreteFunction, bool]:
    """Traces a tf.function; tells also whether it has made variables."""
    outer = get_default_graph()
    graph = TracingGraph(unique_function_name(f"__inference_{function.name}"), outer)
    graph._variable_creators = [
        *outer._variable_creators,
        lambda next_creator, **kwargs: watch.create(function.name, next_creator, **kwargs),
    ]
    made_before = watch.made
    with paused(), graph.as_default(), _watching(graph):
        args, kwargs = place(arguments, keys, names, graph)
        result = _converted(function)(*args, **kwargs)
        result = nest.map_structure(_as_result, result, expand_composites=True)
        leaves = nest.flatten(result, expand_composites=True)
        captured = iter([graph.capture(leaf) for leaf in leaves if isinstance(leaf, Tensor)])
        leaves = [next(captured) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        result = nest.pack_sequence_as(result, leaves, expand_composites=True)
    is_tensor = [hasattr(key, "dtype") for key in keys]
    parameters = [name for name, wanted in zip(names, is_tensor) if wanted]
    concrete = ConcreteFunction(graph, result, arguments.structure, parameters)
    has_made = watch.made > made_before
    if not has_made:
        watch.closed()
    return concrete, has_made


@contextmanager
def _watching(graph: TracingGraph) -> Iterator[None]:
    recorders.active.append(graph)
    try:
        yield
    finally:
        recorders.active.remove(graph)


def _as_result(leaf: Any) -> Any:
    """What a function returns for a leaf: tensors, and None."""
    if leaf is None or isinstance(leaf, Operation):
        return None
    try:
        return convert_to_tensor(leaf)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "A tf.function returns tensors, nests of them, and None; "
            f"received {leaf!r} of type {type(leaf).__name__}: {error}"
        ) from None


def _converted(function: Any) -> Callable[..., Any]:
    """The Python function, its control flow over tensors made of calls."""
    python_function = function.python_function
    bound = getattr(python_function, "bound", None)
    if bound is not None:
        python_function = bound()
    if not function._autograph:
        return python_function
    from featherflow.functions.autograph.conversion import convert

    return convert(python_function, recursive=True, user_requested=True)

"""tf.custom_gradient: a function that brings its own gradient."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Sequence
from typing import Any

from featherflow.framework import dispatch, nest, recording
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.tensor import Tensor
from featherflow.ops.gradient_registry import set_graph_gradient
from featherflow.ops.identity_ops import Identity, IdentityN, identity

_numbers = itertools.count()


@export("custom_gradient")
def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """A decorator for functions that return their result and its gradient function.

        @tf.custom_gradient
        def log1pexp(x):
            e = tf.exp(x)
            return tf.math.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))

    In a graph the result goes through an IdentityN together with the arguments, and that node has
    the gradient. The gradient function must itself be differentiable where second derivatives are
    taken.

    Args:
      f: takes tensors, and returns (result, gradient function). The result is a tensor or a list;
        the gradient function takes one gradient for each result, and returns one for each
        argument. Where `f` reads resource variables it also takes `variables`, and returns the
        pair (gradients of the arguments, gradients of the variables).
    Returns:
      A function of the same arguments, which returns the result alone.

    >>> import featherflow as tf
    >>> clipped = tf.custom_gradient(lambda x: (x * 1.0, lambda dy: tf.minimum(dy, 0.5)))
    >>> x = tf.constant(3.0)
    >>> with tf.Session() as sess:
    ...     float(sess.run(tf.gradients(clipped(x), x)[0]))
    0.5
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        if dispatch.executing_eagerly():
            return _call_eagerly(f, args, kwargs)
        if kwargs:
            raise ValueError(
                "The custom_gradient decorator supports keyword arguments only where ops run at "
                f"once, received {sorted(kwargs)}. Bind them with functools.partial."
            )
        return _call_in_graph(f, args)

    return decorated


class _VariablesRead:
    """A recorder of the trainable variables that a function reads."""

    def __init__(self) -> None:
        self.variables: list[Any] = []

    def record(self, operation: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """The function's own ops have no gradients of theirs."""

    def captured(self, outside: Any, inside: Any) -> None:
        """Nothing is captured where ops run at once."""

    def variable_accessed(self, variable: Any) -> None:
        if all(variable.handle is not other.handle for other in self.variables):
            self.variables.append(variable)


def _call_eagerly(f: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Runs `f` unheard; who listens hears of one call with the gradient that `f` gives."""
    tensors = [convert_to_tensor(item) for item in nest.flatten(list(args), expand_composites=True)]
    packed = nest.pack_sequence_as(list(args), tensors, expand_composites=True)
    reads = _VariablesRead()
    with recording.paused():
        recording.recorders.active.append(reads)
        result, gradient = f(*packed, **kwargs)
    leaves = nest.flatten(result, expand_composites=True)
    outputs = [identity(convert_to_tensor(item)) for item in leaves]
    variables = [item for item in reads.variables if _is_not_among(item, args)]
    _check_takes_variables(gradient, variables)

    def backward(_: Any, *grads: Any) -> list[Any]:
        return _gradients_of_inputs(gradient, grads, len(tensors), variables)

    if recording.recorders.active:
        for variable in variables:
            recording.variable_accessed(variable)
        sources = [*tensors, *[variable.handle for variable in variables]]
        recording.record_custom(backward, sources, outputs)
    return nest.pack_sequence_as(result, outputs, expand_composites=True)


def _is_not_among(variable: Any, args: Sequence[Any]) -> bool:
    return all(variable is not item for item in nest.flatten(list(args)))


def _call_in_graph(f: Callable[..., Any], args: Sequence[Any]) -> Any:
    tensors = [convert_to_tensor(value) for value in args]
    result, gradient = f(*tensors)
    results = [convert_to_tensor(item) for item in _as_list(result)]
    variables = _variables_between(tensors, results)
    _check_takes_variables(gradient, variables)

    def node_gradient(_: Any, *grads: Tensor) -> list[Any]:
        own = _gradients_of_inputs(gradient, grads[: len(results)], len(tensors), variables)
        return [None] * len(results) + own

    for item in results:
        Identity(item)  # names of later nodes count on it: TensorFlow makes it too
    name = f"CustomGradient-{next(_numbers)}"
    graph = get_default_graph()
    set_graph_gradient(graph, name, node_gradient)
    handles = [variable.handle for variable in variables]
    with graph.gradient_override_map({"IdentityN": name}):
        outputs = IdentityN([*results, *tensors, *handles])
    kept = outputs[: len(results)]
    return type(result)(kept) if isinstance(result, (list, tuple)) else kept[0]


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _gradients_of_inputs(
    gradient: Callable[..., Any], grads: Sequence[Tensor], count: int, variables: list[Any]
) -> list[Any]:
    """What a gradient function says of the arguments and the variables, as one list."""
    if variables:
        by_argument, by_variable = gradient(*grads, variables=variables)
        by_variable = _as_list(by_variable)
    else:
        by_argument, by_variable = gradient(*grads), []
    by_argument = _as_list(by_argument)
    if len(by_argument) != count or len(by_variable) != len(variables):
        raise ValueError(
            f"The gradient function of a custom_gradient returned {len(by_argument)} gradients for "
            f"{count} arguments and {len(by_variable)} for {len(variables)} variables."
        )
    return by_argument + by_variable


def _check_takes_variables(gradient: Callable[..., Any], variables: list[Any]) -> None:
    parameters = inspect.signature(gradient).parameters.values()
    takes = any(item.name == "variables" or item.kind is item.VAR_KEYWORD for item in parameters)
    if variables and not takes:
        raise TypeError(
            "If using @custom_gradient with a function that uses variables, then grad_fn must "
            "accept a 'variables' keyword argument; it reads "
            f"{', '.join(variable.name for variable in variables)}."
        )


def _variables_between(inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> list[Any]:
    """The trainable resource variables that are read on the way from `inputs` to `outputs`.

    Raises:
      TypeError: a ref variable is read: its gradient would bypass the function's own.
    """
    seen = {tensor.op for tensor in inputs}
    pending = [tensor.op for tensor in outputs]
    storage = []
    while pending:
        operation = pending.pop()
        if operation in seen:
            continue
        seen.add(operation)
        if operation.type in ("VariableV2", "Variable"):
            raise TypeError(
                "All variables used by `f` wrapped with @custom_gradient must be resource "
                f"variables; {operation.name} is not. Make it with use_resource=True, or pass its "
                "value as an argument."
            )
        if operation.type == "VarHandleOp":
            storage.append(operation)
        pending.extend(tensor.op for tensor in operation.inputs)
    known = get_default_graph().get_collection("trainable_variables") if storage else []
    return [variable for variable in known if getattr(variable, "op", None) in storage]

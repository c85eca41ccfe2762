"""Which function is the gradient of a node: the op's own, or one that a program registered."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import Op, find_op
from featherflow.framework.source_location import SourceLocation, caller_location
from featherflow.graph.operation import Operation

#: `(op, *output_gradients)` → one gradient per input, or the gradient of the only input.
GradientFunction = Callable[..., Any]
Function = TypeVar("Function", bound=GradientFunction)

#: Gradients registered by name; None states that there is none.
_by_name: dict[str, tuple[GradientFunction | None, SourceLocation]] = {}


@export("RegisterGradient")
class RegisterGradient:
    """Registers the gradient of an op type, or under a name for `Graph.gradient_override_map`.

        @tf.RegisterGradient("Sub")
        def _sub_grad(op, grad):
            return grad, -grad

    The function gets the Operation and the gradient with respect to each of its outputs, and
    returns the gradient with respect to each of its inputs, None where there is none.

    Args:
      op_type: the op's name, or a name of one's own.
    Raises:
      TypeError: it is not a string.
      KeyError: (from the decoration) it has a gradient; the message says where.
    """

    def __init__(self, op_type: str) -> None:
        _check_name(op_type)
        self._op_type = op_type

    def __call__(self, f: Function) -> Function:
        _register(self._op_type, f, caller_location())
        return f


@export("no_gradient")
@export_v1("NotDifferentiable", "NoGradient", "no_gradient")
def not_differentiable(op_type: str) -> None:
    """States that ops of a type have no gradient: what is behind them is treated as constant.

    Args:
      op_type: the op's name.
    Raises:
      TypeError: it is not a string.
      KeyError: it has a gradient; the message says where.
    """
    _check_name(op_type)
    _register(op_type, None, caller_location())


def _check_name(op_type: Any) -> None:
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")


def _has_answer(op: Op) -> bool:
    """Whether the op has a gradient, or is said to be constant."""
    is_constant = op.no_gradient_reason is not None and not op.refuses_gradients
    return op.gradient_fn is not None or is_constant


def _register(name: str, function: GradientFunction | None, location: SourceLocation) -> None:
    op = find_op(name)
    previous: Any = None
    if op is not None and _has_answer(op):
        previous = op.location
    if name in _by_name:
        previous = _by_name[name][1]
    if previous is not None:
        raise KeyError(
            f"Registering two gradient with name '{name}'! (Previous registration was in "
            f"{previous})"
        )
    _by_name[name] = function, location


def unregister_gradient(name: str) -> None:
    """Takes back what `RegisterGradient` or `NotDifferentiable` said of `name`."""
    _by_name.pop(name, None)


def set_graph_gradient(graph: Any, name: str, function: GradientFunction) -> None:
    """Registers `function` under a name that nodes of one graph use, and forgets it with the graph.

    `tf.custom_gradient` makes a function in each call: a registry for all graphs would grow for
    ever.
    """
    graph._gradient_functions[name] = function


def gradient_function(operation: Operation) -> GradientFunction | None:
    """The gradient of `operation`; None if its type is said to have none.

    Raises:
      LookupError: nothing is registered for it.
    """
    override = operation.attrs.get("_gradient_op_type")
    if override is not None:
        own = operation.graph._gradient_functions.get(override)
        return own or _function_named(override, operation)
    definition = operation.definition
    if _has_answer(definition):
        return definition.gradient_fn
    return _function_named(operation.type, operation)


def _function_named(name: str, operation: Operation) -> GradientFunction | None:
    if name in _by_name:
        return _by_name[name][0]
    op = find_op(name)
    if op is not None and _has_answer(op):
        return op.gradient_fn
    reason = f": {op.no_gradient_reason}" if op and op.no_gradient_reason else ""
    called = "" if name == operation.type else f" called '{name}', which overrides its type's own,"
    raise LookupError(
        f"No gradient{called} is defined for operation '{operation.name}' (op type: "
        f"{operation.type}){reason}. Register one with @tf.RegisterGradient('{name}'), or put a "
        "tf.stop_gradient behind the operation to treat it as a constant."
    )


# --- the computation that gradients belong to -----------------------------------------------------


class _Sources(threading.local):
    """The calls of `tf.gradients` under way on this thread, innermost last."""

    def __init__(self) -> None:
        self.names: list[str] = []


_sources = _Sources()


@contextmanager
def gradient_source(name: str) -> Iterator[None]:
    """Gradient functions called inside the block belong to the computation called `name`."""
    _sources.names.append(name)
    try:
        yield
    finally:
        _sources.names.pop()


def current_gradient_source() -> str:
    """The name of the computation of gradients under way: TensorArrays keep one array for each."""
    return _sources.names[-1] if _sources.names else "gradients"


# --- gradients that gradient functions take -------------------------------------------------------

Differentiate = Callable[[list[Any], list[Any], list[Any]], list[Any]]
_differentiate: Differentiate | None = None


def set_differentiate(function: Differentiate) -> None:
    """`gradients.py`, which is above the modules that hang gradients on ops, says how."""
    global _differentiate
    _differentiate = function


def differentiate(ys: list[Any], xs: list[Any], grad_ys: list[Any]) -> list[Any]:
    """`tf.gradients(ys, xs, grad_ys)` for gradient functions."""
    assert _differentiate is not None, "gradient functions are called by tf.gradients"
    return _differentiate(ys, xs, grad_ys)

"""Op: the object on which every rule of an op hangs, and the registry of ops.

    Conv2D = define_op("Conv2D", inputs=…, outputs=…, attrs=…)

    @Conv2D.shape_fn                        static shapes
    @Conv2D.kernel("CPU", T=(float32,))     arithmetic, per device and dtypes
    @Conv2D.gradient                        or Conv2D.not_differentiable("why")

    Conv2D(x, w, strides=…, padding=…)      applies it: dispatch.apply_op

Rules are bound to the object, never to its name; names matter only where a GraphDef is read.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from featherflow.framework import dispatch
from featherflow.framework.errors import NotFoundError
from featherflow.framework.op_def import ArgDef, OpDef, parse_arg, parse_attr
from featherflow.framework.op_kernel import KernelDef, KernelTable
from featherflow.framework.source_location import SourceLocation, caller_location

Function = TypeVar("Function", bound=Callable[..., Any])


class Op:
    """An OpDef and the rules hung on it.

    Facts, all False or None unless the op states them:
      stateful: has state or an effect (`op_def.is_stateful`); never folded, merged or run twice.
      elementwise: the output is the broadcast of the inputs; each element stands alone.
      foldable: its value on constant inputs is a constant (default: no state, takes no ref).
      aliases: the output may share memory with input 0 (Identity, Reshape): fetches are copied.
      control_flow: "switch", "merge", "enter", "exit", "next_iteration", "loop_cond", "trigger",
        "send" or "recv".
      touches_world: reads or writes files, processes or Python; never run by inspect and explain.
      reads_shapes_only: the values of its inputs do not matter (Shape, Size, Rank).
      reads_only: has state, which it reads and does not change (ReadVariableOp).
      order_free: has state, but none that calls of other ops can tell (random draws).
      calls_functions: its kernel runs functions of the library (default: it has a func attr).
    """

    __slots__ = (
        "aliases",
        "calls_functions",
        "compile_rule_fn",
        "control_flow",
        "elementwise",
        "foldable",
        "gradient_fn",
        "input_names",
        "kernels",
        "location",
        "name",
        "no_gradient_reason",
        "op_def",
        "order_free",
        "partial_shape_fn",
        "reads_only",
        "reads_shapes_only",
        "refuses_gradients",
        "shape_function",
        "stateful",
        "static_value_fn",
        "takes_ref",
        "touches_world",
    )

    def __init__(
        self,
        op_def: OpDef,
        *,
        elementwise: bool = False,
        foldable: bool | None = None,
        aliases: bool = False,
        control_flow: str | None = None,
        touches_world: bool = False,
        reads_shapes_only: bool = False,
        reads_only: bool = False,
        order_free: bool = False,
        calls_functions: bool | None = None,
        location: SourceLocation,
    ) -> None:
        self.op_def = op_def
        self.name = op_def.name
        self.input_names = tuple(arg.name for arg in op_def.inputs)
        self.stateful = op_def.is_stateful
        self.elementwise = elementwise
        self.takes_ref = any(arg.is_ref for arg in op_def.inputs)
        pure = not op_def.is_stateful and not self.takes_ref
        self.foldable = pure if foldable is None else foldable
        self.aliases = aliases
        self.control_flow = control_flow
        self.touches_world = touches_world
        self.reads_shapes_only = reads_shapes_only
        self.reads_only = reads_only
        self.order_free = order_free
        if calls_functions is None:
            calls_functions = any(attr.type in ("func", "list(func)") for attr in op_def.attrs)
        self.calls_functions = calls_functions
        self.location = location
        self.shape_function: Callable[..., Any] | None = None
        self.kernels = KernelTable(op_def.name)
        self.gradient_fn: Callable[..., Any] | None = None
        self.no_gradient_reason: str | None = None
        self.refuses_gradients = False
        self.compile_rule_fn: Callable[..., Any] | None = None
        self.static_value_fn: Callable[..., Any] | None = None
        self.partial_shape_fn: Callable[..., Any] | None = None

    def __call__(self, *args: Any, name: str | None = None, **kwargs: Any) -> Any:
        """Applies the op: inputs by position or by name, attributes by name."""
        return dispatch.apply_op(self, args, kwargs, name)

    def __repr__(self) -> str:
        return f"<Op {self.name}>"

    # --- decorators that hang rules ---------------------------------------------------

    def shape_fn(self, function: Function) -> Function:
        """Registers `function(c: InferenceContext)`, which returns the outputs' TensorShapes."""
        self.shape_function = function
        return function

    def kernel(
        self,
        device_type: str = "CPU",
        *,
        label: str = "",
        priority: int = 0,
        asynchronous: bool = False,
        **types: Any,
    ) -> Callable[[Function], Function]:
        """Registers a kernel for `device_type` and attrs of the dtypes given, `T=(float32, …)`.

        Args:
          label: chosen only where `_kernel` asks for it; "" is the ordinary kernel.
          priority: among kernels that fit, the highest wins.
          asynchronous: may wait; runs through the ready queue and never holds a pool thread.
        """

        def register(function: Function) -> Function:
            self.kernels.add(
                KernelDef(self.name, device_type, types, label, priority, function, asynchronous)
            )
            return function

        return register

    def gradient(self, function: Function) -> Function:
        """Registers `function(op, *output_gradients)`, which returns one gradient per input."""
        self.gradient_fn = function
        return function

    def not_differentiable(self, reason: str) -> None:
        """States why the op has no gradient: `tf.gradients` treats it as constant."""
        self.no_gradient_reason = reason

    def without_gradient(self, reason: str) -> None:
        """States why the op has no gradient: `tf.gradients` refuses it with a LookupError."""
        self.no_gradient_reason = reason
        self.refuses_gradients = True

    def static_value(self, function: Function) -> Function:
        """Registers `function(operation)`: the output where static shapes tell it, or None."""
        self.static_value_fn = function
        return function

    def partial_shape(self, function: Function) -> Function:
        """Registers `function(tensor, as_shape)`: an output vector as a partly known shape.

        `as_shape(input_tensor)` asks the same of an input.
        """
        self.partial_shape_fn = function
        return function

    def compile_rule(self, function: Function) -> Function:
        """Registers how the kernel compiler emits the op; see `compiler/`."""
        self.compile_rule_fn = function
        return function


# --- registry -------------------------------------------------------------------------

_registry: dict[str, Op] = {}
#: Op name → module of its family, for families not loaded yet; from `featherflow._index`.
_family_by_op: dict[str, str] = {}


def define_op(
    name: str,
    *,
    inputs: Iterable[str] = (),
    outputs: Iterable[str] = (),
    attrs: Iterable[str] = (),
    is_stateful: bool = False,
    is_commutative: bool = False,
    is_aggregate: bool = False,
    allows_uninitialized_input: bool = False,
    location: SourceLocation | None = None,
    **facts: Any,
) -> Op:
    """Defines and registers an op from its contract (see `op_def` for the language).

    Args:
      location: where the op stands, for functions that define ops of other modules; None takes
        the caller's line.
    Raises:
      ValueError: the name is taken; the message says where.
    """
    location = location or caller_location()
    if name in _registry:
        raise ValueError(
            f"Op '{name}' is defined twice: first at {_registry[name].location}, again at "
            f"{location}."
        )
    attr_defs = tuple(parse_attr(spec) for spec in attrs)
    attr_types = {attr.name: attr.type for attr in attr_defs}
    op_def = OpDef(
        name,
        tuple(parse_arg(spec, attr_types) for spec in inputs),
        tuple(parse_arg(spec, attr_types) for spec in outputs),
        attr_defs,
        is_stateful,
        is_commutative,
        is_aggregate,
        allows_uninitialized_input,
    )
    op = Op(op_def, location=location, **facts)
    _registry[name] = op
    return op


def op_from_op_def(op_def: OpDef, **facts: Any) -> Op:
    """An Op outside the registry, as a function of a library is when a node calls it by name."""
    return Op(op_def, location=caller_location(), **facts)


def find_op(name: str) -> Op | None:
    """The op called `name`, loading its family if need be; None if there is none."""
    op = _registry.get(name)
    if op is None and name in _family_by_op:
        importlib.import_module(_family_by_op[name])
        op = _registry.get(name)
    return op


def get_op(name: str) -> Op:
    """The op called `name`.

    Raises:
      NotFoundError: no such op is registered.
    """
    op = find_op(name)
    if op is None:
        raise NotFoundError(
            None,
            None,
            f"Op type not registered '{name}'",
            remedy="Register it with tf.register_op, or check the spelling.",
        )
    return op


def registered_ops() -> dict[str, Op]:
    """Every op of the families loaded so far, by name."""
    return dict(_registry)


def known_op_names() -> set[str]:
    """Names of all ops, loaded or not."""
    return _registry.keys() | _family_by_op.keys()


def set_family_index(family_by_op: dict[str, str]) -> None:
    """Installs the generated index op → family module."""
    _family_by_op.update(family_by_op)


def unregister_op(name: str) -> None:
    """Removes a user's op; tests and reloading of modules need it."""
    _registry.pop(name, None)


def flat_arg_dtypes(args: tuple[ArgDef, ...], attrs: dict[str, Any]) -> list[Any]:
    """The dtypes of `args`, lists unrolled, given the node's attributes."""
    result: list[Any] = []
    for arg in args:
        if arg.type_list_attr is not None:
            result.extend(attrs[arg.type_list_attr])
            continue
        dtype: Any = arg.type if arg.type_attr is None else attrs[arg.type_attr]
        if arg.is_ref:
            dtype = dtype._as_ref
        result.extend([dtype] * (1 if arg.number_attr is None else attrs[arg.number_attr]))
    return result

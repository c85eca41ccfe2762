"""tf.while_loop: a function runs as long as a value of the run says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from featherflow.framework import dispatch, nest
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import SCALAR, TensorShape
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import GraphKeys, name_scope
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.tensor import Tensor
from featherflow.ops.comparison_ops import less, logical_and
from featherflow.ops.constant_ops import constant
from featherflow.ops.tensor_array import TensorArray, flow_of, with_flows
from featherflow.ops.while_context import WhileContext, body_values


@export_v1("while_loop")
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """`while cond(*loop_vars): loop_vars = body(*loop_vars)`; the last loop_vars.

    Both functions build their nodes once; the nodes run once in each iteration. What they take from
    outside is the same in all iterations.

    Args:
      cond: takes the loop variables, returns a scalar of bool.
      body: takes the loop variables, returns their next values in the same form.
      loop_vars: a list or tuple of tensors, TensorArrays, or nests of these.
      shape_invariants: a nest of the same form of TensorShapes that the variables have in every
        iteration; None says that their shapes do not change.
      parallel_iterations: how many iterations may be under way at once.
      back_prop: whether gradients may be taken through the loop.
      swap_memory: accepted for compatibility: all memory is the host's.
      name: of the scope of the nodes.
      maximum_iterations: a scalar, or None for no limit.
      return_same_structure: returns a list or tuple of one value as it is, instead of the value.
    Returns:
      The loop variables after the loop, in the form in which `body` returns them.
    Raises:
      TypeError: a function cannot be called, or `cond` returns something else than a bool.
      ValueError: there are no loop variables, `body` returns another form, or shapes change that
        no invariant allows to.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.while_loop(lambda i: i < 10, lambda i: i + 3, [0])))
    12
    """
    if dispatch.executing_eagerly():
        _check_arguments(cond, body, loop_vars, parallel_iterations)
        result = _run(cond, body, loop_vars, maximum_iterations)
        return result if return_same_structure or len(result) > 1 else result[0]
    with name_scope(name, "while", _tensors_among(loop_vars)):
        _check_arguments(cond, body, loop_vars, parallel_iterations)
        limit = None
        if maximum_iterations is not None:
            limit = _limit(maximum_iterations)
            cond, body, loop_vars, shape_invariants = _limited(
                limit, cond, body, loop_vars, shape_invariants
            )
        context = WhileContext(
            get_default_graph(), limit, parallel_iterations, bool(back_prop), bool(swap_memory)
        )
        if context.outer_context is None:
            context.graph.add_to_collection(GraphKeys.WHILE_CONTEXT, context)
        result = _build_loop(context, cond, body, loop_vars, shape_invariants)
        if limit is not None:
            result = result[1]
        if return_same_structure or len(nest.flatten(result, expand_composites=True)) > 1:
            return result
        return result[0]


@export("while_loop")
def while_loop_v2(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """`while cond(*loop_vars): loop_vars = body(*loop_vars)`; the last loop_vars, in their form.

    The arguments are those of `tf.compat.v1.while_loop`.
    """
    return while_loop(
        cond,
        body,
        loop_vars,
        shape_invariants,
        parallel_iterations,
        back_prop,
        swap_memory,
        name,
        maximum_iterations,
        return_same_structure=True,
    )


def _run(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any) -> Any:
    """The loop, run at once."""
    values = loop_vars
    count = 0
    limit = None if maximum_iterations is None else int(maximum_iterations)
    while (limit is None or count < limit) and cond(*values):
        result = _as_sequence(body(*values))
        nest.assert_same_structure(list(values), list(result), expand_composites=True)
        values = result
        count += 1
    return nest.map_structure(_as_value, values, expand_composites=True)


def _as_value(leaf: Any) -> Any:
    return leaf if isinstance(leaf, TensorArray) else convert_to_tensor(leaf)


def _tensors_among(loop_vars: Any) -> list[Any]:
    return nest.flatten(loop_vars) if nest.is_nested(loop_vars) else []


def _check_arguments(cond: Any, body: Any, loop_vars: Any, parallel_iterations: Any) -> None:
    if not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    if not isinstance(loop_vars, (list, tuple)):
        raise TypeError(
            f"'loop_vars' must be a list or tuple of loop variables, received {loop_vars!r}."
        )


# --- a maximum of iterations: one more loop variable counts them ----------------------------------


def _limit(maximum_iterations: Any) -> Tensor:
    limit = convert_to_tensor(maximum_iterations, name="maximum_iterations")
    if limit.shape.rank not in (None, 0):
        raise ValueError(
            f"'maximum_iterations' must be a scalar. Received shape: {tuple(limit.shape.as_list())}"
        )
    return limit


def _limited(
    limit: Tensor,
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any,
) -> tuple[Callable[..., Any], Callable[..., Any], Any, Any]:
    """The same loop over `(counter, loop_vars)`, which ends when the counter reaches `limit`."""
    counter = constant(0, dtype=limit.dtype, name="iteration_counter")

    def limited_cond(count: Any, variables: Any) -> Tensor:
        return logical_and(less(count, limit), cond(*variables))

    def counting_body(count: Any, variables: Any) -> tuple[Tensor, Any]:
        return count + 1, _like(loop_vars, body(*variables))

    if shape_invariants is not None:
        shape_invariants = (SCALAR, shape_invariants)
    return limited_cond, counting_body, (counter, loop_vars), shape_invariants


def _like(loop_vars: Any, result: Any) -> Any:
    """What a body returned, as a sequence of the type of the loop variables."""
    items = _as_sequence(result)
    return items if hasattr(loop_vars, "_fields") else type(loop_vars)(items)


# --- building -------------------------------------------------------------------------------------


def _build_loop(
    context: WhileContext,
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any,
) -> Any:
    leaves = nest.flatten(loop_vars, expand_composites=True)
    initial = [convert_to_tensor(flow_of(leaf)) for leaf in leaves]
    shapes = _static_shapes(loop_vars, initial, shape_invariants)

    def packed(tensors: Sequence[Tensor]) -> Any:
        return nest.pack_sequence_as(loop_vars, with_flows(leaves, tensors), expand_composites=True)

    variables = context.enter_variables(initial, shapes)
    with context.entered():
        merged = [variable.merge for variable in variables]
        context.set_condition(convert_to_tensor(cond(*packed(merged))))
        context.switch_variables(variables)
        parameters = body_values(variables)
        context.pivot_for_body = parameters[0]
        arguments = packed(parameters)
        result = _as_sequence(body(*arguments))
        nest.assert_same_structure(list(arguments), list(result), expand_composites=True)
        results = nest.flatten(result, expand_composites=True)
        values = context.graph.gated(
            context, [convert_to_tensor(flow_of(leaf)) for leaf in results]
        )
        context.close_variables(variables, values)
        exits = context.exit_variables(variables)
    context.graph.leave_control_flow([context], exits)
    return nest.pack_sequence_as(result, with_flows(results, exits), expand_composites=True)


def _as_sequence(result: Any) -> Any:
    """What a body returned as a sequence: a single value need not be one."""
    return result if isinstance(result, (list, tuple)) else [result]


def _static_shapes(
    loop_vars: Any, initial: Sequence[Tensor], shape_invariants: Any
) -> list[TensorShape]:
    """The static shape of each tensor of the loop variables in all iterations.

    Raises:
      ValueError: an invariant does not fit its variable's initial value.
    """
    values = nest.flatten(loop_vars)
    if shape_invariants is None:
        invariants = [None] * len(values)
    else:
        nest.assert_same_structure(loop_vars, shape_invariants, check_types=False)
        invariants = nest.flatten(shape_invariants)
    shapes: list[TensorShape] = []
    for value, invariant in zip(values, invariants):
        count = len(nest.flatten(value, expand_composites=True))
        tensors = initial[len(shapes) : len(shapes) + count]
        shapes.extend(_shapes_of(value, tensors, invariant))
    return shapes


def _shapes_of(value: Any, tensors: Sequence[Tensor], invariant: Any) -> list[TensorShape]:
    """The shapes of the tensors that one loop variable is made of."""
    if isinstance(value, TensorArray):
        return [SCALAR]
    if isinstance(value, IndexedSlices):
        rows = TensorShape([None])
        shape = TensorShape(invariant) if invariant is not None else tensors[0].shape
        values = rows.concatenate(shape[1:]) if shape.rank else shape
        return [values, rows, *[tensor.shape for tensor in tensors[2:]]]
    if invariant is None or len(tensors) > 1:
        return [tensor.shape for tensor in tensors]
    shape = TensorShape(invariant)
    if not tensors[0].shape.is_subtype_of(shape):
        raise ValueError(
            f"The shape invariant specified for {tensors[0].name} is not compatible with the "
            "initial shape of the loop variable. It enters the loop with shape "
            f"{tensors[0].shape}, but the specified shape invariant is {shape}."
        )
    return [shape]

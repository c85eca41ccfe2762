"""tf.cond: one of two functions runs, as a value of the run decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from featherflow.framework import dispatch, nest
from featherflow.framework.exports import export, export_v1
from featherflow.graph.graph import Graph
from featherflow.graph.graph_api import GraphKeys, name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.cond_context import CondContext
from featherflow.ops.control_flow_nodes import join
from featherflow.ops.control_flow_primitives import Switch
from featherflow.ops.identity_ops import Identity
from featherflow.ops.tensor_array import with_flows


@export_v1("cond")
def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """`true_fn()` if `pred` else `false_fn()`.

    Both functions build their nodes; only the nodes of one run. What a function takes from outside
    is computed in any case.

    Args:
      pred: a scalar of bool.
      true_fn, false_fn: functions without arguments, which return nests of the same form of tensors
        of the same dtypes; an operation stands for a bool.
      strict: returns a list or tuple of one value as it is, instead of the value.
      name: of the scope of the nodes.
      fn1, fn2: old names of the functions.
    Returns:
      The nest that the functions return.
    Raises:
      TypeError: a function cannot be called, or `pred` is a Python bool.
      ValueError: the functions return other forms, dtypes, or nothing.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.constant(3.0)
    ...     print(session.run(tf.cond(x > 2.0, lambda: x * 10.0, lambda: x)))
    30.0
    """
    true_fn = _function("true_fn", true_fn, "fn1", fn1)
    false_fn = _function("false_fn", false_fn, "fn2", fn2)
    if dispatch.executing_eagerly():
        result = true_fn() if pred else false_fn()
        return result if strict else _single(result)
    with name_scope(name, "cond", [pred]):
        if isinstance(pred, bool):
            raise TypeError("'pred' must not be a Python bool.")
        return _build_cond(pred, true_fn, false_fn, strict)


@export("cond")
def cond_v2(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """`true_fn()` if `pred` else `false_fn()`; the result has the form that the functions return.

    The arguments are those of `tf.compat.v1.cond`, which is always `strict` here.
    """
    return cond(pred, true_fn, false_fn, strict=True, name=name)


def _function(name: str, function: Any, old_name: str, old: Any) -> Callable[[], Any]:
    if old is not None:
        if function is not None:
            raise TypeError(f"cond(): '{name}' and '{old_name}' may not be set simultaneously.")
        function = old
    if function is None:
        raise TypeError(f"cond(): '{name}' argument required")
    if not callable(function):
        raise TypeError(f"'{name}' must be callable.")
    return function


def _build_cond(
    pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], strict: bool
) -> Any:
    if_false, if_true = Switch(pred, pred)
    pivots = Identity(if_true, name="switch_t"), Identity(if_false, name="switch_f")
    pred = Identity(pred, name="pred_id")
    graph = pred.graph
    for tensor in (if_true, *pivots, pred):
        graph.prevent_fetching(tensor.op)
    true_branch = CondContext(pred, pivots[0], 1)
    true_original, true_results = _build_branch(true_branch, true_fn, "true_fn")
    false_branch = CondContext(pred, pivots[1], 0)
    false_original, false_results = _build_branch(false_branch, false_fn, "false_fn")
    if not strict:
        true_original, false_original = _single(true_original), _single(false_original)
    nest.assert_same_structure(true_original, false_original, expand_composites=True)
    if not true_results:
        raise ValueError("'true_fn' and 'false_fn' must return at least one result.")
    _check_dtypes(true_results, false_results)
    merged = [join(off, on, pred) for on, off in zip(true_results, false_results)]
    graph.leave_control_flow([true_branch, false_branch], merged)
    _collect(graph, [true_branch, false_branch])
    leaves = nest.flatten(true_original, expand_composites=True)
    return nest.pack_sequence_as(true_original, with_flows(leaves, merged), expand_composites=True)


def _build_branch(
    branch: CondContext, function: Callable[[], Any], name: str
) -> tuple[Any, list[Tensor]]:
    with branch.entered():
        original, results = branch.build_branch(function)
        if original is None:
            raise ValueError(f"'{name}' must have a return value.")
        flat = nest.flatten(results, expand_composites=True)
        flat = branch.graph.gated(branch, flat)
        branch.exit_result(flat)
    return original, flat


def _single(value: Any) -> Any:
    """The only item of a list or tuple; other values as they are."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields") and len(value) == 1:
        return value[0]
    return value


def _check_dtypes(on: Sequence[Tensor], off: Sequence[Tensor]) -> None:
    for first, second in zip(on, off):
        if first.dtype.base_dtype is not second.dtype.base_dtype:
            raise ValueError(
                "Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received "
                f"{first.dtype.name} from 'true_fn' and {second.dtype.name} from 'false_fn'."
            )


def _collect(graph: Graph, branches: Sequence[CondContext]) -> None:
    """Outermost contexts are kept in a collection, so that a MetaGraph can describe them."""
    for branch in branches:
        if branch.outer_context is None:
            graph.add_to_collection(GraphKeys.COND_CONTEXT, branch)

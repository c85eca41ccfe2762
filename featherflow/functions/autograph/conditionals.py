"""Conditionals: `if`, `x if c else y`, `and`, `or`, `not`, `==`, `in`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from featherflow.framework import nest
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.functions.autograph.staging import (
    GetState,
    SetState,
    Undefined,
    becomes_tensor,
    is_internal,
    is_staged,
    is_undefined,
    refuse,
)
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal, logical_and, logical_not, logical_or, not_equal
from featherflow.ops.cond_context import CondContext
from featherflow.ops.control_flow_nodes import join
from featherflow.ops.control_flow_primitives import Switch
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.identity_ops import Identity
from featherflow.ops.reduction_ops import reduce_any


def truth(value: Any, statement: str) -> Tensor:
    """A staged value as a condition, by Python's rules: numbers are true unless they are 0."""
    tensor = convert_to_tensor(value)
    if tensor.shape.rank not in (0, None):
        if tensor.shape.num_elements() == 1:
            return truth(tensor[(0,) * tensor.shape.rank], statement)
        raise refuse(
            statement,
            f"the truth of a tensor of shape {tensor.shape} is not defined",
            "Say which you mean with tf.reduce_any(…) or tf.reduce_all(…)",
        )
    if tensor.dtype.is_bool:
        return tensor
    empty = b"" if tensor.dtype.name == "string" else 0
    return not_equal(tensor, convert_to_tensor(empty, dtype=tensor.dtype.base_dtype))


# --- if -------------------------------------------------------------------------------------------


def if_stmt(
    cond: Any,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: GetState,
    set_state: SetState,
    symbol_names: Sequence[str],
    nouts: int,
) -> None:
    """`if cond: body else: orelse`, which change the variables `symbol_names`.

    Args:
      get_state, set_state: read and write these variables.
      nouts: how many of them, the first, are used afterwards.
    """
    if not is_staged(cond):
        body() if cond else orelse()
        return
    conditional = _Conditional(truth(cond, "if"))
    before = tuple(get_state())
    states = []
    for branch, function in zip(conditional.branches, (body, orelse)):
        set_state(before)
        with branch.entered():
            function()
            states.append(tuple(get_state()))
    names = symbol_names[:nouts]
    after = conditional.join([states[0][:nouts], states[1][:nouts]], names)
    set_state((*after, *before[nouts:]))


class _Conditional:
    """Two branches of a graph, and what becomes of the variables that they change."""

    def __init__(self, pred: Tensor) -> None:
        if_false, if_true = Switch(pred, pred)
        pivots = Identity(if_true, name="switch_t"), Identity(if_false, name="switch_f")
        self.pred = Identity(pred, name="pred_id")
        self.graph = self.pred.graph
        for tensor in (if_true, *pivots, self.pred):
            self.graph.prevent_fetching(tensor.op)
        self.branches = (CondContext(self.pred, pivots[0], 1), CondContext(self.pred, pivots[1], 0))

    def join(self, states: Sequence[Sequence[Any]], names: Sequence[str]) -> list[Any]:
        """The value of each variable after the branches."""
        merges: list[Tensor] = []
        results = []
        for name, on, off in zip(names, *states):
            results.append(self._joined(name, on, off, merges))
        if not merges and any(self.graph.gated(branch, [self.pred]) for branch in self.branches):
            merges.append(self._merge(self.pred, self.pred))  # for the effects alone
        self.graph.leave_control_flow(self.branches, merges)
        return results

    def _joined(self, name: str, on: Any, off: Any, merges: list[Tensor]) -> Any:
        if on is off:
            return on
        if is_undefined(on) or is_undefined(off):
            return self._half_defined(name, on, off, merges)
        try:
            nest.assert_same_structure(on, off, expand_composites=True)
        except (TypeError, ValueError):
            raise self._differ(name, on, off) from None
        pairs = zip(
            nest.flatten(on, expand_composites=True), nest.flatten(off, expand_composites=True)
        )
        leaves = [self._joined_leaf(name, *pair, merges) for pair in pairs]
        return nest.pack_sequence_as(on, leaves, expand_composites=True)

    def _joined_leaf(self, name: str, on: Any, off: Any, merges: list[Tensor]) -> Any:
        if on is off or (type(on) is type(off) and _are_equal(on, off)):
            return on
        if not (becomes_tensor(on) and becomes_tensor(off)):
            raise self._differ(name, on, off)
        on, off = self._of_one_dtype(name, on, off)
        merged = self._merge(on, off)
        merges.append(merged)
        return merged

    def _of_one_dtype(self, name: str, on: Any, off: Any) -> tuple[Any, Any]:
        """Both as tensors; a Python number takes the dtype of the tensor that it stands beside."""
        with self.branches[0].entered():
            first = convert_to_tensor(on)
        with self.branches[1].entered():
            second = convert_to_tensor(off)
        if first.dtype.base_dtype is second.dtype.base_dtype:
            return first, second
        numbers = isinstance(on, (bool, int, float)), isinstance(off, (bool, int, float))
        if numbers[0] and not (numbers[1] and isinstance(off, int)):
            with self.branches[0].entered():
                return cast(first, second.dtype.base_dtype), second
        if numbers[1]:
            with self.branches[1].entered():
                return first, cast(second, first.dtype.base_dtype)
        raise refuse(
            "if",
            f"'{name}' is {first.dtype.name} in one branch and {second.dtype.name} in the other",
            "Give it the same dtype in both, with tf.cast",
        )

    def _merge(self, on: Any, off: Any) -> Tensor:
        flows = []
        for branch, value in zip(self.branches, (on, off)):
            with branch.entered():
                _, result = branch.build_branch(lambda value=value: convert_to_tensor(value))
                (gated,) = self.graph.gated(branch, [result])
                branch.exit_result([gated])
                flows.append(gated)
        return join(flows[1], flows[0], self.pred)

    def _half_defined(self, name: str, on: Any, off: Any, merges: list[Tensor]) -> Any:
        """A variable that one branch gives no value."""
        if not (is_internal(name) or name.startswith("retval")):
            return Undefined(
                name,
                "it has a value in one branch of an `if` over a tensor only. Give it one before "
                "the `if`, or in both branches",
            )
        if is_undefined(on) and is_undefined(off):
            return on
        defined, place = (off, 0) if is_undefined(on) else (on, 1)
        if any(not becomes_tensor(leaf) for leaf in nest.flatten(defined, expand_composites=True)):
            raise refuse(
                "return",
                f"one path returns {defined!r}, which is no tensor, and others do not",
                "Return tensors of one form on every path",
            )
        with self.branches[place].entered():
            blank = nest.map_structure(
                lambda leaf: zeros_like(convert_to_tensor(leaf)), defined, expand_composites=True
            )
        pair = (blank, defined) if place == 0 else (defined, blank)
        return self._joined(name, *pair, merges)

    def _differ(self, name: str, on: Any, off: Any) -> Exception:
        return refuse(
            "if",
            f"'{name}' is {_described(on)} in one branch and {_described(off)} in the other",
            "A variable that an `if` over a tensor changes must be a tensor, or a nest of tensors "
            "of one form, in both",
        )


def _are_equal(on: Any, off: Any) -> bool:
    if isinstance(on, Tensor):
        return False
    try:
        return bool(on == off)
    except (TypeError, ValueError):
        return False


def _described(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"a {value.dtype.name} tensor of shape {value.shape}"
    return f"{value!r} ({type(value).__name__})"


def if_exp(
    cond: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], expr_repr: str
) -> Any:
    """`if_true() if cond else if_false()`."""
    if not is_staged(cond):
        return if_true() if cond else if_false()
    conditional = _Conditional(truth(cond, f"`{expr_repr}`"))
    values = []
    for branch, function in zip(conditional.branches, (if_true, if_false)):
        with branch.entered():
            values.append(function())
    (result,) = conditional.join([values[:1], values[1:]], ["the conditional expression"])
    return result


# --- logical expressions --------------------------------------------------------------------------


def and_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a() and b()`: `b` runs only if `a()` is true."""
    left = a()
    if not is_staged(left):
        return left and b()
    if _is_bool(left):
        return if_exp(left, lambda: _as_bool(b(), "and"), lambda: False, "… and …")
    return if_exp(truth(left, "and"), b, lambda: left, "… and …")


def or_(a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """`a() or b()`: `b` runs only if `a()` is false."""
    left = a()
    if not is_staged(left):
        return left or b()
    if _is_bool(left):
        return if_exp(left, lambda: True, lambda: _as_bool(b(), "or"), "… or …")
    return if_exp(truth(left, "or"), lambda: left, b, "… or …")


def _is_bool(value: Any) -> bool:
    return value.dtype.is_bool


def _as_bool(value: Any, statement: str) -> Any:
    return truth(value, statement) if is_staged(value) else value


def not_(a: Any) -> Any:
    """`not a`."""
    return logical_not(truth(a, "not")) if is_staged(a) else not a


def eq(a: Any, b: Any) -> Any:
    """`a == b`."""
    return equal(a, b) if is_staged(a) or is_staged(b) else a == b


def not_eq(a: Any, b: Any) -> Any:
    """`a != b`."""
    return not_equal(a, b) if is_staged(a) or is_staged(b) else a != b


def contains(item: Any, container: Any) -> Any:
    """`item in container`."""
    if is_staged(container):
        return reduce_any(equal(convert_to_tensor(container), item))
    if is_staged(item):
        found: Any = False
        for element in container:
            found = _either(found, equal(item, element))
        return found
    return item in container


def _either(found: Any, another: Any) -> Any:
    return another if found is False else logical_or(found, another)


__all__ = [
    "and_", "contains", "eq", "if_exp", "if_stmt", "logical_and", "not_", "not_eq", "or_",
]  # fmt: skip

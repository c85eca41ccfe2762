"""Loops: `while` and `for` over staged values become `tf.while_loop`.

A body is tried out first, in a graph that is thrown away: so the loop knows what its variables are
after an iteration. A number before the loop takes the dtype that the body gives it, a dimension
that changes is unknown inside, and a variable that first gets its value in the body enters with
zeros that nobody reads.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from featherflow.framework import nest
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.functions.autograph.conditionals import if_stmt, truth
from featherflow.functions.autograph.staged_list import StagedList
from featherflow.functions.autograph.staging import (
    GetState,
    SetState,
    Undefined,
    becomes_tensor,
    is_internal,
    is_staged,
    is_undefined,
    refuse,
    trial,
)
from featherflow.graph.graph_api import control_dependencies
from featherflow.graph.tensor import Tensor
from featherflow.ops.assert_ops import assert_
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import less
from featherflow.ops.fill_ops import zeros
from featherflow.ops.gather_ops import gather
from featherflow.ops.identity_ops import identity
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.tensor_array import TensorArray
from featherflow.ops.while_loop import while_loop_v2

#: How often a body is tried out until its variables keep their kinds.
_TRIALS = 4


@dataclasses.dataclass
class _Variables:
    """The variables of a loop: what they are when it starts, and of which kind in it.

    Attributes:
      names: of all.
      initial: their values.
      shapes: for each leaf of those that are staged the static shape in the loop.
      first: names of those that get their first value in the body.
    """

    names: Sequence[str]
    initial: list[Any]
    shapes: dict[str, list[TensorShape]]
    first: set[str]

    def staged(self) -> list[int]:
        """The places of the variables that the graph's loop carries."""
        return [at for at, value in enumerate(self.initial) if _is_carried(value)]


def _is_carried(value: Any) -> bool:
    if isinstance(value, (StagedList, TensorArray)):
        return True
    leaves = nest.flatten(value, expand_composites=True)
    return bool(leaves) and all(becomes_tensor(leaf) for leaf in leaves)


# --- while ----------------------------------------------------------------------------------------


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: GetState,
    set_state: SetState,
    symbol_names: Sequence[str],
    opts: dict[str, Any] | None,
) -> None:
    """`while test(): body()`, which change the variables `symbol_names`."""
    condition = test()
    while not is_staged(condition):
        if not condition:
            return
        body()
        condition = test()
    _staged_while(test, body, get_state, set_state, symbol_names, opts or {})


def _staged_while(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
    opts: dict[str, Any],
) -> None:
    before = list(get_state())
    variables = _tried_out(test, body, get_state, set_state, names, before)
    places = variables.staged()
    if not places:
        raise refuse(
            "while",
            "its condition is a tensor and its body changes no tensor, so that it never ends",
            "Change a tensor that the condition depends on",
        )

    def with_values(values: Sequence[Any]) -> None:
        state = list(variables.initial)
        for place, value in zip(places, values):
            state[place] = value
        set_state(tuple(state))

    def loop_test(*values: Any) -> Tensor:
        with_values(values)
        return truth(test(), "while")

    def loop_body(*values: Any) -> list[Any]:
        with_values(values)
        body()
        state = list(get_state())
        _check_others(variables, state)
        return [_like(variables, place, state[place], opts) for place in places]

    initial = [_entering(variables.initial[place]) for place in places]
    found = while_loop_v2(
        loop_test,
        loop_body,
        initial,
        shape_invariants=[_invariant(variables, place, opts) for place in places],
        **{key: opts[key] for key in _LOOP_OPTIONS if opts.get(key) is not None},
    )
    with_values(found)


#: What `set_loop_options` hands on.
_LOOP_OPTIONS = ("parallel_iterations", "swap_memory", "maximum_iterations")


def _entering(value: Any) -> Any:
    if isinstance(value, (StagedList, TensorArray)):
        return value
    return nest.map_structure(convert_to_tensor, value, expand_composites=True)


def _invariant(variables: _Variables, place: int, opts: dict[str, Any]) -> Any:
    value, name = variables.initial[place], variables.names[place]
    if isinstance(value, (StagedList, TensorArray)):
        return TensorShape([])
    shapes = variables.shapes[name]
    for tensor, shape in opts.get("shape_invariants") or ():
        if tensor is value:
            shapes = [TensorShape(shape)]
    return nest.pack_sequence_as(value, shapes, expand_composites=True)


def _like(variables: _Variables, place: int, value: Any, opts: dict[str, Any]) -> Any:
    """What the body made of a variable, in the form and dtypes that it entered with."""
    name, initial = variables.names[place], variables.initial[place]
    if is_undefined(value):
        return _entering(initial)
    if isinstance(initial, (StagedList, TensorArray)):
        return value
    try:
        nest.assert_same_structure(initial, value, expand_composites=True)
    except (TypeError, ValueError):
        raise refuse(
            "loop",
            f"'{name}' is {initial!r} before an iteration and {value!r} after it",
            "A variable that a loop over tensors changes must keep its form",
        ) from None

    def leaf(old: Any, new: Any) -> Tensor:
        old = convert_to_tensor(old)
        if isinstance(new, (bool, int, float)):
            return convert_to_tensor(new, dtype=old.dtype.base_dtype)
        return convert_to_tensor(new)

    return nest.map_structure(leaf, initial, value, expand_composites=True)


def _check_others(variables: _Variables, state: Sequence[Any]) -> None:
    """Values that no graph can carry must be what they were."""
    carried = set(variables.staged())
    for place, (name, old, new) in enumerate(zip(variables.names, variables.initial, state)):
        if place in carried or old is new or is_undefined(new):
            continue
        if type(old) is type(new) and not is_undefined(old) and old == new:
            continue
        raise refuse(
            "loop",
            f"'{name}' changes from {old!r} to {new!r}, which a graph cannot carry",
            "Use tensors for what changes in a loop over tensors, or loop over Python values",
        )


# --- trying the body out --------------------------------------------------------------------------


def _tried_out(
    test: Callable[[], Any],
    body: Callable[[], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
    before: list[Any],
) -> _Variables:
    variables = _Variables(names, list(before), {}, set())
    for name, value in zip(names, before):
        if type(value) is list and all(becomes_tensor(item) for item in value):
            variables.initial[names.index(name)] = StagedList.of(value)
    _note_shapes(variables)
    has_numbers = any(isinstance(value, (int, float)) for value in before)
    for number in range(_TRIALS):
        with trial() as graph:
            # In the first iteration numbers are numbers: they take any dtype that they meet.
            keep = number == 0 and has_numbers
            set_state(tuple(_placeholders(graph, variables, keep)))
            test()
            body()
            after = list(get_state())
        set_state(tuple(before))
        if not _adapt(variables, after) and not keep:
            break
    for place, value in enumerate(variables.initial):
        if isinstance(value, StagedList) and not value.is_typed:  # the body appends nothing
            variables.initial[place] = before[place]
    return variables


def _note_shapes(variables: _Variables) -> None:
    for name, value in zip(variables.names, variables.initial):
        if _is_carried(value) and not isinstance(value, (StagedList, TensorArray)):
            variables.shapes[name] = [
                convert_to_tensor(leaf).shape
                for leaf in nest.flatten(value, expand_composites=True)
            ]


def _placeholders(graph: Any, variables: _Variables, keep_numbers: bool) -> list[Any]:
    """The variables as a body sees them that may be in any iteration."""
    found = []
    for name, value in zip(variables.names, variables.initial):
        if keep_numbers and isinstance(value, (bool, int, float)):
            found.append(value)
            continue
        if isinstance(value, (StagedList, TensorArray)) or not _is_carried(value):
            found.append(value.for_trial() if isinstance(value, StagedList) else value)
            continue
        leaves = nest.flatten(value, expand_composites=True)
        tensors = [
            graph.add_input(convert_to_tensor(leaf).dtype, shape, "variable")
            for leaf, shape in zip(leaves, variables.shapes[name])
        ]
        found.append(nest.pack_sequence_as(value, tensors, expand_composites=True))
    return found


def _adapt(variables: _Variables, after: Sequence[Any]) -> bool:
    """Makes the variables general enough for what an iteration gave; tells whether it had to."""
    changed = False
    for place, (name, old, new) in enumerate(zip(variables.names, variables.initial, after)):
        if isinstance(old, StagedList):
            if isinstance(new, StagedList) and new.is_typed and not old.is_typed:
                variables.initial[place] = old.typed_as(new)
                changed = True
            continue
        if is_undefined(old):
            if not is_undefined(new) and _is_carried(new):
                variables.initial[place] = nest.map_structure(_zeros, new, expand_composites=True)
                variables.first.add(name)
                variables.shapes[name] = [
                    convert_to_tensor(leaf).shape
                    for leaf in nest.flatten(new, expand_composites=True)
                ]
                changed = True
            continue
        if _is_carried(old) and not is_undefined(new) and _is_carried(new):
            changed = _adapt_leaves(variables, place, name, old, new) or changed
    return changed


def _zeros(leaf: Any) -> Tensor:
    tensor = convert_to_tensor(leaf)
    sizes = [1 if size is None else size for size in (tensor.shape._dims or ())]
    return zeros(sizes, tensor.dtype.base_dtype)


def _adapt_leaves(variables: _Variables, place: int, name: str, old: Any, new: Any) -> bool:
    if isinstance(old, TensorArray):
        return False
    before = nest.flatten(old, expand_composites=True)
    after = nest.flatten(new, expand_composites=True)
    if len(before) != len(after):
        return False  # the loop itself says what is wrong
    changed = False
    for index, (first, second) in enumerate(zip(before, after)):
        start, result = convert_to_tensor(first), convert_to_tensor(second)
        if start.dtype.base_dtype is not result.dtype.base_dtype:
            if isinstance(second, (bool, int, float)):
                pass  # takes the dtype of the variable
            elif isinstance(first, (bool, int, float)) or name in variables.first:
                before[index] = cast(start, result.dtype.base_dtype)
                changed = True
            else:
                raise refuse(
                    "loop",
                    f"'{name}' has dtype {start.dtype.name} before the loop, but dtype "
                    f"{result.dtype.name} after one iteration",
                    "Cast it before the loop, or in its body",
                )
        shape = _common_shape(variables.shapes[name][index], result.shape)
        if (
            shape.as_list() != variables.shapes[name][index].as_list()
            if shape.rank is not None
            else (variables.shapes[name][index].rank is not None)
        ):
            variables.shapes[name][index] = shape
            changed = True
    variables.initial[place] = nest.pack_sequence_as(old, before, expand_composites=True)
    return changed


def _common_shape(first: TensorShape, second: TensorShape) -> TensorShape:
    if first.rank is None or second.rank is None or first.rank != second.rank:
        return UNKNOWN
    sizes = zip(first._dims or (), second._dims or ())
    return TensorShape([a if a == b else None for a, b in sizes])


# --- for ------------------------------------------------------------------------------------------


class Counted:
    """What a staged `for` goes over: a number of items, and how to have the one of a number."""

    def __init__(self, count: Any, item: Callable[[Any], Any]) -> None:
        self.count = count
        self.item = item


def counted(iterable: Any) -> Counted | None:
    """How a loop over a staged iterable goes; None for one that Python goes over."""
    if isinstance(iterable, Counted):
        return iterable
    if isinstance(iterable, StagedList):
        return counted(iterable.stacked())
    if iterable.__class__ is not Tensor:
        return None
    if iterable.shape.rank == 0:
        raise refuse("for", "it goes over a scalar", "Use tf.range(n) to count to n")
    size = iterable.shape._dims[0] if iterable.shape._dims else None
    count = shape_of(iterable)[0] if size is None else size
    return Counted(count, lambda index: gather(iterable, index))


def for_stmt(
    iter_: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: GetState,
    set_state: SetState,
    symbol_names: Sequence[str],
    opts: dict[str, Any] | None,
) -> None:
    """`for item in iter_: body(item)`, as long as `extra_test()` holds."""
    items = counted(iter_)
    if items is None:
        _python_for(iter_, extra_test, body, get_state, set_state, symbol_names)
        return
    counter: list[Any] = [convert_to_tensor(0)]

    def test() -> Any:
        more = less(counter[0], convert_to_tensor(items.count))
        if extra_test is None:
            return more
        again = extra_test()
        if is_staged(again):
            return more & truth(again, "for")
        return more if again else convert_to_tensor(False)

    def step() -> None:
        index = counter[0]
        body(items.item(index))
        counter[0] = index + 1

    def get() -> tuple[Any, ...]:
        return (counter[0], *get_state())

    def set_(state: Sequence[Any]) -> None:
        counter[0] = state[0]
        set_state(tuple(state[1:]))

    names = ("the counter", *symbol_names)
    before = dict(zip(symbol_names, get_state()))
    _staged_while(test, step, get, set_, names, opts or {})
    _guard_first_values(items, before, get_state, set_state, symbol_names)


def _guard_first_values(
    items: Counted,
    before: dict[str, Any],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
) -> None:
    """A variable that got its first value in the body has none if the loop did not run."""
    state = list(get_state())
    for place, name in enumerate(names):
        value = state[place]
        if not is_undefined(before[name]) or is_internal(name) or is_undefined(value):
            continue
        if not _is_carried(value) or isinstance(items.count, int):
            if isinstance(items.count, int) and items.count == 0:
                state[place] = Undefined(name)
            continue
        ran = less(0, convert_to_tensor(items.count))
        check = assert_(ran, [f"'{name}' is used before assignment: the loop has not run"])
        with control_dependencies([check]):
            state[place] = nest.map_structure(identity, value, expand_composites=True)
    set_state(tuple(state))


def _python_for(
    iter_: Iterable[Any],
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
) -> None:
    """A loop over Python values, unrolled; after a staged `break` the rest is conditional."""
    for item in iter_:
        if extra_test is None:
            body(item)
            continue
        again = extra_test()
        if is_staged(again):
            if_stmt(
                again,
                lambda item=item: body(item),
                lambda: None,
                get_state,
                set_state,
                names,
                len(names),
            )
        elif again:
            body(item)
        else:
            return

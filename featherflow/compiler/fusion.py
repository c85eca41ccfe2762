"""Fusion: which lowered values one kernel computes together.

Values are taken in order; each either joins the group of its latest operand or starts one:

    contract   a convolution, product or pool, and the elementwise values that follow it (epilogue)
    map        elementwise values of one shape
    rows       these, and reductions over the last axis: softmax and layer norm are one group
    columns    one reduction over other axes
    copy       a concatenation or a padding

A value joins no group but the latest among those of its operands. So whatever a group reads was
computed by groups that started earlier, and groups in the order of their first values can run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from featherflow.compiler.lowered import (
    VIEWS,
    Contracted,
    Joined,
    Lowered,
    Map,
    Number,
    Padded,
    Reduced,
    Reshaped,
    Shape,
)

#: Bounds on one group, so that kernels stay small: values, and arrays that they read.
MAX_VALUES = 64
MAX_INPUTS = 10
#: How far an epilogue looks for the value where its paths meet again.
_LOOK_AHEAD = 24


@dataclass(eq=False, slots=True)
class Group:
    """Values that one kernel computes.

    Attributes:
      kind: "contract", "map", "rows", "columns" or "copy".
      number: its place in the order of groups.
      values: what it computes, in order; views among them cost nothing.
      shape: of its elements; of rows groups, before the reduction.
    """

    kind: str
    number: int
    values: list[Lowered]
    shape: Shape
    members: set[Lowered] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.members.update(self.values)

    def add(self, value: Lowered) -> None:
        """Adds a value that comes after all others."""
        self.values.append(value)
        self.members.add(value)

    @property
    def result(self) -> Lowered:
        """The last value: all that a contraction stores."""
        return self.values[-1]

    def inputs(self) -> list[Lowered]:
        """What it reads, once each."""
        read = dict.fromkeys(
            operand
            for value in self.values
            for operand in value.operands
            if operand not in self.members and not isinstance(operand.origin, Number)
        )
        return list(read)


def fuse(values: Sequence[Lowered], outputs: Sequence[Lowered]) -> list[Group]:
    """The groups that compute `outputs`, in an order in which they can run."""
    return _Fusion(values, outputs).run()


class _Fusion:
    def __init__(self, values: Sequence[Lowered], outputs: Sequence[Lowered]) -> None:
        self.values = live_values(values, outputs)
        self.outputs = set(outputs)
        self.users: dict[Lowered, list[Lowered]] = {value: [] for value in self.values}
        for value in self.values:
            for operand in dict.fromkeys(value.operands):
                self.users[operand].append(value)
        self.position = {value: place for place, value in enumerate(self.values)}
        self.group_of: dict[Lowered, Group] = {}
        self.groups: list[Group] = []

    def run(self) -> list[Group]:
        for value in self.values:
            if value in self.group_of:
                continue
            origin = value.origin
            if isinstance(origin, Contracted):
                self._contract(value)
            elif isinstance(origin, Map):
                self._map(value)
            elif isinstance(origin, Reduced):
                self._reduce(value, origin)
            elif isinstance(origin, Joined | Padded):
                self._start("copy", value, value.shape)
        return self.groups

    def _start(self, kind: str, value: Lowered, shape: Shape) -> Group:
        group = Group(kind, len(self.groups), [value], shape)
        self.groups.append(group)
        self.group_of[value] = group
        return group

    def _join(self, group: Group, value: Lowered) -> None:
        group.add(value)
        self.group_of[value] = group

    def _source(self, value: Lowered) -> Group | None:
        """The group whose memory a value is, or looks at."""
        return self.group_of.get(base_of(value))

    def _latest(self, value: Lowered) -> Group | None:
        sources = [self._source(operand) for operand in value.operands]
        return max((s for s in sources if s is not None), key=lambda s: s.number, default=None)

    # --- elementwise ------------------------------------------------------------------------------

    def _map(self, value: Lowered) -> None:
        group = self._latest(value)
        if group is not None and self._fits(group, value):
            self._join(group, value)
        else:
            self._start("map", value, value.shape)

    def _fits(self, group: Group, value: Lowered) -> bool:
        """Whether an elementwise value can join: same elements, or one number for each row."""
        if group.kind not in ("map", "rows") or not self._has_room(group, value):
            return False
        row_shape = (*group.shape[:-1], 1)
        if value.shape != group.shape and (group.kind != "rows" or value.shape != row_shape):
            return False
        for operand in value.operands:
            if self._source(operand) is group and operand not in group.members:
                return False  # it looks at the group's memory in another way
            if group.kind == "rows" and not _fits_rows(operand, group):
                return False
        return True

    def _has_room(self, group: Group, value: Lowered) -> bool:
        if len(group.values) >= MAX_VALUES:
            return False
        inputs = set(group.inputs())
        inputs.update(operand for operand in value.operands if operand not in group.members)
        return len(inputs) <= MAX_INPUTS

    # --- reductions -------------------------------------------------------------------------------

    def _reduce(self, value: Lowered, origin: Reduced) -> None:
        (operand,) = value.operands
        last = operand.rank - 1
        if origin.axes != (last,):
            self._start("columns", value, operand.shape)
            return
        group = self._source(operand)
        if (
            group is not None
            and operand in group.members
            and group.kind in ("map", "rows")
            and operand.shape == group.shape
            and self._has_room(group, value)
            and all(_fits_rows(item, group) for item in group.inputs())
        ):
            group.kind = "rows"
            self._join(group, value)
        else:
            self._start("rows", value, operand.shape)

    # --- contractions -----------------------------------------------------------------------------

    def _contract(self, value: Lowered) -> None:
        group = self._start("contract", value, value.shape)
        for member in self._epilogue(value, group):
            self._join(group, member)

    def _epilogue(self, anchor: Lowered, group: Group) -> list[Lowered]:
        """The longest run of elementwise values behind `anchor` that ends in one value.

        A value with several readers (x · σ(x)) is taken if all of them are, up to where the paths
        meet again.
        """
        taken: list[Lowered] = []
        members = {anchor}
        best = 0
        candidates = set(self.users[anchor])
        while candidates and len(taken) < _LOOK_AHEAD:
            value = min(candidates, key=self.position.__getitem__)
            candidates.discard(value)
            if not self._fits_epilogue(value, anchor, members, group):
                break
            taken.append(value)
            members.add(value)
            candidates.update(self.users[value])
            if self._ends_in_one(members, value):
                best = len(taken)
        return taken[:best]

    def _ends_in_one(self, members: set[Lowered], last: Lowered) -> bool:
        """Whether nothing but `last` is read from outside."""
        return all(
            member is last
            or (member not in self.outputs and all(user in members for user in self.users[member]))
            for member in members
        )

    def _fits_epilogue(
        self, value: Lowered, anchor: Lowered, members: set[Lowered], group: Group
    ) -> bool:
        if value.dtype != "float32" or prod(value.shape) != prod(anchor.shape):
            return False
        if isinstance(value.origin, Reshaped):
            return True
        if not isinstance(value.origin, Map):
            return False
        for operand in value.operands:
            if operand in members:
                if operand.shape != value.shape:
                    return False
            elif isinstance(operand.origin, Number):
                continue
            elif operand_kind(operand, value, anchor) is None:
                return False
            else:
                source = self._source(operand)
                if source is not None and source.number >= group.number:
                    return False
                if source is None and self._is_pending(operand):
                    return False
        return True

    def _is_pending(self, operand: Lowered) -> bool:
        """Whether an operand is still to be given a group: it comes after the anchor."""
        return isinstance(base_of(operand).origin, Map | Contracted | Reduced | Joined | Padded)


def operand_kind(operand: Lowered, value: Lowered, anchor: Lowered) -> str | None:
    """How an epilogue reads an operand: "scalar", "channel", "full"; None if it cannot."""
    channels = anchor.shape[-1]
    if operand.dtype != "float32":
        return None
    if prod(operand.shape) == 1:
        return "scalar"
    shape = operand.shape
    while shape[0] == 1:
        shape = shape[1:]
    if prod(shape) == channels and shape == value.shape[value.rank - len(shape) :]:
        return "channel"
    shape = operand.shape
    while len(shape) > value.rank and shape[0] == 1:
        shape = shape[1:]
    return "full" if shape == value.shape else None


def _fits_rows(operand: Lowered, group: Group) -> bool:
    """Whether a rows kernel can read an operand: all elements, a row, a column, a number."""
    if operand in group.members or isinstance(operand.origin, Number):
        return True
    *leading, columns = group.shape
    shape = (1,) * (len(group.shape) - operand.rank) + operand.shape
    if len(shape) != len(group.shape):
        return False
    count = prod(shape)
    return (
        shape == group.shape
        or count == 1
        or (shape[-1] == columns and count == columns)
        or shape == (*leading, 1)
    )


def base_of(value: Lowered) -> Lowered:
    """The value whose memory a view looks at."""
    while isinstance(value.origin, VIEWS):
        value = value.operands[0]
    return value


def live_values(values: Sequence[Lowered], outputs: Sequence[Lowered]) -> list[Lowered]:
    """The values that outputs need, in order."""
    needed = set(outputs)
    for value in reversed(values):
        if value in needed:
            needed.update(value.operands)
    return [value for value in values if value in needed]

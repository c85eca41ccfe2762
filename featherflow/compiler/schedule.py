"""Schedule: groups of lowered values become kernel calls, in phases, on buffers.

A phase is what runs between two barriers of the team. Buffers of the arena get their places later
(`memory_plan.py`), when it is known from when to when each is in use.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod

from featherflow.compiler.body import Body
from featherflow.compiler.constants import ConstantPool
from featherflow.compiler.contractions import Work, is_batched_product
from featherflow.compiler.fusion import Group, base_of, operand_kind
from featherflow.compiler.kernel_spec import KernelSpec
from featherflow.compiler.loops import elementwise_calls
from featherflow.compiler.lowered import (
    VIEWS,
    Broadcast,
    Constant,
    Contracted,
    Given,
    Joined,
    Lowered,
    Number,
    Padded,
    Reshaped,
    Shape,
    Sliced,
    Transposed,
)
from featherflow.compiler.register_tile import Epilogue
from featherflow.compiler.row_calls import columns_calls, rows_calls
from featherflow.compiler.storage import (
    ITEM_BYTES,
    Address,
    Buffer,
    KernelCall,
    Phase,
    Storage,
    dense_storage,
)
from featherflow.compiler.target import Target


class Schedule:
    """The calls of a program, and the memory that they use.

    Attributes:
      phases: in order.
      outputs: where each output lies: all dense, in buffers of kind "output".
    """

    def __init__(
        self,
        groups: Sequence[Group],
        outputs: Sequence[Lowered],
        constants: ConstantPool,
        target: Target,
        shares: int,
    ) -> None:
        self.target = target
        self.shares = shares
        self.phases: list[Phase] = []
        self.outputs: list[Storage] = []
        self._constants = constants
        self._storages: dict[Lowered, Storage] = {}
        self._dense: dict[Lowered, Storage] = {}
        self._node = ""
        self._last_group = _last_groups(groups, outputs)
        self._outputs = outputs
        self._destine_outputs(groups)
        self._destine_parts(groups)
        self._destine_transposed(groups)
        for group in groups:
            self._node = group.values[-1].node
            self._run(group)
        self._copy_outputs()
        self._link_weights()
        self._forget()

    def _forget(self) -> None:
        """Lets go of the values, and of the weights that they know: calls say all."""
        self._storages.clear()
        self._dense.clear()
        self._last_group.clear()
        self._outputs = ()

    @property
    def flops(self) -> float:
        """Floating-point operations of a run."""
        return sum(call.flops for phase in self.phases for call in phase.all_calls())

    @property
    def weight_bytes(self) -> int:
        """The constants that a run reads."""
        buffers = {
            argument.buffer
            for phase in self.phases
            for call in phase.all_calls()
            for argument in call.arguments.values()
            if isinstance(argument, Address) and argument.buffer.kind == "constant"
        }
        return sum(buffer.size for buffer in buffers)

    # --- where values lie -------------------------------------------------------------------------

    def _destine_outputs(self, groups: Sequence[Group]) -> None:
        computed = {value for group in groups for value in group.values}
        for number, value in enumerate(self._outputs):
            size = prod(value.shape) * ITEM_BYTES[value.dtype]
            address = Address(Buffer("output", size, number))
            storage = dense_storage(address, value.shape, value.dtype)
            self.outputs.append(storage)
            base = value
            while isinstance(base.origin, Reshaped):
                base = base.operands[0]
            if base in computed and base not in self._storages:
                self._storages[base] = dense_storage(address, base.shape, base.dtype)

    def _destine_parts(self, groups: Sequence[Group]) -> None:
        """What a concatenation alone reads is written into it, where its kernel can do that."""
        group_of = {value: group for group in groups for value in group.values}
        readers = _readers(groups)
        for group in reversed(groups):  # a part may be a concatenation itself
            joined = group.result
            if not isinstance(joined.origin, Joined):
                continue
            whole = self._allocate(joined)
            start = 0
            for part in joined.operands:
                source = group_of.get(part)
                fits = source is not None and _writes_parts(source, part, joined)
                if fits and readers.get(part) == 1 and part not in self._storages:
                    size = part.shape[joined.origin.axis]
                    self._storages[part] = whole.part(joined.origin.axis, start, size)
                start += part.shape[joined.origin.axis]

    def _destine_transposed(self, groups: Sequence[Group]) -> None:
        """A product that only a transpose looks at is written as the transpose has it."""
        readers = _readers(groups)
        group_of = {group.result: group for group in groups if group.kind == "contract"}
        for view in [value for group in groups for value in group.inputs()]:
            while isinstance(view.origin, Reshaped):
                (view,) = view.operands
            if not isinstance(view.origin, Transposed) or view in self._storages:
                continue
            (product,) = view.operands
            order = view.origin.permutation
            group = group_of.get(product)
            if group is None or product in self._storages or order[-1] != view.rank - 1:
                continue
            is_product = is_batched_product(group.values[0]) and len(group.values) == 1
            if is_product and readers[product] == 1:
                whole = self._allocate(view)
                strides = tuple(whole.strides[order.index(axis)] for axis in range(view.rank))
                self._storages[product] = Storage(
                    whole.address, product.shape, strides, product.dtype
                )

    def _allocate(self, value: Lowered, reuse: Storage | None = None) -> Storage:
        """The memory of a computed value; that of an operand which nobody needs any more."""
        if value not in self._storages:
            size = prod(value.shape) * ITEM_BYTES[value.dtype]
            address = reuse.address if reuse is not None else Address(Buffer("arena", size))
            self._storages[value] = dense_storage(address, value.shape, value.dtype)
        return self._storages[value]

    def storage_of(self, value: Lowered) -> Storage:
        """Where a value lies, with whatever strides."""
        if value not in self._storages:
            self._storages[value] = self._find(value)
        return self._storages[value]

    def _find(self, value: Lowered) -> Storage:
        origin = value.origin
        if isinstance(origin, Given):
            size = prod(value.shape) * ITEM_BYTES[value.dtype]
            address = Address(Buffer("input", size, origin.number))
            return dense_storage(address, value.shape, value.dtype)
        if isinstance(origin, Constant):
            address = self._constants.address(origin)
            return dense_storage(address, value.shape, value.dtype)
        if isinstance(origin, Number):
            address = self._constants.number(origin.number, value.dtype)
            zeros = (0,) * len(value.shape)
            return Storage(address, value.shape, zeros, value.dtype)
        assert isinstance(origin, VIEWS), origin
        (operand,) = value.operands
        stored = self.storage_of(operand)
        if isinstance(origin, Reshaped):
            view = stored.with_shape(value.shape)
            return view or _whole(self.dense(operand).with_shape(value.shape))
        return _view(stored, origin, value.shape)

    def dense(self, value: Lowered) -> Storage:
        """Where a value lies in C order; copied there if need be."""
        stored = self.storage_of(value)
        if stored.is_dense:
            return Storage(
                stored.address,
                stored.shape,
                dense_storage(stored.address, stored.shape, stored.dtype).strides,
                stored.dtype,
            )
        if value not in self._dense:
            self._dense[value] = self.copied(stored)
        return self._dense[value]

    def copied(self, stored: Storage) -> Storage:
        """A dense copy."""
        size = prod(stored.shape) * ITEM_BYTES[stored.dtype]
        copy = dense_storage(Address(Buffer("arena", size)), stored.shape, stored.dtype)
        self._copy(stored, copy)
        return copy

    def _copy(self, source: Storage, target: Storage) -> None:
        self.add(elementwise_calls(self.call, self.shares, [source], [target], (), (0,)))

    # --- what contractions ask for ----------------------------------------------------------------

    def padded(self, image: Storage, before: tuple[int, ...], shape: Shape) -> Storage:
        """A copy of an array with zeros around it."""
        size = prod(shape) * ITEM_BYTES[image.dtype]
        whole = dense_storage(Address(Buffer("arena", size)), shape, image.dtype)
        zero = Storage(self._constants.number(0, image.dtype), (), (), image.dtype)
        self._surround(whole, image, before, zero)
        return whole

    def _surround(
        self, whole: Storage, inner: Storage, before: tuple[int, ...], number: Storage
    ) -> None:
        self._copy(number, whole)
        window = whole
        for axis, start in enumerate(before):
            window = window.part(axis, start, inner.shape[axis])
        self._copy(inner, window)

    def packed(self, value: Lowered, form: str, width: int, part: slice) -> Address | None:
        """The weights of a known operand in blocks of columns; None if it is not known."""
        if not isinstance(value.origin, Constant):
            return None
        return self._constants.packed(value.origin, form, width, part)

    def scratch(self, size: int) -> Address:
        """Memory for the phase at work, and those that follow it at once."""
        return Address(Buffer("arena", size))

    def add(self, calls: list[list[KernelCall]]) -> None:
        """Adds a phase."""
        if calls:
            self.phases.append(Phase(calls))

    def call(
        self, spec: KernelSpec, arguments: dict[str, Address | int], flops: float
    ) -> KernelCall:
        """A call for the node at work."""
        return KernelCall(spec, arguments, self._node, flops)

    # --- groups -----------------------------------------------------------------------------------

    def _run(self, group: Group) -> None:
        if group.kind == "contract":
            self._contract(group)
        elif group.kind == "map":
            self._map(group)
        elif group.kind == "copy":
            self._move(group)
        elif group.kind == "rows":
            self.add(rows_calls(self, group, self._results(group)))
        else:
            self.add(columns_calls(self, group, self._allocate(group.result)))

    def _results(self, group: Group) -> list[Lowered]:
        """The values of a group that somebody else reads."""
        wanted = set(self._outputs)
        return [
            value
            for value in group.values
            if value in wanted or self._last_group.get(value, -1) > group.number
        ]

    def results_storage(self, results: Sequence[Lowered]) -> list[Storage]:
        """The memory of some results."""
        return [self._allocate(value) for value in results]

    def _map(self, group: Group) -> None:
        inputs = group.inputs()
        body = Body(inputs)
        for value in group.values:
            body.add(value)
        stored = [self.storage_of(value) for value in inputs]
        results = self._results(group)
        dying = [
            item
            for value, item in zip(inputs, stored)
            if item.is_dense and value.shape == group.shape and self._dies(value, group)
        ]
        targets = []
        for value in results:
            reuse = next((item for item in dying if item.dtype == value.dtype), None)
            if reuse is not None and value not in self._storages:
                dying.remove(reuse)
            targets.append(self._allocate(value, reuse))
        numbers = [body.number_of(value) for value in results]
        self.add(elementwise_calls(self.call, self.shares, stored, targets, body.steps, numbers))

    def _dies(self, value: Lowered, group: Group) -> bool:
        """Whether a group may overwrite what it reads: an arena's, and nobody reads it later."""
        base = base_of(value)
        stored = self._storages.get(base)
        return (
            stored is not None
            and stored.address.buffer.kind == "arena"
            and stored.address.buffer.size == prod(value.shape) * ITEM_BYTES[value.dtype]
            and base not in self._outputs
            and self._last_group.get(base, -1) == group.number
        )

    def _move(self, group: Group) -> None:
        (value,) = group.values
        whole = self._allocate(value)
        origin = value.origin
        if isinstance(origin, Padded):
            inner, number = value.operands
            self._surround(whole, self.storage_of(inner), origin.before, self.storage_of(number))
            return
        assert isinstance(origin, Joined)
        start = 0
        for part in value.operands:
            size = part.shape[origin.axis]
            place = whole.part(origin.axis, start, size)
            if self.storage_of(part) != place:
                self._copy(self.storage_of(part), place)
            start += size

    def _contract(self, group: Group) -> None:
        anchor, *rest = group.values
        assert isinstance(anchor.origin, Contracted)
        inputs = [value for value in group.inputs() if value not in anchor.operands]
        inputs += [value for value in anchor.operands if _reads(rest, value)]
        body = Body([anchor, *inputs])
        for value in rest:
            body.add(value)
        if rest and body.number_of(group.result) == 0:
            body.steps.clear()  # nothing but reshapes
        kinds = [_kind_in(rest, value, anchor) for value in inputs]
        epilogue = Epilogue(tuple(kinds), tuple(body.steps))
        addresses = {
            name: self.dense(value).address for name, value in zip(epilogue.names(), inputs)
        }
        target = self._allocate(group.result, self._residual(group, inputs, kinds))
        if target.is_dense:
            target = dense_storage(target.address, anchor.shape, target.dtype)
        work = Work(anchor.operands, target, target.strides[-2], epilogue, addresses)
        anchor.origin.contraction.schedule(self, work, anchor.shape)

    def _residual(
        self, group: Group, inputs: Sequence[Lowered], kinds: Sequence[str]
    ) -> Storage | None:
        """An operand of the epilogue whose memory the result may take: added in place."""
        anchor = group.values[0]
        for value, kind in zip(inputs, kinds):
            if kind != "full" or not self._dies(value, group):
                continue
            if all(base_of(value) is not base_of(operand) for operand in anchor.operands):
                return self.dense(value) if self.storage_of(value).is_dense else None
        return None

    def _copy_outputs(self) -> None:
        for value, target in zip(self._outputs, self.outputs):
            stored = self.storage_of(value)
            if stored.address != target.address:
                self._copy(stored, target)

    def _link_weights(self) -> None:
        """Tells each call what weights its thread needs next, so that it can prefetch them."""
        for share in range(self.shares):
            parts = [phase.calls[share] for phase in self.phases if share < len(phase.calls)]
            calls = [call for part in parts for call in part if call.first_weights is not None]
            for call, following in pairwise(calls):
                assert following.first_weights is not None
                call.arguments["next_weights"] = following.first_weights


def _reads(values: Sequence[Lowered], operand: Lowered) -> bool:
    return any(operand in value.operands for value in values)


def _kind_in(values: Sequence[Lowered], operand: Lowered, anchor: Lowered) -> str:
    """How an epilogue reads an operand."""
    reader = next(value for value in values if operand in value.operands)
    kind = operand_kind(operand, reader, anchor)
    assert kind is not None
    return kind


def _readers(groups: Sequence[Group]) -> dict[Lowered, int]:
    """How many groups read the memory of each value."""
    readers: dict[Lowered, int] = {}
    for group in groups:
        for value in group.inputs():
            readers[base_of(value)] = readers.get(base_of(value), 0) + 1
    return readers


def _last_groups(groups: Sequence[Group], outputs: Sequence[Lowered]) -> dict[Lowered, int]:
    """The last group that reads each value, or looks at its memory; outputs are read after all."""
    last: dict[Lowered, int] = {}
    reads = [(value, group.number) for group in groups for value in group.inputs()]
    for value, number in [*reads, *((value, len(groups)) for value in outputs)]:
        last[value] = number
        while isinstance(value.origin, VIEWS):
            (value,) = value.operands
            last[value] = number
    return last


def _writes_parts(group: Group, part: Lowered, joined: Lowered) -> bool:
    """Whether a group can write its result between the parts of others."""
    assert isinstance(joined.origin, Joined)
    if part is not group.result or part.shape[joined.origin.axis] == 0:
        return False
    if group.kind == "contract":
        anchor = group.values[0]
        return part.shape == anchor.shape and joined.origin.axis == part.rank - 1
    return group.kind in ("map", "copy")


def _view(stored: Storage, origin: object, shape: Shape) -> Storage:
    if isinstance(origin, Transposed):
        strides = tuple(stored.strides[axis] for axis in origin.permutation)
        return Storage(stored.address, shape, strides, stored.dtype)
    if isinstance(origin, Sliced):
        offset = sum(start * step for start, step in zip(origin.starts, stored.strides))
        strides = tuple(a * b for a, b in zip(stored.strides, origin.steps))
        return Storage(stored.address + offset, shape, strides, stored.dtype)
    assert isinstance(origin, Broadcast)
    return stored.broadcast_to(shape)


def _whole(stored: Storage | None) -> Storage:
    assert stored is not None
    return stored

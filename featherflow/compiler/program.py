"""Program: a compiled cluster for given shapes, ready to run: memory, arguments, machine code.

Everything that a run needs lies in one block of 8-byte words: the arguments of each kernel call,
the lists of calls, the table of phases, the runner's own arguments. It is worked out once, as a
template with addresses left out; a run takes a copy with addresses filled in (an `_Instance`), and
writes only where inputs and outputs are. Runs of several threads take one instance each.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from featherflow.compiler.image import MappedImage
from featherflow.compiler.kernel_spec import ENTRY
from featherflow.compiler.memory_plan import plan_arena
from featherflow.compiler.pace import Pace
from featherflow.compiler.schedule import Schedule
from featherflow.compiler.step_runner import StepRunner
from featherflow.compiler.storage import Address, Buffer, KernelCall, Phase, split_evenly
from featherflow.compiler.thread_team import ThreadTeam, team_of
from featherflow.framework.dtypes import as_dtype

RUNNER = StepRunner()
#: Copies kept for later runs; more threads than that make and drop their own.
_KEPT_INSTANCES = 4
_CALL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
#: The same without giving way to other threads of Python, which costs as much as a short run.
_SHORT_CALL = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
_SHORT_FLOPS = 1e6
#: The word of the block that ends a run when it is not 0.
_CANCEL_WORD = 0


@dataclass
class _Layout:
    """The template: words, and which of them are addresses of what."""

    words: list[int] = field(default_factory=list)
    own: list[int] = field(default_factory=list)  # + the address of the block
    arena: list[int] = field(default_factory=list)  # + the address of the arena
    inputs: list[tuple[int, int, int]] = field(default_factory=list)  # (word, number, offset)
    outputs: list[tuple[int, int, int]] = field(default_factory=list)

    def put(self, word: int) -> int:
        """Appends a number; returns its place."""
        self.words.append(word)
        return len(self.words) - 1

    def put_own(self, place: int) -> int:
        """Appends the address of a word of the block."""
        self.own.append(len(self.words))
        return self.put(8 * place)


@dataclass(frozen=True)
class Batch:
    """A batch whose images run one by one, each on the program of one image.

    Attributes:
      size: the number of images.
      threads: they take whole images.
      inputs: for each input, whether images have parts of their own.
    """

    size: int
    threads: int
    inputs: tuple[bool, ...]


class Cancellation(Protocol):
    """What tells a run to end."""

    def register(self, callback: Callable[[], None]) -> object: ...
    def deregister(self, token: object) -> bool: ...


class Program:
    """Runs a schedule.

    Args:
      schedule: the calls, and where inputs and outputs lie; with a batch, of one image.
      images: the machine code of each kernel, by the text of its spec.
    """

    def __init__(
        self,
        schedule: Schedule,
        images: Mapping[str, MappedImage],
        batch: Batch | None = None,
    ) -> None:
        self.phases = schedule.phases
        self.flops = schedule.flops * (1 if batch is None else batch.size)
        self.batch = batch
        self.shares = max((len(phase.calls) for phase in schedule.phases), default=1)
        if batch is not None:
            self.shares = batch.threads
        self._images = dict(images)
        self._outputs = [
            (_times(stored.shape, batch), as_dtype(stored.dtype).numpy_dtype)
            for stored in schedule.outputs
        ]
        self._offsets, self._arena_of_one = plan_arena(schedule.phases)
        self.arena_bytes = self._arena_of_one * (1 if batch is None else batch.threads)
        self._layout = _Layout()
        self._blocks: list[int] = []
        self._build()
        self._template = np.array(self._layout.words, np.int64)
        self._free: list[_Instance] = []
        self._constants = _constants_of(schedule.phases)
        self._runner_image = images[RUNNER.text()]
        self._pace = Pace()

    # --- the block --------------------------------------------------------------------------------

    def _build(self) -> None:
        layout = self._layout
        cancel = layout.put(0)
        assert cancel == _CANCEL_WORD
        table = self._table() if self.batch is None else self._table_of_images(self.batch)
        first = len(layout.words)
        for place, count in table:
            layout.put_own(place)
            layout.put(count)
        alone = self._runner(first, cancel, (0, self.shares), 1)
        self._blocks = [alone]
        if self.shares > 1:
            blocks = [
                self._runner(first, cancel, (share, share + 1), self.shares)
                for share in range(self.shares)
            ]
            pointers = [layout.put_own(place) for place in blocks]
            self._blocks += [blocks[0], pointers[0]]

    def _table(self) -> list[tuple[int, int]]:
        """For each phase and thread, the place and the length of a list of calls."""
        return [
            self._calls([(call, 0, 0) for call in (parts[share] if share < len(parts) else [])])
            for parts in _merged(self.phases)
            for share in range(self.shares)
        ]

    def _table_of_images(self, batch: Batch) -> list[tuple[int, int]]:
        """The same for a batch: one phase, in which each thread does its images."""
        calls = [call for phase in self.phases for call in phase.all_calls()]
        return [
            self._calls([(call, image, share) for image in range(begin, end) for call in calls])
            for share, (begin, end) in enumerate(split_evenly(batch.size, batch.threads))
        ]

    def _calls(self, calls: Sequence[tuple[KernelCall, int, int]]) -> tuple[int, int]:
        """The list of some calls, each for an image and in the arena of a thread."""
        layout = self._layout
        blocks = [(self._entry(call), self._arguments(call, *rest)) for call, *rest in calls]
        place = len(layout.words)
        for entry, block in blocks:
            layout.put(entry)
            layout.put_own(block)
        return place, len(blocks)

    def _entry(self, call: KernelCall) -> int:
        return self._images[call.spec.text()].address(ENTRY)

    def _arguments(self, call: KernelCall, image: int, share: int) -> int:
        """The argument block of a call; its place."""
        layout = self._layout
        first = len(layout.words)
        for name in call.spec.fields:
            argument = call.arguments[name]
            if isinstance(argument, Address):
                self._address(argument, image, share)
            else:
                layout.put(argument)
        return first

    def _address(self, address: Address, image: int, share: int) -> None:
        layout, buffer = self._layout, address.buffer
        place = len(layout.words)
        if buffer.kind == "arena":
            layout.arena.append(place)
            layout.put(self._offsets[buffer] + address.offset + share * self._arena_of_one)
        elif buffer.array is not None:
            layout.put(buffer.array.ctypes.data + address.offset)
        else:
            patches = layout.inputs if buffer.kind == "input" else layout.outputs
            offset = address.offset
            if buffer.kind == "output" or (self.batch and self.batch.inputs[buffer.number]):
                offset += image * buffer.size
            patches.append((place, buffer.number, offset))
            layout.put(0)

    def _runner(self, table: int, cancel: int, shares: tuple[int, int], threads: int) -> int:
        """An argument block of the step runner; its place. Control and epoch come with the team."""
        layout = self._layout
        first = layout.put_own(table)
        layout.put(0)
        layout.put_own(cancel)
        phases = len(_merged(self.phases)) if self.batch is None else 1
        for number in (phases, self.shares, *shares, threads, 0):
            layout.put(number)
        return first

    # --- runs -------------------------------------------------------------------------------------

    def run(
        self, inputs: Sequence[np.ndarray], cancellation: Cancellation | None = None
    ) -> list[np.ndarray]:
        """The outputs, for inputs of the program's shapes and dtypes, in C order.

        Args:
          cancellation: ends the run between two phases, with outputs of no meaning.
        """
        instance = self._take()
        outputs = [np.empty(shape, dtype) for shape, dtype in self._outputs]
        words = instance.words
        for place, number, offset in self._layout.inputs:
            words[place] = address_of(inputs[number]) + offset
        for place, number, offset in self._layout.outputs:
            words[place] = address_of(outputs[number]) + offset
        if cancellation is None:
            self._call(instance)
        else:
            token = cancellation.register(instance.cancel)
            try:
                self._call(instance)
            finally:
                cancellation.deregister(token)
                words[_CANCEL_WORD] = 0
        if len(self._free) < _KEPT_INSTANCES:
            self._free.append(instance)
        return outputs

    def _call(self, instance: _Instance) -> None:
        """Runs with the team if there is one, if it is free, and if that is quicker."""
        if self.shares == 1:
            instance.run_alone(instance.alone)
            return
        start = time.perf_counter()
        team = team_of(self._runner_image)
        together = self._pace.goes_together(start) and team.take()
        if together:
            try:
                self._run_together(team, instance)
            finally:
                team.give_back()
        else:
            instance.run_alone(instance.alone)
        self._pace.took(together, start, time.perf_counter())

    def _take(self) -> _Instance:
        try:
            return self._free.pop()
        except IndexError:
            return self._new_instance()

    def _run_together(self, team: ThreadTeam, instance: _Instance) -> None:
        _, mine, pointers = self._blocks
        epoch_word, control_word = len(RUNNER.fields) - 1, 1
        first = instance.address
        if instance.team is not team:
            for share in range(self.shares):
                block = (int(instance.words[pointers + share]) - first) // 8
                instance.words[block + control_word] = team.control_address
            instance.team = team
        epoch = team.call_together(first + 8 * pointers, self.shares)
        instance.words[mine + epoch_word] = epoch
        instance.run_alone(first + 8 * mine)

    def _new_instance(self) -> _Instance:
        is_short = self.flops <= _SHORT_FLOPS and self.shares == 1
        signature = _SHORT_CALL if is_short else _CALL
        runner = signature(self._runner_image.address(ENTRY))
        return _Instance(self._template, self._layout, self.arena_bytes, self._blocks[0], runner)


class _Instance:
    """A copy of the block with its own arena.

    Attributes:
      words: the block, as integers.
      address: of the block.
      alone: the address of the runner's arguments for a run by one thread.
      run_alone: calls the runner.
      team: whose control block the runner's arguments name.
    """

    __slots__ = ("_arena", "_block", "address", "alone", "run_alone", "team", "words")

    def __init__(
        self,
        template: np.ndarray,
        layout: _Layout,
        arena_bytes: int,
        alone: int,
        runner: Callable[[int], int],
    ) -> None:
        self._arena = np.empty(arena_bytes + 64, np.uint8)
        arena = -(-self._arena.ctypes.data // 64) * 64
        self._block = template.copy()
        self.address = self._block.ctypes.data
        self._block[layout.own] += self.address
        self._block[layout.arena] += arena
        self.words = memoryview(self._block.data)
        self.alone = self.address + 8 * alone
        self.run_alone = runner
        self.team: ThreadTeam | None = None

    def cancel(self) -> None:
        """Ends the run, at the next look."""
        self.words[_CANCEL_WORD] = 1


def address_of(array: np.ndarray) -> int:
    """Where the first element is; the quick way is for arrays that may be written."""
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]
    except (TypeError, ValueError):  # read-only, or empty
        return array.ctypes.data


def _times(shape: tuple[int, ...], batch: Batch | None) -> tuple[int, ...]:
    """The shape of a result for all images."""
    return shape if batch is None else (shape[0] * batch.size, *shape[1:])


def _merged(phases: Sequence[Phase]) -> list[list[list[KernelCall]]]:
    """The calls of each phase, by thread; between phases of one thread no barrier is needed."""
    merged: list[list[list[KernelCall]]] = []
    for phase in phases:
        if phase.is_solo and merged and len(merged[-1]) == 1:
            merged[-1][0].extend(phase.calls[0])
        else:
            merged.append([list(calls) for calls in phase.calls])
    return merged


def _constants_of(phases: Sequence[Phase]) -> set[Buffer]:
    """The constants that calls name: they must live as long as the program."""
    return {
        argument.buffer
        for phase in phases
        for call in phase.all_calls()
        for argument in call.arguments.values()
        if isinstance(argument, Address) and argument.buffer.kind == "constant"
    }

"""Reports on compiled steps: their groups and calls as text, what calls cost, what weights take."""

from __future__ import annotations

import ctypes
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from featherflow.compiler.fusion import Group
from featherflow.compiler.image import MappedImage
from featherflow.compiler.kernel_spec import ENTRY
from featherflow.compiler.lowered import Constant, Given, Lowered
from featherflow.compiler.memory_plan import plan_arena
from featherflow.compiler.peak import Peak
from featherflow.compiler.program import RUNNER
from featherflow.compiler.schedule import Schedule
from featherflow.compiler.storage import Address, Buffer, KernelCall, Phase
from featherflow.compiler.target import Target

PEAK = Peak()
#: Rounds of the peak kernel: about a millisecond.
_PEAK_ROUNDS = 300_000
#: Runs of a call of which the median counts.
_REPETITIONS = 9
_ALIGNMENT = 64
_CALL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)

Images = Mapping[str, MappedImage]


def kernel_texts(schedules: Iterable[Schedule]) -> list[str]:
    """The specs of all kernels that programs of these schedules need, each once."""
    texts = dict.fromkeys(
        call.spec.text()
        for schedule in schedules
        for phase in schedule.phases
        for call in phase.all_calls()
    )
    texts[RUNNER.text()] = None
    return list(texts)


# --- as text --------------------------------------------------------------------------------------


def groups_text(groups: Iterable[Group]) -> str:
    """A line for each group: its kind, and the values it computes from which inputs.

    0 contract  Relu → float32[1,4,4,8]: Contracted, Map add, Map relu ← input 0, …
    """
    return "\n".join(_group_line(group) for group in groups)


def _group_line(group: Group) -> str:
    result = group.result
    steps = ", ".join(_origin_text(value) for value in group.values)
    inputs = ", ".join(map(_input_text, group.inputs()))
    kind = f"{group.number} {group.kind:<9}"
    return f"{kind} {result.node} → {_value_type(result)}: {steps} ← {inputs}"


def _input_text(value: Lowered) -> str:
    if isinstance(value.origin, Given):
        return f"input {value.origin.number}"
    if isinstance(value.origin, Constant):
        return f"constant {_value_type(value)}"
    return value.node


def _origin_text(value: Lowered) -> str:
    origin = value.origin
    name = type(origin).__name__
    detail = getattr(origin, "step", None) or getattr(origin, "reducer", None)
    if isinstance(detail, tuple):
        detail = " ".join(map(str, detail))
    return f"{name} {detail}" if detail else name


def _value_type(value: Lowered) -> str:
    return f"{value.dtype}[{','.join(map(str, value.shape))}]"


def calls_text(schedule: Schedule) -> str:
    """A line for each row of calls: phase, threads, node, kernel, sizes."""
    return "\n".join(
        f"phase {row.phase} on {row.threads}{_times(row)}: {row.node}: {row.spec} {row.sizes}"
        for row in call_rows(schedule.phases)
    )


def _times(row: CallRow) -> str:
    return f", {row.count} calls" if row.count > row.threads else ""


class CallRow(NamedTuple):
    """Calls of one kernel for one node in one phase.

    Attributes:
      sizes: integer arguments of the first call, but for strides.
      flops: of all calls.
      calls: by thread.
    """

    number: int
    phase: int
    node: str
    spec: str
    sizes: str
    flops: float
    calls: tuple[tuple[KernelCall, ...], ...]

    @property
    def threads(self) -> int:
        """How many threads make such calls."""
        return len(self.calls)

    @property
    def count(self) -> int:
        """How many calls there are."""
        return sum(map(len, self.calls))

    @property
    def family(self) -> str:
        """The family of the kernel."""
        return self.spec.partition("(")[0]


def call_rows(phases: Sequence[Phase]) -> list[CallRow]:
    """The calls of a program in the order of the first of each row."""
    rows: list[CallRow] = []
    for number, phase in enumerate(phases):
        alike: dict[tuple[str, str], dict[int, list[KernelCall]]] = {}
        for thread, calls in enumerate(phase.calls):
            for call in calls:
                by_thread = alike.setdefault((call.node, call.spec.text()), {})
                by_thread.setdefault(thread, []).append(call)
        for (node, spec), by_thread in alike.items():
            found = tuple(map(tuple, by_thread.values()))
            flops = sum(call.flops for calls in found for call in calls)
            sizes = _sizes_text(found[0][0])
            rows.append(CallRow(len(rows), number, node, spec, sizes, flops, found))
    return rows


def _sizes_text(call: KernelCall) -> str:
    shown = [
        f"{name}={call.arguments[name]}"
        for name in call.spec.sizes()
        if "stride" not in name and call.arguments[name] != 0
    ]
    return " ".join(shown)


# --- what calls cost ------------------------------------------------------------------------------


class TimedRow(NamedTuple):
    """A row with the time of its slowest thread, if each call ran alone on one core.

    Attributes:
      seconds: of that thread's calls.
      rate: their floating-point operations a second.
    """

    row: CallRow
    seconds: float
    rate: float


class Bench:
    """The calls of a program on memory of its own, one by one.

    Args:
      phases: of a schedule.
      images: the machine code of each kernel, by the text of its spec.
      inputs: of the program, C-ordered.
    """

    def __init__(
        self, phases: Sequence[Phase], images: Images, inputs: Sequence[np.ndarray]
    ) -> None:
        self.phases = phases
        self._images = images
        self._inputs = inputs
        self._offsets, size = plan_arena(phases)
        self._block = np.zeros(size + _ALIGNMENT, np.uint8)
        start = -self._block.ctypes.data % _ALIGNMENT
        self._arena = self._block[start : start + size]
        self._outputs: dict[int, np.ndarray] = {}

    def times(self, overhead: float) -> Iterator[TimedRow]:
        """The time of each row, in order.

        Args:
          overhead: the seconds of a call that does nothing; they are not the kernels'.
        """
        order = [call for phase in self.phases for call in phase.all_calls()]
        took = {call: self._time(call, overhead) for call in order}
        for row in call_rows(self.phases):
            seconds, flops = max(
                (sum(took[call] for call in calls), sum(call.flops for call in calls))
                for calls in row.calls
            )
            yield TimedRow(row, seconds, flops / seconds if seconds else 0.0)

    def _time(self, call: KernelCall, overhead: float) -> float:
        """The median; then the call's one run that counts, on the memory as it was before.

        A call may work in place. Run twice it would give later calls what they never read.
        """
        entry = _CALL(self._images[call.spec.text()].address(ENTRY))
        words = [self._word(call.arguments[name]) for name in call.spec.fields]
        block = (ctypes.c_int64 * max(len(words), 1))(*words)
        before = self._arena.copy()
        median = median_seconds(lambda: entry(ctypes.addressof(block)), _REPETITIONS)
        self._arena[...] = before
        status = entry(ctypes.addressof(block))
        assert status == 0, status
        return max(median - overhead, 0.0)

    def _word(self, argument: Address | int) -> int:
        if not isinstance(argument, Address):
            return argument
        return self._address(argument.buffer) + argument.offset

    def _address(self, buffer: Buffer) -> int:
        if buffer.kind == "arena":
            return self._arena.ctypes.data + self._offsets[buffer]
        if buffer.array is not None:
            return buffer.array.ctypes.data
        if buffer.kind == "input":
            return self._inputs[buffer.number].ctypes.data
        if buffer.number not in self._outputs:
            self._outputs[buffer.number] = np.zeros(buffer.size, np.uint8)
        return self._outputs[buffer.number].ctypes.data


def median_seconds(call: Callable[[], object], repetitions: int) -> float:
    """The median time of a call, after one that is not counted."""
    call()
    seconds = []
    for _ in range(repetitions):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


class CoreSpeed(NamedTuple):
    """What one core does.

    Attributes:
      peak: floating-point operations a second, in float32.
      overhead: seconds of a call that does nothing.
    """

    peak: float
    overhead: float


def measured_core(image: MappedImage, target: Target) -> CoreSpeed:
    """Measures with the kernel PEAK.

    Args:
      image: of it.
      target: what it was compiled for.
    """
    entry = _CALL(image.address(ENTRY))
    numbers = np.array([0.5, 0.5], np.float32)
    total = np.zeros(_ALIGNMENT, np.uint8)
    block = (ctypes.c_int64 * 3)(numbers.ctypes.data, total.ctypes.data, 0)

    def call() -> None:
        entry(ctypes.addressof(block))

    overhead = median_seconds(call, 100)
    block[2] = _PEAK_ROUNDS
    # The shortest: what disturbs a measurement only ever adds to it.
    seconds = min(median_seconds(call, 1) for _ in range(_REPETITIONS)) - overhead
    return CoreSpeed(PEAK.flops(target, _PEAK_ROUNDS) / max(seconds, 1e-9), overhead)


# --- what it takes in memory ----------------------------------------------------------------------


@dataclass(frozen=True)
class MemoryUse:
    """Bytes of a program.

    Attributes:
      originals: the model's own constants.
      used_in_place: those among them that kernels read where they lie.
      packed: copies in the order in which kernels read them, and numbers.
      arena: values in between, for each run at the same time.
      code: of the kernels' images.
    """

    originals: int
    used_in_place: int
    packed: int
    arena: int
    code: int


def memory_use(
    schedules: Sequence[Schedule], images: Images, originals: Iterable[np.ndarray]
) -> MemoryUse:
    """What programs of some schedules take.

    Args:
      originals: the constants of the step; each counts once.
    """
    held = {_memory_of(array): array.nbytes for array in originals}
    constants = {
        argument.buffer: argument.buffer.array
        for schedule in schedules
        for phase in schedule.phases
        for call in phase.all_calls()
        for argument in call.arguments.values()
        if isinstance(argument, Address) and argument.buffer.array is not None
    }
    arrays = {id(array): array for array in constants.values()}.values()
    in_place = sum(array.nbytes for array in arrays if _memory_of(array) in held)
    return MemoryUse(
        originals=sum(held.values()),
        used_in_place=in_place,
        packed=sum(array.nbytes for array in arrays) - in_place,
        arena=sum(plan_arena(schedule.phases)[1] for schedule in schedules),
        code=sum(image.size for image in {id(image): image for image in images.values()}.values()),
    )


def _memory_of(array: np.ndarray) -> int:
    return array.ctypes.data

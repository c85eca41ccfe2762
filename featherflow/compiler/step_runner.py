"""The step runner: native code that walks the phases of a program, alone or as one of a team.

    for each phase:  for each share of mine:  for each call of the share:  call it;   barrier

The team shares a control block, whose fields each have a cache line of their own. Who waits at a
barrier spins, then yields its core, so a thread that lost its core costs time but never a deadlock.
Worker threads wait here for work too, but not for long: `worker` returns when nothing came, and its
caller sleeps where Python can wake it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from featherflow.compiler.ir import I1, I64, PTR, Function, Module, Operand, Value
from featherflow.compiler.kernel_spec import KernelFunction, KernelSpec, register_family

WORKER_ENTRY = "worker"
#: Fields of the control block, in units of 8 bytes.
EPOCH, ARRIVED, GENERATION, STATUS, VERDICT, STOP, BLOCKS, YIELD = range(0, 64, 8)
CONTROL_WORDS = 64
#: An epoch says in its low bits how many threads it wants. As a field of its own, a thread that one
#: epoch does not want could read the number of the next, and take part in that twice.
THREAD_BITS = 16
#: Looks at a barrier before a thread starts to yield: about 50 µs.
_SPINS = 1000


@register_family
@dataclass(frozen=True)
class StepRunner(KernelSpec):
    """Walks a table of phases × shares, each entry (calls, number of calls).

    Arguments of a call: shares [first, last) are this thread's; `threads` meet at barriers; a new
    `epoch` starts the other threads; 0 goes alone.
    """

    family: ClassVar[str] = "step_runner"

    def pointers(self) -> tuple[str, ...]:
        return ("table", "control", "cancel")

    def sizes(self) -> tuple[str, ...]:
        return ("phases", "shares", "first", "last", "threads", "epoch")

    def emit(self, module: Module) -> None:
        barrier = _emit_barrier(module)
        f = KernelFunction(module, self)
        _start_team(f)
        (status,) = f.times(
            0, f["phases"], [f.constant(I64, 0)], lambda p, c: _phase(f, barrier, p, c[0])
        )
        f.return_(status)
        _emit_worker(module, f)


def _field(f: Function, control: Value, word: int) -> Value:
    return f.offset(control, 8 * word)


def _atomic_load(f: Function, pointer: Value) -> Value:
    return f.emit(I64, f"load atomic i64, {pointer} acquire, align 8")


def _atomic_store(f: Function, value: Operand, pointer: Value) -> None:
    f.do(f"store atomic {f.value(value, I64)}, {pointer} release, align 8")


def _start_team(f: KernelFunction) -> None:
    """Tells the other threads that there is work."""
    has_team = f.compare("ne", f["epoch"], 0)

    def post(_: list[Value]) -> list[Value]:
        _atomic_store(f, f["epoch"], _field(f, f["control"], EPOCH))
        return []

    f.when(has_team, [], post)


def _phase(f: KernelFunction, barrier: Function, phase: Operand, status: Value) -> list[Value]:
    """One phase, unless the step has failed or was cancelled."""
    is_fine = f.compare("eq", status, 0)

    def run(carried: list[Value]) -> list[Value]:
        row = f.value(phase, I64) * f["shares"]
        results = f.times(
            f["first"], f["last"], carried, lambda share, c: _share(f, row + share, c[0])
        )
        return [_meet(f, barrier, results[0])]

    return f.when(is_fine, [status], run)


def _share(f: KernelFunction, entry: Value, status: Value) -> list[Value]:
    """The calls of one share of one phase."""
    at = f.offset(f["table"], entry * 16)
    calls, count = f.load(PTR, at), f.load(I64, f.offset(at, 8))

    def one(index: Operand, carried: list[Value]) -> list[Value]:
        place = f.offset(calls, f.value(index, I64) * 16)
        kernel, arguments = f.load(PTR, place), f.load(PTR, f.offset(place, 8))
        result = f.emit(I64, f"call i64 {kernel.text}({arguments})")
        return [f.binary("or", carried[0], result)]

    return f.times(0, count, [status], one)


def _meet(f: KernelFunction, barrier: Function, status: Value) -> Value:
    """Barrier; afterwards all threads know if one has failed, or if the run was cancelled."""
    control = f["control"]
    has_team = f.compare("sgt", f["threads"], 1)

    def together(carried: list[Value]) -> list[Value]:
        failed = f.compare("ne", carried[0], 0)

        def tell(_: list[Value]) -> list[Value]:
            _atomic_store(f, carried[0], _field(f, control, STATUS))
            return []

        f.when(failed, [], tell)
        f.call(barrier, control, f["threads"], f["cancel"])
        return [_atomic_load(f, _field(f, control, VERDICT))]

    def alone(carried: list[Value]) -> list[Value]:
        return [f.binary("or", carried[0], f.load(I64, f["cancel"]))]

    (verdict,) = f.when(has_team, [status], together)
    (verdict,) = f.when(f.emit(I1, f"xor {has_team}, true"), [verdict], alone)
    return verdict


def _emit_barrier(module: Module) -> Function:
    """All threads of a team arrive before any goes on.

    The last one says whether they go on at all: if each looked for itself, some might see what
    happens later and leave the others waiting. None but this one reads what belongs to the program,
    which may be gone when others leave its last barrier.
    """
    parameters = [("control", PTR), ("threads", I64), ("cancel", PTR)]
    f = Function(module, "barrier", parameters, is_internal=True)
    control = f.parameter("control")
    arrived = _field(f, control, ARRIVED)
    generation = _field(f, control, GENERATION)
    now = _atomic_load(f, generation)
    before = f.emit(I64, f"atomicrmw add {arrived}, i64 1 acq_rel")
    is_last = f.compare("eq", before + 1, f.parameter("threads"))

    def release(_: list[Value]) -> list[Value]:
        status = _atomic_load(f, _field(f, control, STATUS))
        verdict = f.binary("or", status, f.load(I64, f.parameter("cancel")))
        _atomic_store(f, verdict, _field(f, control, VERDICT))
        _atomic_store(f, 0, arrived)
        _atomic_store(f, now + 1, generation)
        return []

    f.when(is_last, [], release)

    def look(carried: list[Value]) -> tuple[Value, list[Value]]:
        moved_on = f.compare("ne", _atomic_load(f, generation), now)
        spins = carried[0] + 1
        f.when(f.emit(I1, f"xor {moved_on}, true"), [], lambda _: _rest(f, control, spins))
        return moved_on, [spins]

    f.repeat([f.constant(I64, 0)], look)
    f.return_()
    return f


def _rest(f: Function, control: Value, spins: Value) -> list[Value]:
    """A short pause; after many of them, the core is offered to others."""
    _pause(f)

    def give_way(_: list[Value]) -> list[Value]:
        function = f.load(PTR, _field(f, control, YIELD))
        f.do(f"call i32 {function.text}()")
        return []

    f.when(f.compare("sgt", spins, _SPINS), [], give_way)
    return []


def _pause(f: Function) -> None:
    if f.target.name == "aarch64":
        f.module.declare("llvm.aarch64.hint", "declare void @llvm.aarch64.hint(i32)")
        f.do("call void @llvm.aarch64.hint(i32 1)")
    else:
        f.module.declare("llvm.x86.sse2.pause", "declare void @llvm.x86.sse2.pause()")
        f.do("call void @llvm.x86.sse2.pause()")


def _emit_worker(module: Module, kernel: Function) -> None:
    """worker(control, thread, seen, spins): runs its part of each new epoch; see the module.

    Returns the last epoch seen, when none came for `spins` looks; −1 when the team is dissolved.
    """
    parameters = [("control", PTR), ("thread", I64), ("seen", I64), ("spins", I64)]
    f = Function(module, WORKER_ENTRY, parameters, I64)
    control, thread, limit = (f.parameter(name) for name in ("control", "thread", "spins"))

    def wait(carried: list[Value]) -> tuple[Value, list[Value]]:
        seen, looks = carried
        epoch = _atomic_load(f, _field(f, control, EPOCH))
        is_new = f.compare("ne", epoch, seen)
        f.when(f.emit(I1, f"xor {is_new}, true"), [], lambda _: (_pause(f), [])[1])
        f.when(is_new, [], lambda _: _take_part(f, kernel, control, thread, epoch))
        stopped = f.compare("ne", _atomic_load(f, _field(f, control, STOP)), 0)
        looks = f.select(is_new, 0, looks + 1)
        idle = f.compare("sge", looks, limit)
        finished = f.emit(I1, f"or {idle}, {stopped.text}")
        return finished, [f.select(stopped, -1, epoch), looks]

    seen, _ = f.repeat([f.parameter("seen"), f.constant(I64, 0)], wait)
    f.return_(seen)


def _take_part(
    f: Function, kernel: Function, control: Value, thread: Value, epoch: Value
) -> list[Value]:
    """Runs this thread's part of a program, if the program wants that many threads."""
    wanted = f.binary("and", epoch, (1 << THREAD_BITS) - 1)

    def run(_: list[Value]) -> list[Value]:
        blocks = f.load(PTR, _field(f, control, BLOCKS))
        block = f.load(PTR, f.offset(blocks, thread * 8))
        f.call(kernel, block)
        return []

    return f.when(f.compare("slt", thread, wanted), [], run)

"""`featherflow explain MODEL --compiled`: passes, clusters and kernel calls of a compiled step."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from featherflow.cli.command_error import CommandError
from featherflow.cli.compiled_session import CompiledSession, RecordingProgram, config_of
from featherflow.cli.model_step import ModelStep
from featherflow.compiler import kernel_spec
from featherflow.compiler.compile_service import default_service
from featherflow.compiler.report import (
    PEAK,
    Bench,
    CallRow,
    CoreSpeed,
    MemoryUse,
    TimedRow,
    call_rows,
    measured_core,
    memory_use,
)
from featherflow.compiler.target import Target
from featherflow.framework.errors import OpError
from featherflow.grappler.optimizer import PassReport
from featherflow.runtime import compiled_step
from featherflow.runtime.compiled_step import CompiledStep, Signature
from featherflow.runtime.specialization import Specialization

_SHOWN_REASONS = 8
_MEGABYTE = 1e6
_NODE_WIDTH = 32


class _Explained(NamedTuple):
    """What is known of a compiled step after its run.

    Attributes:
      programs: with the inputs of the run, by level.
      left: nodes without a place in a cluster that run NumPy kernels.
      images: of all kernels, by spec.
      compile_seconds: of the kernels that were not cached.
    """

    passes: list[PassReport]
    specialization: Specialization
    programs: dict[int, RecordingProgram]
    left: list[str]
    images: dict[str, Any]
    memory: MemoryUse
    target: Target
    compile_seconds: float


def add_compiled_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that only a compiled model takes."""
    group = parser.add_argument_group("compiled", "of a MODEL")
    group.add_argument("--compiled", action="store_true", help="show its passes and kernel calls")
    group.add_argument("--kernel", type=int, metavar="N", help="show the kernel of row N alone")
    group.add_argument(
        "--show",
        choices=("nest", "ir", "asm"),
        default="nest",
        help="its spec and call, its LLVM IR or its assembly",
    )


def explain_compiled(step: ModelStep, options: argparse.Namespace) -> int:
    """Runs a model's step compiled and prints what was made of it.

    Raises:
      CommandError: the step is not compiled, or there is no row of the number asked for.
    """
    try:
        with CompiledSession(config_of(), step.graph) as session:
            explained = _explain(session, step)
    except (OpError, ValueError, TypeError) as error:
        raise CommandError(" ".join(str(error).split())) from None
    if options.kernel is not None:
        print(_kernel_text(explained, options.kernel, options.show))
        return 0
    for line in _report(explained, options.all):
        print(line)
    return 0


def _explain(session: CompiledSession, step: ModelStep) -> _Explained:
    feeds, fetches = tuple(step.feeds), tuple(step.fetches)
    values: list[Any] = [step.feeds[tensor] for tensor in feeds]
    before = default_service().stats().seconds
    compiled = session.compiled_step(feeds, fetches)
    compiled_step.keeps_sources = True
    compiled.plan_for(values)
    signature = tuple(value.shape for value in values)
    programs = {}
    if signature in compiled.ready:
        programs = session.run_recorded(compiled, signature, values)
    else:
        _check_failures(compiled, signature)
    attempt = compiled.attempts[signature]
    images = {text: job.image for text, job in attempt.jobs.items() if job.image is not None}
    specialization = attempt.specialization
    constants = [
        value
        for (node, _), value in specialization.known.items()
        if not node.inputs and isinstance(value, np.ndarray)
    ]
    return _Explained(
        passes=session.passes(feeds, fetches),
        specialization=specialization,
        programs=programs,
        left=_left_to_numpy(compiled, specialization, programs),
        images=images,
        memory=memory_use(list(attempt.schedules.values()), images, constants),
        target=compiled.target,
        compile_seconds=default_service().stats().seconds - before,
    )


def _check_failures(compiled: CompiledStep, signature: Signature) -> None:
    for job in compiled.attempts[signature].jobs.values():
        if job.error:
            raise CommandError(f"a kernel cannot be compiled: {job.error} ({job.spec_text})")


def _left_to_numpy(
    compiled: CompiledStep, specialization: Specialization, programs: dict[int, Any]
) -> list[str]:
    """Names of nodes that no program computes, and that are not known beforehand."""
    inside = {
        node
        for level, cluster in specialization.clusters.items()
        if level in programs
        for node in cluster.nodes
    }
    known = {node for node, _ in specialization.known}
    feeds = set(compiled.subgraph.feeds)
    skipped = inside | known | feeds
    return [
        f"{node.name} ({node.definition.name})"
        for node in compiled.subgraph.nodes
        if node not in skipped
    ]


# --- the report -----------------------------------------------------------------------------------


def _report(explained: _Explained, show_all: bool) -> Iterator[str]:
    yield from _pass_lines(explained.passes, show_all)
    yield ""
    yield from _cluster_lines(explained, show_all)
    if not explained.programs:
        return
    core = _measured_core(explained.target)
    yield ""
    yield from _call_lines(_timed(explained, core), core)
    yield ""
    yield from _memory_lines(explained)


def _pass_lines(passes: Sequence[PassReport], show_all: bool) -> Iterator[str]:
    yield "Passes"
    if not passes:
        yield "  none ran"
    for item in passes:
        nodes = f"{item.nodes_before} → {item.nodes_after} nodes"
        yield f"  {item.name:<24} {len(item.changed):>5} changes, {nodes}"
        if show_all:
            yield from (f"    {line}" for line in item.changed)


def _cluster_lines(explained: _Explained, show_all: bool) -> Iterator[str]:
    yield "Clusters"
    if not explained.programs:
        yield "  none"
    for level in sorted(explained.programs):
        cluster = explained.specialization.clusters[level]
        yield (
            f"  cluster_{level // 2:<16} {len(cluster.nodes):>5} nodes, "
            f"{len(cluster.inputs)} inputs, {len(cluster.outputs)} outputs"
        )
        batch = explained.programs[level].batch
        if batch is not None:
            yield (
                f"  {'':<24} images of the batch one by one, on {batch.threads} threads; calls and "
                "arena are of one"
            )
    reasons = explained.specialization.reasons
    shown = explained.left if show_all else explained.left[:_SHOWN_REASONS]
    yield f"Nodes left to NumPy: {len(explained.left)}"
    for text in shown:
        yield f"  {text}: {reasons.get(text.split()[0], 'no compile rule, or an unknown shape')}"
    if len(shown) < len(explained.left):
        yield f"  and {len(explained.left) - len(shown)} more"
    yield from (f"  {name}: {why}" for name, why in reasons.items() if name.startswith("level "))


def _measured_core(target: Target) -> CoreSpeed:
    job = default_service().request(PEAK.text(), target)
    job.wait()
    if job.image is None:
        raise CommandError(f"the core cannot be measured: {job.error}")
    return measured_core(job.image, target)


def _timed(explained: _Explained, core: CoreSpeed) -> Iterator[TimedRow]:
    for _, program in sorted(explained.programs.items()):
        bench = Bench(program.phases, explained.images, program.inputs_of_calls())
        yield from bench.times(core.overhead)


def _call_lines(timed: Iterator[TimedRow], core: CoreSpeed) -> Iterator[str]:
    yield f"Kernel calls; a core's measured peak is {core.peak / 1e9:.1f} GFLOP/s"
    yield (
        f"{'row':>5} {'µs':>9} {'GFLOP/s':>8} {'peak':>5} {'phase':>5} {'threads':>7} "
        f"{'calls':>5}  {'family':<16} {'node':<32} sizes"
    )
    total = work = 0.0
    for number, (row, seconds, rate) in enumerate(timed):
        total, work = total + seconds, work + row.flops
        yield (
            f"{number:>5} {seconds * 1e6:>9.1f} {rate / 1e9:>8.1f} {rate / core.peak:>5.0%} "
            f"{row.phase:>5} {row.threads:>7} {row.count:>5}  {row.family:<16} "
            f"{_short(row.node):<32} {row.sizes}"
        )
    yield f"{'all':>5} {total * 1e6:>9.1f}  {work / 1e9:.3f} GFLOP in all"


def _short(name: str) -> str:
    return name if len(name) <= _NODE_WIDTH else "…" + name[1 - _NODE_WIDTH :]


def _memory_lines(explained: _Explained) -> Iterator[str]:
    memory = explained.memory
    yield "Memory, in MB"
    yield f"  {'constants of the model':<28} {memory.originals / _MEGABYTE:>9.3f}"
    yield f"  {'read where they lie':<28} {memory.used_in_place / _MEGABYTE:>9.3f}"
    yield f"  {'packed copies':<28} {memory.packed / _MEGABYTE:>9.3f}"
    yield f"  {'arena of one run':<28} {memory.arena / _MEGABYTE:>9.3f}"
    yield f"  {'code':<28} {memory.code / _MEGABYTE:>9.3f}"
    count = len(explained.images)
    yield f"{count} kernels for {explained.target.name}; compiling took {_seconds(explained)}"


def _seconds(explained: _Explained) -> str:
    if explained.compile_seconds == 0:
        return "no time: all were cached"
    return f"{explained.compile_seconds:.1f} s"


# --- one kernel -----------------------------------------------------------------------------------


def _kernel_text(explained: _Explained, number: int, kind: str) -> str:
    rows = [
        row
        for _, program in sorted(explained.programs.items())
        for row in call_rows(program.phases)
    ]
    if not 0 <= number < len(rows):
        raise CommandError(f"there is no row {number}: they go from 0 to {len(rows) - 1}.")
    row = rows[number]
    if kind == "nest":
        return _nest_text(row)
    ir = kernel_spec.emit(row.spec, explained.target)
    return ir if kind == "ir" else _assembly(ir, explained.target)


def _nest_text(row: CallRow) -> str:
    lines = [row.spec, f"for {row.node}, in phase {row.phase}, {row.flops:.0f} operations"]
    for place, calls in enumerate(row.calls):
        call = calls[0]
        given = ", ".join(
            f"{name}={_argument_text(call.arguments[name])}" for name in call.spec.fields
        )
        more = f"; and {len(calls) - 1} more" if len(calls) > 1 else ""
        lines.append(f"thread {place}: {given}{more}")
    return "\n".join(lines)


def _argument_text(argument: Any) -> str:
    if isinstance(argument, int):
        return str(argument)
    buffer = argument.buffer
    name = f"{buffer.kind} {buffer.number}" if buffer.kind in ("input", "output") else buffer.kind
    return f"{name}+{argument.offset}"


def _assembly(ir: str, target: Target) -> str:
    try:
        from featherflow.compiler import codegen
    except ImportError as error:
        raise CommandError(f"there is no compiler ({error}): pip install llvmlite") from None
    return codegen.assembly(ir, target)

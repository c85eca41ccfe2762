"""Timeline: step statistics as a Chrome trace, to be looked at in chrome://tracing or Perfetto."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from featherflow.framework.exports import export

#: `name = Op(inputs)`, and what `run_metadata.timeline_label` puts behind it.
_LABEL = re.compile(
    r"(?P<name>.*?) = (?P<op>[^(]*)\((?P<inputs>.*?)\)"
    r"(?:; kernel (?P<kernel>.*?))?(?:; created at (?P<created_at>.*))?$"
)
#: The process that shows the memory of all devices.
_MEMORY_PROCESS = 0


@dataclass(frozen=True)
class StepStatsAnalysis:
    """What `Timeline.analyze_step_stats` returns.

    Attributes:
      chrome_trace: the trace, as an object that `json` can write.
      allocator_maximums: for each allocator, the most bytes of outputs that were alive at once.
    """

    chrome_trace: dict[str, Any]
    allocator_maximums: dict[str, int]


@dataclass(frozen=True)
class _Run:
    """One run of a node, in microseconds."""

    node: str
    op: str
    inputs: tuple[str, ...]
    facts: dict[str, str]
    process: int
    lane: int
    start: int
    duration: int
    allocator: str
    bytes: int

    @property
    def end(self) -> int:
        return self.start + self.duration


@export("timeline.Timeline")
class Timeline:
    """A Chrome trace of a step.

        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        sess.run(loss, options=options, run_metadata=metadata)
        trace = timeline.Timeline(metadata.step_stats).generate_chrome_trace_format()

    Args:
      step_stats: a StepStats message.
      graph: a Graph; its ops name nodes whose statistics do not.
    """

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        self._step_stats = step_stats
        self._graph = graph

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False
    ) -> str:
        """The trace as JSON.

        Args:
          show_dataflow: draws an arrow from each node to those that read it on other lanes.
          show_memory: adds a chart of the bytes of outputs.
        """
        analysis = self.analyze_step_stats(show_dataflow, show_memory)
        return json.dumps(analysis.chrome_trace, indent=4)

    def analyze_step_stats(
        self, show_dataflow: bool = True, show_memory: bool = True
    ) -> StepStatsAnalysis:
        """The trace as an object, and the memory that the step took."""
        runs = [
            run
            for process, device in enumerate(self._step_stats.dev_stats, _MEMORY_PROCESS + 1)
            for run in self._runs(device, process)
        ]
        events = list(self._processes(show_memory))
        events.extend(map(_op_event, runs))
        if show_dataflow:
            events.extend(_flow_events(runs))
        memory = list(_memory_events(runs))
        if show_memory:
            events.extend(memory)
        return StepStatsAnalysis({"traceEvents": events}, _maximums(memory))

    def _processes(self, show_memory: bool) -> Iterator[dict[str, Any]]:
        if show_memory:
            yield _process_event(_MEMORY_PROCESS, "Allocators")
        for process, device in enumerate(self._step_stats.dev_stats, _MEMORY_PROCESS + 1):
            yield _process_event(process, f"{device.device} Compute")

    def _runs(self, device: Any, process: int) -> Iterator[_Run]:
        """The runs of a device; those that overlap are on different lanes."""
        lane_ends: list[int] = []
        for stats in sorted(device.node_stats, key=lambda stats: stats.all_start_micros):
            start = stats.all_start_micros
            duration = max(1, stats.all_end_rel_micros)
            free = (lane for lane, end in enumerate(lane_ends) if end <= start)
            lane = next(free, len(lane_ends))
            lane_ends[lane : lane + 1] = [start + duration]
            yield self._run(stats, process, lane, start, duration)

    def _run(self, stats: Any, process: int, lane: int, start: int, duration: int) -> _Run:
        match = _LABEL.match(stats.timeline_label)
        op, inputs, facts = "", "", {}
        if match is not None:
            op, inputs = match["op"], match["inputs"]
            facts = {key: match[key] for key in ("kernel", "created_at") if match[key]}
        elif self._graph is not None and stats.node_name in self._graph._operation_by_name:
            op = self._graph._operation_by_name[stats.node_name].type
        return _Run(
            stats.node_name,
            op or "unknown",
            tuple(name for name in inputs.split(", ") if name),
            facts,
            process,
            lane,
            start,
            duration,
            stats.memory[0].allocator_name if stats.memory else "",
            sum(memory.total_bytes for memory in stats.memory),
        )


# --- events ---------------------------------------------------------------------------------------


def _process_event(process: int, name: str) -> dict[str, Any]:
    return {"name": "process_name", "ph": "M", "pid": process, "args": {"name": name}}


def _op_event(run: _Run) -> dict[str, Any]:
    inputs = {f"input{index}": name for index, name in enumerate(run.inputs)}
    return {
        "ph": "X",
        "cat": "Op",
        "name": run.op,
        "pid": run.process,
        "tid": run.lane,
        "ts": run.start,
        "dur": run.duration,
        "args": {"name": run.node, "op": run.op, **inputs, **run.facts},
    }


def _producer(name: str) -> str:
    """The node of an input as a label names it: `node:1`, `^node`."""
    return name.removeprefix("^").rsplit(":", 1)[0]


def _flow_events(runs: Iterable[_Run]) -> Iterator[dict[str, Any]]:
    """An arrow for each edge between lanes: from the end of one run (`s`) to another (`t`)."""
    runs = list(runs)
    last: dict[str, _Run] = {}
    number = 0
    for run in sorted(runs, key=lambda run: run.start):
        for name in run.inputs:
            source = last.get(_producer(name))
            if source is None or (source.process, source.lane) == (run.process, run.lane):
                continue
            yield _flow_event("s", source, source.end, source.node, number)
            yield _flow_event("t", run, run.start, source.node, number)
            number += 1
        last[run.node] = run


def _flow_event(phase: str, run: _Run, time: int, name: str, number: int) -> dict[str, Any]:
    return {
        "ph": phase,
        "cat": "DataFlow",
        "name": name,
        "pid": run.process,
        "tid": run.lane,
        "ts": time,
        "id": number,
    }


def _memory_events(runs: list[_Run]) -> Iterator[dict[str, Any]]:
    """The bytes of outputs over time: from the run that makes one to the last that reads it."""
    last_read: dict[str, int] = {}
    for run in runs:
        for name in run.inputs:
            producer = _producer(name)
            last_read[producer] = max(last_read.get(producer, 0), run.end)
    changes: list[tuple[int, str, int]] = []
    for run in runs:
        if run.bytes:
            changes.append((run.start, run.allocator, run.bytes))
            changes.append((max(run.end, last_read.get(run.node, 0)), run.allocator, -run.bytes))
    held: dict[str, int] = {}
    for time, allocator, change in sorted(changes):
        held[allocator] = held.get(allocator, 0) + change
        yield {
            "ph": "C",
            "cat": "Memory",
            "name": allocator,
            "pid": _MEMORY_PROCESS,
            "tid": 0,
            "ts": time,
            "args": {allocator: held[allocator]},
        }


def _maximums(memory_events: Iterable[dict[str, Any]]) -> dict[str, int]:
    maximums: dict[str, int] = {}
    for event in memory_events:
        for allocator, held in event["args"].items():
            maximums[allocator] = max(maximums.get(allocator, 0), held)
    return maximums

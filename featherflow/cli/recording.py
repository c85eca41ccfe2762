"""Recording sessions: every session made meanwhile notes its steps, and traces one run of each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import featherflow.runtime.session  # noqa: F401  registers the factory that is replaced here
from featherflow.cli.side_effects import refuse_side_effects
from featherflow.graph.graph import Graph
from featherflow.runtime import session_factory
from featherflow.runtime.direct_session import (
    DirectSession,
    DirectSessionFactory,
    PlanKey,
    PreparedStep,
)
from featherflow.runtime.placer import Placement
from featherflow.runtime.session_factory import SessionOptions
from featherflow.runtime.step_stats import NodeStats

#: Steps recorded; a program may run any number of different ones.
MAX_STEPS = 50
_LOCAL = "direct"


@dataclass
class RecordedStep:
    """One set of feeds and fetches of a session.

    Attributes:
      graph: the session's.
      key: the feeds, fetches and targets.
      placements: where the nodes that it needs go, and why.
      stats: what the kernels did in the run that was traced; empty if that failed.
      runs: how often it ran.
      was_traced: whether a run was traced: the first, unless the program traces that itself.
    """

    graph: Graph
    key: PlanKey
    placements: list[Placement] = field(repr=False)
    stats: list[NodeStats] = field(default_factory=list, repr=False)
    runs: int = 0
    was_traced: bool = False


@dataclass
class Recorder:
    """What sessions have noted.

    Attributes:
      allow_side_effects: whether steps may touch files, processes and Python.
      steps: in the order of their first runs.
      left_out: how many further steps there were.
    """

    allow_side_effects: bool = False
    steps: list[RecordedStep] = field(default_factory=list)
    left_out: int = 0


class RecordingSession(DirectSession):
    """A local session that notes its steps."""

    def __init__(self, options: SessionOptions, graph: Graph, recorder: Recorder) -> None:
        super().__init__(options, graph)
        self._recorder = recorder
        self._recorded: dict[PlanKey, RecordedStep | None] = {}

    def run(
        self, prepared: PreparedStep, feed_values: list[Any], options: Any, run_metadata: Any
    ) -> list[Any]:
        """Runs a step, traced if no run of it was.

        Raises:
          CommandError: the step has nodes that may not run.
        """
        if prepared.key not in self._recorded:
            self._recorded[prepared.key] = self._note(prepared.key)
        step = self._recorded[prepared.key]
        if step is not None:
            step.runs += 1
        if step is None or step.was_traced or run_metadata is not None:
            return super().run(prepared, feed_values, options, run_metadata)
        step.was_traced = True
        values, stats = self.run_traced(prepared, feed_values, options)
        step.stats = stats.nodes
        return values

    def _note(self, key: PlanKey) -> RecordedStep | None:
        recorder = self._recorder
        if not recorder.allow_side_effects:
            refuse_side_effects(self.graph, *key)
        if len(recorder.steps) >= MAX_STEPS:
            recorder.left_out += 1
            return None
        step = RecordedStep(self.graph, key, self.explain_placement(key))
        recorder.steps.append(step)
        return step


class _RecordingFactory(DirectSessionFactory):
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def new_session(self, options: SessionOptions, graph: Graph) -> RecordingSession:
        return RecordingSession(options, graph, self._recorder)


@contextmanager
def recording(allow_side_effects: bool = False) -> Iterator[Recorder]:
    """Local sessions made inside the block note what they run."""
    recorder = Recorder(allow_side_effects)
    session_factory.unregister_session_factory(_LOCAL)
    session_factory.register_session_factory(_LOCAL, _RecordingFactory(recorder))
    try:
        yield recorder
    finally:
        session_factory.unregister_session_factory(_LOCAL)
        session_factory.register_session_factory(_LOCAL, DirectSessionFactory())

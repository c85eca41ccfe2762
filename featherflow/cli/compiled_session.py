"""A session for `compile` and `explain --compiled`: it shows its passes and compiled steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.cli.command_error import CommandError
from featherflow.compiler.program import Program
from featherflow.graph.graph import Graph
from featherflow.graph.tensor import Tensor
from featherflow.grappler.optimizer import PassReport, optimize
from featherflow.protos import config_pb2
from featherflow.runtime.cluster_rewriter import with_clusters
from featherflow.runtime.compiled_step import CompiledStep, Signature
from featherflow.runtime.direct_session import DirectSession
from featherflow.runtime.session_factory import SessionOptions


def config_of(threads: int = 0) -> Any:
    """A ConfigProto that compiles before the first run.

    Args:
      threads: of a run; 0 leaves it to the environment.
    """
    config = config_pb2.ConfigProto(intra_op_parallelism_threads=threads)
    config.graph_options.optimizer_options.global_jit_level = config_pb2.OptimizerOptions.ON_2
    return config


class RecordingProgram(Program):
    """A program that keeps the inputs of its last run."""

    inputs: tuple[np.ndarray, ...] = ()

    def run(self, inputs: Any, *rest: Any, **named: Any) -> list[np.ndarray]:
        """Runs the schedule."""
        self.inputs = tuple(inputs)
        return super().run(inputs, *rest, **named)

    def inputs_of_calls(self) -> list[np.ndarray]:
        """The inputs that the calls of the schedule read: of a batch, those of its first image."""
        batch = self.batch
        if batch is None:
            return list(self.inputs)
        return [
            value[: len(value) // batch.size] if has_parts else value
            for value, has_parts in zip(self.inputs, batch.inputs)
        ]


class CompiledSession(DirectSession):
    """A local session that runs one compiled step and takes it apart."""

    def __init__(self, config: Any, graph: Graph) -> None:
        super().__init__(SessionOptions("", config), graph)

    def __enter__(self) -> CompiledSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def compiled_step(self, feeds: tuple[Tensor, ...], fetches: tuple[Tensor, ...]) -> CompiledStep:
        """The compiled plans of a step; nothing runs.

        Raises:
          CommandError: the step is not for the compiler.
        """
        trigger = self.prepare(feeds, fetches, ()).trigger
        if trigger is None:
            raise CommandError(
                "nothing of this step is compiled: it has loops, branches or several devices, or "
                "no op with a compile rule."
            )
        return trigger.make()

    def passes(self, feeds: tuple[Tensor, ...], fetches: tuple[Tensor, ...]) -> list[PassReport]:
        """What each pass of grappler does to a step."""
        disabled = self._planner._disabled_passes
        if disabled is None:
            return []
        return optimize(self._planner.prune(feeds, fetches, ()), disabled)

    def run_recorded(
        self, compiled: CompiledStep, signature: Signature, values: list[Any]
    ) -> dict[int, RecordingProgram]:
        """Runs a step that is ready, and returns its programs with their inputs, by level."""
        attempt = compiled.attempts[signature]
        images: dict[str, Any] = {text: job.image for text, job in attempt.jobs.items()}
        programs = {
            level: RecordingProgram(schedule, images, attempt.batch)
            for level, schedule in attempt.schedules.items()
        }
        step = with_clusters(compiled.subgraph, attempt.specialization, programs)
        self._run_plan(compiled.trigger.build(step), values, None)
        return programs

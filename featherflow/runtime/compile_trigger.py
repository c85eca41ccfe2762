"""CompileTrigger: when a step is worth a look at the compiler, whose modules are loaded then."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from featherflow.graph.subgraph import Subgraph
from featherflow.runtime.compile_options import Mode

if TYPE_CHECKING:
    from featherflow.runtime.compiled_step import BuildPlan, CompiledStep

#: Time on NumPy kernels after which a step is worth a look at the compiler.
_WORTH_SECONDS = 0.02
#: Below this, one run is little more than the way into a compiled program and out again.
_WORTH_SECONDS_A_RUN = 12e-6
_MANY_RUNS = 2000
#: Constants from which on a step is a model whose kernels may be cached.
_MODEL_BYTES = 1 << 18


class CompileTrigger:
    """The clock of one straight step.

    Args:
      subgraph: the optimised nodes of the step.
      source: makes them anew.
      build: makes a plan of nodes.
      threads: of a run.
      mode: when to compile.
    """

    def __init__(
        self,
        subgraph: Subgraph,
        source: Callable[[], Subgraph],
        build: BuildPlan,
        threads: int,
        mode: Mode,
    ) -> None:
        self.subgraph = subgraph
        self.source = source
        self.build = build
        self.threads = threads
        self.mode = mode
        self.seconds = 0.0
        self.runs = 0

    def is_due(self) -> bool:
        """Whether to make the compiled step now."""
        return self.is_hot() or (self.runs == 0 and constant_bytes(self.subgraph) >= _MODEL_BYTES)

    def is_hot(self) -> bool:
        """Whether the step has spent enough time on NumPy kernels to be compiled."""
        if self.mode is Mode.AT_ONCE:
            return True
        is_slow = self.seconds > _WORTH_SECONDS_A_RUN * self.runs
        return is_slow and self.seconds > _WORTH_SECONDS

    def count(self, start: float) -> bool:
        """Takes down a run of the NumPy plan that began at `start`, on the performance clock.

        Returns:
          Whether the compiler can never be worth it: runs are many, and short.
        """
        self.seconds += time.perf_counter() - start
        self.runs += 1
        return self.runs > _MANY_RUNS and self.seconds < _WORTH_SECONDS_A_RUN * self.runs

    def make(self) -> CompiledStep:
        """The compiled plans of the step."""
        from featherflow.runtime.compiled_step import CompiledStep

        return CompiledStep(self)


def is_compilable(subgraph: Subgraph, mode: Mode) -> bool:
    """Whether a step has anything for the compiler, and may use it."""
    return mode is not Mode.NEVER and any(
        node.definition.compile_rule_fn is not None for node in subgraph.nodes
    )


def constant_bytes(subgraph: Subgraph) -> int:
    """The memory of a step's constants."""
    values = (node.attrs.get("value") for node in subgraph.nodes)
    return sum(getattr(value, "nbytes", 0) for value in values)

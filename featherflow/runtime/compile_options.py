"""What a ConfigProto and the environment say about passes, the compiler, and threads.

FEATHERFLOW_COMPILE=0|1|2         never; when a step is hot (default); before its first run
FEATHERFLOW_DISABLE_PASSES=a,b    passes of grappler to leave out, by name, or "all"
FEATHERFLOW_NUM_THREADS=n         threads of a run, where a ConfigProto does not say
"""

from __future__ import annotations

import os
from collections.abc import Collection
from enum import Enum
from typing import Any

from featherflow.compiler.processors import available_threads


class Mode(Enum):
    """When steps are compiled."""

    NEVER = "0"
    WHEN_HOT = "1"
    AT_ONCE = "2"


def compile_mode(config: Any) -> Mode:
    """`global_jit_level` of a config if it says anything, else FEATHERFLOW_COMPILE."""
    level = config.graph_options.optimizer_options.global_jit_level if config is not None else 0
    if level:
        return Mode.NEVER if level < 0 else Mode.AT_ONCE
    named = os.environ.get("FEATHERFLOW_COMPILE", "1")
    return Mode(named) if named in {mode.value for mode in Mode} else Mode.WHEN_HOT


def threads_of(config: Any) -> int:
    """How many threads a run uses: what it may, but no more than there are cores for.

    Threads that wait for a core would make all others wait at every barrier.
    """
    threads = config.intra_op_parallelism_threads if config is not None else 0
    if threads <= 0:
        named = os.environ.get("FEATHERFLOW_NUM_THREADS", "")
        threads = int(named) if named.isdigit() else 0
    available = available_threads()
    return min(threads, available) if threads > 0 else available


def disabled_passes(config: Any) -> Collection[str] | None:
    """The passes that a config or the environment turns off; None turns off all."""
    named = os.environ.get("FEATHERFLOW_DISABLE_PASSES", "")
    if named == "all":
        return None
    disabled = {name for name in named.split(",") if name}
    if config is None or not config.HasField("graph_options"):
        return disabled
    options = config.graph_options
    if options.optimizer_options.opt_level < 0 or options.rewrite_options.disable_meta_optimizer:
        return None
    return disabled | _switched_off(options.rewrite_options)


#: Field of RewriterConfig → the passes that it switches.
_SWITCHES = {
    "constant_folding": ("constant_folding",),
    "arithmetic_optimization": ("arithmetic",),
    "dependency_optimization": ("dependency_pruning",),
    "common_subgraph_elimination": ("common_subexpression",),
    "layout_optimizer": ("layout",),
    "shape_optimization": ("shape_materialization", "reshape_materialization"),
    "remapping": ("batch_norm_folding", "pad_folding"),
}
#: RewriterConfig.OFF.
_OFF = 2


def _switched_off(rewriter: Any) -> set[str]:
    return {
        name
        for field, names in _SWITCHES.items()
        if getattr(rewriter, field, 0) == _OFF
        for name in names
    }

"""The table of graph passes, and `optimize`, which runs them over the nodes of a step."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from featherflow.framework.errors import InvalidArgumentError
from featherflow.graph.subgraph import Subgraph
from featherflow.grappler.arithmetic import simplify_arithmetic
from featherflow.grappler.batch_norm_folding import fold_batch_norms
from featherflow.grappler.common_subexpression import merge_common_subexpressions
from featherflow.grappler.constant_folding import fold_constants
from featherflow.grappler.dependency_pruning import prune_dependencies
from featherflow.grappler.function_inlining import inline_functions
from featherflow.grappler.graph_editor import GraphEditor
from featherflow.grappler.layout import put_channels_last
from featherflow.grappler.pad_folding import fold_pads
from featherflow.grappler.reshape_materialization import materialize_reshapes
from featherflow.grappler.shape_materialization import materialize_shapes

#: Name → pass, in the order in which they run.
PASSES: dict[str, Callable[[GraphEditor], None]] = {
    "function_inlining": inline_functions,
    "shape_materialization": materialize_shapes,
    "constant_folding": fold_constants,
    "reshape_materialization": materialize_reshapes,
    "dependency_pruning": prune_dependencies,
    "arithmetic": simplify_arithmetic,
    "common_subexpression": merge_common_subexpressions,
    "layout": put_channels_last,
    "batch_norm_folding": fold_batch_norms,
    "pad_folding": fold_pads,
}


@dataclass(frozen=True)
class PassReport:
    """What one pass did.

    Attributes:
      name: of the pass.
      changed: one line for each change.
      nodes_before, nodes_after: how many nodes there were.
    """

    name: str
    changed: tuple[str, ...]
    nodes_before: int
    nodes_after: int


def optimize(subgraph: Subgraph, disabled: Collection[str] = ()) -> list[PassReport]:
    """Runs the passes over a subgraph, which is changed in place; its Graph is not.

    Args:
      subgraph: the placed nodes of a step.
      disabled: names of passes to leave out.
    Returns:
      A report of each pass that ran; none if the subgraph is malformed, which planning will tell.
    Raises:
      ValueError: there is no pass of a name in `disabled`.
    """
    unknown = sorted(set(disabled) - PASSES.keys())
    if unknown:
        raise ValueError(f"There is no pass '{unknown[0]}'. The passes are: {', '.join(PASSES)}.")
    try:
        editor = GraphEditor(subgraph)
    except InvalidArgumentError:
        return []
    reports = []
    for name, run in PASSES.items():
        if name not in disabled:
            before = len(subgraph.nodes)
            run(editor)
            changed = editor.finish_pass()
            reports.append(PassReport(name, changed, before, len(subgraph.nodes)))
    return reports

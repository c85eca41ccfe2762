"""RunMetadata: step statistics, partition graphs and costs of a run as protocol buffers."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.attr_value import attr_value_to_proto
from featherflow.graph.exporter import attr_type
from featherflow.graph.subgraph import FEED, Node
from featherflow.runtime.step_stats import NodeStats, OutputStats, StepStatsCollector

#: The allocator named in statistics: NumPy's.
_ALLOCATOR = "cpu"


def step_stats_message(collector: StepStatsCollector) -> Any:
    """The statistics of a step as a StepStats message."""
    from featherflow.protos import step_stats_pb2

    message = step_stats_pb2.StepStats()
    for device, nodes in collector.by_device().items():
        device_stats = message.dev_stats.add(device=device)
        threads: dict[str, int] = {}
        for stats in nodes:
            thread = threads.setdefault(stats.thread, len(threads))
            _write_node_stats(stats, thread, device_stats.node_stats.add())
        for name, number in threads.items():
            device_stats.thread_names[number] = name
    return message


def _write_node_stats(stats: NodeStats, thread: int, message: Any) -> None:
    duration = stats.end - stats.start
    message.node_name = stats.node.name
    message.timeline_label = timeline_label(stats)
    message.thread_id = thread
    message.scheduled_micros = message.all_start_micros = stats.start // 1000
    message.op_end_rel_micros = message.all_end_rel_micros = duration // 1000
    message.scheduled_nanos = message.all_start_nanos = stats.start
    message.op_end_rel_nanos = message.all_end_rel_nanos = duration
    message.memory_stats.SetInParent()
    if stats.output_bytes:
        memory = message.memory.add(allocator_name=_ALLOCATOR)
        memory.total_bytes = memory.peak_bytes = memory.live_bytes = stats.output_bytes
    for output in stats.outputs:
        _write_output(output, stats.node, message.output.add(slot=output.slot))


def _write_output(output: OutputStats, node: Node, message: Any) -> None:
    description = message.tensor_description
    description.dtype = node.output_dtypes[output.slot].base_dtype.as_datatype_enum
    description.shape.SetInParent()
    for size in output.shape:
        description.shape.dim.add(size=size)
    description.allocation_description.requested_bytes = output.bytes
    description.allocation_description.allocator_name = _ALLOCATOR


def timeline_label(stats: NodeStats) -> str:
    """`sum = AddV2(y, z:1, ^w); kernel …/arithmetic_ops.py:41; created at model.py:7 in loss`."""
    node = stats.node
    label = f"{node.name} = {node.definition.name}({', '.join(input_names(node))})"
    label += f"; kernel {stats.kernel}"
    if stats.created_at:
        label += f"; created at {stats.created_at.removesuffix('()')}"
    return label


def input_names(node: Node) -> list[str]:
    """The inputs as a NodeDef names them: `node`, `node:1`, `^node`."""
    names = [
        f"{_name_of(source)}:{index}" if index else _name_of(source)
        for source, index in node.inputs
    ]
    return names + [f"^{_name_of(source)}" for source in node.control_inputs]


def _name_of(node: Node) -> str:
    """The name of a node as a GraphDef may have it: that of a feed is made from its tensor's."""
    if node.definition is not FEED:
        return node.name
    return "_arg_" + node.name.removeprefix("_feed/").replace(":", "_")


# --- graphs and costs -----------------------------------------------------------------------------


def graph_def_of(nodes: Iterable[Node]) -> Any:
    """The nodes of a partition as a GraphDef; feeds are `_Arg` nodes, as in TensorFlow."""
    from featherflow.protos import graph_pb2

    message = graph_pb2.GraphDef()
    feeds = 0
    for node in nodes:
        target = message.node.add(name=_name_of(node), device=node.device)
        if node.definition is FEED:
            target.op = "_Arg"
            attr_value_to_proto(feeds, "int", target.attr["index"])
            attr_value_to_proto(node.attrs["dtype"], "type", target.attr["T"])
            feeds += 1
            continue
        target.op = node.definition.name
        target.input.extend(input_names(node))
        for name, value in node.attrs.items():
            kind = attr_type(node.definition, name, value)
            attr_value_to_proto(value, kind, target.attr[name])
    return message


def cost_graph_message(collector: StepStatsCollector, fetched: Container[str]) -> Any:
    """Measured costs of a step as a CostGraphDef: time of each node, and bytes of its outputs.

    Args:
      fetched: names of nodes whose outputs outlive the step.
    """
    from featherflow.protos import step_stats_pb2

    message = step_stats_pb2.CostGraphDef()
    ids: dict[Node, int] = {}
    costs: dict[Node, Any] = {}
    for stats in sorted(collector.nodes, key=lambda stats: stats.start):
        node = stats.node
        cost = costs.get(node)
        if cost is None:
            ids[node] = len(ids)
            cost = costs[node] = message.node.add(
                name=node.name, device=stats.device, id=ids[node], is_final=node.name in fetched
            )
            for output in stats.outputs:
                _write_output_info(output, cost.output_info.add())
        cost.compute_cost += (stats.end - stats.start) // 1000
        cost.compute_time += (stats.end - stats.start) // 1000
    for node, cost in costs.items():
        for source, index in node.inputs:
            if source in ids:
                cost.input_info.add(preceding_node=ids[source], preceding_port=index)
        cost.control_input.extend(ids[item] for item in node.control_inputs if item in ids)
    return message


def _write_output_info(output: OutputStats, message: Any) -> None:
    message.size = output.bytes
    message.alias_input_port = -1
    if output.dtype is not None:
        message.dtype = dtypes.from_numpy(output.dtype).as_datatype_enum
    message.shape.SetInParent()
    for size in output.shape:
        message.shape.dim.add(size=size)

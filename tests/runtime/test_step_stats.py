"""What a traced step tells: statistics, partition graphs, costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import featherflow.compat.v1 as tf
from featherflow.runtime.step_stats import StepStatsCollector


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


FULL_TRACE = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)


def traced(fetches: Any, feeds: Any = None, config: Any = None, options: Any = FULL_TRACE) -> Any:
    metadata = tf.RunMetadata()
    with tf.Session(config=config) as sess:
        sess.run(fetches, feeds, options=options, run_metadata=metadata)
    return metadata


def by_node(metadata: Any) -> dict[str, Any]:
    return {
        stats.node_name: stats
        for device in metadata.step_stats.dev_stats
        for stats in device.node_stats
    }


def test_a_node_tells_time_memory_kernel_and_line() -> None:
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    y = tf.matmul(x, x, transpose_b=True, name="y")
    metadata = traced(y, {x: np.ones((2, 3))})
    (device,) = metadata.step_stats.dev_stats
    assert device.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    stats = by_node(metadata)["y"]
    assert stats.all_start_nanos > 10**18
    assert stats.all_start_micros == stats.all_start_nanos // 1000
    assert stats.all_end_rel_nanos == stats.op_end_rel_nanos > 0
    assert stats.timeline_label.startswith("y = MatMul(_arg_x_0, _arg_x_0); kernel ")
    assert "matmul_ops.py:" in stats.timeline_label
    assert "created at " in stats.timeline_label
    assert "test_step_stats.py:" in stats.timeline_label
    (output,) = stats.output
    description = output.tensor_description
    assert [dim.size for dim in description.shape.dim] == [2, 2]
    assert description.allocation_description.requested_bytes == 16
    assert stats.memory[0].total_bytes == 16
    assert device.thread_names[stats.thread_id] == "MainThread"


def test_without_trace_nothing_is_recorded() -> None:
    x = tf.placeholder(tf.float32, [])
    y = x + 1.0
    metadata = traced(y, {x: 1.0}, options=tf.RunOptions())
    assert not metadata.step_stats.dev_stats
    with tf.Session() as sess:
        sess.run(y, {x: 1.0}, options=FULL_TRACE)  # nobody to tell


def test_loops_functions_and_waiting_kernels_are_recorded(world) -> None:
    looped = tf.while_loop(
        lambda i: i < 3,
        lambda i: world.delayed(tf.add(i, 1, name="step")),
        [tf.placeholder_with_default(0, [])],
    )
    metadata = traced(looped)
    names = [stats.node_name for stats in metadata.step_stats.dev_stats[0].node_stats]
    assert names.count("while/step") == 3
    assert names.count("while/TestDelayed") == 3


def test_a_traced_session_computes_the_same(world) -> None:
    """Kernels with state are the session's own, traced or not."""
    random = tf.random_uniform([], seed=3)
    with tf.Session() as sess:
        mixed = [sess.run(random, options=FULL_TRACE, run_metadata=tf.RunMetadata()) for _ in "ab"]
        mixed += [sess.run(random)]
    with tf.Session() as sess:
        plain = [sess.run(random) for _ in "abc"]
    assert mixed == plain


def test_partition_graphs() -> None:
    x = tf.placeholder(tf.float32, [], name="x")
    with tf.device("/cpu:1"):
        y = tf.negative(x, name="y")
    z = tf.add(y, x, name="z")
    options = tf.RunOptions(output_partition_graphs=True)
    config = tf.ConfigProto(device_count={"CPU": 2})
    first, second = traced(z, {x: 1.0}, config, options).partition_graphs
    assert [node.name for node in first.node] == ["_arg_x_0", "y/_1", "z"]
    assert [node.op for node in first.node] == ["_Arg", "_Recv", "AddV2"]
    assert list(first.node[2].input) == ["y/_1", "_arg_x_0"]
    assert [node.op for node in second.node] == ["_Arg", "Neg", "_Send"]
    assert {node.device[-5:] for node in second.node} == {"CPU:1"}


def test_cost_graph() -> None:
    x = tf.placeholder(tf.float32, [4], name="x")
    y = tf.negative(tf.abs(x, name="a"), name="y")
    config = tf.ConfigProto(graph_options=tf.GraphOptions(build_cost_model=1))
    costs = {node.name: node for node in traced(y, {x: [1.0] * 4}, config).cost_graph.node}
    assert costs["y"].input_info[0].preceding_node == costs["a"].id
    assert costs["y"].output_info[0].size == 16
    assert (costs["a"].is_final, costs["y"].is_final) == (False, True)


@pytest.mark.parametrize("argument", ["options", "run_metadata"])
def test_messages_of_other_types_are_refused(argument: str) -> None:
    with tf.Session() as sess, pytest.raises(TypeError, match=f"`{argument}` must be a tf.Run"):
        sess.run(tf.constant(1), **{argument: 5})


def test_times_are_since_the_epoch() -> None:
    import time

    before = time.time_ns()
    assert abs(StepStatsCollector()._epoch + time.perf_counter_ns() - before) < 10**10

"""Timelines: Chrome traces made of step statistics."""

from __future__ import annotations

import json
from typing import Any

import featherflow.compat.v1 as tf
from featherflow.protos import step_stats_pb2
from featherflow.runtime.timeline import Timeline

LABELS = {
    "a": "a = Const()",
    "b": "b = Neg(a); kernel ops/unary.py:7; created at model.py:3 in f",
    "c": "c = AddN(a, b:0, ^b)",
}


def stats_of(runs: list[tuple[str, str, int, int, int]]) -> Any:
    """Statistics from (device, node, start, duration, bytes)."""
    message = step_stats_pb2.StepStats()
    devices: dict[str, Any] = {}
    for device, node, start, duration, size in runs:
        if device not in devices:
            devices[device] = message.dev_stats.add(device=device)
        stats = devices[device].node_stats.add(node_name=node, timeline_label=LABELS.get(node, ""))
        stats.all_start_micros, stats.all_end_rel_micros = start, duration
        if size:
            stats.memory.add(allocator_name="cpu", total_bytes=size)
    return message


RUNS = [("cpu:0", "a", 100, 10, 8), ("cpu:1", "b", 110, 20, 4), ("cpu:0", "c", 140, 5, 0)]


def events(timeline: Timeline, phase: str, **options: bool) -> list[dict[str, Any]]:
    trace = json.loads(timeline.generate_chrome_trace_format(**options))
    return [event for event in trace["traceEvents"] if event["ph"] == phase]


def test_ops() -> None:
    ops = {event["args"]["name"]: event for event in events(Timeline(stats_of(RUNS)), "X")}
    assert ops["b"] == {
        "ph": "X",
        "cat": "Op",
        "name": "Neg",
        "pid": 2,
        "tid": 0,
        "ts": 110,
        "dur": 20,
        "args": {
            "name": "b",
            "op": "Neg",
            "input0": "a",
            "kernel": "ops/unary.py:7",
            "created_at": "model.py:3 in f",
        },
    }
    assert ops["c"]["args"] == {
        "name": "c",
        "op": "AddN",
        "input0": "a",
        "input1": "b:0",
        "input2": "^b",
    }


def test_devices_are_processes() -> None:
    names = {event["pid"]: event["args"]["name"] for event in events(Timeline(stats_of(RUNS)), "M")}
    assert names == {1: "cpu:0 Compute", 2: "cpu:1 Compute"}


def test_what_overlaps_is_on_different_lanes() -> None:
    runs = [("d", "a", 0, 10, 0), ("d", "b", 5, 10, 0), ("d", "c", 10, 5, 0), ("d", "e", 12, 1, 0)]
    lanes = {event["args"]["name"]: event["tid"] for event in events(Timeline(stats_of(runs)), "X")}
    assert lanes == {"a": 0, "b": 1, "c": 0, "e": 2}


def test_dataflow_arrows() -> None:
    timeline = Timeline(stats_of(RUNS))
    starts, ends = events(timeline, "s"), events(timeline, "t")
    assert [(event["name"], event["pid"], event["ts"]) for event in starts] == [
        ("a", 1, 110),
        ("b", 2, 130),
        ("b", 2, 130),
    ]
    assert [event["id"] for event in starts] == [event["id"] for event in ends] == [0, 1, 2]
    assert events(timeline, "s", show_dataflow=False) == []


def test_memory() -> None:
    """`a` is held until `c` has read it, `b` likewise."""
    timeline = Timeline(stats_of(RUNS))
    held = [
        (event["ts"], event["args"]["cpu"]) for event in events(timeline, "C", show_memory=True)
    ]
    assert held == [(100, 8), (110, 12), (145, 4), (145, 0)]
    assert timeline.analyze_step_stats().allocator_maximums == {"cpu": 12}
    assert events(timeline, "C") == []


def test_a_graph_names_ops_without_labels() -> None:
    with tf.Graph().as_default() as graph:
        tf.constant(1, name="nameless")
    runs = [("d", "nameless", 0, 1, 0), ("d", "stranger", 1, 1, 0)]
    ops = [event["name"] for event in events(Timeline(stats_of(runs), graph), "X")]
    assert ops == ["Const", "unknown"]


def test_of_a_run() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        fed = tf.placeholder(tf.float32, [])
        y = tf.negative(tf.exp(fed, name="x"), name="y")
        sess.run(y, {fed: 1.0}, options=options, run_metadata=metadata)
    ops = {event["args"]["name"]: event for event in events(Timeline(metadata.step_stats), "X")}
    assert ops["y"]["name"] == "Neg"
    assert ops["y"]["args"]["input0"] == "x"
    assert "test_timeline.py:" in ops["y"]["args"]["created_at"]

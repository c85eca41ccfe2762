"""tf.test.Benchmark: methods whose time `python program.py --benchmarks=REGEX` measures."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from featherflow.framework.exports import export
from featherflow.graph.tensor import Tensor
from featherflow.runtime.session import get_default_session
from featherflow.runtime.timeline import Timeline

_classes: list[type[Benchmark]] = []


@export("test.benchmark_config")
def benchmark_config() -> Any:
    """A ConfigProto for sessions whose time is measured: nothing is rewritten away."""
    from featherflow.protos import config_pb2, rewriter_config_pb2

    config = config_pb2.ConfigProto()
    rewriter = rewriter_config_pb2.RewriterConfig
    config.graph_options.rewrite_options.dependency_optimization = rewriter.OFF
    return config


@export("test.Benchmark")
class Benchmark:
    """A class of benchmarks: its methods whose names start with "benchmark".

    >>> import featherflow as tf
    >>> class AddBenchmark(tf.test.Benchmark):
    ...     def benchmarkAdd(self):
    ...         with tf.Graph().as_default(), tf.Session() as session:
    ...             y = tf.add(1.0, tf.placeholder_with_default(2.0, []))
    ...             return self.run_op_benchmark(session, y, min_iters=3)
    >>> AddBenchmark().benchmarkAdd()["iters"]  # doctest: +ELLIPSIS
    entry: AddBenchmark.benchmarkAdd ...
    3
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _classes.append(cls)

    def __init__(self) -> None:
        self._running: str | None = None

    @classmethod
    def is_abstract(cls) -> bool:
        """Whether the class is a base of others only: it has no benchmarks."""
        return not _methods(cls)

    def evaluate(self, tensors: Any) -> Any:
        """The values of a nest of tensors, in the default session."""
        session = get_default_session()
        if session is None:
            raise ValueError("There is no default session.")
        return session.run(tensors)

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: Mapping[str, Any] | None = None,
        name: str | None = None,
        metrics: Any = None,
    ) -> None:
        """Prints what was measured, on one line.

        Args:
          iters: how often it ran.
          cpu_time: seconds of the processor for each time.
          wall_time: seconds for each time.
          throughput: MB a second.
          extras: other numbers by name.
          name: None takes the name of the benchmark that runs.
          metrics: more numbers, dicts with `name` and `value`.
        """
        facts = {"iters": iters, "cpu_time": cpu_time, "wall_time": wall_time}
        facts |= {"throughput": throughput, **(extras or {})}
        facts |= {item["name"]: item["value"] for item in metrics or ()}
        told = " ".join(f"{key}: {value}" for key, value in facts.items() if value is not None)
        print(f"entry: {name or self._default_name()} {told}", flush=True)

    def _default_name(self) -> str:
        methods = _methods(type(self))
        method = self._running or (methods[0] if len(methods) == 1 else "benchmark")
        return f"{type(self).__name__}.{method}"

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: Mapping[str, Any] | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Runs an op many times, prints and returns the median time of one.

        Args:
          sess: the session.
          op_or_tensor: what to run; a tensor is computed and not fetched.
          feed_dict: what is fed.
          burn_iters: how often it runs before, without being measured.
          min_iters: how often it is measured.
          store_trace: whether a Chrome trace of one run is returned as `full_trace_chrome_format`.
          store_memory_usage: taken for compatibility; nothing is recorded.
          name: None takes the name of the benchmark that runs.
          extras: other numbers to print.
          mbs: the megabytes that one run works through; the throughput is computed from it.
        Returns:
          A dict with `iters`, `wall_time`, `throughput`, `extras` and `name`.
        """
        target = op_or_tensor.op if isinstance(op_or_tensor, Tensor) else op_or_tensor
        for _ in range(burn_iters):
            sess.run(target, feed_dict=feed_dict)
        deltas = []
        for _ in range(min_iters):
            start = time.perf_counter()
            sess.run(target, feed_dict=feed_dict)
            deltas.append(time.perf_counter() - start)
        found: dict[str, Any] = dict(extras or {})
        if store_trace:
            found["full_trace_chrome_format"] = _trace(sess, target, feed_dict)
        median = float(np.median(deltas)) if deltas else math.nan
        spread = float(np.percentile(deltas, 99)) if deltas else math.nan
        found |= {"wall_time_mean": float(np.mean(deltas)) if deltas else math.nan}
        found |= {"wall_time_p99": spread}
        result = {
            "iters": min_iters,
            "wall_time": median,
            "extras": found,
            "name": name or self._default_name(),
            "throughput": mbs / median if median else math.nan,
        }
        printed = {key: value for key, value in found.items() if not isinstance(value, str)}
        self.report_benchmark(
            min_iters, None, median, result["throughput"], printed, result["name"]
        )
        return result


def _trace(session: Any, target: Any, feed_dict: Any) -> str:
    """A Chrome trace of one run."""
    from featherflow.protos import config_pb2

    options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
    metadata = config_pb2.RunMetadata()
    session.run(target, feed_dict=feed_dict, options=options, run_metadata=metadata)
    return Timeline(metadata.step_stats).generate_chrome_trace_format()


def _methods(cls: type) -> list[str]:
    return [name for name in dir(cls) if name.startswith("benchmark")]


def run_benchmarks(pattern: str) -> None:
    """Runs the benchmarks of all classes whose "Class.method" a regular expression matches."""
    wanted = re.compile(".*" if pattern == "all" else pattern)
    for cls in _classes:
        for method in _methods(cls):
            if wanted.search(f"{cls.__name__}.{method}"):
                benchmark = cls()
                benchmark._running = method
                getattr(benchmark, method)()

"""How near to a core's peak each convolution of two networks comes, beside oneDNN.

    pip install onednn-cpu-gomp                 # in an environment of its own, with featherflow
    python benchmarks/convolution_layers.py     # [--cold] [--only TEXT] [--seconds S]

Each distinct layer of ResNet-50 and MobileNetV2, with bias, residual and activation, on one image
and one thread, float32, channels last. featherflow's side is the machine code of the layer's
program, as a session runs it, without the Python around it; oneDNN's is its convolution primitive
with weights packed beforehand and post-ops. Blocks of calls of both, and of a kernel that only
multiplies and adds in registers (the peak), alternate in one process; a figure is the median of the
blocks. Results of both must agree.

Warm: the same weights each time. Cold (--cold): weights rotate over copies that no cache holds;
images stay, as they do in a network, where the layer before has just written them.

Prints tables in Markdown: for each layer how often the network has it, the rate of both (operations
of the direct algorithm, so that a faster algorithm may pass the peak), their shares of the peak,
and the ratio of the times, above 1 where featherflow is faster; geometric means over layers; and
the time of all layers together. Exits with 1 if results differ by more than 1e-5 of the largest.
"""

from __future__ import annotations

import argparse
import ctypes
import itertools
import math
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

os.environ["OMP_NUM_THREADS"] = "1"  # oneDNN's runtime reads it when it is loaded

import numpy as np
from network_layers import (
    HUGE,
    Data,
    Layer,
    aligned,
    aligned_bytes,
    data_for,
    mobilenet_v2,
    resnet50,
    rounded,
)
from onednn_convolution import Dnnl, DnnlLayer

import featherflow as tf
from featherflow.cli.compiled_session import CompiledSession, config_of
from featherflow.compiler.compile_service import default_service
from featherflow.compiler.kernel_spec import ENTRY
from featherflow.compiler.peak import Peak
from featherflow.compiler.target import host_target

MAX_ERROR = 1e-5
MAX_COPIES = 4096
BLOCK_SECONDS = 4e-3
MIN_ROUNDS = 3
HEADER = """\
| layer | count | featherflow, GFLOP/s | of peak | oneDNN, GFLOP/s | of peak | ratio |
|---|---|---|---|---|---|---|"""


# --- the sides ------------------------------------------------------------------------------------


class Side(Protocol):
    """Something whose calls are timed; `overhead`: seconds of a call that does nothing."""

    overhead: float

    def run(self, count: int) -> None: ...


class PeakKernel:
    """Multiplications and additions in registers: about a millisecond a call."""

    rounds = 300_000

    def __init__(self) -> None:
        job = default_service().request(Peak().text(), host_target())
        job.wait()
        if job.image is None:
            raise SystemExit(f"the peak cannot be measured: {job.error}")
        entry = job.image.address(ENTRY)
        self._call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(entry)
        self._numbers = np.full(2, 0.5, np.float32)
        self._sum = aligned_bytes(256)
        self._block = np.array([self._numbers.ctypes.data, self._sum.ctypes.data, 0], np.int64)
        self._keep = job
        self.overhead = 0.0
        self.overhead = seconds_of(self, 1000)
        self._block[2] = self.rounds
        self.flops = Peak().flops(host_target(), self.rounds)

    def run(self, count: int) -> None:
        call, block = self._call, self._block.ctypes.data
        for _ in range(count):
            call(block)


class Featherflow:
    """The program of a layer, on as many copies of its constants as wanted."""

    def __init__(self, layer: Layer, data: Data, copies: int, overhead: float) -> None:
        self.overhead = overhead
        self._program = self._compiled(layer, data)
        if self._program.shares != 1:
            raise SystemExit(f"{layer}: more than one thread")
        self._instance = self._program._new_instance()
        self._call = self._instance.run_alone
        self._inputs = self._program.inputs  # instances hold only the addresses of these
        self._output = aligned(np.full_like(data.residual, np.nan))
        for place, number, offset in self._program._layout.inputs:
            self._instance.words[place] = self._inputs[number].ctypes.data + offset
        for place, _, offset in self._program._layout.outputs:
            self._instance.words[place] = self._output.ctypes.data + offset
        self._blocks = list(self._copies(copies))
        alone = self._instance.alone - self._instance.address
        self._cycle = itertools.cycle([block.ctypes.data + alone for block in self._blocks])

    @staticmethod
    def _compiled(layer: Layer, data: Data) -> Any:
        with tf.Graph().as_default() as graph:
            image = tf.placeholder(tf.float32, data.image.shape)
            residual = tf.placeholder(tf.float32, data.residual.shape)
            convolve = tf.nn.depthwise_conv2d if layer.is_depthwise else tf.nn.conv2d
            strides = [1, layer.stride, layer.stride, 1]
            result = convolve(image, tf.constant(data.weights), strides=strides, padding="SAME")
            result = tf.nn.bias_add(result, tf.constant(data.bias))
            if layer.has_residual:
                result = result + residual
            if layer.activation:
                result = getattr(tf.nn, layer.activation)(result)
        given = {image: data.image, residual: data.residual}
        feeds = (image, residual) if layer.has_residual else (image,)
        with CompiledSession(config_of(threads=1), graph) as session:
            step = session.compiled_step(feeds, (result,))
            values = [given[tensor] for tensor in feeds]
            signature = tuple(value.shape for value in values)
            step.plan_for(values)
            if signature not in step.ready:
                raise SystemExit(f"{layer} is not compiled")
            (program,) = session.run_recorded(step, signature, values).values()
        return program

    def _copies(self, count: int) -> Iterator[np.ndarray]:
        """Argument blocks that share the arena; each has constants of its own."""
        template = np.array(self._instance.words, np.int64)
        arrays = [buffer.array for buffer in self._program._constants]
        size = sum(rounded(array.nbytes) for array in arrays)
        self._constants = aligned_bytes(max(size * count, HUGE))
        place = 0
        for _ in range(count):
            block = template.copy()
            block[self._program._layout.own] += block.ctypes.data - self._instance.address
            for array in arrays:
                first, copy = array.ctypes.data, self._constants[place : place + array.nbytes]
                copy[...] = array.reshape(-1).view(np.uint8)
                inside = (template >= first) & (template < first + array.nbytes)
                block[inside] += copy.ctypes.data - first
                place += rounded(array.nbytes)
            yield block

    def run(self, count: int) -> None:
        call = self._call
        for address in itertools.islice(self._cycle, count):
            call(address)

    def result(self) -> np.ndarray:
        """What the last copy gives; all must give the same."""
        checks = set()
        for _ in self._blocks:
            self._output[...] = np.nan
            self.run(1)
            checks.add(hash(self._output.tobytes()))
        if len(checks) != 1:
            raise SystemExit("copies of the constants give different results")
        return self._output


# --- measuring ------------------------------------------------------------------------------------


def seconds_of(side: Side, count: int) -> float:
    """Of one call, on average, without the way there."""
    start = time.perf_counter()
    side.run(count)
    return max((time.perf_counter() - start) / count - side.overhead, 1e-9)


class Measured(NamedTuple):
    """Seconds of a call; the ratio is theirs to ours, the median of neighbouring blocks."""

    ours: float
    theirs: float
    ratio: float
    peak: float  # operations a second


def measure(ours: Side, theirs: Side, peak: PeakKernel, seconds: float) -> Measured:
    sides: tuple[Side, ...] = (ours, theirs, peak)
    counts = [max(1, int(BLOCK_SECONDS / seconds_of(side, 3))) for side in sides]
    rounds: list[list[float]] = []
    end = time.perf_counter() + seconds
    while len(rounds) < MIN_ROUNDS or time.perf_counter() < end:
        rounds.append([])
        for side, count in zip(sides, counts):
            side.run(1)  # caches are full of the other's data
            rounds[-1].append(seconds_of(side, count))
    a, b, c = map(statistics.median, zip(*rounds))
    return Measured(a, b, statistics.median(y / x for x, y, _ in rounds), peak.flops / c)


class Row(NamedTuple):
    """A line of a table.

    Attributes:
      count: how often the network has the layer.
      error: the largest difference of results, to the largest result.
      name: of oneDNN's implementation.
    """

    layer: Layer
    count: int
    measured: Measured
    error: float
    name: str

    def rates(self) -> tuple[float, float]:
        """Operations a second of both."""
        return self.layer.flops / self.measured.ours, self.layer.flops / self.measured.theirs


def row_of(layer: Layer, count: int, peak: PeakKernel, dnnl: Dnnl, options: Any) -> Row:
    """Compares a layer's results, then times it."""
    data = data_for(layer)
    copies = 1
    if options.cold:
        copies = min(MAX_COPIES, math.ceil(options.cold_megabytes * 1e6 / data.weights.nbytes))
    ours = Featherflow(layer, data, copies, peak.overhead)
    theirs = DnnlLayer(dnnl, layer, data, copies)
    wanted, found = theirs.result(), ours.result()
    if not np.isfinite(found).all():
        raise SystemExit(f"{layer}: featherflow leaves elements unwritten")
    error = float(np.abs(found - wanted).max() / np.abs(wanted).max())
    measured = measure(ours, theirs, peak, options.seconds)
    return Row(layer, count, measured, error, theirs.name)


def table(rows: Sequence[Row], peak: float) -> Iterator[str]:
    """Lines of Markdown: layers, geometric means, and the time of all layers with their counts."""
    yield HEADER
    for row in rows:
        yield _line(f"{row.layer} | {row.count}", row.rates(), peak, row.measured.ratio)
    mean = statistics.geometric_mean
    ours, theirs = (mean(rates) for rates in zip(*(row.rates() for row in rows)))
    yield _line("geometric mean |", (ours, theirs), peak, mean(row.measured.ratio for row in rows))
    count = sum(row.count for row in rows)
    a = sum(row.count * row.measured.ours for row in rows)
    b = sum(row.count * row.measured.theirs for row in rows)
    yield f"| all {count} together | | {a * 1e3:.2f} ms | | {b * 1e3:.2f} ms | | {b / a:.2f} |"


def _line(name: str, rates: tuple[float, float], peak: float, ratio: float) -> str:
    cells = " | ".join(f"{rate / 1e9:.1f} | {rate / peak:.0%}" for rate in rates)
    return f"| {name} | {cells} | {ratio:.2f} |"


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="for each layer")
    parser.add_argument("--only", default="", help='layers with this in "network: layer"')
    parser.add_argument("--cold", action="store_true", help="rotate weights")
    parser.add_argument("--cold-megabytes", type=float, default=300, help="of weights, per layer")
    parser.add_argument("--library", default="", help="libdnnl.so; else the environment's own")
    parser.add_argument("--names", action="store_true", help="list oneDNN's implementations")
    return parser.parse_args()


def main() -> int:
    options = parsed()
    peak, dnnl = PeakKernel(), Dnnl(options.library)
    networks = {"ResNet-50": resnet50(), "MobileNetV2": mobilenet_v2()}
    found: dict[str, list[Row]] = {}
    for network, layers in networks.items():
        for layer, count in layers.items():
            if options.only in f"{network}: {layer}":
                print(f"{network}: {layer}", file=sys.stderr)
                row = row_of(layer, count, peak, dnnl, options)
                found.setdefault(network, []).append(row)
    rows = list(itertools.chain(*found.values()))
    if not rows:
        raise SystemExit(f"no layer has {options.only!r} in its name")
    peaks = sorted(row.measured.peak for row in rows)
    for network, its_rows in found.items():
        print(f"{network}, weights {'cold' if options.cold else 'warm'}:\n")
        print("\n".join(table(its_rows, peaks[-1])), end="\n\n")
    print(f"Peak of a core: {peaks[-1] / 1e9:.1f} GFLOP/s", end="")
    print(f" ({peaks[0] / 1e9:.1f} beside the layer where it was lowest).")
    error = max(row.error for row in rows)
    print(f"Largest difference of results: {error:.1e} of the largest value.")
    if options.names:
        for row in rows:
            print(f"{row.layer}: {row.name}, error {row.error:.1e}")
    return 0 if error <= MAX_ERROR else 1


if __name__ == "__main__":
    sys.exit(main())

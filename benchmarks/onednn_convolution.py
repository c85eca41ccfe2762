"""oneDNN's convolution through its C API, with weights packed beforehand.

For `convolution_layers.py`. The library is one that `pip install onednn-cpu-gomp` brings.
"""

from __future__ import annotations

import ctypes
import itertools
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from network_layers import HUGE, Data, Layer, aligned, aligned_bytes, rounded


class Dnnl:
    """oneDNN 3's C API, as far as it is needed here; constants are those of its dnnl_types.h."""

    ANY, FLOAT32, CPU, INFERENCE, AUTO = 1, 3, 1, 96, 3
    RELU, CLIP = 0x20, 0x2E
    SOURCE, TARGET, WEIGHTS, BIAS = 1, 17, 33, 41
    QUERY_NAME, QUERY_WEIGHTS = 8, 131

    class Argument(ctypes.Structure):
        _fields_ = [("kind", ctypes.c_int), ("memory", ctypes.c_void_p)]

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path or str(Path(sys.prefix, "lib", "libdnnl.so")))
        self.library.dnnl_primitive_desc_query_md.restype = ctypes.c_void_p
        self.library.dnnl_memory_desc_get_size.restype = ctypes.c_size_t
        self.engine = self.new("engine_create", self.CPU, ctypes.c_size_t(0))
        self.stream = self.new("stream_create", self.engine, 1)
        self.overhead = self._overhead(1000)

    def call(self, name: str, *arguments: Any) -> None:
        """Raises:
        SystemExit: the library says no.
        """
        status = getattr(self.library, f"dnnl_{name}")(*arguments)
        if status:
            raise SystemExit(f"oneDNN: {name} fails with status {status}")

    def new(self, name: str, *arguments: Any) -> ctypes.c_void_p:
        """What a function gives through its first argument."""
        result = ctypes.c_void_p()
        self.call(name, ctypes.byref(result), *arguments)
        return result

    def _overhead(self, count: int) -> float:
        """Seconds of a call that the library turns down at once."""
        execute = self.library.dnnl_primitive_execute
        nothing = (self.Argument * 4)()
        start = time.perf_counter()
        for _ in range(count):
            execute(None, self.stream, 4, nothing)
        return (time.perf_counter() - start) / count

    def descriptor(self, sizes: Sequence[int], order: Sequence[int] = ()) -> ctypes.c_void_p:
        """Of float32s, dense with the axes in this order, or in the form the library likes."""
        if not order:
            tag = (len(sizes), integers(*sizes), self.FLOAT32, self.ANY)
            return self.new("memory_desc_create_with_tag", *tag)
        strides, step = [0] * len(sizes), 1
        for axis in reversed(order):
            strides[axis], step = step, step * sizes[axis]
        given = (len(sizes), integers(*sizes), self.FLOAT32, integers(*strides))
        return self.new("memory_desc_create_with_strides", *given)

    def memory(self, descriptor: ctypes.c_void_p, array: np.ndarray) -> ctypes.c_void_p:
        pointer = ctypes.c_void_p(array.ctypes.data)
        return self.new("memory_create", descriptor, self.engine, pointer)

    def arguments(self, *pairs: tuple[int, ctypes.c_void_p]) -> Any:
        return (self.Argument * len(pairs))(*(self.Argument(kind, m.value) for kind, m in pairs))


def integers(*values: int) -> Any:
    return (ctypes.c_int64 * len(values))(*values)


class DnnlLayer:
    """oneDNN's convolution of a layer, on as many copies of packed weights as wanted."""

    def __init__(self, dnnl: Dnnl, layer: Layer, data: Data, copies: int) -> None:
        self.overhead = dnnl.overhead
        self._dnnl, self._data = dnnl, data
        self._output = aligned(data.residual)
        nhwc = (0, 2, 3, 1)
        image_sizes = (1, layer.channels, layer.size, layer.size)
        out_sizes = (1, layer.outputs, layer.out_size, layer.out_size)
        image = dnnl.descriptor(image_sizes, nhwc)
        out = dnnl.descriptor(out_sizes, nhwc)
        bias = dnnl.descriptor((layer.outputs,), (0,))
        kernel = (layer.kernel, layer.kernel)
        if layer.is_depthwise:
            sizes, order = (layer.channels, 1, 1, *kernel), (3, 4, 0, 1, 2)
        else:
            sizes, order = (layer.outputs, layer.channels, *kernel), (2, 3, 1, 0)
        before, after = layer.padding
        pairs = [(layer.stride,) * 2, (0, 0), (before,) * 2, (after,) * 2]
        description = dnnl.new(
            "convolution_forward_primitive_desc_create",
            *(dnnl.engine, dnnl.INFERENCE, dnnl.AUTO),
            *(image, dnnl.descriptor(sizes), bias, out),
            *(integers(*pair) for pair in pairs),
            self._attributes(layer),
        )
        self._primitive = dnnl.new("primitive_create", description)
        self.name = self._name_of(description)
        packed = ctypes.c_void_p(
            dnnl.library.dnnl_primitive_desc_query_md(description, dnnl.QUERY_WEIGHTS, 0)
        )
        given = dnnl.descriptor(sizes, order)
        rest = (
            (dnnl.SOURCE, dnnl.memory(image, data.image)),
            (dnnl.TARGET, dnnl.memory(out, self._output)),
        )
        self._calls = [
            dnnl.arguments((dnnl.WEIGHTS, weights), (dnnl.BIAS, dnnl.memory(bias, copy)), *rest)
            for weights, copy in self._packed(packed, given, copies)
        ]
        self._cycle = itertools.cycle(self._calls)

    def _attributes(self, layer: Layer) -> ctypes.c_void_p:
        """Adds to what the output holds, then clips."""
        dnnl, steps = self._dnnl, self._dnnl.new("post_ops_create")
        if layer.has_residual:
            dnnl.call("post_ops_append_sum", steps, ctypes.c_float(1), 0, dnnl.FLOAT32)
        if layer.activation:
            kind, most = (dnnl.RELU, 0) if layer.activation == "relu" else (dnnl.CLIP, 6)
            bounds = ctypes.c_float(0), ctypes.c_float(most)
            dnnl.call("post_ops_append_eltwise", steps, kind, *bounds)
        attributes = dnnl.new("primitive_attr_create")
        dnnl.call("primitive_attr_set_post_ops", attributes, steps)
        return attributes

    def _name_of(self, description: ctypes.c_void_p) -> str:
        name = ctypes.c_char_p()
        query = (description, self._dnnl.QUERY_NAME, 0, ctypes.byref(name))
        self._dnnl.call("primitive_desc_query", *query)
        return (name.value or b"").decode()

    def _packed(
        self, descriptor: ctypes.c_void_p, given: ctypes.c_void_p, copies: int
    ) -> Iterator[tuple[ctypes.c_void_p, np.ndarray]]:
        """Packs the weights as often as wanted, each with a copy of the bias."""
        dnnl, bias = self._dnnl, self._data.bias
        size = dnnl.library.dnnl_memory_desc_get_size(descriptor)
        step = rounded(size) + rounded(bias.nbytes)
        self._constants = aligned_bytes(max(step * copies, HUGE))
        ends = (given, dnnl.engine, descriptor, dnnl.engine)
        reorder = dnnl.new("reorder_primitive_desc_create", *ends, None)
        source = dnnl.memory(given, self._data.weights)
        pack = dnnl.new("primitive_create", reorder)
        for place in range(0, step * copies, step):
            target = dnnl.memory(descriptor, self._constants[place:])
            copy = self._constants[place + rounded(size) :][: bias.nbytes].view(np.float32)
            copy[...] = bias
            arguments = dnnl.arguments((dnnl.SOURCE, source), (dnnl.TARGET, target))
            dnnl.call("primitive_execute", pack, dnnl.stream, 2, arguments)
            yield target, copy

    def run(self, count: int) -> None:
        execute = self._dnnl.library.dnnl_primitive_execute
        primitive, stream = self._primitive, self._dnnl.stream
        for arguments in itertools.islice(self._cycle, count):
            execute(primitive, stream, 4, arguments)

    def result(self) -> np.ndarray:
        """Of the last copy, after a run of each."""
        for _ in self._calls:
            self._output[...] = self._data.residual
            self.run(1)
        return self._output

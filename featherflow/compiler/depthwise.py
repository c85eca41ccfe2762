"""Depthwise convolution: each channel of an image has its own filters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from featherflow.compiler.channel_vectors import FLOAT_BYTES
from featherflow.compiler.ir import Function, Module, Type, Value
from featherflow.compiler.kernel_spec import KernelSpec, register_family
from featherflow.compiler.register_tile import Epilogue
from featherflow.compiler.sliding_window import SIZES, WindowEmitter
from featherflow.compiler.window_tiles import Window, WindowReduction


@register_family
@dataclass(frozen=True)
class DepthwiseConvolution(KernelSpec):
    """Σ_ij input[n, y·s + i·d − pad, x·s + j·d − pad, c] · filter[i, j, c, m], at channel c·M + m.

    The filter is TensorFlow's `[KH, KW, C, M]`, unpacked. Rows are counted through all images;
    `output_stride` is from pixel to pixel, in bytes, so that the output may be a slice.

    Attributes:
      channels: C, of the input.
      multiplier: M.
      window, strides, dilations: vertical, horizontal.
      epilogue_inputs: kinds of operands: "channel", "full" (dense) or "scalar".
      epilogue: steps over the sum and the operands; none stores the sum.
    """

    family: ClassVar[str] = "depthwise_conv2d"

    channels: int
    multiplier: int
    window: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int] = (1, 1)
    epilogue_inputs: tuple[str, ...] = ()
    epilogue: tuple[tuple, ...] = ()

    def pointers(self) -> tuple[str, ...]:
        return ("input", "filter", "output", *Epilogue(self.epilogue_inputs).names())

    def sizes(self) -> tuple[str, ...]:
        return SIZES

    def emit(self, module: Module) -> None:
        outputs = self.channels * self.multiplier
        window = Window(outputs, self.multiplier, self.window, self.strides, self.dilations)
        epilogue = Epilogue(self.epilogue_inputs, self.epilogue)
        WindowEmitter(module, self, window, _Products(outputs), epilogue).emit()


class _Products(WindowReduction):
    """The sum of taps times weights."""

    def __init__(self, channels: int) -> None:
        self.weight_bytes = channels * FLOAT_BYTES

    def start(self, f: Function, kind: Type) -> Value:
        return f.constant(kind, 0.0)

    def combine(self, f: Function, total: Value, tap: Value, weight: Value | None) -> Value:
        assert weight is not None
        return f.fma(tap, weight, total)

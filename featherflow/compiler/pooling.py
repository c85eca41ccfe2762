"""Max and average pooling of images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from featherflow.compiler.ir import F32, Function, Module, Operand, Type, Value
from featherflow.compiler.kernel_spec import KernelSpec, register_family
from featherflow.compiler.register_tile import Epilogue
from featherflow.compiler.sliding_window import SIZES, WindowEmitter
from featherflow.compiler.window_tiles import Window, WindowReduction


@register_family
@dataclass(frozen=True)
class Pool(KernelSpec):
    """The maximum or the mean of input[n, y·s + i·d − pad, x·s + j·d − pad, c] over i and j.

    Taps on padding do not count. Rows are counted through all images; `output_stride` is from pixel
    to pixel, in bytes, so that the output may be a slice.

    Attributes:
      mode: "max" or "avg".
      window, strides, dilations: vertical, horizontal.
      epilogue_inputs, epilogue: see `register_tile.Epilogue`; "full" operands are dense.
    """

    family: ClassVar[str] = "pool2d"

    mode: str
    channels: int
    window: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int] = (1, 1)
    epilogue_inputs: tuple[str, ...] = ()
    epilogue: tuple[tuple, ...] = ()

    def pointers(self) -> tuple[str, ...]:
        return ("input", "output", *Epilogue(self.epilogue_inputs).names())

    def sizes(self) -> tuple[str, ...]:
        return SIZES

    def emit(self, module: Module) -> None:
        window = Window(self.channels, 1, self.window, self.strides, self.dilations)
        reduction: WindowReduction = _Mean()
        if self.mode == "max":
            # As in the NumPy kernel: a window of one tap leaves NaN alone.
            is_copy = self.window == (1, 1) and self.strides == (1, 1)
            reduction = _Copy() if is_copy else _Maximum()
        epilogue = Epilogue(self.epilogue_inputs, self.epilogue)
        WindowEmitter(module, self, window, reduction, epilogue).emit()


class _Maximum(WindowReduction):
    """The largest tap that is not NaN, from the lowest finite number on."""

    def start(self, f: Function, kind: Type) -> Value:
        return f.constant(kind, float(np.finfo(np.float32).min))

    def combine(self, f: Function, total: Value, tap: Value, weight: Value | None) -> Value:
        # One instruction on x86, where NaN gives the second operand.
        return f.select(f.compare("ogt", tap, total), tap, total)


class _Copy(_Maximum):
    """The only tap."""

    def combine(self, f: Function, total: Value, tap: Value, weight: Value | None) -> Value:
        return tap


class _Mean(WindowReduction):
    """The sum of the taps through their number."""

    def start(self, f: Function, kind: Type) -> Value:
        return f.constant(kind, 0.0)

    def combine(self, f: Function, total: Value, tap: Value, weight: Value | None) -> Value:
        return total + tap

    def divisor(self, f: Function, kind: Type, taps: Operand) -> tuple[Value, ...]:
        """The number of taps, and its inverse where that saves the division."""
        if isinstance(taps, Value):
            count = f.convert("sitofp", f.larger(taps, 1), F32)
        else:
            count = f.constant(F32, max(taps, 1))
        counts = (count, f.constant(F32, 1.0) / count) if f.target.has_fma else (count,)
        return tuple(f.broadcast(value, kind.lanes) for value in counts)

    def finish(self, f: Function, total: Value, divisor: tuple[Value, ...]) -> Value:
        """total / count, rounded as a division is, at a fraction of its time.

        With r = 1 / count and q = total · r, q + r · (total − count · q) is the rounded quotient.
        (Markstein 1990, "Computation of elementary functions on the IBM RISC System/6000
        processor".) An infinite q makes the remainder NaN, and is right as it is.
        """
        if len(divisor) == 1:
            return total / divisor[0]
        count, inverse = divisor
        quotient = total * inverse
        remainder = f.fma(-quotient, count, total)
        corrected = f.fma(remainder, inverse, quotient)
        return f.select(f.compare("uno", remainder, remainder), quotient, corrected)

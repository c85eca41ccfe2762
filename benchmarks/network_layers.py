"""The convolutions of ResNet-50 and MobileNetV2, how often each occurs, and random arguments."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

LINE = 64
#: From this size on NumPy asks for huge pages; the weights of both sides get them.
HUGE = 16 << 20


@dataclass(frozen=True)
class Layer:
    """A convolution of a square image with its bias, residual and activation."""

    size: int
    channels: int
    outputs: int
    kernel: int = 1
    stride: int = 1
    activation: str = ""
    has_residual: bool = False
    is_depthwise: bool = False

    @property
    def out_size(self) -> int:
        return -(-self.size // self.stride)

    @property
    def padding(self) -> tuple[int, int]:
        """Before and after the image, as "SAME" has it."""
        total = max((self.out_size - 1) * self.stride + self.kernel - self.size, 0)
        return total // 2, total - total // 2

    @property
    def filter_shape(self) -> tuple[int, ...]:
        deep = (self.channels, 1) if self.is_depthwise else (self.channels, self.outputs)
        return (self.kernel, self.kernel, *deep)

    @property
    def flops(self) -> float:
        return 2.0 * self.out_size**2 * math.prod(self.filter_shape)

    def __str__(self) -> str:
        kernel = f"{self.kernel}x{self.kernel}" + (f"/{self.stride}" if self.stride > 1 else "")
        kind = "depthwise" if self.is_depthwise else f"to {self.outputs}"
        steps = ["sum"] * self.has_residual + [self.activation] * bool(self.activation)
        return ", ".join([f"{self.size}x{self.size}x{self.channels} {kind}", kernel, *steps])


def resnet50() -> Counter[Layer]:
    """How often ResNet-50 (strides on the 3x3 convolutions) has which layer."""
    layers = Counter([Layer(224, 3, 64, 7, 2, "relu")])
    size, channels = 56, 64
    for width, blocks in (64, 3), (128, 4), (256, 6), (512, 3):
        for block in range(blocks):
            stride = 2 if block == 0 and width > 64 else 1
            layers[Layer(size, channels, width, activation="relu")] += 1
            layers[Layer(size, width, width, 3, stride, "relu")] += 1
            if block == 0:
                layers[Layer(size, channels, 4 * width, stride=stride)] += 1
            size, channels = size // stride, 4 * width
            layers[Layer(size, width, channels, activation="relu", has_residual=True)] += 1
    return layers


def mobilenet_v2() -> Counter[Layer]:
    """How often MobileNetV2 (width 1) has which layer."""
    layers = Counter([Layer(224, 3, 32, 3, 2, "relu6")])
    size, channels = 112, 32
    stages = (16, 1, 1), (24, 2, 2), (32, 3, 2), (64, 4, 2), (96, 3, 1), (160, 3, 2), (320, 1, 1)
    for outputs, blocks, first_stride in stages:
        for block in range(blocks):
            stride = first_stride if block == 0 else 1
            wide = channels if outputs == 16 else 6 * channels
            if wide != channels:
                layers[Layer(size, channels, wide, activation="relu6")] += 1
            layers[Layer(size, wide, wide, 3, stride, "relu6", is_depthwise=True)] += 1
            size //= stride
            layers[Layer(size, wide, outputs, has_residual=channels == outputs)] += 1
            channels = outputs
    layers[Layer(size, channels, 1280, activation="relu6")] += 1
    return layers


# --- memory ---------------------------------------------------------------------------------------


def aligned_bytes(size: int) -> np.ndarray:
    """Memory that begins with a cache line."""
    block = np.zeros(size + LINE, np.uint8)
    start = -block.ctypes.data % LINE
    return block[start : start + size]


def aligned(array: np.ndarray) -> np.ndarray:
    """A copy in such memory."""
    place = aligned_bytes(array.nbytes).view(array.dtype).reshape(array.shape)
    place[...] = array
    return place


def rounded(size: int) -> int:
    """Bytes in whole cache lines, and one more: kernels may look ahead."""
    return (-(-size // LINE) + 1) * LINE


class Data(NamedTuple):
    """Random arguments of a layer."""

    image: np.ndarray
    weights: np.ndarray
    bias: np.ndarray
    residual: np.ndarray


def data_for(layer: Layer) -> Data:
    rng = np.random.default_rng(7)
    out = (1, layer.out_size, layer.out_size, layer.outputs)
    fan_in = layer.kernel**2 * (1 if layer.is_depthwise else layer.channels)
    shapes = (1, layer.size, layer.size, layer.channels), layer.filter_shape, (layer.outputs,), out
    scales = 1.0, fan_in**-0.5, 0.5, 1.0
    return Data(
        *(
            aligned((rng.standard_normal(shape) * scale).astype(np.float32))
            for shape, scale in zip(shapes, scales)
        )
    )

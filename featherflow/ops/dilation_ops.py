"""Grayscale morphology: Dilation2D, its gradients, `tf.nn.dilation2d` and `tf.nn.erosion2d`.

    output[n, i, j, c] = max_{p, q} input[n, s·i + r·p, s·j + r·q, c] + filter[p, q, c]

The arithmetic is in `kernels/morphology.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError, UnimplementedError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import Dim, InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels import morphology as kernels
from featherflow.kernels.windows import Pads, output_size, resolve_pads
from featherflow.ops.arithmetic_ops import negative
from featherflow.ops.reshape_ops import renamed_argument
from featherflow.ops.reverse_ops import reverse
from featherflow.ops.type_groups import REAL
from featherflow.ops.window_shapes import attrs_of

_ATTRS = (
    "T: realnumbertype",
    "strides: list(int) >= 4",
    "rates: list(int) >= 4",
    "padding: {'SAME', 'VALID'}",
)
_GEOMETRY = ("strides", "rates", "padding")

# --- Dilation2D -----------------------------------------------------------------------------------

Dilation2D = define_op(
    "Dilation2D", inputs=("input: T", "filter: T"), outputs=("output: T",), attrs=_ATTRS
)


@Dilation2D.shape_fn
def _dilation2d_shape(c: InferenceContext) -> TensorShape:
    batch, *sizes, channels = c.dims(0, 4)
    *window, depth = c.dims(1, 3)
    for name in ("strides", "rates"):
        if len(c.attrs[name]) != 4:
            c.fail(f"Dilation2D requires 4 values in the attribute {name}", received=c.attrs[name])
        if min(c.attrs[name]) <= 0:
            c.fail(f"Values of {name} must be > 0", received=c.attrs[name])
    c.merge_dim(channels, depth)
    return TensorShape._of((batch, *_output_dims(c, sizes, window), depth))


def _output_dims(c: InferenceContext, sizes: Sequence[Dim], window: Sequence[Dim]) -> list[Dim]:
    """The spatial sizes of the output; none is known unless all of the input and filter are."""
    known = [size for size in (*sizes, *window) if size is not None]
    if len(known) < 4:
        return [None, None]
    strides, rates = c.attrs["strides"][1:3], c.attrs["rates"][1:3]
    pads = resolve_pads(c.attrs["padding"], known[:2], known[2:], strides, rates)
    return [
        output_size(size, taps, stride, rate, before, after)
        for size, taps, stride, rate, (before, after) in zip(
            known[:2], known[2:], strides, rates, pads
        )
    ]


@Dilation2D.kernel("CPU", T=REAL)
def _dilation2d_cpu(
    input: np.ndarray,
    filter: np.ndarray,
    *,
    strides: tuple[int, ...],
    rates: tuple[int, ...],
    padding: str,
) -> np.ndarray:
    return kernels.dilate(input, filter, *_geometry(input, filter, strides, rates, padding))


def _geometry(
    input: np.ndarray,
    filter: np.ndarray,
    strides: tuple[int, ...],
    rates: tuple[int, ...],
    padding: str,
) -> tuple[tuple[int, ...], Pads, tuple[int, ...]]:
    """Strides, pads and rates of the spatial dimensions."""
    if input.ndim != 4:
        raise InvalidArgumentError(
            None, None, "input must be 4-dimensional", received=f"shape {list(input.shape)}"
        )
    for name, values in (("Stride", strides), ("Rate", rates)):
        if len(values) != 4:
            raise InvalidArgumentError(
                None, None, f"{name}s must have 4 values", received=f"{list(values)}"
            )
        if values[0] != 1 or values[3] != 1:
            raise UnimplementedError(
                None,
                None,
                f"{name} is only supported across spatial dimensions",
                received=f"{list(values)}",
            )
    steps, spread = strides[1:3], rates[1:3]
    pads = resolve_pads(padding, input.shape[1:3], filter.shape[:2], steps, spread)
    return steps, pads, spread


@Dilation2D.gradient
def _dilation2d_grad(op: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
    input, filter = op.inputs
    geometry = attrs_of(op, *_GEOMETRY)
    return (
        Dilation2DBackpropInput(input, filter, grad, **geometry),
        Dilation2DBackpropFilter(input, filter, grad, **geometry),
    )


@export_v1("nn.dilation2d")
def dilation2d(
    input: Any,
    filter: Any = None,
    strides: Sequence[int] | None = None,
    rates: Sequence[int] | None = None,
    padding: str | None = None,
    name: str | None = None,
    filters: Any = None,
    dilations: Sequence[int] | None = None,
) -> Tensor:
    """The maximum of an image plus a structuring function over each window.

        output[n, i, j, c] = max_{p, q} input[n, s·i + r·p, s·j + r·q, c] + filter[p, q, c]

    Args:
      input: `[N, H, W, C]`, real numbers.
      filter: `[KH, KW, C]`, dtype of `input`.
      strides: s, one per dimension.
      rates: r, one per dimension.
      padding: "SAME" or "VALID". Padding never wins.
      name: of the node.
      filters, dilations: other names of `filter` and `rates`.
    Returns:
      `[N, H', W', C]`, dtype of `input`.
    Raises:
      ValueError: ranks or channels do not fit, or a stride is not positive.

    See: Serra 1982, "Image analysis and mathematical morphology".
    """
    return Dilation2D(
        input,
        renamed_argument("filters", filters, "filter", filter),
        strides=strides,
        rates=renamed_argument("dilations", dilations, "rates", rates),
        padding=padding,
        name=name,
    )


@export("nn.dilation2d")
def dilation2d_v2(
    input: Any,
    filters: Any,
    strides: Sequence[int],
    padding: str,
    data_format: str,
    dilations: Sequence[int],
    name: str | None = None,
) -> Tensor:
    """`dilation2d` with TF2's arguments; `data_format` is "NHWC"."""
    _check_layout(data_format)
    return dilation2d(input, filters, strides, dilations, padding, name)


def _check_layout(data_format: str) -> None:
    if data_format != "NHWC":
        raise ValueError(
            "`data_format` values other than 'NHWC' are not supported. Received: "
            f"data_format={data_format}"
        )


@export_v1("nn.erosion2d")
def erosion2d(
    value: Any,
    kernel: Any,
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """The minimum of an image minus a structuring function over each window.

        output[n, i, j, c] = min_{p, q} value[n, s·i − r·p, s·j − r·q, c] − kernel[p, q, c]

    Args:
      value: `[N, H, W, C]`, real numbers.
      kernel: `[KH, KW, C]`, dtype of `value`.
      strides, rates, padding, name: as for `dilation2d`.
    Returns:
      `[N, H', W', C]`, dtype of `value`.
    """
    with op_scope(name, "erosion2d", [value, kernel]) as scope:
        # A minimum is the negative maximum of the negative, over windows turned around.
        dilated = dilation2d(
            negative(value), reverse(kernel, [0, 1]), strides, rates, padding, scope
        )
        return negative(dilated)


@export("nn.erosion2d")
def erosion2d_v2(
    value: Any,
    filters: Any,
    strides: Sequence[int],
    padding: str,
    data_format: str,
    dilations: Sequence[int],
    name: str | None = None,
) -> Tensor:
    """`erosion2d` with TF2's arguments; `data_format` is "NHWC"."""
    _check_layout(data_format)
    return erosion2d(value, filters, strides, dilations, padding, name)


# --- Dilation2DBackpropInput ----------------------------------------------------------------------

Dilation2DBackpropInput = define_op(
    "Dilation2DBackpropInput",
    inputs=("input: T", "filter: T", "out_backprop: T"),
    outputs=("in_backprop: T",),
    attrs=_ATTRS,
)


@Dilation2DBackpropInput.shape_fn
def _dilation2d_backprop_input_shape(c: InferenceContext) -> TensorShape:
    return c.shapes[0]


@Dilation2DBackpropInput.kernel("CPU", T=REAL)
def _dilation2d_backprop_input_cpu(
    input: np.ndarray,
    filter: np.ndarray,
    out_backprop: np.ndarray,
    *,
    strides: tuple[int, ...],
    rates: tuple[int, ...],
    padding: str,
) -> np.ndarray:
    geometry = _geometry(input, filter, strides, rates, padding)
    return kernels.dilate_gradient(input, filter, out_backprop, *geometry)[0]


Dilation2DBackpropInput.without_gradient("TensorFlow gives it no gradient")

# --- Dilation2DBackpropFilter ---------------------------------------------------------------------

Dilation2DBackpropFilter = define_op(
    "Dilation2DBackpropFilter",
    inputs=("input: T", "filter: T", "out_backprop: T"),
    outputs=("filter_backprop: T",),
    attrs=_ATTRS,
)


@Dilation2DBackpropFilter.shape_fn
def _dilation2d_backprop_filter_shape(c: InferenceContext) -> TensorShape:
    return c.shapes[1]


@Dilation2DBackpropFilter.kernel("CPU", T=REAL)
def _dilation2d_backprop_filter_cpu(
    input: np.ndarray,
    filter: np.ndarray,
    out_backprop: np.ndarray,
    *,
    strides: tuple[int, ...],
    rates: tuple[int, ...],
    padding: str,
) -> np.ndarray:
    geometry = _geometry(input, filter, strides, rates, padding)
    return kernels.dilate_gradient(input, filter, out_backprop, *geometry)[1]


Dilation2DBackpropFilter.without_gradient("TensorFlow gives it no gradient")

"""Batch norm folding: what scales and shifts channels by constants goes into the filter before it.

    (x ∗ f + b₁) · m + b₂  =  x ∗ (f · m) + (b₁ · m + b₂)

Batch normalization with given statistics is such a step, m = γ / √(σ² + ε) and b₂ = β − μ · m. All
steps that follow a convolution or product with a constant filter are folded together, in float64,
and rounded once. A batch normalization with no filter before it becomes a product and a sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.subgraph import Node
from featherflow.grappler.graph_editor import GraphEditor, same_device

#: Factors beyond these bounds would make filters overflow, or lose digits.
_SMALLEST_FACTOR, _LARGEST_FACTOR = 1e-20, 1e20
#: Where a mean is so many deviations from 0, x · m + b loses digits that (x − μ) · m keeps.
_LARGEST_OFFSET = 64.0
_BATCH_NORMS = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")


class Affine(NamedTuple):
    """y = x · factor + shift; float64 vectors with an element for each channel, or one for all."""

    factor: np.ndarray
    shift: np.ndarray


@dataclass
class _Chain:
    """A filter, and the nodes behind it that only scale and shift.

    Attributes:
      anchor: the convolution or product.
      axis: of the channels in its output: -1 or 1.
      channels: how many there are.
      steps: the nodes behind it, in order.
      total: what they do together.
      scales: whether any of them multiplies.
    """

    anchor: Node
    axis: int
    channels: int
    steps: list[Node]
    total: Affine
    scales: bool = False


def fold_batch_norms(editor: GraphEditor) -> None:
    """Folds constant factors and shifts into filters; splits the batch normalizations left."""
    for node in editor.nodes():
        if node.definition.name in _FILTER_FACTOR:
            chain = _chain_behind(editor, node)
            if chain is not None and (chain.scales or len(chain.steps) > 1):
                _fold(editor, chain)
    for node in editor.nodes():
        if node.definition.name in _BATCH_NORMS and not editor.is_unread(node):
            _split(editor, node)


# --- which nodes ----------------------------------------------------------------------------------


def _chain_behind(editor: GraphEditor, anchor: Node) -> _Chain | None:
    weights = editor.constant(anchor.inputs[1])
    if weights is None or weights.dtype not in (np.float32, np.float64) or not weights.size:
        return None
    if not editor.may_rewrite(anchor):
        return None
    axis = _channel_axis(anchor)
    channels = _output_channels(anchor, weights.shape)
    chain = _Chain(anchor, axis, channels, [], Affine(np.ones(1), np.zeros(1)))
    while True:
        last = chain.steps[-1] if chain.steps else anchor
        step = editor.only_user(last)
        if step is None or not editor.may_rewrite(step) or not same_device(step, last):
            return chain if chain.steps else None
        affine = _affine_of(editor, step, last, axis, channels)
        if affine is None:
            return chain if chain.steps else None
        before = chain.total
        chain.total = Affine(
            before.factor * affine.factor, before.shift * affine.factor + affine.shift
        )
        chain.scales = chain.scales or bool(np.any(affine.factor != 1))
        chain.steps.append(step)


def _channel_axis(node: Node) -> int:
    return 1 if node.attrs.get("data_format") == "NCHW" else -1


def _output_channels(anchor: Node, shape: tuple[int, ...]) -> int:
    if anchor.definition.name == "DepthwiseConv2dNative":
        return shape[2] * shape[3]
    return shape[0] if anchor.attrs.get("transpose_b") else shape[-1]


def _affine_of(
    editor: GraphEditor, node: Node, source: Node, axis: int, channels: int
) -> Affine | None:
    """What `node` does to the first output of `source`; None unless it only scales and shifts."""
    name = node.definition.name
    if name in _BATCH_NORMS:
        fits = node.inputs[0] == (source, 0) and _channel_axis(node) == axis
        affine = _batch_norm(editor, node) if fits else None
        return affine if affine is not None and affine.factor.size == channels else None
    place = next((at for at, output in enumerate(node.inputs) if output == (source, 0)), None)
    if name not in _STEPS or place is None:
        return None
    value = editor.constant(node.inputs[1 - place])
    if value is None or (place == 1 and name in ("Sub", "RealDiv", "Div", "BiasAdd")):
        return None
    if name == "BiasAdd":
        vector = value if _channel_axis(node) == axis and value.shape == (channels,) else None
    else:
        vector = _per_channel(value, axis, channels, source.output_shapes[0])
    if vector is None:
        return None
    return _checked(_STEPS[name](vector.astype(np.float64)))


def _per_channel(
    value: np.ndarray, axis: int, channels: int, shape: TensorShape
) -> np.ndarray | None:
    """The factors or shifts of the channels, if broadcasting `value` gives each channel one."""
    rank = shape.rank
    if rank is None or value.ndim > rank:
        return None
    if value.size == 1:
        return value.reshape(1)
    dims = (1,) * (rank - value.ndim) + value.shape
    at = axis % rank
    if dims[at] != channels or value.size != channels:
        return None
    return value.reshape(channels)


_ONE, _ZERO = np.ones(1), np.zeros(1)

#: Op → what it does to one side when the other is a constant.
_STEPS = {
    "BiasAdd": lambda c: Affine(_ONE, c),
    "Add": lambda c: Affine(_ONE, c),
    "AddV2": lambda c: Affine(_ONE, c),
    "Sub": lambda c: Affine(_ONE, -c),
    "Mul": lambda c: Affine(c, _ZERO),
    "RealDiv": lambda c: Affine(np.reciprocal(c, where=c != 0, out=np.full_like(c, np.inf)), _ZERO),
    "Div": lambda c: Affine(np.reciprocal(c, where=c != 0, out=np.full_like(c, np.inf)), _ZERO),
}


def _batch_norm(editor: GraphEditor, node: Node) -> Affine | None:
    if node.attrs["is_training"] or not editor.reads_only_first_output(node):
        return None
    vectors = [editor.constant(output) for output in node.inputs[1:5]]
    if node.attrs["T"].name != "float32" or any(
        vector is None or vector.ndim != 1 or vector.shape != vectors[0].shape  # type: ignore
        for vector in vectors
    ):
        return None
    scale, offset, mean, variance = (np.asarray(vector, np.float64) for vector in vectors)
    with np.errstate(all="ignore"):
        factor = scale / np.sqrt(variance + node.attrs["epsilon"])
        return _checked(Affine(factor, offset - mean * factor))


def _checked(affine: Affine) -> Affine | None:
    sizes = np.abs(affine.factor[affine.factor != 0])
    fits = np.all(np.isfinite(affine.shift)) and np.all(
        (sizes >= _SMALLEST_FACTOR) & (sizes <= _LARGEST_FACTOR)
    )
    return affine if fits else None


# --- into the filter ------------------------------------------------------------------------------


def _conv_factor(factor: np.ndarray, weights: np.ndarray, anchor: Node) -> np.ndarray:
    return factor


def _depthwise_factor(factor: np.ndarray, weights: np.ndarray, anchor: Node) -> np.ndarray:
    return factor if factor.size == 1 else factor.reshape(weights.shape[2:])


def _matrix_factor(factor: np.ndarray, weights: np.ndarray, anchor: Node) -> np.ndarray:
    return factor[:, np.newaxis] if anchor.attrs["transpose_b"] else factor


#: Op → a factor for each output channel, as its filter is multiplied by it.
_FILTER_FACTOR = {
    "Conv2D": _conv_factor,
    "DepthwiseConv2dNative": _depthwise_factor,
    "MatMul": _matrix_factor,
}


def _scaled(weights: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """weights · factor in float64, rounded once; in pieces, so without arrays of float64."""
    scaled = np.empty_like(weights, order="C")
    return np.multiply(weights, factor, out=scaled, dtype=np.float64, casting="same_kind")


def _fold(editor: GraphEditor, chain: _Chain) -> None:
    anchor, last = chain.anchor, chain.steps[-1]
    weights = editor.constant(anchor.inputs[1])
    assert weights is not None
    factor_of = _FILTER_FACTOR[anchor.definition.name]
    with np.errstate(all="ignore"):
        scaled = _scaled(weights, factor_of(chain.total.factor, weights, anchor))
        shift = np.broadcast_to(chain.total.shift, chain.channels).astype(weights.dtype)
    if not (np.all(np.isfinite(scaled)) and np.all(np.isfinite(shift))):
        return
    if chain.scales:
        constant = editor.add_constant(anchor, f"{anchor.name}/_scaled_filter", scaled)
        editor.set_input(anchor, 1, (constant, 0))
    made = anchor if _only_scales(chain) else _add_bias(editor, chain, shift)
    editor.replace((last, 0), (made, 0))
    names = ", ".join(step.name for step in chain.steps)
    editor.note(f"{anchor.name}: takes in {names}")


def _only_scales(chain: _Chain) -> bool:
    return not np.any(chain.total.shift) and all(
        step.definition.name in ("Mul", "RealDiv", "Div") for step in chain.steps
    )


def _add_bias(editor: GraphEditor, chain: _Chain, shift: np.ndarray) -> Node:
    last = chain.steps[-1]
    dtype = chain.anchor.output_dtypes[0]
    bias = editor.add_constant(last, f"{last.name}/_bias", shift, dtype)
    attrs = {"T": dtype, "data_format": "NCHW" if chain.axis == 1 else "NHWC"}
    inputs = [(chain.anchor, 0), (bias, 0)]
    return editor.add(last, last.name, "BiasAdd", attrs, inputs, dtype, last.output_shapes[0])


# --- batch normalizations without a filter --------------------------------------------------------


def _split(editor: GraphEditor, node: Node) -> None:
    affine = _batch_norm(editor, node) if editor.may_rewrite(node) else None
    if affine is None or not _is_accurate(editor, node):
        return
    dims = node.output_shapes[0]._dims
    axis = 1 if node.attrs["data_format"].startswith("NC") else -1
    if dims is None or dims[axis] != affine.factor.size:
        return
    shape = (-1,) if axis == -1 else (-1, *(1,) * (len(dims) - 2))
    dtype = node.output_dtypes[0]
    made, attrs = node.inputs[0], {"T": dtype}
    for op, name, vector in (
        ("Mul", f"{node.name}/_scaled", affine.factor),
        ("AddV2", node.name, affine.shift),
    ):
        value = vector.astype(dtype.numpy_dtype).reshape(shape)
        suffix = "_factor" if op == "Mul" else "_shift"
        constant = editor.add_constant(node, f"{node.name}/{suffix}", value, dtype)
        inputs = [made, (constant, 0)]
        made = editor.add(node, name, op, attrs, inputs, dtype, node.output_shapes[0]), 0
    editor.replace((node, 0), made)
    editor.note(f"{node.name}: {node.definition.name} is a product and a sum")


def _is_accurate(editor: GraphEditor, node: Node) -> bool:
    mean, variance = (editor.constant(node.inputs[place]) for place in (3, 4))
    assert mean is not None and variance is not None
    deviation = np.sqrt(np.asarray(variance, np.float64) + node.attrs["epsilon"])
    return bool(np.all(np.abs(mean) <= _LARGEST_OFFSET * deviation))

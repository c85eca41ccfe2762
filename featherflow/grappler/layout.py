"""Layout: convolutions and pooling that keep channels first get them last.

    y = Conv2D(x, f), NCHW      →  y = to_first(Conv2D(to_last(x), f))

What follows is computed with channels last as well, as long as it can be: elementwise ops, biases,
batch normalization, concatenation, padding and means over the image. So the pairs of transposes
between them are gone, and only those at the ends are left. Graphs that keep channels first where
this pass cannot follow (gradients do) are left as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType, int32
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.subgraph import Node
from featherflow.grappler.graph_editor import GraphEditor, is_pure

Output = tuple[Node, int]

_TO_LAST, _TO_FIRST = (0, 2, 3, 1), (0, 3, 1, 2)
_RANK = 4
#: Constants of more bytes are not turned around.
_LARGEST_CONSTANT = 1 << 20

#: Ops for which others are turned around, and ops that go with them.
_ANCHORS = frozenset(("Conv2D", "DepthwiseConv2dNative", "MaxPool", "AvgPool"))
_FOLLOWERS = frozenset(("BiasAdd", "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"))


def put_channels_last(editor: GraphEditor) -> None:
    """Computes with channels last what the program computes with channels first."""
    first = [node for node in editor.nodes() if _keeps_channels_first(node)]
    if any(node.definition.name in _ANCHORS for node in first) and all(
        node.definition.name in _ANCHORS | _FOLLOWERS for node in first
    ):
        turner = _Turner(editor)
        for node in editor.nodes():
            turner.visit(node)


def _keeps_channels_first(node: Node) -> bool:
    return str(node.attrs.get("data_format", "")).startswith("NC")


def _permuted(items: Any, axes: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple(items[axis] for axis in axes)


def _permuted_shape(shape: TensorShape, axes: tuple[int, ...]) -> TensorShape:
    dims = shape._dims
    return shape if dims is None else TensorShape._of(_permuted(dims, axes))


class _Turner:
    """Turns nodes around, inputs first.

    Attributes:
      last: for an output with channels first, the same with channels last.
    """

    def __init__(self, editor: GraphEditor) -> None:
        self.editor = editor
        self.last: dict[Output, Output] = {}

    def visit(self, node: Node) -> None:
        """Turns a node around if its op allows, and if that is of use."""
        if not self.editor.may_rewrite(node) or not is_pure(node):
            return
        name = node.definition.name
        if node.attrs.get("data_format") == "NCHW":
            if name in _ANCHORS or (name in _FOLLOWERS and node.inputs[0] in self.last):
                self._turn_windowed(node)
        elif name in _RULES:
            _RULES[name](self, node)
        elif node.definition.elementwise and len(node.output_dtypes) == 1:
            self._turn_elementwise(node)

    # --- ops with a data format -------------------------------------------------------------------

    def _turn_windowed(self, node: Node) -> None:
        source, index = node.inputs[0]
        if source.output_shapes[index].rank != _RANK:
            return
        attrs: dict[str, Any] = {**node.attrs, "data_format": "NHWC"}
        for name in ("strides", "dilations", "ksize"):
            if len(attrs.get(name, ())) == _RANK:
                attrs[name] = _permuted(attrs[name], _TO_LAST)
        pads = attrs.get("explicit_paddings", ())
        if len(pads) == 2 * _RANK:
            pairs = list(zip(pads[::2], pads[1::2]))
            attrs["explicit_paddings"] = sum(_permuted(pairs, _TO_LAST), ())
        self.substitute(node, attrs, [self._turned(node.inputs[0], node), *node.inputs[1:]])

    def _turned(self, output: Output, anchor: Node) -> Output:
        """`output` with channels last."""
        if output not in self.last:
            node, index = output
            name = f"{anchor.name}/_to_channels_last"
            self.last[output] = self._transpose(
                anchor, name, output, node.output_shapes[index], _TO_LAST
            )
        return self.last[output]

    def _transpose(
        self, anchor: Node, name: str, output: Output, shape: TensorShape, axes: tuple[int, ...]
    ) -> Output:
        dtype = output[0].output_dtypes[output[1]]
        constant = self.editor.add_constant(anchor, f"{name}_axes", np.array(axes, np.int32))
        attrs: dict[str, Any] = {"T": dtype, "Tperm": int32}
        inputs = [output, (constant, 0)]
        made = self.editor.add(
            anchor, name, "Transpose", attrs, inputs, dtype, _permuted_shape(shape, axes)
        )
        return made, 0

    def substitute(self, node: Node, attrs: dict[str, Any], inputs: list[Output]) -> None:
        """Lets a node with channels last, turned back, take the place of `node`."""
        made = self._add_like(node, attrs, inputs)
        made.output_shapes[0] = _permuted_shape(node.output_shapes[0], _TO_LAST)
        name = f"{node.name}/_to_channels_first"
        back = self._transpose(node, name, (made, 0), made.output_shapes[0], _TO_FIRST)
        self.last[back] = (made, 0)
        self.editor.replace((node, 0), back)
        self.editor.note(f"{node.name}: {node.definition.name} with channels last")

    def _add_like(self, node: Node, attrs: dict[str, Any], inputs: list[Output]) -> Node:
        made = self.editor.add(
            node,
            node.name,
            node.definition.name,
            attrs,
            inputs,
            node.output_dtypes[0],
            node.output_shapes[0],
        )
        made.output_dtypes, made.output_shapes = [*node.output_dtypes], [*node.output_shapes]
        for index in range(1, len(node.output_dtypes)):
            self.editor.replace((node, index), (made, index))
        return made

    # --- ops that go with them --------------------------------------------------------------------

    def _turn_elementwise(self, node: Node) -> None:
        if node.output_shapes[0].rank != _RANK:
            return
        if not any(output in self.last for output in node.inputs):
            return
        inputs = [self._operand(output, node) for output in node.inputs]
        if None not in inputs:
            self.substitute(node, dict(node.attrs), inputs)  # type: ignore[arg-type]

    def _operand(self, output: Output, node: Node) -> Output | None:
        """What stands for an operand next to ones with channels last, if that is cheap."""
        if output in self.last:
            return self.last[output]
        value = self.editor.constant(output)
        if value is None or value.nbytes > _LARGEST_CONSTANT or value.ndim > _RANK:
            return output if output[0].output_shapes[output[1]].rank == 0 else None
        if value.ndim == 0:
            return output
        full = value.reshape((1,) * (_RANK - value.ndim) + value.shape)
        return self.constant(
            node, "operand", np.ascontiguousarray(full.transpose(_TO_LAST)), output
        )

    def constant(self, node: Node, role: str, value: np.ndarray, like: Output) -> Output:
        """A new constant of the dtype of `like`."""
        dtype: DType = like[0].output_dtypes[like[1]]
        name = f"{node.name}/_{role}"
        return self.editor.add_constant(node, name, value, dtype), 0

    def turn_concat(self, node: Node) -> None:
        """Concatenation along an axis of images that all have channels last."""
        axis = self.editor.constant(node.inputs[-1])
        images = node.inputs[:-1]
        if axis is None or not all(output in self.last for output in images):
            return
        place = _TO_LAST.index(int(axis) % _RANK)
        constant = self.constant(node, "axis", np.array(place, axis.dtype), node.inputs[-1])
        self.substitute(node, dict(node.attrs), [*(self.last[image] for image in images), constant])

    def turn_pad(self, node: Node) -> None:
        """Padding by constants."""
        pads = self.editor.constant(node.inputs[1])
        if pads is None or pads.shape != (_RANK, 2) or node.inputs[0] not in self.last:
            return
        constant = self.constant(node, "paddings", pads[list(_TO_LAST)], node.inputs[1])
        inputs = [self.last[node.inputs[0]], constant, *node.inputs[2:]]
        self.substitute(node, dict(node.attrs), inputs)

    def turn_mean(self, node: Node) -> None:
        """Reductions over the image: what is left has its channels in the same place."""
        axes = self.editor.constant(node.inputs[1])
        if axes is None or node.inputs[0] not in self.last:
            return
        if sorted(axis % _RANK for axis in axes.ravel().tolist()) != [2, 3]:
            return
        constant = self.constant(node, "axes", np.array([1, 2], axes.dtype), node.inputs[1])
        inputs = [self.last[node.inputs[0]], constant]
        if node.attrs["keep_dims"]:
            self.substitute(node, dict(node.attrs), inputs)
            return
        made = self._add_like(node, dict(node.attrs), inputs)
        self.editor.replace((node, 0), (made, 0))
        self.editor.note(f"{node.name}: {node.definition.name} of channels last")


_RULES: dict[str, Callable[[_Turner, Node], None]] = {
    "ConcatV2": _Turner.turn_concat,
    "Pad": _Turner.turn_pad,
    "PadV2": _Turner.turn_pad,
    "Mean": _Turner.turn_mean,
    "Max": _Turner.turn_mean,
}

"""Symbolic shapes: sizes that are not known are named, so that equal ones are seen to be equal.

A size is a monomial, a number times named sizes: a batch flattened with 12 steps is 12·n. Names
stand for unknown dimensions of the output where they first appear; ops that keep a dimension keep
its name. Integer vectors made from Shapes are followed the same way.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from featherflow.framework.errors import OpError
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.subgraph import Node
from featherflow.grappler.graph_editor import GraphEditor

Output = tuple[Node, int]

#: Longer vectors are no shapes.
_LARGEST_VECTOR = 64


@dataclass(frozen=True, slots=True)
class Size:
    """A number times named sizes, each as often as it counts: (node name, output, axis)."""

    number: int
    names: tuple[tuple[str, int, int], ...] = ()

    def __mul__(self, other: Size) -> Size:
        return Size(self.number * other.number, tuple(sorted(self.names + other.names)))

    def divided_by(self, other: Size) -> Size | None:
        """The quotient, if it is whole whatever the named sizes are."""
        left = Counter(self.names)
        left.subtract(other.names)
        if other.number == 0 or self.number % other.number or min(left.values(), default=0) < 0:
            return None
        return Size(self.number // other.number, tuple(sorted(left.elements())))


ONE = Size(1)


def product(sizes: Sequence[Size]) -> Size:
    """∏ sizes."""
    return math.prod(sizes, start=ONE)  # type: ignore[call-overload]


class SymbolicShapes:
    """The symbolic shapes of a subgraph's outputs, worked out node by node, inputs first."""

    def __init__(self, editor: GraphEditor) -> None:
        self._editor = editor
        self._dims: dict[Output, tuple[Size, ...]] = {}
        self._values: dict[Output, np.ndarray] = {}
        #: For vectors: the nodes whose Shapes they are made of.
        self.sources: dict[Node, frozenset[Node]] = {}

    def visit(self, node: Node) -> None:
        """Works out the outputs of a node; its inputs have been visited."""
        rule = None if node in self._editor.conditional else _DIMS.get(node.definition.name)
        found = rule(self, node) if rule is not None else None
        if found is None and node.definition.elementwise and node not in self._editor.conditional:
            found = _broadcast(self, node)
        if found is not None:
            _refine(node, found)
        for index, shape in enumerate(node.output_shapes):
            if shape._dims is not None:
                self._dims[node, index] = self._named(node, index, found if index == 0 else None)
        if node.output_dtypes and node.output_dtypes[0].is_integer:
            value = self._value_of_node(node)
            if value is not None and value.size <= _LARGEST_VECTOR:
                self._values[node, 0] = value

    def dims(self, output: Output) -> tuple[Size, ...] | None:
        """The sizes of an output; None where its rank is unknown."""
        return self._dims.get(output)

    def value(self, output: Output) -> np.ndarray | None:
        """The elements of a small integer output as Sizes, if they are known so far."""
        return self._values.get(output)

    def _named(
        self, node: Node, index: int, found: Sequence[Size | None] | None
    ) -> tuple[Size, ...]:
        dims = node.output_shapes[index]._dims
        assert dims is not None
        if found is None or len(found) != len(dims):
            found = [None] * len(dims)
        return tuple(
            Size(dim) if dim is not None else known or Size(1, ((node.name, index, axis),))
            for axis, (dim, known) in enumerate(zip(dims, found))
        )

    # --- values -----------------------------------------------------------------------------------

    def _value_of_node(self, node: Node) -> np.ndarray | None:
        name = node.definition.name
        if name == "Const":
            return _sizes_of(node.attrs["value"])
        if node in self._editor.conditional or not node.inputs:
            return None
        self.sources[node] = frozenset().union(
            *(self.sources.get(source, ()) for source, _ in node.inputs)
        )
        if name == "Shape":
            self.sources[node] = frozenset([node.inputs[0][0]])
            dims = self.dims(node.inputs[0])
            return None if dims is None else _object_array(dims, (len(dims),))
        if name in ("Prod", "Mul"):
            return self._product(node)
        moved = _MOVES.get(name)
        return None if moved is None else self._moved(node, moved(len(node.inputs)))

    def _product(self, node: Node) -> np.ndarray | None:
        values = [self.value(output) for output in node.inputs]
        first = values[0]
        if first is None:
            return None
        if node.definition.name == "Mul":
            return None if values[1] is None else np.asarray(first * values[1], dtype=object)
        if first.ndim != 1 or node.output_shapes[0].rank != 0:
            return None
        return _object_array([product(first.tolist())], ())

    def _moved(self, node: Node, data: range) -> np.ndarray | None:
        """The value of a node that only moves elements about: its kernel can do it."""
        inputs: list[Any] = []
        for place, output in enumerate(node.inputs):
            value = self.value(output) if place in data else self._editor.constant(output)
            if value is None:
                return None
            inputs.append(value)
        kernel = node.definition.kernels.find("CPU", node.attrs)
        if kernel is None or kernel.wants_context or kernel.is_class:
            return None
        try:
            result = np.asarray(kernel.bind(node.attrs)(*inputs), dtype=object)
        except (OpError, ValueError, TypeError, LookupError, AttributeError):
            return None
        # NumPy packs arrays of rank 0 as they are where elements are objects.
        sizes = [item.item() if isinstance(item, np.ndarray) else item for item in result.flat]
        if not all(isinstance(size, Size) for size in sizes):
            return None
        return _object_array(sizes, result.shape)


def _refine(node: Node, found: Sequence[Size | None]) -> None:
    """Tells the static shape of a node's first output what symbolic sizes tell as numbers."""
    sizes = [None if size is None or size.names else size.number for size in found]
    old, new = node.output_shapes[0], TensorShape._of(tuple(sizes))
    if old.is_compatible_with(new):
        node.output_shapes = [old.merge_with(new), *node.output_shapes[1:]]


def _sizes_of(value: np.ndarray) -> np.ndarray | None:
    if value.ndim > 1 or value.size > _LARGEST_VECTOR or value.dtype.kind not in "iu":
        return None
    return _object_array([Size(int(item)) for item in value.flat], value.shape)


def _object_array(sizes: Sequence[Size], shape: tuple[int, ...]) -> np.ndarray:
    array = np.empty(len(sizes), dtype=object)
    array[:] = sizes
    return array.reshape(shape)


#: Op → which of so many inputs are moved; the others say where to.
_MOVES: dict[str, Callable[[int], range]] = {
    "Identity": lambda count: range(1),
    "Cast": lambda count: range(1),
    "StridedSlice": lambda count: range(1),
    "Slice": lambda count: range(1),
    "GatherV2": lambda count: range(1),
    "ExpandDims": lambda count: range(1),
    "Squeeze": lambda count: range(1),
    "Reshape": lambda count: range(1),
    "Pack": range,
    "ConcatV2": lambda count: range(count - 1),
}

# --- shapes ---------------------------------------------------------------------------------------

Dims = Sequence[Size | None] | None


def _same(shapes: SymbolicShapes, node: Node) -> Dims:
    return shapes.dims(node.inputs[0])


def _batch(shapes: SymbolicShapes, node: Node) -> Dims:
    """The first dimension is the first input's; what the others are, static shapes tell."""
    dims, rank = shapes.dims(node.inputs[0]), node.output_shapes[0].rank
    if not dims or not rank:
        return None
    return [dims[0], *[None] * (rank - 1)]


def _rows(shapes: SymbolicShapes, node: Node) -> Dims:
    return None if node.attrs["transpose_a"] else _batch(shapes, node)


def _batches(shapes: SymbolicShapes, node: Node) -> Dims:
    """Of a product of a batch of matrices with one matrix: all dimensions but the last."""
    dims, rank = shapes.dims(node.inputs[0]), node.output_shapes[0].rank
    other = node.inputs[1][0].output_shapes[node.inputs[1][1]].rank
    if dims is None or other != 2 or node.attrs["adj_x"] or rank != len(dims):
        return None
    return [*dims[:-1], None]


def _transposed(shapes: SymbolicShapes, node: Node) -> Dims:
    dims, axes = shapes.dims(node.inputs[0]), shapes.value(node.inputs[1])
    if dims is None or axes is None or len(axes) != len(dims):
        return None
    places = [axis.number for axis in axes]
    return [dims[place] for place in places] if sorted(places) == [*range(len(dims))] else None


def reshaped(shapes: SymbolicShapes, node: Node) -> Sequence[Size] | None:
    """What a Reshape gives, if it is known to fit whatever the named sizes are."""
    dims, wanted = shapes.dims(node.inputs[0]), shapes.value(node.inputs[1])
    if dims is None or wanted is None or wanted.ndim != 1:
        return None
    sizes: list[Size] = wanted.tolist()
    missing = [place for place, size in enumerate(sizes) if size.number < 0]
    if any(size.number == 0 for size in (*dims, *sizes)) or len(missing) > 1:
        return None
    if missing:
        rest = product([size for size in sizes if size.number > 0])
        left = product(dims).divided_by(rest) if sizes[missing[0]] == Size(-1) else None
        if left is None or (rest.names and left.names):  # nothing divided by nothing
            return None
        sizes[missing[0]] = left
    return sizes if product(sizes) == product(dims) else None


def _broadcast(shapes: SymbolicShapes, node: Node) -> Dims:
    inputs = [shapes.dims(output) for output in node.inputs]
    known = [dims for dims in inputs if dims is not None]
    rank = node.output_shapes[0].rank
    if rank is None or len(known) < len(inputs):
        return None
    result: list[Size | None] = []
    for axis in range(-rank, 0):
        found = {dims[axis] for dims in known if len(dims) >= -axis} - {ONE}
        result.append(found.pop() if len(found) == 1 else None)
    return result


_DIMS: dict[str, Callable[[SymbolicShapes, Node], Dims]] = {
    "Identity": _same,
    "StopGradient": _same,
    "BiasAdd": _same,
    "Softmax": _same,
    "Conv2D": _batch,
    "DepthwiseConv2dNative": _batch,
    "MaxPool": _batch,
    "AvgPool": _batch,
    "MatMul": _rows,
    "BatchMatMulV2": _batches,
    "Transpose": _transposed,
    "Reshape": reshaped,
}

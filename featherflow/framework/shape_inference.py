"""InferenceContext: what a shape function is given, and the steps that many of them share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from featherflow._version import GRAPH_DEF_VERSION
from featherflow.framework.tensor_shape import SCALAR, UNKNOWN, TensorShape

if TYPE_CHECKING:
    from featherflow.framework.op import Op

Dim = int | None


class ShapeInferenceError(ValueError):
    """Static shapes that an op cannot take: TensorFlow raises ValueError while a graph is built."""

    def __init__(self, message: str, received: Any = None, expected: Any = None, remedy: str = ""):
        super().__init__(message)
        self.message = message
        self.received = received
        self.expected = expected
        self.remedy = remedy


class InferenceContext:
    """The shapes, attributes and constant inputs of one node under construction.

    Attributes:
      op: the Op.
      attrs: its attributes in internal form.
      inputs: the input tensors, lists unrolled.
      shapes: their static shapes.
      graph_def_version: of the program that wrote the graph: what an attribute means may depend on
        it.
    """

    __slots__ = (
        "_constant_shape_of",
        "_constant_value_of",
        "attrs",
        "graph_def_version",
        "inputs",
        "op",
        "shapes",
    )

    def __init__(
        self,
        op: Op,
        attrs: dict[str, Any],
        inputs: Sequence[Any],
        shapes: list[TensorShape],
        constant_value_of: Callable[[Any], np.ndarray | None],
        constant_shape_of: Callable[[Any], TensorShape],
        graph_def_version: int = GRAPH_DEF_VERSION,
    ) -> None:
        self.op = op
        self.attrs = attrs
        self.inputs = inputs
        self.shapes = shapes
        self.graph_def_version = graph_def_version
        self._constant_value_of = constant_value_of
        self._constant_shape_of = constant_shape_of

    # --- inputs -----------------------------------------------------------------------

    def constant(self, index: int) -> np.ndarray | None:
        """The value of input `index` where it is known while the graph is built, else None."""
        return self._constant_value_of(self.inputs[index])

    def constant_scalar(self, index: int) -> int | None:
        """The value of input `index`, an integer scalar, where it is known, else None."""
        self.with_rank(index, 0)
        value = self._constant_value_of(self.inputs[index])
        return None if value is None else int(value)

    def constant_as_shape(self, index: int) -> TensorShape:
        """Input `index`, an integer vector, as a shape: known elements, −1 and unknown as None.

        The scalar −1 stands for a shape of unknown rank.
        """
        if self.shapes[index]._dims == ():
            value = self.constant(index)
            if value is None or value == -1:
                return UNKNOWN
        self.with_rank(index, 1)
        return self._constant_shape_of(self.inputs[index])

    def constant_sizes(self, index: int, count: int) -> tuple[Dim, ...]:
        """The `count` sizes that input `index` holds, a vector, if all are known; else Nones."""
        (length,) = self.dims(index, 1)
        if length not in (None, count):
            self.fail(
                f"{self.input_name(index)} must hold {count} values", received=f"{length} values"
            )
        value = self.constant(index)
        if value is None:
            return (None,) * count
        if value.min() < -1:
            self.fail(f"{self.input_name(index)} must not be negative", received=value.tolist())
        return tuple(None if size < 0 else size for size in value.tolist())

    def input_range(self, arg_name: str) -> range:
        """Positions in `inputs` of the tensors that the argument `arg_name` stands for."""
        position = 0
        for arg in self.op.op_def.inputs:
            if arg.type_list_attr is not None:
                count = len(self.attrs[arg.type_list_attr])
            else:
                count = 1 if arg.number_attr is None else self.attrs[arg.number_attr]
            if arg.name == arg_name:
                return range(position, position + count)
            position += count
        raise KeyError(arg_name)

    # --- checks -----------------------------------------------------------------------

    def fail(
        self, message: str, *, received: Any = None, expected: Any = None, remedy: str = ""
    ) -> NoReturn:
        """Refuses the node."""
        raise ShapeInferenceError(message, received, expected, remedy)

    def input_name(self, index: int) -> str:
        """The argument's name, with its place in the list if it is one of a list."""
        for arg in self.op.op_def.inputs:
            positions = self.input_range(arg.name)
            if index in positions:
                return f"{arg.name}[{index - positions.start}]" if arg.is_list else arg.name
        return str(index)

    def with_rank(self, index: int, rank: int) -> TensorShape:
        """The shape of input `index`, which must have `rank` dimensions (all unknown if it is)."""
        shape = self.shapes[index]
        if shape._dims is None:
            return TensorShape._of((None,) * rank)
        if len(shape._dims) != rank:
            self.fail(
                f"Shape must be rank {rank} but is rank {len(shape._dims)}",
                received=f"{self.input_name(index)} of shape {shape}",
                expected=f"rank {rank}",
            )
        return shape

    def dims(self, index: int, rank: int) -> tuple[Dim, ...]:
        """The dimensions of input `index`, which must have `rank` of them; None where unknown."""
        return self.with_rank(index, rank)._dims or ()

    def with_rank_at_least(self, index: int, rank: int) -> TensorShape:
        """The shape of input `index`, which must have `rank` dimensions or more."""
        shape = self.shapes[index]
        if shape._dims is not None and len(shape._dims) < rank:
            self.fail(
                f"Shape must be at least rank {rank} but is rank {len(shape._dims)}",
                received=f"{self.input_name(index)} of shape {shape}",
                expected=f"rank {rank} or more",
            )
        return shape

    def with_rank_at_most(self, index: int, rank: int) -> TensorShape:
        """The shape of input `index`, which must have `rank` dimensions or fewer."""
        shape = self.shapes[index]
        if shape._dims is not None and len(shape._dims) > rank:
            self.fail(
                f"Shape must be at most rank {rank} but is rank {len(shape._dims)}",
                received=f"{self.input_name(index)} of shape {shape}",
                expected=f"rank {rank} or less",
            )
        return shape

    def merge_dim(self, left: Dim, right: Dim) -> Dim:
        """The dimension that both are; refuses if they differ."""
        if left is None:
            return right
        if right is not None and left != right:
            self.fail(
                f"Dimensions must be equal, but are {left} and {right}",
                received=self.received(),
            )
        return left

    def merge(self, left: TensorShape, right: TensorShape) -> TensorShape:
        """The most specific shape that both are; refuses if they differ."""
        if left._dims is None:
            return right
        if right._dims is None:
            return left
        if len(left._dims) != len(right._dims):
            self.fail(
                f"Shapes must be equal rank, but are {len(left._dims)} and {len(right._dims)}",
                received=self.received(),
            )
        return TensorShape._of(tuple(map(self.merge_dim, left._dims, right._dims)))

    def received(self) -> str:
        """All inputs with their shapes, for messages."""
        return ", ".join(
            f"{self.input_name(index)} {shape}" for index, shape in enumerate(self.shapes)
        )


# --- shape functions that many ops share ----------------------------------------------


def unchanged_shape(c: InferenceContext) -> TensorShape:
    """The shape of input 0."""
    return c.shapes[0]


def scalar_shape(c: InferenceContext) -> TensorShape:
    """A scalar."""
    return SCALAR


def unknown_shapes(c: InferenceContext) -> list[TensorShape]:
    """Nothing is known."""
    from_attrs = 0
    for arg in c.op.op_def.outputs:
        if arg.type_list_attr is not None:
            from_attrs += len(c.attrs[arg.type_list_attr])
        else:
            from_attrs += 1 if arg.number_attr is None else c.attrs[arg.number_attr]
    return [UNKNOWN] * from_attrs


def no_outputs(c: InferenceContext) -> list[TensorShape]:
    """For ops without outputs."""
    return []


def broadcast_shape(c: InferenceContext) -> TensorShape:
    """The broadcast of inputs 0 and 1: equal dimensions, or one of them 1."""
    left, right = c.shapes[0], c.shapes[1]
    return broadcast_static(c, left, right)


def broadcast_static(c: InferenceContext, left: TensorShape, right: TensorShape) -> TensorShape:
    """The broadcast of two shapes; an unknown dimension beside one above 1 must be it."""
    a, b = left._dims, right._dims
    if a is None or b is None:
        return UNKNOWN
    if a == b and None not in a:
        return left
    if len(a) < len(b):
        a = (1,) * (len(b) - len(a)) + a
    elif len(b) < len(a):
        b = (1,) * (len(a) - len(b)) + b
    return TensorShape._of(tuple(_broadcast_dim(c, m, n) for m, n in zip(a, b)))


def _broadcast_dim(c: InferenceContext, left: Dim, right: Dim) -> Dim:
    if left == right:
        return left
    if left == 1:
        return right
    if right == 1:
        return left
    if left is None or right is None:
        known = right if left is None else left
        return known if known else None  # beside 0 the other may be 0 or 1: not known
    c.fail(
        f"Dimensions must be equal, but are {left} and {right}",
        received=c.received(),
        expected="shapes that broadcast: equal dimensions, or one of them 1",
    )

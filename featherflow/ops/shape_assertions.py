"""tf.debugging.assert_shapes: shapes of several tensors, and the sizes that they share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import control_dependencies, name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.sparse_tensor import SparseTensor
from featherflow.graph.tensor import Tensor
from featherflow.ops.assert_ops import assert_
from featherflow.ops.comparison_assertions import message_prefix
from featherflow.ops.comparison_ops import equal
from featherflow.ops.cond import cond
from featherflow.ops.constant_ops import constant
from featherflow.ops.grouping_ops import group
from featherflow.ops.rank_assertions import assert_rank, assert_rank_at_least, assert_rank_in
from featherflow.ops.shape_ops import rank, shape

_ANY_SIZE = (None, ".")
_ANY_DIMENSIONS = (..., "*")


@dataclass
class _Constraint:
    """A tensor, the symbols of its dimensions, and its sizes as far as they are known.

    Attributes:
      tensor: a Tensor or SparseTensor.
      symbols: of each dimension an int, a name, or None; those of the last dimensions where
        `open` is true.
      open: whether any number of dimensions may come first.
      dynamic_shape: a vector; that of a scalar whose rank was not known is [1].
    """

    tensor: Any
    symbols: list[Any]
    open: bool
    dynamic_shape: Tensor | None = None
    _sizes: dict[int, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.tensor.name if isinstance(self.tensor, Tensor) else ""

    @property
    def indices(self) -> Iterable[int]:
        """The place of each symbol's dimension: from the back where any may come first."""
        return range(-len(self.symbols), 0) if self.open else range(len(self.symbols))

    def size(self, index: int) -> Any:
        """An int where it is known, else a scalar tensor."""
        if index not in self._sizes:
            self._sizes[index] = self._static_size(index)
            if self._sizes[index] is None:
                assert self.dynamic_shape is not None
                # A slice of one entry: an index of −1 would need a stop beyond the end.
                self._sizes[index] = self.dynamic_shape[index]
        return self._sizes[index]

    def _static_size(self, index: int) -> int | None:
        static = self.tensor.shape
        if static.rank is None:
            return None
        if static.rank == 0:
            return 1
        # An index beyond the rank is reported by the assertion about ranks.
        return static.as_list()[index] if -static.rank <= index < static.rank else 1


def _parsed(tensor: Any, symbols: Any) -> _Constraint:
    tensor = tensor if isinstance(tensor, SparseTensor) else convert_to_tensor(tensor)
    name = tensor.name if isinstance(tensor, Tensor) else ""
    if not (hasattr(symbols, "__iter__") or hasattr(symbols, "__getitem__")):
        raise ValueError(
            f"Tensor {name}.  Specified shape must be an iterable.  An iterable has the attribute "
            f"`__iter__` or `__getitem__`.  Received specified shape: {symbols}"
        )
    found = [symbol if isinstance(symbol, str) else _plain(symbol) for symbol in symbols]
    is_open = bool(found) and found[0] in _ANY_DIMENSIONS
    for index, symbol in enumerate(found):
        if index and symbol in _ANY_DIMENSIONS:
            raise ValueError(
                f"Tensor {name} specified shape index {index}.  Symbol `...` or `*` for a "
                "variable number of unspecified dimensions is only allowed as the first entry"
            )
    if is_open:
        return _Constraint(tensor, found[1:], True)
    return _Constraint(tensor, found or [1], False)


def _plain(symbol: Any) -> Any:
    if symbol is None or symbol is ...:
        return symbol
    return getattr(symbol, "value", symbol)  # a tf.Dimension holds its size


def _vector_of_sizes(x: Any) -> Tensor:
    """The shape; that of a scalar whose rank is not known while the graph is built is [1]."""
    dynamic = shape(x)
    if x.shape.rank is not None:
        return dynamic
    return cond(equal(rank(x), 0), lambda: constant([1], dtypes.int32), lambda: dynamic)


@export_v1("debugging.assert_shapes")
def assert_shapes(
    shapes: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless tensors have given shapes, with the same size where the same
    name stands.

    Args:
      shapes: pairs of a tensor and its shape (or a dict). A shape is a sequence; each entry is a
        size, a name, or None or "." for any size. "..." or "*" as the first stands for any
        dimensions. () means a scalar, or a vector of one element.
      data: tensors to print on failure; None prints the sizes and the shape.
      summarize: the number of elements to print of each.
      message: what the error says first.
      name: of the scope of the nodes.
    Returns:
      An Operation.
    Raises:
      ValueError: it is known already not to hold.
      InvalidArgumentError: (in the run) it does not hold.

    >>> import featherflow as tf
    >>> x, y = tf.zeros([2, 3]), tf.zeros([3, 5])
    >>> tf.debugging.assert_shapes([(x, ("N", "M")), (y, ("M", "N"))])
    Traceback (most recent call last):
    ValueError: ...Tensor ... dimension 1 must have size 2.  Received size 5, shape (3, 5)
    """
    pairs = list(shapes.items()) if isinstance(shapes, dict) else list(shapes)
    prefix = message_prefix(message)
    with name_scope(name, "assert_shapes", [tensor for tensor, _ in pairs]):
        constraints = [_parsed(tensor, symbols) for tensor, symbols in pairs]
        for constraint in constraints:
            _prepare(constraint)
        of_ranks = [
            _assert_rank_of(constraint, data, summarize, message, name)
            for constraint in constraints
        ]
        of_sizes = _assert_sizes(constraints, of_ranks, prefix, data, summarize)
    return group(*of_sizes, *of_ranks)


@export("debugging.assert_shapes")
def assert_shapes_v2(
    shapes: Any,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """`tf.compat.v1.debugging.assert_shapes`, which returns nothing in TF2."""
    assert_shapes(shapes, data, summarize, message, name)


def _prepare(constraint: _Constraint) -> None:
    """Makes the nodes for sizes that are not known, before the assertions that they wait for."""
    constraint.dynamic_shape = _vector_of_sizes(constraint.tensor)
    known_rank = constraint.tensor.shape.rank
    if known_rank is None:
        return
    for index in constraint.indices:
        if -known_rank <= index < known_rank:
            constraint.size(index)


def _assert_rank_of(
    constraint: _Constraint, data: Any, summarize: int | None, message: str | None, name: str | None
) -> Operation:
    count = len(constraint.symbols)
    options = {"data": data, "summarize": summarize, "message": message, "name": name}
    if constraint.open:
        return assert_rank_at_least(constraint.tensor, count, **options)
    if count == 1:
        return assert_rank_in(constraint.tensor, [0, 1], **options)
    return assert_rank(constraint.tensor, count, **options)


def _assert_sizes(
    constraints: Sequence[_Constraint],
    of_ranks: Sequence[Operation],
    prefix: str,
    data: Any,
    summarize: int | None,
) -> list[Operation]:
    first_seen: dict[str, tuple[Any, str]] = {}
    assertions = []
    for constraint in constraints:
        for index, symbol in zip(constraint.indices, constraint.symbols):
            if symbol in _ANY_SIZE:
                continue
            with control_dependencies(of_ranks):
                size = constraint.size(index)
            if not isinstance(symbol, str):
                expected, source = symbol, "Specified explicitly"
            elif symbol in first_seen:
                expected, source = first_seen[symbol]
            else:
                source = f"Specified by tensor {constraint.name} dimension {index}"
                first_seen[symbol] = size, source
                continue
            found = _assert_size(constraint, index, size, expected, source, prefix, data, summarize)
            if found is not None:
                assertions.append(found)
    return assertions


def _assert_size(
    constraint: _Constraint,
    index: int,
    size: Any,
    expected: Any,
    source: str,
    prefix: str,
    data: Any,
    summarize: int | None,
) -> Operation | None:
    """Asserts one size; None where it is known already to be right."""
    if isinstance(size, int) and isinstance(expected, int):
        if size != expected:
            raise ValueError(
                f"{prefix}{source}.  Tensor {constraint.name} dimension {index} must have size "
                f"{expected}.  Received size {size}, shape {constraint.tensor.shape}"
            )
        return None
    condition = equal(_scalar(size), _scalar(expected))
    if data is None:
        told = f"Tensor {constraint.name} dimension"
        received = shape(constraint.tensor)
        data = [prefix, source, told, index, "must have size", expected, "Received shape: "]
        data.append(received)
    return assert_(condition, data, summarize=summarize)


def _scalar(size: Any) -> Tensor:
    return size if isinstance(size, Tensor) else constant(size, dtypes.int32)

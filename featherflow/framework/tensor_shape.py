"""Static shapes: what is known about a tensor's shape before anything has run.

A shape is a tuple of sizes, of which any may be unknown (None); of an unknown *rank* nothing at all
is known. The order of knowledge, from which all merge rules follow:

    unknown rank   ⊒   (None, None)   ⊒   (2, None)   ⊒   (2, 3)

`merge_with` goes down to the most general shape below both, `most_specific_compatible_shape` up to
the least general above both, and two shapes are compatible when something lies below both.

    >>> TensorShape([2, None]).merge_with([None, 3]) == [2, 3]
    True
    >>> TensorShape([2, 3]).most_specific_compatible_shape([2, 5]).as_list()
    [2, None]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, final

from featherflow.framework import mode
from featherflow.framework.dimension import Dimension, as_dimension, dimension_size, dimension_value

__all__ = [
    "SCALAR",
    "UNKNOWN",
    "Dimension",
    "TensorShape",
    "as_dimension",
    "as_shape",
    "broadcast_shapes",
    "dimension_at_index",
    "dimension_value",
    "disable_v2_tensorshape",
    "enable_v2_tensorshape",
    "matrix",
    "scalar",
    "unknown_shape",
    "vector",
]

Dims = tuple[int | None, ...]

# Whether iteration and indexing give integers (TF2) or Dimension objects (TF1). One flag for the
# process, as in TensorFlow: a program is of one kind, and shapes do not know who reads them. It
# goes with the mode of the program, unless the program says otherwise.
_v2_behavior = True
_is_chosen = False


def enable_v2_tensorshape() -> None:
    """Makes `shape[i]` an integer or None, as in TF2."""
    global _v2_behavior, _is_chosen
    _v2_behavior = _is_chosen = True


def disable_v2_tensorshape() -> None:
    """Makes `shape[i]` a `Dimension`, as in TF1."""
    global _v2_behavior, _is_chosen
    _v2_behavior, _is_chosen = False, True


def _follow_mode() -> None:
    global _v2_behavior
    if not _is_chosen:
        _v2_behavior = not mode.is_graph()


mode.on_change(_follow_mode)


@final
class TensorShape:
    """The static shape of a tensor.

    Args:
      dims: None for unknown rank; a single size for a vector; the sizes, each an integer, None or
        a `Dimension`; or a `TensorShapeProto`.

    Raises:
      TypeError: a size is not an integer.
      ValueError: a size is negative.
    """

    __slots__ = ("_dims",)

    _dims: Dims | None

    def __init__(self, dims: Any) -> None:
        self._dims = _read_dims(dims)

    @staticmethod
    def _of(dims: Dims | None) -> TensorShape:
        """A shape from checked sizes; shape functions call it for every node of a graph."""
        shape = _new_shape(TensorShape)
        shape._dims = dims
        return shape

    # What is known

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions as `Dimension` objects, or None for unknown rank."""
        return None if self._dims is None else [Dimension(size) for size in self._dims]

    def as_list(self) -> list[Any]:
        """The sizes; raises ValueError for unknown rank."""
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def is_fully_defined(self) -> bool:
        """Whether every size is known."""
        return self._dims is not None and None not in self._dims

    def num_elements(self) -> int | None:
        """∏ sizes; None unless the shape is fully defined."""
        return math.prod(self._dims) if self.is_fully_defined() else None  # type: ignore[arg-type]

    # Two shapes

    def is_compatible_with(self, other: Any) -> bool:
        """Whether one tensor could have both shapes."""
        return _merge(self._dims, as_shape(other)._dims) is not _CONFLICT

    def merge_with(self, other: Any) -> TensorShape:
        """All that either shape knows.

        Raises:
          ValueError: no tensor has both shapes.
        """
        other = as_shape(other)
        merged = _merge(self._dims, other._dims)
        if merged is _CONFLICT:
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        return self if merged == self._dims else TensorShape._of(merged)

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """All that both shapes agree on: the shape to declare for a value that may have either."""
        other_dims = as_shape(other)._dims
        if self._dims is None or other_dims is None or len(self._dims) != len(other_dims):
            return UNKNOWN
        return TensorShape._of(
            tuple(a if a == b else None for a, b in zip(self._dims, other_dims, strict=True))
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TensorShape | None:
        """`most_specific_compatible_shape` of all; None if one of `others` is not a shape."""
        result = self
        for other in others:
            if not isinstance(other, TensorShape):
                return None
            result = result.most_specific_compatible_shape(other)
        return result

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every tensor of this shape also has the shape `other`."""
        if not isinstance(other, TensorShape):
            return False
        if other._dims is None:
            return True
        if self._dims is None or len(self._dims) != len(other._dims):
            return False
        return all(b is None or a == b for a, b in zip(self._dims, other._dims, strict=True))

    def concatenate(self, other: Any) -> TensorShape:
        """The dimensions of this shape, then those of `other`; unknown if either rank is."""
        other_dims = as_shape(other)._dims
        if self._dims is None or other_dims is None:
            return UNKNOWN
        return TensorShape._of(self._dims + other_dims)

    # Demands

    def with_rank(self, rank: int | None) -> TensorShape:
        """This shape, known to have `rank` dimensions; raises ValueError if it has another."""
        if rank is None or self._dims is None:
            return self.merge_with(unknown_shape(rank))
        if len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape; raises ValueError if it is known to have fewer dimensions."""
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape; raises ValueError if it is known to have more dimensions."""
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raises ValueError if the shape is known to have another rank."""
        if self._dims is not None and len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: Any) -> None:
        """Raises ValueError if the ranks are known and differ."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return
        if len(self._dims) != len(other._dims):
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError unless `is_compatible_with(other)`."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {as_shape(other)} are incompatible")

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError unless every size is known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    # As a sequence

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        # A scalar's shape is true although it is empty: it is the unknown one that says nothing.
        return self._dims is not None

    def __iter__(self) -> Iterator[Any]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims) if _v2_behavior else map(Dimension, self._dims)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self._slice(key)
        size = None if self._dims is None else self._dims[key]
        return size if _v2_behavior else Dimension(size)

    def _slice(self, key: slice) -> TensorShape:
        if self._dims is not None:
            return TensorShape._of(self._dims[key])
        if key.step is not None:
            raise ValueError(f"Steps are not yet handled: {key} of a shape of unknown rank")
        start = 0 if key.start is None else key.start
        # Counting from the end, or to the end, needs the rank.
        if key.stop is None or start < 0 or key.stop < 0:
            return UNKNOWN
        return unknown_shape(key.stop - start)

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    __concat__ = __add__

    # As a value

    def __eq__(self, other: object) -> bool:
        if type(other) is not TensorShape:
            try:
                other = TensorShape(other)
            except TypeError:
                return NotImplemented
        return self._dims == other._dims

    def __hash__(self) -> int:
        return hash(self._dims)

    def __reduce__(self) -> tuple[type[TensorShape], tuple[Dims | None]]:
        return TensorShape, (self._dims,)

    def __repr__(self) -> str:
        if self._dims is None:
            return "TensorShape(None)"
        sizes = self._dims if _v2_behavior else [Dimension(size) for size in self._dims]
        return f"TensorShape([{', '.join(map(repr, sizes))}])"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        sizes = [_size_text(size) for size in self._dims]
        return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


_new_shape = object.__new__
_CONFLICT: Dims = (-1,)  # what `_merge` returns by identity when the shapes exclude each other

UNKNOWN = TensorShape._of(None)
SCALAR = TensorShape._of(())


def _size_text(size: int | None) -> str:
    if size is None:
        return "None" if _v2_behavior else "?"
    return str(size)


def _read_dims(dims: Any) -> Dims | None:
    if dims is None:
        return None
    if isinstance(dims, (tuple, list)):
        return tuple([dimension_size(size) for size in dims])
    if type(dims) is TensorShape:
        return dims._dims
    if hasattr(dims, "unknown_rank"):  # a TensorShapeProto, which says -1 for an unknown size
        if dims.unknown_rank:
            return None
        return tuple(None if dim.size == -1 else dimension_size(dim.size) for dim in dims.dim)
    if isinstance(dims, (str, bytes)):
        raise TypeError(
            f"Failed to convert {dims!r} to a shape. A shape is a single dimension (e.g. 10), or "
            "an iterable of dimensions (e.g. [1, 10, None])."
        )
    if isinstance(dims, Iterable) and getattr(dims, "ndim", None) != 0:
        return tuple([dimension_size(size) for size in dims])
    return (dimension_size(dims),)


def _merge(first: Dims | None, second: Dims | None) -> Dims | None:
    if first is None or first == second:
        return second
    if second is None:
        return first
    if len(first) != len(second):
        return _CONFLICT
    merged = []
    for a, b in zip(first, second, strict=True):
        if a is not None and b is not None and a != b:
            return _CONFLICT
        merged.append(b if a is None else a)
    return tuple(merged)


def as_shape(shape: Any) -> TensorShape:
    """`shape` as a `TensorShape`; one that already is one is returned itself."""
    return shape if type(shape) is TensorShape else TensorShape(shape)


def unknown_shape(rank: int | None = None, *, ndims: int | None = None) -> TensorShape:
    """A shape of which only the rank is known, if that; `ndims` is TF1's name of the argument."""
    if rank is not None and ndims is not None:
        raise TypeError("unknown_shape() takes `rank` or `ndims`, not both")
    rank = ndims if rank is None else rank
    return UNKNOWN if rank is None else TensorShape._of((None,) * rank)


def scalar() -> TensorShape:
    """The shape `()`."""
    return SCALAR


def vector(length: Any) -> TensorShape:
    """The shape `(length,)`."""
    return TensorShape([length])


def matrix(rows: Any, columns: Any) -> TensorShape:
    """The shape `(rows, columns)`."""
    return TensorShape([rows, columns])


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """Dimension `index` as a `Dimension`, in TF1 and TF2 alike; unknown if the rank is."""
    return Dimension(None if shape._dims is None else shape._dims[index])


def broadcast_shapes(first: Any, second: Any) -> TensorShape:
    """The shape of an elementwise result: NumPy's rule, sizes aligned at the right.

    A size 1 stretches. An unknown size against n > 1 must turn out to be 1 or n, so the result is
    n; against 0, 1 or another unknown size it stays unknown, as in TensorFlow.

        >>> broadcast_shapes([8, 1, None], [7, 3]).as_list()
        [8, 7, 3]

    Raises:
      ValueError: two known sizes differ and neither is 1.
    """
    first, second = as_shape(first), as_shape(second)
    if first._dims is None or second._dims is None:
        return UNKNOWN
    rank = max(len(first._dims), len(second._dims))
    padded = [(1,) * (rank - len(shape._dims)) + shape._dims for shape in (first, second)]
    sizes = []
    for a, b in zip(*padded, strict=True):
        if a == b or b == 1:
            sizes.append(a)
        elif a == 1:
            sizes.append(b)
        elif a is None or b is None:
            known = b if a is None else a
            sizes.append(known or None)
        else:
            raise ValueError(
                "Incompatible shapes for broadcasting: sizes aligned at the right must be equal, "
                f"or one of them 1. Received: {first} and {second}."
            )
    return TensorShape._of(tuple(sizes))

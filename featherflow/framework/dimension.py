"""One dimension of a static shape as TF1 programs see it: a size that may be unknown."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, final


def dimension_size(value: object) -> int | None:
    """The size that a user wrote: an integer of any kind, None, or a `Dimension`.

    Raises:
      TypeError: the value is not an integer (floats are not rounded).
      ValueError: the value is negative; -1 means "unknown" only inside ops and protocol buffers.
    """
    if value is None:
        return None
    if type(value) is Dimension:
        return value._value
    try:
        size = int(operator.index(value))  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(
            "Dimension value must be integer or None or have an __index__ method, got value "
            f"'{value!r}' with type '{type(value)!r}'"
        ) from None
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


def _arithmetic(function: Callable[[int, int], int], reflected: bool = False) -> Any:
    """A binary operator of `Dimension`; an unknown operand makes the result unknown."""

    def operate(self: Dimension, other: object) -> Dimension:
        try:
            other_size = dimension_size(other)
        except TypeError:
            return NotImplemented
        if self._value is None or other_size is None:
            return Dimension(None)
        left, right = (other_size, self._value) if reflected else (self._value, other_size)
        return Dimension(function(left, right))

    return operate


def _comparison(function: Callable[[int, int], bool]) -> Any:
    """An ordering operator of `Dimension`: None where an unknown size leaves the answer open."""

    def compare(self: Dimension, other: object) -> bool | None:
        other_size = dimension_size(other)
        if self._value is None or other_size is None:
            return None
        return function(self._value, other_size)

    return compare


@final
class Dimension:
    """A size, or an unknown one: `Dimension(None)`.

    Comparisons with an unknown size return None, which counts as false both ways: of two unknown
    sizes it can be said neither that they are equal nor that they differ. For the same reason a
    Dimension has no hash.

        >>> Dimension(3) * 2, Dimension(3) + None
        (Dimension(6), Dimension(None))
        >>> print(Dimension(None) == Dimension(None))
        None
    """

    __slots__ = ("_value",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: object) -> None:
        self._value = dimension_size(value)

    @property
    def value(self) -> int | None:
        """The size, or None."""
        return self._value

    def is_compatible_with(self, other: object) -> bool:
        """Whether the two sizes can be the same one."""
        other_size = dimension_size(other)
        return self._value is None or other_size is None or self._value == other_size

    def assert_is_compatible_with(self, other: object) -> None:
        """Raises ValueError unless `is_compatible_with(other)`."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {as_dimension(other)} are not compatible")

    def merge_with(self, other: object) -> Dimension:
        """The size that both stand for: the known one of the two.

        Raises:
          ValueError: both are known and differ.
        """
        self.assert_is_compatible_with(other)
        return as_dimension(other) if self._value is None else self

    def __eq__(self, other: object) -> bool | None:  # type: ignore[override]
        try:
            other_size = dimension_size(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or other_size is None:
            return None
        return self._value == other_size

    def __ne__(self, other: object) -> bool | None:  # type: ignore[override]
        equal = self.__eq__(other)
        return equal if equal is NotImplemented or equal is None else not equal

    __lt__ = _comparison(operator.lt)
    __le__ = _comparison(operator.le)
    __gt__ = _comparison(operator.gt)
    __ge__ = _comparison(operator.ge)

    __add__ = _arithmetic(operator.add)
    __radd__ = _arithmetic(operator.add, reflected=True)
    __sub__ = _arithmetic(operator.sub)
    __rsub__ = _arithmetic(operator.sub, reflected=True)
    __mul__ = _arithmetic(operator.mul)
    __rmul__ = _arithmetic(operator.mul, reflected=True)
    __floordiv__ = _arithmetic(operator.floordiv)
    __rfloordiv__ = _arithmetic(operator.floordiv, reflected=True)
    __mod__ = _arithmetic(operator.mod)
    __rmod__ = _arithmetic(operator.mod, reflected=True)

    def __truediv__(self, other: object) -> Dimension:
        # Sizes are whole; a program that divides them so means `//`, and is told.
        names = f"'Dimension' and '{type(other).__name__}'"
        raise TypeError(f"unsupported operand type(s) for /: {names}, please use // instead")

    def __rtruediv__(self, other: object) -> Dimension:
        names = f"'{type(other).__name__}' and 'Dimension'"
        raise TypeError(f"unsupported operand type(s) for /: {names}, please use // instead")

    def __index__(self) -> int:
        if self._value is None:
            raise TypeError("Dimension(None) is unknown: it has no value to use as an integer")
        return self._value

    __int__ = __index__

    def __bool__(self) -> bool:
        return bool(self._value)

    def __reduce__(self) -> tuple[type[Dimension], tuple[int | None]]:
        return Dimension, (self._value,)

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)


def as_dimension(value: object) -> Dimension:
    """`value` as a `Dimension`."""
    return value if type(value) is Dimension else Dimension(value)


def dimension_value(dimension: Any) -> Any:
    """The size inside a `Dimension`; anything else unchanged.

    Lets a program read `shape[i]` alike where shapes hold Dimensions and where they hold integers.
    """
    return dimension._value if type(dimension) is Dimension else dimension

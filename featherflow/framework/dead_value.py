"""DEAD: what stands on an edge whose value was not computed, since its branch was not taken.

Switch makes dead values, every op with a dead input passes them on unrun, Merge ends them. Kernels
never see one, save those of control flow and of transfers between devices.
"""

from __future__ import annotations

from typing import Final


class DeadValue:
    """The type of DEAD, which is its only instance."""

    __slots__ = ()

    def __new__(cls) -> DeadValue:
        return DEAD

    def __repr__(self) -> str:
        return "DEAD"

    def __reduce__(self) -> str:
        return "DEAD"

    def __bool__(self) -> bool:
        raise TypeError("A dead value has no truth; compare `value is DEAD`.")


DEAD: Final[DeadValue] = object.__new__(DeadValue)

"""Memory of the process that nobody uses, given back to the system."""

from __future__ import annotations

import ctypes


def trim() -> None:
    """Gives back what the C library keeps of freed memory.

    It keeps freed arrays of up to 32 MB, once it has seen such, for the next ones to come; none
    will when a model's weights have been packed.
    """
    give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if give_back is not None:
        give_back(0)

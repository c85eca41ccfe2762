"""tf.compat.forward_compatible: what programs written for later versions may rely on."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager

from featherflow.framework.exports import export

#: Programs made up to this day are understood, as by the TensorFlow whose behaviour this is.
_HORIZON = datetime.date(2026, 3, 1)


@export("compat.forward_compatible")
def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether the horizon of compatibility lies behind a day: what came then may be used."""
    return datetime.date(year, month, day) < _HORIZON


@export("compat.forward_compatibility_horizon")
@contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Sets the horizon inside of the block, for tests of what comes later."""
    global _HORIZON
    saved, _HORIZON = _HORIZON, datetime.date(year, month, day)
    try:
        yield
    finally:
        _HORIZON = saved
